"""Soil bin: one wheel that runs over a soil until it is steady."""

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest
import yaml

from simulator.base.errors import ConfigError
from simulator.builder.builder import build_soil, build_tire
from simulator.cli.main import main
from simulator.configuration.overrides import changes
from simulator.tools.soil.soil_bin import OUTPUTS, SoilBin

ROOT = Path(__file__).resolve().parents[2]
SMALL = ROOT / "tests" / "data" / "soil" / "wheel_smooth.yaml"
PLACE = {name: n for n, (name, *_) in enumerate(OUTPUTS)}


def column(found, name):
    return found[:, PLACE[name]]


@pytest.fixture(scope="module")
def sand():
    return SoilBin(build_tire("tmeasy_hmmwv"), build_soil("lete_sand"))


def test_a_rigid_wheel_matches_published_integrals():
    """Wong and Reece 1967, compact sand, wheel of 24.7 in and 6 in, 2006 lb, slip 0.05: sinkage 4.844 in, thrust 645.3 lb, resistance 590.2
    lb, torque 16716 lb in, computed by an independent quadrature. The wheel of the bin is stiff, not rigid."""
    pound, inch = 4.4482216152605, 0.0254
    psi, b = pound / inch**2, 6 * inch
    soil = build_soil("lete_sand")
    values = {"k_c": 0.0, "k_phi": (20 * psi + 2.5 * psi / inch * b) / b**0.47, "n": 0.47, "cohesion": 0.1 * psi, "c1": 0.43, "c2": 0.32,
              "friction_angle": math.radians(33.3), "shear_modulus": 1.5 * inch, "exit_ratio": 0.0, "unit_weight": 0.0}  # fmt: skip
    for name, value in values.items():
        soil[0][name] = value
    wheel = {"radius": 24.7 * inch, "width": b, "stiffness": 1e8, "rolling_resistance": 0.0, "strength": 1e6, "bulldozing_ahead": 0.0}
    found = SoilBin(build_tire("tmeasy_hmmwv", changes(wheel)), soil).drive(0.05, 2006 * pound)
    assert column(found, "settled") == 1.0
    assert column(found, "sinkage") / inch == pytest.approx(4.844, rel=0.05)
    assert column(found, "thrust") / pound == pytest.approx(645.29, rel=0.05)
    assert column(found, "resistance") / pound == pytest.approx(590.20, rel=0.05)
    assert column(found, "torque") / pound / inch == pytest.approx(16715.9, rel=0.05)


def test_lugs_that_dig_do_not_climb_what_they_carry_behind():
    """Single wheel with 5 mm grousers [Carnegie Mellon 2022]: sinks to three quarters of its radius at a slip of 0.9, and always pulls."""
    soil = build_soil("silica_sand")
    values = {"k_phi": 1.876e6, "n": 1.186, "cohesion": 400.2, "friction_angle": math.radians(27.27), "shear_modulus": 0.01081,
              "c1": 0.3096, "c2": 0.3906, "exit_ratio": -0.2799}  # fmt: skip
    for name, value in values.items():  # fitted to the wheel without grousers: docs/theory/soil_measured.md
        soil[0][name] = value
    found = SoilBin(build_tire(str(SMALL.with_name("wheel_grouser.yaml"))), soil).drive(np.array([0.21, 0.5, 0.75, 0.9]), 24.0)
    assert column(found, "drawbar_pull") == pytest.approx([1.8, 2.8, 3.4, 4.8], abs=3.2)
    assert column(found, "drawbar_pull").min() > 1.0
    assert column(found, "sinkage") == pytest.approx([0.019, 0.025, 0.032, 0.042], rel=0.1)


def test_forces_of_a_settled_wheel_agree(sand):
    """The load is carried; pull is thrust minus resistance; the axle power is at least the power of pull and sinkage."""
    slips = np.array([-1.0, -0.3, 0.0, 0.1, 0.3, 0.8])
    found = sand.drive(slips, 8000.0)
    assert (column(found, "settled") == 1.0).all()
    assert column(found, "carried") == pytest.approx(8000.0, rel=1e-4)
    assert column(found, "drawbar_pull") == pytest.approx(column(found, "thrust") - column(found, "resistance"))
    driving = slips > 0.0
    pull, torque = column(found, "drawbar_pull")[driving], column(found, "torque")[driving]
    assert (torque / 0.46 > pull * (1.0 - slips[driving])).all()


def test_the_wheel_pulls_more_with_slip_and_sinks_deeper_with_load(sand):
    over_slip = sand.drive([-0.5, -0.1, 0.0, 0.05, 0.1, 0.2], 8000.0)
    assert (np.diff(column(over_slip, "drawbar_pull")) > 0.0).all()
    over_load = sand.drive(0.1, [2000.0, 4000.0, 8000.0, 12000.0])
    assert (np.diff(column(over_load, "sinkage")) > 0.0).all()
    assert (np.diff(column(over_load, "resistance")) > 0.0).all()


def test_the_side_force_opposes_the_motion_and_is_equal_to_both_sides(sand):
    left, right = sand.drive(0.1, 8000.0, [0.15, -0.15])
    assert left[PLACE["side_force"]] < -1000.0
    assert right[PLACE["side_force"]] == pytest.approx(-left[PLACE["side_force"]], rel=1e-6)
    assert right[PLACE["drawbar_pull"]] == pytest.approx(left[PLACE["drawbar_pull"]], rel=1e-6)


def test_repeated_runs_are_identical_bit_by_bit(sand):
    first = sand.drive(0.2, 5000.0)
    sand.drive(-0.8, 12000.0, 0.5)
    assert sand.drive(0.2, 5000.0).tobytes() == first.tobytes()


SOILS = [file.stem for file in sorted((ROOT / "configs" / "soils").glob("*.yaml")) if yaml.safe_load(file.read_text())["type"] == "soil"]


@pytest.mark.parametrize("name", SOILS)
def test_every_shipped_soil_carries_a_wheel_with_finite_forces(name):
    """At a sinkage to its hub at most."""
    found = SoilBin(build_tire("tmeasy_hmmwv"), build_soil(name)).drive([-1.0, 0.0, 0.2, 0.8], 6000.0)
    assert np.isfinite(found).all()
    settled = column(found, "settled") == 1.0
    assert settled.sum() >= 3
    assert column(found, "carried")[settled] == pytest.approx(6000.0, rel=1e-3)


def test_other_tire_models_are_rejected():
    with pytest.raises(ConfigError, match="tmeasy"):
        SoilBin(build_tire("fiala_hmmwv"), build_soil("lete_sand"))


def test_soilbin_writes_its_results(tmp_path, capsys):
    out = tmp_path / "found.csv"
    words = ["soilbin", "dry_sand", "--tire", str(SMALL), "--load", "20:30:2", "--slip", "0.2", "0.5", "--slip-angle", "0", "15"]
    assert main([*words, "--set", "soil.n=0.9", "--csv", str(out), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    rows = list(csv.DictReader(out.open()))
    assert len(rows) == len(said["rows"]) == 8
    assert {row["load_N"] for row in rows} == {"20", "30"}
    assert [float(row["drawbar_pull_N"]) for row in rows] == pytest.approx([row["drawbar_pull_N"] for row in said["rows"]])
    softer = SoilBin(build_tire(str(SMALL)), build_soil("dry_sand", changes({"n": 0.9}))).drive(0.2, 20.0)
    assert float(rows[0]["sinkage_m"]) == pytest.approx(softer[0, PLACE["sinkage"]], rel=1e-6)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["soilbin", "asphalt"], "a soil"),
        (["soilbin", "dry_sand", "--slip", "1.5"], "--slip"),
        (["soilbin", "dry_sand", "--set", "n=3"], "tire.KEY=VALUE"),
        (["soilbin", "dry_sand", "--set", "soil.m=3"], "n"),
        (["soil", "quicksand"], "quicksand"),
    ],
)
def test_impossible_runs_are_reported_in_one_line(words, told, capsys):
    assert main(words) == 2
    assert told in capsys.readouterr().err


def test_soil_plots_and_prints(tmp_path, capsys):
    assert (
        main(["soil", "dry_sand", "--load", "4000", "--width", "0.25", "--radius", "0.4", "--out", str(tmp_path / "shown"), "--json"]) == 0
    )
    said = json.loads(capsys.readouterr().out)
    assert Path(said["picture"]).read_bytes().startswith(b"\x89PNG")
    assert said["numbers"]["n"] == 1.1
    assert said["rows"][0]["slip"] == -1.0
    assert said["rows"][0]["drawbar_pull"] < 0.0
