"""Does a vehicle get over kerbs, bumps, steps and half-rounds as its tires roll, and not as a point meets a wall?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.records import record
from simulator.build import build_vehicle
from terrain.load import load_terrain
from vehicles.command import COMMAND

H = 1e-3
KERB = {"type": "kerb", "points": [[0.0, 20.0], [0.0, -20.0]], "height": 0.1, "width": 30.0, "fall": 5.0}
BUMP = {"type": "bump", "at": [0.15, 0.0], "height": 0.1, "length": 0.3, "width": 6.0}
STEP = {"type": "step", "at": [10.0, 0.0], "height": 0.2, "length": 6.0, "depth": 20.0}


@pytest.fixture(scope="module")
def hmmwv():
    return build_vehicle("hmmwv", check_step=False)


def ground(feature):
    soils = {"asphalt": {"type": "surface", "friction": 0.8}}
    return load_terrain({"type": "flat", "surface": "asphalt", "features": [feature]}, "t.yaml", Path(), soils)


def drive(vehicle, feature, speed, throttle=None, until=4.0):
    """Largest wheel load [N], largest vertical acceleration at the driver's head [m/s2] and way [m] of a drive over what lies at x = 0; without a
    throttle with that which holds the speed."""
    on, command = ground(feature), record(COMMAND)
    command[0]["selector"] = 1
    vehicle.reset(on, x=-3.0, speed=speed)
    throttle = vehicle.start_throttle if throttle is None else throttle
    load = shock = 0.0
    for _ in range(int(10.0 / H)):
        command[0]["throttle"] = min(max(throttle + speed - vehicle.speed, 0.0), 1.0)
        vehicle.step(on, command, H)
        load = max(load, float(np.abs(vehicle.space.contacts["F_W"]).max()))
        shock = max(shock, abs(float(vehicle.space.out[0]["f_H_B"][2]) - STANDARD_GRAVITY))
        if vehicle.space.state[0]["p_WB"][0] > until:
            break
    return load, shock, float(vehicle.space.state[0]["p_WB"][0])


@pytest.mark.parametrize(("feature", "speed"), [(KERB, 1.0), (BUMP, 3.0), (STEP, 1.0)], ids=["kerb", "bump", "step"])
def test_wheels_roll_over_what_a_point_meets_as_a_wall(hmmwv, feature, speed):
    """Over it in both axles, with no wheel bearing more than two and a half times what it does at rest; in one point it is fifteen times."""
    hmmwv.reset(ground(feature), x=-3.0)
    rest = float(np.abs(hmmwv.space.contacts["F_W"]).max())
    load, _, way = drive(hmmwv, feature, speed, 0.5)
    assert way > 4.0
    assert load < 2.5 * rest


def test_shock_over_half_rounds_rises_with_their_height_and_hangs_on_no_window(hmmwv):
    shocks = []
    for radius in (0.1, 0.15, 0.2):
        feature = {"type": "half_round", "at": [0.0, 0.0], "radius": radius, "length": 6.0}
        found = []
        for spacing in (0.05, 0.025):
            hmmwv.model.tires["window_spacing"] = spacing
            found.append(drive(hmmwv, feature, 10.0)[1])
        hmmwv.model.tires["window_spacing"] = 0.05
        assert found[0] == pytest.approx(found[1], rel=0.03)
        shocks.append(found[0])
    assert shocks[0] < shocks[1] < shocks[2] < 2.5 * STANDARD_GRAVITY
