"""Are the results of a user on a course kept, sorted and safe, and is the best lap the ghost of the next drive?"""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from simulator.base.errors import JounceError
from simulator.base.records import record
from simulator.builder.builder import build
from simulator.configuration.configuration import configuration
from simulator.run.course_records import CourseRecords
from simulator.run.course_results import FILE, all_results, read_results, score
from simulator.view.ghost import GhostClock, GhostTrack
from simulator.view.shared_state import STATE
from tests.end_to_end.program import call, finish, refused, start

ROW = {"date": "2026-01-01 10:00:00", "vehicle": "sedan", "person": True, "finished": True, "course_digest": "a"}


def row(total: float | None, lap: float | None = None, **more: Any) -> dict[str, Any]:
    """Return a result."""
    return {**ROW, "time_s": total, "penalty_s": 0.0, "total_s": total, "best_lap_s": lap, "finished": total is not None, **more}


ATTEMPT: Any = SimpleNamespace(attempts=[{**row(30.0), "laps": [], "drivers": [], "cones": 0, "leavings": 0}])
"""Course of a drive with one attempt."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the results of a new user."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path / "jounce" / "courses"


def test_the_best_result_comes_first_and_unfinished_ones_last() -> None:
    rows = [row(None, 58.0), row(200.0), row(180.0), row(None, 57.0)]
    assert sorted(rows, key=score) == [rows[2], rows[1], rows[3], rows[0]]
    follow = [row(20.0, mean_deviation_m=1.0, near=1.0), row(30.0, mean_deviation_m=0.5, near=1.0)]
    assert sorted(follow, key=score)[0] is follow[1]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        "{}",
        "[1]",
        '[{"date": 3}]',
        json.dumps([{**row(3.0), "total_s": -1}]),
        json.dumps([{**row(3.0), "person": "yes"}]),
        "\x00\xff",
    ],
)
def test_a_damaged_file_is_reported_in_one_line_and_kept(tmp_path: Path, text: str) -> None:
    file, lines = tmp_path / FILE, list[str]()
    file.write_text(text, encoding="latin-1")
    assert read_results(file, lines.append) == []
    assert len(lines) == 1 and "damaged" in lines[0] and "\n" not in lines[0]
    assert not file.exists()
    assert (tmp_path / f"{FILE}.damaged").read_text(encoding="latin-1") == text
    file.write_text("again")
    assert read_results(file, lines.append) == []
    assert (tmp_path / f"{FILE}.damaged").read_text(encoding="latin-1") == text, "an earlier one stays"


def test_the_table_lists_all_courses_or_one(home: Path, capsys: pytest.CaptureFixture) -> None:
    for name, value in (("one", 62.4812), ("two", 30.0)):
        (home / name).mkdir(parents=True)
        (home / name / FILE).write_text(json.dumps([row(value), row(value + 1.0, person=False)]))
    assert list(all_results()) == ["one", "two"]
    code, text, _ = call(capsys, "results", "one")
    assert code == 0
    assert "1:02.481" in text and "person" in text and "automatic" in text and "two" not in text
    assert json.loads(call(capsys, "results", "--json")[1])["two"][0]["total_s"] == 30.0
    assert "expected one of: one, two" in refused(call(capsys, "results", "three"))


def test_no_results_are_one_line(home: Path, capsys: pytest.CaptureFixture) -> None:
    assert refused(call(capsys, "results", "one")).endswith("no results of a course one; there are no results yet")
    (home / "one").mkdir(parents=True)
    assert call(capsys, "results")[1].startswith("no results yet")


def test_the_results_of_two_drives_at_once_are_both_kept(home: Path, tmp_path: Path) -> None:
    drives = [CourseRecords(build(configuration("autocross")), pytest.fail) for _ in range(2)]
    for one in drives:
        one.add(ATTEMPT, tmp_path)
    assert len(read_results(home / "autocross" / FILE, pytest.fail)) == 2


def test_results_that_cannot_be_read_are_not_overwritten(home: Path, tmp_path: Path) -> None:
    (home / "autocross" / FILE).mkdir(parents=True)  # cannot be read, also by root
    lines = list[str]()
    records = CourseRecords(build(configuration("autocross")), lines.append)
    with pytest.raises(JounceError, match=r"cannot be read: .*the results of this drive are not added"):
        records.add(ATTEMPT, tmp_path)
    assert len(lines) == 1


def test_a_drive_adds_its_result_and_its_best_lap_is_the_ghost_of_the_next_one(tmp_path: Path) -> None:
    maneuver = {
        "name": "short", "vehicle": "sedan", "terrain": "flat", "duration_s": 20,
        "speed": [{"at_s": 0, "speed_mps": 15, "acceleration_mps2": 4}],
        "timed_course": {"lines": [{"station_m": 5}, {"station_m": 15}, {"station_m": 25}]},
    }  # fmt: skip
    file = tmp_path / "short.json.yaml"
    file.write_text(json.dumps({"maneuver": maneuver, "outlets": {"motion": {"on": False}}}))
    for n in (1, 2):
        run = start("drive", file, "--no-view", "--out", f"run{n}", cwd=tmp_path, XDG_CONFIG_HOME=str(tmp_path / "home"))
        code, out, err = finish(run)
        assert code == 0 and "finish: 0:0" in out, out + err
        assert ("this is the best result on this course" in out) == (n == 1)
    folder = tmp_path / "home" / "jounce" / "courses" / "short"
    rows = read_results(folder / FILE, pytest.fail)
    assert len(rows) == 2 and rows[0]["total_s"] == rows[1]["total_s"] and not rows[0]["person"]
    track = GhostTrack.load(folder / rows[0]["course_digest"])
    assert track is not None and track.by_lap
    assert track.times[0] == pytest.approx(0.0, abs=0.02) and track.times[-1] == pytest.approx(rows[0]["time_s"], abs=0.03)
    along = track.fields["p_WB"][-1, 0] - track.fields["p_WB"][0, 0]
    assert along == pytest.approx(20.0, abs=0.7)  # from the first line to the last, to a row of the log


def test_a_ghost_of_a_lap_begins_at_each_lap() -> None:
    clock = GhostClock(GhostTrack(np.zeros(1), np.zeros(1, bool), {}, {}, 0.0, waits_for_motion=False, by_lap=True))
    state = record(STATE)
    state[0]["time"], state[0]["lap_began"] = 3.0, np.nan
    assert clock.time(state) == 0.0
    state[0]["lap_began"] = 2.25
    assert clock.time(state) == 0.75
    state[0]["time"], state[0]["lap_began"] = 60.0, 59.5
    assert clock.time(state) == 0.5
