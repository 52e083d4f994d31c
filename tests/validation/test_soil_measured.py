"""Measured wheels and the soil bin: a sand fitted to one series predicts the other series."""

import numpy as np

from simulator.builder.builder import build_soil, build_tire
from simulator.fitting.soil_fit import fit_soil
from simulator.fitting.soil_measurements import read_tests
from simulator.tools.soil.soil_bin import SoilBin
from simulator.validation.suite.command import ROOT
from simulator.validation.suite.known_deviations import KNOWN
from simulator.validation.suite.result import ReferenceData, evaluate_part
from simulator.validation.suite.snow_measurements import PARTS as SNOW
from simulator.validation.suite.soil_measurements import MAX_ERROR, Series, _row, _rows, _sign_row

DATA = ROOT / "tests" / "data" / "soil"


def test_a_sand_fitted_straight_ahead_predicts_pull_and_side_force_at_slip_angles():
    """Four parameters are fitted to the wheel straight ahead. The tolerances are those of the page; the search has no further start points."""
    file, tire = str(DATA / "single_wheel_sand.csv"), build_tire(str(DATA / "wheel_smooth.yaml"))
    free = ("k_phi", "friction_angle", "shear_modulus", "exit_ratio")
    fitted = fit_soil(read_tests(file, ["wheel=smooth", "beta_deg=0"]), tire, build_soil("silica_sand"), free, tried=0)
    series = []
    for angle in (15, 30, 45):
        tests = read_tests(file, ["wheel=smooth", f"beta_deg={angle}"])
        series.append(Series(tests, SoilBin(tire, fitted.soil).drive(tests.slip, tests.load, tests.slip_angle)))
    rows = {row.what.rpartition(": ")[2]: row for row in _rows("predicted", series)}
    assert rows["pull"].passed
    assert rows["side force"].passed


def test_a_row_passes_by_its_error_over_the_range():
    there = np.array([0.0, 10.0, np.nan])
    kept, outside = (_row("x", "drawbar_pull", there + share * 10.0, there) for share in (0.24, 0.26))
    assert (kept.passed, outside.passed) == (True, False)
    assert kept.difference == "24.0 %"
    assert MAX_ERROR["drawbar_pull"] == 25.0
    signs = _sign_row("x", np.array([1.0, -1.0]), np.array([1.0, 2.0]))
    assert not signs.passed
    assert signs.difference == "1 wrong, up to 2 N"


def test_wheels_in_snow_sink_to_its_packed_depth_and_roll_as_measured():
    """Sinkage and resistance of a truck wheel at 14 densities and depths."""
    part = SNOW[0]
    verdict = evaluate_part(part, part.find(ReferenceData(DATA.parent)), KNOWN[part.name])
    assert not verdict.failed and not verdict.stale
    assert len(verdict.finding.rows) == 8
