"""Checks of the results of mappers and planners, also of plugins: whatever they return, the driver gets valid arrays of its own, or a PlanError."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from simulator.autonomy.contract import FREE, OBSTACLE, UNKNOWN, Blocked, ObstacleMap, Plan, PlanError, PlannerInput
from simulator.base.arrays import Array
from simulator.base.errors import one_line

MAX_POINTS, MAX_CANDIDATES = 100_000, 1000
"""Maximum number of points of a plan, and of considered paths."""
LONGEST_STEP, LONGEST_PATH = 2.0, 1000.0
"""m. Maximum distance between two points of a plan, and maximum length: the follower divides the path into short parts."""
LONGEST_REASON = 300
"""Letters of a reason."""
LAYERS = ("elevation", "slope", "step", "object", "strength", "cost")


def checked_map(result: Any) -> ObstacleMap:
    """Return the map of a mapper. Raises PlanError: no map, arrays of another shape or type, an infinite number, an unknown state."""
    if not isinstance(result, ObstacleMap):
        raise PlanError(f"expected an ObstacleMap; got {type(result).__name__}")
    time, cell = float(_numbers("map: time", result.time, ())), float(_numbers("map: cell", result.cell, ()))
    x, y = _numbers("map: origin", result.origin, (2,))
    state = np.asarray(result.state)
    if state.ndim != 2 or not state.size or not cell > 0.0 or not math.isfinite(x + y + cell + time):
        raise PlanError(f"expected arrays (ny, nx) with cells of a positive size; got state {state.shape}, cell {cell}")
    if state.dtype.kind not in "iub" or not np.isin(state, (FREE, OBSTACLE, UNKNOWN)).all():
        raise PlanError("map: expected a state of FREE, OBSTACLE or UNKNOWN in each cell")
    layers = {name: _numbers(f"map: {name}", getattr(result, name), state.shape) for name in LAYERS}
    if result.grip is not None:
        layers["grip"] = _numbers("map: grip", result.grip, state.shape)
    for name, layer in layers.items():
        if np.isinf(layer).any():
            raise PlanError(f"map: {name} is infinite in a cell; expected numbers, NaN for unknown")
    return replace(result, time=time, origin=(float(x), float(y)), cell=cell, state=state.astype(np.uint8, copy=False), **layers)


def checked_plan(result: Any, seen: PlannerInput) -> Plan | Blocked:
    """Return the result of a planner, with copies of its arrays that nobody can change.

    Raises PlanError: no plan, an empty one, other shapes or types, a number that is not finite, points far apart or outside the map.
    """
    if isinstance(result, Blocked):
        return Blocked(one_line(str(result.reason))[:LONGEST_REASON])
    if not isinstance(result, Plan):
        raise PlanError(f"expected a Plan or Blocked; got {type(result).__name__}")
    points = _numbers("points", result.points, None)
    if points.ndim != 2 or points.shape[1] != 2:
        raise PlanError(f"expected points (n, 2); got {points.shape}")
    n = len(points)
    if not 2 <= n <= MAX_POINTS:
        raise PlanError(f"expected a path of 2 to {MAX_POINTS} points; got {n}")
    headings, speeds = (_numbers(name, getattr(result, name), (n,)) for name in ("headings", "speeds"))
    directions = np.ones(n) if result.directions is None else _numbers("directions", result.directions, (n,))
    if not (np.isfinite(points).all() and np.isfinite(headings).all() and np.isfinite(speeds).all()):
        raise PlanError("a number of the plan is not finite")
    if (speeds < 0.0).any():
        raise PlanError("a speed of the plan is negative; directions are in `directions`")
    if not np.isin(directions, (-1, 1)).all():
        raise PlanError("a direction of the plan is neither 1 nor -1")
    if not seen.map.contains(points).all():
        raise PlanError("a point of the path is outside the map")
    steps = np.hypot(*np.diff(points, axis=0).T)
    if steps.max() > LONGEST_STEP or steps.sum() > LONGEST_PATH:
        expected = f"points at most 1 m apart, and {LONGEST_PATH:g} m in all"
        raise PlanError(f"two points of the path are {steps.max():.3g} m apart, its length is {steps.sum():.4g} m; expected {expected}")
    arrays = points, headings, speeds, directions.astype(np.int8)
    for one in arrays:
        one.flags.writeable = False
    return Plan(*arrays, bool(result.reaches_goal), _candidates(result.candidates))


def _candidates(given: Any) -> tuple[Array, ...]:
    """Return the considered paths. Raises PlanError."""
    if not isinstance(given, (tuple, list)) or len(given) > MAX_CANDIDATES:
        raise PlanError(f"expected candidates as a tuple of at most {MAX_CANDIDATES} paths")
    out = tuple(_numbers("candidates", one, None) for one in given)
    if any(one.ndim != 2 or one.shape[1] != 2 or not np.isfinite(one).all() for one in out):
        raise PlanError("expected candidates with finite points (m, 2)")
    return out


def _numbers(name: str, given: Any, shape: tuple[int, ...] | None) -> Array:
    """Return a copy of numbers as an array of floats; `shape`: None for any. Raises PlanError."""
    try:
        raw = np.asarray(given)
        numbers = np.array(raw, float) if raw.dtype.kind in "buif" else None
    except (TypeError, ValueError):  # for example rows of different lengths
        numbers = None
    if numbers is None:
        raise PlanError(f"{name}: expected numbers; got {type(given).__name__}")
    if shape is not None and numbers.shape != shape:
        raise PlanError(f"{name}: expected the shape {shape}; got {numbers.shape}")
    return numbers
