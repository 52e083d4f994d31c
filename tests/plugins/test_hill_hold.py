"""Does the hill-start assist hold a car on a slope, for how long, and does it let it go when the drive suffices?"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from simulator.builder.builder import build_vehicle
from tests.laws.vehicle_rig import command, ground, steps
from vehicles.vehicle import Vehicle

H = 1e-3
UP, DOWN, LEVEL = "asphalt 20", "asphalt -20", "asphalt 1"


@cache
def car(name: str) -> Vehicle:
    return build_vehicle(name, check_step=False)


def stopped(name: str, on: str, holds: bool = True, selector: int = 1) -> Vehicle:
    """Return a car that has stood on a slope for a second with the pedal pressed."""
    v = car(name)
    v.model.controllers["active"] = [unit.name != "hill_hold" or holds for unit in v.description.controllers.units]
    v.reset(ground(on))
    steps(1000, v.model, v.space, ground(on), command(brake=0.5, selector=selector), H)
    return v


def run(v: Vehicle, on: str, seconds: float, **values: float) -> np.ndarray:
    """Return time [s], distance along the slope [m] and the largest pressure [Pa] after the release, one row per 10 ms, (n, 3)."""
    s, rows, start = v.space, [], v.space.state[0]["p_WB"].copy()
    for k in range(round(seconds / 0.01)):
        steps(10, v.model, s, ground(on), command(**values), H)
        rows.append(
            (
                0.01 * (k + 1),
                np.sign(s.state[0]["p_WB"][0] - start[0]) * np.linalg.norm(s.state[0]["p_WB"] - start),
                s.brakes[0]["pressure"].max(),
            )
        )
    return np.array(rows)


def state(v: Vehicle) -> Any:
    return next(one[0] for prefix, _, one in v.logged if prefix == "hill_hold_")


@pytest.mark.parametrize("name", ["sedan_esc", "sedan_electric"])
def test_a_car_stands_for_two_seconds_and_then_rolls_back(name):
    v = stopped(name, UP)
    time, way, pressure = run(v, UP, 3.5, selector=1).T
    assert abs(way[time <= 2.0]).max() < 0.01 and pressure[time <= 2.0].min() > 0.9 * pressure[0] > 1e5
    assert pressure[time > 2.4].max() < 1e4 and way[-1] < -0.3


def test_without_the_assist_the_car_rolls_back_at_once():
    v = stopped("sedan_electric", UP, holds=False)
    _, way, _ = run(v, UP, 2.0, selector=1).T
    assert way[-1] < -1.0


@pytest.mark.parametrize("name", ["sedan_esc", "sedan_electric"])
def test_the_brakes_open_when_the_drive_suffices_and_the_car_does_not_roll_back(name):
    v = stopped(name, UP)
    run(v, UP, 0.5, selector=1)
    time, way, pressure = run(v, UP, 3.0, selector=1, throttle=0.5).T
    assert way.min() > -0.01 and way[-1] > 1.0
    opened = time[np.argmax(pressure < 1e4)]
    assert 0.0 < opened < 1.4, "before the two seconds are over"


def test_slope_gear_and_pedal_decide():
    for on, selector in ((LEVEL, 1), (DOWN, 1), (UP, 0), (UP, -1)):
        v = stopped("sedan_electric", on, selector=selector)
        run(v, on, 0.1, selector=selector)
        assert state(v)["share"] == 0.0, (on, selector)
    v = stopped("sedan_electric", DOWN, selector=-1)
    _, way, _ = run(v, DOWN, 1.5, selector=-1).T
    assert abs(way).max() < 0.01, "backwards up the slope"
    assert state(v)["slope"] == pytest.approx(-9.81 * 0.2 / np.hypot(1.0, 0.2), abs=0.05)


def test_the_pedal_starts_the_time_again():
    v = stopped("sedan_electric", UP)
    run(v, UP, 1.5, selector=1)
    run(v, UP, 0.5, selector=1, brake=0.5)
    assert abs(run(v, UP, 1.9, selector=1)[:, 1]).max() < 0.01
