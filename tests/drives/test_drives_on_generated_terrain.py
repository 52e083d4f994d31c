"""Random full-throttle drives of two minutes on every generated terrain: does any state exceed its limits?

`JOUNCE_DRIVES=500 python -m pytest tests/drives/test_drives_on_generated_terrain.py` runs five hundred on each. The test suite runs one of a quarter of a minute on each.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import numpy as np
import pytest

from simulator.base.records import record
from simulator.base.yaml_reader import read_yaml
from simulator.builder.builder import build_ground
from simulator.tools.terrain.make_command import files_of, generate_terrain, write
from terrain.generators.kinds import GENERATORS
from tests.drives.test_random_drives import DURATION, H, cars, vehicle
from tests.laws.test_body_contact import HARDEST, watch
from vehicles.command import COMMAND

COUNT = int(os.environ.get("JOUNCE_DRIVES", "1"))
LASTS = DURATION if "JOUNCE_DRIVES" in os.environ else 15.0
"""s. Duration of a drive."""


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return a function of a kind: the ground and its starts (x, y, yaw)."""
    folder = tmp_path_factory.mktemp("generated")

    @cache
    def ground(kind: str) -> tuple[Any, list[tuple[float, float, float]]]:
        files = files_of(str(folder / kind))
        write(generate_terrain(kind, 1, []), files, "")
        places = read_yaml(files.yaml)["places"].values()
        return build_ground(str(files.yaml)), [(*place["position"], np.radians(place["yaw_deg"])) for place in places]

    return ground


@pytest.mark.parametrize("number", range(COUNT))
@pytest.mark.parametrize("kind", GENERATORS)
def test_a_random_drive_on_generated_terrain_stays_within_limits(generated: Any, kind: str, number: int) -> None:
    draw = np.random.default_rng([11, sorted(GENERATORS).index(kind), number])
    ground, places = generated(kind)
    v = vehicle(*cars()[number % len(cars())] if "JOUNCE_DRIVES" in os.environ else ("hmmwv", "closed_form"))
    v.reset(ground.arrays, *places[draw.integers(len(places))], gear=1)
    c, hardest = record(COMMAND), np.zeros(1)
    c[0]["selector"] = 1
    left = round(LASTS / H)
    while left > 0:
        n = min(left, round(draw.uniform(1.0, 5.0) / H))
        left -= n
        c[0]["steering"] = draw.choice([0.0, 0.0, 0.1, -0.1, 0.3, -0.3, 0.6, -0.6])
        c[0]["throttle"], c[0]["brake"] = draw.choice([1.0, 1.0, 0.6, 0.3]), draw.choice([0.0, 0.0, 0.0, 0.0, 0.7])
        assert watch(n, v.model, v.space, ground.arrays, c, H, hardest), "not a number"
    assert hardest[0] < HARDEST
    ends = v.model.corners[0]["ends"]["closed"]
    assert (ends[0] <= v.space.state[0]["theta"]).all()
    assert (v.space.state[0]["theta"] <= ends[1]).all()
