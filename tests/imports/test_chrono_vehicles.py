"""Does a vehicle of Project Chrono become the vehicle that was converted by hand, and does the report name the rest?"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import jounce
from simulator.cli.main import main
from simulator.imports.chrono.source import Part, Report
from simulator.imports.chrono.springs import shock_section, spring_section

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data" / "chrono_vehicles"
HMMWV = DATA / "hmmwv" / "vehicle" / "HMMWV_Vehicle_4WD.json"
ENGINE, TRANSMISSION = "hmmwv/powertrain/HMMWV_EngineShafts.json", "generic/powertrain/AutomaticTransmissionShafts.json"
OPTIONS = {
    "HMMWV_Vehicle_4WD": ["--tire", "hmmwv/tire/HMMWV_TMeasyTire.json", "--engine", ENGINE, "--transmission", TRANSMISSION],
    "Sedan_Vehicle": [
        *("--tire", "sedan/tire/Sedan_TMeasyTire.json", "--engine", "sedan/powertrain/Sedan_EngineShafts.json"),
        *("--transmission", "sedan/powertrain/Sedan_ManualTransmissionShafts.json"),
    ],
    "van": [],
}
FILES = {
    "HMMWV_Vehicle_4WD": HMMWV,
    "Sedan_Vehicle": DATA / "sedan" / "vehicle" / "Sedan_Vehicle.json",
    "van": DATA / "VW_microbus" / "json" / "van.json",
}


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The vehicle files of all cars."""
    out = tmp_path_factory.mktemp("chrono")
    for name, file in FILES.items():
        assert main(["import", "chrono", str(file), "--out", str(out / name), *OPTIONS[name]]) == 0
    return {name: out / name / f"{name}.yaml" for name in FILES}


def content(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def shipped(kind: str, name: str) -> Any:
    return content(ROOT / "configs" / kind / f"{name}.yaml")


def pairs(mine: Any, theirs: Any, key: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield the values of two contents with equal keys."""
    if isinstance(mine, dict):
        for name in mine:
            yield from pairs(mine[name], theirs[name], f"{key}.{name}")
    else:
        yield key, mine, theirs


def same(mine: Any, theirs: Any, *without: str, atol: float = 1e-9, rtol: float = 1e-6) -> None:
    for key, one, other in pairs(mine, theirs):
        if not key.endswith(without or ("-",)):
            if isinstance(one, str):
                assert one == other, key
            else:
                np.testing.assert_allclose(one, other, rtol, atol, err_msg=key)


def test_the_hmmwv_is_the_one_that_was_converted_by_hand(imported: dict[str, Path]) -> None:
    """Key by key. The JSON files have hardpoints in mm, one linear damper, and another place of the driver."""
    mine, theirs = content(imported["HMMWV_Vehicle_4WD"]), shipped("vehicles", "hmmwv_chrono")
    for axle in ("front", "rear"):
        one, other = mine["axles"][axle], theirs["axles"][axle]
        same(one["hardpoints_left"], other["hardpoints_left"], atol=6e-4)
        same(one["bodies"], other["bodies"])
        same(one["spring"], other["spring"])
        same(one["location"], other["location"])
    same(mine["chassis"], theirs["chassis"], "drivers_head", rtol=1e-5)
    same(mine["steering"], theirs["steering"], atol=2e-4)
    assert mine["contact"] == theirs["contact"]


def test_its_drivetrain_is_the_one_that_was_converted_by_hand(imported: dict[str, Path]) -> None:
    mine = content(imported["HMMWV_Vehicle_4WD"].with_name("HMMWV_Vehicle_4WD_drivetrain.yaml"))
    same(mine, shipped("drivetrains", "drivetrain_hmmwv_chrono"))


def test_a_map_of_a_damper_becomes_two_pairs_of_dampings() -> None:
    """The map of the source is that of the damper with two zones in its C++ class."""
    part = Part(json.loads((DATA / "hmmwv" / "suspension" / "HMMWV_DoubleWishboneFront_mapShock.json").read_text()), "shock")
    report = Report()
    mine = shock_section(part.part("Shock"), part.part("Spring"), 0.37, False, report)
    same(mine, shipped("vehicles", "hmmwv_chrono")["axles"]["front"]["shock"], rtol=2e-5)
    assert "0.0% of the largest force" in report.lines[0]


def test_a_tire_given_by_its_load_is_that_of_project_chrono(imported: dict[str, Path]) -> None:
    mine, theirs = content(imported["Sedan_Vehicle"].with_name("Sedan_Vehicle_tires.yaml")), shipped("tires", "tmeasy_sedan_chrono")
    keys = ("radius", "width", "stiffness", "bottoming_radius", "bottoming_stiffness", "load", "load_max", "friction", "rolling_resistance")
    curves = ("dfx0", "fxm", "fxs", "dfy0", "fym", "fys", "sxm", "sxs", "sym", "sys", "nl0", "sq0", "sqe", "damping")
    same({key: mine[key] for key in (*keys, *curves)}, theirs, rtol=1e-5)


def test_the_multi_link_is_the_mechanism_that_was_converted_by_hand(imported: dict[str, Path]) -> None:
    """The JSON file has another sign of an axis; the mechanism of Jounce assumes other moments of the trailing link."""
    mine, theirs = content(imported["Sedan_Vehicle"].with_name("Sedan_Vehicle_rear_axle.yaml")), shipped("mechanisms", "sedan_multilink")
    for body, section in mine["bodies"].items():
        same(section, theirs["bodies"][body], *(["inertia"] if body == "trailing link" else []), atol=1e-5, rtol=1e-3)
    del mine["joints"]["trailing link"]["axes"]
    same(mine["joints"], theirs["joints"], atol=1e-4)
    same(mine["loops"], theirs["loops"])
    for spring in ("coil", "damper"):
        same(mine["springs"][spring], theirs["springs"][spring])
    axle = content(imported["Sedan_Vehicle"])["axles"]["rear"]
    assert axle["spring"]["rate"] == theirs["springs"]["coil"]["rate"]
    assert axle["shock"]["rebound_damping"] == theirs["springs"]["damper"]["damping"]


def test_the_sedan_has_the_hardpoints_and_bodies_of_the_shipped_one(imported: dict[str, Path]) -> None:
    mine, theirs = content(imported["Sedan_Vehicle"]), shipped("vehicles", "sedan_chrono")
    same(mine["axles"]["front"]["hardpoints_left"], theirs["axles"]["front"]["hardpoints_left"])
    same(mine["axles"]["front"]["bodies"], theirs["axles"]["front"]["bodies"], rtol=1e-3)
    same(mine["steering"]["location"], theirs["steering"]["location"])
    assert mine["steering"]["pinion_radius"] == pytest.approx(theirs["steering"]["pinion_radius"], rel=0.02)
    assert mine["steering"]["pinion_sign"] == theirs["steering"]["pinion_sign"]


@pytest.mark.parametrize("preload", [0.0, 4000.0])
def test_a_spring_has_the_force_of_its_source_at_every_length(preload: float) -> None:
    """Force of the source: preload - table(length - free length), or preload - k (length - free length)."""
    curve = {"Free Length": 0.3, "Preload": preload, "Spring Curve Data": [[-0.1, -9000.0], [0.0, 0.0], [0.05, 1000.0]]}
    linear = {"Free Length": 0.3, "Preload": preload, "Spring Coefficient": 50000.0}
    empty = Part({}, "shock")
    length = np.linspace(0.21, 0.34, 14)
    section = spring_section(Part(curve, "spring"), empty, True, Report())
    pull = np.interp(length - section["free_length"], section["deformation"], section["pull"])
    table = np.array(curve["Spring Curve Data"])
    np.testing.assert_allclose(-pull, preload - np.interp(length - 0.3, table[:, 0], table[:, 1]), rtol=1e-9)
    section = spring_section(Part(linear, "spring"), empty, True, Report())
    np.testing.assert_allclose(-section["rate"] * (length - section["free_length"]), preload - 50000.0 * (length - 0.3), rtol=1e-8)


def test_a_damper_curve_is_fitted() -> None:
    """A curve of the law that a vehicle file has comes back as its numbers."""
    v = np.linspace(-1.5, 1.5, 31)
    curve = [[float(x), float(np.where(x < 0.0, 2000.0, 5000.0) * x / (1.0 + 0.8 * abs(x)))] for x in v]
    section = shock_section(Part({"Damping Curve Data": curve}, "shock"), Part({}, "spring"), 0.4, False, Report())
    assert section["compression_damping"] == pytest.approx(2000.0, rel=0.1)
    assert section["rebound_damping"] == pytest.approx(5000.0, rel=0.1)
    assert section["degressivity"] == pytest.approx(0.8, rel=0.1)


def test_every_file_passes_the_check_and_names_its_sources(imported: dict[str, Path], capfd: pytest.CaptureFixture[str]) -> None:
    files = [str(path) for file in imported.values() for path in sorted(file.parent.iterdir())]
    assert main(["check", *files]) == 0
    capfd.readouterr()
    text = imported["van"].read_text()
    for words in (
        "van_SemiTrailingArm.json",
        "SHA-256",
        "a rigid connection of engine and gears; used: a torque converter",
        "RSD / Damping Coefficient",
    ):
        assert words in text


def test_struts_and_a_rigid_axle_pass_the_check_and_stand_like_their_source(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A HMMWV with the struts and the rigid axle of the generic vehicle: the mass of the axle is that of its parts."""
    text = HMMWV.read_text()
    for old, new in (
        ("hmmwv/suspension/HMMWV_DoubleWishboneFront", "generic/suspension/MacPhersonStrut"),
        ("hmmwv/suspension/HMMWV_DoubleWishboneRear", "generic/suspension/SolidAxle"),
        ("[ 1.688965, 0, 0 ]", "[ 1.25, 0, -0.21 ]"),
        ("[ -1.688965, 0, 0 ]", "[ -1.688965, 0, -0.236 ]"),
        ("[ 1.24498, 0, 0.101322 ]", "[ 1.1, 0, -0.4 ]"),
    ):
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "generic.json").write_text(text)
    options = ["--data", str(DATA), "--tire", "tmeasy_hmmwv", "--drivetrain", "drivetrain_hmmwv_chrono", "--out", str(tmp_path / "out")]
    assert main(["import", "chrono", str(tmp_path / "generic.json"), *options]) == 0
    assert main(["check", str(tmp_path / "out" / "generic.yaml")]) == 0
    axles = content(tmp_path / "out" / "generic.yaml")["axles"]
    assert axles["front"]["hardpoints_left"]["LCA_U"] == [-0.02165371, 0.94057703, -0.17402826]
    assert axles["front"]["spring"] == {"free_length": 0.306, "rate": 369149.0}
    body = axles["rear"]["bodies"]["axle"]
    assert body["mass"] == pytest.approx(44.958 + 2 * 1.356 + 1.446 + 2.892)
    ends = 2 * (1.356 * 0.7**2 + 0.5 * 1.446 * 0.475**2 + 0.5 * 2.892 * 0.6**2)
    assert body["inertia"][2][2] == pytest.approx(7.744 + 2 * 0.00196 + ends, rel=0.01)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--transmission", "sedan/wheel/Sedan_Wheel.json"], "`Transmission`"),
        (["--tire", "hmmwv/wheel/HMMWV_Wheel.json"], "`Tire`"),
        (["--tire", "a", "b", "c"], "one tire"),
        (["--data", "nowhere"], "a folder that exists"),
        (["--engine", "none.json"], "none.json"),
    ],
)
def test_a_wrong_option_is_one_line(options: list[str], words: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert words in outcome_of([str(HMMWV), "--out", str(tmp_path / "out"), *OPTIONS["HMMWV_Vehicle_4WD"], *options], capfd)


def test_a_leaf_spring_axle_moves_up_and_down(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """On the vertical guide of the source, the wheels keep their place along and across: within 5 mm over 0.2 m."""
    name = "uaz/suspension/UAZBUS_RearLeafspringAxle.json"
    file = changed(tmp_path, TOP, "hmmwv/suspension/HMMWV_DoubleWishboneRear.json", name)
    assert main(["import", "chrono", str(file), "--out", str(tmp_path / "out"), *OPTIONS["HMMWV_Vehicle_4WD"]]) == 0
    axle = content(tmp_path / "out" / "HMMWV_Vehicle_4WD.yaml")["axles"]["rear"]
    assert axle["bodies"]["axle"] == {"mass": 124.0, "inertia": [22.21, 0.0775, 22.21]}
    points = {key: np.array(point) for key, point in axle["hardpoints_left"].items()}
    for link in ("LOWER", "UPPER", "PANHARD"):
        rod = points[f"{link}_A"] - points[f"{link}_C"]
        assert rod[2] == 0.0
        assert np.linalg.norm(rod) - math.sqrt(np.linalg.norm(rod) ** 2 - 0.1**2) < 0.005
    assert "two degressivities" in (tmp_path / "out" / "HMMWV_Vehicle_4WD.yaml").read_text()


def test_what_nobody_read_is_reported(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A key of a template that Jounce does not know, wherever it is."""
    file = changed(
        tmp_path,
        "hmmwv/suspension/HMMWV_DoubleWishboneRear.json",
        '"Mass": 23.965,',
        '"Mass": 23.965, "Bushing Data": {"Stiffness Linear": 7e7},',
    )
    capfd.readouterr()
    assert main(["import", "chrono", str(file), "--out", str(tmp_path / "out"), "--json", *OPTIONS["HMMWV_Vehicle_4WD"]]) == 0
    losses = json.loads(capfd.readouterr().out)["losses"]
    assert "HMMWV_DoubleWishboneRear.json: Lower Control Arm / Bushing Data: no counterpart; used: nothing" in losses


def test_texts_of_the_files_stay_texts(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    name = r"a: [\nevil: 1\r#\u0085\u2028\u007f'"
    file = changed(
        tmp_path, "hmmwv/suspension/HMMWV_DoubleWishboneRear.json", '"Mass": 23.965,', f'"Mass": 23.965, "{name}": {{"x": 7e7}},'
    )
    capfd.readouterr()
    assert main(["import", "chrono", str(file), "--out", str(tmp_path / "out"), *OPTIONS["HMMWV_Vehicle_4WD"]]) == 0
    shown = capfd.readouterr().out
    assert r"a: [\nevil: 1\r#" in shown
    for text in (shown, *(one.read_text(encoding="utf-8") for one in (tmp_path / "out").glob("*.yaml"))):
        assert all(line.isprintable() for line in text.split("\n"))
        assert not re.search("^evil", text, re.MULTILINE)


MANEUVER = {"duration_s": 9.0, "start": {"speed_kph": 45.0}, "speed": [{"at_s": 0, "speed_mps": 12.5, "acceleration_mps2": 1.0}]}
CHANGES = [{"at_s": 2.0, "offset_m": 3.5, "length_m": 35.0}, {"at_s": 5.5, "offset_m": -3.5, "length_m": 35.0}]


def test_they_drive_like_the_shipped_ones(imported: dict[str, Path], tmp_path: Path) -> None:
    """A double lane change: largest lateral acceleration and roll beside the vehicle that was converted by hand."""
    maneuver = tmp_path / "changes.yaml"
    maneuver.write_text(yaml.safe_dump({"name": "changes", "vehicle": "hmmwv", "terrain": "flat", **MANEUVER, "lane_changes": CHANGES}))

    def peaks(vehicle: str) -> tuple[float, float]:
        metrics = jounce.Simulation(vehicle, "flat", maneuver=str(maneuver)).run().metrics
        return metrics["lateral_acceleration_max_mps2"], math.degrees(metrics["roll_max_rad"])

    mine, theirs = peaks(str(imported["HMMWV_Vehicle_4WD"])), peaks("hmmwv_chrono")
    assert mine == pytest.approx(theirs, rel=0.08)
    for name in ("Sedan_Vehicle", "van"):
        acceleration, roll = peaks(str(imported[name]))
        assert 1.0 < acceleration < 4.0
        assert 0.1 < roll < 8.0


def changed(tmp_path: Path, name: str, old: str, new: str) -> Path:
    """Return the HMMWV in a copy of the data folder, with a text of one file replaced."""
    folder = tmp_path / "data"
    shutil.copytree(DATA, folder)
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new))
    return folder / HMMWV.relative_to(DATA)


def outcome_of(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> str:
    """Return the only line of an import that fails with the exit code 2."""
    capfd.readouterr()
    assert main(["import", "chrono", *arguments]) == 2
    lines = capfd.readouterr().err.strip().splitlines()
    assert len(lines) == 1, lines
    return lines[0]


FRONT, TOP = "hmmwv/suspension/HMMWV_DoubleWishboneFront.json", "hmmwv/vehicle/HMMWV_Vehicle_4WD.json"
HOSTILE = {
    "out of the folder": (TOP, '"hmmwv/wheel/HMMWV_Wheel.json"', '"../../etc/passwd"', "without `..`"),
    "absolute": (TOP, '"hmmwv/wheel/HMMWV_Wheel.json"', '"/etc/passwd"', "inside the data folder"),
    "a drive": (TOP, '"hmmwv/wheel/HMMWV_Wheel.json"', r'"C:\\windows\\win.ini"', "inside the data folder"),
    "itself": (TOP, '"hmmwv/chassis/HMMWV_Chassis.json"', '"hmmwv/vehicle/HMMWV_Vehicle_4WD.json"', "expected `Chassis`"),
    "a missing file": (TOP, '"hmmwv/steering/HMMWV_PitmanArm.json"', '"hmmwv/steering/none.json"', "--data"),
    "one axle": (TOP, '"Axles": [', '"Axles": [],"x": [', "two axles"),
    "axles reversed": (TOP, "[ -1.688965, 0, 0 ]", "[ 2.688965, 0, 0 ]", "the front axle first"),
    "tracked": (TOP, '"WheeledVehicle"', '"TrackedVehicle"', "`WheeledVehicle`"),
    "not a number": (FRONT, "14.705", "NaN", "finite numbers"),
    "infinite": (FRONT, "14.705", "1e999", "finite numbers"),
    "huge": (FRONT, "14.705", "1e15", "from 0 to 1e+06"),
    "millimeters": (FRONT, '"Free Length": 0.339', '"Free Length": 339', "from 0.001 to 100"),
    "many digits": (FRONT, "14.705", "9" * 9000, "too many digits"),
    "negative mass": (FRONT, "14.705", "-1", "from 0 to 1e+06"),
    "a text": (FRONT, "14.705", '"heavy"', "Spindle / Mass"),
    "two coordinates": (FRONT, "[ -0.040, 0.910, -0.026 ]", "[ -0.040, 0.910 ]", "3 numbers"),
    "a falling curve": (FRONT, "[ -0.18, -240521.166 ]", "[ -0.28, -240521.166 ]", "the first of them rising"),
    "no length": (FRONT, "[ 0.097, 0.543, -0.047 ]", "[ 0.104, 0.510, 0.197 ]", "more than 1 mm apart"),
    "another suspension": (FRONT, '"DoubleWishbone"', '"HendricksonPRIMAXX"', "Jounce has no axle like it"),
    "cut": (FRONT, '"Shock": {', "", "not JSON"),
    "deep": (FRONT, '"Shock": {', '"x": ' + "[" * 90000 + "]" * 90000 + ', "Shock": {', "too deep"),
    "no mass": (FRONT, '"Mass": 19.450', '"Mass": 0', "the result is refused"),
    "inside out": (FRONT, "[ -0.036, 0.787, -0.118 ]", "[ -0.036, -0.787, -0.118 ]", "the result is refused"),
    "a list": (FRONT, "", "", "a mapping"),
}  # fmt: skip


@pytest.mark.parametrize("fault", HOSTILE)
def test_a_hostile_file_is_one_line_and_leaves_nothing(fault: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    name, old, new, words = HOSTILE[fault]
    file = changed(tmp_path, name, old, new) if old else changed(tmp_path, name, "{", "{")
    if not old:
        (tmp_path / "data" / name).write_text("[1, 2]")
    assert words in outcome_of([str(file), "--out", str(tmp_path / "out"), *OPTIONS["HMMWV_Vehicle_4WD"]], capfd)
    assert not (tmp_path / "out").exists()


def test_links_pipes_and_folders_are_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file, out = changed(tmp_path, FRONT, "14.705", "14.705"), str(tmp_path / "out")
    wheel = tmp_path / "data" / "hmmwv" / "wheel" / "HMMWV_Wheel.json"
    wheel.rename(tmp_path / "outside.json")
    wheel.symlink_to(tmp_path / "outside.json")
    assert "links that lead out" in outcome_of([str(file), "--out", out, *OPTIONS["HMMWV_Vehicle_4WD"]], capfd)
    wheel.unlink()
    os.mkfifo(wheel)
    assert "HMMWV_Wheel.json" in outcome_of([str(file), "--out", out, *OPTIONS["HMMWV_Vehicle_4WD"]], capfd)
    assert "a folder" in outcome_of([str(tmp_path), "--out", out], capfd)
    assert "--tire" in outcome_of([str(HMMWV), "--out", out], capfd)
    assert "--engine" in outcome_of([str(HMMWV), "--out", out, "--tire", "tmeasy_hmmwv"], capfd)


def test_random_damage_is_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Cut and changed bytes: a result, or one line."""
    random = np.random.default_rng(1)
    file = changed(tmp_path, FRONT, "14.705", "14.705")
    targets = [
        tmp_path / "data" / name for name in (FRONT, TOP, "hmmwv/steering/HMMWV_PitmanArm.json", "hmmwv/tire/HMMWV_TMeasyTire.json", ENGINE)
    ]
    for n in range(20):
        target = targets[n % len(targets)]
        whole = target.read_bytes()
        damaged = bytearray(whole[: int(random.integers(len(whole)))] if n % 3 == 0 else whole)
        for _ in range(0 if n % 3 == 0 else 3):
            damaged[int(random.integers(len(damaged)))] = int(random.choice(list(b'0123456789.-,[]{}":e /\xff')))
        target.write_bytes(bytes(damaged))
        capfd.readouterr()
        code = main(["import", "chrono", str(file), "--out", str(tmp_path / "out"), "--overwrite", *OPTIONS["HMMWV_Vehicle_4WD"]])
        assert code in (0, 2)
        assert code == 0 or len(capfd.readouterr().err.strip().splitlines()) == 1
        target.write_bytes(whole)


def test_rotation_of_the_steering_frame_is_read_from_the_quaternion(imported: dict[str, Path]) -> None:
    half = math.radians(18.5) / 2.0
    text = HMMWV.read_text()
    assert f"{math.cos(half):.8f}" in text
    assert content(imported["HMMWV_Vehicle_4WD"])["steering"]["rotation_y_deg"] == pytest.approx(18.5, abs=1e-4)
