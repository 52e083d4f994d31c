"""Are the equations generated from a mechanism those of its loops, and does their solution agree with the multibody solver?"""

import dataclasses
import itertools
import math
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from research.triangular.basis import triangularize
from research.triangular.code_generator import make_solver
from research.triangular.loop_equations import problem_of_mechanism
from research.triangular.polynomial import magnitude, value
from research.triangular.singular_engine import find_singular
from simulator.base.errors import JounceError
from simulator.builder.builder import data_folder, load_mechanism
from vehicles.multibody.description.mechanism import Coupling
from vehicles.multibody.formulations.constraint_embedding_formulation import ConstraintEmbedding
from vehicles.multibody.tree.system import build_system

DATA = Path(__file__).resolve().parents[2] / "tests" / "data"
SHIPPED = sorted((data_folder("configs") / "mechanisms").glob("*.yaml"))
symbolic = pytest.mark.skipif(find_spec("sympy") is None, reason="sympy is not installed")


def shipped(name):
    return load_mechanism(str(data_folder("configs") / "mechanisms" / f"{name}.yaml"))


def with_independent(mechanism):
    """The mechanism with its first joint marked as independent when none is."""
    if any(joint.independent for joint in mechanism.joints):
        return mechanism
    first, *others = mechanism.joints
    return dataclasses.replace(mechanism, joints=(dataclasses.replace(first, independent=True), *others))


def point_of(problem, mechanism, positions):
    """Values of the names of a problem at joint coordinates: the names are recognized by those of the joints."""
    values = {}
    for joint in mechanism.joints:
        q, word = positions.get(joint.name, []), joint.name.replace(" ", "_")
        if joint.kind in ("revolute", "universal"):
            for angle, x in zip([word] if joint.kind == "revolute" else [f"{word}_1", f"{word}_2"], q, strict=True):
                values |= {f"s_{angle}": math.sin(x), f"c_{angle}": math.cos(x)}
        elif joint.kind == "prismatic":
            values[f"d_{word}"] = q[0]
        else:
            letters = "wijk" if joint.kind == "spherical" else "xyzwijk"
            values |= {f"{x}_{word}": number for x, number in zip(letters, q, strict=False)}
    return [float(values[name]) for name in problem.names]


def bodies_on_loops(mechanism):
    """Bodies that carry an end of a loop, and those that carry them; a wheel on its axle is none."""
    parents, found = {joint.child: joint.parent for joint in mechanism.joints}, set()
    waiting = [name for loop in mechanism.loops for name in (loop.predecessor, loop.successor)]
    while waiting:
        body = waiting.pop()
        if body in parents and body not in found:
            found.add(body)
            waiting.append(parents[body])
    return found


def residuals(problem, point):
    return [abs(float(value(e, point))) / max(float(magnitude(e, point)), 1e-3) for e in problem.equations]


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_equations_hold_where_the_loops_are_closed(file):
    """And nowhere near: with any one unknown coordinate off by 1e-3, some equation of some loop notices."""
    mechanism, state = load_mechanism(str(file))
    mechanism = with_independent(mechanism)
    noticed, joints, on_loops = set(), set(), bodies_on_loops(mechanism)
    for loop in mechanism.loops:
        problem = problem_of_mechanism(mechanism, state, "", loop.name)
        assert max(residuals(problem, point_of(problem, mechanism, state.positions))) < 1e-12
        for joint in mechanism.joints:
            if joint.kind == "fixed" or joint.child not in on_loops:
                continue
            joints.add(joint.name)
            moved = {**state.positions, joint.name: state.positions[joint.name] + 1e-3 * (np.arange(len(state.positions[joint.name])) == 0)}
            if max(residuals(problem, point_of(problem, mechanism, moved))) > 1e-6:
                noticed.add(joint.name)
    assert noticed == joints


@symbolic
@pytest.mark.parametrize(
    ("name", "independent", "way", "solutions"),
    [
        ("four_bar", "crank on ground", np.linspace(0.0, 2 * np.pi, 40), 2),
        ("slider_crank", "main bearing", np.linspace(0.0, 2 * np.pi, 40), 2),
        pytest.param(
            *("landing_gear", "A", np.linspace(0.5, 3.1, 60), 4),
            marks=pytest.mark.skipif(find_singular() is None, reason="takes sympy 15 s; Singular is not installed"),
        ),
    ],
)
def test_solution_moves_as_the_engine_does(name, independent, way, solutions):
    """One branch is the engine's, followed over the whole way; the others close the loops as well."""
    mechanism, start = shipped(name)
    triangular = triangularize(problem_of_mechanism(mechanism, start, ""))
    assert triangular.solutions == solutions
    solver = make_solver(triangular)
    signs = [name for name in solver.inputs if name.startswith("branch_")]
    assert 2 ** len(signs) == solutions
    system = build_system(mechanism)
    engine, q, v = ConstraintEmbedding(system), np.zeros(system.n_q), np.zeros(system.n_v)
    for joint, position in start.positions.items():
        q[system.joint_q[joint]] = position
    for angle in way:
        q[system.joint_q[independent]] = angle
        q, _ = engine.close(q, v)
        expected = point_of(triangular.problem, mechanism, {joint: q[where] for joint, where in system.joint_q.items()})
        known = dict(zip(triangular.problem.names, expected, strict=True))
        errors = []
        for choice in itertools.product((1.0, -1.0), repeat=len(signs)):
            values = solver.main.run({**known, **dict(zip(signs, choice, strict=True))})
            point = [values[n] for n in triangular.problem.names]
            assert max(residuals(triangular.problem, point)) < 1e-9
            errors.append(np.abs(np.subtract(point, expected)).max())
        assert min(errors) < 2e-9


def test_loops_that_can_be_solved_apart():
    mechanism, state = shipped("stewart")
    with pytest.raises(JounceError, match="--loop"):
        problem_of_mechanism(mechanism, state, "")
    with pytest.raises(JounceError, match="'leg 9'"):
        problem_of_mechanism(mechanism, state, "", "leg 9")
    leg = problem_of_mechanism(mechanism, state, "", mechanism.loops[0].name)
    assert (len(leg.unknowns), leg.loops, len(leg.equations)) == (5, 3, 5)


def test_mechanisms_without_equations():
    mechanism, state = shipped("four_bar")
    free = dataclasses.replace(mechanism, joints=tuple(dataclasses.replace(j, independent=None) for j in mechanism.joints))
    for broken, words in (
        (free, "independent"),
        (dataclasses.replace(mechanism, loops=()), "no loops"),
        (dataclasses.replace(mechanism, couplings=(Coupling("gears", (("crank on ground", 1.0),)),)), "coupling"),
        (dataclasses.replace(mechanism, loops=(dataclasses.replace(mechanism.loops[0], driven=True),)), "driven"),
        (dataclasses.replace(mechanism, loops=(dataclasses.replace(mechanism.loops[0], p_successor=np.array([0.2, 0.7, 0.1])),)), "open"),
    ):
        with pytest.raises(JounceError, match=words):
            problem_of_mechanism(broken, state, "")
