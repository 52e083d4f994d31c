"""Is a run refused in a line if metadata, a column, an event or a file of it is not what a run writes, or not a regular file?"""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import numpy as np
import pytest
from program import call, refused

from simulator.base.errors import ConfigError
from simulator.event_effects.kinds import check_recorded
from simulator.events.event import Event, Origin
from simulator.run.event_replay import EventReplay
from simulator.run.object_changes import read_changes
from simulator.telemetry.channels import Channel
from simulator.telemetry.log import Log, read_log
from simulator.telemetry.metadata import whole_number

HEAD = '{"format": "jounce events", "version": 1, "step_s": 0.001}\n'
EVENT = {"tick": 1, "time_s": 0.001, "origin": "script", "kind": "note", "value": "x"}
WRONG = ("x", "[1]", '{"a": 1}', "true", "1e400", "[" * 50_000)
posix = pytest.mark.skipif(os.name != "posix", reason="no such files here")


def write_run(folder: Path, about: dict[str, str] | None = None, events: str | None = None, **columns: object) -> Path:
    """Write a small log, and the text of its events."""
    folder.mkdir(exist_ok=True)
    arrays = {name: np.asarray(values) for name, values in {"time": np.arange(20) * 0.01, **columns}.items()}
    channels = [Channel(name, "", "", "a column", values.dtype, 0, False, name) for name, values in arrays.items()]
    Log(channels, arrays, about or {}).save(folder / "telemetry.parquet")
    if events is not None:
        (folder / "events.jsonl").write_text(events)
    return folder


@pytest.mark.parametrize("key", ["rows_lost", "lateness", "real_time", "configuration", "collisions", "outcome"])
def test_metadata_of_another_shape_are_refused_with_their_key(key, tmp_path, capsys):
    for wrong in WRONG:
        if (key, wrong) in (("real_time", '{"a": 1}'), ("configuration", '{"a": 1}')):
            continue  # a mapping is all that these need
        run = write_run(tmp_path / "run", {key: wrong})
        for more in ((), ("--json",)):
            assert f"telemetry.parquet: {key}: invalid value; expected " in refused(call(capsys, "info", run, *more))


def test_a_damaged_configuration_is_refused_by_compare_and_by_the_library(tmp_path, capsys):
    run = write_run(tmp_path / "run", {"configuration": "[]"})
    assert ": configuration: " in refused(call(capsys, "compare", run, run, "--out", tmp_path / "out"))
    with pytest.raises(ConfigError, match="configuration"):
        _ = read_log(run).configuration


def test_columns_that_are_no_numbers_are_refused(tmp_path, capsys):
    run = write_run(tmp_path / "run", resets=np.full(20, True))
    assert "telemetry.parquet: resets: invalid value; expected a column of numbers" in refused(call(capsys, "info", run))
    run = write_run(tmp_path / "run", resets=np.full(20, np.nan))
    code, out, _ = call(capsys, "info", run, "--json")
    assert code == 0 and json.loads(out)["logs"][0]["resets"] is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "null\n",
        HEAD + "{}\n",
        HEAD + "[]\n",
        HEAD + "\n",
        HEAD + "[" * 50_000 + "\n",
        HEAD + json.dumps({**EVENT, "tick": 1e400}) + "\n",
    ],
)
def test_a_file_of_events_that_is_none_is_refused(text, tmp_path, capsys):
    assert "events.jsonl" in refused(call(capsys, "info", write_run(tmp_path / "run", events=text)))


@posix
@pytest.mark.parametrize("what", ["a pipe", "a folder", "a socket", "a device"])
@pytest.mark.parametrize(("name", "command"), [("events.jsonl", ("info", "--json")), ("sensors.mcap", ("sensors",))])
def test_what_is_no_regular_file_is_refused_at_once(name, command, what, tmp_path, capsys, monkeypatch):
    run = write_run(tmp_path / "run")
    monkeypatch.chdir(run)  # the name of a socket is short
    if what == "a socket":
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(name)
        listener.close()
    else:
        {"a pipe": os.mkfifo, "a folder": os.mkdir, "a device": lambda file: os.symlink("/dev/zero", file)}[what](name)
    place = run if command[0] == "info" or what == "a folder" else run / name
    code, out, err = call(capsys, *command, place)
    assert code == 2 and name in err and len(err.splitlines()) == 1 and not out, (code, out, err)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("driver", []),
        ("intensity", "x"),
        ("intensity", None),
        ("pause", 3),
        ("wait_over", "x"),
        ("wait_over", None),
        ("note", {}),
        ("end_fault", 1),
    ],
)
def test_a_recorded_value_of_another_type_is_refused(kind, value):
    with pytest.raises(ConfigError, match=rf"^run/events\.jsonl: {kind} at tick 7: "):
        check_recorded(Event(kind, value, Origin.SCRIPT, 7, 0.007), "run/events.jsonl")


@pytest.mark.parametrize(
    ("kind", "value"), [("platform", "raise later"), ("pause", None), ("pause", True), ("reset", None), ("wait_over", 3000)]
)
def test_what_a_drive_records_is_accepted(kind, value):
    check_recorded(Event(kind, value, Origin.SCRIPT, 7, 0.007), "events.jsonl")


@pytest.mark.parametrize("ticks", [-1, 10**8])
def test_a_rise_that_no_platform_makes_is_refused_at_once(ticks):
    from simulator.api.simulation import Simulation

    sim = Simulation("hmmwv", "flat")
    replay = EventReplay(sim._session, [Event("wait_over", ticks, Origin.DRIVE, 0, 0.0)], Path("events.jsonl"))
    with pytest.raises(ConfigError, match=r"^events\.jsonl: wait_over: .*ticks"):
        replay.rise()


@pytest.mark.parametrize("text", ["x", "5", "[1]", '[{"tick": 1}]', '[{"tick": "x", "removed": [], "objects": []}]'])
def test_changes_of_objects_that_are_none_are_refused(text):
    with pytest.raises(ConfigError, match="object_changes"):
        read_changes({"object_changes": text}, Path("log"))


def test_numbers_of_ticks_are_whole():
    assert whole_number({}, "platform_joined", "log") == 0
    for text in ("x", "1.5", "nan", ""):
        with pytest.raises(ConfigError, match=r"platform_joined: .* a whole number"):
            whole_number({"platform_joined": text}, "platform_joined", "log")
