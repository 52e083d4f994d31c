"""Sensor data of `jounce run`, `rerun` and `info`: equal bits, a killed run, a full disk, two runs with one folder."""

import errno
import json
import os
import signal
import time

import pytest
import yaml
from program import ROOT, call, finish, start

from simulator.sensors.kinds import SENSOR_KINDS
from simulator.telemetry.sensor_file.compare import compare_files
from simulator.telemetry.sensor_file.reader import SensorFile
from simulator.telemetry.sensor_file.repair import is_complete
from simulator.telemetry.sensor_file.writer import Disk, MessageWriter

pytest.importorskip("mcap", reason="the package mcap is not installed")

SENSORS = ("--sensor", "test_lidar", "--sensor", "{type: test_camera, name: front, form: png}", "--sensor", "test_gnss")


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """Options that load the kinds of sensors of the tests; the registry forgets them at the end."""
    monkeypatch.setattr(SENSOR_KINDS, "_kinds", dict(SENSOR_KINDS._kinds))
    monkeypatch.setattr(SENSOR_KINDS, "_sources", dict(SENSOR_KINDS._sources))
    file = tmp_path / f"kinds_of_{tmp_path.name}.py"  # a module of its own for each test
    file.write_text(
        f"import sys\nsys.path.insert(0, {str(ROOT / 'tests/sensors')!r})\nfrom recorded_kinds import KINDS\n"
        "from simulator.sensors.kinds import register\nfor kind in KINDS.values():\n    register(kind)\n"
    )
    return ("--plugin", file)


def maneuver_of(tmp_path, seconds):
    """The shipped lane change, so long, without limits."""
    mapping = yaml.safe_load((ROOT / "configs/maneuvers/avtp_lane_change.yaml").read_text())
    file = tmp_path / "long.yaml"
    on = [{"name": "on", "steering": {"type": "path"}, "speed_kph": 50}]
    file.write_text(yaml.safe_dump({**mapping, "duration_s": seconds, "limits": {}, "phases": on}))
    return file


def run(capsys, tmp_path, plugin, out, seconds=2.0):
    code, text, err = call(
        capsys, "run", maneuver_of(tmp_path, seconds), *SENSORS, *plugin, "--plots", "none", "--out", tmp_path / out, "--json"
    )
    return code, text, err


def test_a_rerun_has_the_same_sensor_data_and_says_what_differs(tmp_path, capsys, plugin):
    code, _, err = run(capsys, tmp_path, plugin, "out")
    assert code == 0 and "per hour of drive" in err and len(err.splitlines()) == 1
    code, text, _ = call(capsys, "rerun", tmp_path / "out", *plugin, "--out", tmp_path / "again", "--json")
    sensors = json.loads(text)["sensors"]
    assert (code, sensors["differ"], sensors["notes"]) == (0, [], [])
    with SensorFile(tmp_path / "out/sensors.mcap") as file:
        # the camera is 20 ms late: an image less; the first scan began before the simulation
        counts = {"/tf": 201, "/tf_static": 1, "/test_lidar/points": 20, "/test_gnss/fix": 11, "/front/depth": 20}
        assert {name: file.topics[name].messages for name in counts} == counts
        assert sensors["messages"] == file.messages_count
    assert (tmp_path / "out/sensors.mcap").read_bytes() == (tmp_path / "again/sensors.mcap").read_bytes()

    logs = [tmp_path / name / "telemetry.parquet" for name in ("out", "again")]
    change(tmp_path / "again/sensors.mcap", {})
    differ = ["/front/depth: 1 of 19 messages differ and 1 are in one run only"]
    assert compare_files(*logs).differ == differ
    change(tmp_path / "again/sensors.mcap", {"renderer": "other"})
    found = compare_files(*logs)
    assert found.differ == [] and found.notes == [f"{differ[0]}; images of no renderer and other"]
    (tmp_path / "again/sensors.mcap").unlink()
    assert compare_files(*logs).notes == ["sensors.mcap: not compared; the rerun has none"]


def change(path, metadata):
    """Write a file again, without the first image of depth, with another byte in the last one, and more metadata of that topic."""
    with SensorFile(path) as file:
        topics, messages, summary = file.topics, list(file.messages()), file.summary()
    if not metadata:
        depth = [n for n, one in enumerate(messages) if one.topic == "/front/depth"]
        last = messages[depth[-1]]
        messages[depth[-1]] = last._replace(data=last.data[:-1] + bytes([last.data[-1] ^ 1]))
        messages.pop(depth[0])
    writer = MessageWriter(path)
    channels = {
        one.topic: writer.add_channel(one.topic, one.type, metadata if one.topic == "/front/depth" else {}) for one in topics.values()
    }
    for one in messages:
        writer.write(channels[one.topic], one.log_time, one.publish_time, [one.data])
    writer.finish({"jounce sensors": {name: json.dumps(counts) for name, counts in summary.items()}})


@pytest.mark.skipif(os.name != "posix", reason="processes are ended by signals here")
def test_the_sensor_data_of_a_killed_run_are_repaired_by_info_and_kept_by_the_next_run(tmp_path, capsys, plugin):
    process = start("run", maneuver_of(tmp_path, 3600.0), *SENSORS, *plugin, "--out", "out", cwd=tmp_path)
    out = tmp_path / "out"
    file = out / "sensors.mcap"
    while not (file.exists() and file.stat().st_size > 200_000):
        assert process.poll() is None, finish(process)
        time.sleep(0.02)
    code, text, _ = call(capsys, "info", out)
    assert code == 0 and "still being written" in text
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert not is_complete(file)
    copy, rows = file.read_bytes(), (out / "telemetry.rows").read_bytes()

    code, text, _ = call(capsys, "info", out, "--json")
    (log,) = json.loads(text)["logs"]
    (sensors,) = log["sensor_files"]
    assert code == 0 and sensors["recovered"] and sensors["messages"] > 100 and sensors["trouble"] == ""
    with SensorFile(file) as opened:
        assert len(list(opened.messages())) == sensors["messages"]
    assert "messages, " in call(capsys, "info", out)[1] and "repaired now" not in call(capsys, "info", out)[1]

    # the same, but a new run comes before `info`
    (out / "telemetry.parquet").unlink()
    (out / "telemetry.rows").write_bytes(rows)
    file.write_bytes(copy)
    code, _, err = run(capsys, tmp_path, plugin, "out", 1.0)
    assert code == 0 and "renamed the log of a killed run" in err
    (renamed,) = out.glob("sensors_*.mcap")
    assert renamed.read_bytes() == copy and is_complete(file)


def test_a_disk_that_fills_up_ends_the_recording_and_not_the_run(tmp_path, capsys, monkeypatch, plugin):
    write = Disk.write

    def fills_up(self, data):
        if self.size + len(data) > 60_000:
            write(self, data[: 60_000 - self.size])
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(self, data)

    monkeypatch.setattr(Disk, "write", fills_up)
    code, text, err = run(capsys, tmp_path, plugin, "out", 4.0)
    assert code == 1, err
    dropped = json.loads(text)["dropped"]
    assert len(dropped) == 1 and "No space left on device; the drive goes on without it" in dropped[0]
    assert err.count("No space left on device") == 1
    code, text, _ = call(capsys, "info", tmp_path / "out", "--json")
    (log,) = json.loads(text)["logs"]
    assert code == 0 and log["rows"] == 401, "the log is complete"
    (sensors,) = log["sensor_files"]
    assert not sensors["recovered"] and sensors["trouble"] == "" and sensors["messages"] > 100
