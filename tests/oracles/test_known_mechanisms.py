"""Are the independent solutions correct, and do the shipped mechanism files describe their mechanisms?"""

import math

import numpy as np
import pytest

from simulator.base.yaml_reader import read_yaml
from simulator.builder.builder import data_folder
from tests.oracles import known_mechanisms as known
from tests.oracles.tree_poses import energy_of, loop_gap, poses
from vehicles.multibody.description.mechanism_file import mechanism_from_mapping

ANGLES = [-2.9, -1.3, 0.2, 1.1, 2.4]


def shipped(name):
    """(Mechanism, InitialState) of a shipped file."""
    path = data_folder("configs") / "mechanisms" / f"{name}.yaml"
    return mechanism_from_mapping(read_yaml(path), path)


def differences(position, s, h=1e-4):
    """First and second derivative of a function by central differences of fourth order."""
    f = [np.asarray(position(s + k * h)) for k in (-2, -1, 0, 1, 2)]
    return (f[0] - 8 * f[1] + 8 * f[3] - f[4]) / (12 * h), (-f[0] + 16 * f[1] - 30 * f[2] + 16 * f[3] - f[4]) / (12 * h * h)


def assert_derivatives(position, s):
    """That (x, dx/ds, d2x/ds2) are what they say."""
    _, x1, x2 = position(s)
    first, second = differences(lambda t: position(t)[0], s)
    assert np.asarray(x1) == pytest.approx(first, abs=1e-9)
    assert np.asarray(x2) == pytest.approx(second, abs=2e-6)


def assert_energy_holds(acceleration, energy, s, rate):
    """That d(energy)/dt = 0 along the motion, by differences of `energy(s, rate)`."""
    h = 1e-4
    by_s = (energy(s + h, rate) - energy(s - h, rate)) / (2 * h)
    by_rate = (energy(s, rate + h) - energy(s, rate - h)) / (2 * h)
    power = by_s * rate + by_rate * acceleration
    assert abs(power) < 1e-6 * (abs(by_s * rate) + abs(by_rate * acceleration) + 1.0)


def closes(mechanism, q):
    positions = dict(zip([joint.name for joint in mechanism.joints], [[x] for x in q], strict=True))
    return max(np.abs(loop_gap(mechanism, loop, positions)).max() for loop in mechanism.loops)


@pytest.mark.parametrize("theta", ANGLES)
def test_four_bar_closes_and_differentiates(theta):
    mechanism, _ = shipped("four_bar")
    third, fourth = known.four_bar_angles(theta)
    q = np.array([theta, third[0] - theta, fourth[0]])
    assert closes(mechanism, q - four_bar_design()) < 1e-14
    assert_derivatives(lambda t: known.four_bar_angles(t)[0], theta)
    assert_derivatives(lambda t: known.four_bar_angles(t)[1], theta)


def four_bar_design():
    """Angles of the joints at the file's design position, where the crank stands upright."""
    third, fourth = known.four_bar_angles(math.pi / 2.0)
    return np.array([math.pi / 2.0, third[0] - math.pi / 2.0, fourth[0]])


@pytest.mark.parametrize("theta", ANGLES)
def test_four_bar_of_the_file_conserves_energy_under_the_closed_form(theta):
    mechanism, _ = shipped("four_bar")

    def energy(t, rate):
        joints = known.four_bar_accelerations(t, rate)
        return energy_of(mechanism, np.array([q for q, _, _ in joints]) - four_bar_design(), [q1 for _, q1, _ in joints])

    assert_energy_holds(known.four_bar_accelerations(theta, 3.0)[0][2], energy, theta, 3.0)


@pytest.mark.parametrize("theta", ANGLES)
def test_slider_crank_closes_and_conserves_energy_under_the_closed_form(theta):
    mechanism, _ = shipped("slider_crank")
    design = np.array([0.0, 0.0, 0.2])

    def energy(t, rate):
        joints = known.slider_crank_accelerations(t, rate)
        mechanical = energy_of(mechanism, np.array([q for q, _, _ in joints]) - design, [q1 for _, q1, _ in joints])
        return mechanical - known.SLIDER_CRANK["torque"] * t

    joints = known.slider_crank_accelerations(theta, 40.0)
    assert closes(mechanism, np.array([q for q, _, _ in joints]) - design) < 1e-15
    assert_derivatives(lambda t: known.slider_crank_position(t)[0], theta)
    assert_derivatives(lambda t: known.slider_crank_position(t)[1], theta)
    assert_energy_holds(joints[0][2], energy, theta, 40.0)
    assert mechanism.joint_forces[0].value == known.SLIDER_CRANK["torque"]


@pytest.mark.parametrize("theta", ANGLES)
def test_row_of_four_bars_conserves_energy_under_the_closed_form(theta):
    mechanism, _ = shipped("n_four_bar")
    signs = np.array([1.0, -1.0, 1.0, -1.0, 1.0])
    assert closes(mechanism, signs * (theta - math.pi / 2.0)) < 1e-14
    assert_energy_holds(
        known.n_four_bar_acceleration(2, theta),
        lambda t, rate: energy_of(mechanism, signs * (t - math.pi / 2.0), signs * rate),
        theta,
        -2.0,
    )


@pytest.mark.parametrize("s", ANGLES)
def test_bricard_closes_all_the_way_round_and_differentiates(s):
    mechanism, _ = shipped("bricard")
    points = known.bricard_points(s)
    assert max(np.abs(part).max() for part in points[6]) < 1e-14
    assert np.abs(points[5][0] - [0.0, 0.0, 1.0]).max() < 1e-14
    for k in (2, 4):
        assert_derivatives(lambda t, k=k: known.bricard_points(t)[k], s)
    odd, even = known.bricard_angles(s)
    phi, psi = math.pi / 2.0 - odd[0], math.pi / 2.0 - even[0]
    assert abs(math.cos(phi) + math.cos(psi) + math.cos(phi) * math.cos(psi)) < 1e-15
    assert closes(mechanism, [odd[0], even[0], odd[0], even[0], odd[0]]) < 1e-14


@pytest.mark.parametrize("s", ANGLES)
def test_bricard_of_the_file_conserves_energy_under_the_closed_form(s):
    mechanism, _ = shipped("bricard")

    def energy(t, rate):
        joints = known.bricard_accelerations(t, rate)[:5]
        return energy_of(mechanism, [q for q, _, _ in joints], [q1 for _, q1, _ in joints])

    acceleration = known.one_freedom(*known.bricard_terms(s), 0.8)
    assert_energy_holds(acceleration, energy, s, 0.8)


def test_bricard_starts_at_the_drawn_position_and_swings_back():
    odd, even = known.bricard_angles(0.0)
    assert (odd[0], even[0]) == pytest.approx((0.0, 0.0), abs=1e-15)
    assert known.bricard_motion(5e-3, 40) == pytest.approx(known.bricard_motion(1e-2, 20), abs=1e-7)


def test_andrews_squeezer_begins_as_published():
    assert np.abs(known.andrews_gaps(known.ANDREWS_START)).max() < 1e-16
    accelerations = known.andrews_accelerations(known.ANDREWS_START, np.zeros(7))
    assert np.abs(accelerations - known.ANDREWS_START_ACCELERATIONS).max() < 1e-9


def test_andrews_squeezer_arrives_where_the_published_solution_does():
    q, rates = known.andrews_motion(0.03, 6000)
    assert np.abs(q - known.ANDREWS_END).max() < 1e-8
    assert np.abs(rates - known.ANDREWS_END_RATES).max() < 1e-5
    assert np.abs(known.andrews_gaps(q)).max() < 1e-10


ANDREWS_ORDER = {"beta": 0, "Theta": 1, "gamma": 2, "Phi": 3, "delta": 4, "Omega": 5, "epsilon": 6}


def test_andrews_file_starts_assembled_at_the_published_state():
    mechanism, state = shipped("andrews_squeezer")
    for name, index in ANDREWS_ORDER.items():
        assert state.positions[name] == known.ANDREWS_START[index]
        assert state.rates[name] == 0.0
    for loop in mechanism.loops:
        assert np.abs(loop_gap(mechanism, loop, state.positions)).max() < 1e-16


def test_andrews_file_conserves_its_energy_along_the_published_motion():
    """Masses, inertias, spring and torque of the file are those of the independent solution."""
    mechanism, _ = shipped("andrews_squeezer")
    q0 = known.ANDREWS_START
    q, rates = known.andrews_motion(0.002, 400)
    order = [ANDREWS_ORDER[joint.name] for joint in mechanism.joints]
    spring = mechanism.springs[0]

    def total(q, rates):
        placed = poses(mechanism, {joint.name: [q[i]] for joint, i in zip(mechanism.joints, order, strict=True)})
        p, R = placed[spring.body_a]
        stretch = np.linalg.norm(p + R @ spring.point_a - spring.point_b) - spring.free_length
        return energy_of(mechanism, q[order], rates[order]) + 0.5 * spring.rate * stretch**2 - mechanism.joint_forces[0].value * q[0]

    assert np.abs(rates).max() > 10.0
    assert total(q, rates) == pytest.approx(total(q0, np.zeros(7)), abs=1e-10)


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "n_four_bar", "bricard", "andrews_squeezer"])
def test_shipped_mechanisms_start_closed_in_position_and_velocity(name):
    mechanism, state = shipped(name)
    h = 1e-6
    for loop in mechanism.loops:
        gap = [loop_gap(mechanism, loop, {j: state.positions[j] + t * state.rates[j] for j in state.positions}) for t in (-h, 0.0, h)]
        assert np.abs(gap[1]).max() < 1e-15
        assert np.abs(gap[2] - gap[0]).max() / (2 * h) < 1e-8
