"""Plots of the driven path from above: a course, lane changes, or the complete path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.driver.path import Path
from simulator.maneuvers.cone_course import Track, outline, touched_cones
from simulator.maneuvers.path_projection import points_at, stations_of
from simulator.maneuvers.plots.contract import EmptyPlotError, PlotKind, Run
from simulator.report.plot import AMBER, GRAY, RED, Annotation, Axis, Curve, Panel, Plot, Shape

AHEAD, LEFT = Axis("ahead of the start", "m"), Axis("left of the start", "m")
DRIVEN = "driven (reference point)"
MARGIN = 25.0
"""Distance [m] shown before and after a course or a lane change."""
OUTLINES = 5.0
"""Distance [m] between two outlines of the body."""
MAX_PANELS = 4
"""Maximum number of lane changes in a plot, for readability."""
MAX_PLANNED = 4000
"""Maximum number of points of a path."""
WIDE_RATIO = 3.0
"""Ratio of length to width above which the map spans the width of the page."""


def _path(run: Run) -> Plot:
    if run.maneuver.gates:
        return _course(run)
    if run.path is not None and run.path.lane_changes:
        return _lane_changes(run, run.path)
    return _map(run)


def _map(run: Run) -> Plot:
    """Describe the complete path."""
    x, y = run.columns["x"], run.columns["y"]
    planned = [] if run.path is None else [_planned(run.path, 0.0, run.path.find(float(x[-1]), float(y[-1])))]
    panel = Panel("", AHEAD, LEFT, [*planned, Curve(DRIVEN, x, y)], equal=True, wide=float(np.ptp(x)) > WIDE_RATIO * float(np.ptp(y)))
    return Plot("path", [panel], caption="View from above, in true scale.")


def _course(run: Run) -> Plot:
    """Describe gates, cones and the swept area, stretched laterally, and in true scale."""
    gates = run.maneuver.gates
    if not gates:
        raise EmptyPlotError("the maneuver has no course")
    track, first, last = near_course(run)
    corners_x, corners_y = outline(run.maneuver.body, track)
    rows = np.flatnonzero(np.diff(np.floor(track.x / OUTLINES), prepend=np.inf))
    shapes = [Shape(corners_x[row], corners_y[row]) for row in rows.tolist()]
    hit = np.concatenate(touched_cones(gates, run.maneuver.body, Track(*(run.columns[name] for name in ("x", "y", "yaw", "v_WB_B_x")))))
    cones = np.concatenate([gate.cones() for gate in gates])
    sides = [(gate, gate.center + side * gate.width) for gate in gates for side in (0.5, -0.5)]
    curves = [Curve("corners of the body", x, y, GRAY, width=0.6) for x, y in zip(corners_x.T, corners_y.T, strict=True)]
    if run.path is not None:
        curves.append(_planned(run.path, max(0.0, first), last))
    curves.append(Curve(DRIVEN, track.x, track.y))
    curves += [Curve("lane limits", np.array([gate.start, gate.end]), np.array([side, side]), AMBER) for gate, side in sides]
    curves.append(Curve("cones", cones[~hit, 0], cones[~hit, 1], AMBER, points=True, line=False))
    if hit.any():
        curves.append(Curve("cones touched", cones[hit, 0], cones[hit, 1], RED, points=True, line=False))
    high = max(*corners_y.ravel().tolist(), *(side for _, side in sides))
    notes = []
    for gate, result in zip(gates, run.metrics.get("gates", ()), strict=False):
        text, good = margin_words(result)
        notes.append(Annotation(0.5 * (gate.start + gate.end), high + 0.5, text, bad=not good))
    x = replace(AHEAD, least=first, most=last)
    plan = Panel("stretched laterally", x, LEFT, curves, shapes=shapes, annotations=notes, wide=True)
    true = Panel("in true scale", x, LEFT, curves, shapes=shapes, equal=True, wide=True)
    caption = f"Outline of the body every {OUTLINES:g} m; labels show the margin in each gate. Lane limits have cones at both ends and in the middle."
    return Plot("path and gates", [plan, true], caption=caption)


def near_course(run: Run) -> tuple[Track, float, float]:
    """Return (poses within MARGIN of the gates, first x, last x)."""
    gates = run.maneuver.gates
    first, last = min(gate.start for gate in gates) - MARGIN, max(gate.end for gate in gates) + MARGIN
    near = (run.columns["x"] >= first) & (run.columns["x"] <= last)
    return Track(*(run.columns[name][near] for name in ("x", "y", "yaw", "v_WB_B_x"))), first, last


def margin_words(gate: Mapping[str, Any]) -> tuple[str, bool]:
    """Return (text with the margin and the touched cones of a gate, False if the gate was failed)."""
    margin, cones = gate["margin_m"], gate["cones_hit"]
    text = "not reached" if margin is None else f"{margin:.2f} m" if margin >= 0.0 else f"{-margin:.2f} m outside"
    return f"{text}, {cones} touched" if cones else text, margin is None or (margin >= 0.0 and not cones)


def _lane_changes(run: Run, path: Path) -> Plot:
    """Describe a panel for each of the first lane changes: distance from the line without lane changes, over the station."""
    panels = []
    for n, change in enumerate(changed_lanes(run, path)[:MAX_PANELS], 1):
        curves = [Curve("path", change.asked, change.planned, RED, "6 4"), Curve(DRIVEN, change.stations, change.offsets)]
        along = Axis("station on the path", "m", least=change.first, most=change.last)
        title = f"lane change {n} of {len(path.lane_changes)}"
        panels.append(Panel(title, along, Axis("left of the line", "m"), curves, wide=len(path.lane_changes) == 1))
    return Plot("path", panels, caption="Distance from the line of the path without lane changes.")


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


def _planned(path: Path, first: float, last: float) -> Curve:
    points = points_at(path, np.linspace(first, last, min(MAX_PLANNED, max(2, int(2.0 * (last - first))))))
    return Curve("path", points.x, points.y, RED, "6 4")


PLOTS = (
    PlotKind("path", "driven path from above: the course, the lane changes, or the complete path", _path, on_page=False),
    PlotKind(
        "course",
        "area swept by the body between the cones, touched cones, and margin in each gate",
        _course,
        "a course",
        on_page=False,
    ),
)
