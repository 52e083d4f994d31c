"""A complete run without the vehicle: driver, plant, telemetry, metrics, report."""

from __future__ import annotations

import copy
import json
import os
import re
import struct
import subprocess
import sys
from pathlib import Path as FilePath

import numpy as np
import pytest
from bicycle import Bicycle, drive

from simulator.base.errors import OutputError
from simulator.maneuvers.maneuver_file import load_maneuver
from simulator.maneuvers.metrics import evaluate
from simulator.maneuvers.plots.kinds import USUAL
from simulator.maneuvers.report.page import RunInfo, outcome, run_page
from simulator.maneuvers.report.write_report import write_metrics, write_report
from simulator.report.html_page import cell
from simulator.report.plot import MAX_POINTS, thinned
from simulator.telemetry.writer import TelemetryWriter, read_telemetry
from tests.maneuvers.shipped import shipped
from vehicles.command import COMMAND
from vehicles.readout import READOUT

ROOT = FilePath(__file__).parents[2]
SPAWN = (30.0, 70.0, -2.0)
FILES = {"metrics.json", "speed.png", "attitude.png", "lateral_acceleration.png", "yaw_rate.png", "path.png"}


def run(name, folder, step=0.001, **changes):
    maneuver = load_maneuver(shipped(name) | changes, name)
    plant, driver = Bicycle(pose=SPAWN, speed=maneuver.start.speed), maneuver.driver(SPAWN)
    with TelemetryWriter(folder, [("", READOUT, plant.readout), ("command_", COMMAND, plant.command)], round(0.01 / step)) as log:
        drive(plant, driver, maneuver.duration, step, round(0.01 / step), publish=log.publish)
    telemetry = read_telemetry(log.file)
    return maneuver, driver, telemetry, evaluate(maneuver, telemetry, SPAWN)


@pytest.fixture(scope="module")
def avtp(tmp_path_factory):
    return run("avtp_lane_change", tmp_path_factory.mktemp("avtp"), plots=list(USUAL))


def test_double_lane_change_passes(tmp_path):
    maneuver, driver, _, result = run("double_lane_change", tmp_path, step=0.002)
    assert result["pass"], result["checks"]
    assert result["metrics"]["path_error_max_m"] < 0.3
    # what the evaluation takes for the path is the path the driver had, to the millimeter
    for found, asked in zip(result["lane_changes"], driver.path.lane_changes, strict=True):
        assert found["station_m"] == pytest.approx(asked.start, abs=0.03)
    # the band of the scenario: a 3.5 m quintic of 60 m at 20 m/s asks for 2.25 m/s2 and about 0.11 rad/s
    assert result["metrics"]["lateral_acceleration_max_mps2"] == pytest.approx(2.25, rel=0.25)
    assert maneuver.name == "double_lane_change"


@pytest.mark.parametrize("side", ["left", "right"])
def test_avtp_is_clean_at_50_kph(tmp_path, side):
    mapping = shipped("avtp_lane_change")
    _, _, _, result = run("avtp_lane_change", tmp_path, step=0.002, course=mapping["course"] | {"side": side, "overlap_m": 3, "cut": 0})
    assert result["pass"], result["checks"]
    assert all(gate["clean"] for gate in result["gates"])
    assert result["metrics"]["gate_margin_min_m"] > 0.05
    assert result["metrics"]["speed_end_mps"] == pytest.approx(0.0, abs=0.01)


def test_avtp_much_too_fast_is_not_clean(tmp_path):
    _, _, _, result = run("avtp_lane_change", tmp_path, step=0.002, parameters={"speed_kph": 120, "side": "left"})
    assert not result["pass"] and result["metrics"]["course_clean"] == 0.0


def test_scripted_drive_stops_within_its_time(tmp_path):
    _, _, telemetry, result = run("scripted_drive", tmp_path, step=0.002)
    assert result["metrics"]["speed_end_mps"] == pytest.approx(0.0, abs=0.05)
    assert result["metrics"]["distance_m"] > 200.0
    assert np.abs(telemetry["command_steering"]).max() < 0.3


def test_report_is_complete_and_readable(avtp, tmp_path):
    maneuver, _, telemetry, result = avtp
    files, left_out = write_report(tmp_path, maneuver, telemetry, result, machine={"real_time_factor": 12.5}, spawn=SPAWN)
    assert left_out == []
    assert {file.name for file in files} == FILES == set(os.listdir(tmp_path))
    data = json.loads((tmp_path / "metrics.json").read_text(encoding="utf-8"))
    assert data["result"] == result and data["machine"] == {"real_time_factor": 12.5}
    for name in FILES - {"metrics.json"}:
        content = (tmp_path / name).read_bytes()
        assert content.startswith(b"\x89PNG")
        width, height = struct.unpack(">II", content[16:24])
        assert width >= 1000 and height >= 500


def test_the_page_contains_the_metrics_and_fetches_nothing(avtp, tmp_path):
    maneuver, _, telemetry, result = avtp
    maneuver = copy.copy(maneuver)
    maneuver.pictures = ()
    frame = (b"\xff\xd8 no picture", "3.0 s")
    told = RunInfo([("seed", "7"), ("configuration", "abc123")], "maneuver: <all> of it", ["a sensor"], [frame])
    write_report(tmp_path, maneuver, telemetry, result | {"remarks": ["wet & cold"]}, machine={}, spawn=SPAWN, info=told)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    plain = text.replace("<wbr>", "")
    for row in result["table"]:
        assert f">{row['metric']}</td><td>{cell(row['value'])}</td>" in plain
    assert plain.count(">✓ pass<") == sum(row["verdict"] == "pass" for row in result["table"]) > 1
    for words in (
        outcome(result).text,
        "wet &amp; cold",
        "stopped: a sensor",
        "abc123",
        "maneuver: &lt;all&gt; of it",
        "stretched laterally",
        "gate 3",
    ):
        assert words in plain
    for title in ("forward speed", "lateral acceleration, + = left", "sideslip", "wheel load", "slip angle"):
        assert f">{title}" in plain
    assert 'src="data:image/jpeg;base64,' in text and len(text) < 3_000_000
    assert not re.search(r"https?:|@import|url\((?!#)|fetch\(|XMLHttpRequest", text) and "default-src &#x27;none" in text.replace(
        "'", "&#x27;"
    )


def test_page_of_a_run_that_ended_early_or_has_no_limits(avtp):
    _, _, _, result = avtp
    early = result | {"pass": False, "ended_early": {"time_s": 3.25, "reason": "roll beyond 30 deg"}}
    assert "ended early, at 3.25 s: roll beyond 30 deg" in run_page(early, RunInfo(), None).html()
    free = result | {"pass": None, "checks": [], "table": [row | {"verdict": "info"} for row in result["table"]]}
    assert "no limits given" in run_page(free, RunInfo(), None).html()
    none = {"title": "short", "maneuver": "short", "pass": None, "checks": [], "table": []}
    assert "too few rows" in run_page(none, RunInfo(), None).html()


def test_same_run_same_bits(tmp_path):
    contents = []
    for name in ("a", "b"):
        folder = tmp_path / name
        folder.mkdir()
        maneuver, _, telemetry, result = run("avtp_lane_change", folder, step=0.005, duration_s=12, plots=list(USUAL))
        write_report(folder, maneuver, telemetry, result, spawn=SPAWN)
        log = {name: column.tobytes() for name, column in read_telemetry(folder / "telemetry.parquet", wall=False).items()}
        contents.append({file.name: log if file.suffix == ".parquet" else file.read_bytes() for file in folder.iterdir()})
    assert set(contents[0]) == FILES | {"telemetry.parquet"}
    assert contents[0] == contents[1]


def test_machine_is_apart_from_the_result(tmp_path):
    write_metrics(tmp_path, {"pass": True}, {"wall_time_s": 3.2})
    assert json.loads((tmp_path / "metrics.json").read_text()) == {"result": {"pass": True}, "machine": {"wall_time_s": 3.2}}


def test_way_points_and_script_are_drawn_too(tmp_path):
    mapping = shipped("scripted_drive")
    del mapping["lane_changes"]
    variants = {
        "way": mapping
        | {"duration_s": 8, "waypoints_m": [[0, 0], [60, 0], [100, 30]], "speed": [{"at_s": 0, "speed": 8, "acceleration": 2}]},
        "script": {key: value for key, value in mapping.items() if key != "speed"}
        | {"duration_s": 8, "script": [{"at_s": 0, "throttle": 0.8}, {"at_s": 8, "throttle": 0.5, "steering": 0.3}]},
    }
    for name, variant in variants.items():
        folder = tmp_path / name
        folder.mkdir()
        maneuver = load_maneuver(variant, name)
        plant, driver = Bicycle(pose=SPAWN), maneuver.driver(SPAWN)
        with TelemetryWriter(folder, [("", READOUT, plant.readout)], 2) as log:
            drive(plant, driver, maneuver.duration, 0.005, 2, publish=log.publish)
        telemetry = read_telemetry(log.file)
        write_report(folder, maneuver, telemetry, evaluate(maneuver, telemetry, SPAWN), spawn=SPAWN)
        assert set(os.listdir(folder)) == FILES | {"telemetry.parquet"}


def test_unwritable_folder_is_one_line(avtp, tmp_path):
    maneuver, _, telemetry, result = avtp
    with pytest.raises(OutputError) as error:
        write_report(tmp_path / "nowhere", maneuver, telemetry, result, spawn=SPAWN)
    assert "metrics.json: cannot be written" in str(error.value) and "\n" not in str(error.value)
    assert os.listdir(tmp_path) == []


def test_nothing_heavy_is_imported_before_it_is_needed():
    program = (
        "import sys\n"
        "import simulator.maneuvers.maneuver_file, simulator.maneuvers.report.write_report, simulator.telemetry.writer, simulator.driver.path\n"
        "print([name for name in ('pyarrow', 'matplotlib', 'numba', 'pyglet', 'yaml') if name in sys.modules])\n"
    )
    out = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_a_long_record_is_drawn_by_its_extremes():
    t = np.arange(300_001) * 0.01
    values = np.sin(t) + 0.1 * np.random.default_rng(1).standard_normal(len(t))
    values[123_457] = 9.0
    drawn_t, drawn = thinned(t, values)
    assert len(drawn) <= MAX_POINTS + 2
    assert (np.diff(drawn_t) >= 0.0).all()
    assert (drawn.max(), drawn_t[drawn.argmax()]) == (9.0, t[123_457])
    assert drawn.min() == values.min()
    assert (drawn_t[0], drawn_t[-1]) == (pytest.approx(0.0, abs=2.0), t[-1])
    assert set(zip(drawn_t.tolist(), drawn.tolist(), strict=True)) <= set(zip(t.tolist(), values.tolist(), strict=True))
    short = values[:2000]
    assert thinned(t[:2000], short)[1] is short


TWO_HOURS = """
import resource, sys
import numpy as np
from simulator.maneuvers.maneuver_file import load_maneuver
from simulator.maneuvers.metrics import columns as needed, evaluate
from simulator.maneuvers.report.write_report import write_report
from tests.maneuvers.shipped import shipped

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

n = 720_001
t = np.arange(n) * 0.01
noise = np.random.default_rng(1).standard_normal(n)
columns = {name: noise for name in needed(("FL", "FR", "RL", "RR"))} | {"time": t, "p_WB_x": 300.0 * np.cos(0.05 * t), "p_WB_y": 300.0 * np.sin(0.05 * t)}
before = peak()
mapping = {key: value for key, value in shipped("scripted_drive").items() if key not in ("lane_changes", "limits", "speed")}
maneuver = load_maneuver(mapping | {"script": [{"at_s": 0, "throttle": 0.3}]}, "script")
result = evaluate(maneuver, columns)
write_report(sys.argv[1], maneuver, columns, result)
print(peak() - before)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="peak memory as POSIX counts it")
def test_metrics_and_plots_of_two_hours_take_little_memory(tmp_path):
    """A million noisy rows; transforms of unlucky lengths took 0.4 GB, curves drawn point by point as much again."""
    command = [sys.executable, "-c", TWO_HOURS, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert {file.name for file in tmp_path.iterdir()} == FILES
    assert float(done.stdout) < 450.0
