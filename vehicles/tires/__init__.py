"""Tires: where they touch (contact), what hard ground gives (tmeasy), what soil gives (soil_wheel), how they stick (grip),
and all of it together for one wheel (tire). Parameters and records are tables in `parameters`."""
