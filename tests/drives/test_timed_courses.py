"""Do the shipped courses work: does an automatic driver finish them cleanly, do opponents wait and keep clear, and is a second run the same?"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from simulator.base.json_output import json_text
from simulator.base.records import record
from simulator.builder.builder import build
from simulator.builder.session_parts import SessionParts
from simulator.configuration.configuration import configuration
from simulator.configuration.overrides import Override
from simulator.run.run import run_maneuver
from simulator.session import Session
from vehicles.command import COMMAND


def parts_of(name: str, **values: Any) -> SessionParts:
    """Return the parts of a session with other values, whose keys have _ for a dot."""
    return build(configuration(name, [Override(tuple(key.split("__")), value, "test") for key, value in values.items()]))


def started(parts: SessionParts, driver: Any = None) -> Session:
    """Return the session at its start; default: the driver of its maneuver."""
    session = parts.session(parts.maneuver_driver() if driver is None else driver)
    session.reset()
    return session


class Idle:
    """Driver who does nothing: the automatic transmission creeps."""

    def read(self, t: float, readout: Any, command: Any) -> None:
        """Hold the brake."""
        command[0]["brake"] = 1.0


def finish(session: Session, duration: float) -> None:
    """Run to the finish."""
    assert session.course is not None
    course = session.course
    session.run(duration, lambda _: not course.own.finished)


def test_the_automatic_driver_finishes_the_autocross_without_a_cone_and_again_to_the_same_bits() -> None:
    results = []
    for _ in range(2):
        session = started(parts_of("autocross"))
        finish(session, 60.0)
        assert session.course is not None
        results.append(json_text(session.course.to_json(), in_order=True))
        assert session.course.own.finished and session.course.own.penalty == 0.0 and session.collisions == []
    assert results[0] == results[1]


def test_a_cone_that_falls_costs_two_seconds_once() -> None:
    session = started(parts_of("autocross", maneuver__waypoints_m__4=[76, 0.4]))
    finish(session, 60.0)
    assert session.course is not None
    assert session.course.own.finished and session.course.own.cones == 1 and session.course.own.penalty == 2.0
    assert len(session.collisions) >= 1
    session.reset()
    assert session.course.own.cones == 0 and not session.course.own.finished
    assert [one["cones"] for one in session.course.attempts] == [1]  # the first attempt is still a result


def test_the_vehicle_of_a_person_is_held_until_the_throttle_is_pressed() -> None:
    session = started(parts_of("autocross"))
    course = session.course
    assert course is not None

    def brake(throttle: float, by_person: bool = True) -> float:
        command = record(COMMAND)
        command[0]["throttle"] = throttle
        course.hold(command, by_person)
        return float(command[0]["brake"])

    assert [brake(0.0), brake(0.3), brake(0.0)] == [1.0, 0.0, 0.0]
    session.reset()
    assert brake(0.0) == 1.0 and "press the throttle" in course.lines()
    assert brake(0.0, by_person=False) == 0.0


def test_the_opponents_of_the_race_wait_for_a_person_and_then_drive_a_clean_lap() -> None:
    parts = parts_of("circuit_race", maneuver__timed_course__laps=1)
    idle = started(parts, Idle())
    places = idle.others.places()
    idle.run(3.0)
    assert np.abs(np.array(idle.others.places()) - places).max() < 0.1
    assert idle.collisions == idle.others.collisions == []
    session = started(parts)
    finish(session, 90.0)
    assert session.course is not None
    assert session.collisions == session.others.collisions == []
    assert len(session.course.timings) == 3
    for name, timing in session.course.timings.items():
        assert timing.finished and timing.leavings == 0, name
        assert 60.0 < timing.laps[0].time < 67.0, name


def test_who_follows_the_leader_stays_on_its_track() -> None:
    session = started(parts_of("forest_chase"))
    finish(session, 60.0)
    assert session.course is not None and session.course.following is not None
    assert list(session.course.timings) == ["first"]  # the leader has no time
    assert session.course.own.finished
    assert session.course.following.mean < 1.0 and session.course.following.near > 0.9


def test_a_leader_that_is_not_in_the_session_is_refused() -> None:
    parts = parts_of("forest_chase", maneuver__timed_course__leader="nobody")
    with pytest.raises(ConfigError, match=r"timed_course\.leader: .*other vehicles: leader; got 'nobody'"):
        started(parts)


def test_the_automatic_driver_passes_all_gates_of_the_trial(tmp_path: Path) -> None:
    run = run_maneuver(configuration("hill_trial"), tmp_path / "run", pictures=False, say=partial(pytest.fail))
    result = run["result"]["timed_course"]
    assert result["finished"] and result["penalty_s"] == 0.0
    assert len(result["laps"][0]["sectors_s"]) == 8
    assert run["result"]["remarks"][-1].startswith("finish: 0:")


def test_a_road_that_the_terrain_lacks_is_named() -> None:
    with pytest.raises(ConfigError, match="a road of the terrain: course; got 'cours'"):
        parts_of("circuit_race", maneuver__road="cours")
