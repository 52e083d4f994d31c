"""Sweep of a mechanism along one of its coordinates: positions, singular positions, and limits of the motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simulator.base.arrays import Vector
from vehicles.multibody.description.mechanism import MechanismError
from vehicles.multibody.motion.motion_curve import Configuration, MotionCurve
from vehicles.multibody.motion.singularities import Neighborhood, Singular, bisect, crossing, dead_point, reached, stretched_loops
from vehicles.multibody.tree.coordinates import Coordinate
from vehicles.multibody.tree.system import System

LARGEST_STEP = 0.08
"""Maximum step along the curve [rad, sizes of the mechanism]."""
SMALLEST_STEP = 1e-9
"""Minimum step; below it the continuation has failed."""
GROWTH = 1.5
MIN_COSINE = 0.98
"""A step is too long when the cosine between the tangents at its ends is below this value."""
FIRST_STEP = 1e-3
SMALL_PIVOT = 1e-6
"""Pivot, relative to the largest, below which branches cross."""
TOO_NEAR = 1e-9
"""A step that ends with a smaller relative pivot is shortened, because it would end at the crossing."""
MIN_INPUT_RATE = 1e-9
"""An input whose component of the tangent is below this value does not move."""
MAX_POINTS = 200_000
ROUNDING = 1e-13
"""rad, m. Positions nearer to a dead point than this are at the dead point."""
SAME = 1e-9
"""rad, m. Tolerance of the range for singular positions at its limits."""


@dataclass(frozen=True)
class Sweep:
    """A sweep along one coordinate; n of the requested positions are reachable, in the given order.

    Attributes
    ----------
    coordinate : the swept coordinate
    held : labels of the fixed coordinates that could have moved with the swept one
    requested (m,), reached (n,) : values of the coordinate [rad, m]
    q (n, n_q) : positions
    ratios (n, n_v) : rates of all coordinates per rate of the swept one
    gap (n,) : largest residual of the loops [m, rad]
    pivot, condition (n,) : smallest singular value of the dependent columns of the constraints (lengths in sizes of the mechanism), and
        their condition number
    crossings : positions where the loops lose rank: another branch of the motion crosses
    dead_points : positions where the loops are stretched and limit the coordinate
    """

    system: System
    coordinate: Coordinate
    held: tuple[str, ...]
    requested: Vector
    reached: Vector
    q: Vector
    ratios: Vector
    gap: Vector
    pivot: Vector
    condition: Vector
    crossings: tuple[Singular, ...]
    dead_points: tuple[Singular, ...]


@dataclass(frozen=True)
class _Walk:
    """Points of the curve, the steps between them, the crossings on the curve, and the dead point at its end if there is one."""

    points: list[Configuration]
    steps: list[float]
    crossings: list[tuple[Singular, Neighborhood]]
    dead: Singular | None


def sweep(system: System, q: Vector, index: int, values: Sequence[float] | Vector) -> Sweep:
    """Move a mechanism along a coordinate from the closed configuration q (n_q,), which need not have one of the values.

    Parameters
    ----------
    index : index of the coordinate in v; rotations of free and spherical joints count from q
    values : (m,) values of the coordinate [rad, m]

    Coordinates that are not needed to close the loops are fixed. At a crossing the motion continues straight ahead.

    Raises
    ------
    MechanismError : the coordinate cannot move; the start is singular; no value is reachable
    """
    requested = np.asarray(values, float)
    curve = MotionCurve(system, np.asarray(q, float), index)
    start = curve.start(np.asarray(q, float))
    low, high = float(requested.min()), float(requested.max())
    down, up = _walk(curve, start, -1.0, low), _walk(curve, start, 1.0, high)
    points = [curve.reversed(point) for point in reversed(down.points[1:])] + up.points
    steps = down.steps[::-1] + up.steps
    dead = tuple(end for end in (down.dead, up.dead) if end is not None)
    crossings = down.crossings[::-1] + up.crossings
    samples = [x for x in (_sample(curve, points, steps, crossings, value) for value in requested) if x is not None]
    if not samples:
        ends = ", ".join(f"{end.s:.9g} ({', '.join(map(repr, end.loops))})" for end in dead)
        raise MechanismError(f"{system.mechanism.file}: {curve.label} cannot reach any of the positions; dead points: {ends}")
    conditioning = np.array([curve.conditioning(point.q) for point in samples])
    return Sweep(
        system=system,
        coordinate=curve.coordinate,
        held=curve.held,
        requested=requested,
        reached=np.array([point.s for point in samples]),
        q=np.array([point.q for point in samples]),
        ratios=np.array([curve.ratios(point.tangent) for point in samples]),
        gap=np.array([point.gap for point in samples]),
        pivot=conditioning[:, 0],
        condition=conditioning[:, 1],
        crossings=tuple(singular for singular, _ in crossings if low - SAME <= singular.s <= high + SAME),
        dead_points=tuple(end for end in dead if low - SAME <= end.s <= high + SAME),
    )


def _walk(curve: MotionCurve, start: Configuration, direction: float, limit: float) -> _Walk:
    """Follow the curve from `start` to larger (1) or smaller (-1) inputs, to the second point beyond the limit or to a dead point."""
    oriented = _towards(curve, start, direction)
    if oriented is None:
        return _Walk([start], [], [], Singular(start.s, start.q, stretched_loops(curve, start.q)))
    points, steps, crossings, h = [oriented], list[float](), list[tuple[Singular, Neighborhood]](), FIRST_STEP
    while len(points) < 2 or (points[-2].s - limit) * direction < 0.0:
        point = points[-1]
        ahead = _step(curve, point, h)
        if ahead is None:
            h *= 0.6
        elif ahead.tangent[curve.at] * direction < 0.0:
            last = dead_point(curve, point, h)
            end = reached(curve, point, last)
            return _Walk([*points, end], [*steps, last], crossings, Singular(end.s, end.q, stretched_loops(curve, end.q)))
        else:
            points.append(ahead)
            steps.append(h)
            if point.pivot <= SMALL_PIVOT < ahead.pivot:
                crossings.append(crossing(curve, point))
            h = _next_step(point, ahead, h)
        if h < SMALLEST_STEP or len(points) > MAX_POINTS:
            if (point.s - limit) * direction >= 0.0:
                break
            raise MechanismError(f"{curve.system.mechanism.file}: cannot follow the loops beyond {curve.label} = {point.s:.9g}")
    return _Walk(points, steps, crossings, None)


def _towards(curve: MotionCurve, start: Configuration, direction: float) -> Configuration | None:
    """Return `start` with a tangent to larger (1) or smaller (-1) inputs, or None at a dead point that blocks this direction."""
    forth, back = start, curve.reversed(start)
    if abs(start.tangent[curve.at]) > MIN_INPUT_RATE:
        return forth if start.tangent[curve.at] * direction > 0.0 else back
    ways = [(way, curve.moved(way, LARGEST_STEP)) for way in (forth, back)]
    moves = [(way, ahead.s - start.s) for way, ahead in ways if ahead is not None]
    if all(abs(move) <= MIN_INPUT_RATE for _, move in moves):
        raise MechanismError(f"{curve.system.mechanism.file}: {curve.label} cannot move: its loops fix it")
    return next((way for way, move in moves if move * direction > 0.0), None)


def _step(curve: MotionCurve, point: Configuration, h: float) -> Configuration | None:
    """Return the point h ahead, or None if the curve bends too much or the point is itself a crossing."""
    ahead = curve.moved(point, h)
    if ahead is None or point.tangent @ ahead.tangent < MIN_COSINE or ahead.pivot < TOO_NEAR:
        return None
    return ahead


def _next_step(before: Configuration, point: Configuration, h: float) -> float:
    """Return the length of the step after one of length h from `before` to `point`.

    Where the pivot decreases to zero, branches cross or nearly meet. A long step could end on the wrong branch, so the step is half of the
    remaining distance until the pivot is `SMALL_PIVOT`; a point that still looks like a crossing is one, and the next step crosses it.
    """
    longest, fall = min(GROWTH * h, LARGEST_STEP), (before.pivot - point.pivot) / h
    if fall <= 0.0:
        return longest
    left = point.pivot / fall
    return min(longest, 0.5 * left) if point.pivot > SMALL_PIVOT else max(h, 4.0 * left)


def _sample(
    curve: MotionCurve,
    points: list[Configuration],
    steps: list[float],
    crossings: list[tuple[Singular, Neighborhood]],
    value: float,
) -> Configuration | None:
    """Return the configuration with the input `value`, or None beyond a dead point."""
    inputs = np.array([point.s for point in points])
    nearest = int(np.abs(inputs - value).argmin())
    if inputs[nearest] == value or (nearest in (0, inputs.size - 1) and abs(inputs[nearest] - value) <= ROUNDING):
        return points[nearest]._replace(s=value)
    if not inputs[0] < value < inputs[-1]:
        return None
    for _, around in crossings:
        if around.holds(value):
            return around.at_input(value)
    i = int(np.searchsorted(inputs, value)) - 1
    q, s = _between(curve, points[i], points[i + 1], steps[i], value)
    configuration = curve.at_input(q, s, value, points[i].tangent)
    if configuration is None or configuration.tangent[curve.at] <= 0.0:
        return _near_dead_point(curve, points[i], points[i + 1], steps[i], value)
    return configuration


def _near_dead_point(curve: MotionCurve, a: Configuration, b: Configuration, step: float, value: float) -> Configuration:
    """Return the configuration with the input `value` between two neighbors, one of them a dead point, where Newton's method at a given
    input fails.
    """
    point, low, high = (a, 0.0, step) if a.tangent[curve.at] > b.tangent[curve.at] else (b, -step, 0.0)
    return reached(curve, point, bisect(lambda x: reached(curve, point, x).s - value, low, high))._replace(s=value)


def _between(curve: MotionCurve, a: Configuration, b: Configuration, step: float, value: float) -> tuple[Vector, float]:
    """Return q and s near the curve between two neighbors, with s near `value`: from the first one, with a linearly interpolated tangent."""

    def ahead(x: float) -> tuple[Vector, float]:
        return curve.advanced(a.q, a.s, step * x * ((1.0 - 0.5 * x) * a.tangent + 0.5 * x * b.tangent))

    return ahead(bisect(lambda x: ahead(x)[1] - value, 0.0, 1.0))
