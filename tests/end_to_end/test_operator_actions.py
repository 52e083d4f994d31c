"""Does a rerun repeat what an operator does to a drive with places, patches, faults and the motion cueing, and does a next run follow?"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from program import call
from test_failing_parts import Drive
from test_rerun_with_events import again, events_in, script

import jounce
from simulator.host.trip import Trip
from simulator.run.rerun import differences

ICE = {"type": "ice_patch", "center": [60.0, 0.0], "size": [30, 10], "friction": 0.2, "ramp_s": 0.1}
ACTIONS = (
    (0.5, "request_raise", None),
    (0.8, "note", "before the first place, with ä and <b>"),
    (1.0, "add_fault", ICE),
    (1.5, "place", {"x": 40.0, "y": 1.0, "heading_deg": -5.0}),
    (2.5, "intensity", 0.6),
    (3.0, "washout_parameter", {"name": "force_gain", "index": 0, "value": 0.7}),
    (3.5, "add_fault", {"type": "puncture", "wheel": "RL", "ramp_s": 0.5}),
    (4.5, "place", {"x": 80.0, "y": -3.0}),
    (4.6, "place", {"x": 80.0, "y": -3.0, "heading_deg": 999.0}),  # refused
    (5.0, "pause", True),
    (5.2, "place", {"x": 20.0, "y": 4.0, "heading_deg": 180.0}),
    (5.5, "pause", False),
    (6.0, "end_fault", "puncture_RL"),
    (6.5, "stop", None),
    (6.8, "place", {"x": 10.0, "y": 0.0, "heading_deg": 0.0}),
    (7.2, "acknowledge", None),
    (7.5, "pause", False),
    (8.0, "reset", None),
    (8.5, "note", "after the restart"),
    (9.0, "next_run", {"terrain": "slope"}),
)


def test_actions_of_an_operator_come_again(tmp_path, monkeypatch):
    drive = Drive(tmp_path, monkeypatch, seconds=60.0)
    drive.host.options.script = script(*ACTIONS)
    drive.change("outlets.motion.wait", True)
    assert drive.run() == 0, drive.lines
    assert drive.host.control.next_run == {"terrain": "slope"}
    done = [(event.kind, event.value) for event in events_in(drive.folder) if event.origin == "script"]
    assert [kind for kind, _ in done] == [kind for n, (_, kind, _) in enumerate(ACTIONS) if n != 8]
    places = [value for kind, value in done if kind == "place"]
    assert places[0]["heading_deg"] == -5.0 and "heading_deg" in places[1], "the present heading is recorded"
    columns, repeated = again(drive, tmp_path)
    at = {round(float(t), 2): n for n, t in enumerate(columns["time"])}
    moved = at[1.52]
    assert (columns["p_WB_x"][moved], columns["p_WB_y"][moved]) == (pytest.approx(40.0, abs=0.3), pytest.approx(1.0, abs=0.3))
    assert abs(columns["v_WB_B_x"][moved]) < 1.0, "at rest"
    assert differences(columns, repeated) == [], "the same bits, platform included"
    assert events_in(drive.folder) == events_in(tmp_path / "again")


def test_a_next_run_has_the_changed_session_and_a_folder_of_its_own(tmp_path, capsys):
    file = tmp_path / "script.yaml"
    file.write_text("- {at_s: 0.3, kind: next_run, value: {terrain: flat_gravel, weather: {rain_mmph: 12}}}\n")
    words = ("--no-view", "--no-motion", "--terrain", "flat", "--duration", 0.6, "--events", file, "--out", tmp_path / "run")
    code, text, err = call(capsys, "drive", *words)
    assert code == 0, err
    first, second = (jounce.read_log(folder) for folder in (tmp_path / "run", tmp_path / "run_2"))
    assert [event.kind for event in first.events] == ["next_run", "end"]
    assert [event.kind for event in second.events] == ["end"], "the script belongs to the first drive"
    reasons = [one.events[-1].value for one in (first, second)]
    assert reasons == ["the operator begins the next run", "the duration is over"]
    assert [line for line in text.splitlines() if line.startswith("the drive ends")] == [f"the drive ends: {one}" for one in reasons]
    assert float(first["time"][-1]) == pytest.approx(0.3, abs=0.02) and float(second["time"][-1]) == pytest.approx(0.6, abs=0.02)
    assert text.count("drove") == 2


def test_a_next_run_that_cannot_begin_lets_the_drive_of_before_begin_again(tmp_path, capsys):
    file = tmp_path / "script.yaml"
    file.write_text("- {at_s: 0.2, kind: next_run, value: {driver: planner, maneuver: acceleration}}\n")
    words = ("--no-view", "--no-motion", "--terrain", "flat", "--duration", 0.4, "--events", file, "--out", tmp_path / "run")
    code, text, err = call(capsys, "drive", *words)
    assert "the next run cannot begin" in err and "begins again" in err
    assert (code, text.count("drove")) == (0, 2)


def test_no_next_run_begins_while_the_platform_is_stopped(capsys, monkeypatch):
    """The operator has stopped the platform while it parked: the stream of a next drive would begin at the rest pose."""
    drives = []

    def drive(command, *_):
        drives.append(command)
        messages = SimpleNamespace(folder=SimpleNamespace(path=Path("run")), troubles=[])
        control, session = SimpleNamespace(next_run={}), SimpleNamespace(platform_stopped=True)
        return SimpleNamespace(control=control, session=session, messages=messages, trip=Trip()), 0

    monkeypatch.setattr("simulator.host.drive_command._Command.drive", drive)
    code, _, err = call(capsys, "drive", "--no-view")
    assert (code, len(drives)) == (1, 1) and "the operator has stopped the platform" in err
