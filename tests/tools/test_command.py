"""Does `jounce cueing` write a page and JSON data for a drive and for the objective test, and reject invalid arguments?"""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from simulator.base.errors import JounceError
from simulator.base.yaml_reader import read_yaml
from simulator.builder.builder import find_config
from simulator.cli.main import main
from simulator.telemetry.channels import Channel
from simulator.telemetry.log import Log
from simulator.tools.cueing import command, omct
from simulator.tools.cueing.motion_pipeline import felt
from simulator.tools.cueing.recorded_drives import read_drive

G = 9.80665


def record_drive(place, rate: float = 500.0, seconds: float = 6.0, columns: str = "f_H_B w_WB_B") -> str:
    """A drive as `jounce run` leaves it: surge and yaw that come and go."""
    t = np.arange(round(seconds * rate) + 1) / rate
    wave = np.sin(2.0 * np.pi * 0.5 * t) * np.sin(np.pi * t / seconds)
    arrays = {f"{field}_{axis}": np.zeros(len(t)) for field in columns.split() for axis in "xyz"}
    arrays |= {"time": t, "f_H_B_x": 2.0 * wave}
    if "w_WB_B" in columns:
        arrays |= {"f_H_B_z": np.full(len(t), G), "w_WB_B_z": 0.3 * wave}
    place.mkdir()
    about = {"maneuver": "waves", "configuration": json.dumps({"terrain": {"gravity": G}})}
    Log([Channel(name, "", "", "", np.dtype("f8"), 0, field=name[:-2]) for name in arrays], arrays, about).save(place / "telemetry.parquet")
    return str(place)


def call(capsys, *words) -> tuple[int, str, str]:
    try:
        code = main([str(word) for word in words])
    except SystemExit as end:  # argparse
        code = int(end.code or 0)
    said = capsys.readouterr()
    return code, said.out, said.err


def test_a_drive_through_two_washouts_is_a_page_and_an_object(capsys, tmp_path):
    run = record_drive(tmp_path / "run")
    code, out, _ = call(
        capsys,
        "cueing",
        "compare",
        run,
        "--washout",
        "small_hexapod",
        "large_hexapod",
        "--platform",
        "small_hexapod",
        "simona",
        "--out",
        tmp_path / "out",
        "--json",
    )
    assert code == 0
    told = json.loads(out)
    assert json.loads((tmp_path / "out" / "cueing.json").read_text())["result"] == told["result"]
    small, large = told["result"]["washouts"]
    assert (small["force_gain"][0], large["platform"]) == (pytest.approx(0.4), "simona")
    scores = small["drives"][0]
    assert 0.0 < scores["force_error"] < 1.5
    assert scores["axes"]["sway"]["error"] is None  # nothing to be felt there
    assert scores["used"]["limited_share"] < 0.02
    assert set(scores["perceived"]) == {"haug", "zacharias", "telban_cardullo", "delft"}
    page = (tmp_path / "out" / "cueing.html").read_text()
    acts = any(one["drives"][0]["used"]["limited_share"] > 0.0 for one in (small, large))
    assert page.count('<svg class="panel"') == 18 + acts  # one for the limiter where it acts
    assert "waves" in page and "large_hexapod on simona" in page


def test_a_scale_of_ones_own_and_the_table_on_a_terminal(capsys, tmp_path):
    run = record_drive(tmp_path / "run", rate=100.0)
    code, out, err = call(capsys, "cueing", "compare", run, "--gain", "0.8", "--out", tmp_path / "out")
    assert code == 0
    assert " 0.8 " in out and "waves" in out
    assert "--log-rate 1000" in err  # too few rows for a verdict
    assert json.loads((tmp_path / "out" / "cueing.json").read_text())["result"]["washouts"][0]["force_gain"] == pytest.approx([0.8] * 3)


def test_two_drives_of_one_maneuver_have_the_names_of_their_folders(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    runs = [record_drive(tmp_path / name, seconds=3.0) for name in ("first", "second")]
    code, out, _ = call(capsys, "cueing", "compare", *runs, "--out", tmp_path / "out")
    assert code == 0
    assert "1: first\n2: second\n" in out
    assert max(map(len, out.split("A: ")[0].splitlines())) <= 80
    assert "stroke limited" in out, "no heading is broken inside a word"
    names = [drive["name"] for drive in json.loads((tmp_path / "out" / "cueing.json").read_text())["result"]["drives"]]
    assert names == ["first", "second"]


def test_the_objective_test_is_a_page_and_an_object(capsys, tmp_path, monkeypatch):
    few = {"frequencies": np.array([1.0, 10.0]), "settle": 4.0}
    monkeypatch.setattr(command, "objective_test", lambda *given, **named: omct.objective_test(*given, **named, **few))
    code, out, _ = call(capsys, "cueing", "test", "--washout", "small_hexapod", "--amplitude", "0.5", "--out", tmp_path / "out")
    assert code == 0
    assert "min. in phase" in out
    said = json.loads((tmp_path / "out" / "cueing.json").read_text())["result"]["washouts"][0]["tests"][0]
    assert said["frequencies"] == [1.0, 10.0]
    yaw = read_yaml(find_config("washouts", "small_hexapod"))["cueing"]
    share = yaw["fast_rate"][2]
    less_fast = share + (1.0 - share) / (1.0 + 10j / yaw["fast_frequency"])
    K, w, z = (yaw[key][2] for key in ("rate_gain", "rotation_frequency", "rotation_damping"))
    assert said["response"]["yaw"]["yaw"]["gain"][1] == pytest.approx(
        K * abs(less_fast * 10j**2 / (10j**2 + 2 * z * w * 10j + w * w)), rel=0.03
    )
    assert said["sinacori_schroeder"]["surge"]["total"]["fidelity"] in ("high", "medium", "low")
    pushes = json.loads((tmp_path / "out" / "cueing.json").read_text())["result"]["washouts"][0]["pushes"]
    for push in pushes:  # A4 of the acceptance tests
        assert push["tilt"] == pytest.approx(push["tilt_wanted"], rel=0.01)
        assert push["tilt_wanted"] == pytest.approx(math.asin(0.4 / G))
        assert push["false_cue_after"] < 0.0
    page = (tmp_path / "out" / "cueing.html").read_text()
    assert "surge by surge: gain" in page and "pitch by surge: gain" in page


def test_what_cannot_be_used_is_refused_in_one_line(capsys, tmp_path):
    def refused(*words) -> str:
        code, _, err = call(capsys, "cueing", *words)
        assert code == 2 and err.count("\n") == 1
        return err

    assert "did you mean small_hexapod?" in refused("test", "--washout", "small_hexapd")
    assert "one for each of the 1 washouts" in refused("test", "--platform", "simona", "small_hexapod")
    assert "w_WB_B_x" in refused("compare", record_drive(tmp_path / "half", columns="f_H_B"))
    assert "2 s or more" in refused("compare", record_drive(tmp_path / "short", seconds=1.0))
    assert not (tmp_path / "runs").exists()


def test_a_drive_is_read_in_rows_of_its_own(tmp_path):
    drive = read_drive(record_drive(tmp_path / "run", rate=500.0), 1e-3)
    assert len(drive.force) == 6001
    assert drive.force[::2, 0] == pytest.approx(2.0 * drive.rate[::2, 2] / 0.3, abs=1e-9)
    assert drive.recorded == pytest.approx(500.0)
    with pytest.raises(JounceError, match="nowhere"):
        read_drive(tmp_path / "nowhere")


def test_nose_up_is_felt_as_a_push_forward():
    """A7 of the acceptance tests: a pitch of 5.85 degrees, nose up, is 1.000 m/s2 forward."""
    pose = np.zeros((5, 6))
    pose[:, 4] = -math.asin(1.0 / G)
    seen = felt(pose, np.array([0.1, 0.0, 0.9]), 1e-3)
    assert math.degrees(-pose[0, 4]) == pytest.approx(5.853, abs=1e-3)
    assert seen.force[2] == pytest.approx([1.0, 0.0, G * (math.cos(pose[0, 4]) - 1.0)], abs=1e-6)


def test_a_head_that_swings_feels_what_its_path_says():
    """All six ways at once, against the path of the head differentiated by hand."""
    h, head = 1e-3, np.array([0.2, -0.1, 0.9])
    t = np.arange(0.0, 1.0, h)
    pose = np.sin(np.outer(t, [2.0, 3.0, 1.5, 2.5, 3.5, 1.0]) + 0.3) * [0.1, 0.1, 0.05, 0.2, 0.15, 0.3]
    seen = felt(pose, head, h)
    k, e = 400, 10

    def rotation(angles):
        (cr, cp, cy), (sr, sp, sy) = np.cos(angles), np.sin(angles)
        yaw = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1.0]])
        pitch = np.array([[cp, 0, sp], [0, 1.0, 0], [-sp, 0, cp]])
        return yaw @ pitch @ np.array([[1.0, 0, 0], [0, cr, -sr], [0, sr, cr]])

    R = rotation(pose[k, 3:])
    at = [pose[i, :3] + rotation(pose[i, 3:]) @ head for i in (k - e, k, k + e)]
    a = (at[2] - 2.0 * at[1] + at[0]) / (e * h) ** 2
    turn = R.T @ (rotation(pose[k + e, 3:]) - rotation(pose[k - e, 3:])) / (2.0 * e * h)
    assert seen.force[k] == pytest.approx(R.T @ (a + [0.0, 0.0, G]) - [0.0, 0.0, G], abs=2e-3)
    assert seen.rate[k] == pytest.approx([turn[2, 1], turn[0, 2], turn[1, 0]], abs=2e-3)
