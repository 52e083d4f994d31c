"""`jounce info`: logs of a killed run, of a running one and on a full disk; and two runs with one folder."""

import json
import os
import signal
import time
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from program import ROOT, call, finish, refused, start

from simulator.base.records import record
from simulator.events.turn_signals import TurnSignals
from simulator.outlets.telemetry import LOG, WALL, TelemetryOutlet
from simulator.telemetry import rows as rows_module
from simulator.telemetry.writer import read_telemetry, read_units
from washout.limiter.limiter import LIMITER

POSIX = pytest.mark.skipif(os.name != "posix", reason="processes are ended by signals here")


def maneuver_of(tmp_path, seconds):
    """The shipped lane change, so long, without limits."""
    mapping = yaml.safe_load((ROOT / "configs/maneuvers/avtp_lane_change.yaml").read_text())
    file = tmp_path / "long.yaml"
    on = [{"name": "on", "steering": {"type": "path"}, "speed_kph": 50}]
    file.write_text(yaml.safe_dump({**mapping, "duration_s": seconds, "limits": {}, "phases": on}))
    return file


def start_long_run(tmp_path):
    """A run that will not end by itself, well on its way."""
    process = start("run", maneuver_of(tmp_path, 3600.0), "--out", "out", cwd=tmp_path)
    raw = tmp_path / "out" / "telemetry.rows"
    while not (raw.exists() and raw.stat().st_size > 1_000_000):
        assert process.poll() is None, finish(process)
        time.sleep(0.02)
    return process


@POSIX
def test_a_killed_run_is_repaired_and_a_live_one_is_unchanged(tmp_path, capsys):
    process = start_long_run(tmp_path)
    out = tmp_path / "out"
    try:
        said = refused(call(capsys, "run", "avtp_lane_change", "--out", out))
        assert str(out) in said
        assert f"process {process.pid}" in said
        code, text, err = call(capsys, "info", out)
        assert (code, err) == (0, "")
        assert "still running" in text
        assert (out / "telemetry.rows").exists()
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    code, text, err = call(capsys, "info", out, "--columns")
    assert (code, err) == (0, "")
    assert "recovered now" in text
    assert "killed" in text
    assert "hmmwv" in text
    assert "p_WB_x [m] W" in text
    assert sorted(os.listdir(out)) == ["configuration.yaml", "events.jsonl", "telemetry.parquet"]
    time_s = read_telemetry(out / "telemetry.parquet")["time"]
    assert np.diff(time_s) == pytest.approx(0.01, abs=1e-9)
    code, text, _ = call(capsys, "info", out / "telemetry.parquet", "--json")
    (log,) = json.loads(text)["logs"]
    assert code == 0
    assert (log["rows"], log["ended_well"], log["recovered"]) == (len(time_s), False, False)
    assert log["simulated_s"] == pytest.approx(time_s[-1])
    assert log["about"]["vehicle"] == "hmmwv"
    assert log["about"]["machine"]
    assert log["columns"]["wall_time"]["wall"] == "yes"


def test_a_run_that_ended_well_says_so_and_its_wall_clock_columns_are_marked(tmp_path, capsys):
    assert call(capsys, "run", maneuver_of(tmp_path, 2.0), "--out", tmp_path / "out")[0] == 0
    code, text, _ = call(capsys, "info", tmp_path / "out", "--json")
    (log,) = json.loads(text)["logs"]
    assert code == 0
    assert log["ended_well"]
    assert (log["rows"], log["resets"], log["incidents"], log["paused_s"]) == (201, 0, 0, 0.0)
    assert log["simulated_s"] == pytest.approx(2.0)
    assert log["wall_s"] > 0.0
    units = read_units(tmp_path / "out" / "telemetry.parquet")
    assert {name for name, words in units.items() if "wall" in words} == set(WALL)
    assert {row[0] for row in LOG} <= set(units)


def test_a_disk_that_fills_up_ends_the_log_and_not_the_run(tmp_path, capsys, monkeypatch):
    write, left = rows_module._write_all, [500_000]

    def fills_up(descriptor, waiting):
        part = min(len(waiting), left[0])
        left[0] -= part
        write(descriptor, waiting[:part])
        if part < len(waiting) or left[0] == 0:
            raise OSError(28, "No space left on device")
        time.sleep(0.001)

    monkeypatch.setattr(rows_module, "_write_all", fills_up)
    code, _, err = call(capsys, "run", maneuver_of(tmp_path, 5.0), "--out", tmp_path / "out", "--json")
    assert code == 1, "what was measured is not the whole run"
    assert len(err.splitlines()) == 1
    assert "telemetry.rows: the log ends" in err
    assert "No space left on device" in err
    metrics = json.loads((tmp_path / "out" / "metrics.json").read_text())
    assert metrics["machine"]["log_failure"] == "No space left on device"
    code, text, _ = call(capsys, "info", tmp_path / "out", "--json")
    (log,) = json.loads(text)["logs"]
    assert code == 0
    assert not log["ended_well"]
    assert 100 < log["rows"] < 501
    assert np.diff(read_telemetry(tmp_path / "out" / "telemetry.parquet")["time"]) == pytest.approx(0.01, abs=1e-9)


@pytest.mark.parametrize("name", ["nothing", "empty", "notes.txt", "notes.rows", "notes.parquet", "directory.rows"])
def test_what_is_no_log_is_refused_in_one_line(tmp_path, capsys, name):
    (tmp_path / "empty").mkdir()
    (tmp_path / "directory.rows").mkdir()
    for file in ("notes.txt", "notes.rows", "notes.parquet"):
        (tmp_path / file).write_text("not a log")
    said = refused(call(capsys, "info", tmp_path / name))
    assert name in said
    assert sorted(os.listdir(tmp_path)) == ["directory.rows", "empty", "notes.parquet", "notes.rows", "notes.txt"]


def test_a_broken_log_is_named_beside_the_others(tmp_path, capsys):
    channels = {"time": np.arange(3.0)}
    pq.write_table(pa.table(channels), tmp_path / "telemetry.parquet")
    (tmp_path / "telemetry_2026-11-22_10-00-00.rows").touch()
    code, text, err = call(capsys, "info", tmp_path)
    assert code == 2
    assert "3 of 1 columns" in text
    assert "cannot read the log" in text
    assert len(err.splitlines()) == 1
    assert "10-00-00.rows" in err
    code, text, _ = call(capsys, "info", tmp_path, "--json")
    assert code == 2
    assert [log["rows"] for log in json.loads(text)["logs"]] == [3, 0]


class Session:
    """As much of a session as a log asks for."""

    class Cueing:
        pose, legs, readout = np.zeros(6), np.zeros(6), record(LIMITER)

    def __init__(self):
        self.time, self.paused, self.clock, self.cueing, self.platform_state = 0.0, False, None, self.Cueing(), "off"
        self.recovery, self.collisions = SimpleNamespace(incident_number=0), []
        self.others = SimpleNamespace(read=lambda: None)
        self.turn_signals = TurnSignals()


def test_resets_pauses_and_incidents_are_in_the_log(tmp_path, capsys):
    from vehicles.command import COMMAND
    from vehicles.readout import READOUT

    readout, session = record(READOUT), Session()
    log = TelemetryOutlet(tmp_path, readout, record(COMMAND))
    # time, paused, incident
    recovery = session.recovery
    for session.time, session.paused, recovery.incident_number in (
        (0.0, 0, 0),
        (0.1, 0, 0),
        (0.1, 1, 0),
        (0.2, 0, 3),
        (0.0, 0, 0),
        (0.1, 0, 4),
    ):
        readout[0]["time"] = session.time
        log.publish(session)
    log.close()
    data = read_telemetry(tmp_path / "telemetry.parquet")
    assert data["resets"].tolist() == [0, 0, 0, 0, 1, 1]
    assert data["paused"].tolist() == [0, 0, 1, 0, 0, 0]
    assert data["incident"].tolist() == [0, 0, 0, 3, 0, 4]
    assert (np.diff(data["wall_time"]) > 0.0).all()
    code, text, _ = call(capsys, "info", tmp_path)
    assert code == 0
    assert "1; incidents 2; paused" in text
