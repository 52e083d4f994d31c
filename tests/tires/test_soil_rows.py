"""Do the functions of wheels on soil reproduce reference tables?"""

import csv
import json
import math
from itertools import pairwise
from pathlib import Path

import pytest

from simulator.base.errors import JounceError
from terrain.pressure_sinkage import reece_modulus
from vehicles.tires.rigid_wheel import WheelSoil, driven_wheel, multipass, skidding_wheel
from vehicles.tires.soil_reference_rows import KINDS, soil_row

DATA = Path(__file__).parents[1] / "data" / "soil"
INPUTS = {row["id"]: row for row in json.loads((DATA / "soil_inputs_shared.json").read_text())}
SAND = WheelSoil(1.53e6, 1.1, 1040.0, math.radians(28.0), 0.025, 0.18, 0.32)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_a_kind(kind):
    """Every quantity of every row of an independent program, within 0.01 %; values that are only rounding, within the rounding."""
    with (DATA / "soil_oracles_shared.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] == kind]
    found = {name: soil_row(kind, INPUTS[name]["params"]) for name in {row["id"] for row in rows}}
    assert rows
    for row in rows:
        assert found[row["id"]][row["quantity"]] == pytest.approx(float(row["value"]), rel=1e-4, abs=1e-6), row


def test_the_two_forms_of_the_pressure_are_one():
    """Reece's k1 and k2 in Bekker's form give the same wheel."""
    bekker = {"form": "bekker", "k_c": 0.0, "k_phi": reece_modulus(1500.0, 2.9e5, 0.12, 0.9)}
    rest = {"r": 0.2, "b": 0.12, "n": 0.9, "c": 350.0, "phi_deg": 31.0, "K": 0.014, "c1": 0.25, "c2": 0.32, "W": 420.0, "s": 0.25}
    reece = {"form": "reece", "k1": 1500.0, "k2": 2.9e5}
    assert soil_row("wr_driven", {**bekker, **rest}) == soil_row("wr_driven", {**reece, **rest})
    assert soil_row("wr_driven", {**reece, **rest, "theta2_ratio": 0.3})["theta2_deg"] < -1.0


def test_a_skid_grows_out_of_the_towed_wheel():
    """The harder a wheel is braked, the larger its drag, down to a locked wheel, and the drag is never negative."""
    pull = [skidding_wheel(SAND, 0.467, 0.254, 4000.0, i).pull for i in (0.05, 0.2, 0.5, 2.0, 1e4)]
    assert all(b < a < 0.0 for a, b in pairwise(pull))
    assert -pull[-1] < 4000.0 * 1.2


def test_lighter_wheels_that_follow_press_nothing_new():
    """A light wheel in the rut of a heavy one rolls on the rut floor and does not change the rut."""
    heavy, light = multipass(1.5e6, 1.1, 4e7, 0.0, 0.3, [(8000.0, 0.467), (500.0, 0.467)])
    assert heavy.rut < light.sinkage < heavy.sinkage and light.rut == heavy.rut
    assert light.resistance < 0.01 * heavy.resistance


def test_invalid_rows_are_rejected():
    with pytest.raises(JounceError, match="expected the load"):
        driven_wheel(SAND, 0.467, 0.254, 1e6, 0.2)
    with pytest.raises(JounceError, match="did you mean"):
        soil_row("wr_drive", {})
    with pytest.raises(JounceError, match="missing parameter W"):
        soil_row("wong_mode", {"k_c": 0.0, "k_phi": 1.0, "b": 1.0, "n": 1.0, "r": 1.0})
