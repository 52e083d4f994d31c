"""Random full-throttle drives of two minutes on all shipped terrains and vehicles: does any state exceed its limits?

`JOUNCE_DRIVES=1000 python -m pytest tests/drives` runs a thousand. The test suite runs a few.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import numpy as np
import pytest

from simulator.base.records import record
from simulator.builder.builder import build_ground, build_vehicle, data_folder, vehicle_description
from tests.laws.test_body_contact import HARDEST, watch
from tests.shipped_files import driven_vehicles
from vehicles.command import COMMAND
from vehicles.vehicle import Vehicle
from vehicles.vehicle_file import KINEMATICS

COUNT = int(os.environ.get("JOUNCE_DRIVES", "4"))
DURATION = 120.0
H = 1e-3
TERRAINS = sorted(path.stem for path in (data_folder("configs") / "terrains").glob("*.yaml"))


@cache
def cars() -> list[tuple[str, str]]:
    """Names of all shipped vehicles, with each of their kinds of suspension kinematics."""
    names = driven_vehicles()
    possible = {name: vehicle_description(name).kinematics for name in names}
    return [(name, suspension) for suspension in KINEMATICS for name in names if suspension in possible[name]]


@cache
def ground(name: str) -> Any:
    return build_ground(name)


@cache
def vehicle(name: str, suspension: str) -> Vehicle:
    return build_vehicle(name, suspension=suspension)


@pytest.mark.parametrize("number", range(COUNT))
def test_a_random_drive_stays_within_limits(number: int) -> None:
    draw = np.random.default_rng([7, number])
    v = vehicle(*cars()[number % len(cars())])
    g = ground("jacksboro" if draw.random() < 0.5 else TERRAINS[draw.integers(len(TERRAINS))])
    on = g.arrays
    v.reset(on, *g.spawn, gear=1)
    c, hardest = record(COMMAND), np.zeros(1)
    c[0]["selector"] = 1
    left = round(DURATION / H)
    while left > 0:
        n = min(left, round(draw.uniform(1.0, 5.0) / H))
        left -= n
        c[0]["steering"] = draw.choice([0.0, 0.0, 0.1, -0.1, 0.3, -0.3, 0.6, -0.6, 1.0, -1.0])
        c[0]["throttle"], c[0]["brake"] = draw.choice([1.0, 1.0, 0.6]), draw.choice([0.0, 0.0, 0.0, 0.0, 0.7])
        assert watch(n, v.model, v.space, on, c, H, hardest), "not a number"
    assert hardest[0] < HARDEST
    ends = v.model.corners[0]["ends"]["closed"]
    assert (ends[0] <= v.space.state[0]["theta"]).all()
    assert (v.space.state[0]["theta"] <= ends[1]).all()
