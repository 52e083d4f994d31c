"""Do the formulations reproduce known motions: closed forms, and a published reference solution?"""

import math

import numpy as np
import pytest

from simulator.base.yaml_reader import read_yaml
from simulator.builder.builder import data_folder
from tests.oracles import known_mechanisms as known
from tests.oracles.tree_poses import energy_of
from vehicles.multibody.description.mechanism import MechanismError
from vehicles.multibody.description.mechanism_file import mechanism_from_mapping
from vehicles.multibody.formulations.constraint_embedding_formulation import ConstraintEmbedding
from vehicles.multibody.formulations.kinds import make_formulation
from vehicles.multibody.tree.system import build_system

FORMULATIONS = ["ce", "ta", "recursive", "fa"]
ANGLES = [-2.9, -1.3, 0.2, 1.1, 2.4]


def made(formulation, name):
    """(formulation, q, v) of a shipped mechanism in the state of its file; its joints are all of one coordinate."""
    path = data_folder("configs") / "mechanisms" / f"{name}.yaml"
    mechanism, state = mechanism_from_mapping(read_yaml(path), path)
    system = build_system(mechanism)
    q, v = system.neutral(), np.zeros(system.n_v)
    for joint in mechanism.joints:
        q[system.joint_q[joint.name]] = state.positions[joint.name]
        v[system.joint_v[joint.name]] = state.rates[joint.name]
    return make_formulation(formulation, system), q, v


def assert_same(engine, joints, design):
    """That the engine gives the accelerations of `joints`, (q, q', q'') by name, at zero in the position `design`."""
    system = engine.system
    q, v, wanted = system.neutral(), np.zeros(system.n_v), np.zeros(system.n_v)
    for name, (position, rate, acceleration) in joints.items():
        q[system.joint_q[name]] = position - design.get(name, 0.0)
        v[system.joint_v[name]] = rate
        wanted[system.joint_v[name]] = acceleration
    found = engine.accelerations(q, v)
    assert np.abs(found - wanted).max() < 1e-10 * max(1.0, np.abs(wanted).max())


def moved(engine, q, v, h, steps):
    """State after some Runge-Kutta steps on all coordinates of the tree; the loops are closed again after each."""
    n, loops = q.size, ConstraintEmbedding(build_system(engine.system.mechanism), q)

    def rate(y):
        return np.concatenate([y[n:], engine.accelerations(y[:n], y[n:])])

    for _ in range(steps):
        y = known.runge_kutta(rate, np.concatenate([q, v]), h, 1)
        q, v = loops.close(y[:n], y[n:])
    return q, v


def value(engine, q, joint):
    return float(q[engine.system.joint_q[joint]][0])


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("theta", ANGLES)
def test_four_bar_as_by_complex_exponentials(formulation, theta):
    engine, _, _ = made(formulation, "four_bar")
    third, fourth = known.four_bar_angles(math.pi / 2.0)
    design = {"crank on ground": math.pi / 2.0, "coupler on crank": third[0] - math.pi / 2.0, "rocker on ground": fourth[0]}
    for rate in (0.0, 5.0):
        assert_same(engine, dict(zip(design, known.four_bar_accelerations(theta, rate), strict=True)), design)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("theta", ANGLES)
def test_slider_crank_as_by_lagrange(formulation, theta):
    engine, _, _ = made(formulation, "slider_crank")
    joints = dict(zip(("main bearing", "crank pin", "cylinder"), known.slider_crank_accelerations(theta, 150.0), strict=True))
    assert_same(engine, joints, {"cylinder": 0.2})


def row_of_four_bars(theta, rate):
    acceleration = known.n_four_bar_acceleration(2, theta)
    signs = {"A0": 1.0, "B0": -1.0, "B1": 1.0, "C1": -1.0, "B2": 1.0}
    return {name: (sign * (theta - math.pi / 2.0), sign * rate, sign * acceleration) for name, sign in signs.items()}


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("theta", ANGLES)
def test_row_of_four_bars_as_one_pendulum(formulation, theta):
    engine, _, _ = made(formulation, "n_four_bar")
    assert_same(engine, row_of_four_bars(theta, -3.0), {})


def row_of(windows):
    """The mapping of a row of any number of four-bars, its cranks upright."""
    bodies, joints, loops = {"crank 0": {"mass": 1, "rod": [[0, 0, 0], [0, 1, 0]]}}, {}, {}
    hinge = {"type": "revolute", "axis": [0, 0, 1]}
    joints["A0"] = {**hinge, "parent": "world", "child": "crank 0", "point": [0, 0, 0]}
    for n in range(1, windows + 1):
        bodies[f"coupler {n}"] = {"mass": 1, "rod": [[n - 1, 1, 0], [n, 1, 0]]}
        bodies[f"crank {n}"] = {"mass": 1, "rod": [[n, 1, 0], [n, 0, 0]]}
        joints[f"C{n}"] = {**hinge, "parent": f"crank {n - 1}", "child": f"coupler {n}", "point": [n - 1, 1, 0]}
        joints[f"B{n}"] = {**hinge, "parent": f"coupler {n}", "child": f"crank {n}", "point": [n, 1, 0]}
        loops[f"A{n}"] = {"type": "ball", "predecessor": f"crank {n}", "successor": "world", "point": [n, 0, 0]}
    return {"name": f"{windows} windows", "gravity": [0, -9.81, 0], "bodies": bodies, "joints": joints, "loops": loops}


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("windows", [1, 10, 40])
def test_longer_rows_of_four_bars_as_one_pendulum(formulation, windows):
    """40 windows are the IFToMM benchmark: 81 bodies, 120 closure rows of which 40 are redundant, one degree of freedom."""
    mechanism, _ = mechanism_from_mapping(row_of(windows), "row")
    theta, rate = 1.2, -3.0
    motion = (theta - math.pi / 2.0, rate, known.n_four_bar_acceleration(windows, theta))
    joints = {joint.name: tuple(-x if joint.name[0] == "C" else x for x in motion) for joint in mechanism.joints}
    assert_same(make_formulation(formulation, build_system(mechanism)), joints, {})


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_flat_row_of_four_bars_is_singular_and_its_loops_are_named(formulation):
    engine, _, _ = made(formulation, "n_four_bar")
    assert_same(engine, row_of_four_bars(0.3, -3.0), {})
    with pytest.raises(MechanismError) as caught:
        assert_same(engine, row_of_four_bars(0.0, -3.0), {})
    assert set(caught.value.loops) & {"A1", "A2"}
    assert_same(engine, row_of_four_bars(-0.3, -3.0), {})


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_formulation_that_has_seen_no_other_position_refuses_the_flat_row(formulation):
    engine, q, v = made(formulation, "n_four_bar")
    for joint, at in (("A0", 0.5 * math.pi), ("B0", -0.5 * math.pi), ("B1", 0.5 * math.pi), ("C1", -0.5 * math.pi), ("B2", 0.5 * math.pi)):
        q[engine.system.joint_q[joint]] = at
    with pytest.raises(MechanismError, match="singular"):
        engine.accelerations(q, 0.0 * v)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_row_of_four_bars_swings_through_flat_for_ten_seconds(formulation):
    """IFToMM benchmark A02. The flat position falls between steps; close to it, rounding in the closed loops grows with the inverse of the
    distance, which is all that the energy shows."""
    engine, q, v = made(formulation, "n_four_bar")
    h = 1e-3
    for _ in range(10):
        q, v = moved(engine, q, v, h, 1000)
        theta = math.pi / 2.0 + value(engine, q, "A0")
        assert abs(value(engine, v, "A0")) == pytest.approx(known.n_four_bar_rate(2, theta, math.pi / 2.0, 1.0), rel=1e-4)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("s", [-2.9, -1.3, 0.0, 0.2, 1.1, 2.4])
def test_bricard_as_by_the_threefold_symmetric_closed_form(formulation, s):
    engine, _, _ = made(formulation, "bricard")
    joints = {f"hinge {i + 1}": angle for i, angle in enumerate(known.bricard_accelerations(s, 0.9)[:5])}
    assert_same(engine, joints, {})


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_bricard_falls_from_rest_as_the_closed_form(formulation):
    """IFToMM benchmark A04: the redundant constraint turns with the mechanism."""
    engine, q, v = made(formulation, "bricard")
    q, v = moved(engine, q, v, 2e-3, 500)
    s, rate = known.bricard_motion(4e-3, 250)
    for i in range(5):
        angle, first, _ = known.bricard_angles(s)[i % 2]
        assert value(engine, q, f"hinge {i + 1}") == pytest.approx(angle, abs=1e-8)
        assert value(engine, v, f"hinge {i + 1}") == pytest.approx(first * rate, abs=1e-8)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_bricard_keeps_its_energy_for_ten_seconds(formulation):
    engine, q, v = made(formulation, "bricard")
    mechanism = engine.system.mechanism
    start = energy_of(mechanism, q, v)
    for _ in range(10):
        q, v = moved(engine, q, v, 1e-3, 1000)
        now = [[value(engine, x, joint.name) for joint in mechanism.joints] for x in (q, v)]
        assert energy_of(mechanism, *now) == pytest.approx(start, abs=1e-8)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_andrews_squeezer_arrives_at_the_published_solution(formulation):
    engine, q, v = made(formulation, "andrews_squeezer")
    system = engine.system
    order = {"beta": 0, "Theta": 1, "gamma": 2, "Phi": 3, "delta": 4, "Omega": 5, "epsilon": 6}
    start = engine.accelerations(q, v)
    for name, i in order.items():
        assert start[system.joint_v[name]][0] == pytest.approx(known.ANDREWS_START_ACCELERATIONS[i], abs=1e-8)
    q, v = moved(engine, q, v, 1e-5, 3000)
    for name, i in order.items():
        assert value(engine, q, name) == pytest.approx(known.ANDREWS_END[i], abs=1e-7)
        assert value(engine, v, name) == pytest.approx(known.ANDREWS_END_RATES[i], abs=1e-4)
