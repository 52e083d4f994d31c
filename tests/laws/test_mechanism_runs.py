"""Do runs pass dead points, flat positions and redundant rows in every formulation, conserve energy, and report it otherwise?"""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from simulator.base.yaml_reader import read_yaml
from simulator.builder.builder import data_folder
from simulator.cli.main import main
from tests.oracles import moving_mechanisms as moving
from vehicles.multibody.description.mechanism_file import mechanism_from_mapping
from vehicles.multibody.formulations.constraint_embedding_formulation import MAX_RATIO, TARGET_RATIO, ConstraintEmbedding
from vehicles.multibody.formulations.kinds import make_formulation
from vehicles.multibody.loops.assembly import consistent_velocities
from vehicles.multibody.loops.constraint_jacobian import position_residuals
from vehicles.multibody.motion.energy_audit import NEGLIGIBLE, integral
from vehicles.multibody.motion.simulate import simulate
from vehicles.multibody.motion.stabilization import NoControl, make_control
from vehicles.multibody.tree.system import build_system

STEP = 1e-3
DATA = Path(__file__).resolve().parents[1] / "data" / "mechanisms"


def start(mapping):
    """Return (system, q, v) of a mechanism file's mapping; inconsistent velocities are projected onto the loops."""
    mechanism, state = mechanism_from_mapping(mapping, "test")
    system = build_system(mechanism)
    q, v = system.neutral(), np.zeros(system.n_v)
    for name in state.positions:
        q[system.joint_q[name]], v[system.joint_v[name]] = state.positions[name], state.rates[name]
    return system, q, consistent_velocities(system, q, v, ())


def shipped(name):
    return read_yaml(data_folder("configs") / "mechanisms" / f"{name}.yaml")


def run(mapping, formulation, seconds, control=None, step=STEP, method="runge_kutta_4"):
    system, q, v = start(mapping)
    solver = make_formulation(formulation, system)
    control = control or ("partitioning" if formulation == "ce" else "projection")
    return simulate(solver, q, v, step, round(seconds / step), method, make_control(control, solver, q, step))


# Dead points -------------------------------------------------------------------------------------------------------------------


class Watched(ConstraintEmbedding):
    """Records its independent coordinates at every step."""

    def __init__(self, system):
        super().__init__(system)
        self.choices = []

    def begin_motion(self, q, v):
        """See `ConstraintEmbedding`."""
        super().begin_motion(q, v)
        self.choices.append(tuple(self.independent))


DEAD_POINTS = {
    "four-bar from rest": lambda: read_yaml(DATA / "four_bar_rest.yaml"),
    "triple rocker": lambda: moving.four_bar(*moving.GRASHOF["triple rocker"], 1.1),
    "double rocker": lambda: moving.four_bar(*moving.GRASHOF["double rocker"], 1.1),
    "crank-rocker": lambda: moving.four_bar(*moving.GRASHOF["crank-rocker"], 1.1),
    "double crank": lambda: moving.four_bar(*moving.GRASHOF["double crank"], 1.1),
    "offset slider-crank": lambda: moving.slider_crank(0.5, 0.6, 0.2, 0.9),
    "three double rockers": lambda: moving.twins(moving.four_bar(*moving.GRASHOF["double rocker"], 1.1), 3),
    "two loops": moving.watt,
    "RSSR": lambda: moving.rssr(3.0),
}


@pytest.mark.parametrize("name", DEAD_POINTS)
def test_embedding_goes_through_dead_points(name):
    """1.5 s from rest: the energy is conserved, and the path equals that of a formulation without independent coordinates."""
    found, wanted = run(DEAD_POINTS[name](), "ce", 1.5), run(DEAD_POINTS[name](), "ta", 1.5)
    assert found.audit.passed and found.audit.share < 1e-7
    assert found.drift[0] < 1e-13
    assert np.abs(found.q - wanted.q).max() < 2e-6


def test_coordinates_are_exchanged_before_they_are_bad_and_the_state_stays():
    system, q, v = start(DEAD_POINTS["four-bar from rest"]())
    solver = Watched(system)
    found = simulate(solver, q, v, STEP, 1500, control=make_control("partitioning", solver, q, STEP))
    assert len(set(solver.choices)) > 1
    for k in np.flatnonzero([a != b for a, b in zip(solver.choices, solver.choices[1:], strict=False)]):
        independent = list(solver.choices[k + 1])
        dependent = [i for i in range(system.n_v) if i not in independent]
        ratios = found.v[k + 1][dependent] / found.v[k + 1][independent]
        assert np.abs(ratios).max() < TARGET_RATIO + 1e-9 < MAX_RATIO
        assert np.abs(position_residuals(system, found.q[k + 1])).max() < 1e-14


def test_the_error_falls_with_the_order_of_the_method_though_coordinates_change():
    share = [run(DEAD_POINTS["four-bar from rest"](), "ce", 1.5, step=h).audit.share for h in (2e-3, 1e-3)]
    assert share[0] / share[1] > 12.0


def test_command_runs_the_four_bar_from_rest(capsys):
    """As a user would; this run once failed at 0.723 s."""
    assert main(["mechanism", str(DATA / "four_bar_rest.yaml"), "--run", "1.2", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["energy"]["balanced"] and report["energy"]["imbalance"] < 1e-6 * report["energy"]["in_motion"]


# Redundant rows ----------------------------------------------------------------------------------------------------------------

OVERCONSTRAINED = {
    "Bennett": moving.bennett,
    "Sarrus": moving.sarrus,
    "Sarrus with a Cardan shaft": lambda: moving.sarrus(cardan=True),
    "Bricard": lambda: shipped("bricard"),
    "four-bar of four hinges": lambda: moving.four_bar(*moving.GRASHOF["triple rocker"], 1.1, loop="revolute"),
    "parallelogram of three bars": lambda: moving.parallelogram(bars=3, loop="revolute"),
}


@pytest.mark.parametrize("formulation", ["ta", "recursive", "fa", "fa-dense"])
@pytest.mark.parametrize("name", OVERCONSTRAINED)
def test_redundant_rows_stay_redundant_between_the_stages_of_a_step(name, formulation):
    wanted, found = run(OVERCONSTRAINED[name](), "ce", 0.4), run(OVERCONSTRAINED[name](), formulation, 0.4)
    assert found.audit.passed and found.audit.share < 1e-8
    assert np.abs(found.q - wanted.q).max() < 1e-8


@pytest.mark.parametrize("control", ["none", "baumgarte", "mass projection", "partitioning"])
@pytest.mark.parametrize("formulation", ["ta", "recursive", "fa"])
def test_the_rank_is_remembered_under_every_control(formulation, control):
    """Without projection the states between two steps are off the loops, and redundant rows have pivots."""
    wanted, found = run(moving.bennett(), "ce", 0.8), run(moving.bennett(), formulation, 0.8, control)
    assert found.audit.passed
    assert np.abs(found.q - wanted.q).max() < 1e-6


def test_an_evaluation_after_a_run_determines_the_rank_again():
    system, q, v = start(moving.bennett())
    for name in ("ce", "ta", "recursive", "fa", "fa-dense"):
        solver = make_formulation(name, system)
        before = solver.accelerations(q, v)
        simulate(solver, q, v, STEP, 20, control=make_control("partitioning", solver, q, STEP))
        assert np.array_equal(make_formulation(name, system).accelerations(q, v), before)
        assert solver.accelerations(q, v) == pytest.approx(before, abs=1e-9)


# Flat positions ----------------------------------------------------------------------------------------------------------------

FLAT = {
    "parallelogram": moving.parallelogram,
    "parallelogram of three bars": lambda: moving.parallelogram(bars=3),
    "two windows": lambda: shipped("n_four_bar"),
    "slider-crank of equal arms": lambda: moving.slider_crank(0.5, 0.5, 0.0, 0.9),
}


@pytest.mark.parametrize("formulation", ["ce", "ta"])
@pytest.mark.parametrize("name", FLAT)
def test_flat_positions_are_passed_on_the_same_branch(name, formulation):
    """The positions are singular; the cranks continue to turn alike, and no energy is lost to rounding."""
    found = run(FLAT[name](), formulation, 3.0)
    assert found.audit.passed and found.audit.share < 1e-7
    if name.startswith("parallelogram"):
        assert found.q[:, :1].min() < -np.pi / 2.0 - 0.2  # through the flat position
        system, _, _ = start(FLAT[name]())
        feet = [found.q[:, system.joint_q[f"foot {k}"].start] for k in range(3 if "three" in name else 2)]
        assert max(np.abs(foot - feet[0]).max() for foot in feet) < 1e-6


@pytest.mark.parametrize("angle", [0.03, 0.1, 0.3])
@pytest.mark.parametrize("formulation", ["ce", "recursive"])
def test_slow_swings_about_a_flat_position_keep_their_energy(angle, formulation):
    found = run(moving.parallelogram(angle, gravity=[9.81, 0.0, 0.0]), formulation, 3.0)
    foot = found.q[:, 0] + angle
    assert foot.min() < -0.99 * angle and (np.diff(np.sign(foot)) != 0).sum() >= 3
    assert found.audit.passed and found.audit.share < 1e-5


@pytest.mark.parametrize("rate", [-0.1, -0.01])
def test_a_flat_position_is_crossed_however_slowly(rate):
    found = run(moving.parallelogram(-0.5 * rate, rate, gravity=[0.0, 0.0, 0.0]), "ta", 1.0)
    assert found.q[-1, 0] == pytest.approx(rate, rel=1e-9)


@pytest.mark.parametrize("formulation", ["ce", "recursive", "fa"])
def test_small_mechanisms_are_closed_in_proportion(formulation):
    found = run(moving.parallelogram(size=0.01), formulation, 2.0)
    assert found.drift[0] < 1e-16
    assert found.audit.passed


# Energy ------------------------------------------------------------------------------------------------------------------------


def worked(**parts):
    """Return a four-bar with additional forces."""
    return moving.four_bar(*moving.GRASHOF["crank-rocker"], 1.1) | parts


WORKED = {
    "torque": lambda: worked(joint_forces={"hinge 1": 2.0}),
    "damper": lambda: worked(joint_springs={"hinge 1": {"rate": 5.0, "damping": 0.4}}),
    "force": lambda: worked(forces={"push": {"body": "link 2", "force": [3.0, 2.0, 0.0], "follows": True}}),
}


@pytest.mark.parametrize("name", WORKED)
def test_work_of_forces_is_in_the_balance(name):
    found = run(WORKED[name](), "ce", 1.0)
    assert found.audit.passed and found.audit.share < 1e-7
    assert abs(found.audit.work[-1]) > 0.05
    assert found.energy[-1] - found.energy[0] == pytest.approx(found.audit.work[-1], abs=1e-6)


def test_work_of_a_prescribed_joint_is_in_the_balance():
    mapping = moving.four_bar(*moving.GRASHOF["crank-rocker"], 1.1)
    mapping["joints"]["hinge 1"]["prescribed"] = True
    mapping["state"] = {"hinge 1": [0.0, 2.0, 1.5]}
    system, q, v = start(mapping)
    v[system.joint_v["hinge 1"]] = 2.0
    v = consistent_velocities(system, q, v, ("hinge 1",))
    solver = make_formulation("ce", system)
    given = np.zeros(system.n_v)
    given[system.joint_v["hinge 1"]] = 1.5
    found = simulate(solver, q, v, STEP, 1000, control=make_control("partitioning", solver, q, STEP), prescribed=lambda _: given)
    assert found.energy_drift > 1.0
    assert found.audit.passed and found.audit.share < 1e-7


def test_long_steps_of_a_drive_leave_an_error_of_the_order_of_the_sum_of_its_work():
    mapping = moving.slider_crank(0.3, 0.8, 0.05, 0.4)
    mapping["joints"]["bearing"]["prescribed"] = True
    system, q, v = start(mapping)
    v[system.joint_v["bearing"]] = 10.0
    v = consistent_velocities(system, q, v, ("bearing",))
    given = np.zeros(system.n_v)
    given[system.joint_v["bearing"]] = 1.0
    solver = make_formulation("ce", system)
    found = simulate(solver, q, v, 0.01, 500, control=make_control("partitioning", solver, q, 0.01), prescribed=lambda _: given).audit
    assert found.share > NEGLIGIBLE, "the motion is exact; what is off is the sum of the work"
    assert found.passed and found.halving == pytest.approx(1.0 / 16.0, rel=0.3)


@pytest.mark.parametrize("formulation", ["ce", "ta", "recursive", "fa", "fa-dense"])
def test_a_mechanism_that_rests_is_in_balance_but_for_rounding(formulation):
    found = run(moving.parallelogram(-0.5 * math.pi), formulation, 0.5)
    assert found.audit.moved < 1e-12 and found.audit.passed and found.audit.share == 0.0


class Kicks(NoControl):
    """A faulty control: it occasionally returns velocities that are slightly too fast."""

    def __init__(self, control):
        self.control, self.count = control, 0

    def begin_motion(self, q, v):
        """As in the control."""
        self.control.begin_motion(q, v)

    def steer(self, q, v):
        """As in the control."""
        return self.control.steer(q, v)

    def settle(self, q, v):
        """As in the control, except for the fault."""
        self.count += 1
        q, v = self.control.settle(q, v)
        return q, v * (1.0 + 1e-5 * (self.count % 40 == 0))


def test_a_spurious_energy_gain_is_detected():
    system, q, v = start(moving.four_bar(*moving.GRASHOF["crank-rocker"], 1.1))
    solver = make_formulation("ce", system)
    control = make_control("partitioning", solver, q, STEP)
    assert simulate(solver, q, v, STEP, 400, control=control).audit.passed
    found = simulate(solver, q, v, STEP, 400, control=Kicks(control)).audit
    assert not found.is_too_large and not found.passed
    assert "the energy is off by" in found.complaint


def test_a_run_with_its_energy_off_ends_with_code_1_and_the_number(capsys):
    assert main(["mechanism", str(DATA / "four_bar_rest.yaml"), "--run", "2", "--step", "0.04", "--json"]) == 1
    out, err = capsys.readouterr()
    report = json.loads(out)
    assert not report["energy"]["balanced"] and f"{report['energy']['imbalance']:.3g} J" in err
    assert "the energy is off by" in err and "use a shorter step" in err


def test_integral_is_exact_for_cubics():
    t = np.linspace(0.0, 1.0, 11)
    assert integral(4.0 * t**3 - t, 0.1) == pytest.approx(t**4 - 0.5 * t**2, abs=1e-15)
