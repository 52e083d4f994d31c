"""The report of a run: metrics.json and plots of speed, attitude, lateral acceleration, yaw rate and path.

The first four are figures 11 to 14 of Jain et al. 2013 (lane change of the HMMWV in ROAMS). Plots are in degrees, as people read them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.jsontext import json_text
from simulator.driver.path import Path, Spawn
from simulator.maneuvers.course import Track, outline
from simulator.maneuvers.maneuver import Maneuver
from simulator.maneuvers.metrics import Telemetry, filtered, follow, relative_run
from simulator.record.files import write_text
from simulator.record.style import AMBER, BLUE, MOST_POINTS, QUIET, RED, SHADE, thinned

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Run(NamedTuple):
    """What is drawn."""

    maneuver: Maneuver
    columns: Mapping[str, NDArray]
    path: Path | None
    metrics: Mapping[str, Any]


MARGIN = 25.0
"""m of way shown before and behind a course or a lane change."""
OUTLINES = 5.0
"""m between two outlines of the body."""
MOST_PANELS = 4
"""Lane changes drawn; more would not be readable."""


def write_report(
    folder: str | os.PathLike[str],
    maneuver: Maneuver,
    telemetry: Telemetry,
    metrics: Mapping[str, Any],
    *,
    machine: Mapping[str, Any] | None = None,
    spawn: Spawn | tuple[float, float, float] | None = None,
) -> list[FilePath]:
    """Write metrics.json and the plots into an existing folder.

    Parameters
    ----------
    metrics : from `evaluate`; goes under "result", the same for every run of the same file and seed
    machine : what depends on the machine (real-time factor, wall time ...), keys with units; goes under "machine"
    spawn : as for `evaluate`

    Returns
    -------
    the files written

    Raises
    ------
    OutputError : the folder cannot be written; no file is left half-written
    ConfigError : as `evaluate`
    """
    place = FilePath(folder)
    columns = relative_run(telemetry, spawn)
    path, _ = follow(maneuver, columns)
    run = Run(maneuver, columns, path, metrics)
    files = [write_metrics(place, metrics, machine)]
    for name, draw in (
        ("speed", _draw_speed),
        ("attitude", _draw_attitude),
        ("lateral_acceleration", _draw_lateral_acceleration),
        ("yaw_rate", _draw_yaw_rate),
        ("path", _draw_path),
    ):
        files.append(_save(place / f"{name}.png", draw, run))
    return files


def write_metrics(folder: str | os.PathLike[str], metrics: Mapping[str, Any], machine: Mapping[str, Any] | None = None) -> FilePath:
    """Write folder/metrics.json: {"result": metrics, "machine": machine}. Raises OutputError."""
    file = FilePath(folder) / "metrics.json"
    write_text(file, json_text({"result": metrics, "machine": machine or {}}, indent=2) + "\n")
    return file


def _save(file: FilePath, draw: Callable[[Figure, Run], None], run: Run) -> FilePath:
    from simulator.record.figures import new_figure, save_figure

    with new_figure((9.0, 4.5)) as figure:
        draw(figure, run)
    save_figure(file, figure)
    return file


def _draw_speed(figure: Figure, run: Run) -> None:
    axes = _time_axes(figure, run, f"{run.maneuver.title}: speed", "forward speed [m/s]")
    axes.plot(*thinned(run.columns["time"], run.columns["v_WB_B_x"]), color=BLUE)
    axes.set_ylim(bottom=min(0.0, float(run.columns["v_WB_B_x"].min())))
    right = axes.secondary_yaxis("right", functions=(lambda mps: np.multiply(mps, 3.6), lambda kph: np.divide(kph, 3.6)))
    right.set_ylabel("[km/h]")


def _draw_attitude(figure: Figure, run: Run) -> None:
    figure.set_size_inches(9.0, 7.0)
    rows = figure.subplots(3, 1, sharex=True)
    for axes, name, sign in zip(rows, ("roll", "pitch", "yaw"), ("+ = right side down", "+ = nose down", "+ = left"), strict=True):
        _shade_lane_changes(axes, run)
        axes.plot(*thinned(run.columns["time"], np.degrees(run.columns[name])), color=BLUE)
        axes.set_ylabel(f"{name} [deg]")
        axes.text(1.0, 1.02, sign, transform=axes.transAxes, ha="right", va="bottom", color=QUIET, fontsize=9)
    rows[0].set_title(f"{run.maneuver.title}: roll, pitch, yaw")
    rows[-1].set_xlabel("time [s]")
    rows[-1].set_xlim(0.0, float(run.columns["time"][-1]))


def _draw_lateral_acceleration(figure: Figure, run: Run) -> None:
    axes = _time_axes(figure, run, f"{run.maneuver.title}: lateral acceleration", "lateral acceleration, + = left [m/s²]")
    time = run.columns["time"]
    axes.plot(*thinned(time, run.columns["a_WB_B_y"]), color=QUIET, linewidth=0.8, label="as computed")
    axes.plot(*thinned(time, filtered(run.columns, "a_WB_B_y")), color=BLUE, label="6 Hz low pass, no delay")
    axes.legend(loc="best")


def _draw_yaw_rate(figure: Figure, run: Run) -> None:
    axes = _time_axes(figure, run, f"{run.maneuver.title}: yaw rate", "yaw rate, + = left [deg/s]")
    axes.plot(*thinned(run.columns["time"], np.degrees(run.columns["w_WB_B_z"])), color=BLUE)


def _draw_path(figure: Figure, run: Run) -> None:
    if run.maneuver.gates:
        _draw_course(figure, run)
    elif run.path is not None and run.path.lane_changes:
        _draw_lane_changes(figure, run, run.path)
    else:
        _draw_map(figure, run)


def _draw_map(figure: Figure, run: Run) -> None:
    """The whole way seen from above."""
    figure.set_size_inches(9.0, 7.0)
    axes = figure.subplots()
    x, y = run.columns["x"], run.columns["y"]
    axes.plot(*(column[:: -(-len(x) // MOST_POINTS)] for column in (x, y)), color=BLUE, label="driven (reference point)")
    if run.path is not None:
        _plot_path(axes, run.path, 0.0, run.path.find(float(x[-1]), float(y[-1])))
    axes.set_aspect("equal", adjustable="datalim")
    axes.set(title=f"{run.maneuver.title}: path", xlabel="ahead of the start [m]", ylabel="left of the start [m]")
    axes.legend(loc="best")


def _draw_course(figure: Figure, run: Run) -> None:
    """Gates, cones and what the body swept, stretched across."""
    axes = figure.subplots()
    gates = run.maneuver.gates
    first, last = gates[0].start - MARGIN, gates[-1].end + MARGIN
    near = (run.columns["x"] >= first) & (run.columns["x"] <= last)
    track = Track(*(run.columns[name][near] for name in ("x", "y", "yaw", "v_WB_B_x")))
    corners_x, corners_y = outline(run.maneuver.body, track)
    for i in np.flatnonzero(np.diff(np.floor(track.x / OUTLINES), prepend=np.inf)):
        axes.fill(corners_x[i], corners_y[i], facecolor=BLUE, alpha=0.10, edgecolor="none")
    axes.plot(corners_x, corners_y, color=QUIET, linewidth=0.8)
    for gate in gates:
        for side in (0.5, -0.5):
            axes.plot([gate.start, gate.end], [gate.center + side * gate.width] * 2, color=AMBER, linewidth=1.0)
        axes.plot(*gate.cones().T, "o", color=AMBER, markersize=5)
    axes.plot(track.x, track.y, color=BLUE, label="reference point")
    if run.path is not None:
        _plot_path(axes, run.path, first, last)
    axes.plot([], [], color=QUIET, linewidth=0.8, label=f"corners of the body, outline every {OUTLINES:g} m")
    axes.plot([], [], "o-", color=AMBER, markersize=5, linewidth=1.0, label="lane limits and cones")
    axes.set_xlim(first, last)
    low = min(gate.center - 0.5 * gate.width for gate in gates)
    high = max(gate.center + 0.5 * gate.width for gate in gates)
    axes.set_ylim(min(low, float(corners_y.min(initial=low))) - 0.7, max(high, float(corners_y.max(initial=high))) + 1.8)
    axes.set(title=f"{run.maneuver.title}: path and gates", xlabel="ahead of the start [m]", ylabel="left of the start [m] (stretched)")
    axes.legend(loc="upper center", ncols=4, fontsize=9)


def _draw_lane_changes(figure: Figure, run: Run, path: Path) -> None:
    """A panel for each of the first lane changes: offset from the line without lane changes, over the station."""
    changes = path.lane_changes[:MOST_PANELS]
    figure.set_size_inches(9.0, 1.2 + 2.6 * len(changes))
    panels = figure.subplots(len(changes), 1, squeeze=False)[:, 0]
    line = replace(path, lane_changes=())
    stations, offsets = (np.array(column) for column in _along(line, run.columns["x"], run.columns["y"]))
    for i, (axes, change) in enumerate(zip(panels, changes, strict=True)):
        first, last = change.start - MARGIN, change.start + change.length + 2.0 * MARGIN
        asked = np.arange(first, last, 0.5)
        planned = [line.offset_of(*path.at(station)[:2], station) for station in asked.tolist()]
        near = (stations > first - MARGIN) & (stations < last + MARGIN)
        axes.plot(stations[near], offsets[near], color=BLUE, label="driven (reference point)")
        axes.plot(asked, planned, color=RED, linestyle="--", linewidth=1.0, label="path")
        axes.set_xlim(first, last)
        axes.set_ylim(min(planned) - 1.0, max(planned) + 1.0)
        axes.set_ylabel("left of the line [m]")
        axes.set_title(f"{run.maneuver.title}: lane change {i + 1} of {len(path.lane_changes)}")
    panels[0].legend(loc="best")
    panels[-1].set_xlabel("station on the path [m]")


def _plot_path(axes: Axes, path: Path, first: float, last: float) -> None:
    points = np.array([path.at(station)[:2] for station in np.linspace(first, last, max(2, int(last - first)))])
    axes.plot(points[:, 0], points[:, 1], color=RED, linestyle="--", linewidth=1.0, label="path")


def _along(line: Path, x: NDArray, y: NDArray) -> tuple[list[float], list[float]]:
    """(stations, offsets) of points (n,) on a line."""
    stations, offsets = [], []
    station = line.find(float(x[0]), float(y[0]))
    for at_x, at_y in zip(x.tolist(), y.tolist(), strict=True):
        station = line.nearest(at_x, at_y, station)
        stations.append(station)
        offsets.append(line.offset_of(at_x, at_y, station))
    return stations, offsets


def _time_axes(figure: Figure, run: Run, title: str, label: str) -> Axes:
    axes = figure.subplots()
    if _shade_lane_changes(axes, run):
        axes.text(1.0, 1.02, "lane changes shaded", transform=axes.transAxes, ha="right", va="bottom", color=QUIET, fontsize=9)
    axes.set(title=title, xlabel="time [s]", ylabel=label)
    axes.set_xlim(0.0, float(run.columns["time"][-1]))
    return axes


def _shade_lane_changes(axes: Axes, run: Run) -> bool:
    """Grey band from the start of each lane change to its end; False when there is none."""
    spans = [(change["time_s"], change["end_time_s"]) for change in run.metrics["lane_changes"] if change["end_time_s"] is not None]
    for begin, end in spans:
        axes.axvspan(begin, end, color=SHADE, zorder=0)
    return bool(spans)
