"""Plots over time: figures 11 to 14 of Jain et al. 2013 (lane change of the HMMWV in ROAMS) and longitudinal quantities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.maneuvers.analyses.contract import Curve
from simulator.maneuvers.plots.axes import LEGEND, RIGHT, SECOND_AXIS, in_g, keyed, line, note, second_axis, time_panels
from simulator.maneuvers.plots.contract import Plot, Run
from simulator.maneuvers.plots.quantities import FILTERED, QUANTITIES
from simulator.report.plot_style import AMBER, BLUE, QUIET

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDE = RIGHT + SECOND_AXIS


def _speed(figure: Figure, run: Run) -> None:
    (axes,) = time_panels(figure, run, "speed", ["forward speed [m/s]"], right=WIDE)
    speed = run.column("v_WB_B_x")
    line(axes, run.time, speed, BLUE)
    axes.set_ylim(bottom=min(0.0, float(speed.min())))
    second_axis(axes, 3.6, "[km/h]")


def _attitude(figure: Figure, run: Run) -> None:
    rows = time_panels(figure, run, "roll, pitch, yaw", [f"{name} [deg]" for name in ("roll", "pitch", "yaw")])
    for axes, name in zip(rows, ("roll", "pitch", "yaw"), strict=True):
        line(axes, run.time, np.degrees(run.column(name)), BLUE)
        axes.text(0.995, 0.97, QUANTITIES[name].sign, transform=axes.transAxes, ha="right", va="top", color=QUIET, fontsize=9)


def _lateral_acceleration(figure: Figure, run: Run) -> None:
    (axes,) = time_panels(
        figure, run, "lateral acceleration", [f"{QUANTITIES['lateral_acceleration'].words} [m/s²]"], right=WIDE, above=LEGEND
    )
    line(axes, run.time, run.column("a_WG_B_y"), QUIET, "as computed", linewidth=0.8)
    line(axes, run.time, run.smooth("a_WG_B_y"), BLUE, FILTERED)
    in_g(axes)
    keyed(axes, second=True)


def _yaw_rate(figure: Figure, run: Run) -> None:
    (axes,) = time_panels(figure, run, "yaw rate", [f"{QUANTITIES['yaw_rate'].words} [deg/s]"])
    line(axes, run.time, np.degrees(run.column("w_WB_B_z")), BLUE)


def _longitudinal(figure: Figure, run: Run) -> None:
    labels = ["speed [km/h]", "acceleration [m/s²]", "distance [m]"]
    forward, way = run.column("a_WG_B_x"), np.hypot(np.diff(run.column("x")), np.diff(run.column("y")))
    upper, middle, lower = time_panels(figure, run, "longitudinal", labels, right=WIDE)
    line(upper, run.time, 3.6 * run.column("v_WB_B_x"), BLUE)
    line(middle, run.time, forward, QUIET, linewidth=0.8)
    line(middle, run.time, run.smooth("a_WG_B_x"), BLUE)
    in_g(middle)
    note(middle, f"+ = forward, blue: {FILTERED}")
    line(lower, run.time, np.concatenate(([0.0], np.cumsum(way))), BLUE)


def _ride(figure: Figure, run: Run) -> None:
    """Draw the vertical acceleration at the driver's head and each curve over time with `weighted` in its name."""
    unweighted, weighted = QUANTITIES["head"].of(run)[""], weighted_curves(run)
    (axes,) = time_panels(figure, run, "ride", ["vertical acceleration at the head [m/s²]"], right=WIDE, above=LEGEND)
    label = "unweighted, minus gravity" + ("" if weighted else " (no weighted curve from the analyses of this maneuver)")
    line(axes, run.time, unweighted, QUIET if weighted else BLUE, label, linewidth=0.8)
    for color, (name, curve) in zip((BLUE, AMBER), weighted.items(), strict=False):
        line(axes, curve.x, curve.y, color, name.replace("_", " "))
    in_g(axes)
    keyed(axes, second=True)


def weighted_curves(run: Run) -> dict[str, Curve]:
    """Return the accelerations over time with `weighted` in their names."""
    return {name: curve for name, curve in run.curves.items() if "weighted" in name and (curve.x_unit, curve.y_unit) == ("s", "m/s2")}


PLOTS = (
    Plot("speed", "forward speed over time", _speed),
    Plot("attitude", "roll, pitch and yaw over time", _attitude, size=(9.0, 7.0)),
    Plot("lateral_acceleration", "lateral acceleration of the center of mass over time, as computed and filtered", _lateral_acceleration),
    Plot("yaw_rate", "yaw rate over time", _yaw_rate),
    Plot("longitudinal", "speed, longitudinal acceleration and distance over time", _longitudinal, "", ("a_WG_B_x",), (9.0, 7.0)),
    Plot("ride", "vertical acceleration at the driver's head, and weighted if an analysis provides it", _ride, "", ("f_H_B_z",)),
)
