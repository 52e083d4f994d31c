"""Report plots of the driven path from above: a course, lane changes, or the complete path."""

from __future__ import annotations

import numpy as np

from simulator.driver.path import Path
from simulator.maneuvers.cone_course import Track, outline, touched_cones
from simulator.maneuvers.path_projection import points_at
from simulator.maneuvers.plots.contract import Run
from simulator.maneuvers.plots.path import MOST_PANELS, OUTLINES, changed_lanes, margin_words, near_course  # fmt: skip
from simulator.report.svg_plot import Axis, Curve, Label, Panel, Shape

AHEAD, LEFT = Axis("ahead of the start", "m"), Axis("left of the start", "m")
DRIVEN, PLANNED, CONE, TOUCHED, CORNER = 1, 2, 5, 2, 0
"""Color numbers."""
MAX_PLANNED = 4000
"""Maximum number of points of a path."""
WIDE_RATIO = 3.0
"""Ratio of length to width above which the map spans two panels."""


def course_figure(run: Run) -> tuple[list[Panel], str]:
    """Return (panels, caption)."""
    if run.maneuver.gates:
        caption = f"Outline of the body every {OUTLINES:g} m; labels show the margin in each gate. Lane limits have cones at both ends and in the middle."
        return _course(run), caption
    if run.path is not None and run.path.lane_changes:
        return _lane_changes(run, run.path), "Distance from the line of the path without lane changes."
    return [_map(run)], "View from above, in true scale."


def _map(run: Run) -> Panel:
    x, y = run.columns["x"], run.columns["y"]
    thin = slice(None, None, -(-len(x) // MAX_PLANNED))
    planned = [] if run.path is None else [_planned(run.path, 0.0, run.path.find(float(x[-1]), float(y[-1])))]
    driven = Curve("driven (reference point)", x[thin], y[thin], DRIVEN)
    long = float(np.ptp(x)) > WIDE_RATIO * float(np.ptp(y))
    return Panel("path", AHEAD, LEFT, [*planned, driven], equal=True, wide=long)


def _planned(path: Path, first: float, last: float) -> Curve:
    points = points_at(path, np.linspace(first, last, min(MAX_PLANNED, max(2, int(2.0 * (last - first))))))
    return Curve("path", points.x, points.y, PLANNED, "6 4")


def _course(run: Run) -> list[Panel]:
    """Return panels of the course stretched laterally and in true scale."""
    gates = run.maneuver.gates
    track, first, last = near_course(run)
    corners_x, corners_y = outline(run.maneuver.body, track)
    rows = np.flatnonzero(np.diff(np.floor(track.x / OUTLINES), prepend=np.inf))
    shapes = [Shape(corners_x[row], corners_y[row], DRIVEN) for row in rows.tolist()]
    sides = [(gate, gate.center + side * gate.width) for gate in gates for side in (0.5, -0.5)]
    hit = np.concatenate(touched_cones(gates, run.maneuver.body, Track(*(run.columns[name] for name in ("x", "y", "yaw", "v_WB_B_x")))))
    cones = np.concatenate([gate.cones() for gate in gates])
    curves = [Curve("corners of the body", x, y, CORNER, width=0.6) for x, y in zip(corners_x.T, corners_y.T, strict=True)]
    if run.path is not None:
        curves.append(_planned(run.path, max(0.0, first), last))
    curves.append(Curve("driven (reference point)", track.x, track.y, DRIVEN))
    curves += [Curve("lane limits", np.array([gate.start, gate.end]), np.array([side, side]), CONE) for gate, side in sides]
    curves.append(Curve("cones", cones[~hit, 0], cones[~hit, 1], CONE, points=True, line=False))
    if hit.any():
        curves.append(Curve("cones touched", cones[hit, 0], cones[hit, 1], TOUCHED, points=True, line=False))
    high = max(*corners_y.ravel().tolist(), *(side for _, side in sides))
    labels = []
    for gate, result in zip(gates, run.metrics.get("gates", ()), strict=False):
        text, good = margin_words(result)
        labels.append(Label(0.5 * (gate.start + gate.end), high + 0.5, text, bad=not good))
    x = Axis(AHEAD.label, "m", least=first, most=last)
    plan = Panel("stretched laterally", x, LEFT, curves, shapes=shapes, labels=labels, wide=True)
    return [plan, Panel("in true scale", x, LEFT, curves, shapes=shapes, equal=True, wide=True)]


def _lane_changes(run: Run, path: Path) -> list[Panel]:
    panels = []
    for n, change in enumerate(changed_lanes(run, path)[:MOST_PANELS], 1):
        title = f"lane change {n} of {len(path.lane_changes)}"
        curves = [
            Curve("path", change.asked, change.planned, PLANNED, "6 4"),
            Curve("driven (reference point)", change.stations, change.offsets, DRIVEN),
        ]
        along = Axis("station on the path", "m", least=change.first, most=change.last)
        panels.append(Panel(title, along, Axis("left of the line", "m"), curves, wide=len(path.lane_changes) == 1))
    return panels
