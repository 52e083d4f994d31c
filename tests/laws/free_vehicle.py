"""The vehicle of the acceleration oracle in free motion; energy and momentum are summed over its bodies."""

from __future__ import annotations

import copy
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from simulator.base.arrays import Array
from simulator.base.errors import InertiaWarning
from simulator.validation.reference.model_corners import read_design
from tests.laws.corner_bodies import bodies_of
from tests.laws.free_motion import FreeMotion, free_motion, rates, runge_kutta_step
from tests.oracles.mechanism import skew
from vehicles.mechanism_parameters import new_mechanism

MODEL = yaml.safe_load((Path(__file__).parents[1] / "data" / "hmmwv_accelerations" / "hmmwv_model.yaml").read_text(encoding="utf-8"))
JOUNCE = np.array([1.0, -1.0, 1.0, -1.0])
"""Signs of theta: in the oracle theta turns about +x on both sides, in Jounce it is positive in jounce."""


def without_losses(gravity: float, preload: float = 0.02) -> dict[str, Any]:
    """Return a model without dampers, with springs at rest `preload` [m] longer than in the design position."""
    model = copy.deepcopy(MODEL)
    model["gravity"] = [0.0, 0.0, -gravity]
    for spring in model["springs"]:
        spring["free_length"] = float(np.linalg.norm(np.subtract(spring["point_a"], spring["point_b"]))) + preload
    for damper in model["dampers"]:
        damper["c"] = 0.0
    return model


def tumbling(model: dict[str, Any]) -> FreeMotion:
    """Return corners alternately 0.05 rad up and down, with a turning chassis and wheels at 30 rad/s."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InertiaWarning)  # the arms violate the triangle inequality
        design = read_design(model, "model")
        m = free_motion(new_mechanism(design.chassis, design.corners, design.struts), design.gravity)
    state = m.state[0]
    state["theta"] = [0.05, -0.05, 0.05, -0.05]
    state["w_WB_B"] = [0.3, 0.2, 0.5]
    state["wheel_spin"] = 30.0
    return m


def integrate(m: FreeMotion, duration: float, h: float, every: int = 1) -> list[Array]:
    """Return copies of the state every so many steps of h seconds, including the start."""
    states = [m.state.copy()]
    for n in range(1, round(duration / h) + 1):
        runge_kutta_step(m, h)
        if n % every == 0:
            states.append(m.state.copy())
    return states


def attitude(q: Array) -> Array:
    """Return R_WB of a unit quaternion w, x, y, z, by the vector formula."""
    w, u = q[0], q[1:]
    K = skew(u)
    return np.eye(3) + 2.0 * w * K + 2.0 * K @ K


def energies(m: FreeMotion, state: Array) -> tuple[float, float]:
    """Return kinetic and potential energy [J] at a state, from the velocities of all bodies, springs and heights."""
    m.state[:] = state
    rates(m, m.stages[1])
    k, g, x, s = m.kinematics[0], m.corners[0], state[0], m.struts[0]
    mass, com, inertia, v_rel, w_rel = (
        [m.chassis[0]["mass"]],
        [m.chassis[0]["com"]],
        [m.chassis[0]["inertia"]],
        [np.zeros(3)],
        [np.zeros(3)],
    )
    for i in range(4):
        masses, motion = bodies_of(m.blocks, i)
        mass += list(masses)
        com += list(motion["c"])
        inertia += list(motion["inertia"])
        v_rel += list(motion["v_rel"])
        w_rel += list(motion["w_rel"])
    mass, com, w = np.array(mass), np.array(com), x["w_WB_B"] + np.array(w_rel)
    v = x["v_WB_B"] + com @ skew(x["w_WB_B"]).T + np.array(v_rel)
    kinetic = 0.5 * (mass * (v * v).sum(axis=1)).sum()
    for six, w_b in zip(inertia, w, strict=True):
        kinetic += 0.5 * w_b @ matrix(six) @ w_b
    kinetic += 0.5 * (g["spin_inertia"] * x["wheel_spin"] ** 2).sum()
    height = x["p_WB"][2] + com @ attitude(x["q_WB"])[2]
    strain = 0.5 * (s["spring_rate"] * (s["spring_free_length"] - k["spring_length"]) ** 2).sum()
    return float(kinetic), float(strain + m.loads[0]["gravity"] * (mass * height).sum())


def matrix(six: Array) -> Array:
    """Return the 3 x 3 matrix of (xx, yy, zz, xy, xz, yz)."""
    xx, yy, zz, xy, xz, yz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def oracle_state(m: FreeMotion, state: Array) -> dict[str, Any]:
    """Return the state with the names and signs of `tests.oracles.kkt_reference`."""
    m.state[:] = state
    rates(m, m.stages[1])
    x, R = state[0], attitude(state[0]["q_WB"])
    return {
        "chassis_quat_wxyz": x["q_WB"],
        "chassis_pos": x["p_WB"],
        "chassis_omega_world": R @ x["w_WB_B"],
        "chassis_vel_world": R @ x["v_WB_B"],
        "theta": JOUNCE * x["theta"],
        "theta_dot": JOUNCE * x["theta_dot"],
        "wheel_angle": x["wheel_angle"],
        "wheel_rate": x["wheel_spin"] - m.out[0]["carrier_spin"],
    }
