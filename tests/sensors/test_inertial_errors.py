"""Are the errors of an IMU those of the reference: the order of the errors, and the Allan deviation of an hour?"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.base.records import record
from simulator.base.rotations import rotation_of_euler
from simulator.sensors.imu import measure
from simulator.sensors.imu_grades import PRESETS
from simulator.sensors.inertial_errors import InertialErrors
from simulator.validation.suite.navigation import allan_deviation, allan_points
from vehicles.readout import READOUT

DATA = Path(__file__).parents[1] / "data" / "sensors" / "imu"
ALLAN = json.loads((DATA / "allan.json").read_text())
MOTIONS = json.loads((DATA / "motions.json").read_text())
KEYS = {"scale": "scale_error", "misalignment": "misalignment", "bias": "offset", "range": "range", "step": "step"}


def keys_of(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of the reference by our keys."""
    named = {
        f"{ours}_{KEYS[key]}": parameters[f"{theirs}_{key}"] for ours, theirs in (("force", "accel"), ("rate", "gyro")) for key in KEYS
    }
    return {**named, "g_sensitivity": parameters["g_sensitivity"]}


@pytest.mark.parametrize("case", json.loads((DATA / "errors.json").read_text()))
def test_scale_misalignment_bias_limits_and_steps_come_in_order(case: dict[str, Any]) -> None:
    errors = InertialErrors(keys_of(case["parameters"]), 0.01, np.random.default_rng(0))
    force, rate = errors.measured(case["f_true"], case["w_true"])
    np.testing.assert_allclose(force, case["accel"], atol=1e-9, rtol=0)
    np.testing.assert_allclose(rate, case["gyro"], atol=1e-9, rtol=0)


@pytest.mark.parametrize("name", ["slalom", "rough", "roll_over"])
def test_a_unit_away_from_the_reference_point_measures_what_its_own_path_gives(name: str) -> None:
    columns, mount = MOTIONS["columns"], MOTIONS[name]["mount"]
    R_BS, R_WB, out = np.empty((3, 3)), np.empty((3, 3)), np.empty((2, 3))
    rotation_of_euler(*np.radians(mount["rpy_deg"]), R_BS)
    p_BS, readout = np.array(mount["position"]), record(READOUT)
    table = np.load(DATA / f"motion_{name}.npz")["table"]
    for row in (dict(zip(columns, values, strict=True)) for values in table):
        rotation_of_euler(row["roll"], row["pitch"], row["yaw"], R_WB)
        r = readout[0]
        r["q_WB"] = [row[key] for key in ("qw", "qx", "qy", "qz")]
        r["a_WB_B"] = R_WB.T @ [row[key] for key in ("ax", "ay", "az")]
        r["w_WB_B"], r["alpha_WB_B"] = [row[key] for key in ("wx", "wy", "wz")], [row[key] for key in ("alx", "aly", "alz")]
        measure(readout, p_BS, R_BS, 9.80665, np.empty((3, 3)), out)
        assert out[0] == pytest.approx([row[key] for key in ("fx", "fy", "fz")], abs=1e-6)
        assert out[1] == pytest.approx([row[key] for key in ("gx", "gy", "gz")], abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_allan_deviation_of_an_hour_is_in_the_bands(seed: int) -> None:
    """Of the 64 points, at most 4 are outside the bands of 99 %, and none beyond 1.6 half bands."""
    outside, most, points = allan_points(ALLAN, seed)
    assert points == 64
    assert outside <= 4
    assert most <= 1.6


def test_an_allan_deviation_of_a_known_series() -> None:
    """Of a ramp with the slope a, the Allan deviation is a tau / sqrt(2)."""
    assert allan_deviation(0.3 * np.arange(2000) / 10.0, 10.0, [0.1, 1.0, 20.0]) == pytest.approx(
        0.3 * np.array([0.1, 1.0, 20.0]) / math.sqrt(2)
    )


def test_the_allan_minimum_of_the_industrial_grade_is_that_of_the_data_sheet() -> None:
    """Of the Gauss-Markov bias alone, from its closed form, at 1.89 correlation times."""
    degree_per_hour = math.radians(1.0) / 3600.0
    p = PRESETS["industrial"]
    s, T = p["rate_correlated_bias"], p["rate_correlation_time"]
    tau = 1.89 * T
    peak = math.sqrt(2 * s * s * T / tau * (1 - T / (2 * tau) * (3 - 4 * math.exp(-tau / T) + math.exp(-2 * tau / T))))
    assert peak == pytest.approx(14.5 * degree_per_hour, rel=1e-3)
    assert p["rate_noise"] == pytest.approx(0.0110 * math.radians(1.0), rel=1e-3)  # 0.66 degrees per root hour
