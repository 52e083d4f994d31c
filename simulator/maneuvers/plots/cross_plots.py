"""Plots of one quantity over another: g-g diagram, handling diagram and vehicle response over the steering-wheel angle."""

from __future__ import annotations

import contextlib
import math

import numpy as np
from numpy.typing import NDArray

from simulator.base.constants import STANDARD_GRAVITY
from simulator.maneuvers.analyses import contract
from simulator.maneuvers.plots.analysis_curves import axes_of, curve_of
from simulator.maneuvers.plots.contract import EmptyPlotError, PlotKind, Run
from simulator.maneuvers.plots.quantities import FILTERED, QUANTITIES
from simulator.report.plot import GRAY, MAX_POINTS, Annotation, Axis, Curve, Panel, Plot, ReferenceLine

RING = 0.2
"""Distance between two circles [g]."""
SLOWEST = 3.0
"""Speed [m/s] below which the lateral acceleration of a turn is too small for a diagram."""
MAX_LATERAL_CHANGE, MAX_SPEED_CHANGE = 1.0, 1.5
"""Limits [m/s3, m/s2] of the change of lateral acceleration and speed in a steady turn. Larger limits: transients smear the diagram.
Smaller limits: a slowly increasing steer (about 0.5 m/s3) would not count."""
MIN_TIME = 1.0
"""Minimum duration [s] of a steady turn."""
MIN_LATERAL = 0.5
"""Minimum lateral acceleration [m/s2] of a steady turn."""
OVER = ("steering_wheel", "sideslip", "roll", "yaw_rate")
"""Quantities shown over lateral acceleration."""
ACROSS = Axis(QUANTITIES["lateral_acceleration"].words, "m/s²")
STEADY = "Rows of steady turns only: lateral acceleration and speed change little for at least a second."
MAX_DOTS = MAX_POINTS
"""Maximum number of dots of a panel. Of more, the renderers would draw only the extremes."""


def _g_g(run: Run) -> Plot:
    ahead, right = run.smooth("a_WG_B_x") / STANDARD_GRAVITY, -run.smooth("a_WG_B_y") / STANDARD_GRAVITY
    rings = max(2, math.ceil(float(np.hypot(ahead, right).max()) / RING + 0.25))
    angle = np.linspace(0.0, math.tau, 181)
    curves, labels = [], []
    for n in range(1, rings + 1):
        curves.append(Curve("", n * RING * np.cos(angle), n * RING * np.sin(angle), GRAY, width=0.5))
        labels.append(Annotation(-n * RING * math.sqrt(0.5), n * RING * math.sqrt(0.5), f"{n * RING:.1f} g"))
    curves.append(Curve("", right, ahead, width=1.2))
    axes = Axis("lateral acceleration, + = right", "g"), Axis("forward acceleration", "g")
    return Plot("g-g diagram", [Panel("", *axes, curves, annotations=labels, equal=True)], caption=f"Filtered: {FILTERED}.")


def _cross_plots(run: Run) -> Plot:
    wheel = np.degrees(run.column("steering_wheel_angle"))
    responses = (
        (Axis("yaw rate", "deg/s"), np.degrees(run.smooth("w_WB_B_z"))),
        (Axis("lateral acceleration", "m/s²"), run.smooth("a_WG_B_y")),
        (Axis("roll", "deg"), np.degrees(run.column("roll"))),
    )
    across = Axis("steering-wheel angle", "deg")
    panels = [Panel(axis.label, across, axis, [Curve("", wheel, values, width=1.0)]) for axis, values in responses]
    return Plot("over the steering wheel", panels, columns=3)


def _steady_turns(run: Run) -> Plot:
    """Describe quantities over lateral acceleration in steady turns."""
    side = run.smooth("a_WG_B_y")
    rows = _thinned(np.flatnonzero(steady_turns(run.time, run.column("v_WB_B_x"), side)))
    panels = []
    for name in OVER:
        quantity = QUANTITIES[name]
        try:
            values = quantity.shown[1] * next(iter(quantity.of(run).values()))
        except EmptyPlotError:
            continue
        panels.append(Panel(quantity.words, ACROSS, Axis(quantity.title, quantity.shown[0]), [_dots(side[rows], values[rows])]))
    with contextlib.suppress(EmptyPlotError):
        panels.append(_handling_of_columns(run))
    return Plot("steady turns", panels, columns=2, caption=STEADY)


def _handling(run: Run) -> Plot:
    found = handling_curves(run)
    if not found:
        return Plot("handling diagram", [_handling_of_columns(run)], caption=STEADY)
    curves = [curve_of(curve, name.replace("_", " "), n, points=True) for n, (name, curve) in enumerate(found)]
    return Plot("handling diagram", [Panel("", *axes_of(found[-1][1]), curves, lines=[ReferenceLine(0.0)])])


def handling_curves(run: Run) -> list[tuple[str, contract.Curve]]:
    """Return the curves of the analyses with `handling` in their names, with these names."""
    return [(name, curve) for name, curve in run.curves.items() if "handling" in name.split("_") and len(curve.x) > 1]


def handling_of_columns(run: Run) -> tuple[NDArray, NDArray, float]:
    """Return for the rows of steady turns (n,) the lateral acceleration in m/s2 and the mean road-wheel angle of the first axle minus L r / v
    in rad; and the wheelbase L in m.

    Raises EmptyPlotError if there are no steady turns.
    """
    corners, wheel_positions = run.corners("road_wheel_angle"), run.corners("p_BK", "_x")
    first = next(iter(corners))[:-1]
    angle = np.mean([column for corner, column in corners.items() if corner[:-1] == first], axis=0)
    xs = [float(column[0]) for column in wheel_positions.values()]
    wheelbase = max(xs) - min(xs)
    speed, side = run.column("v_WB_B_x"), run.smooth("a_WG_B_y")
    steady = steady_turns(run.time, speed, side)
    beyond = angle - wheelbase * run.smooth("w_WB_B_z") / np.maximum(speed, SLOWEST)
    return side[steady], beyond[steady], wheelbase


def _handling_of_columns(run: Run) -> Panel:
    side, beyond, wheelbase = handling_of_columns(run)
    rows = _thinned(np.arange(len(side)))
    title = f"road-wheel angle - {wheelbase:.2f} m x yaw rate / speed"
    dots = _dots(side[rows], np.degrees(beyond[rows]))
    return Panel(title, ACROSS, Axis("angle difference", "deg"), [dots], lines=[ReferenceLine(0.0)])


def _dots(x: NDArray, y: NDArray) -> Curve:
    return Curve("", x, y, points=True, line=False)


def _thinned(rows: NDArray) -> NDArray:
    """Return at most MAX_DOTS row numbers."""
    return rows[:: max(1, -(-len(rows) // MAX_DOTS))]


def steady_turns(time: NDArray, speed: NDArray, side: NDArray) -> NDArray[np.bool_]:
    """Return a mask (n,) of rows in steady turns from time (s), forward speed (m/s) and filtered lateral acceleration (m/s2).

    Raises EmptyPlotError if there are no steady turns.
    """
    is_steady = (
        (np.abs(np.gradient(side, time)) < MAX_LATERAL_CHANGE) & (np.abs(np.gradient(speed, time)) < MAX_SPEED_CHANGE) & (speed > SLOWEST)
    )
    edges = np.flatnonzero(np.diff(is_steady, prepend=False, append=False))
    steady = np.zeros(len(time), bool)
    for begin, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        steady[begin:end] = time[end - 1] - time[begin] >= MIN_TIME
    if not (np.abs(side[steady]) >= MIN_LATERAL).any():
        raise EmptyPlotError("the run has no steady turn")
    return steady


PLOTS = (
    PlotKind("g_g", "longitudinal over lateral acceleration, filtered, with circles of 0.2 g", _g_g, "", ("a_WG_B_x",)),
    PlotKind(
        "cross_plots",
        "yaw rate, lateral acceleration and roll over the angle of the steering wheel",
        _cross_plots,
        "",
        ("steering_wheel_angle",),
    ),
    PlotKind(
        "handling",
        "steering angle minus kinematic angle over lateral acceleration",
        _handling,
        "curves of an analysis with `handling` in their names, or steady turns",
        ("road_wheel_angle", "p_BK"),
    ),
    PlotKind(
        "steady_turns",
        "steering wheel, sideslip, roll, yaw rate and angle difference over lateral acceleration in steady turns",
        _steady_turns,
        "steady turns",
        ("steering_wheel_angle", "v_WG_B", "road_wheel_angle", "p_BK"),
        on_page=False,
    ),
)
