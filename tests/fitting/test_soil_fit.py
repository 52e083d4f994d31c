"""Soil parameters fitted to single-wheel tests: are known values recovered, with valid intervals?"""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from simulator.base.errors import ConfigError, JounceError
from simulator.builder.builder import build_soil, build_tire
from simulator.configuration.overrides import changes
from simulator.fitting.soil_fit import error_over_range, fit_soil, free_parameters, predicted
from simulator.fitting.soil_measurements import read_tests
from simulator.tools.soil.soil_bin import SoilBin
from tests.end_to_end.program import call

DATA = Path(__file__).resolve().parents[1] / "data" / "soil"
TRUE = {"friction_angle_deg": 34.0, "shear_modulus": 0.02, "n": 0.9}


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Tests that the soil bin itself made of a known sand, with noise of 0.5 % of the load and 1 % of the sinkage, in the units of others."""
    file = tmp_path_factory.mktemp("tests") / "made.csv"
    slip, load, angle = np.tile(np.linspace(-0.4, 0.8, 9), 2), np.repeat([4000.0, 8000.0], 9), np.zeros(18)
    angle[::3] = math.radians(10.0)
    found = SoilBin(build_tire("tmeasy_hmmwv"), build_soil("lete_sand", changes(TRUE))).drive(slip, load, angle)
    noise = np.random.default_rng(1).standard_normal((3, 18))
    pull, side = (predicted(found, name, angle) + 0.005 * load * noise[n] for n, name in enumerate(("drawbar_pull", "side_force")))
    sinkage = found[:, 0] * (1.0 + 0.01 * noise[2])
    rows = [
        f"{s},{w / 1e3},{math.degrees(a)},{p / 1e3},{f},{1e3 * z},sand"
        for s, w, a, p, f, z in zip(slip, load, angle, pull, side, sinkage, strict=True)
    ]
    file.write_text("\n".join(["slip,W_kN,beta_deg,DP_kN,Fy_N,z_mm,kind", *rows, "0,1,0,99,99,99,mud"]) + "\n")
    return file


def test_known_numbers_come_back_within_their_intervals(table):
    tests = read_tests(str(table), ["kind=sand"])
    found = fit_soil(
        tests, build_tire("tmeasy_hmmwv"), build_soil("lete_sand"), free_parameters(["friction_angle,shear_modulus,n"]), tried=0
    )
    for name, true in (("friction_angle", math.radians(34.0)), ("shear_modulus", 0.02), ("n", 0.9)):
        one = found.estimates[name]
        assert one.value == pytest.approx(true, rel=0.03)
        assert one.low < true < one.high
        assert one.high - one.low < 0.3 * true
    for name in tests.measured:
        assert error_over_range(predicted(found.found, name, tests.slip_angle), tests.measured[name]) < 0.03


def test_soilbin_fit_writes_a_soil_that_works_in_a_run(table, tmp_path, capsys):
    out = tmp_path / "fitted"
    code, said, _ = call(
        capsys, "soilbin", "lete_sand", "--fit", table, "--where", "kind=sand", "--free", "friction_angle,n", "--out", out, "--json"
    )
    assert code == 0
    answer = json.loads(said)
    soil = build_soil(str(out / "fitted_soil.yaml"))
    assert soil[0]["n"] == pytest.approx(answer["parameters"]["n"]["value"], rel=1e-5)
    assert soil[0]["shear_modulus"] == build_soil("lete_sand")[0]["shear_modulus"]
    assert "<svg" in (out / "soil_fit.html").read_text()
    code, said, _ = call(capsys, "check", out / "fitted_soil.yaml")
    assert code == 0


def test_columns_of_other_programs_are_read_in_their_units():
    tests = read_tests(str(DATA / "single_wheel_sand.csv"), ["wheel=smooth", "beta_deg=30"])
    assert len(tests) == 9
    assert tests.slip_angle == pytest.approx(math.radians(30.0))
    assert tests.measured["sinkage"][0] == pytest.approx(0.053344)
    assert tests.measured["side_force"][0] == pytest.approx(26.589)
    straight = read_tests(str(DATA / "single_wheel_sand.csv"), ["wheel=smooth", "beta_deg=0"])
    assert np.isnan(straight.measured["side_force"]).all()


@pytest.mark.parametrize(
    ("content", "where", "told"),
    [
        ("", [], "a line of names"),
        ("slip,load\n0.1,2\n0.2,2\n0.3,2\n", [], "nothing measured"),
        ("slip,z_mm\n0.1,2\n0.2,2\n0.3,2\n", [], "load"),
        ("slip,load,DP\n0.1,2,x\n0.2,2,1\n0.3,2,1\n", [], "a number"),
        ("slip,load,DP\n0.1,2,1\n0.2,2,1\n1.3,2,1\n", [], "0.99"),
        ("slip,load,DP\n0.1,2,1\n0.2,2,1\n", [], "at least 3 rows"),
        ("slip,load,DP\n0.1,2,1\n0.2,2,1\n0.3,2,1\n", ["wheels=a"], "COLUMN=VALUE"),
    ],
)
def test_unreadable_files_are_reported(tmp_path, content, where, told):
    file = tmp_path / "tests.csv"
    file.write_text(content)
    with pytest.raises(ConfigError, match=told):
        read_tests(str(file), where)


def test_more_parameters_than_measurements_are_rejected(tmp_path):
    file = tmp_path / "few.csv"
    file.write_text("slip,load,DP\n0.1,4000,1\n0.2,4000,1\n0.3,4000,1\n")
    with pytest.raises(JounceError, match="at least 9"):
        fit_soil(read_tests(str(file)), build_tire("tmeasy_hmmwv"), build_soil("lete_sand"), free_parameters([]))
    with pytest.raises(ConfigError, match="friction_angle"):
        free_parameters(["friction_angel"])
