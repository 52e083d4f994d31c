"""Do anti-roll bars in closed form agree with the multibody model of bodies, joints, links and a spring?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simulator.validation.reference.closed_form_model import OracleModel
from simulator.validation.reference.multibody_model import MechanismModel
from tests.laws.barred import barred
from tests.laws.free_vehicle import attitude
from tests.oracles.perturbed_model import random_state
from tests.oracles.test_five_link_vehicle import joint_state
from tests.oracles.test_five_link_vehicle import random_state as random_truck
from vehicles.dynamics import accelerations
from vehicles.mechanism_parameters import CORNER_NAMES
from vehicles.multibody.formulations.constraint_embedding_formulation import ConstraintEmbedding
from vehicles.multibody.formulations.kinds import make_formulation
from vehicles.multibody.tree.system import build_system
from vehicles.multibody_vehicle import CHASSIS, linear_struts, vehicle_mechanism

FORMULATIONS = ("ce", "ta", "fa")


def error(ours: object, theirs: object) -> float:
    """Largest |ours - theirs| over max(1, |theirs|)."""
    return float(np.max(np.abs(np.subtract(ours, theirs)) / np.maximum(1.0, np.abs(np.asarray(theirs)))))


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("name", ["plain", "arms", "carriers"])
def test_accelerations_are_those_of_levers_links_and_a_spring(name: str, formulation: str) -> None:
    design = barred(name).design
    design = replace(design, struts=linear_struts(design.struts))
    bare = replace(design, struts=design.struts.copy())
    bare.struts[0]["anti_roll_bars"]["law"] = 0
    closed, engine, without = OracleModel(design), MechanismModel(design, formulation), OracleModel(bare)
    rng = np.random.default_rng(7)
    for steering in (False, True):
        state = random_state(rng, steering=steering)
        ours, theirs = closed.whole(state), engine.whole(state)
        for output in ("out_chassis_alpha_world", "out_chassis_acc_world", "out_theta_ddot", "out_wheel_acc"):
            assert error(ours[output], theirs[output]) < 1e-9, output
        assert error(without.whole(state)["out_theta_ddot"], theirs["out_theta_ddot"]) > 0.1


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("name", ["five links, plain", "five links, levers"])
def test_accelerations_with_a_five_link_axle(name: str, formulation: str) -> None:
    design = barred(name).design
    design = replace(design, struts=linear_struts(design.struts))
    m, w = barred(name).mechanism, random_truck(1)
    without = w.out[0]["theta_ddot"].copy()
    accelerations(m.records._replace(struts=design.struts), w)
    out, loads, R = w.out[0], w.loads[0], attitude(w.state[0]["q_WB"])
    assert error(without[2:], out["theta_ddot"][2:]) > 0.1
    system = build_system(vehicle_mechanism(design))
    q, v = joint_state(w, system)
    wrenches = np.zeros((system.parts.tree.nodes.size, 6))
    for i, corner in enumerate(CORNER_NAMES):
        wrenches[system.node[f"{corner}_wheel"]] = np.r_[R @ loads["carrier_couple"][:, i], R @ loads["wheel_force"][:, i]]
    solver = ConstraintEmbedding(system, q) if formulation == "ce" else make_formulation(formulation, system)
    chassis = solver.accelerations(q, v, wrenches=wrenches)[system.joint_v[CHASSIS]]
    assert error(R.T @ chassis[:3], out["alpha_WB_B"]) < 1e-9
    assert error(R.T @ chassis[3:], out["a_WB_B"]) < 1e-9
