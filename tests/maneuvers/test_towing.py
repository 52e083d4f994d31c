"""Metrics of a trailer."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.driver.internal_model import InternalModel
from simulator.maneuvers.analyses import backing
from simulator.maneuvers.analyses.contract import Drive
from simulator.maneuvers.analyses.towing import ANALYSIS


def evaluate(vehicle_rate):
    """Return the metrics of a trailer that yaws 1.5 times as fast as the vehicle, pulls, then pushes."""
    t = np.arange(0.0, 4.0, 0.01)
    rate = vehicle_rate * np.sin(np.pi * t)
    columns = {
        "time": t,
        "w_WB_B_z": rate,
        "trailer_w_WB_B_z": -1.5 * rate,
        "trailer_coupling_yaw": 0.2 * np.sin(np.pi * t) - 0.3 * (t > 3.9),
        "trailer_coupling_force_B_x": np.where(t < 2.0, -500.0, 200.0),
        "trailer_coupling_force_B_z": np.full(len(t), -1300.0),
    }
    return ANALYSIS.evaluate(Drive(columns, 0.01, {}, InternalModel()), {"with": "trailer", "phase": None}).values


def test_metrics_of_a_trailer():
    found = evaluate(0.4)
    assert found["yaw_rate_amplification"] == pytest.approx(1.5)
    assert (found["coupling_pull_max"], found["coupling_push_max"], found["tongue_load_mean"]) == pytest.approx((500.0, 200.0, 1300.0))
    assert found["coupling_angle_max"] == pytest.approx(0.36, abs=0.01) and found["coupling_angle_end"] == pytest.approx(-0.306, abs=0.01)


def test_a_straight_drive_has_no_amplification():
    assert math.isnan(evaluate(0.0)["yaw_rate_amplification"])


def test_metrics_of_a_backed_trailer():
    t = np.arange(0.0, 4.0, 0.01)
    columns = {"time": t, "back_up_offset": 0.2 * np.sin(np.pi * t) - 0.1, "back_up_heading": 0.05 * t, "back_up_pulls": 1.0 * (t > 2.0)}
    found = backing.evaluate(Drive(columns, 0.01, {}, InternalModel()), {"phase": None}).values
    assert found["trailer_path_error_max"] == pytest.approx(0.3, abs=1e-3)
    assert found["trailer_path_error_rms"] == pytest.approx(math.sqrt(0.5 * 0.2**2 + 0.1**2), rel=0.01)
    assert found["pull_count"] == 1.0 and found["trailer_heading_error_end"] == pytest.approx(0.2, abs=1e-3)
