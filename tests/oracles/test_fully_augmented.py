"""Do bodies with absolute coordinates move as the tree, and is the sparse factorization exact?"""

import math
from dataclasses import replace
from pathlib import Path

import numba
import numpy as np
import pytest
import yaml

from simulator.base.yaml_reader import read_yaml
from simulator.builder.builder import data_folder
from simulator.validation.reference.model_corners import JOINTS, read_design
from tests.oracles import known_mechanisms as known
from tests.oracles.dense_multipliers import accelerations
from tests.oracles.kkt_reference import error
from tests.oracles.random_mechanisms import RandomMechanism
from tests.oracles.test_tree_augmented import random_state
from tests.oracles.urdf_generator import four_bar_branches
from vehicles.mechanism_parameters import CORNER_NAMES
from vehicles.multibody.description.mechanism import WORLD, Joint, JointSpring, Mechanism, MechanismError, Spring
from vehicles.multibody.description.mechanism_file import mechanism_from_mapping
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.multibody.description.urdf import mechanism_from_urdf
from vehicles.multibody.formulations import ldl
from vehicles.multibody.formulations.absolute_coordinates import advance
from vehicles.multibody.formulations.fully_augmented import FullyAugmented
from vehicles.multibody.loops.assembly import consistent_velocities
from vehicles.multibody.loops.constraint_jacobian import free_coordinates
from vehicles.multibody.tree.articulated_body import articulated_body
from vehicles.multibody.tree.forces import apply_forces, spring_energy
from vehicles.multibody.tree.system import build_system
from vehicles.multibody.tree.tree import advance_positions, energy, move, set_velocities, start_inertias
from vehicles.multibody_vehicle import vehicle_mechanism

SOLVERS = ("sparse", "dense")
KINDS = ("revolute", "universal", "prismatic", "spherical", "fixed", "revolute", "universal", "prismatic")
DATA = Path(__file__).parents[1] / "data" / "hmmwv_accelerations"


def unit(a):
    return a / np.linalg.norm(a)


def random_tree(seed, floating, massless=()):
    """A tree with every kind of joint, springs and dampers; the bodies at the places `massless` have no mass but carry others."""
    rng = np.random.default_rng(seed)

    def rotation():
        Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        return Q * np.sign(np.linalg.det(Q))

    bodies, joints = [], []
    for i, kind in enumerate(("free" if floating else "spherical", *rng.permutation(KINDS))):
        A, a = rng.normal(size=(3, 3)), unit(rng.normal(size=3))
        bodies.append(RigidBody(f"b{i}", rng.uniform(1.0, 3.0), 0.3 * rng.normal(size=3), A @ A.T + np.eye(3)))
        if i in massless:
            bodies[-1] = RigidBody(f"b{i}", 0.0)
        axes = {"revolute": [a], "prismatic": [a], "universal": [a, unit(np.cross(a, rng.normal(size=3)))]}.get(kind, np.zeros((0, 3)))
        parent = WORLD if i == 0 else f"b{i - 1 if i - 1 in massless else rng.integers(max(0, i - 3), i)}"
        place = rng.normal(size=3), rotation(), np.array(axes), rng.normal(size=3), rotation()
        joints.append(Joint(f"j{i}", kind, parent, f"b{i}", *place))
    springs = (Spring("spring", "b0", rng.normal(size=3), "b5", rng.normal(size=3), 30.0, 0.5, 2.0),)
    scalar = [joint.name for joint in joints if joint.kind in ("revolute", "prismatic")]
    joint_springs = tuple(JointSpring(name, 20.0, 0.3, 1.5) for name in scalar)
    return Mechanism("tree", tuple(bodies), tuple(joints), springs=springs, joint_springs=joint_springs)


def anywhere(system, seed):
    """q, v, tau, wrenches."""
    rng = np.random.default_rng(seed)
    q = np.zeros(system.n_q)
    advance_positions(system.parts.tree, system.neutral(), rng.normal(size=system.n_v), 1.0, q)
    return q, rng.normal(size=system.n_v), rng.normal(size=system.n_v), rng.normal(size=(system.parts.tree.nodes.size, 6))


def articulated(system, q, v, tau, wrenches):
    """Joint accelerations by the recursion."""
    p, accel = system.parts, np.zeros(system.n_v)
    move(p.tree, q)
    set_velocities(p.tree, v)
    apply_forces(p.forces, p.tree, q, v, wrenches, tau, p.T)
    start_inertias(p.tree, p.gravity)
    assert articulated_body(p.tree, p.joints, p.T, accel) == 0
    return accel


def shipped(name):
    path = data_folder("configs") / "mechanisms" / f"{name}.yaml"
    return mechanism_from_mapping(read_yaml(path), path)[0]


# ------------------------------------------------------------------------------------------------------------- accelerations


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", range(6))
def test_trees_of_all_joints_move_as_by_the_articulated_body_recursion(seed, solver):
    system = build_system(random_tree(seed, floating=bool(seed % 2)))
    state = anywhere(system, seed)
    wanted = articulated(system, *state)
    formulation = FullyAugmented(system, solver)
    assert error(formulation.accelerations(*state), wanted) < 1e-10
    bodies, rows = len(system.mechanism.bodies), formulation.multipliers.size
    assert formulation.dimensions == (6 * bodies, 6 * bodies - system.n_v) == (6 * bodies, rows)


@pytest.mark.parametrize("seed", range(4))
def test_bodies_without_mass_that_carry_others_move_as_by_the_recursion(seed):
    system = build_system(random_tree(seed, floating=bool(seed % 2), massless=(2, 6)))
    state = anywhere(system, seed)
    wanted = articulated(system, *state)
    for solver in SOLVERS:
        assert error(FullyAugmented(system, solver).accelerations(*state), wanted) < 1e-9


@pytest.mark.parametrize("theta", [-2.9, 0.2, 1.1])
def test_four_bar_as_by_complex_exponentials(theta):
    """The closed form of [Jain 2016], with rods that have no moment about themselves; the row across the plane is redundant and carries nothing."""
    system = build_system(shipped("four_bar"))
    formulation = FullyAugmented(system)
    third, fourth = known.four_bar_angles(math.pi / 2.0)
    design = (math.pi / 2.0, third[0] - math.pi / 2.0, fourth[0])
    q, v, wanted = system.neutral(), np.zeros(system.n_v), np.zeros(system.n_v)
    names = ("crank on ground", "coupler on crank", "rocker on ground")
    for name, zero, (x, x1, x2) in zip(names, design, known.four_bar_accelerations(theta, 5.0), strict=True):
        q[system.joint_q[name]], v[system.joint_v[name]], wanted[system.joint_v[name]] = x - zero, x1, x2
    assert error(formulation.accelerations(q, v), wanted) < 1e-11
    (row,) = formulation.redundant
    assert formulation.row_names[row] == system.loop_names[0]
    assert formulation.multipliers[row] == 0.0


@pytest.mark.parametrize("solver", SOLVERS)
def test_recorded_vehicle(solver):
    """33 bodies, 184 constraints, inner tie-rod ends that move: accelerations of all bodies as recorded."""
    with pytest.warns(UserWarning):
        design = read_design(yaml.safe_load((DATA / "hmmwv_model.yaml").read_text(encoding="utf-8")), "model")
    system = build_system(vehicle_mechanism(design))
    formulation, driven = FullyAugmented(system, solver), system.parts.constraints.driven
    assert formulation.dimensions == (198, 184)
    names = [f"{corner}_{joint}" for corner in CORNER_NAMES for joint in JOINTS]
    at_q, at_v = (np.concatenate([np.r_[where[name]] for name in names]) for where in (system.joint_q, system.joint_v))
    with np.load(DATA / "full_steering.npz") as file:
        data = dict(file)
    order = np.argsort([system.node[str(name)] for name in data["body_names"]])
    for n in range(0, len(data["theta"]), 4):
        q, v, wrenches = system.neutral(), np.zeros(system.n_v), np.zeros((system.parts.tree.nodes.size, 6))
        q[system.joint_q["chassis"]] = np.r_[data["chassis_pos"][n], data["chassis_quat_wxyz"][n]]
        v[system.joint_v["chassis"]] = np.r_[data["chassis_omega_world"][n], data["chassis_vel_world"][n]]
        q[at_q], v[at_v] = data["q_all"][n], data["qd_all"][n]
        for i, corner in enumerate(CORNER_NAMES):
            wrenches[system.node[f"{corner}_wheel"]] = np.roll(data["wheel_wrench_world"][n, i], 3)
        for i, corner in enumerate(CORNER_NAMES[:2]):
            for name, key in (("offset", "offset"), ("velocity", "vel"), ("acceleration", "acc")):
                driven[system.driven[f"{corner}_L"]][name] = data[f"tierod_inner_{key}"][n, i]
        found = formulation.accelerations(q, v, wrenches=wrenches)
        assert error(found[at_v], data["out_qdd_all"][n]) < 1e-10
        bodies = formulation.body_accelerations[1:]
        assert error(bodies[:, :3], data["body_alpha"][n][order]) < 1e-10
        assert error(bodies[:, 3:], data["body_acc_com"][n][order]) < 1e-10


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", (1, 2, 3, 5, 6, 7, 8))
def test_random_mechanisms_as_by_dense_multipliers(seed, solver):
    """Every kind of joint and loop, driven points, a coupling and a prescribed joint, forces on everything."""
    m = random_state(seed)
    found = FullyAugmented(m.system, solver).accelerations(m.q, m.v, m.tau, m.wrenches, m.prescribed)
    known_v = ~free_coordinates(m.system)
    assert known_v.any()
    assert error(found, accelerations(m.system, m.q, m.v, m.tau, m.wrenches, m.prescribed, known_v)[0]) < 1e-9


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", (2, 7))
def test_loops_said_twice_are_redundant_and_change_nothing(seed, solver):
    """The second of two equal rows gets no multiplier, the first carries all."""
    m = random_state(seed)
    again = tuple(replace(loop, name=f"{loop.name} again") for loop in m.mechanism.loops if not loop.driven)
    twice = build_system(replace(m.mechanism, loops=m.mechanism.loops + again))
    twice.parts.constraints.driven[:] = m.system.parts.constraints.driven
    assert [joint.name for joint in m.mechanism.joints if m.system.joint_v.get(joint.name) != twice.joint_v.get(joint.name)] == []
    one, two = FullyAugmented(m.system, solver), FullyAugmented(twice, solver)
    args = m.q, m.v, m.tau, m.wrenches, m.prescribed
    assert error(two.accelerations(*args), one.accelerations(*args)) < 1e-9
    said_again = sum(name.endswith("again") for name in two.row_names)
    assert said_again >= 8
    assert len(two.redundant) == len(one.redundant) + said_again
    assert (two.multipliers[list(two.redundant)] == 0.0).all()


def test_cranks_that_are_driven_apart_contradict_their_coupler():
    mechanism = shipped("n_four_bar")
    told = [replace(joint, prescribed=joint.name in ("A0", "B0", "B1")) for joint in mechanism.joints]
    system = build_system(replace(mechanism, joints=tuple(told)))
    formulation, still = FullyAugmented(system), np.zeros(system.n_v)
    prescribed = still.copy()
    assert np.abs(formulation.accelerations(system.neutral(), still, prescribed=prescribed)).max() < 1e-12
    prescribed[system.joint_v["A0"]] = 1.0
    with pytest.raises(MechanismError, match="contradict") as caught:
        formulation.accelerations(system.neutral(), still, prescribed=prescribed)
    assert any(name in str(caught.value) for name in ("A0", "A1", "B0", "B1"))


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_joint_that_moves_no_inertia_is_named(solver):
    z = np.array([[0.0, 0.0, 1.0]])
    bodies = (RigidBody("crank", 1.0, np.array([0.5, 0.0, 0.0]), 0.1 * np.eye(3)), RigidBody("pointer", 0.0))
    pin = Joint("pin", "revolute", "crank", "pointer", np.array([1.0, 0.0, 0.0]), axes=z)
    system = build_system(Mechanism("m", bodies, (Joint("pivot", "revolute", WORLD, "crank", axes=z), pin)))
    with pytest.raises(MechanismError, match="'pin' moves no inertia"):
        FullyAugmented(system, solver).accelerations(system.neutral(), np.zeros(2))


# ------------------------------------------------------------------------------------------------- integration in absolute coordinates


def moved(state, alpha, h):
    """Poses and velocities after h seconds of constant acceleration, to second order."""
    poses, velocities = state
    out = poses.copy()
    advance(poses, velocities + 0.5 * h * alpha, h, out)
    return out, velocities + h * alpha


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", (2, 7))
def test_poses_and_velocities_alone_give_the_same_accelerations(seed, solver):
    """Joint coordinates are measured on the bodies: springs in joints and couplings find their angles there."""
    m = random_state(seed)
    formulation = FullyAugmented(m.system, solver)
    formulation.accelerations(m.q, m.v, m.tau, m.wrenches, m.prescribed)
    wanted, args = formulation.body_accelerations, formulation.kernel_arguments
    state = formulation.absolute_state(m.q, m.v)
    for values in (args.equations.alpha, args.absolute.v, args.absolute.Y):
        values[:] = 0.0
    assert formulation.evaluate_state(args, *state) == 0
    assert error(formulation.body_accelerations, wanted) < 1e-10
    assert error(args.absolute.v, m.v) < 1e-12


@pytest.mark.parametrize("seed", (2, 5))
def test_constraints_open_as_the_feedback_tells_them(seed):
    """Differences of phi over time against phi' and against phi'' = -feedback, for joints, loops and the coupling."""
    m = passive(seed)
    formulation = FullyAugmented(m.system)
    args, state = formulation.kernel_arguments, formulation.absolute_state(m.q, m.v)
    told = np.random.default_rng(seed).normal(size=formulation.multipliers.size)
    args.equations.feedback[:] = told
    assert formulation.evaluate_state(args, *state) == 0
    assert formulation.redundant == ()
    alpha, h = formulation.body_accelerations, 1e-5
    phi = {k: formulation.constraint_errors(*moved(state, alpha, k * h)) for k in (-1, 0, 1)}
    assert np.abs(phi[0]).max() < 1e-11
    first, second = ((phi[1][i] - phi[-1][i]) / (2.0 * h) for i in (0, 1))
    assert np.abs(first - phi[0][1]).max() < 1e-5
    assert np.abs(second + told).max() < 1e-5


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", (2, 5))
def test_energy_changes_by_the_power_of_the_applied_forces(seed, solver):
    m = passive(seed)
    formulation = FullyAugmented(m.system, solver)
    formulation.accelerations(m.q, m.v, m.tau)
    a, alpha, state = formulation.kernel_arguments.absolute, formulation.body_accelerations, formulation.absolute_state(m.q, m.v)

    def energy_after(h):
        formulation.constraint_errors(*moved(state, alpha, h))
        return sum(energy(a.tree, m.system.parts.gravity)) + spring_energy(a.forces, a.tree, a.q)

    h = 1e-5
    assert (energy_after(h) - energy_after(-h)) / (2.0 * h) == pytest.approx(m.tau @ m.v, abs=1e-5)


def passive(seed):
    """A random closed mechanism without dampers, constant forces and prescribed motion."""
    m = RandomMechanism(seed, bodies=14, floating=bool(seed % 2), prescribed=0)
    quiet = {name: tuple(replace(spring, damping=0.0) for spring in getattr(m.mechanism, name)) for name in ("springs", "joint_springs")}
    m.system = build_system(replace(m.mechanism, **quiet, forces=(), joint_forces=()))
    m.v = consistent_velocities(m.system, m.q, m.v, hold=())
    return m


@numba.njit(error_model="numpy")
def evaluate_again(evaluate, m, poses, velocities, count):
    for _ in range(count):
        evaluate(m, poses, velocities)


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="counts allocations of compiled code")
@pytest.mark.parametrize("solver", SOLVERS)
def test_an_evaluation_allocates_nothing(solver):
    from numba.core.runtime import _nrt_python, rtsys

    m = random_state(2)
    formulation = FullyAugmented(m.system, solver)
    args = formulation.evaluate_state, formulation.kernel_arguments, *formulation.absolute_state(m.q, m.v)
    evaluate_again(*args, 1)
    _nrt_python.memsys_enable_stats()
    try:

        def allocations(count):
            before = rtsys.get_allocation_stats().mi_alloc
            evaluate_again(*args, count)
            return rtsys.get_allocation_stats().mi_alloc - before

        assert allocations(100) == allocations(1)
    finally:
        _nrt_python.memsys_disable_stats()


# ------------------------------------------------------------------------------------------------------------ the factorization


@pytest.mark.parametrize("seed", range(4))
def test_sparse_factors_solve_what_a_full_matrix_does(seed):
    """A random tree of bodies and rows in the order of elimination; one row is the sum of two before it."""
    rng = np.random.default_rng(seed)
    count = 8
    sizes, signs, neighbors, K = [], [], [], np.zeros((12 * count, 12 * count))
    for b in range(count):
        A, size = rng.normal(size=(6, 6)), int(rng.integers(2, 6))
        K[12 * b : 12 * b + 6, 12 * b : 12 * b + 6] = A @ A.T + np.eye(6)
        bound = {b} if b + 1 == count else {b, int(rng.integers(b + 1, count))}
        sizes, signs, neighbors = [*sizes, 6, size], [*signs, 1, -1], [*neighbors, set(), {2 * body for body in bound}]
        for body in bound:
            rows = rng.normal(size=(size, 6))
            if b == 3:
                rows[-1] = rows[:-1].sum(axis=0)
            here, there = slice(12 * b + 6, 12 * b + 6 + size), slice(12 * body, 12 * body + 6)
            K[here, there], K[there, here] = rows, rows.T
    f = ldl.lay_out_factorization(sizes, signs, neighbors)
    used = np.flatnonzero(f.sign.ravel())
    ldl.clear(f)
    for i, j in zip(*np.nonzero(K[np.ix_(used, used)]), strict=True):
        f.values[ldl.entry(f, int(used[i]), int(used[j]))] = K[used[i], used[j]]
    assert ldl.factorize(f) == 0
    dropped = 12 * 3 + 6 + sizes[7] - 1
    assert np.flatnonzero((f.inverse == 0.0).ravel() & (f.sign != 0.0).ravel()).tolist() == [dropped]
    kept = used[used != dropped]
    x = np.zeros(f.size.size)
    x[used] = b = rng.normal(size=used.size)
    ldl.solve(f, x)
    assert error(x[kept], np.linalg.solve(K[np.ix_(kept, kept)], b[used != dropped])) < 1e-10
    assert x[dropped] == 0.0


def test_fill_stays_between_the_ends_of_a_loop():
    """Four-bars side by side on one body: entries and products of L D L* grow with their number and with nothing else."""
    done = []
    for branches in (1, 2, 3):
        system = build_system(mechanism_from_urdf(four_bar_branches(branches, 3).text(), "branches"))
        done.append(ldl.operations(FullyAugmented(system).kernel_arguments.solver.factorization))
    assert np.diff(done, 2, axis=0).tolist() == [[0, 0]]
    assert np.diff(done, axis=0).min() > 0
