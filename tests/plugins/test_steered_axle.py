"""A steered axle of a plugin kind, compared with the equal shipped kind."""

from __future__ import annotations

import copy
import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest

from simulator.base.errors import InertiaWarning
from simulator.builder.builder import build_vehicle, find_config, read_yaml
from tests.laws.vehicle_rig import command, ground
from tests.plugins import steered_wishbone
from vehicles.vehicle import Vehicle

H = 1e-3


@cache
def cars(column: bool = False) -> tuple[Vehicle, Vehicle]:
    """Return the shipped truck, and the same truck with the plugin axle in front; with or without a steering column."""
    shipped: dict[str, Any] = copy.deepcopy(dict(read_yaml(find_config("vehicles", "hmmwv"))))
    if column:
        shipped["steering"].pop("hand_wheel")
        shipped["steering"]["column"] = {"stiffness": 60.0, "damping": 2.0}
    other = copy.deepcopy(shipped)
    other["axles"]["front"]["suspension"] = "steered_wishbone"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InertiaWarning)
        return build_vehicle(shipped), build_vehicle(other)


def driven(v: Vehicle, seconds: float = 2.0) -> Any:
    """Return the readout after full throttle with alternating steering."""
    v.reset(ground("jacksboro"), gear=1)
    for n in range(round(seconds / H)):
        v.step(ground("jacksboro"), command(throttle=0.8, steering=0.6 * np.sin(0.004 * n), selector=1), H)
    return v.read()[0].copy()


def test_only_its_block_is_steered() -> None:
    b = cars()[1].space.blocks
    assert b.others[0]["steer"] == steered_wishbone.steer.address != 0
    assert (b.own[0]["corners"], b.own[0]["steered"]) == (2, 0)


@pytest.mark.parametrize("column", [False, True], ids=["prescribed", "on a column"])
def test_it_drives_as_the_shipped_kind_does(column: bool) -> None:
    """Compare the complete readout after two seconds, including the torque on the steering wheel."""
    shipped, other = (driven(v) for v in cars(column))
    assert abs(shipped["steering_wheel_torque"]) > 0.1
    assert np.ptp(shipped["road_wheel_angle"]) > 0.02
    for name in shipped.dtype.names:
        scale = np.maximum(1.0, np.abs(shipped[name]))
        assert (np.abs(other[name] - shipped[name]) / scale).max() < 1e-9, name


def test_its_travel_ends_where_that_of_the_shipped_kind_does() -> None:
    shipped, other = (v.model.corners[0]["ends"] for v in cars())
    for name in shipped.dtype.names:
        assert other[name] == pytest.approx(shipped[name], rel=1e-9), name
