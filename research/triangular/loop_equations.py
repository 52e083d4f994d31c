"""Loop equations of a mechanism as polynomials, from the description used by the multibody solver.

The equations contain sines and cosines of angles, and quaternions of spherical joints and free bodies; independent coordinates are the
parameters. Numbers of the file that are fractions with a denominator up to 1e6 become these fractions, other numbers their decimal value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from research.triangular.polynomial import Polynomial, add, multiply
from research.triangular.problem_file import MAX_NAMES, Problem, circle, parameter_values
from simulator.base.errors import JounceError
from vehicles.multibody.description.initial_state import InitialState
from vehicles.multibody.description.mechanism import WORLD, Joint, Loop, Mechanism
from vehicles.multibody.tree.system import outward, perpendiculars

Vector = list[Polynomial]
Matrix = list[Vector]
_QUATERNION = ("w", "i", "j", "k")
_ROUNDING = 1e-9
"""Tolerance of a constraint without coordinates, such as the out-of-plane constraints of a planar loop."""


@dataclass
class _Symbols:
    """Names of the coordinates of the joints in the loops, and which of them are angles."""

    of_joint: dict[str, list[str]] = field(default_factory=dict)
    angles: dict[str, tuple[str, str]] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)


def problem_of_mechanism(mechanism: Mechanism, state: InitialState, digest: str, loop: str | None = None) -> Problem:
    """Return the equations of the loops of a mechanism that share dependent coordinates with `loop`, optional if all loops do.

    The unknowns are the coordinates of the joints that are not marked as independent; joints nearer to the world are solved first. The
    example is `state`.

    Raises
    ------
    JounceError : no loop, no joint marked as independent, or a constraint that is no polynomial, is driven or contradicts the design
        position
    """
    joints = {joint.child: joint for joint in mechanism.joints}
    loops = _group(mechanism, joints, loop)
    inside = {joint.name for item in loops for joint in _between(joints, item)}
    ordered = [joint for joint in outward(mechanism) if joint.name in inside and joint.kind != "fixed"]
    symbols = _symbols(ordered)
    unknowns = [name for joint in reversed(ordered) if joint.name in symbols.unknown for name in symbols.of_joint[joint.name]]
    parameters = [name for joint in ordered if joint.name not in symbols.unknown for name in symbols.of_joint[joint.name]]
    if not parameters:
        raise JounceError(f"{mechanism.file}: no joint in the loops is marked `independent: true`")
    if len(unknowns) + len(parameters) > MAX_NAMES:
        raise JounceError(f"{mechanism.file}: more than {MAX_NAMES} sines, cosines and lengths")
    writer = _Writer(joints, symbols, (*unknowns, *parameters))
    equations = [equation for item in loops for equation in writer.loop(item) if writer.counts(item, equation)]
    return Problem(
        name=mechanism.name,
        source=f"the loops {', '.join(item.name for item in loops)} of the mechanism",
        unknowns=tuple(unknowns),
        parameters=tuple(parameters),
        as_coefficients=True,
        equations=(*equations, *writer.circles(unknowns)),
        loops=len(equations),
        known_angles={angle: pair for angle, pair in symbols.angles.items() if pair[0] in parameters},
        example=_example(ordered, symbols, state, parameters),
        digest=digest,
    )


def _group(mechanism: Mechanism, joints: dict[str, Joint], wanted: str | None) -> list[Loop]:
    """Return the loops that share unknown coordinates with the requested loop, directly or indirectly."""
    if not mechanism.loops:
        raise JounceError(f"{mechanism.file}: the mechanism has no loops")
    if mechanism.couplings:
        raise JounceError(
            f"{mechanism.file}: couplings.{mechanism.couplings[0].name}: a coupling of angles is not a polynomial in sines and cosines"
        )
    names = [item.name for item in mechanism.loops]
    if wanted is not None and wanted not in names:
        raise JounceError(f"{mechanism.file}: --loop: got {wanted!r}, expected one of {', '.join(names)}")
    shared = {item.name: {j.name for j in _between(joints, item) if not j.independent} for item in mechanism.loops}
    group, reached = [wanted or names[0]], set(shared[wanted or names[0]])
    while more := [name for name in names if name not in group and shared[name] & reached]:
        group += more
        reached |= set().union(*(shared[name] for name in more))
    if wanted is None and len(group) < len(names):
        raise JounceError(f"{mechanism.file}: the loops are independent; hint: choose one with --loop NAME among {', '.join(names)}")
    return [item for item in mechanism.loops if item.name in group]


def _chain(joints: dict[str, Joint], body: str) -> list[Joint]:
    """Return the joints from a body to the world."""
    chain = []
    while body != WORLD:
        chain.append(joints[body])
        body = joints[body].parent
    return chain


def _between(joints: dict[str, Joint], loop: Loop) -> list[Joint]:
    one, other = _chain(joints, loop.predecessor), _chain(joints, loop.successor)
    return [joint for joint in (*one, *other) if (joint in one) != (joint in other)]


def _symbols(ordered: Sequence[Joint]) -> _Symbols:
    symbols = _Symbols()
    taken: set[str] = set()
    for joint in ordered:
        word = re.sub(r"\W+", "_", joint.name, flags=re.ASCII).strip("_") or "q"
        while word in taken:
            word += "_"
        taken.add(word)
        angles = {"revolute": [word], "universal": [f"{word}_1", f"{word}_2"]}.get(joint.kind, [])
        symbols.angles.update({angle: (f"s_{angle}", f"c_{angle}") for angle in angles})
        names = [name for angle in angles for name in symbols.angles[angle]]
        if joint.kind == "prismatic":
            names = [f"d_{word}"]
        elif joint.kind in ("spherical", "free"):
            names = [f"{x}_{word}" for x in ("xyz" if joint.kind == "free" else "")] + [f"{x}_{word}" for x in _QUATERNION]
        symbols.of_joint[joint.name] = names
        if not joint.independent and not joint.prescribed:
            symbols.unknown.add(joint.name)
    return symbols


def _example(ordered: Sequence[Joint], symbols: _Symbols, state: InitialState, parameters: Sequence[str]) -> tuple[Fraction, ...]:
    values: dict[str, Fraction] = {}
    for joint in ordered:
        numbers = [float(x) for x in state.positions[joint.name]]
        names = symbols.of_joint[joint.name]
        if joint.kind in ("revolute", "universal"):
            names = [angle for angle, pair in symbols.angles.items() if pair[0] in names]
        values |= parameter_values(dict(zip(names, numbers, strict=True)), tuple(parameters), symbols.angles)
    return tuple(values[name] for name in parameters)


class _Writer:
    """Writer of constraints as polynomials in given names."""

    def __init__(self, joints: dict[str, Joint], symbols: _Symbols, names: tuple[str, ...]) -> None:
        self.joints, self.symbols, self.names = joints, symbols, names

    def loop(self, loop: Loop) -> list[Polynomial]:
        """Return polynomials that are zero for a closed loop, in the frame of the last common ancestor of both bodies of the loop."""
        if loop.driven:
            raise JounceError(f"loops.{loop.name}: a driven loop has no constant equations")
        ends = [_chain(self.joints, body) for body in (loop.predecessor, loop.successor)]
        one, other = ([joint for joint in chain if joint not in ends[1 - k]] for k, chain in enumerate(ends))
        p_i = self.carried(one, self.constant(loop.p_predecessor), point=True)
        p_j = self.carried(other, self.constant(loop.p_successor), point=True)
        apart = [add(a, b, Fraction(-1)) for a, b in zip(p_i, p_j, strict=True)]
        if loop.kind == "distance":
            return [add(self.dot(apart, apart), self.number(_exact(loop.length) ** 2), Fraction(-1))]
        if loop.kind == "ball":
            return apart
        across = [self.carried(other, self.constant(e), point=False) for e in perpendiculars(loop.axis_successor)]
        if loop.kind == "point_on_line":
            return [self.dot(e, apart) for e in across]
        axis = self.carried(one, self.constant(loop.axis_predecessor), point=False)
        return [*apart, *(self.dot(e, axis) for e in across)]

    def counts(self, loop: Loop, equation: Polynomial) -> bool:
        """Return whether an equation is not trivial; raises JounceError when the equation has no solution."""
        if any(any(m) for m in equation):
            return True
        if abs(sum(equation.values(), Fraction(0))) > _ROUNDING:
            raise JounceError(f"loops.{loop.name}: the loop is open along a direction without joint motion")
        return False

    def circles(self, unknowns: Sequence[str]) -> list[Polynomial]:
        """Return sine^2 + cosine^2 = 1 of the unknown angles, and |q| = 1 of the unknown quaternions."""
        groups = [list(pair) for pair in self.symbols.angles.values()]
        groups += [names[-4:] for names in self.symbols.of_joint.values() if names[-1].startswith("k_")]
        return [circle([self.names.index(n) for n in group], len(self.names)) for group in groups if group[0] in unknowns]

    def carried(self, chain: Sequence[Joint], vector: Vector, point: bool) -> Vector:
        """Return a point or direction of the last body of a chain of joints, in the frame of the body that carries the chain."""
        for joint in chain:
            if point:
                vector = [add(x, y, Fraction(-1)) for x, y in zip(vector, self.constant(joint.p_BM), strict=True)]
            vector = self.times(self.matrix(joint.R_BM.T), vector)
            vector = self.moved(joint, vector, point)
            vector = self.times(self.matrix(joint.R_PF), vector)
            if point:
                vector = [add(x, y) for x, y in zip(vector, self.constant(joint.p_PF), strict=True)]
        return vector

    def moved(self, joint: Joint, vector: Vector, point: bool) -> Vector:
        """Transform a vector from the moving frame M of a joint to its frame F."""
        names = [self.variable(name) for name in self.symbols.of_joint.get(joint.name, [])]
        if joint.kind == "revolute":
            return self.times(self.turn(joint.axes[0], *names), vector)
        if joint.kind == "universal":
            return self.times(self.turn(joint.axes[0], *names[:2]), self.times(self.turn(joint.axes[1], *names[2:]), vector))
        if joint.kind == "prismatic":
            travel = [multiply(x, names[0]) for x in self.constant(joint.axes[0])]
            return [add(x, y) for x, y in zip(vector, travel, strict=True)] if point else vector
        if joint.kind in ("spherical", "free"):
            vector = self.times(self.attitude(names[-4:]), vector)
            if joint.kind == "free" and point:
                vector = [add(x, y) for x, y in zip(vector, names[:3], strict=True)]
        return vector

    def turn(self, axis: Any, sine: Polynomial, cosine: Polynomial) -> Matrix:
        """Return the rotation matrix of Rodrigues: c 1 + s [u]x + (1 - c) u u^T."""
        u = [_exact(x) for x in axis]
        cross = [[Fraction(0), -u[2], u[1]], [u[2], Fraction(0), -u[0]], [-u[1], u[0], Fraction(0)]]
        matrix = []
        for i in range(3):
            row = []
            for j in range(3):
                entry = add(self.number(u[i] * u[j]), cosine, Fraction(i == j) - u[i] * u[j])
                row.append(add(entry, sine, cross[i][j]))
            matrix.append(row)
        return matrix

    def attitude(self, q: Sequence[Polynomial]) -> Matrix:
        """Return R of a unit quaternion (w, x, y, z), homogeneous: w^2 + x^2 - y^2 - z^2 and so on."""
        products = [[multiply(a, b) for b in q] for a in q]

        def combined(*terms: tuple[int, int, int]) -> Polynomial:
            total: Polynomial = {}
            for i, j, factor in terms:
                total = add(total, products[i][j], Fraction(factor))
            return total

        return [
            [combined((0, 0, 1), (1, 1, 1), (2, 2, -1), (3, 3, -1)), combined((1, 2, 2), (0, 3, -2)), combined((1, 3, 2), (0, 2, 2))],
            [combined((1, 2, 2), (0, 3, 2)), combined((0, 0, 1), (1, 1, -1), (2, 2, 1), (3, 3, -1)), combined((2, 3, 2), (0, 1, -2))],
            [combined((1, 3, 2), (0, 2, -2)), combined((2, 3, 2), (0, 1, 2)), combined((0, 0, 1), (1, 1, -1), (2, 2, -1), (3, 3, 1))],
        ]

    def times(self, matrix: Matrix, vector: Vector) -> Vector:
        return [self.dot(row, vector) for row in matrix]

    def dot(self, a: Vector, b: Vector) -> Polynomial:
        total: Polynomial = {}
        for x, y in zip(a, b, strict=True):
            total = add(total, multiply(x, y))
        return total

    def matrix(self, values: Any) -> Matrix:
        return [self.constant(row) for row in values]

    def constant(self, values: Any) -> Vector:
        return [self.number(_exact(x)) for x in values]

    def number(self, value: Fraction) -> Polynomial:
        return {(0,) * len(self.names): value} if value else {}

    def variable(self, name: str) -> Polynomial:
        return {tuple(int(name == other) for other in self.names): Fraction(1)}


def _exact(value: float) -> Fraction:
    """Return the fraction with a small denominator that a double represents, or its shortest decimal; removes rounding errors of zeros and
    ones.
    """
    simple = Fraction(float(value)).limit_denominator(10**6)
    if abs(float(simple) - float(value)) <= 4.0 * np.spacing(max(abs(float(value)), 0.25)):
        return simple
    return Fraction(repr(float(value)))
