"""Does the digest of a run depend on all its inputs, and are all errors reported before the first run?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from simulator.base.errors import ConfigError
from simulator.builder.builder import data_folder
from simulator.configuration.configuration import configuration
from simulator.configuration.overrides import changes
from simulator.sweep.case import Resolver
from simulator.sweep.configuration_cache import Shared
from simulator.sweep.job import drive

MASS, RATE, SPEED = "vehicle.chassis.mass", "vehicle.axles.front.spring.rate", "maneuver.parameters.speed_kph"
GRIP = "vehicle.tires.friction"
BASE = {"maneuver": "avtp_lane_change", "terrain": "meadow", "maneuver.duration_s": 1.0}


@pytest.fixture
def folder(tmp_path) -> Path:
    """A sweep file's folder, with a ground and a soil of its own."""
    (tmp_path / "meadow.yaml").write_text("base: flat\nsurface: grass\n")
    (tmp_path / "grass.yaml").write_text("base: asphalt\nfriction: 0.5\n")
    (tmp_path / "sweep.yaml").write_text("name: some\n")
    return tmp_path


def test_a_run_is_all_that_its_files_and_the_sweep_say(folder):
    points = [{MASS: 2000.0}, {MASS: 2500.0, "vehicle": "hmmwv_gross", "soils.grass.friction": 0.4, GRIP: 0.6}, {"seed": 3, SPEED: 40.0}]
    cases = Resolver(BASE, folder / "sweep.yaml").cases(points)
    assert cases.varied == [MASS, "vehicle", "soils.grass.friction", GRIP, "seed", SPEED]
    for case, point in zip([cases[n] for n in range(3)], points, strict=True):
        assert case.given == point
        whole = configuration(None, changes({**BASE, "terrain": str(folder / "meadow.yaml"), **_without_soils(point)}))
        whole.expand_all()
        for place in ("vehicle", "terrain", "maneuver", "washout", "platform", "seed"):
            assert case.mapping.get(place) == whole.plain().get(place)
        assert msgspec.json.decode(msgspec.json.encode(case.mapping)) == case.mapping
    assert cases[1].mapping["vehicle"]["chassis"]["mass"] == 2500.0
    assert cases[0].mapping["soils"]["grass"]["friction"] == 0.5
    assert [cases[n].mapping["soils"]["grass"]["friction"] for n in (2, 1, 0)] == [0.5, 0.4, 0.5]


def test_runs_with_other_numbers_share_the_files():
    shared = Shared(BASE | {"terrain": "flat"}, None, str)
    first, second = (shared.common({GRIP: friction, MASS: mass}, str) for friction, mass in ((0.5, 2000.0), (0.6, 2500.0)))
    assert first is second is not shared.common({"vehicle": "hmmwv_gross"}, str)


def _without_soils(point: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in point.items() if not key.startswith("soils")}


def test_all_errors_of_all_runs_are_reported_at_once(folder):
    (folder / "cliff.yaml").write_text("base: flat\ngrade_percent: 150\n")
    points = [{MASS: 2000.0}, {MASS: -1.0}, {RATE: 2e5}, {RATE: "stiff"}, {"terrain": "medow"}, {RATE: 1e9}, {MASS: -1.0, "seed": 1.5}]
    points.append({"terrain": "cliff"})
    with pytest.raises(ConfigError) as raised:
        Resolver(BASE, folder / "sweep.yaml", key_of=lambda number, key: key if number is None else f"vary[{number}].{key}").cases(points)
    told = sorted((error.key, error.value) for error in raised.value.errors if error.key)
    assert told == [
        ("vary[1].vehicle.chassis.mass", -1.0),
        ("vary[3].vehicle.axles.front.spring.rate", "stiff"),
        ("vary[4].terrain", "medow"),
        ("vary[5].vehicle.axles.front.spring.rate", 1e9),
        ("vary[6].seed", 1.5),
        ("vary[6].vehicle.chassis.mass", -1.0),
    ]
    (whole,) = (error for error in raised.value.errors if not error.key)
    assert whole.value == {"terrain": "cliff"}
    assert "no equilibrium" in whole.expected
    assert {error.file for error in raised.value.errors} == {str(folder / "sweep.yaml")}


def test_the_digest_of_a_run_follows_every_file(folder):
    file, point = folder / "sweep.yaml", {MASS: 2000.0}

    def run(base=BASE, plugins=()) -> str:
        return Resolver(base, file, plugins=plugins).cases([point]).run_of(0)

    first = run()
    assert run() == first
    (folder / "grass.yaml").write_text("base: asphalt\nfriction: 0.6\n")
    second = run()
    plugin = folder / "nothing.py"
    plugin.write_text("")
    third = run(plugins=[plugin])
    plugin.write_text("\n")
    assert len({first, second, third, run(plugins=[plugin]), run({**BASE, "seed": 1})}) == 5


def test_a_binary_file_counts_by_its_content_also_in_the_worker(folder):
    tire = folder / "own.tir"
    text = (data_folder("configs") / "tires" / "hmmwv_pac02.tir").read_text()
    tire.write_text(text)
    (folder / "rubber.yaml").write_text("base: magic_hmmwv\nfile: own.tir\n")
    base = {**BASE, "vehicle.tires": "rubber"}
    before = Resolver(base, folder / "sweep.yaml").cases([{MASS: 2000.0}])
    tire.write_text(text + "$ a remark\n")
    assert Resolver(base, folder / "sweep.yaml").cases([{MASS: 2000.0}]).run_of(0) != before.run_of(0)
    case = before[0]
    (row,) = drive({"cases": [{"run": case.run, "mapping": case.mapping}], "channels": [], "plugins": []})["rows"]
    assert "own.tir" in row["failure"] and "expected the file of the run, with SHA-256" in row["failure"]
