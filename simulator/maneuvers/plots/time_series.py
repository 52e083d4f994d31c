"""Plots over time: of quantities, of the wheel loads and of the driver inputs, with the phases of the maneuver."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.path_length import path_length
from simulator.maneuvers.analyses import contract
from simulator.maneuvers.path_projection import stations_of
from simulator.maneuvers.plots.contract import PlotKind, Run
from simulator.maneuvers.plots.quantities import FILTERED, KILONEWTON, QUANTITIES, Quantity, wheels
from simulator.report.plot import AMBER, BLUE, GRAY, GREEN, RED, Axis, Band, Curve, Panel, Plot, Shade, style_of

TIME = Axis("time", "s")
WHEELS = {"FL": (BLUE, ""), "FR": (RED, ""), "RL": (GREEN, "6 3"), "RR": (AMBER, "6 3")}
"""Color and dash pattern of the usual wheels."""
SIDES = {"L": ("left", BLUE), "R": ("right", RED), "M": ("middle", BLUE)}
AXLES = {"F": "front", "R": "rear", "M": "middle"}
DISTANCE = Quantity("distance", "distance", "m", lambda run: {"": path_length(run.columns["x"], run.columns["y"])}, ())
STEERING_RATE = Quantity(
    "steering_rate", "steering-wheel rate", "rad/s", lambda run: {"": np.gradient(run.smooth("steering_wheel_angle"), run.time)}, ()
)

TIRES = tuple(
    Quantity(f"tire_{field}", title, unit, wheels(f"tire_{field}"), (f"tire_{field}",), "", shown)
    for field, title, unit, shown in (
        ("surface_temperature", "tread surface", "degC", None),
        ("carcass_temperature", "carcass", "degC", None),
        ("pressure", "inflation pressure", "Pa", ("kPa", 0.001)),
        ("friction_power", "friction power", "W", ("kW", 0.001)),
    )
)
"""Quantities of tires with temperatures."""


def panels_of(run: Run, name: str) -> list[Panel]:
    """Return the panels of a quantity over time. Raises EmptyPlotError if the run has no data for it."""
    special = {"path_error": _path_error, "wheel_loads": _wheel_loads}
    quantity = {"distance": DISTANCE, "steering_rate": STEERING_RATE}.get(name) or QUANTITIES.get(name)
    return special[name](run) if quantity is None or name in special else [_panel(run, quantity)]


def _panel(run: Run, quantity: Quantity) -> Panel:
    unit, factor = quantity.shown
    curves = [_curve(name, n, run.time, factor * values) for n, (name, values) in enumerate(quantity.of(run).items())]
    if quantity.name == "head":
        curves = [Curve("" if not weighted_curves(run) else "unweighted", run.time, curves[0].y, GRAY, width=0.8)]
        weighted = weighted_curves(run).items()
        curves += [Curve(name.replace("_", " "), one.x, one.y, *style_of(n)) for n, (name, one) in enumerate(weighted)]
    if quantity.steps:
        curves = [_stepped(curve) for curve in curves]
    least, most = (None, None) if quantity.limits is None else (factor * limit for limit in quantity.limits)
    if quantity.from_zero:
        least = min([0.0, *(float(np.nanmin(curve.y)) for curve in curves)])
    # the filtered curve is drawn last, on top
    curves = curves[::-1] if curves[0].name == FILTERED else curves
    axis = Axis(quantity.title, unit, least=least, most=most, second=quantity.second)
    return Panel(quantity.words, TIME, axis, curves, shades=phase_shades(run))


def _curve(name: str, n: int, time: NDArray[np.float64], values: NDArray[np.float64]) -> Curve:
    if name == "as computed":
        return Curve(name, time, values, GRAY, width=0.7)
    color, dash = WHEELS.get(name) or style_of(n)
    return Curve(name, time, values, color, dash)


def _stepped(curve: Curve) -> Curve:
    """Return a curve with a vertical line at each change, instead of an inclined one from the row before."""
    after = np.flatnonzero(np.diff(curve.y)) + 1
    rows = np.sort(np.concatenate(([0], after - 1, after, [len(curve.y) - 1])))
    times = curve.x[rows]
    times[1:-1:2] = curve.x[after]
    return replace(curve, x=times, y=curve.y[rows])


def _path_error(run: Run) -> list[Panel]:
    """Return the panel of the distance from the planned path; empty without a path."""
    if run.path is None:
        return []
    error = stations_of(run.path, run.columns["x"], run.columns["y"])[1]
    title = "distance from the path, + = left of the path"
    return [Panel(title, TIME, Axis("distance", "m"), [Curve("", run.time, error)], shades=phase_shades(run))]


def _wheel_loads(run: Run) -> list[Panel]:
    """Return a panel for each axle, all with one scale; a red band at the bottom marks lifted wheels."""
    unit, factor = KILONEWTON
    loads = {corner: factor * load for corner, load in run.corners("F_C", "_z").items()}
    highest = max(factor, *(float(load.max()) for load in loads.values()))
    panels = []
    for axle in dict.fromkeys(corner[:-1] for corner in loads):
        curves, bands = [], []
        for corner in (corner for corner in loads if corner[:-1] == axle):
            side, color = SIDES.get(corner[-1], (corner[-1], BLUE))
            curves.append(Curve(side, run.time, loads[corner], color))
            lifted = loads[corner] <= 0.0
            if lifted.any():
                lifted[1:] |= lifted[:-1]  # a single row has a width
                bands.append(Band("lifted wheel", run.time, np.where(lifted, -0.045 * highest, np.nan), np.zeros(len(lifted)), RED))
        scale = Axis(f"{AXLES.get(axle, axle)} axle", unit, least=-0.05 * highest, most=1.16 * highest)
        panels.append(Panel(f"wheel load, {AXLES.get(axle, axle)} axle", TIME, scale, curves, bands, shades=phase_shades(run)))
    return panels


def weighted_curves(run: Run) -> dict[str, contract.Curve]:
    """Return the accelerations over time with `weighted` in their names."""
    return {name: curve for name, curve in run.curves.items() if "weighted" in name and (curve.x_unit, curve.y_unit) == ("s", "m/s2")}


def phase_shades(run: Run) -> list[Shade]:
    """Return the phases of the maneuver, every second one dark; or the lane changes if it has no phases."""
    spans = phase_spans(run)
    if spans:
        return [Shade(begin, end, name, dark=n % 2 == 1) for n, (begin, end, name) in enumerate(spans)]
    changes = run.metrics.get("lane_changes", ())
    return [Shade(one["time_s"], one["end_time_s"], "lane change") for one in changes if one["end_time_s"] is not None]


def phase_spans(run: Run) -> list[tuple[float, float, str]]:
    """Return (begin [s], end [s], name) of each phase interval of a run; empty without phases."""
    if "phase" not in run.columns or not run.maneuver.phase_names:
        return []
    phase, names = np.asarray(run.columns["phase"]).astype(int), run.maneuver.phase_names
    edges = [0, *(np.flatnonzero(np.diff(phase)) + 1).tolist(), len(phase)]
    spans = []
    for first, last in pairwise(edges):
        number = int(phase[first])
        if 0 <= number < len(names):  # -1: before the first or after the last
            spans.append((float(run.time[first]), float(run.time[min(last, len(phase) - 1)]), names[number]))
    return spans


def _steering_wheel(run: Run) -> Plot:
    """Describe angle, rate and torque over time, and the torque over the angle."""
    over_time = [panel for name in ("steering_wheel", "steering_rate", "steering_torque") for panel in panels_of(run, name)]
    angle, torque = np.degrees(run.column("steering_wheel_angle")), run.column("steering_wheel_torque")
    loop = Panel(
        "torque over angle, + = left", Axis("steering-wheel angle", "deg"), Axis("steering-wheel torque", "N m"), [Curve("", angle, torque)]
    )
    return Plot("steering wheel", [*over_time, loop], columns=2)


def _over_time(name: str, meaning: str, title: str, quantities: tuple[str, ...], columns: tuple[str, ...] = ()) -> PlotKind:
    """Return the kind of a plot of quantities over time, which every report page shows."""
    return PlotKind(
        name, meaning, lambda run: Plot(title, [panel for one in quantities for panel in panels_of(run, one)]), "", columns, on_page=False
    )


PLOTS = (
    _over_time("speed", "forward speed over time", "speed", ("speed",)),
    _over_time("attitude", "roll, pitch and yaw over time", "roll, pitch, yaw", ("roll", "pitch", "yaw")),
    _over_time(
        "lateral_acceleration",
        "lateral acceleration of the center of mass over time, as computed and filtered",
        "lateral acceleration",
        ("lateral_acceleration",),
    ),
    _over_time("yaw_rate", "yaw rate over time", "yaw rate", ("yaw_rate",)),
    _over_time(
        "longitudinal",
        "speed, longitudinal acceleration and distance over time",
        "longitudinal",
        ("speed", "acceleration", "distance"),
        ("a_WG_B_x",),
    ),
    _over_time(
        "ride", "vertical acceleration at the driver's head, and weighted if an analysis provides it", "ride", ("head",), ("f_H_B_z",)
    ),
    _over_time("wheel_loads", "normal force of every wheel over time, lift-off marked", "wheel loads", ("wheel_loads",)),
    PlotKind(
        "hand_wheel",
        "angle, rate and torque of the steering wheel over time, and torque over angle",
        _steering_wheel,
        "",
        ("steering_wheel_angle", "steering_wheel_torque"),
    ),
    _over_time(
        "pedals",
        "throttle, brake, gear and engine speed over time",
        "pedals and gear",
        ("pedals", "gear", "engine"),
        ("throttle", "brake", "gear", "engine_speed"),
    ),
    PlotKind(
        "tires",
        "temperatures of tread and carcass, inflation pressure and friction power of every tire over time",
        lambda run: Plot("tires", [_panel(run, quantity) for quantity in TIRES]),
        "tires with `temperature`",
        tuple(column for quantity in TIRES for column in quantity.columns),
    ),
)
