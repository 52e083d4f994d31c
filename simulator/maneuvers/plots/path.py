"""Plots of the driven path from above: a course, lane changes, or the complete path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.driver.path import Path
from simulator.maneuvers.cone_course import Gate, Track, outline, touched_cones
from simulator.maneuvers.path_projection import points_at, stations_of
from simulator.maneuvers.plots.axes import LEGEND_ALONE, keyed, name_axes, note, panels
from simulator.maneuvers.plots.contract import EmptyPlotError, Plot, Run
from simulator.report.plot_style import AMBER, BLUE, INK, MOST_POINTS, QUIET, RED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARGIN = 25.0
"""Distance [m] shown before and after a course or a lane change."""
OUTLINES = 5.0
"""Distance [m] between two outlines of the body."""
MOST_PANELS = 4
"""Maximum number of lane changes in a plot, for readability."""
STRIP, MIN_STRIP, WIDTH = 1.5, 0.35, 7.8
"""Maximum and minimum height of the true-scale strip below a course, and its width [in]."""
PLAN_MARGIN = 1.5
"""Margin [m] between the course with the driven path and the edge of the plot."""


def _path(figure: Figure, run: Run) -> None:
    if run.maneuver.gates:
        _course(figure, run)
    elif run.path is not None and run.path.lane_changes:
        _lane_changes(figure, run, run.path)
    else:
        _map(figure, run)


def _map(figure: Figure, run: Run) -> None:
    """Draw the complete path."""
    figure.set_size_inches(9.0, 7.0)
    axes = panels(figure, f"{run.maneuver.title}: path", above=LEGEND_ALONE)[0, 0]
    x, y = run.columns["x"], run.columns["y"]
    axes.plot(*(column[:: -(-len(x) // MOST_POINTS)] for column in (x, y)), color=BLUE, label="driven (reference point)")
    if run.path is not None:
        _plot_path(axes, run.path, 0.0, run.path.find(float(x[-1]), float(y[-1])))
    axes.set_aspect("equal", adjustable="datalim")
    name_axes(axes, "ahead of the start [m]", "left of the start [m]")
    keyed(axes)


def _course(figure: Figure, run: Run) -> None:
    """Draw gates, cones and the swept area, stretched laterally, and below it in true scale."""
    gates = run.maneuver.gates
    if not gates:
        raise EmptyPlotError("the maneuver has no course")
    track, first, last = near_course(run)
    corners = outline(run.maneuver.body, track)
    sides = [gate.center + side * gate.width for gate in gates for side in (0.5, -0.5)]
    low, high = (float(pick([*sides, *corners[1].ravel()])) for pick in (min, max))
    strip = min(STRIP, max(MIN_STRIP, (high - low + 2.0 * PLAN_MARGIN) * WIDTH / (last - first)))
    figure.set_size_inches(9.0, 4.8 + strip)
    plan, true = panels(
        figure, f"{run.maneuver.title}: path and gates", 2, heights=(3.0 / strip, 1.0), above=LEGEND_ALONE, between=0.75, below=0.2
    )[:, 0]
    hit = touched_cones(gates, run.maneuver.body, Track(*(run.columns[name] for name in ("x", "y", "yaw", "v_WB_B_x"))))
    for axes in (plan, true):
        _draw_swept(axes, corners, track)
        _draw_gates(axes, gates, hit, small=axes is true)
    _label_margins(plan, gates, run.metrics.get("gates", ()), high)
    _draw_legend(plan, run, touched=any(one.any() for one in hit), first=first, last=last)
    plan.set(xlim=(first, last), ylim=(low - 0.7, high + 0.17 * (high - low) + 0.3))
    plan.tick_params(labelbottom=True)
    name_axes(plan, "ahead of the start [m]", "left of the start [m] (stretched)")
    true.set(ylim=(low - PLAN_MARGIN, high + PLAN_MARGIN), yticks=[])
    true.tick_params(labelbottom=False, bottom=False)
    true.set_aspect("equal", adjustable="box")
    true.grid(visible=False)
    true.spines[:].set_visible(False)
    note(true, "course in true scale")


def near_course(run: Run) -> tuple[Track, float, float]:
    """Return (poses within MARGIN of the gates, first x, last x)."""
    gates = run.maneuver.gates
    first, last = min(gate.start for gate in gates) - MARGIN, max(gate.end for gate in gates) + MARGIN
    near = (run.columns["x"] >= first) & (run.columns["x"] <= last)
    return Track(*(run.columns[name][near] for name in ("x", "y", "yaw", "v_WB_B_x"))), first, last


def _draw_swept(axes: Axes, corners: tuple[NDArray, NDArray], track: Track) -> None:
    """Draw outlines of the body every few meters and the lines of its corners and of its reference point."""
    from matplotlib.collections import PolyCollection

    corners_x, corners_y = corners
    rows = np.flatnonzero(np.diff(np.floor(track.x / OUTLINES), prepend=np.inf))
    outlines = np.stack((corners_x[rows], corners_y[rows]), axis=-1)
    axes.add_collection(PolyCollection(list(outlines), facecolors=BLUE, alpha=0.10, edgecolors="none"), autolim=False)
    thin = slice(None, None, -(-max(1, len(track.x)) // MOST_POINTS))
    axes.plot(corners_x[thin], corners_y[thin], color=QUIET, linewidth=0.8)
    axes.plot(track.x[thin], track.y[thin], color=BLUE, linewidth=1.4)


def _draw_gates(axes: Axes, gates: Sequence[Gate], hit: Sequence[NDArray[np.bool_]], *, small: bool) -> None:
    """Draw lane limits and cones: circles for untouched cones, crosses for touched cones."""
    for gate in gates:
        for side in (0.5, -0.5):
            axes.plot([gate.start, gate.end], [gate.center + side * gate.width] * 2, color=AMBER, linewidth=1.0)
    cones, touched = np.concatenate([gate.cones() for gate in gates]), np.concatenate(hit)
    axes.plot(*cones[~touched].T, "o", color=AMBER, markersize=2 if small else 5, linestyle="none")
    axes.plot(
        *cones[touched].T, "X", color=RED, markersize=4 if small else 9, linestyle="none", markeredgecolor="white", markeredgewidth=0.6
    )


def _label_margins(axes: Axes, gates: Sequence[Gate], results: Sequence[Mapping[str, Any]], high: float) -> None:
    """Write the remaining margin above each gate."""
    for gate, result in zip(gates, results, strict=False):
        text, good = margin_words(result, between="\n")
        axes.text(
            0.5 * (gate.start + gate.end),
            high + 0.25,
            text,
            ha="center",
            va="bottom",
            fontsize=9,
            color=INK if good else RED,
        )


def margin_words(gate: Mapping[str, Any], between: str = ", ") -> tuple[str, bool]:
    """Return (text with the margin and the touched cones of a gate, False if the gate was failed)."""
    margin, cones = gate["margin_m"], gate["cones_hit"]
    text = "not reached" if margin is None else f"{margin:.2f} m" if margin >= 0.0 else f"{-margin:.2f} m outside"
    return f"{text}{between}{cones} touched" if cones else text, margin is None or (margin >= 0.0 and not cones)


def _draw_legend(axes: Axes, run: Run, *, touched: bool, first: float, last: float) -> None:
    """Draw the planned path and the legend."""
    axes.plot([], [], color=BLUE, linewidth=1.4, label="reference point")
    if run.path is not None:
        _plot_path(axes, run.path, first, last)
    axes.plot([], [], color=QUIET, linewidth=0.8, label=f"corners of the body, outline every {OUTLINES:g} m")
    axes.plot([], [], "o-", color=AMBER, markersize=5, linewidth=1.0, label="lane limits, cones")
    if touched:
        axes.plot([], [], "X", color=RED, markersize=8, markeredgecolor="white", linestyle="none", label="touched")
    keyed(axes, 5)


def _lane_changes(figure: Figure, run: Run, path: Path) -> None:
    """Draw a panel for each of the first lane changes: offset from the line without lane changes over the station."""
    changes = path.lane_changes[:MOST_PANELS]
    figure.set_size_inches(9.0, max(4.5, 1.6 + 2.5 * len(changes)))
    rows = panels(figure, f"{run.maneuver.title}: path", len(changes), above=LEGEND_ALONE, between=0.5, share=False)[:, 0]
    for i, (axes, change) in enumerate(zip(rows, changed_lanes(run, path), strict=False)):
        axes.plot(change.stations, change.offsets, color=BLUE, label="driven (reference point)")
        axes.plot(change.asked, change.planned, color=RED, linestyle="--", linewidth=1.0, label="path")
        axes.set(xlim=(change.first, change.last), ylim=(float(change.planned.min()) - 1.0, float(change.planned.max()) + 1.0))
        name_axes(axes, y="left of the line [m]")
        note(axes, f"lane change {i + 1} of {len(path.lane_changes)}")
    name_axes(rows[-1], x="station on the path [m]")
    keyed(rows[0])


class ChangedLane(NamedTuple):
    """Driven lane change: distance [m] to the left of the line without lane changes, over the station [m] along it."""

    first: float
    last: float
    """Displayed range of stations."""
    stations: NDArray[np.float64]
    offsets: NDArray[np.float64]
    """Driven positions, (n,) each."""
    asked: NDArray[np.float64]
    planned: NDArray[np.float64]
    """Planned path, (m,) each."""


def changed_lanes(run: Run, path: Path) -> list[ChangedLane]:
    """Return every lane change of a path with the nearby driven positions."""
    straight = replace(path, lane_changes=())
    stations, offsets = stations_of(straight, run.columns["x"], run.columns["y"])
    found = []
    for change in path.lane_changes:
        first, last = change.start - MARGIN, change.start + change.length + 2.0 * MARGIN
        asked, near = np.arange(first, last, 0.5), (stations > first - MARGIN) & (stations < last + MARGIN)
        found.append(ChangedLane(first, last, stations[near], offsets[near], asked, _offsets_at(straight, path, asked)))
    return found


def _offsets_at(line: Path, path: Path, stations: NDArray) -> NDArray[np.float64]:
    """Return the distance [m] of a path to the left of its line without lane changes, at stations (n,)."""
    shifted, base = points_at(path, stations), points_at(line, stations)
    return np.cos(base.heading) * (shifted.y - base.y) - np.sin(base.heading) * (shifted.x - base.x)


def _plot_path(axes: Axes, path: Path, first: float, last: float) -> None:
    points = points_at(path, np.linspace(first, last, min(MOST_POINTS, max(2, int(last - first)))))
    axes.plot(points.x, points.y, color=RED, linestyle="--", linewidth=1.0, label="path")


PLOTS = (
    Plot("path", "driven path from above: the course, the lane changes, or the complete path", _path),
    Plot("course", "area swept by the body between the cones, touched cones, and margin in each gate", _course, "a course"),
)
