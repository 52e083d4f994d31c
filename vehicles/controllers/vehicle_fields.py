"""Keys that several controllers share: what they know of their vehicle."""

from __future__ import annotations

from simulator.base.fields import Field, Number

WHEEL_RADIUS = Field("wheel_radius", Number("m", 0.05, 5.0), "rolling radius of the wheels")
WHEELBASE = Field("wheelbase", Number("m", 0.1, 100.0), "distance from the first axle to the last")
TRACK = Field("track", Number("m", 0.1, 10.0), "distance between the wheels of an axle; default: mid-size car", 1.5)
STEERING_RATIO = Field("steering_ratio", Number("1", 1.0, 100.0), "angle of the steering wheel over that of the front wheels")
CHARACTERISTIC_SPEED = Field(
    "characteristic_speed", Number("m/s", 1.0, 1000.0), "speed at which the yaw response is half that of a neutral vehicle"
)
