"""Plots of the driver inputs: steering wheel, pedals and gear."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simulator.maneuvers.plots.axes import LEGEND, keyed, line, name_axes, over_time, panels, time_panels
from simulator.maneuvers.plots.contract import Plot, Run
from simulator.report.plot_style import AMBER, BLUE, MOST_POINTS, RED

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _hand_wheel(figure: Figure, run: Run) -> None:
    """Draw angle, rate and torque over time, and the torque over the angle next to them."""
    angle, torque = np.degrees(run.column("steering_wheel_angle")), run.column("steering_wheel_torque")
    rate = np.gradient(np.degrees(run.smooth("steering_wheel_angle")), run.time)
    grid = panels(figure, f"{run.maneuver.title}: steering wheel", 3, 2, share=False)
    left = grid[:, 0].tolist()
    for axes in left[:-1]:
        axes.sharex(left[-1])
    over_time(left, run, ["angle [deg]", "rate [deg/s]", "torque [N m]"])
    for axes, values in zip(left, (angle, rate, torque), strict=True):
        line(axes, run.time, values, BLUE)
    for axes in grid[:2, 1]:
        axes.remove()
    loop = grid[2, 1]
    loop.set_subplotspec(grid[0, 0].get_gridspec()[:, 1])
    loop.plot(angle[:: -(-len(angle) // MOST_POINTS)], torque[:: -(-len(torque) // MOST_POINTS)], color=BLUE, linewidth=1.0)
    name_axes(loop, "steering-wheel angle, + = left [deg]", "torque, + = left [N m]")


def _pedals(figure: Figure, run: Run) -> None:
    throttle, brake = 100.0 * run.column("throttle"), 100.0 * run.column("brake")
    gear, speed = run.column("gear"), run.column("engine_speed") * (30.0 / math.pi)
    pedals, gears, engine = time_panels(figure, run, "pedals and gear", ["pedals [%]", "gear", "engine [1/min]"], above=LEGEND)
    line(pedals, run.time, throttle, BLUE, "throttle")
    line(pedals, run.time, brake, RED, "brake")
    pedals.set_ylim(-5.0, 105.0)
    keyed(pedals, second=True)
    line(gears, run.time, gear, AMBER, drawstyle="steps-post")
    gears.set_ylim(min(-1.0, float(gear.min())) - 0.5, max(1.0, float(gear.max())) + 0.5)
    gears.locator_params(axis="y", integer=True)
    line(engine, run.time, speed, BLUE)
    engine.set_ylim(bottom=0.0)


PLOTS = (
    Plot(
        "hand_wheel",
        "angle, rate and torque of the steering wheel over time, and torque over angle",
        _hand_wheel,
        "",
        ("steering_wheel_angle", "steering_wheel_torque"),
        (9.0, 6.0),
    ),
    Plot(
        "pedals", "throttle, brake, gear and engine speed over time", _pedals, "", ("throttle", "brake", "gear", "engine_speed"), (9.0, 6.0)
    ),
)
