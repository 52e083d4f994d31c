"""Do the formulations with cut joints give the accelerations, multipliers and messages they should, for every kind of joint and loop?"""

from dataclasses import replace

import numpy as np
import pytest

from simulator.base.yaml_reader import read_yaml
from simulator.builder.builder import data_folder
from tests.oracles import dense_multipliers as dense
from tests.oracles.random_mechanisms import RandomMechanism, carried
from vehicles.multibody.description.mechanism import WORLD, Joint, Loop, MechanismError
from vehicles.multibody.description.mechanism_file import mechanism_from_mapping
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.multibody.formulations.kinds import make_formulation
from vehicles.multibody.loops.assembly import consistent_velocities
from vehicles.multibody.loops.constraint_jacobian import (
    free_coordinates,
    joint_jacobian,
    position_residuals,
    velocity_products,
    velocity_residuals,
)
from vehicles.multibody.tree.body_motion import mechanical_energy
from vehicles.multibody.tree.system import build_system
from vehicles.multibody.tree.tree import advance_positions

CUT_JOINTS = ("ta", "recursive")
SEEDS = (0, 1, 2, 3, 5, 6, 7, 8)
"""Number 4 has as many prescribed and driven motions as to contradict itself."""


def random_state(seed):
    """A random mechanism with its velocities on the loops; every other one has two free bodies."""
    made = RandomMechanism(seed, bodies=14, floating=bool(seed % 2))
    made.v = consistent_velocities(made.system, made.q, made.v, hold=())
    return made


def shipped(name):
    """(mechanism, system, q, v) of a shipped mechanism whose joints have one coordinate each."""
    path = data_folder("configs") / "mechanisms" / f"{name}.yaml"
    mechanism, state = mechanism_from_mapping(read_yaml(path), path)
    system = build_system(mechanism)
    q, v = system.neutral(), np.zeros(system.n_v)
    for joint in mechanism.joints:
        q[system.joint_q[joint.name]] = state.positions[joint.name]
        v[system.joint_v[joint.name]] = state.rates[joint.name]
    return mechanism, system, q, v


@pytest.mark.parametrize("formulation", CUT_JOINTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_random_mechanisms_as_by_dense_multipliers(seed, formulation):
    m = random_state(seed)
    solver = make_formulation(formulation, m.system)
    found = solver.accelerations(m.q, m.v, m.tau, m.wrenches, m.prescribed)
    known = ~free_coordinates(m.system)
    wanted, M, f, G = dense.accelerations(m.system, m.q, m.v, m.tau, m.wrenches, m.prescribed, known)
    assert np.abs(found - wanted).max() < 1e-10 * max(1.0, np.abs(wanted).max())
    unbalanced = M @ found - f - G.T @ solver.multipliers
    assert np.abs(unbalanced[~known]).max() < 1e-9 * np.abs(f).max()
    assert solver.dimensions == ((~known).sum(), len(G))


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_have_the_derivatives_of_their_residuals(seed):
    """First and second differences over time, at joint velocities that stay as they are; the driven points' own motion by itself."""
    m = random_state(seed)
    system, h = m.system, 2e-3
    system.parts.constraints.driven["velocity"] = 0.0
    system.parts.constraints.driven["acceleration"] = 0.0

    def residuals(t):
        out = np.zeros_like(m.q)
        advance_positions(system.parts.tree, m.q, m.v, t, out)
        return position_residuals(system, out)

    phi = {k: residuals(k * h) for k in (-2, -1, 0, 1, 2)}
    first = (phi[-2] - 8.0 * phi[-1] + 8.0 * phi[1] - phi[2]) / (12.0 * h)
    second = (-phi[-2] + 16.0 * phi[-1] - 30.0 * phi[0] + 16.0 * phi[1] - phi[2]) / (12.0 * h * h)
    rate = velocity_residuals(system, m.q, m.v)
    wanted, magnitude = velocity_products(system, m.q, m.v)
    assert np.abs(phi[0]).max() < 1e-12
    assert np.abs(first - rate).max() < 1e-6 * magnitude.max()
    assert np.abs(second - wanted).max() < 1e-6 * magnitude.max()
    assert np.abs(joint_jacobian(system, m.q) @ m.v - rate).max() < 1e-12 * magnitude.max()


@pytest.mark.parametrize("formulation", CUT_JOINTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_energy_changes_by_the_power_of_the_applied_forces(seed, formulation):
    """Loops at rest do no work: without dampers and driven motion only tau and the constant forces change the energy."""
    made = RandomMechanism(seed, floating=bool(seed % 2), prescribed=0)
    passive = replace(
        made.mechanism,
        joint_springs=tuple(replace(spring, damping=0.0) for spring in made.mechanism.joint_springs),
        springs=tuple(replace(spring, damping=0.0) for spring in made.mechanism.springs),
        forces=(),
        joint_forces=(),
    )
    system = build_system(passive)
    v = consistent_velocities(system, made.q, made.v, hold=())
    accel = make_formulation(formulation, system).accelerations(made.q, v, made.tau)
    h = 1e-5

    def energy(t):
        q = np.zeros_like(made.q)
        advance_positions(system.parts.tree, made.q, v + 0.5 * t * accel, t, q)
        return sum(mechanical_energy(system, q, v + t * accel))

    power = float(made.tau @ v)
    assert (energy(h) - energy(-h)) / (2.0 * h) == pytest.approx(power, abs=1e-6 * max(1.0, np.abs(made.tau * v).sum(), abs(energy(0.0))))


@pytest.mark.parametrize("formulation", CUT_JOINTS)
def test_loops_said_twice_are_redundant_and_change_nothing(formulation):
    m = random_state(2)
    twice = replace(
        m.mechanism, loops=m.mechanism.loops + tuple(replace(loop, name=loop.name + " again") for loop in m.mechanism.loops[1:])
    )
    once, again = make_formulation(formulation, m.system), make_formulation(formulation, build_system(twice))
    old, new = m.system, again.system
    new.parts.constraints.driven[:] = old.parts.constraints.driven
    q, v, prescribed = (carried(values, old, new) for values in (m.q, m.v, m.prescribed))
    wanted = once.accelerations(m.q, m.v, prescribed=m.prescribed)
    found = again.accelerations(q, v, prescribed=prescribed)
    assert np.abs(carried(found, new, old) - wanted).max() < 1e-10 * max(1.0, np.abs(wanted).max())
    rows = m.system.parts.constraints.rows
    assert len(again.redundant) == len(once.redundant) + sum(int((rows["loop"] == i).sum()) for i in range(1, len(m.mechanism.loops)))


@pytest.mark.parametrize("formulation", CUT_JOINTS)
def test_the_row_across_a_planar_loop_is_redundant(formulation):
    _, system, q, v = shipped("four_bar")
    solver = make_formulation(formulation, system)
    solver.accelerations(q, v)
    assert len(solver.redundant) == 1
    assert solver.multipliers[solver.redundant[0]] == 0.0


@pytest.mark.parametrize("formulation", CUT_JOINTS)
def test_the_same_input_gives_the_same_bits(formulation):
    m = random_state(3)
    solver = make_formulation(formulation, m.system)
    first = solver.accelerations(m.q, m.v, m.tau, m.wrenches, m.prescribed)
    solver.accelerations(m.system.neutral(), 0.5 * m.v)
    assert (solver.accelerations(m.q, m.v, m.tau, m.wrenches, m.prescribed) == first).all()


@pytest.mark.parametrize("formulation", CUT_JOINTS)
def test_cranks_that_are_driven_apart_contradict_their_coupler(formulation):
    mechanism, _, q, _ = shipped("n_four_bar")
    cranks = {"A0": 1.0, "B1": 1.0, "B0": 1.0}
    told = replace(mechanism, joints=tuple(replace(joint, prescribed=joint.name in cranks) for joint in mechanism.joints))
    system = build_system(told)
    solver, prescribed = make_formulation(formulation, system), np.zeros(system.n_v)
    solver.accelerations(q, np.zeros(system.n_v), prescribed=prescribed)
    prescribed[system.joint_v["A0"]] = 1.0
    with pytest.raises(MechanismError, match="contradict") as caught:
        solver.accelerations(q, np.zeros(system.n_v), prescribed=prescribed)
    assert caught.value.loops == ("A1",)


@pytest.mark.parametrize("formulation", CUT_JOINTS)
def test_a_joint_that_moves_no_inertia_is_named(formulation):
    z = np.array([[0.0, 0.0, 1.0]])
    bodies = (RigidBody("crank", 1.0, np.array([0.5, 0.0, 0.0]), 0.1 * np.eye(3)), RigidBody("pointer", 0.0))
    joints = (
        Joint("pivot", "revolute", WORLD, "crank", axes=z),
        Joint("pin", "revolute", "crank", "pointer", np.array([1.0, 0.0, 0.0]), axes=z),
    )
    held = (Loop("tip", "distance", "pointer", WORLD, np.array([1.0, 0.0, 0.0]), np.array([2.0, 1.0, 0.0]), length=1.0),)
    free, bound = (
        build_system(replace(shipped("four_bar")[0], bodies=bodies, joints=joints, loops=loops, springs=(), joint_springs=()))
        for loops in ((), held)
    )
    with pytest.raises(MechanismError, match="'pin'"):
        make_formulation(formulation, free).accelerations(free.neutral(), np.zeros(free.n_v))
    arguments = bound.neutral(), np.zeros(bound.n_v)
    ours, reference = (make_formulation(name, bound).accelerations(*arguments) for name in (formulation, "ce"))
    assert ours == pytest.approx(reference, abs=1e-9), "its loop moves it with the crank"
