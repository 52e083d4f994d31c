"""Does a crash end at rest, if the vehicle has nowhere to roll and the driver brakes, at 1 and at 5 ms?

Without any object, a sedan that stops with locked wheels rocks for 2.8 s until all its velocities are below 1 mm/s, a HMMWV for 3.3 s: the
limits are those of a crash and of this rocking.
"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.builder.builder import build_vehicle
from terrain.objects.object_set import ObjectSet
from terrain.objects.world_object import Box, Cylinder, Material, Sphere, WorldObject
from tests.laws.vehicle_rig import command, ground, steps

X = 8.0
M = Material(restitution=0.1)
STOPS = {
    "wall": [WorldObject("wall", Box((3, 40, 20)), (X + 1.5, 0, 5), material=M)],
    "post": [WorldObject("post", Cylinder(0.15, 4.0), (X + 0.15, 0.2, 0), material=M)],
    "two boxes": [WorldObject(name, Box((3, 1, 3)), (X + 1.5, y, 1.5), material=M) for name, y in (("left", 1.1), ("right", -1.1))],
    "sphere": [WorldObject("sphere", Sphere(1.0), (X + 1.0, 0.0, 0.6), material=M)],
}
REST = 7.0
"""s after the first touch."""


def speeds_after_crash(vehicle: str, name: str, speed: float, h: float) -> tuple[np.ndarray, np.ndarray]:
    """Drive into objects at full throttle and brake from the first touch. Return times and velocities of the chassis after it, (n,) and (n, 3)."""
    own = ObjectSet(STOPS[name]).for_session()
    g = ground("asphalt 0")._replace(objects=own.world)
    v = build_vehicle(vehicle)
    v.reset(g, speed=speed)
    drive, brake, rows = command(throttle=1.0), command(brake=1.0), []
    contact = v.space.object_contact[0]
    while len(rows) * h < REST:
        hit = contact["collisions"] > 0
        steps(1, v.model, v.space, g, brake if hit else drive, h)
        if hit:
            rows.append(v.space.state[0]["v_WB_B"].copy())
        assert v.space.state[0]["time"] < 20.0
    assert v.space.work[0]["R_WB"][2, 2] > 0.9, "upright"
    return h * np.arange(len(rows)), np.abs(rows)


@pytest.mark.parametrize("h", [1e-3, 5e-3])
@pytest.mark.parametrize("speed", [5.0, 15.0, 30.0, 40.0])
@pytest.mark.parametrize("name", STOPS)
@pytest.mark.parametrize("vehicle", ["sedan", "hmmwv"])
def test_a_crash_ends_at_rest(vehicle, name, speed, h):
    time, speeds = speeds_after_crash(vehicle, name, speed, h)
    assert speeds[time > 6.5].max() < 1e-3
    creep = h * speeds[time > 4.0, 0].sum()
    assert creep < 5e-3, "m"
