"""`jounce datasheet` as its users call it: page, object, table, options and what is refused."""

import json
import signal

import pytest
from program import call, finish, refused, start
from terminal import jounce, on_terminal

FEW = "mass,toe_front_left,grade_60,creep_speed,turning_circle_curb_left"
MASS = 1817.0 + 4 * 133.333 + 90.0 + 90.0 + 400.0
"""Chassis, corners, crew and cargo [kg]."""


def test_a_page_an_object_and_the_same_numbers_again(tmp_path, capsys):
    code, out, err = call(capsys, "datasheet", "hmmwv", "--only", FEW, "--json", "--out", tmp_path / "first")
    assert (code, err) == (0, "") and len(out.splitlines()) == 1
    told = json.loads(out)
    assert set(told) == {"folder", "result", "machine"}
    assert json.loads((tmp_path / "first" / "datasheet.json").read_text())["result"] == told["result"]
    numbers = {row["fact"]: row["value"] for row in told["result"]["facts"]}
    assert numbers["mass"] == pytest.approx(MASS, abs=0.1)
    assert numbers["turning_circle_curb_left"] == pytest.approx(2 * 7.7, abs=0.3)
    assert numbers["grade_60"] == 1.0  # climbed, as published
    code, again, _ = call(capsys, "datasheet", "hmmwv", "--only", FEW, "--json", "--out", tmp_path / "second")
    assert code == 0 and json.loads(again)["result"] == told["result"]


def test_other_values_of_the_vehicle(tmp_path, capsys):
    _, out, _ = call(capsys, "datasheet", "hmmwv", "--only", "mass", "--json", "--out", tmp_path, "--set", "vehicle.chassis.mass=2817.0")
    assert json.loads(out)["result"]["facts"][0]["value"] == pytest.approx(MASS + 1000.0, abs=0.1)


def test_lines_on_a_pipe_and_nothing_of_series_when_quick(tmp_path, capsys):
    code, out, _ = call(capsys, "datasheet", "hmmwv", "--quick", "--only", "creep_speed,avtp_*", "--out", tmp_path)
    assert code == 0
    assert "1/1 creep" in out.splitlines() and "NATO" not in out
    assert "1 item: 1 no figure" in out and "2 of series and searches omitted" in out


def test_what_is_refused(tmp_path, capsys):
    assert "did you mean hmmwv?" in refused(call(capsys, "datasheet", "hmmvw"))
    assert "did you mean mass?" in refused(call(capsys, "datasheet", "hmmwv", "--only", "mas"))
    assert "figures.yaml" in refused(call(capsys, "datasheet", "hmmwv", "--reference", tmp_path / "figures.yaml"))
    assert "vehicle.chassis.masss" in refused(
        call(capsys, "datasheet", "hmmwv", "--set", "vehicle.chassis.masss=1", "--out", tmp_path / "new")
    )
    assert not (tmp_path / "new").exists()
    assert "of the vehicle" in refused(call(capsys, "datasheet", "hmmwv", "--set", "terrain.friction=0.5"))


def test_on_a_terminal_of_80_columns(tmp_path):
    code, said = on_terminal(jounce("datasheet", "hmmwv", "--only", f"{FEW},width", "--out", tmp_path / "out"), 80, tmp_path)
    assert code == 0, said
    lines = [line.split("\x1b[2K")[-1] for line in said.replace("\r", "").splitlines()]
    table = lines[lines.index("HMMWV") :]
    assert all(len(line) <= 80 for line in table if str(tmp_path) not in line)
    assert any("turning, curb to curb, left" in line and "15.24" in line for line in table)
    assert any("width" in line and "OUTSIDE 2.12 to 2.16" in line for line in table)


def test_ended_by_a_signal_nothing_is_left_behind(tmp_path):
    process = start("datasheet", "hmmwv", cwd=tmp_path)
    assert process.stdout is not None
    while not process.stdout.readline().startswith("2/"):  # the second case is being driven
        assert process.poll() is None
    assert (tmp_path / "runs").is_dir()
    process.send_signal(signal.SIGINT)
    code, _, err = finish(process)
    assert (code, err) == (130, "jounce: interrupted\n")
    assert not (tmp_path / "runs").exists()


def test_several_vehicles_on_one_page(tmp_path, capsys):
    code, out, _ = call(capsys, "datasheet", "hmmwv", "hmmwv_chrono", "--only", "mass", "--out", tmp_path / "two", "--json")
    assert code == 0
    assert [one["vehicle"] for one in json.loads(out)["result"]] == ["hmmwv", "hmmwv_chrono"]
    assert (tmp_path / "two" / "vehicles.md").is_file() and not (tmp_path / "two" / "datasheet.md").exists()
