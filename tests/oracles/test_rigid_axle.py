"""Is a rigid axle on rods or leaf springs the same in the equations of the step and in the general engine, and does it keep its energy?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.laws.free_vehicle import attitude
from tests.oracles.rigid_axles import AXLES, truck
from vehicles.dynamics import accelerations
from vehicles.model import CORNER_NAMES, new_workspace
from vehicles.multibody.formulations.embedding import ConstraintEmbedding
from vehicles.suspension.corner_sums import Workspace
from vehicles.vehicle_mechanism import CHASSIS

Array = NDArray[np.float64]
TRACK = 0.8
"""Half of it."""


def random_state(kind: str, seed: int) -> Workspace:
    """Everything moves, everything is loaded; evaluated."""
    rng, m = np.random.default_rng(seed), truck(kind).mechanism
    w = new_workspace(m)
    x, loads = w.state[0], w.loads[0]
    q = rng.normal(size=4)
    x["p_WB"], x["q_WB"] = rng.uniform(-5.0, 5.0, 3), q / np.linalg.norm(q)
    x["v_WB_B"], x["w_WB_B"] = rng.uniform(-10.0, 10.0, 3), rng.uniform(-2.0, 2.0, 3)
    x["theta"] = np.r_[rng.uniform(-0.2, 0.2, 2), rng.uniform(-0.12, 0.12, 2)]
    x["theta_dot"], x["wheel_spin"] = np.r_[rng.uniform(-3.0, 3.0, 2), rng.uniform(-1.5, 1.5, 2)], rng.uniform(-10.0, 45.0, 4)
    loads["wheel_force"] = rng.uniform(-15e3, 15e3, (3, 4))
    loads["carrier_couple"] = rng.uniform(-1.5e3, 1.5e3, (3, 4))
    accelerations(m.records, w)
    return w


def error(ours: Any, theirs: Any) -> float:
    """Largest |ours - theirs| over max(1, |theirs|)."""
    return float(np.max(np.abs(ours - theirs) / np.maximum(1.0, np.abs(theirs))))


@pytest.mark.parametrize("kind", AXLES)
@pytest.mark.parametrize("seed", range(3))
def test_accelerations_are_those_of_the_general_engine(kind: str, seed: int) -> None:
    """All 14, everything moving and loaded, couples along the axles too, as of brakes and drives."""
    design, _, system = truck(kind)
    w = random_state(kind, seed)
    x, out, loads = w.state[0], w.out[0], w.loads[0]
    theta, rate = x["theta"], x["theta_dot"]
    q, v = system.neutral(), np.zeros(system.n_v)
    R = attitude(x["q_WB"])
    q[system.joint_q[CHASSIS]], v[system.joint_v[CHASSIS]] = np.r_[x["p_WB"], x["q_WB"]], np.r_[R @ x["w_WB_B"], R @ x["v_WB_B"]]
    wrenches = np.zeros((system.parts.tree.nodes.size, 6))
    for i, name in enumerate(CORNER_NAMES):
        v[system.joint_v[f"{name}_wheel"]] = x["wheel_spin"][i] - out["carrier_spin"][i]
        axial = (loads["carrier_couple"][:, i] @ w.kinematics[0]["axle"][:, i]) * w.kinematics[0]["axle"][:, i]
        wrenches[system.node[f"{name}_wheel"]] = np.r_[R @ (loads["carrier_couple"][:, i] - axial), R @ loads["wheel_force"][:, i]]
        wrenches[system.node[f"{name}_knuckle"]] = np.r_[R @ axial, np.zeros(3)]
    front = [np.sign(np.cross(c.lower_arm_axis, c.D - c.lower_arm_point)[2]) for c in design.corners[:2]]  # type: ignore[attr-defined]
    joints = {f"{name}_lca": (side * theta[i], side * rate[i]) for i, (name, side) in enumerate(zip(CORNER_NAMES, front, strict=False))}
    roll = float(np.arcsin((theta[2] - theta[3]) / (2.0 * TRACK)))
    per = 1.0 / (2.0 * TRACK * np.cos(roll))
    rolling = per * (rate[2] - rate[3])
    joints |= {"RL_z": (theta[2:].mean(), rate[2:].mean()), "RL_roll": (roll, rolling)}
    for name, (position, velocity) in joints.items():
        q[system.joint_q[name]], v[system.joint_v[name]] = position, velocity
    q, v = ConstraintEmbedding(system, system.neutral()).close(q, v)
    found = ConstraintEmbedding(system, q).accelerations(q, v, wrenches=wrenches)
    assert error(R.T @ found[system.joint_v[CHASSIS]][:3], out["alpha_WB_B"]) < 1e-9
    assert error(R.T @ found[system.joint_v[CHASSIS]][3:], out["a_WB_B"]) < 1e-9
    left, right = out["theta_ddot"][2:]
    ours = {f"{CORNER_NAMES[i]}_lca": side * out["theta_ddot"][i] for i, side in enumerate(front)}
    ours |= {"RL_z": 0.5 * (left + right), "RL_roll": per * (left - right) + np.tan(roll) * rolling**2}
    for name, value in ours.items():
        assert error(found[system.joint_v[name]][0], value) < 1e-9, name
