"""Do the corner equations of a vehicle with a five-link rear axle agree with the multibody solver, and do they conserve energy?"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from simulator.base.arrays import Array
from simulator.base.records import Record, record
from simulator.builder.builder import build_vehicle, vehicle_description
from tests.laws.corner_bodies import bodies_of
from tests.laws.free_motion import FreeMotion, free_motion
from tests.laws.free_vehicle import attitude, energies, integrate
from tests.laws.table_accelerations import table_accelerations
from tests.laws.test_mirror import AXIAL, POLAR, SWAP, mirrored
from tests.laws.vehicle_rig import command, drive, ground, image, standing, track
from vehicles.dynamics import accelerations
from vehicles.mechanism_parameters import CORNER_NAMES, new_mechanism, new_workspace
from vehicles.multibody.formulations.constraint_embedding_formulation import ConstraintEmbedding
from vehicles.multibody.formulations.kinds import make_formulation
from vehicles.multibody.tree.articulated_body import accelerate_nodes
from vehicles.multibody.tree.system import System, build_system
from vehicles.multibody.tree.tree import move, set_velocities
from vehicles.multibody_vehicle import CHASSIS, linear_struts, vehicle_mechanism
from vehicles.steering.steering import STEERING_STATE, place_tierods
from vehicles.suspension.composite_inertia import Workspace
from vehicles.suspension.five_link.corner import FiveLinkCorner
from vehicles.suspension.five_link.geometry import link_axes
from vehicles.suspension.five_link.kinematics import CARRIER, LINKS
from vehicles.suspension.tables.build_tables import build_tables
from vehicles.suspension.tables.reduced_table import INTERPOLATED, ReducedTables
from vehicles.suspension.tables.tabulated import TabulatedMechanism, TabulatedWorkspace

TRUCK = vehicle_description("five_link_rear")
DESIGN = replace(TRUCK.design, struts=linear_struts(TRUCK.design.struts))
MECHANISM = new_mechanism(DESIGN.chassis, DESIGN.corners, DESIGN.struts)
SYSTEM = build_system(vehicle_mechanism(DESIGN))
REAR = (2, 3)


def random_state(seed: int) -> Workspace:
    """Everything moves, everything is loaded; evaluated."""
    rng = np.random.default_rng(seed)
    w = new_workspace(MECHANISM)
    x, loads = w.state[0], w.loads[0]
    q = rng.normal(size=4)
    x["p_WB"], x["q_WB"] = rng.uniform(-5.0, 5.0, 3), q / np.linalg.norm(q)
    x["v_WB_B"], x["w_WB_B"] = rng.uniform(-10.0, 10.0, 3), rng.uniform(-2.0, 2.0, 3)
    x["theta"] = np.r_[rng.uniform(-0.2, 0.2, 2), rng.uniform(-0.12, 0.12, 2)]
    x["theta_dot"] = np.r_[rng.uniform(-3.0, 3.0, 2), rng.uniform(-1.5, 1.5, 2)]
    x["wheel_spin"] = rng.uniform(-10.0, 45.0, 4)
    loads["wheel_force"] = rng.uniform(-15e3, 15e3, (3, 4))
    evaluate(w)
    couple = rng.uniform(-1.5e3, 1.5e3, (3, 4))
    axle = w.kinematics[0]["axle"]
    loads["carrier_couple"] = couple - (couple * axle).sum(axis=0) * axle
    evaluate(w)
    return w


def evaluate(w: Workspace) -> None:
    m = MECHANISM
    accelerations(m.records, w)


def joint_state(w: Workspace, system: System) -> tuple[Array, Array]:
    """Coordinates and velocities of all joints in the state of a workspace."""
    x = w.state[0]
    q, v = system.neutral(), np.zeros(system.n_v)
    R = attitude(x["q_WB"])
    for i, name in enumerate(CORNER_NAMES):
        v[system.joint_v[f"{name}_wheel"]] = x["wheel_spin"][i] - w.out[0]["carrier_spin"][i]
        corner = DESIGN.corners[i]
        if isinstance(corner, FiveLinkCorner):
            set_links(system, q, v, i, corner, w)
        else:
            side = np.sign(np.cross(corner.lower_arm_axis, corner.D - corner.lower_arm_point)[2])
            q[system.joint_q[f"{name}_lca"]], v[system.joint_v[f"{name}_lca"]] = side * x["theta"][i], side * x["theta_dot"][i]
    q[system.joint_q[CHASSIS]] = np.r_[x["p_WB"], x["q_WB"]]
    v[system.joint_v[CHASSIS]] = np.r_[R @ x["w_WB_B"], R @ x["v_WB_B"]]
    return ConstraintEmbedding(system, system.neutral()).close(q, v)


def set_links(system: System, q: Array, v: Array, i: int, corner: FiveLinkCorner, w: Workspace) -> None:
    """Angles of the universal joints from the directions of the links, and the ball joint of the carrier."""
    bodies, seen = bodies_of(w.blocks, i)[1], w.kinematics[0]
    for n, link in enumerate(LINKS):
        joint = f"{CORNER_NAMES[i]}_{link}"
        x, y = link_axes(corner, n)
        rod = bodies["c"][n] - corner.chassis_joints[n]
        turned_y = np.cross(rod, x) / np.linalg.norm(np.cross(rod, x))
        a = np.arctan2(np.cross(y, turned_y) @ x, y @ turned_y)
        design, back = corner.bodies[link].p_BoBcm - corner.chassis_joints[n], about(x, -a) @ rod
        b = np.arctan2(np.cross(design, back) @ y, design @ back)
        q[system.joint_q[joint]] = a, b
        rate = bodies["w_rel"][n]
        v[system.joint_v[joint]] = np.linalg.lstsq(np.column_stack([x, turned_y]), rate, rcond=None)[0]
        if link == "lower_rear":
            held, held_w = about(x, a) @ about(y, b), rate
    X, Z = seen["carrier_x"][:, i], seen["carrier_z"][:, i]
    R = held.T @ np.column_stack([X, np.cross(Z, X), Z])
    scalar = 0.5 * np.sqrt(1.0 + np.trace(R))
    axial = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4.0 * scalar)
    q[system.joint_q[f"{CORNER_NAMES[i]}_knuckle"]] = np.r_[scalar, axial]
    v[system.joint_v[f"{CORNER_NAMES[i]}_knuckle"]] = R.T @ held.T @ (bodies["w_rel"][CARRIER] - held_w)


def about(axis: Array, angle: float) -> Array:
    """Rotation about a unit axis."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


@pytest.mark.parametrize("formulation", ["ce", "ta", "recursive", "fa", "fa-dense"])
@pytest.mark.parametrize("seed", range(3))
def test_accelerations_are_those_of_the_general_engine(seed: int, formulation: str) -> None:
    """Chassis, thetas, carriers; the loops of the engine stay closed where the corners put the bodies."""
    w = random_state(seed)
    x, k, out, loads = w.state[0], w.kinematics[0], w.out[0], w.loads[0]
    q, v = joint_state(w, SYSTEM)
    tree = SYSTEM.parts.tree
    R = attitude(x["q_WB"])
    wrenches = np.zeros((tree.nodes.size, 6))
    for i, name in enumerate(CORNER_NAMES):
        wrenches[SYSTEM.node[f"{name}_wheel"]] = np.r_[R @ loads["carrier_couple"][:, i], R @ loads["wheel_force"][:, i]]
    solver = ConstraintEmbedding(SYSTEM, q) if formulation == "ce" else make_formulation(formulation, SYSTEM)
    found = solver.accelerations(q, v, wrenches=wrenches)
    move(tree, q)
    set_velocities(tree, v)
    accelerate_nodes(tree, found)
    chassis = found[SYSTEM.joint_v[CHASSIS]]
    alpha, a = R.T @ chassis[:3], R.T @ chassis[3:]
    assert error(alpha, out["alpha_WB_B"]) < 1e-9
    assert error(a, out["a_WB_B"]) < 1e-9
    w_B = x["w_WB_B"]
    for i in REAR:
        motion = tree.motion[SYSTEM.node[f"{CORNER_NAMES[i]}_wheel"]]
        W = k["W"][:, i]
        assert error(R.T @ (motion["p"] - x["p_WB"]), W) < 1e-12
        assert error(R.T @ motion["V"][3:], x["v_WB_B"] + np.cross(w_B, W) + k["W_dot"][:, i]) < 1e-11
        moving = np.cross(alpha, W) + np.cross(w_B, np.cross(w_B, W) + 2.0 * k["W_dot"][:, i])
        assert error((R.T @ motion["alpha"][3:] - a - moving)[2], out["theta_ddot"][i]) < 1e-9
        alpha_rel = bodies_of(w.blocks, i)[1]["alpha_rel"][CARRIER]
        carrier = alpha_rel + out["theta_ddot"][i] * k["w"][:, i]
        knuckle = R.T @ tree.motion[SYSTEM.node[f"{CORNER_NAMES[i]}_knuckle"]]["alpha"][:3]
        assert error(knuckle, alpha + carrier + np.cross(w_B, k["w_rel"][:, i])) < 1e-9
    for i in (0, 1):
        side = np.sign(q[SYSTEM.joint_q[f"{CORNER_NAMES[i]}_lca"]][0]) * np.sign(x["theta"][i])
        assert error(side * found[SYSTEM.joint_v[f"{CORNER_NAMES[i]}_lca"]][0], out["theta_ddot"][i]) < 1e-9


def error(ours: Any, theirs: Any) -> float:
    """Largest |ours - theirs| over max(1, |theirs|)."""
    return float(np.max(np.abs(ours - theirs) / np.maximum(1.0, np.abs(theirs))))


# ---- laws


def tumbling(gravity: float) -> FreeMotion:
    """Without dampers and anti-roll bars, whose energy is tested elsewhere, springs 20 mm off their rest, everything turning."""
    m = free_motion(new_mechanism(DESIGN.chassis, DESIGN.corners, DESIGN.without_bars().struts), gravity)
    state, struts = m.state[0], m.struts[0]
    for name in ("compression_damping", "rebound_damping", "compression_damping_end", "rebound_damping_end"):
        struts[name] = 0.0
    w = new_workspace(MECHANISM)
    evaluate(w)
    struts["spring_free_length"] = w.kinematics[0]["spring_length"] + 0.02
    state["theta"], state["theta_dot"] = [0.05, -0.05, 0.03, -0.03], [0.0, 0.0, 0.4, -0.3]
    state["w_WB_B"], state["wheel_spin"] = [0.3, 0.2, 0.5], 30.0
    return m


def largest_change(h: float) -> float:
    m = tumbling(9.81)
    both = np.array([energies(m, state) for state in integrate(m, 3.0, h, every=round(0.02 / h))])
    total = both.sum(axis=1)
    return float(np.abs(total - total[0]).max() / both[:, 0].max())


def test_energy_stays_and_its_error_falls_with_the_fourth_power_of_the_step() -> None:
    coarse, fine = largest_change(2e-3), largest_change(1e-3)
    assert fine < 1e-9
    assert coarse > 15.0 * fine


@pytest.mark.parametrize("seed", range(3))
def test_mirror_image_of_accelerations(seed: int) -> None:
    w, other = random_state(seed), new_workspace(MECHANISM)
    other.state[:] = mirrored(w.state)
    for name, sign in (("wheel_force", POLAR), ("carrier_couple", AXIAL)):
        other.loads[0][name] = (sign[:, None] * w.loads[0][name])[:, SWAP]
    evaluate(other)
    ours, theirs = w.out[0], other.out[0]
    assert error(theirs["a_WB_B"], POLAR * ours["a_WB_B"]) < 1e-10
    assert error(theirs["alpha_WB_B"], AXIAL * ours["alpha_WB_B"]) < 1e-10
    assert error(theirs["theta_ddot"], ours["theta_ddot"][SWAP]) < 1e-10


def test_it_stands_still() -> None:
    car = standing("five_link_rear", "flat")
    before = car.space.state.copy()
    drive(car, "flat", command(), 3.0)
    for name in ("p_WB", "q_WB", "theta"):
        assert np.abs(car.space.state[0][name] - before[0][name]).max() < 1e-9, name
    weight = (car.model.chassis[0]["mass"] + car.model.corners[0]["corner_mass"].sum()) * 9.80665
    assert car.read()[0]["F_C"][:, 2].sum() == pytest.approx(weight, rel=1e-9)
    assert car.read()[0]["jounce"][2:] == pytest.approx(car.space.state[0]["theta"][2:], abs=1e-12)


def test_the_same_drive_has_the_same_bits() -> None:
    """Also after another drive of the same car, whose last position is the first guess no more."""
    c = command(throttle=0.7, steering=0.3, selector=1)
    first, again = standing("five_link_rear", "flat", gear=1), standing("five_link_rear", "flat", gear=1)
    drive(again, "flat", c, 0.5)
    again.reset(ground("flat"), gear=1)
    for car in (first, again):
        drive(car, "flat", c, 1.0)
    assert image(first) == image(again)


def test_road_loads_keep_the_axle_within_its_travel() -> None:
    """Over the bump under power: nothing runs away, every wheel is on the ground at the end."""
    car = standing("five_link_rear", "bump", gear=1)
    states: Record = track(car, "bump", command(throttle=0.8, selector=1), 9.0)
    low, high = car.model.corners[0]["travel"][:, 2]
    assert (states["theta"][:, 2:] > low).all()
    assert (states["theta"][:, 2:] < high).all()
    assert np.ptp(states["theta"][:, 2]) > 0.02
    assert states["p_WB"][-1, 0] > 38.0
    assert (car.read()[0]["F_C"][:, 2] > 0.0).all()


# ---- tables


@cache
def tables(tolerance: float) -> ReducedTables:
    return build_tables(MECHANISM.with_struts(TRUCK.mechanism.struts), TRUCK.steering, tolerance)[0]


@pytest.mark.parametrize("tolerance", [1e-4, 1e-6])
def test_accelerations_from_tables_are_as_near_as_they_promise(tolerance: float) -> None:
    m, steering, r = MECHANISM, record(STEERING_STATE), record(INTERPOLATED)
    worst = 0.0
    for seed in range(40):
        w = random_state(seed)
        w.state[0]["theta"][2:] *= 0.8  # between the stops
        place_tierods(TRUCK.steering, steering, w.inputs)
        evaluate(w)
        exact = w.out.copy()
        table_accelerations(TabulatedMechanism(*m.records, tables(tolerance)), TabulatedWorkspace(*w, steering, r))
        worst = max(worst, *(error(w.out[0][name], exact[0][name]) for name in ("alpha_WB_B", "a_WB_B", "theta_ddot")))
    assert 0.0 < worst < tolerance


def test_tables_reach_beyond_the_stops_and_not_beyond_the_travel() -> None:
    grid, w, struts = tables(1e-4).grid[0], new_workspace(MECHANISM), TRUCK.mechanism.struts[0]
    for end, stop in (("theta_min", "rebound_stop_length"), ("theta_max", "bump_stop_length")):
        w.state[0]["theta"] = grid[end]
        evaluate(w)
        beyond = w.kinematics[0]["spring_length"][2:] - struts[stop][2:]
        assert ((beyond if end == "theta_min" else -beyond) > 0.01).all()
    low, high = MECHANISM.corners[0]["travel"][:, 2:]
    assert (grid["theta_min"][2:] > low).all()
    assert (grid["theta_max"][2:] < high).all()


def test_a_drive_on_tables_is_the_drive_on_newtons_method() -> None:
    states = []
    for suspension in ("closed_form", "table"):
        car = build_vehicle("five_link_rear", suspension=suspension)
        car.reset(ground("flat"), gear=1)
        states.append(track(car, "flat", command(throttle=0.5, steering=0.3, selector=1), 2.0))
        assert (car.model.tables.grid[0]["theta_cells"] > 0) == (suspension == "table")
    exact, ours = states
    assert np.abs(exact["p_WB"][-1, :2]).max() > 1.0
    for name, limit in (("p_WB", 1e-7), ("q_WB", 1e-7), ("v_WB_B", 1e-7), ("theta", 1e-7), ("theta_dot", 1e-5)):
        assert np.abs(exact[name] - ours[name]).max() < limit, name
