"""Does the log contain the measured values and their metadata, and survive an interruption?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from simulator.base.errors import ConfigError, OutputError
from simulator.base.records import record
from simulator.outlets.kinds import build_outlets
from simulator.telemetry import parquet as parquet_module
from simulator.telemetry import rows as rows_module
from simulator.telemetry.atomic_files import write_text
from simulator.telemetry.channels import Channels, frame_of
from simulator.telemetry.recover import read_logs
from simulator.telemetry.run_folder import new_run_folder
from simulator.telemetry.writer import TelemetryWriter, read_telemetry, read_units
from vehicles.axle_layout import Axles
from vehicles.command import COMMAND
from vehicles.readout import READOUT


def log_run(folder, ticks, divisor=1, csv=False):
    """Log `ticks` ticks of a made-up motion; returns what was in p_WB, gear and the command's steering at the logged ticks."""
    readout, command = record(READOUT), record(COMMAND)
    expected = []
    with TelemetryWriter(folder, [("", READOUT, readout), ("command_", COMMAND, command)], divisor) as out:
        for tick in range(ticks):
            readout[0]["time"] = tick * 0.001
            readout[0]["p_WB"] = (tick, -tick, 0.1 * tick)
            readout[0]["F_C"][2] = (1.0, 2.0, tick)
            readout[0]["gear"] = tick % 4 - 1
            command[0]["steering"] = np.sin(tick)
            out.publish()
            if tick % divisor == 0:
                expected.append((tick, tick % 4 - 1, np.sin(tick)))
    if csv:
        build_outlets(["csv"], "test", folder, 0.001)[0].close()
    return out, np.array(expected)


def test_what_was_logged_is_read_back(tmp_path, monkeypatch):
    # the memory for waiting rows is used more than once, and partly at the end
    monkeypatch.setattr(rows_module, "BUFFER_BYTES", 1 << 18)
    out, expected = log_run(tmp_path, 1017, divisor=2)
    assert len(expected) > 4 * out._log._capacity
    data = read_telemetry(out.file)
    assert len(data["time"]) == out.rows == len(expected)
    np.testing.assert_array_equal(data["p_WB_x"], expected[:, 0])
    np.testing.assert_array_equal(data["p_WB_y"], -expected[:, 0])
    np.testing.assert_array_equal(data["F_C_RL_z"], expected[:, 0])
    np.testing.assert_array_equal(data["gear"], expected[:, 1])
    np.testing.assert_array_equal(data["command_steering"], expected[:, 2])
    assert data["gear"].dtype == np.int64
    assert os.listdir(tmp_path) == ["telemetry.parquet"]


def test_row_groups_do_not_change_the_data(tmp_path, monkeypatch):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    whole, _ = log_run(tmp_path / "a", 1000)
    monkeypatch.setattr(parquet_module, "GROUP_BYTES", 700_000)
    cut, _ = log_run(tmp_path / "b", 1000)
    one, many = read_telemetry(whole.file), read_telemetry(cut.file)
    assert all((one[name] == many[name]).all() for name in one)


def test_every_column_has_metadata(tmp_path):
    out, _ = log_run(tmp_path, 3)
    about = read_units(out.file)
    assert about["v_WB_B_x"] == {
        "name": "v_WB_B_x",
        "field": "v_WB_B",
        "unit": "m/s",
        "frame": "B",
        "meaning": "velocity of the chassis reference point, in B",
    }
    assert about["F_C_FL_z"]["frame"] == "C"
    assert about["p_WB_z"]["frame"] == about["p_WC_RR_x"]["frame"] == "W"
    assert about["p_BK_FL_y"]["frame"] == about["R_BK_FL_x_z"]["frame"] == about["jounce_RL"]["frame"] == "B"
    speed = {"name": "engine_speed", "field": "engine_speed", "unit": "rad/s", "frame": "", "meaning": "crankshaft speed"}
    assert about["engine_speed"] == speed
    assert {row[0] for row in READOUT if not row[1]} <= set(about)
    numbers = sum(int(np.prod(row[1], dtype=int)) for row in READOUT) + len(COMMAND)
    assert len(about) == numbers
    assert all(entry["unit"] and entry["meaning"] for entry in about.values())


def test_same_data_same_bytes(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        log_run(tmp_path / name, 400, csv=True)
    one, other = (read_telemetry(tmp_path / name / "telemetry.parquet") for name in ("a", "b"))
    assert list(one) == list(other)
    assert all(one[name].tobytes() == other[name].tobytes() for name in one)
    assert (tmp_path / "a" / "telemetry.csv").read_bytes() == (tmp_path / "b" / "telemetry.csv").read_bytes()


def test_csv_holds_the_same_numbers(tmp_path):
    out, expected = log_run(tmp_path, 20, csv=True)
    lines = out.file.with_suffix(".csv").read_text().splitlines()
    header = [name.strip('"') for name in lines[0].split(",")]
    column = header.index("p_WB_x [m]")
    np.testing.assert_array_equal([float(line.split(",")[column]) for line in lines[1:]], expected[:, 0])


def test_no_rows_is_still_a_file(tmp_path):
    out, _ = log_run(tmp_path, 0)
    assert len(read_telemetry(out.file)["time"]) == 0


def test_closed_once(tmp_path):
    out, _ = log_run(tmp_path, 10)
    before = out.file.read_bytes()
    out.close()
    assert out.file.read_bytes() == before


def test_interrupted_run_keeps_every_row(tmp_path):
    readout = record(READOUT)
    with pytest.raises(KeyboardInterrupt), TelemetryWriter(tmp_path, [("", READOUT, readout)], 1) as out:
        for tick in range(1000):
            readout[0]["time"] = tick
            out.publish()
            if tick == 700:
                raise KeyboardInterrupt
    np.testing.assert_array_equal(read_telemetry(out.file)["time"], np.arange(701))


SCRIPT = """
import sys, time
from simulator.base.records import record
from simulator.telemetry.writer import TelemetryWriter
from vehicles.readout import READOUT
readout = record(READOUT)
tick = 0
try:
    with TelemetryWriter(sys.argv[1], [("", READOUT, readout)], 1) as out:
        while True:
            readout[0]["time"] = tick
            readout[0]["p_WB"] = tick
            out.publish()
            tick += 1
            if tick == 1000:
                print("running", flush=True)
except KeyboardInterrupt:
    sys.exit(7)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT to a child")
def test_ctrl_c_leaves_a_complete_log(tmp_path):
    root = Path(__file__).parents[2]
    child = subprocess.Popen([sys.executable, "-c", SCRIPT, str(tmp_path)], cwd=root, stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "running\n"
    child.send_signal(signal.SIGINT)
    # an impatient second one, while the first one closes the file, must not tear it
    time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    try:
        child.communicate(timeout=60)
    finally:
        child.kill()  # it writes for ever
    assert child.returncode == 7
    read_logs(tmp_path)  # a second one before the first was heard leaves the raw log, and with it every row
    data = read_telemetry(tmp_path / "telemetry.parquet")
    assert len(data["time"]) >= 1000
    np.testing.assert_array_equal(data["time"], np.arange(len(data["time"])))
    np.testing.assert_array_equal(data["p_WB_x"], data["time"])
    assert os.listdir(tmp_path) == ["telemetry.parquet"]


@pytest.mark.parametrize("name", ["missing/folder", "a_file"])
def test_unwritable_folder_is_one_line(tmp_path, name):
    (tmp_path / "a_file").write_text("in the way")
    with pytest.raises(OutputError) as error:
        TelemetryWriter(tmp_path / name, [("", READOUT, record(READOUT))])
    assert f"{tmp_path / name}: cannot be written" in str(error.value) and "\n" not in str(error.value)
    assert os.listdir(tmp_path) == ["a_file"]


def test_the_reason_of_a_full_disk_is_that_of_the_system(tmp_path, monkeypatch):
    def full(*args, **kwargs):
        raise OSError(28, "Error writing bytes to file. Detail: [errno 28] No space left on device")  # as pyarrow raises it

    import pyarrow.parquet as pq

    with monkeypatch.context() as m:
        m.setattr(pq.ParquetWriter, "write_table", full)
        with pytest.raises(OutputError, match=r"telemetry\.parquet: cannot be written: No space left on device; the rows remain"):
            log_run(tmp_path, 10)


def test_failure_in_closing_keeps_the_rows_and_leaves_nothing_half_written(tmp_path, monkeypatch):
    import pyarrow.parquet as pq

    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as m:
        m.setattr(pq.ParquetWriter, "write_table", full)
        with pytest.raises(OutputError, match=r"No space left.*telemetry\.rows.*jounce info"):
            log_run(tmp_path, 10)
    assert os.listdir(tmp_path) == ["telemetry.rows"]
    (log,) = read_logs(tmp_path)
    assert log.rows == 10
    assert read_telemetry(log.file)["p_WB_x"].tolist() == list(range(10))
    assert os.listdir(tmp_path) == ["telemetry.parquet"]


def test_text_is_written_completely_or_not_at_all(tmp_path):
    write_text(tmp_path / "a.json", "{}\n")
    assert (tmp_path / "a.json").read_bytes() == b"{}\n"
    with pytest.raises(OutputError):
        write_text(tmp_path / "nowhere" / "a.json", "{}")
    assert os.listdir(tmp_path) == ["a.json"]


def test_run_folders_of_one_second_differ(tmp_path):
    now = datetime(2030, 1, 2, 3, 4, 5)
    made = [new_run_folder(tmp_path / "runs", now) for _ in range(3)]
    assert [folder.name for folder in made] == ["2030-01-02_03-04-05", "2030-01-02_03-04-05-2", "2030-01-02_03-04-05-3"]
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError):
        new_run_folder(tmp_path / "file", now)


@pytest.mark.parametrize("content", [b"", b"not parquet at all", b"PAR1xxxxPAR1"])
def test_foreign_file_is_refused(tmp_path, content):
    file = tmp_path / "t.parquet"
    file.write_bytes(content)
    with pytest.raises(ConfigError) as error:
        read_telemetry(file)
    assert str(file) in str(error.value) and "\n" not in str(error.value)
    with pytest.raises(ConfigError):
        read_telemetry(tmp_path / "missing.parquet")


def test_names_may_not_clash():
    with pytest.raises(ConfigError, match=r"different names of columns.*'brake, gear, low_range'"):
        Channels([("", READOUT, record(READOUT)), ("", COMMAND, record(COMMAND))])


def test_the_frame_comes_from_the_name_or_the_row_only():
    assert frame_of(("legs", (6,), "m", "leg lengths in B")) == ""
    assert frame_of(("height", (), "m", "height", "f8", "W")) == "W"
    assert frame_of(("p_PL", (6, 3), "m", "joints")) == "P"
    frames = {channel.name: channel.frame for channel in Channels([("", READOUT, record(READOUT))]).columns}
    assert (frames["jounce_FL"], frames["v_WB_B_x"], frames["F_C_RR_z"], frames["p_BK_FL_x"], frames["theta_FL"]) == (
        "B",
        "B",
        "C",
        "B",
        "",
    )


def test_columns_of_another_vehicle_have_the_names_of_its_own_axles():
    """As many wheels as the first one's, on axles that are called otherwise."""
    for name, letter in (("middle", "M"), ("second", "S")):
        table = Axles(("front", name, "rear"), (2, 2, 2)).named(READOUT)
        columns = [column.name for column in Channels([("", table, record(table))]).columns if column.field == "jounce"]
        assert columns == [f"jounce_{axle}{side}" for axle in ("F", letter, "R") for side in "LR"]
