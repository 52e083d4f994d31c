"""Tires: a tread law on a ground law.

Shared by all: where they touch (contact), their radial spring (radial), what bears the load, soil included (load, soil_wheel), moments and
their transport (moments); tables in `parameters`. A tread law makes the horizontal forces (tread_law says what one is): TMeasy in a room of
its own, called directly for one wheel (tire); those from outside through their addresses (outside_treads, soil_shear). All wheels of a
vehicle together: `wheels`; from files: `tire_file`, names of laws: `kinds`."""
