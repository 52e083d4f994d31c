"""Grip that the axles use on a cone course, and whether the car or its driver limited a run that failed.

The grip of a tire is its highest steady side force and traction at the present load and friction, from its tire model. A tire beyond
the slip of the peak uses all its grip, although it slides with less force. The grip used by an axle is the mean over its tires, weighted
with their highest side forces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.maneuvers.cone_course import CONE_RADIUS, Body, Gate, GateResult, Track, outline

if TYPE_CHECKING:  # a maneuver without a course loads no kernels
    from terrain.ground import Ground
    from vehicles.tires.tire_file import TireFile, TireSet

AT_LIMIT = 0.95
"""Fraction of its grip above which an axle is at its limit. More: lags of the tires hide a limit. Less: an axle near its limit, which
still follows the driver, counts as a limit of the car."""

LIMIT_TIME = 0.1
"""Time [s] above AT_LIMIT from which the car limited the run. Less: a short peak while the driver turns the wheel counts."""

HARD_FRACTION = 0.99
"""Fraction of hard ground below which the grip is not computed: soil carries the forces, not the tire model."""

LIFTED = 1.0
"""Load [N] below which a wheel is lifted."""

LOADS = np.linspace(0.05, 1.0, 16)
"""Loads of the tables of peaks, relative to the highest load of a run."""

SLIPS = np.concatenate((np.linspace(0.002, 0.2, 100), np.linspace(0.21, 0.6, 40)))
"""Slips, and tangents of slip angles, among which the peak is found."""

FRICTION_STEP = 0.02
"""Step of the friction coefficients with a table of peaks."""

NO_VALUES = dict.fromkeys(("grip_used_front", "grip_used_rear", "grip_limit_time", "steering_wheel_rate_max"), float("nan"))
"""Metrics of a run without the data for them."""


@dataclass(frozen=True)
class Grip:
    """Tires and ground of a run, from which the grip of its axles follows; `corners` are the names of the wheels."""

    tires: TireSet
    ground: Ground
    corners: Sequence[str]


class Usage(NamedTuple):
    """Grip used on a course: time (n,) [s], axles by name with the used fraction (n,), the least load (n,) [N] of a wheel, and the
    rate (n,) [rad/s] and input (n,) of the steering wheel."""

    time: NDArray
    axles: dict[str, NDArray]
    load: NDArray
    steering_rate: NDArray
    steering: NDArray


def course_columns(corners: Iterable[str]) -> tuple[str, ...]:
    """Return the telemetry columns that the grip needs for a vehicle with these corners."""
    fields = ("F_C_{}_x", "F_C_{}_y", "F_C_{}_z", "slip_angle_{}", "slip_ratio_{}", "p_WC_{}_x", "p_WC_{}_y")
    return ("steering_wheel_angle", *(field.format(corner) for corner in corners for field in fields))


def usage_of(grip: Grip, telemetry: Mapping[str, NDArray], rows: slice) -> Usage | None:
    """Return the grip used in the rows of a run; None on soil, or with fewer than two rows."""
    from vehicles.tires.tire_file import TireFile

    columns = {name: np.asarray(telemetry[name], dtype=float)[rows] for name in ("time", "steering", *course_columns(grip.corners))}
    if len(columns["time"]) < 2:
        return None
    used, weights = [], []
    for i, corner in enumerate(grip.corners):
        friction = _friction(grip.ground, columns[f"p_WC_{corner}_x"], columns[f"p_WC_{corner}_y"])
        if friction is None:
            return None
        law = grip.tires.laws[i]
        tire = TireFile(grip.tires.shared[i : i + 1], law, grip.tires.own[law.name][i : i + 1])
        share, side = _used(tire, columns, corner, friction)
        used.append(share)
        weights.append(side)
    axles: dict[str, NDArray] = {}
    names = list(dict.fromkeys(corner[0] for corner in grip.corners))
    for n, name in enumerate(names):
        on = [i for i, corner in enumerate(grip.corners) if corner[0] == name]
        total = np.maximum(sum(weights[i] for i in on), 1e-9)
        word = "front" if n == 0 else "rear" if n == len(names) - 1 else f"{n + 1}."
        axles[word] = sum(weights[i] * used[i] for i in on) / total
    loads = np.min([columns[f"F_C_{corner}_z"] for corner in grip.corners], axis=0)
    rate = np.gradient(columns["steering_wheel_angle"], columns["time"])
    return Usage(columns["time"], axles, loads, rate, columns["steering"])


def _friction(ground: Ground, x: NDArray, y: NDArray) -> NDArray | None:
    """Return the friction coefficient at points (m, in W), rounded to FRICTION_STEP; None if one of them is on soil."""
    from simulator.base.records import record
    from terrain.ground import soil_under
    from terrain.soil import SOIL

    under, out = record(SOIL), np.empty(len(x))
    for n in range(len(x)):
        soil_under(ground.p, ground.hardness, ground.soil_ids, ground.soils, x[n], y[n], under)
        if under[0]["hardness"] < HARD_FRACTION:
            return None
        out[n] = under[0]["friction"]
    return np.maximum(np.round(out / FRICTION_STEP), 1.0) * FRICTION_STEP


def _used(tire: TireFile, columns: Mapping[str, NDArray], corner: str, friction: NDArray) -> tuple[NDArray, NDArray]:
    """Return the fraction of its grip that a wheel uses (n,) and its highest side force (n,) [N]."""
    along, across, load = (columns[f"F_C_{corner}_{axis}"] for axis in "xyz")
    load = np.clip(load, 0.0, float(tire.shared[0]["load_max"]))
    slip, tangent = np.abs(columns[f"slip_ratio_{corner}"]), np.abs(np.tan(columns[f"slip_angle_{corner}"]))
    most = np.empty((4, len(load)))
    loads = LOADS * max(float(load.max()), LIFTED)
    for one in np.unique(friction):
        at = friction == one
        table = _peaks(tire, loads, float(one))
        for row in range(2):  # the forces vanish with the load
            most[row, at] = np.interp(load[at], np.concatenate(([0.0], loads)), np.concatenate(([0.0], table[row])))
        for row in (2, 3):
            most[row, at] = np.interp(load[at], loads, table[row])
    carried = load > LIFTED
    force = np.hypot(along / np.maximum(most[0], 1e-9), across / np.maximum(most[1], 1e-9))
    beyond = np.hypot(slip / most[2], tangent / most[3]) >= 1.0
    return np.where(carried, np.where(beyond, np.maximum(force, 1.0), force), 0.0), np.where(carried, most[1], 0.0)


def _peaks(tire: TireFile, loads: NDArray, friction: float) -> NDArray:
    """Return the highest traction and side force (N) and the slip and tangent of the slip angle there: (4, loads)."""
    from vehicles.tires.steady_state import SPEED, steady_at

    load, slip = np.repeat(loads, len(SLIPS)), np.tile(SLIPS, len(loads))
    fixed: dict[str, Any] = {"load": load, "v_x": SPEED, "camber": 0.0, "friction": friction}
    driven = steady_at(tire, {**fixed, "tread": SPEED * (1.0 + slip), "v_y": 0.0})[:, 0].reshape(len(loads), -1)
    turned = [steady_at(tire, {**fixed, "tread": SPEED, "v_y": sign * SPEED * slip})[:, 1] for sign in (1.0, -1.0)]
    side = 0.5 * np.abs(turned[1] - turned[0]).reshape(len(loads), -1)
    return np.array([driven.max(axis=1), side.max(axis=1), SLIPS[driven.argmax(axis=1)], SLIPS[side.argmax(axis=1)]])


def limit_of_course(
    course: tuple[Sequence[Gate], Body], telemetry: Mapping[str, NDArray], results: Sequence[GateResult], track: Track, grip: Grip | None
) -> tuple[dict[str, float], str]:
    """Return the metrics of the grip used on a course, and the sentence on the limit of a run that failed ("": clean or unknown).

    course : gates, and outline of the body
    results : of the gates
    """
    gates, body = course
    usage = None if grip is None else usage_of(grip, telemetry, course_rows(gates, body, track))
    if usage is None:
        return dict(NO_VALUES), ""
    failed = first_failure(gates, results, body, track)
    return usage_metrics(usage), "" if failed is None else limit_of(usage, float(telemetry["time"][failed]))


def course_rows(gates: Sequence[Gate], body: Body, track: Track) -> slice:
    """Return the rows from the front of the body in the first gate to its rear at the end of the last one."""
    x = outline(body, track)[0]
    inside = np.flatnonzero((x.max(axis=1) >= gates[0].start) & (x.min(axis=1) <= max(gate.end for gate in gates)))
    return slice(int(inside[0]), int(inside[-1]) + 1) if inside.size else slice(0, 0)


def first_failure(gates: Sequence[Gate], results: Sequence[GateResult], body: Body, track: Track) -> int | None:
    """Return the row of the first failure: the body is outside the limits of a gate, or its front at the end of a gate that it fails
    otherwise; the last row if the vehicle does not get there; None if all gates are clean."""
    x, y = outline(body, track)
    rows = []
    for gate in (gate for gate, result in zip(gates, results, strict=True) if not result.clean):
        half = 0.5 * gate.width
        inside = (x >= gate.start - CONE_RADIUS) & (x <= gate.end + CONE_RADIUS)
        outside = (inside & (np.abs(y - gate.center) > half)).any(axis=1)
        failures = np.flatnonzero(outside | (x.max(axis=1) >= gate.end))
        rows.append(int(failures[0]) if failures.size else len(x) - 1)
    return min(rows, default=None)


def _time_at_limit(usage: Usage, used: NDArray) -> float:
    """Return the time [s] in which a used fraction is above AT_LIMIT."""
    return float((used > AT_LIMIT).sum()) * float(usage.time[-1] - usage.time[0]) / (len(usage.time) - 1)


def usage_metrics(usage: Usage) -> dict[str, float]:
    """Return the metrics of the grip used on a course."""
    return {
        "grip_used_front": float(usage.axles["front"].max()),
        "grip_used_rear": float(usage.axles.get("rear", usage.axles["front"]).max()),
        "grip_limit_time": max(_time_at_limit(usage, used) for used in usage.axles.values()),
        "steering_wheel_rate_max": float(np.abs(usage.steering_rate).max()),
    }


def limit_of(usage: Usage, failed: float) -> str:
    """Return the sentence that tells whether the car or the driver limited a run; `failed` is the time [s] of the first failure."""
    before: Callable[[NDArray], NDArray] = lambda values: values[: max(2, int(np.searchsorted(usage.time, failed)) + 1)]  # noqa: E731
    early = Usage(before(usage.time), {name: before(used) for name, used in usage.axles.items()}, *map(before, usage[2:]))
    longest = max(early.axles, key=lambda name: (_time_at_limit(early, early.axles[name]), float(early.axles[name].max())))
    used, time = 100.0 * float(early.axles[longest].max()), _time_at_limit(early, early.axles[longest])
    rate, input_ = np.degrees(np.abs(early.steering_rate).max()), 100.0 * np.abs(early.steering).max()
    hands = f"; steering wheel at most {rate:.0f} deg/s and {input_:.0f} % of its travel"
    if float(early.load.min()) <= LIFTED:
        return (
            f"the car was the limit: a wheel lifted before the first failed gate; the {longest} axle used {used:.0f} % of its grip{hands}"
        )
    if time >= LIMIT_TIME:
        share = f"used {used:.0f} % of its grip, more than 95 % for {time:.2g} s"
        return f"the car was the limit: before the first failed gate the {longest} axle {share}{hands}"
    brief = f", more than 95 % for only {time:.2g} s" if time > 0.0 else ""
    return f"the driver model was the limit: before the first failed gate the axles used at most {used:.0f} % of their grip{brief}{hands}"
