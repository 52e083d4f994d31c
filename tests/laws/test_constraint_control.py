"""Do loops close, does the error name an open loop, and do the stabilization methods keep a simulation on its loops?"""

import math
from dataclasses import replace

import numpy as np
import pytest

from simulator.base.yaml_reader import read_yaml
from simulator.builder.builder import data_folder
from tests.oracles.dense_multipliers import mass_and_force
from vehicles.multibody.description.mechanism import MechanismError
from vehicles.multibody.description.mechanism_file import mechanism_from_mapping
from vehicles.multibody.formulations.kinds import make_formulation
from vehicles.multibody.loops.analysis import mobility
from vehicles.multibody.loops.assembly import assemble, check_state, consistent_velocities
from vehicles.multibody.loops.constraint_jacobian import joint_jacobian, position_residuals, velocity_residuals
from vehicles.multibody.motion.simulate import METHODS, simulate
from vehicles.multibody.motion.stabilization import CONTROLS, Baumgarte, MassProjection, make_control
from vehicles.multibody.tree.system import build_system

STEP = 2e-3
PROJECTIONS = ("partitioning", "mass projection", "projection")


def shipped(name, **changes):
    """Return (system, q, v) of a shipped mechanism with changed parts; its joints have one coordinate each."""
    path = data_folder("configs") / "mechanisms" / f"{name}.yaml"
    mechanism, state = mechanism_from_mapping(read_yaml(path), path)
    system = build_system(replace(mechanism, **{key: change(getattr(mechanism, key)) for key, change in changes.items()}))
    q, v = system.neutral(), np.zeros(system.n_v)
    for joint in mechanism.joints:
        q[system.joint_q[joint.name]] = state.positions[joint.name]
        v[system.joint_v[joint.name]] = state.rates[joint.name]
    return system, q, v


def prescribing(*names):
    """Return a change that prescribes these joints."""
    return lambda joints: tuple(replace(joint, prescribed=joint.name in names) for joint in joints)


def flat(system):
    """Return the row of four-bars with all its cranks along x."""
    q = system.neutral()
    for name, sign in {"A0": -1.0, "B0": 1.0, "B1": -1.0, "C1": 1.0, "B2": -1.0}.items():
        q[system.joint_q[name]] = sign * math.pi / 2.0
    return q


def crank_angle(system, q, angle):
    """Return q with the crank of the slider-crank at `angle`; its loop is open."""
    out = q.copy()
    out[system.joint_q["main bearing"]] = angle
    return out


# ------------------------------------------------------------------------------------------------------- states on the loops


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "bricard", "andrews_squeezer", "n_four_bar"])
def test_open_loops_are_closed_with_the_fixed_joints_unchanged(name):
    system, q, _ = shipped(name)
    held = [joint.name for joint in system.mechanism.joints if joint.independent]
    start = q + 0.1 * np.random.default_rng(0).normal(size=q.size)
    closed = assemble(system, start)
    assert np.abs(position_residuals(system, closed)).max() < 1e-11
    for joint in held:
        assert closed[system.joint_q[joint]] == start[system.joint_q[joint]]


def test_a_loop_that_cannot_close_is_named_with_its_gap():
    far = np.array([9.0, 0.0, 0.0])
    system, q, _ = shipped("four_bar", loops=lambda loops: tuple(replace(loop, p_successor=loop.p_successor + far) for loop in loops))
    name = system.mechanism.loops[0].name
    with pytest.raises(MechanismError, match=r"cannot be closed: [0-9.]+ m") as caught:
        assemble(system, q)
    assert caught.value.loops == (name,) and repr(name) in str(caught.value)


def test_velocities_are_projected_onto_the_loops_and_fixed_ones_stay():
    system, q, v = shipped("four_bar")
    crank = system.joint_v["crank on ground"]
    v[:] = [3.0, -1.0, 2.0]
    on = consistent_velocities(system, q, v, hold=["crank on ground"])
    assert np.abs(velocity_residuals(system, q, on)).max() < 1e-12
    assert on[crank] == v[crank]


def test_fixed_velocities_that_open_a_loop_are_rejected():
    system, q, v = shipped("four_bar")
    v[:] = [3.0, -1.0, 2.0]
    with pytest.raises(MechanismError, match="m/s") as caught:
        consistent_velocities(system, q, v, hold=list(system.joint_v))
    assert caught.value.loops == (system.mechanism.loops[0].name,)


def test_states_off_the_loops_are_refused_by_name():
    system, q, v = shipped("n_four_bar")
    check_state(system, q, v)
    open_q, torn = q.copy(), v.copy()
    open_q[system.joint_q["B2"]] += 1e-3
    torn[system.joint_v["B2"]] += 1e-3
    for state, words in (((open_q, v), "is open"), ((q, torn), "is opening"), ((q * np.nan, v), "is open")):
        with pytest.raises(MechanismError, match=words) as caught:
            check_state(system, *state)
        assert "A2" in caught.value.loops


# ------------------------------------------------------------------------------------------------------------------ mobility


@pytest.mark.parametrize(
    "name, freedoms, redundant",
    [
        ("four_bar", 1, {"rocker pin": 1}),
        ("slider_crank", 1, None),
        ("n_four_bar", 1, {"A1": 1, "A2": 1}),
        ("bricard", 1, {"hinge 6": 1}),
        ("andrews_squeezer", 1, None),
    ],
)
def test_degrees_of_freedom_and_redundant_rows(name, freedoms, redundant):
    system, q, _ = shipped(name)
    found = mobility(system, q)
    assert (found.degrees_of_freedom, found.singular) == (freedoms, False)
    assert sum(found.redundant.values()) == found.constraints - found.rank
    if redundant is not None:
        assert list(found.redundant.values()) == list(redundant.values())


def test_bricards_mechanism_is_regular_along_its_path_though_a_row_is_redundant_everywhere():
    system, q, _ = shipped("bricard")
    for _ in range(12):
        start = q.copy()
        start[system.joint_q["hinge 1"]] += 0.1
        q = assemble(system, start, hold=["hinge 1"])
        found = mobility(system, q)
        assert (found.degrees_of_freedom, found.singular) == (1, False)


def test_flat_four_bars_are_singular_and_their_loops_named():
    system, _, _ = shipped("n_four_bar")
    found = mobility(system, flat(system))
    assert found.singular and set(found.loops) == {"A1", "A2"}
    assert found.degrees_of_freedom == 3


def test_a_prescribed_piston_is_singular_only_in_its_dead_centers():
    system, q, _ = shipped("slider_crank", joints=prescribing("cylinder"))
    free, _, _ = shipped("slider_crank")
    for angle, singular in ((0.0, True), (0.7, False), (math.pi, True)):
        closed = assemble(free, crank_angle(free, q, angle), hold=["main bearing"])
        found = mobility(system, closed)
        assert found.singular == singular
        assert found.loops == (("piston pin",) if singular else ())
        assert not mobility(free, closed).singular


# ------------------------------------------------------------------------------------------------------------------ controls


@pytest.fixture(scope="module", params=["ta", "recursive", "fa"])
def four_bar(request):
    """Return (solver, q, v) in every formulation with multipliers."""
    system, q, v = shipped("four_bar")
    return make_formulation(request.param, system), q, v


@pytest.mark.parametrize("control", PROJECTIONS)
@pytest.mark.parametrize("method", METHODS)
def test_projections_and_partitioning_keep_loops_closed(four_bar, control, method):
    solver, q, v = four_bar
    run = simulate(solver, q, v, STEP, 300, method, make_control(control, solver, q, STEP))
    assert max(run.drift) < 1e-10


def test_without_control_loops_drift_with_the_order_of_the_integrator(four_bar):
    solver, q, v = four_bar
    gap = [simulate(solver, q, v, h, round(1.0 / h)).drift[0] for h in (8e-3, 4e-3)]
    assert gap[0] > 1e-8
    assert math.log2(gap[0] / gap[1]) == pytest.approx(4.0, abs=0.5)
    slow = [simulate(solver, q, v, h, round(1.0 / h), "semi_implicit_euler").drift[0] for h in (1e-3, 5e-4)]
    assert math.log2(slow[0] / slow[1]) == pytest.approx(1.0, abs=0.2)


def test_baumgarte_stabilization_removes_a_gap_as_a_critically_damped_oscillator(four_bar):
    """phi(t) = phi(0) (1 + omega t) e^(-omega t) from rest, independent of the motion of the mechanism."""
    solver, q, _ = four_bar
    system, omega = solver.system, 20.0
    apart = q.copy()
    apart[system.joint_q["crank on ground"]] += 1e-3
    control = Baumgarte(solver, omega)
    run = simulate(solver, apart, np.zeros(system.n_v), 1e-3, 300, control=control)
    solver.set_feedback(np.zeros(system.parts.constraints.rows.size))
    wanted = run.gap[0] * (1.0 + omega * run.t) * np.exp(-omega * run.t)
    row = int(np.abs(position_residuals(system, apart)).argmax())
    found = np.array([abs(position_residuals(system, x)[row]) for x in run.q])
    assert np.abs(found - wanted).max() < 1e-6 * run.gap[0]


def test_baumgarte_stabilization_bounds_the_drift(four_bar):
    solver, q, v = four_bar
    free = simulate(solver, q, v, STEP, 1500, "semi_implicit_euler")
    held = simulate(solver, q, v, STEP, 1500, "semi_implicit_euler", make_control("baumgarte", solver, q, STEP))
    solver.set_feedback(np.zeros(solver.system.parts.constraints.rows.size))
    assert held.drift[0] < 0.05 * free.drift[0]
    assert held.gap[750:].max() < 1.2 * held.gap[:750].max()


@pytest.mark.parametrize("control", CONTROLS)
def test_no_control_spends_energy_beyond_the_integrators_error(four_bar, control):
    solver, q, v = four_bar
    run = simulate(solver, q, v, STEP, 500, control=make_control(control, solver, q, STEP))
    solver.set_feedback(np.zeros(solver.system.parts.constraints.rows.size))
    assert run.energy_drift < 1e-6 * abs(run.energy[0])


def test_projection_in_the_measure_of_mass_moves_as_an_impact_does():
    """The change of velocities is M^-1 G* times impulses, so any admissible velocity is orthogonal to it in the metric of M."""
    system, q, v = shipped("andrews_squeezer")
    torn = v + np.random.default_rng(1).normal(size=v.size)
    _, on = MassProjection(system, q).settle(q, torn)
    assert np.abs(velocity_residuals(system, q, on)).max() < 1e-9
    M, _, _ = mass_and_force(system, q, v, np.zeros(system.n_v), np.zeros((system.parts.tree.nodes.size, 6)))
    _, values, Vt = np.linalg.svd(joint_jacobian(system, q))
    admissible = Vt[(values > 1e-9 * values[0]).sum() :]
    impulse = M @ (on - torn)
    assert np.abs(admissible @ impulse).max() < 1e-9 * np.abs(impulse).max()


def test_a_control_that_cannot_close_a_loop_any_more_names_it(four_bar):
    solver, q, v = four_bar
    far = tuple(replace(loop, p_successor=loop.p_successor + 9.0) for loop in solver.system.mechanism.loops)
    short = build_system(replace(solver.system.mechanism, loops=far))
    for control in (MassProjection(short, q), make_control("projection", make_formulation("ta", short), q, STEP)):
        with pytest.raises(MechanismError) as caught:
            control.settle(q, v)
        assert caught.value.loops == (short.loop_names[0],)
