"""`--plugin PATH` of the command line: kinds of plugins are listed, work by name in a drive, and are named at the end if they fail."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from simulator.telemetry.writer import read_telemetry

ROOT = Path(__file__).parents[2]
LAYOUT = "<4sd6d3d"
"""Size of a packet of tests/plugins/protocols.py."""
Jounce = Callable[..., tuple[int, str, str]]


def procedure() -> str:
    shipped = (ROOT / "configs" / "washouts" / "small_hexapod.yaml").read_text()
    return shipped[shipped.index("procedure:") :]


def test_help_lists_the_kinds_of_plugins(jounce: Jounce) -> None:
    plain, more = jounce("drive", "--help"), jounce("drive", "--help", plugins=("drivers", "protocols"))
    said = " ".join(plain[1].split())
    assert "driver: auto, wheel, gamepad, keyboard, scripted, planner, follow, replay, cruise, ros2, fmu, back_up (default" in said
    assert "motion stream: native, codemasters, outsim, outsim2, outgauge, beamng, srs, forza, moog (default" in said
    said = " ".join(more[1].split())
    assert "driver: auto, wheel, gamepad, keyboard, pedal, " in said
    assert "scripted, planner, follow, replay, cruise, ros2, fmu, back_up, bend, " in said
    assert "srs, forza, moog, mine, " in said


@pytest.mark.parametrize(
    ("arguments", "plugins", "complaint"),
    [
        (("--driver", "bned"), ("drivers",), "argument --driver: invalid choice; expected one of auto, wheel"),
        (("--protocol", "mine"), (), "argument --protocol: invalid choice; expected one of native, codemasters"),
        (
            ("--sensor", "imv"),
            (),
            "--sensor: [0]: invalid value; expected a sensor: camera, imu, lidar, gnss, wheel_encoder, steering_angle; got 'imv'; hint: did you mean imu?",
        ),
        (("--sensor", "{type: imu"), (), "argument --sensor: invalid value; expected YAML; got '{type: imu'"),
        (
            ("--outlet", "lines"),
            (),
            "--outlet: [0].type: invalid value; expected an outlet: csv; got 'lines'",
        ),
        (("--sensor", "imu"), ("nowhere",), "nowhere.py: file not found; expected a plugin"),
    ],
)
def test_unknown_names_are_refused_in_a_line(
    jounce: Jounce, tmp_path: Path, arguments: tuple[str, ...], plugins: tuple[str, ...], complaint: str
) -> None:
    code, _, err = jounce("drive", "--no-view", "--no-motion", "--terrain", "flat", "--out", tmp_path / "out", *arguments, plugins=plugins)
    assert code == 2
    assert complaint in err
    assert err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_one_drive_with_a_plugin_of_every_kind(jounce: Jounce, tmp_path: Path) -> None:
    washout = tmp_path / "washout.yaml"
    washout.write_text(f"type: lagged_python\nrate: 100\ncueing: {{gain: [0.02, 0.02, 0.01], lag: 0.2}}\n{procedure()}")
    terrain = tmp_path / "terrain.yaml"
    terrain.write_text("type: waves\namplitude: 0.02\nlength: 20.0\nsurface: asphalt\n")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.setblocking(False)
        code, _, err = jounce(
            *("drive", "--no-view", "--duration", 2.0, "--out", tmp_path / "out", "--driver", "bend", "--protocol", "mine"),
            *("--to", f"127.0.0.1:{listener.getsockname()[1]}", "--washout", washout, "--terrain", terrain, "--outlet", "lines"),
            *("--sensor", "ahead", "--sensor", "{type: imu, rate: 200, force_noise: 0.01}"),
            plugins=("drivers", "protocols", "washouts", "terrains", "outlets", "sensors"),
        )
        assert code == 0, err
        packet = struct.unpack(LAYOUT, listener.recv(4096))
    assert packet[0] == b"MINE"
    columns = read_telemetry(tmp_path / "out" / "telemetry.parquet")
    assert columns["command_steering"][-1] == pytest.approx(0.1)
    assert columns["ahead_count"][-1] > 50
    assert 9.0 < np.mean(columns["imu_f_S_z"][20:]) < 11.0
    assert np.isfinite(columns["cab_f_H_P_z"]).all()
    assert np.isfinite(columns["cueing_force_error_x"]).all()
    lines = (tmp_path / "out" / "lines.txt").read_text().splitlines()
    assert lines[0].startswith("0.000 ")
    assert lines[-1] == "closed"


def test_plugins_that_fail_are_named_at_the_end_and_in_the_log(jounce: Jounce, tmp_path: Path) -> None:
    washout = tmp_path / "washout.yaml"
    quick = "procedure: {healthy: 0.01, rise: 0.1, blend: 0.1, fade: 0.5, settle: 1.0, park: 1.0, fault: 0.5}\n"
    washout.write_text(f"type: failing\ncueing: {{how: 1}}\n{quick}")
    code, out, err = jounce(
        *("drive", "--no-view", "--duration", 4.0, "--out", tmp_path / "out", "--terrain", "flat", "--washout", washout),
        *("--set", "outlets.motion.wait=true"),  # the washout must have run
        *("--sensor", "{type: failing_sensor, how: 0}", "--outlet", "hangs_outlet", "--maneuver", "avtp_lane_change"),
        plugins=("washouts", "outlets", "sensors"),
    )
    assert code == 1
    named = [
        "sensor failing_sensor was dropped: ValueError: no",
        "outlet hangs_outlet was dropped: no result within 0.5 s",
        "washout failing was dropped: its pose is not six finite numbers",
    ]
    for line in named:
        assert err.count(line) == 1
    assert "OUTSIDE" not in out
    log = pq.read_table(tmp_path / "out" / "telemetry.parquet")
    assert b"failing_sensor was dropped" in log.schema.metadata[b"jounce.ended"]
    assert np.isnan(log["failing_sensor_value"].to_numpy()[-1])


def test_a_run_names_the_plugins_that_it_stopped(jounce: Jounce, tmp_path: Path) -> None:
    arguments = ("run", "avtp_lane_change", "--out", tmp_path / "out", "--sensor", "imu", "--sensor", "{type: failing_sensor, how: 1}")
    code, _, err = jounce(*arguments, "--json", plugins=("sensors",))
    assert code == 1
    assert "sensor failing_sensor was dropped: ValueError: value is infinite" in err
    columns = read_telemetry(tmp_path / "out" / "telemetry.parquet")
    assert np.isfinite(columns["imu_w_S_z"]).all()
    about = pq.read_schema(tmp_path / "out" / "telemetry.parquet").metadata[b"jounce.dropped"]
    assert about == b"sensor failing_sensor was dropped: ValueError: value is infinite"


def test_a_run_with_a_washout_in_python_can_be_rerun(jounce: Jounce, tmp_path: Path) -> None:
    """A run serves it every ten ticks, a rerun every tick: its steps must be at the end of the ten ticks."""
    washout = tmp_path / "washout.yaml"
    quick = "procedure: {healthy: 0.01, rise: 0.1, blend: 0.1, fade: 0.5, settle: 1.0, park: 1.0, fault: 0.5}\n"
    washout.write_text(f"type: lagged_python\ncueing: {{gain: [0.02, 0.02, 0.01], lag: 0.2}}\n{quick}")
    words = ("run", "avtp_lane_change", "--set", "maneuver.duration=2", "--set", "maneuver.limits=null", "--washout", washout)
    code, _, err = jounce(*words, "--out", tmp_path / "run", plugins=("washouts",))
    assert code == 0, err
    assert np.ptp(read_telemetry(tmp_path / "run" / "telemetry.parquet")["platform_p_NP_x"]) > 1e-3
    code, _, err = jounce("rerun", tmp_path / "run", "--out", tmp_path / "again", plugins=("washouts",))
    assert code == 0, err
