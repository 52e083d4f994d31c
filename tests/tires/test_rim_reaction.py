"""Reaction of callback tire models to a velocity of their rim, compared with closed forms; a car with bushings stands on such tires."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.records import record
from simulator.builder.builder import build_ground, build_tire, build_vehicle
from vehicles.command import COMMAND
from vehicles.tires.relaxation import DAMPING
from vehicles.tires.rim_reaction import rim_reaction
from vehicles.vehicle import Vehicle

H = 1e-3


def test_a_measured_tire_reacts_with_its_carcass_and_its_damper() -> None:
    tire = build_tire("measured_mxv8")
    p = tire.own[0]
    last = int(p["counts"][0]) - 1
    load = float(p["loads"][last])
    assert load == tire.shared[0]["load_max"]
    springs = p["slopes"][last] / p["relaxation"]
    stiffness, damping = rim_reaction(tire.law, tire.shared, tire.own)
    assert stiffness == pytest.approx(springs.max(), rel=0.02)
    assert damping == pytest.approx(2.0 * DAMPING * math.sqrt(load / STANDARD_GRAVITY * springs.max()), rel=0.02)


@pytest.fixture(scope="module")
def sedan(tmp_path_factory: pytest.TempPathFactory) -> Vehicle:
    """A car with bushings, whose step is checked, on tires of a callback model."""
    file = tmp_path_factory.mktemp("car") / "car.yaml"
    file.write_text("base: sedan\nname: sedan on measured tires\ntires: measured_mxv8\n", encoding="utf-8")
    return build_vehicle(str(file))


def drive(vehicle: Vehicle, ground: Any, seconds: float, **inputs: float) -> None:
    command = record(COMMAND)
    for name, value in inputs.items():
        command[0][name] = value
    for _ in range(round(seconds / H)):
        vehicle.step(ground, command, H)


def test_a_car_with_bushings_parks_on_measured_tires(sedan: Vehicle) -> None:
    ground = build_ground("slope")
    sedan.reset(ground, 0.0, 0.0)
    drive(sedan, ground, 6.0, parking_brake=1.0)
    start = sedan.space.state[0]["p_WB"].copy()
    drive(sedan, ground, 2.0, parking_brake=1.0)
    assert np.abs(sedan.space.state[0]["p_WB"] - start).max() < 1e-6
    assert np.abs(sedan.space.elastic[0]["e_dot"]).max() < 1e-6


def test_it_stops_from_speed_without_vibration(sedan: Vehicle) -> None:
    ground = build_ground("flat")
    sedan.reset(ground, 0.0, 0.0, speed=15.0)
    drive(sedan, ground, 4.0, brake=1.0)
    assert abs(sedan.speed) < 0.01
    assert np.abs(sedan.space.elastic[0]["e_dot"]).max() < 0.01
