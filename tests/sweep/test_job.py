"""Does a run of a sweep give a result bit-identical to that of a single run, independent of earlier runs?"""

from __future__ import annotations

import gc
import hashlib
import json
import random
import weakref
from dataclasses import fields, is_dataclass
from typing import Any

import msgspec
import numpy as np
import pytest

from simulator.api.loading import configured
from simulator.api.simulation import Simulation
from simulator.base.errors import ConfigError
from simulator.base.fields import read
from simulator.driver.vehicle_identification import lazy_internal_model
from simulator.run.run import run_maneuver
from simulator.sweep.job import drive, read_chunk, run_case
from simulator.sweep.worker_cache import CachingBuilder
from vehicles import description
from vehicles.equilibrium_cache import arrays_in

SPEED, MASS, GRIP = "maneuver.parameters.speed_kph", "vehicle.chassis.mass", "soils.asphalt.friction"
SHORT = ({SPEED: 20}, {SPEED: 20, MASS: 2100}, {SPEED: 15}, {SPEED: 20, GRIP: 0.3}, {SPEED: 15, MASS: 2100, GRIP: 0.3})
TOO_SHORT = {"duration": 0.05}
FRONT = "vehicle.axles.front"
ONE_PART = {
    "nothing": {},
    "mass": {MASS: 2100},
    "tires": {"vehicle.tires.friction": 0.5},
    "other tires": {"vehicle.tires": "tmeasy_chrono"},
    "drivetrain": {"vehicle.drivetrain.engine.inertia": 1.5},
    "other drivetrain": {"vehicle.drivetrain": "drivetrain_hmmwv_65"},
    "a joint": {f"{FRONT}.hardpoints_left.UCA_U[2]": 0.22},
    "springs": {"vehicle.axles.rear.spring.rate": 240e3},
    "toe": {f"{FRONT}.alignment.toe_deg": 0.3},
    "steering": {"vehicle.steering.max_arm_angle_deg": 30.0},
}
"""Vehicles that differ in one part, for each of the kinds of parts that a worker keeps."""
CHANNELS = ("time", "v_WB_B", "platform_legs", "cab_f_H_P")


def mapping(changes: dict[str, Any]) -> dict[str, Any]:
    """The whole configuration of a run as plain data."""
    configuration = configured({"maneuver": "braking_straight"}, changes)
    configuration.expand_all()
    return json.loads(json.dumps(configuration.plain()))


def digest(session: Any) -> str:
    """Of all memory of the vehicle at the end of a run."""
    vehicle = session.vehicle
    return hashlib.sha256(vehicle.piece.memory.tobytes() + vehicle.readout.tobytes()).hexdigest()


@pytest.fixture(scope="module")
def mappings() -> list[dict[str, Any]]:
    """Runs that share vehicle, ground, maneuver or none of them."""
    return [mapping(changes) for changes in SHORT]


def test_the_order_of_runs_in_a_worker_changes_no_bit(mappings):
    def all_of_them(order: list[int]) -> dict[int, tuple[Any, str]]:
        kept = CachingBuilder()
        found = {}
        for n in order:
            run = run_case(mappings[n], (), kept)
            found[n] = dict(run.metrics), digest(run.session)
        return found

    order = [*range(len(mappings)), *range(len(mappings))]
    first = all_of_them(order)
    random.Random(5).shuffle(order)
    assert all_of_them(order) == first
    assert len({state for _, state in first.values()}) == len(mappings)


def test_cached_parts_are_those_of_the_requested_vehicle():
    """In turn, forth and back, each vehicle stands, rolls and drives as where there is no other."""
    runs = {what: mapping({SPEED: 15, "duration": 0.3, **changes}) for what, changes in ONE_PART.items()}

    def found(what: str, kept: CachingBuilder) -> tuple[str, bytes]:
        session = run_case(runs[what], (), kept).session
        return digest(session), b"".join(part.tobytes() for part in arrays_in(session.vehicle.model))

    alone = {what: found(what, CachingBuilder()) for what in runs}
    assert len(set(alone.values())) == len(alone)
    kept = CachingBuilder()
    for what in (*runs, *reversed(runs)):
        assert found(what, kept) == alone[what], what


def image(thing: Any) -> Any:
    """All that is in it, to be compared."""
    if isinstance(thing, np.ndarray):
        return thing.dtype, thing.shape, thing.tobytes()
    if is_dataclass(thing) and not isinstance(thing, type):
        return type(thing), [image(getattr(thing, one.name)) for one in fields(thing)]
    if isinstance(thing, dict):
        return {key: image(value) for key, value in thing.items()}
    return [image(one) for one in thing] if isinstance(thing, tuple | list) else thing


def test_contents_of_files_are_not_modified():
    kept = CachingBuilder()
    for changes in ONE_PART.values():
        run_case(mapping({SPEED: 15, "duration": 0.3, **changes}), (), kept)
    assert len(kept.sections.entries) > 50
    for (_, _, fill, said), (table, values) in kept.sections.entries.items():
        assert image(values) == image(read(table, msgspec.msgpack.decode(said), "file", fill=fill))


def test_an_unchanged_description_is_not_read_again(monkeypatch):
    kept = CachingBuilder()
    run_case(mapping({SPEED: 15, "duration": 0.3}), (), kept)
    for name in ("ends_of", "_read_axle"):
        monkeypatch.setattr(description, name, lambda *_: pytest.fail("created again"))
    run_case(mapping({SPEED: 15, "duration": 0.3, MASS: 2100}), (), kept)
    with pytest.raises(pytest.fail.Exception):
        run_case(mapping({SPEED: 15, "duration": 0.3, MASS: 2100, "vehicle.axles.rear.spring.rate": 240e3}), (), kept)


def test_an_unreadable_axle_gives_the_same_error_with_and_without_cache():
    broken = mapping({SPEED: 15})
    broken["vehicle"]["axles"]["rear"]["spring"]["rate"] = -1.0
    broken["vehicle"]["axles"]["front"]["hardpoints_left"]["UCA_U"] = "nowhere"

    def said(kept: CachingBuilder) -> str:
        with pytest.raises(ConfigError) as caught:
            run_case(broken, (), kept)
        return str(caught.value)

    kept = CachingBuilder()
    run_case(mapping({SPEED: 15, "duration": 0.3}), (), kept)
    assert said(kept) == said(kept) == said(CachingBuilder())
    assert "axles.rear.spring.rate" in said(kept) and "UCA_U" in said(kept)


def test_the_steps_of_a_test_drive_count_as_simulating_once():
    """A speed is kept, for which the driver tries the vehicle: in the first run with it, and only there."""
    runs = [{"run": str(n), "mapping": mapping({SPEED: 15, "duration": 0.3, MASS: 2345})} for n in range(2)]
    first, second = (row["machine"] for row in drive({"cases": runs, "channels": [], "plugins": []})["rows"])
    assert 0.0 < first["test_drive_s"] < first["simulating_s"] < first["wall_s"]
    assert second["test_drive_s"] == 0.0 < second["simulating_s"]


def test_a_run_of_a_sweep_is_that_of_the_library_and_of_jounce_run(mappings, tmp_path):
    ours, kept = run_case(mappings[1], (), CachingBuilder()), json.dumps(mappings[1])
    alone = Simulation(maneuver="braking_straight", changes=SHORT[1])
    result = alone.run()
    assert digest(ours.session) == digest(alone.session)
    assert dict(ours.metrics) == dict(result.metrics)
    assert ours.passed == result.passed
    out = run_maneuver(configured({"maneuver": "braking_straight"}, SHORT[1]), tmp_path / "run", pictures=False)
    assert out["result"]["metrics"] == ours.metrics
    assert json.dumps(mappings[1]) == kept


def test_a_run_returns_the_session_that_it_used(mappings):
    """At once: rings would stay until somebody looks for garbage, and a worker that drives ten thousand vehicles would hold hundreds of them."""
    run = run_case(mappings[1], (), CachingBuilder())
    trial = lazy_internal_model(run.session.vehicle)
    assert trial.throttle_acceleration > 0.0
    gone = [weakref.ref(one) for one in (run.session, run.session.vehicle, run.session.driver, vars(trial)["_identification"].probe)]
    gc.disable()
    try:
        del run, trial
        assert [one() for one in gone] == [None] * len(gone)
    finally:
        gc.enable()


def test_a_chunk_from_text_gives_the_rows_of_the_plain_one(mappings):
    chunk = {
        "cases": [{"run": "a", "mapping": mappings[0]}, {"run": "b", "mapping": {}}],
        "channels": ["v_WB_B"],
        "plugins": [],
        "again": True,
    }
    plain, read = drive(chunk)["rows"], drive(read_chunk(json.dumps(chunk).encode()))["rows"]
    for one, other in zip(plain, read, strict=True):
        assert {**one, "machine": None, "log": None} == {**other, "machine": None, "log": None}
    assert plain[1]["failure"] and not plain[0]["failure"]
    assert plain[0]["log"]["columns"] == read[0]["log"]["columns"]


def test_channels_of_the_platform_are_those_of_a_run_of_its_own(mappings):
    kept = CachingBuilder()
    run_case(mappings[0], (), kept)
    assert not kept.has_motion
    ours = run_case(mappings[0], CHANNELS, kept).log
    alone = Simulation(maneuver="braking_straight", changes=SHORT[0], channels=CHANNELS)
    alone.run()
    assert kept.has_motion
    assert list(ours.columns) == list(alone.log.columns)
    assert all((ours[name] == alone.log[name]).all() for name in ours.columns)
    assert float(abs(ours["platform_legs_0"] - ours["platform_legs_0"][0]).max()) > 1e-3


def test_a_failure_is_a_row_with_its_reason_and_the_next_run_follows(mappings):
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
