"""`jounce run`: its output files, bit-identical repetition, and its exit code."""

import hashlib
import json
import os
import signal
import time

import numpy as np
import pytest
import yaml
from program import ROOT, call, finish, start

from simulator.report.html_page import cell
from simulator.run.run_configuration import fingerprint
from simulator.telemetry.log import read_log
from simulator.telemetry.writer import read_telemetry, read_units

PLOTS = ("attitude.png", "course.png", "hand_wheel.png", "lateral_acceleration.png", "wheel_loads.png", "yaw_rate.png")


def digest(file):
    """Of all that a run repeats: every column but those of the wall clock."""
    out = hashlib.sha256()
    for name, column in read_telemetry(file, wall=False).items():
        out.update(name.encode() + column.tobytes())
    return out.hexdigest()


def shortened(tmp_path, **changes):
    """A copy of the shipped lane change with some keys changed, under a path of its own."""
    mapping = yaml.safe_load((ROOT / "configs/maneuvers/avtp_lane_change.yaml").read_text())
    file = tmp_path / "changed.yaml"
    file.write_text(yaml.safe_dump({**mapping, **changes}))
    return file


@pytest.fixture(scope="module")
def avtp(tmp_path_factory):
    """The NATO course, driven in another process from a folder that is not the checkout."""
    folder = tmp_path_factory.mktemp("elsewhere")
    return folder / "out", finish(start("run", "avtp_lane_change", "--out", "out", cwd=folder))


def test_a_run_passes_and_leaves_everything(avtp):
    folder, (code, out, err) = avtp
    assert code == 0, err
    assert "passed" in out
    assert sorted(p.name for p in folder.iterdir()) == sorted(
        ["configuration.yaml", "events.jsonl", "metrics.json", "report.html", "telemetry.parquet", *PLOTS]
    )
    result = json.loads((folder / "metrics.json").read_text())["result"]
    assert result["pass"] is True
    assert all(check["pass"] for check in result["checks"])
    for name in PLOTS:
        assert (folder / name).read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_its_page_has_the_same_numbers_and_says_what_made_them(avtp):
    folder = avtp[0]
    text = (folder / "report.html").read_text(encoding="utf-8").replace("<wbr>", "")
    for row in json.loads((folder / "metrics.json").read_text())["result"]["table"]:
        assert f">{row['metric']}</td><td>{cell(row['value'])}</td>" in text
    log = read_log(folder)
    assert fingerprint(log.configuration) in text and log.about["processor"] in text
    assert "passed: all 5 limits satisfied" in text and "in true scale" in text and "slip, + = driving" in text
    assert "Not in this log" not in text and len(text) < 3_000_000


def test_telemetry_has_units_and_frames_and_no_holes(avtp):
    file = avtp[0] / "telemetry.parquet"
    units, columns = read_units(file), read_telemetry(file)
    assert units.keys() == columns.keys()
    assert all({"unit", "frame", "meaning"} <= set(row) and row["unit"] and row["meaning"] for row in units.values())
    assert (units["p_WB_x"]["unit"], units["p_WB_x"]["frame"]) == ("m", "W")
    assert (units["v_WB_B_x"]["unit"], units["v_WB_B_x"]["frame"]) == ("m/s", "B")
    assert (units["command_steering"]["unit"], units["platform_legs_0"]["unit"]) == ("1", "m")
    assert all(np.isfinite(column).all() for column in columns.values())
    assert np.diff(columns["time"]) == pytest.approx(0.01, abs=1e-9)
    assert columns["time"][0] == 0.0
    assert columns["v_WB_B_x"].max() > 13.0


def test_the_same_run_gives_the_same_bits(avtp, tmp_path, capsys):
    """Another process, another folder, another way to name the file."""
    code, out, err = call(capsys, "run", ROOT / "configs/maneuvers/avtp_lane_change.yaml", "--out", tmp_path / "again", "--json")
    assert code == 0, err
    assert digest(tmp_path / "again" / "telemetry.parquet") == digest(avtp[0] / "telemetry.parquet")
    result = json.loads((avtp[0] / "metrics.json").read_text())["result"]
    assert json.loads(out)["result"] == result
    assert json.loads((tmp_path / "again" / "metrics.json").read_text())["result"] == result


def test_the_double_lane_change_of_the_paper(tmp_path, capsys):
    code, out, err = call(capsys, "run", "double_lane_change", "--out", tmp_path)
    assert code == 0, (out, err)
    log = read_telemetry(tmp_path / "telemetry.parquet")
    t, v, y = log["time"], log["v_WB_B_x"], log["p_WB_y"]
    assert v[(t > 29.0) & (t < 30.0)] == pytest.approx(20.0, abs=0.3)
    middle = (t > 45.0) & (t < 50.0)
    assert abs(np.median(y[middle]) - y[0]) > 2.0
    assert y[-1] == pytest.approx(y[0], abs=0.3)


def test_a_limit_that_is_not_kept_makes_the_exit_code_1(tmp_path, capsys):
    file = shortened(tmp_path, duration_s=3.0, limits={"speed_end_mps": {"min": 60.0}})
    code, out, _ = call(capsys, "run", file, "--out", tmp_path / "out")
    assert code == 1
    assert "FAIL" in out
    assert json.loads((tmp_path / "out" / "metrics.json").read_text())["result"]["pass"] is False


def test_a_run_names_the_files_that_it_wrote(tmp_path, capsys):
    file = shortened(tmp_path, duration_s=1.0, limits={})
    out = call(capsys, "run", file, "--out", tmp_path / "bare", "--plots", "none")[1]
    assert "telemetry and metrics in" in " ".join(out.split()) and "plots" not in out and "report.html" not in out
    assert "telemetry, metrics, plots and report.html in" in " ".join(call(capsys, "run", file, "--out", tmp_path / "all")[1].split())


def test_another_limit_or_title_moves_no_bit_of_the_drive_and_another_speed_does(tmp_path, capsys):
    digests = []
    for changes in ({}, {"title": "Something else"}, {"parameters": {"speed_kph": 10, "side": "left"}}):
        file = shortened(tmp_path, duration_s=3.0, limits={}, **changes)
        assert call(capsys, "run", file, "--out", tmp_path / "out")[0] == 0
        digests.append(digest(tmp_path / "out" / "telemetry.parquet"))
    assert digests[0] == digests[1]
    assert digests[0] != digests[2]


def test_csv_says_the_same_as_parquet(tmp_path, capsys):
    file = shortened(tmp_path, duration_s=2.0, limits={})
    assert call(capsys, "run", file, "--out", tmp_path / "out", "--csv")[0] == 0
    log = read_telemetry(tmp_path / "out" / "telemetry.parquet")
    header = (tmp_path / "out" / "telemetry.csv").read_text().splitlines()[0]
    assert '"time [s]"' in header
    table = np.genfromtxt(tmp_path / "out" / "telemetry.csv", delimiter=",", skip_header=1)
    assert table.shape == (len(log["time"]), len(log))
    np.testing.assert_array_equal(table[:, 0], next(iter(log.values())))


def test_a_run_without_a_folder_goes_to_runs(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = shortened(tmp_path, duration_s=1.5, limits={})
    assert call(capsys, "run", file)[0] == 0
    (folder,) = (tmp_path / "runs").iterdir()
    assert (folder / "metrics.json").exists()


@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is sent as a signal here")
def test_ctrl_c_leaves_the_telemetry_complete(tmp_path):
    file = shortened(tmp_path, duration_s=3000.0, limits={}, phases=[{"name": "round", "steering_deg": 200, "speed_kph": 20}], course=None)
    process = start("run", file, "--out", "out", cwd=tmp_path)
    spill = tmp_path / "out" / "telemetry.rows"
    while not (spill.exists() and spill.stat().st_size > 1_000_000) and process.poll() is None:
        time.sleep(0.02)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    code, _, err = finish(process)
    assert (code, err) == (130, "jounce: interrupted\n")
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["configuration.yaml", "events.jsonl", "telemetry.parquet"]
    log = read_telemetry(tmp_path / "out" / "telemetry.parquet")
    assert np.diff(log["time"]) == pytest.approx(0.01, abs=1e-9)
    assert len(log["time"]) > 100


def test_another_vehicle_drives_the_maneuver(tmp_path, capsys):
    """Its rear axle has the wheel's height for its coordinate: five links."""
    file = shortened(tmp_path, duration_s=2.0, limits={})
    code, _, err = call(capsys, "run", file, "--vehicle", "five_link_rear", "--out", tmp_path / "out")
    assert code == 0, err
    columns = read_telemetry(tmp_path / "out" / "telemetry.parquet")
    assert columns["theta_RL"] == pytest.approx(columns["jounce_RL"], abs=1e-3)
    # an angle of an arm of half a meter in front
    assert (columns["theta_FL"] / columns["jounce_FL"]).min() > 1.5
    code, _, err = call(capsys, "run", file, "--vehicle", "hovercraft", "--out", tmp_path / "none")
    assert code == 2
    assert "hovercraft" in err
    assert not (tmp_path / "none").exists()
