"""Are the sedan's accelerations, its rack force and its corner curves those of independent engines?

The states were solved with 70 digits and confirmed by Pinocchio 4.1.0; the curves are exact to 50 digits (`tests/data/README.md`).
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from simulator.base.frames import rotation_of_quaternion
from simulator.build import vehicle_description
from vehicles.dynamics import accelerations
from vehicles.model import new_mechanism, new_workspace
from vehicles.steering.steering import STEERING_STATE, place_tierods
from vehicles.steering_torque import steering_row
from vehicles.suspension.blocks import place_blocks, steer_blocks
from vehicles.suspension.corner_sums import prepare

DATA = Path(__file__).parents[1] / "data" / "sedan"
JOUNCE = np.array([1.0, -1.0, 1.0, 1.0])
"""Our theta over that of the files."""


@cache
def sedan():
    """The description, and a mechanism with linear springs and dampers without stops, as the files have them."""
    description = vehicle_description("sedan")
    struts = description.mechanism.struts.copy()
    struts[0]["stop_points"], struts[0]["degressivity"] = 0, 0.0
    return description, new_mechanism(description.design.chassis, description.design.corners, struts)


def evaluated(data, n):
    """The mechanism at state n of a file, its accelerations found."""
    _, m = sedan()
    w, R = new_workspace(m, 9.81), np.empty((3, 3))
    if not data["anti_roll_bars"]:
        m.struts[0]["anti_roll_bars"]["stiffness"] = 0.0
    x, q = w.state[0], w.inputs[0]
    rotation_of_quaternion(data["chassis_quat_wxyz"][n], R)
    x["q_WB"], x["w_WB_B"] = data["chassis_quat_wxyz"][n], R.T @ data["chassis_omega_world"][n]
    x["theta"], x["theta_dot"] = JOUNCE * data["theta"][n], JOUNCE * data["theta_dot"][n]
    q["Q"], q["Q_dot"], q["Q_ddot"] = m.Q_design, 0.0, 0.0
    if "rack" in data:
        acceleration = data["rack_acc"][n] if "rack_acc" in data else data["out_rack_acc"][n]
        q["Q"][1, :2] += data["rack"][n]
        q["Q_dot"][1, :2], q["Q_ddot"][1, :2] = data["rack_rate"][n], acceleration
    prepare(m.records, w)
    x["wheel_spin"] = data["wheel_rate"][n] + w.out[0]["carrier_spin"]
    force, couple = (R.T @ data["wheel_wrench_world"][n][:, part].T for part in (slice(0, 3), slice(3, 6)))
    axle = w.kinematics[0]["axle"]
    w.loads[0]["wheel_force"], w.loads[0]["carrier_couple"] = force, couple - axle * (couple * axle).sum(axis=0)
    accelerations(m.records, w)
    return R, w


def error(ours, reference):
    """Largest difference, relative where the reference is larger than 1."""
    return np.max(np.abs(ours - reference) / np.maximum(1.0, np.abs(reference)))


@pytest.mark.parametrize("name", ["full_straight", "full_steering", "full_rack_free"])
def test_accelerations_and_rack_force_are_those_of_independent_engines(name):
    description, m = sedan()
    stiffness = m.struts[0]["anti_roll_bars"]["stiffness"].copy()
    data = dict(np.load(DATA / f"{name}.npz"))
    try:
        for n in range(len(data["theta"])):
            R, w = evaluated(data, n)
            out = w.out[0]
            assert error(R @ out["alpha_WB_B"], data["out_chassis_alpha_world"][n]) < 1e-12
            assert error(R @ out["a_WB_B"], data["out_chassis_acc_world"][n]) < 1e-12
            assert error(JOUNCE * out["theta_ddot"], data["out_theta_ddot"][n]) < 1e-12
            w.inputs[0]["Q_1"][1, :2] = 1.0
            steer_blocks(w.blocks, w.inputs, w.kinematics)
            ours = sum(steering_row(w, i) for i in range(2))
            force = data["rack_force"][n] if name == "full_rack_free" else data["out_rack_force"][n]
            assert error(ours, force) < 1e-10
    finally:
        m.struts[0]["anti_roll_bars"]["stiffness"] = stiffness
    assert description.steering[0]["rack_travel"] == 0.0095


@pytest.mark.parametrize(("axle", "i"), [("front", 0), ("rear", 2)])
def test_curves_of_the_corners_are_exact(axle, i):
    description, m = sedan()
    w, state = new_workspace(m), np.zeros(1, np.dtype([(row[0], float) for row in STEERING_STATE[:3]]))
    q, k = w.inputs, w.kinematics
    design = vehicle_description("sedan").design.corners[i]
    with (DATA / f"{axle}_curves.csv").open() as stream:
        rows = [{name: float(text) for name, text in row.items()} for row in csv.DictReader(stream)]
    assert len(rows) > 10
    for row in rows:
        state[0]["angle"] = row.get("rack", 0.0) / description.steering[0]["rack_travel"]
        place_tierods(description.steering, state, q)
        q[0]["theta"][i], q[0]["theta_dot"][i] = row["theta"], 1.0
        place_blocks(m.corners, w.blocks, q, k)
        W, W_1, e = k[0]["W"][:, i], k[0]["W_1"][:, i], k[0]["axle"][:, i]
        ours = {
            "travel": W[2] - design.W[2],
            "wheel_x": W[0],
            "wheel_y": W[1],
            "toe_in": np.arctan2(e[0], e[1]),
            "camber": np.arctan2(-e[2], np.hypot(e[0], e[1])),
            "wheel_x_dz": W_1[0] / W_1[2],
            "wheel_y_dz": W_1[1] / W_1[2],
            "theta_dz": 1.0 / W_1[2],
        }
        if axle == "front":
            ours["strut_length"] = k[0]["shock_length"][i]
            ours["strut_length_dz"] = k[0]["shock_length_1"][i] / W_1[2]
        else:
            ours["spring_length"], ours["shock_length"] = k[0]["spring_length"][i], k[0]["shock_length"][i]
        for name, value in ours.items():
            assert abs(value - row[name]) < 1e-12 * max(1.0, abs(row[name])), name
