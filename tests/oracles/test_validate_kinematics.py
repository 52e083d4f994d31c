"""Do positions, velocities and accelerations of the corners agree with an independent solution, and is bad input rejected?"""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.main import main

DATA = Path(__file__).parents[1] / "data" / "mechanisms"
INPUTS = ("axle", "theta", "delta", "theta_dot", "delta_dot", "theta_ddot", "delta_ddot")
STATES = json.loads((DATA / "hmmwv_states_mp50.json").read_text(encoding="utf-8"))
with (DATA / "hmmwv_front_kinematics.csv").open(encoding="utf-8", newline="") as stream:
    ROWS = list(csv.DictReader(stream))


def validate(capsys: pytest.CaptureFixture[str], file: Path, *options: str) -> tuple[int, dict[str, Any]]:
    code = main(["validate", "kinematics", str(file), "--json", *options])
    return code, json.loads(capsys.readouterr().out)


def refused(capsys: pytest.CaptureFixture[str], file: Path, *options: str) -> str:
    code = main(["validate", "kinematics", str(file), "--json", *options])
    out, err = capsys.readouterr()
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert "expected" in err
    assert str(file) in err
    return err


def write_states(folder: Path, states: Any, name: str = "states.json") -> Path:
    (folder / name).write_text(json.dumps({"states": states}), encoding="utf-8")
    return folder / name


def write_rows(folder: Path, rows: list[dict[str, Any]], name: str = "front.csv") -> Path:
    with (folder / name).open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return folder / name


@pytest.mark.parametrize("vehicle", ["hmmwv", "hmmwv_chrono"])
@pytest.mark.parametrize("name", ["hmmwv_states_mp50.json", "hmmwv_front_kinematics.csv", "hmmwv_rear_kinematics.csv"])
def test_agrees_with_recorded_positions_and_motions(name: str, vehicle: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, report = validate(capsys, DATA / name, "--vehicle", vehicle)
    assert code == 0, report
    assert report["limit"] == 1e-12
    assert report["max_error"] == max(report["errors"].values()) <= 1e-12
    wanted = (
        {"wheel", "R", "wheel_v", "wheel_a", "omega", "alpha", "phi_ddot", "shock_ddot"}
        if name.endswith("json")
        else {"W", "R", "T", "PU", "spring"}
    )
    assert wanted <= set(report["errors"])


def test_reads_nothing_but_the_inputs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With one answer left in the file the error of that answer is the same as beside all others."""
    _, whole = validate(capsys, DATA / "hmmwv_states_mp50.json")
    for name in ("wheel", "alpha", "shock_ddot"):
        part = [{key: state[key] for key in (*INPUTS, name)} for state in STATES["states"]]
        code, report = validate(capsys, write_states(tmp_path, part))
        assert code == 0
        assert report["errors"] == {name: whole["errors"][name]}
    part = [{key: row[key] for key in ("theta", "delta", "Wx", "Wy", "Wz")} for row in ROWS]
    code, report = validate(capsys, write_rows(tmp_path, part))
    assert code == 0
    assert set(report["errors"]) == {"W"}


def test_one_wrong_value_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    states = json.loads(json.dumps(STATES["states"]))
    states[-1]["wheel"][2] += 1e-10
    code, report = validate(capsys, write_states(tmp_path, states))
    assert code == 1
    assert report["pass"] is False
    rows = [dict(row) for row in ROWS[:20]]
    rows[7]["Ty"] = repr(float(rows[7]["Ty"]) + 1e-10)
    code, report = validate(capsys, write_rows(tmp_path, rows))
    assert code == 1
    assert report["errors"]["T"] > 1e-11 > report["errors"]["W"]


def test_the_wrong_axle_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _ = validate(capsys, DATA / "hmmwv_front_kinematics.csv", "--axle", "rear")
    assert code == 1
    shutil.copy(DATA / "hmmwv_rear_kinematics.csv", tmp_path / "sweep.csv")
    assert "front or rear" in refused(capsys, tmp_path / "sweep.csv")
    code, _ = validate(capsys, tmp_path / "sweep.csv", "--axle", "rear")
    assert code == 0


BAD_STATES: dict[str, tuple[str, Any]] = {
    **{f"no {key}": (key, lambda s, key=key: s.pop(key)) for key in INPUTS},
    "unknown axle": ("axle", lambda s: s.update(axle="middle")),
    "axle as a list": ("axle", lambda s: s.update(axle=["front"])),
    "angle in words": ("theta", lambda s: s.update(theta="small")),
    "angle as a list": ("theta", lambda s: s.update(theta=[0.1])),
    "angle not a number": ("theta", lambda s: s.update(theta=float("nan"))),
    "rate infinite": ("theta_dot", lambda s: s.update(theta_dot=float("inf"))),
    "wheel with two numbers": ("wheel", lambda s: s.update(wheel=[0.0, 1.0])),
    "wheel in words": ("wheel", lambda s: s.update(wheel="there")),
    "rotation as nine numbers": ("R", lambda s: s.update(R=[1.0] * 9)),
    "number with 400 digits": ("theta", lambda s: s.update(theta=10**400)),
}


@pytest.mark.parametrize("what", BAD_STATES)
def test_malformed_states_are_refused_with_one_line(what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, change = BAD_STATES[what]
    states = json.loads(json.dumps(STATES["states"][:3]))
    change(states[1])
    assert f"states[1].{key}" in refused(capsys, write_states(tmp_path, states))


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "3", '{"states": []}', '{"states": {}}', '{"states": [1]}', '{"state": []}', "[" * 100_000]
)
def test_text_that_holds_no_states_is_refused_with_one_line(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "states.json").write_text(text, encoding="utf-8")
    refused(capsys, tmp_path / "states.json")


@pytest.mark.parametrize(
    "content", [b"", b"theta,delta,Wx\n", b"theta,Wx,Wy,Wz\n0,0,0,0\n", b"theta,delta\n0,0\n", b"theta,delta,phi\n0,zero,0\n",
                b"theta,delta,phi\n0,nan,0\n", b"theta,delta,phi\n0,0\n", b"theta,delta,phi\n0,0,0,0,0\n", b"\xff\xfe\x00", b"\x00\x00", b"PK\x03\x04"],
)  # fmt: skip
def test_malformed_tables_are_refused_with_one_line(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "front.csv").write_bytes(content)
    refused(capsys, tmp_path / "front.csv")


def test_other_files_are_refused_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refused(capsys, tmp_path / "missing.csv")
    refused(capsys, tmp_path)
    shutil.copy(DATA / "hmmwv_states_mp50.json", tmp_path / "states.txt")
    refused(capsys, tmp_path / "states.txt")
    (tmp_path / "folder.json").mkdir()
    refused(capsys, tmp_path / "folder.json")
