"""`jounce tire` and `jounce validate tire` on the command line, and a vehicle with tires from a .tir file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from program import call, refused

from simulator.builder.builder import build_vehicle
from simulator.configuration.file_lookup import data_folder
from tests.laws.vehicle_rig import command, drive, ground, track

DATA = Path(__file__).resolve().parents[1] / "data" / "tires"
SHIPPED = data_folder("configs") / "tires"


def test_a_good_file_leaves_a_picture_and_a_table(tmp_path: Path, capsys: Any) -> None:
    code, out, _ = call(capsys, "tire", SHIPPED / "hmmwv_pac02.tir", "--plot", tmp_path / "curves.png")
    assert code == 0 and "cornering stiffness [N/deg]" in out and "relaxation across [m]" in out and "reading: angles" in out
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    code, out, _ = call(capsys, "tire", "tmeasy_chrono", "--json", "--plot", tmp_path / "more.png")
    told = json.loads(out)
    nominal = told["loads"][2]
    assert code == 0 and told["type"] == "tmeasy" and nominal["load"] == pytest.approx(8600.0)
    assert nominal["cornering_stiffness"] == pytest.approx(63.6e3, rel=0.02)
    assert nominal["friction_driving"] == pytest.approx(7703.5 / 8562.8, rel=0.01)


def test_a_broken_file_is_refused(tmp_path: Path, capsys: Any) -> None:
    text = (SHIPPED / "hmmwv_pac02.tir").read_text(encoding="utf-8")
    (tmp_path / "broken.tir").write_text(text.replace("FNOMIN                     = 35000", "FNOMIN = much"), encoding="utf-8")
    said = refused(call(capsys, "tire", tmp_path / "broken.tir"))
    assert "broken.tir: VERTICAL.FNOMIN: invalid value; expected a number; got 'much'" in said
    assert "MODEL.FITTYP" in refused(call(capsys, "validate", "tire", DATA / "mf_shared.csv", _only_header(tmp_path)))
    assert "no_such.tir" in refused(call(capsys, "tire", tmp_path / "no_such.tir"))


def _only_header(folder: Path) -> Path:
    (folder / "hmmwv_pac02.tir").write_text("[MODEL]\nUSE_MODE = 4\n", encoding="utf-8")
    return folder / "hmmwv_pac02.tir"


def test_rows_on_the_command_line(tmp_path: Path, capsys: Any) -> None:
    code, out, _ = call(capsys, "validate", "tire", DATA / "mf_shared.csv", SHIPPED / "hmmwv_pac02.tir", "--json")
    told = json.loads(out)
    assert code == 0 and told["pass"] and told["states"] == 172 and any("mfeval_61" in note for note in told["notes"])
    code, out, _ = call(capsys, "validate", "tire", DATA / "mf_shared.csv", DATA / "synth_A_61_si.tir", "--reading", "tangents")
    assert code == 1 and "FAIL" in out  # M_z of cambered tires, see docs/tires.md
    (tmp_path / "rows.csv").write_text("Fz,kappa,alpha\n4000,0.1,0\n", encoding="utf-8")
    assert "such as Fx" in refused(call(capsys, "validate", "tire", tmp_path / "rows.csv", DATA / "synth_A_61_si.tir"))


@pytest.mark.parametrize("tires", ["magic_hmmwv", "fiala_hmmwv", "computed_hmmwv"])
def test_a_car_on_them_stands_on_a_grade_and_changes_lanes(tmp_path: Path, tires: str) -> None:
    (tmp_path / "car.yaml").write_text(f"base: hmmwv\ntires: {tires}\n", encoding="utf-8")
    car = build_vehicle(str(tmp_path / "car.yaml"))
    for yaw in (0.0, 0.5 * np.pi):
        car.reset(ground("asphalt 30"), yaw=yaw)
        places = track(car, "asphalt 30", command(brake=1.0), 3.0)["p_WB"]
        assert np.linalg.norm(places - places[0], axis=1).max() < 1e-6
    car.reset(ground("flat"), speed=15.0)
    sideways = []
    for steering in (0.3, -0.3, -0.3, 0.3):  # to the left, and back
        drive(car, "flat", command(selector=1, throttle=0.3, steering=steering), 0.8)
        sideways.append(car.read()[0]["p_WB"][1])
    drive(car, "flat", command(selector=1, throttle=0.3), 2.0)
    seen = car.read()[0]
    assert max(sideways) > 1.0 and abs(seen["yaw"]) < 0.3 and seen["v_WB_B"][0] > 10.0
    assert not car.troubles


def test_a_tire_property_file_in_the_place_of_a_tire(tmp_path: Path) -> None:
    (tmp_path / "mine.tir").write_bytes((SHIPPED / "hmmwv_pac02.tir").read_bytes())
    (tmp_path / "car.yaml").write_text("base: hmmwv\ntires: {front: mine.tir, rear: tmeasy_hmmwv}\n", encoding="utf-8")
    car = build_vehicle(str(tmp_path / "car.yaml"), check_step=False)
    assert [law.name for law in car.tires.laws] == ["magic_formula", "magic_formula", "tmeasy", "tmeasy"]
    assert car.model.treads.laws["side"].tolist() == [1.0, -1.0, 1.0, -1.0]
    assert car.model.tires["stiffness"][0] == pytest.approx(441900.0)


def test_the_shipped_file_alone_is_a_tire_of_the_hmmwv(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "mine.tir").write_bytes((SHIPPED / "hmmwv_pac02.tir").read_bytes())
    (tmp_path / "car.yaml").write_text("base: hmmwv\ntires: mine.tir\n", encoding="utf-8")
    assert not build_vehicle(str(tmp_path / "car.yaml")).troubles
    tire = "type: magic_formula\nfile: mine.tir\nload_max: 78750.0\n"
    (tmp_path / "too_far.yaml").write_text(tire, encoding="utf-8")
    (tmp_path / "car.yaml").write_text("base: hmmwv\ntires: too_far.yaml\n", encoding="utf-8")
    assert "too_far.yaml:3: load_max: invalid value; expected at most" in refused(
        call(capsys, "check", tmp_path / "car.yaml", "--kind", "vehicles")
    )


def test_check_recognizes_files_by_suffix(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "mine.tir").write_bytes((SHIPPED / "hmmwv_pac02.tir").read_bytes())
    code, out, _ = call(capsys, "check", tmp_path / "mine.tir")
    assert code == 0 and "good (tires)" in out
    (tmp_path / "road.crg").write_text("$ROAD_CRG\n", encoding="utf-8")
    assert "jounce terrain info FILE" in refused(call(capsys, "check", tmp_path / "road.crg"))
