"""Does a run of a sweep give what a run of its own gives, bit for bit, and does no run know of those before it?"""

from __future__ import annotations

import hashlib
import json
import random
from typing import Any

import pytest

from simulator.library.assembling import configured
from simulator.library.simulation import Simulation
from simulator.run import run_maneuver
from simulator.sweep.job import drive, driven
from simulator.sweep.stock import Stock

SPEED, MASS, GRIP = "maneuver.parameters.speed_kph", "vehicle.chassis.mass", "soils.asphalt.friction"
SHORT = ({SPEED: 20}, {SPEED: 20, MASS: 2100}, {SPEED: 15}, {SPEED: 20, GRIP: 0.3}, {SPEED: 15, MASS: 2100, GRIP: 0.3})
TOO_SHORT = {"duration": 0.05}
CHANNELS = ("time", "v_WB_B", "platform_legs", "cab_f_H_P")


def mapping(changes: dict[str, Any]) -> dict[str, Any]:
    """The whole configuration of a run as plain data."""
    configuration = configured({"maneuver": "braking_straight"}, changes)
    configuration.expand_all()
    return json.loads(json.dumps(configuration.plain()))


def digest(session: Any) -> str:
    """Of all memory of the vehicle at the end of a run."""
    vehicle = session.vehicle
    return hashlib.sha256(b"".join(part.tobytes() for part in (*vehicle.space.arrays(), vehicle.readout))).hexdigest()


@pytest.fixture(scope="module")
def mappings() -> list[dict[str, Any]]:
    """Runs that share vehicle, ground, maneuver or none of them."""
    return [mapping(changes) for changes in SHORT]


def test_the_order_of_runs_in_a_worker_changes_no_bit(mappings):
    def all_of_them(order: list[int]) -> dict[int, tuple[Any, str]]:
        kept = Stock()
        found = {}
        for n in order:
            run = driven(mappings[n], (), kept)
            found[n] = dict(run.metrics), digest(run.session)
        return found

    order = [*range(len(mappings)), *range(len(mappings))]
    first = all_of_them(order)
    random.Random(5).shuffle(order)
    assert all_of_them(order) == first
    assert len({state for _, state in first.values()}) == len(mappings)


def test_a_run_of_a_sweep_is_that_of_the_library_and_of_jounce_run(mappings, tmp_path):
    ours, kept = driven(mappings[1], (), Stock()), json.dumps(mappings[1])
    alone = Simulation(maneuver="braking_straight", changes=SHORT[1])
    result = alone.run()
    assert digest(ours.session) == digest(alone.session)
    assert dict(ours.metrics) == dict(result.metrics)
    assert ours.passed == result.passed
    out = run_maneuver(configured({"maneuver": "braking_straight"}, SHORT[1]), tmp_path / "run", pictures=False)
    assert out["result"]["metrics"] == ours.metrics
    assert json.dumps(mappings[1]) == kept


def test_channels_of_the_platform_are_those_of_a_run_of_its_own(mappings):
    kept = Stock()
    driven(mappings[0], (), kept)
    assert not kept.has_motion
    ours = driven(mappings[0], CHANNELS, kept).log
    alone = Simulation(maneuver="braking_straight", changes=SHORT[0], channels=CHANNELS)
    alone.run()
    assert kept.has_motion
    assert list(ours.columns) == list(alone.log.columns)
    assert all((ours[name] == alone.log[name]).all() for name in ours.columns)
    assert float(abs(ours["platform_legs_0"] - ours["platform_legs_0"][0]).max()) > 1e-3


def test_what_fails_is_a_row_with_its_reason_and_the_next_is_driven(mappings):
    broken = json.loads(json.dumps(mappings[0]))
    broken["vehicle"]["chassis"]["mass"] = -1.0
    cases = [{"run": name, "mapping": one} for name, one in (("broken", broken), ("short", mapping(TOO_SHORT)), ("good", mappings[0]))]
    rows = drive({"cases": cases, "channels": [], "plugins": []})["rows"]
    assert [row["run"] for row in rows] == ["broken", "short", "good"]
    assert "chassis.mass" in rows[0]["failure"]
    assert rows[1]["failure"].startswith("the run is too short to evaluate")
    assert rows[1]["metrics"] == {}
    assert not rows[2]["failure"]
    assert 0.0 < rows[2]["machine"]["simulating_s"] < rows[2]["machine"]["wall_s"]
