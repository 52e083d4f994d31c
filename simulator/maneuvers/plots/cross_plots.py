"""One number over another: the g-g diagram, the handling diagram and the answers of the vehicle over its hand wheel."""

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
"""g between two circles."""
SLOWEST = 3.0
"""m/s. Below it a turn has no lateral acceleration worth a diagram."""
STEADY_SIDE, STEADY_AHEAD = 1.0, 1.5
"""m/s3 and m/s2: a turn is steady while its lateral acceleration changes less and its speed too. Larger: transients smear the diagram.
Smaller: a slowly increasing steer (about 0.5 m/s3) would not count."""
LEAST_TIME = 1.0
"""s for which a turn must be steady."""
LEAST_SIDE = 0.5
"""m/s2 that a turn must reach."""


def _few(*columns: NDArray) -> list[NDArray]:
    """Columns (n,) with no more rows than can be seen."""
    return [column[:: -(-len(column) // MOST_POINTS)] for column in columns]


def _g_g(figure: Figure, run: Run) -> None:
    ahead, left = (run.smooth(name) / STANDARD_GRAVITY for name in ("a_WG_B_x", "a_WG_B_y"))
    axes = panels(figure, f"{run.maneuver.title}: g-g diagram", above=0.1)[0, 0]
    reach = float(np.hypot(ahead, left).max())
    rings = max(2, math.ceil(reach / RING + 0.25))
    angle = np.linspace(0.0, math.tau, 181)
    for n in range(1, rings + 1):
        axes.plot(n * RING * np.cos(angle), n * RING * np.sin(angle), color=QUIET, linewidth=0.8)
        aside = n * RING * math.sqrt(0.5)
        axes.text(-aside, aside, f" {n * RING:.1f} g", color=QUIET, fontsize=8.5, ha="left", va="bottom")
    axes.plot(*_few(left, ahead), color=BLUE, linewidth=1.2)
    axes.grid(visible=False)
    most = (rings + 0.45) * RING
    axes.set(xlim=(most, -most), ylim=(-most, most))
    axes.set_aspect("equal", adjustable="box")
    note(axes, FILTERED)
    name_axes(axes, "lateral acceleration, left is left [g]", "acceleration ahead [g]")


def _cross_plots(figure: Figure, run: Run) -> None:
    wheel = np.degrees(run.column("steering_wheel_angle"))
    answers = (
        ("yaw rate [deg/s]", np.degrees(run.smooth("w_WB_B_z"))),
        ("lateral acceleration [m/s²]", run.smooth("a_WG_B_y")),
        ("roll [deg]", np.degrees(run.column("roll"))),
    )
    for axes, (label, values) in zip(panels(figure, f"{run.maneuver.title}: over the hand wheel", 1, 3)[0], answers, strict=True):
        axes.plot(*_few(wheel, values), color=BLUE, linewidth=1.0)
        name_axes(axes, "hand-wheel angle [deg]", label)


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
    """Those that an analysis calls so, with their names."""
    return [(name, curve) for name, curve in run.curves.items() if "handling" in name.split("_") and len(curve.x) > 1]


def handling_of_columns(run: Run) -> tuple[NDArray, NDArray, float]:
    """Of the rows of steady turns (n,) the lateral acceleration in m/s2 and the mean angle of the wheels of the first axle less L r / v in
    rad; and the wheelbase L in m.

    Raises EmptyPlotError when there are none.
    """
    corners, place = run.corners("road_wheel_angle"), run.corners("p_BK", "_x")
    first = next(iter(corners))[:-1]
    angle = np.mean([column for corner, column in corners.items() if corner[:-1] == first], axis=0)
    xs = [float(column[0]) for column in place.values()]
    wheelbase = max(xs) - min(xs)
    speed, side = run.column("v_WB_B_x"), run.smooth("a_WG_B_y")
    steady = steady_turns(run.time, speed, side)
    beyond = angle - wheelbase * run.smooth("w_WB_B_z") / np.maximum(speed, SLOWEST)
    return side[steady], beyond[steady], wheelbase


def _handling_of_columns(axes: Axes, run: Run) -> None:
    side, beyond, wheelbase = handling_of_columns(run)
    axes.plot(*_few(side, np.degrees(beyond)), ".", color=BLUE, markersize=3, label="rows of steady turns")
    note(axes, f"kinematic angle: {wheelbase:.2f} m x yaw rate / speed")
    name_axes(axes, "lateral acceleration, + = left [m/s²]", "road-wheel angle less kinematic [deg]")


def steady_turns(time: NDArray, speed: NDArray, side: NDArray) -> NDArray[np.bool_]:
    """Rows (n,) in which a turn is steady, from time (s), forward speed (m/s) and filtered lateral acceleration (m/s2).

    Raises EmptyPlotError when there are none.
    """
    calm = (np.abs(np.gradient(side, time)) < STEADY_SIDE) & (np.abs(np.gradient(speed, time)) < STEADY_AHEAD) & (speed > SLOWEST)
    edges = np.flatnonzero(np.diff(calm, prepend=False, append=False))
    steady = np.zeros(len(time), bool)
    for begin, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        steady[begin:end] = time[end - 1] - time[begin] >= LEAST_TIME
    if not (np.abs(side[steady]) >= LEAST_SIDE).any():
        raise EmptyPlotError("no steady turn in this drive")
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
        "steering angle less the kinematic one over lateral acceleration",
        _handling,
        "curves of an analysis with `handling` in their names, or steady turns",
        ("road_wheel_angle", "p_BK"),
    ),
)
