"""Plots of one quantity over another: g-g diagram, handling diagram and vehicle response over the steering-wheel angle."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from simulator.base.constants import STANDARD_GRAVITY
from simulator.maneuvers.analyses.contract import Curve
from simulator.maneuvers.plots.axes import LEGEND_ALONE, keyed, name_axes, note, panels
from simulator.maneuvers.plots.contract import EmptyPlotError, Plot, Run
from simulator.maneuvers.plots.display_units import axis_words, factor_shown
from simulator.maneuvers.plots.quantities import FILTERED
from simulator.report.plot_style import BLUE, COLORS, MOST_POINTS, QUIET

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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


def _thinned(*columns: NDArray) -> list[NDArray]:
    """Return columns (n,) reduced to the visible number of rows."""
    return [column[:: -(-len(column) // MOST_POINTS)] for column in columns]


def _g_g(figure: Figure, run: Run) -> None:
    ahead, left = (run.smooth(name) / STANDARD_GRAVITY for name in ("a_WG_B_x", "a_WG_B_y"))
    axes = panels(figure, f"{run.maneuver.title}: g-g diagram", above=0.1)[0, 0]
    reach = float(np.hypot(ahead, left).max())
    rings = max(2, math.ceil(reach / RING + 0.25))
    angle = np.linspace(0.0, math.tau, 181)
    for n in range(1, rings + 1):
        axes.plot(n * RING * np.cos(angle), n * RING * np.sin(angle), color=QUIET, linewidth=0.8)
        offset = n * RING * math.sqrt(0.5)
        axes.text(-offset, offset, f" {n * RING:.1f} g", color=QUIET, fontsize=8.5, ha="left", va="bottom")
    axes.plot(*_thinned(left, ahead), color=BLUE, linewidth=1.2)
    axes.grid(visible=False)
    limit = (rings + 0.45) * RING
    axes.set(xlim=(limit, -limit), ylim=(-limit, limit))
    axes.set_aspect("equal", adjustable="box")
    note(axes, FILTERED)
    name_axes(axes, "lateral acceleration, plotted to the left if left [g]", "forward acceleration [g]")


def _cross_plots(figure: Figure, run: Run) -> None:
    wheel = np.degrees(run.column("steering_wheel_angle"))
    responses = (
        ("yaw rate [deg/s]", np.degrees(run.smooth("w_WB_B_z"))),
        ("lateral acceleration [m/s²]", run.smooth("a_WG_B_y")),
        ("roll [deg]", np.degrees(run.column("roll"))),
    )
    for axes, (label, values) in zip(panels(figure, f"{run.maneuver.title}: over the steering wheel", 1, 3)[0], responses, strict=True):
        axes.plot(*_thinned(wheel, values), color=BLUE, linewidth=1.0)
        name_axes(axes, "steering-wheel angle [deg]", label)


def _handling(figure: Figure, run: Run) -> None:
    axes = panels(figure, f"{run.maneuver.title}: handling diagram", above=LEGEND_ALONE)[0, 0]
    found = handling_curves(run)
    for color, (name, curve) in zip(COLORS, found, strict=False):
        x_factor, y_factor = factor_shown(curve.x_unit), factor_shown(curve.y_unit)
        axes.plot(x_factor * curve.x, y_factor * curve.y, color=color, marker=".", markersize=4, label=name.replace("_", " "))
        name_axes(axes, axis_words(curve.x_name, curve.x_unit), axis_words(curve.y_name, curve.y_unit))
    if not found:
        _handling_of_columns(axes, run)
    axes.axhline(0.0, color=QUIET, linewidth=0.8, zorder=1)
    keyed(axes)


def handling_curves(run: Run) -> list[tuple[str, Curve]]:
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


def _handling_of_columns(axes: Axes, run: Run) -> None:
    side, beyond, wheelbase = handling_of_columns(run)
    axes.plot(*_thinned(side, np.degrees(beyond)), ".", color=BLUE, markersize=3, label="rows of steady turns")
    note(axes, f"kinematic angle: {wheelbase:.2f} m x yaw rate / speed")
    name_axes(axes, "lateral acceleration, + = left [m/s²]", "road-wheel angle minus kinematic angle [deg]")


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
    Plot("g_g", "longitudinal over lateral acceleration, filtered, with circles of 0.2 g", _g_g, "", ("a_WG_B_x",), (6.5, 6.5)),
    Plot(
        "cross_plots",
        "yaw rate, lateral acceleration and roll over the angle of the steering wheel",
        _cross_plots,
        "",
        ("steering_wheel_angle",),
    ),
    Plot(
        "handling",
        "steering angle minus kinematic angle over lateral acceleration",
        _handling,
        "curves of an analysis with `handling` in their names, or steady turns",
        ("road_wheel_angle", "p_BK"),
    ),
)
