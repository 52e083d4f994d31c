"""Tires: a tire model on a soil model.

Shared by all tire models: contact (`contact`), radial spring (`radial`), vertical force including soil (`vertical_force`, `wheel_on_soil`),
moments and their transport (`moments`), tables (`parameters`). A tire model computes the horizontal forces (`contract`). The package
`tmeasy` contains TMeasy, which is called directly for one wheel (`tire`). All other models are called by the addresses of their kernels
(`callback_models`, `soil_shear`). `tire_set` evaluates all wheels of a vehicle, `tire_file` reads files, and `kinds` lists the models by
name.
"""
