"""Common functions of the analyses: shared parameters, rows of a phase, filtered columns, wheels by axle and side."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.fields import Field, Number
from simulator.maneuvers import signal_processing
from simulator.maneuvers.analyses.contract import AnalysisResult, Curve, Drive

NOTHING = AnalysisResult({}, {})
MIN_SLIP_SPEED = 0.5
"""Speed [m/s] below which the sideslip counts as zero."""
PEDAL = 0.02
"""Fraction of the travel of a pedal above which the pedal counts as pressed."""

_WHEEL = re.compile(r"F_C_([A-Z]+)_z\Z")


def low_pass(default: float) -> Field:
    """Return the parameter for the corner of the zero-phase low pass, `default` in Hz; 0: no filter."""
    corner = Number("rad/s", 0.0, math.tau * 1000.0)
    return Field("filter", corner, "corner of the zero-phase low pass with 12 poles; 0: no filter", math.tau * default, written="Hz")


def rows_of(drive: Drive, values: Mapping[str, Any]) -> slice:
    """Return the rows of the requested phase, or all rows."""
    phase = values.get("phase")
    return drive.phases[phase] if phase else slice(0, len(drive.time))


def column(drive: Drive, name: str, values: Mapping[str, Any] | None = None) -> Array:
    """Return a complete column, filtered by the low pass of the parameters if there is one."""
    numbers = np.asarray(drive.columns[name], dtype=float)
    corner = values["filter"] / math.tau if values else 0.0
    return signal_processing.phaseless(numbers, drive.interval, corner) if corner > 0.0 else numbers


def sideslip(drive: Drive) -> Array:
    """Return the sideslip angle at the center of mass (rad), 0 at low speed. [ISO 8855, mem]"""
    v_x, v_y = drive.columns["v_WG_B_x"], drive.columns["v_WG_B_y"]
    return np.where(np.hypot(v_x, v_y) > MIN_SLIP_SPEED, np.arctan2(v_y, np.maximum(np.abs(v_x), 1e-9)), 0.0)


def distance_traveled(drive: Drive) -> Array:
    """Return the distance of the center of mass over ground up to each row (m)."""
    steps = np.hypot(np.diff(drive.columns["x_G"]), np.diff(drive.columns["y_G"]))
    return np.concatenate(([0.0], np.cumsum(steps)))


def road_wheel_angle(drive: Drive) -> Array:
    """Return the mean angle of the steered wheels (rad) for the steering-wheel angle, at rest and without forces."""
    traits = drive.traits
    inputs = np.asarray(drive.columns["steering_wheel_angle"], dtype=float) / traits.steering_wheel_lock
    return np.interp(inputs, traits.inputs, traits.road_wheel_angles)


class Line(NamedTuple):
    """Straight line through points: y = offset + slope x, and the fraction of the variance of y that it explains."""

    slope: float
    offset: float
    explained: float


def line(x: Array, y: Array) -> Line:
    """Return the least-squares line; NaN where the points do not define a line."""
    if len(x) < 2 or not np.ptp(x) > 0.0:
        return Line(math.nan, math.nan, math.nan)
    dx, dy = x - x.mean(), y - y.mean()
    slope = float(dx @ dy / (dx @ dx))
    residual, total = float(np.sum((dy - slope * dx) ** 2)), float(dy @ dy)
    return Line(slope, float(y.mean() - slope * x.mean()), 1.0 - residual / total if total > 0.0 else 1.0)


def peak(time: Array, values: Array) -> tuple[float, float]:
    """Return (time, value) of the maximum, from a parabola through the largest value and its neighbors."""
    i = int(np.argmax(values))
    if not 0 < i < len(values) - 1:
        return float(time[i]), float(values[i])
    before, center, after = values[i - 1 : i + 2]
    curvature = before - 2.0 * center + after
    if not curvature < 0.0:
        return float(time[i]), float(center)
    shift = 0.5 * (before - after) / curvature
    return float(time[i] + shift * (time[i + 1] - time[i])), float(center - 0.25 * (before - after) * shift)


def value_at(time: Array, values: Array, t: float) -> float:
    """Return the interpolated value at a time; NaN outside the record."""
    inside = len(time) > 0 and math.isfinite(t) and time[0] - 1e-9 <= t <= time[-1] + 1e-9
    return float(np.interp(t, time, values)) if inside else math.nan


def mean_between(time: Array, values: Array, begin: float, end: float) -> float:
    """Return the mean over the rows of a time interval; NaN without rows."""
    inside = values[(time >= begin - 1e-9) & (time <= end + 1e-9)]
    return float(inside.mean()) if inside.size else math.nan


def wheels(drive: Drive) -> tuple[str, ...]:
    """Return the corners of the vehicle from front to rear, left before right."""
    return tuple(match.group(1) for name in drive.columns if (match := _WHEEL.match(name)))


def axles(corners: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the corners by axle, from front to rear."""
    names = dict.fromkeys(corner[:-1] for corner in corners)
    return [tuple(corner for corner in corners if corner[:-1] == name) for name in names]


def longest(true: NDArray[np.bool_], dt: float) -> float:
    """Return the longest uninterrupted time [s] in which `true` holds."""
    edges = np.diff(np.concatenate(([0], true.astype(np.int8), [0])))
    spans = np.flatnonzero(edges == -1) - np.flatnonzero(edges == 1)
    return float(spans.max() * dt) if spans.size else 0.0


def curve(x: Array, y: Array, x_name: str, y_name: str, x_unit: str, y_unit: str) -> Curve:
    """Return a curve for a plot."""
    return Curve(np.asarray(x, dtype=float), np.asarray(y, dtype=float), x_name, y_name, x_unit, y_unit)


G = STANDARD_GRAVITY
