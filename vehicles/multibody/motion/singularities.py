"""Singular configurations on a motion curve: dead points, where the input reverses, and crossings, where branches of the motion meet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simulator.base.arrays import Vector
from vehicles.multibody.description.mechanism import MechanismError
from vehicles.multibody.loops.constraint_jacobian import loops_of
from vehicles.multibody.motion.motion_curve import Configuration, MotionCurve
from vehicles.multibody.tree.tree import advance_positions

NODES = np.array([-1.0, -0.8, -0.6, -0.4, 0.4, 0.6, 0.8, 1.0])
"""Positions of the interpolated configurations, in units of the half width of a neighborhood, all away from its middle."""
HALF_WIDTH = 0.03
"""Maximum half width of a neighborhood along the curve."""
VANISHING = 1e-6
"""A pivot below this fraction of the maximum, interpolated between well-conditioned configurations, is zero."""
MISSED = 1e-9
"""Tolerance of the interpolated closure of crossing branches, as a fraction of the size of the mechanism."""
GOLDEN = 0.5 * (float(np.sqrt(5.0)) - 1.0)
HALVINGS = 60
NAMED = 0.1
"""Minimum contribution of the rows of a loop at which the result names the loop."""


class Singular(NamedTuple):
    """A singular configuration q (n_q,) at the input s, and the loops that cause the singularity."""

    s: float
    q: Vector
    loops: tuple[str, ...]


@dataclass(frozen=True)
class Neighborhood:
    """The curve around a crossing, interpolated over the distance x in the direction of one tangent.

    At a crossing Newton's method fails, because the residual changes with the square of the distance. The branch is smooth, so the
    polynomial through configurations on both sides is as exact between them as the configurations.
    """

    curve: MotionCurve
    x: Vector
    points: tuple[Configuration, ...]

    def at(self, x: float) -> Configuration:
        """Return the configuration at x, within the neighborhood."""
        share = np.array([np.prod((x - np.delete(self.x, k)) / (a - np.delete(self.x, k))) for k, a in enumerate(self.x)])
        system, q = self.curve.system, share @ np.array([point.q for point in self.points])
        advance_positions(system.parts.tree, q.copy(), np.zeros(system.n_v), 0.0, q)  # normalize the quaternions
        s = float(share @ np.array([point.s for point in self.points]))
        tangent = share @ np.array([point.tangent for point in self.points])
        return self.curve.configuration(q, s, tangent)._replace(tangent=tangent / np.linalg.norm(tangent))

    def at_input(self, s: float) -> Configuration:
        """Return the configuration with the input s, within the neighborhood."""
        sign = np.sign(self.points[-1].s - self.points[0].s)
        return self.at(bisect(lambda x: sign * (self.at(x).s - s), float(self.x[0]), float(self.x[-1])))._replace(s=s)

    def holds(self, s: float) -> bool:
        """Return whether s is so near to the crossing that interpolation is more exact than Newton's method."""
        ends = sorted((self.points[3].s, self.points[4].s))
        return ends[0] < s < ends[1]


def bisect(f: Callable[[float], float], low: float, high: float) -> float:
    """Return the zero of f between low, where f is negative, and high."""
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if f(middle) < 0.0 else (low, middle)
    return 0.5 * (low + high)


def minimum(f: Callable[[float], float], low: float, high: float) -> float:
    """Return the position of the minimum of f by golden-section search; f may have a corner there."""
    a, b = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    f_a, f_b = f(a), f(b)
    for _ in range(HALVINGS):
        if f_a < f_b:
            high, b, f_b = b, a, f_a
            a = high - GOLDEN * (high - low)
            f_a = f(a)
        else:
            low, a, f_a = a, b, f_b
            b = low + GOLDEN * (high - low)
            f_b = f(b)
    return 0.5 * (low + high)


def dead_point(curve: MotionCurve, before: Configuration, step: float) -> float:
    """Return the distance to the reversal of the input ahead of a point, at most `step`."""
    sign = -np.sign(before.tangent[curve.at])
    return bisect(lambda x: sign * float(reached(curve, before, x).tangent[curve.at]), 0.0, step)


def reached(curve: MotionCurve, point: Configuration, step: float) -> Configuration:
    """Return the result of `MotionCurve.moved`. Raises MechanismError if it fails."""
    configuration = curve.moved(point, step)
    if configuration is None:
        raise MechanismError(f"{curve.system.mechanism.file}: cannot follow the loops beyond {curve.label} = {point.s:.9g}")
    return configuration


def stretched_loops(curve: MotionCurve, q: Vector) -> tuple[str, ...]:
    """Return the loops that stop the input at a dead point: their rows need the input, no other coordinate can replace it."""
    G = curve.jacobian(q)
    U, values, _ = np.linalg.svd(np.delete(G, curve.at, axis=1), full_matrices=False)
    spanned = U[:, values > VANISHING * values.max(initial=0.0)]
    return _named(curve, G[:, curve.at] - spanned @ (spanned.T @ G[:, curve.at]))


def crossing(curve: MotionCurve, near: Configuration) -> tuple[Singular, Neighborhood]:
    """Return the crossing near a point with a very small pivot.

    Raises MechanismError : branches that nearly meet, too near to be distinguished
    """
    center = 0.0
    for _ in range(2):  # the second pass has the crossing in the middle
        x = center + HALF_WIDTH * NODES
        around = Neighborhood(curve, x, tuple(reached(curve, near, float(place)) for place in x))
        center = minimum(lambda x, a=around: a.at(x).pivot, x[3], x[4])  # type: ignore[misc]
    singular = around.at(center)
    vanished = singular.pivots < VANISHING * singular.pivots[0]
    if not vanished.any() or singular.gap > MISSED * curve.size:
        raise MechanismError(f"{curve.system.mechanism.file}: cannot follow the loops beyond {curve.label} = {near.s:.9g}")
    U, _, _ = np.linalg.svd(curve.jacobian(around.points[4].q))
    return Singular(singular.s, singular.q, _named(curve, np.abs(U[:, : curve.rank][:, vanished]).max(axis=1))), around


def _named(curve: MotionCurve, weights: Vector) -> tuple[str, ...]:
    """Return the loops whose rows have weights (rows of the aggregated body,)."""
    every = np.zeros(curve.system.parts.constraints.rows.size)
    every[curve.rows] = np.abs(weights)
    return loops_of(curve.system, every, NAMED * float(every.max(initial=0.0)))
