"""Does the vehicle as a mechanism agree with the closed form in all formulations, and is its size that of the paper?"""

from __future__ import annotations

import functools
import json
import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError, InertiaWarning, JounceError
from simulator.base.records import record
from simulator.builder.builder import vehicle_description
from simulator.cli.main import main
from simulator.validation.reference.closed_form_model import OracleModel, TableModel
from simulator.validation.reference.model_corners import JOINTS, read_design
from simulator.validation.reference.multibody_model import MechanismModel
from tests.laws.barred import mapping
from tests.oracles.kkt_reference import accelerations, error, quarter_accelerations
from tests.oracles.perturbed_model import mirrored_state, perturbed_model, random_state
from vehicles.description import read_description
from vehicles.mechanism_parameters import CORNER_NAMES, VehicleDesign, new_mechanism, new_workspace
from vehicles.multibody.description.mechanism import JOINTS as DEGREES
from vehicles.multibody.description.mechanism import LOOPS, Mechanism
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.multibody.formulations.constraint_embedding_formulation import ConstraintEmbedding
from vehicles.multibody.formulations.kinds import make_formulation
from vehicles.multibody.tree.constraints import set_residuals
from vehicles.multibody.tree.system import System, build_system
from vehicles.multibody.tree.tree import energy, move, set_velocities
from vehicles.multibody_vehicle import linear_struts, quarter_car, vehicle_mechanism
from vehicles.steering.steering import STEERING_STATE, place_tierods
from vehicles.suspension.blocks import place_blocks
from vehicles.suspension.double_wishbone.kinematics import CARRIER, LOWER_ARM, SHOCK_LOWER, SHOCK_UPPER, TIEROD, UPPER_ARM, UPRIGHT
from vehicles.suspension.double_wishbone.mechanism import jounce_sign

DATA = Path(__file__).parents[1] / "data" / "hmmwv_accelerations"
MODEL = yaml.safe_load((DATA / "hmmwv_model.yaml").read_text(encoding="utf-8"))
HMMWV, MASSLESS_RODS = read_description(mapping("hmmwv"), "v.yaml"), vehicle_description("hmmwv_chrono")
"""The first without its anti-roll bar, whose parts have no mass."""
FORMULATIONS = ("ce", "ta", "recursive", "fa", "fa-dense")
NEED_INERTIA = tuple(name for name in FORMULATIONS if name != "ce")
FREE = ("out_chassis_alpha_world", "out_chassis_acc_world", "out_theta_ddot", "out_wheel_acc")


def design_of(model: Any) -> VehicleDesign:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InertiaWarning)
        return read_design(model, "model")


def linear(design: VehicleDesign) -> VehicleDesign:
    return replace(design, struts=linear_struts(design.struts))


def errors(ours: Mapping[str, Array], reference: Mapping[str, Array]) -> dict[str, float]:
    return {name: error(ours[name], reference[name]) for name in ours}


ORACLE = design_of(MODEL)


# ----------------------------------------------------------------------------------------------------------------- kinematics


def test_the_recorded_joint_coordinates_give_the_recorded_bodies() -> None:
    """Poses, angular velocities and kinetic energy of 33 bodies, and closed loops, from 44 joint coordinates."""
    with np.load(DATA / "full_steering.npz") as file:
        data = dict(file)
    system = build_system(vehicle_mechanism(ORACLE))
    tree, constraints = system.parts.tree, system.parts.constraints
    names = [f"{corner}_{joint}" for corner in CORNER_NAMES for joint in JOINTS]
    at_q, at_v = (np.concatenate([np.r_[where[name]] for name in names]) for where in (system.joint_q, system.joint_v))
    for n in range(len(data["theta"])):
        q, v = system.neutral(), np.zeros(system.n_v)
        q[system.joint_q["chassis"]] = np.r_[data["chassis_pos"][n], data["chassis_quat_wxyz"][n]]
        v[system.joint_v["chassis"]] = np.r_[data["chassis_omega_world"][n], data["chassis_vel_world"][n]]
        q[at_q], v[at_v] = data["q_all"][n], data["qd_all"][n]
        for i, corner in enumerate(CORNER_NAMES[:2]):
            constraints.driven[system.driven[f"{corner}_L"]]["offset"] = data["tierod_inner_offset"][n, i]
        move(tree, q)
        set_velocities(tree, v)
        set_residuals(constraints, tree.motion, q, 0, constraints.rows.size)
        assert np.abs(constraints.residual).max() < 2e-14
        for b, name in enumerate(data["body_names"]):
            m, (R_MB, p_MB) = tree.motion[system.node[name]], system.X_MB[name]
            assert np.abs(m["R"] @ R_MB - data["body_R"][n, b]).max() < 1e-14
            assert np.abs(m["p"] + m["R"] @ p_MB - data["body_r"][n, b]).max() < 5e-14
            assert np.abs(m["V"][:3] - data["body_omega"][n, b]).max() < 5e-14
        assert energy(tree, system.parts.gravity)[0] == pytest.approx(data["kinetic_energy"][n], rel=1e-13)


@pytest.mark.parametrize("seed", range(4))
def test_the_loops_close_where_the_closed_form_puts_the_bodies(seed: int) -> None:
    """The shipped HMMWV with its steering linkage: centers of mass, their velocities and angular velocities at random arms and Pitman arm."""
    rng = np.random.default_rng(seed)
    design, steering = HMMWV.design, HMMWV.steering
    system = build_system(vehicle_mechanism(design, steering))
    q, v = steered_state(system, rng)
    w, s = new_workspace(HMMWV.mechanism), record(STEERING_STATE)
    s[0]["angle"], s[0]["rate"] = q[system.joint_q["pitman_arm"]][0], v[system.joint_v["pitman_arm"]][0]
    place_tierods(steering, s, w.inputs)
    for i, corner in enumerate(CORNER_NAMES):
        sign = jounce_sign(design.corners[i])
        w.inputs[0]["theta"][i] = sign * q[system.joint_q[f"{corner}_lca"]][0]
        w.inputs[0]["theta_dot"][i] = sign * v[system.joint_v[f"{corner}_lca"]][0]
    place_blocks(HMMWV.mechanism.corners, w.blocks, w.inputs, w.kinematics)
    k, nodes, motion = w.blocks.scratch[0], system.parts.tree.nodes, system.parts.tree.motion
    bodies = {
        "lca": LOWER_ARM,
        "upright": UPRIGHT,
        "tierod": TIEROD,
        "shock_lower": SHOCK_LOWER,
        "shock_upper": SHOCK_UPPER,
        "uca": UPPER_ARM,
    }
    for i, corner in enumerate(CORNER_NAMES):
        for name, b in bodies.items():
            node = system.node[f"{corner}_{name}"]
            m, r = motion[node], motion[node]["R"] @ nodes[node]["com"]
            assert np.abs(m["p"] + r - k["c"][b, :, i]).max() < 1e-12
            assert np.abs(m["V"][:3] - k["w_rel"][b, :, i]).max() < 1e-11
            assert np.abs(m["V"][3:] + np.cross(m["V"][:3], r) - k["v_rel"][b, :, i]).max() < 1e-11
        knuckle, wheel = motion[system.node[f"{corner}_knuckle"]], motion[system.node[f"{corner}_wheel"]]
        assert np.abs(knuckle["V"][:3] - k["w_rel"][CARRIER, :, i]).max() < 1e-11
        assert np.abs(wheel["p"] - w.kinematics[0]["W"][:, i]).max() < 1e-12
        assert np.abs(wheel["h"] - w.kinematics[0]["axle"][:, i]).max() < 1e-12


def steered_state(system: System, rng: np.random.Generator) -> tuple[Array, Array]:
    """A closed state with the chassis at rest at the world's origin, arms and Pitman arm anywhere in their travel and moving."""
    q, v = system.neutral(), np.zeros(system.n_v)
    for i, corner in enumerate(CORNER_NAMES):
        q[system.joint_q[f"{corner}_lca"]] = jounce_sign(HMMWV.design.corners[i]) * rng.uniform(-0.2, 0.2)
        v[system.joint_v[f"{corner}_lca"]] = rng.uniform(-3.0, 3.0)
        v[system.joint_v[f"{corner}_wheel"]] = rng.uniform(-10.0, 45.0)
    if "pitman_arm" in system.joint_q:
        q[system.joint_q["pitman_arm"]], v[system.joint_v["pitman_arm"]] = rng.uniform(-0.5, 0.5), rng.uniform(-1.0, 1.0)
    return ConstraintEmbedding(system, system.neutral()).close(q, v)


# -------------------------------------------------------------------------------------------------------------- accelerations


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("name", ["full_straight", "full_steering", "quarter"])
def test_agrees_with_recorded_states(name: str, formulation: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["validate", "accelerations", str(DATA / f"{name}.npz"), "--model", str(DATA / "hmmwv_model.yaml")]
    code = main([*command, "--formulation", formulation, "--json"])
    report = json.loads(capsys.readouterr().out)
    assert code == 0
    assert formulation in report["kind"]
    assert len(report["errors"]) == (5 if name == "quarter" else 7)
    assert report["max_error"] < 1e-10


@pytest.mark.parametrize("name", ["full_straight", "quarter"])
def test_tables_agree_with_recorded_states(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["validate", "accelerations", str(DATA / f"{name}.npz"), "--model", str(DATA / "hmmwv_model.yaml")]
    code = main([*command, "--formulation", "table", "--json"])
    report = json.loads(capsys.readouterr().out)
    assert code == 0
    assert 0.0 < report["max_error"] < 1e-9


def test_tables_refuse_tie_rods_that_no_pitman_arm_moves(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["validate", "accelerations", str(DATA / "full_steering.npz"), "--model", str(DATA / "hmmwv_model.yaml")]
    assert main([*command, "--formulation", "table"]) == 2
    assert "tierod_inner_offset" in capsys.readouterr().err


def test_arms_beyond_the_tables_are_an_error() -> None:
    state = random_state(np.random.default_rng(36))
    state["theta"] = 2.0 * np.sign(state["theta"])
    with pytest.raises(JounceError, match="outside the range of the tables"):
        TableModel(ORACLE).whole(state)


@functools.cache
def changed_models() -> list[tuple[VehicleDesign, list[tuple[dict[str, Any], dict[str, Array]]]]]:
    """Two models with the tests' own solutions by multipliers for states of the whole vehicle and of quarter cars."""
    rng = np.random.default_rng(30)
    found = []
    for mirrored in (False, True):
        model = perturbed_model(MODEL, rng, 0.1, mirrored=mirrored)
        whole = [random_state(rng, steering=steering) for steering in (False, True)]
        solved = [(state, accelerations(model, state)) for state in whole]
        for i, corner in enumerate(CORNER_NAMES):
            quarter = {key: whole[0][key][i] for key in ("theta", "theta_dot", "wheel_angle", "wheel_rate", "wheel_wrench_world")}
            quarter["corner"] = corner
            solved.append((quarter, quarter_accelerations(model, quarter)))
        found.append((design_of(model), solved))
    return found


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_agrees_with_multipliers_on_changed_models(formulation: str) -> None:
    for design, solved in changed_models():
        model = MechanismModel(design, formulation)
        for state, reference in solved:
            ours = model.quarter(state) if "corner" in state else model.whole(state)
            assert max(errors(ours, reference).values()) < 1e-9


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_mirror_image_moves_as_the_mirror_image(formulation: str) -> None:
    rng = np.random.default_rng(31)
    ours = MechanismModel(design_of(perturbed_model(MODEL, rng, 0.1, mirrored=True)), formulation)
    state = random_state(rng, steering=True)
    one, other = ours.whole(state), ours.whole(mirrored_state(state))
    swap, vector, axial = [1, 0, 3, 2], np.array([1.0, -1.0, 1.0]), np.array([-1.0, 1.0, -1.0])
    assert error(other["out_chassis_acc_world"], vector * one["out_chassis_acc_world"]) < 1e-10
    assert error(other["out_chassis_alpha_world"], axial * one["out_chassis_alpha_world"]) < 1e-10
    assert error(other["out_theta_ddot"], -one["out_theta_ddot"][swap]) < 1e-10
    assert error(other["out_wheel_acc"], one["out_wheel_acc"][swap]) < 1e-10


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_the_shipped_vehicle_agrees_with_its_closed_form(formulation: str) -> None:
    rng = np.random.default_rng(32)
    design = linear(HMMWV.design)
    ours, closed = MechanismModel(design, formulation), OracleModel(design)
    for steering in (False, True):
        state = random_state(rng, steering=steering)
        assert max(errors(ours.whole(state), closed.whole(state)).values()) < 1e-9


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_rods_without_mass_change_nothing_but_the_number_of_bodies(formulation: str) -> None:
    """The closed form takes them as bodies of mass zero, the mechanism as distances, ball joints and dampers on a line."""
    rng = np.random.default_rng(33)
    design = linear(MASSLESS_RODS.design)
    ours, closed = MechanismModel(design, formulation), OracleModel(design)
    for steering in (False, True):
        state = random_state(rng, steering=steering)
        one, other = ours.whole(state), closed.whole(state)
        assert len(one["body_alpha"]) == 17
        assert max(error(one[name], other[name]) for name in FREE) < 1e-9


def test_half_a_shock_absorber_without_mass_is_refused() -> None:
    bodies = {**HMMWV.design.corners[0].bodies, "shock_upper": RigidBody("shock_upper", 0.0)}
    corners = (replace(HMMWV.design.corners[0], bodies=bodies), *HMMWV.design.corners[1:])
    with pytest.raises(ConfigError, match="shock_upper"):
        vehicle_mechanism(replace(HMMWV.design, corners=corners))


# --------------------------------------------------------------------------------------------------------------- the steering


def test_massless_linkage_moves_the_vehicle_as_driven_tie_rods_do() -> None:
    """The four-bar as bodies of the mechanism, in constraint embedding, against the closed form of steering and corners."""
    rng = np.random.default_rng(34)
    design = linear(HMMWV.design)
    system = build_system(vehicle_mechanism(design, HMMWV.steering))
    solver = make_formulation("ce", system)
    for _ in range(3):
        q, v = steered_state(system, rng)
        prescribed = np.zeros(system.n_v)
        prescribed[system.joint_v["pitman_arm"]] = rng.uniform(-20.0, 20.0)
        ours = solver.accelerations(q, v, prescribed=prescribed)
        reference = closed_form(design, system, q, v, prescribed)
        for name, value in reference.items():
            assert error(ours[system.joint_v[name]], value) < 1e-9


def closed_form(design: VehicleDesign, system: System, q: Array, v: Array, prescribed: Array) -> dict[str, Array]:
    """Accelerations of the chassis, the lower arms and the wheels for a chassis at rest."""
    s, w = record(STEERING_STATE), new_workspace(new_mechanism(design.chassis, list(design.corners), design.struts))
    at = system.joint_v["pitman_arm"]
    s[0]["angle"], s[0]["rate"], s[0]["acceleration"] = q[system.joint_q["pitman_arm"]][0], v[at][0], prescribed[at][0]
    place_tierods(HMMWV.steering, s, w.inputs)
    inner = w.inputs[0]
    design_Q = np.stack([corner.Q for corner in design.corners[:2]])
    out = OracleModel(design).whole(
        {
            "chassis_quat_wxyz": np.array([1.0, 0.0, 0.0, 0.0]),
            "chassis_omega_world": np.zeros(3),
            "theta": np.array([q[system.joint_q[f"{corner}_lca"]][0] for corner in CORNER_NAMES]),
            "theta_dot": np.array([v[system.joint_v[f"{corner}_lca"]][0] for corner in CORNER_NAMES]),
            "wheel_rate": np.array([v[system.joint_v[f"{corner}_wheel"]][0] for corner in CORNER_NAMES]),
            "wheel_wrench_world": np.zeros((4, 6)),
            "tierod_inner_offset": inner["Q"][:, :2].T - design_Q,
            "tierod_inner_vel": inner["Q_dot"][:, :2].T,
            "tierod_inner_acc": inner["Q_ddot"][:, :2].T,
        }
    )
    return {
        "chassis": np.r_[out["out_chassis_alpha_world"], out["out_chassis_acc_world"]],
        **{f"{corner}_lca": out["out_theta_ddot"][i] for i, corner in enumerate(CORNER_NAMES)},
        **{f"{corner}_wheel": out["out_wheel_acc"][i] for i, corner in enumerate(CORNER_NAMES)},
    }


@pytest.mark.parametrize("formulation", NEED_INERTIA)
@pytest.mark.parametrize("arm_prescribed", [True, False])
def test_a_linkage_with_mass_moves_alike_in_all_formulations(formulation: str, arm_prescribed: bool) -> None:
    rng = np.random.default_rng(35)
    system = build_system(vehicle_mechanism(HMMWV.design, HMMWV.steering, 3.0, arm_prescribed=arm_prescribed))
    q, v = steered_state(system, rng)
    prescribed = np.zeros(system.n_v)
    prescribed[system.joint_v["pitman_arm"]] = 5.0 if arm_prescribed else 0.0
    tau = rng.normal(0.0, 100.0, system.n_v)
    reference = make_formulation("ce", system).accelerations(q, v, tau, prescribed=prescribed)
    ours = make_formulation(formulation, system).accelerations(q, v, tau, prescribed=prescribed)
    assert error(ours, reference) < 1e-9


@pytest.mark.parametrize("formulation", ["ta", "recursive", "fa"])
def test_a_massless_linkage_moves_with_the_wheels_it_holds(formulation: str) -> None:
    system = build_system(vehicle_mechanism(HMMWV.design, HMMWV.steering))
    ours, reference = (make_formulation(name, system).accelerations(system.neutral(), np.zeros(system.n_v)) for name in (formulation, "ce"))
    assert error(ours, reference) < 1e-9


# --------------------------------------------------------------------------------------------------------------------- struts


def test_linear_struts_keep_rate_and_mean_damping() -> None:
    given = MASSLESS_RODS.design.struts
    struts, made = given[0], linear_struts(given)[0]
    assert made["spring_rate"][0] == pytest.approx(3629.923 / 0.02)
    assert made["rebound_damping"][2] == made["compression_damping_end"][2] == pytest.approx((14535.5219 + 35025.354) / 2.0)
    assert made["spring_points"].max() == made["stop_points"].max() == 0
    assert struts["spring_points"].min() > 0  # the vehicle's own are left as they are
    again = linear_struts(linear_struts(given))[0]
    assert all(np.array_equal(made[name], again[name]) for name in made.dtype.names)


# ----------------------------------------------------------------------------------------------------------------- dimensions


def sizes(mechanism: Mechanism) -> dict[str, tuple[int, int]]:
    """Coordinates and constraints counted by hand: absolute coordinates, cut joints, and what is left."""
    free = sum(DEGREES[joint.kind] for joint in mechanism.joints)
    rows = sum(LOOPS[loop.kind] for loop in mechanism.loops)
    bodies = 6 * len(mechanism.bodies)
    system = build_system(mechanism)
    independent = ConstraintEmbedding(system, system.neutral()).dimensions
    return {"fa": (bodies, bodies - free + rows), "ta": (free, rows), "ce": tuple(independent)}


def planar(mechanism: Mechanism) -> Mechanism:
    """The corner of [Jain 2016]: arms and shock absorber move in the plane across the vehicle's x axis, on pins."""
    x = np.array([[1.0, 0.0, 0.0]])

    def joint(j: Any) -> Any:
        kind = j.name[3:]
        if kind in ("lca", "uca", "upright", "shock_lower"):
            return replace(j, kind="revolute", axes=x)
        if kind == "shock_upper":
            across = j.axes * [0.0, 1.0, 1.0]
            return replace(j, axes=across / np.linalg.norm(across))
        return j

    loops = tuple(replace(c, kind="point_on_line", axis_successor=x[0]) if c.name[3:] in ("F", "J") else c for c in mechanism.loops)
    return replace(mechanism, joints=tuple(joint(j) for j in mechanism.joints), loops=loops)


def test_dimensions_are_those_of_the_paper_but_for_the_spatial_loops() -> None:
    ours = vehicle_mechanism(HMMWV.design, HMMWV.steering, arm_prescribed=False)
    assert sizes(ours) == {"fa": (216, 201), "ta": (53, 38), "ce": (15, 0)}
    assert sizes(planar(ours)) == {"fa": (216, 201), "ta": (45, 30), "ce": (15, 0)}


def test_dimensions_of_the_forms_that_are_compared() -> None:
    assert sizes(vehicle_mechanism(HMMWV.design)) == {"fa": (198, 184), "ta": (50, 36), "ce": (14, 0)}
    assert sizes(quarter_car(HMMWV.design, "RL")) == {"fa": (48, 46), "ta": (11, 9), "ce": (2, 0)}


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_formulations_report_these_dimensions(formulation: str) -> None:
    kind = formulation.removesuffix("-dense").replace("recursive", "ta")
    for mechanism in (
        vehicle_mechanism(HMMWV.design, HMMWV.steering, 1.0, arm_prescribed=False),
        vehicle_mechanism(HMMWV.design),
        quarter_car(HMMWV.design, "FL"),
    ):
        system = build_system(mechanism)
        solver = make_formulation(formulation, system)
        solver.accelerations(system.neutral(), np.zeros(system.n_v))
        assert tuple(solver.dimensions) == sizes(mechanism)[kind]


@pytest.mark.parametrize(("formulation", "size"), [("ce", (14, 0)), ("ta", (52, 38)), ("recursive", (52, 38)), ("fa", (216, 202))])
def test_a_prescribed_arm_is_no_unknown_of_a_tree_and_one_row_of_absolute_coordinates(formulation: str, size: tuple[int, int]) -> None:
    system = build_system(vehicle_mechanism(HMMWV.design, HMMWV.steering, 1.0))
    solver = make_formulation(formulation, system)
    solver.accelerations(system.neutral(), np.zeros(system.n_v))
    assert tuple(solver.dimensions) == size
