"""Picture of a drive to a goal: obstacles and costs of all maps of the drive, the last plan, and the driven path."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.autonomy.contract import FREE, Goal, ObstacleMap, Plan
from simulator.autonomy.snapshot import codes
from simulator.view.map_view import COLORS, PALETTE, UNKNOWN

NAME = "obstacle_map.png"
CELLS = ("free", "costly", "obstacle", "unknown")
"""Kinds of cells in the legend."""
BORDER = 5.0
"""m. Width of the picture around free cells and path."""


def mosaic(maps: Sequence[ObstacleMap]) -> tuple[NDArray[np.uint8], tuple[float, float, float, float]]:
    """Return the colors (ny, nx, 3) of the area of all maps, and its x_min, x_max, y_min, y_max [m]. A later map covers an earlier one where it knows."""
    cell = maps[-1].cell
    corners = np.array([np.round(np.array(one.origin) / cell) for one in maps], int)
    sizes = np.array([one.shape[::-1] for one in maps])
    low, high = corners.min(axis=0), (corners + sizes).max(axis=0)
    out = np.full((high[1] - low[1], high[0] - low[0]), UNKNOWN, np.uint8)
    for one, corner in zip(maps, corners - low, strict=True):
        ny, nx = one.shape
        part = out[corner[1] : corner[1] + ny, corner[0] : corner[0] + nx]
        classes = codes(one)
        part[classes != UNKNOWN] = classes[classes != UNKNOWN]
    return PALETTE[out], (float(low[0] * cell), float(high[0] * cell), float(low[1] * cell), float(high[1] * cell))


def shown_area(maps: Sequence[ObstacleMap], points: NDArray[np.float64]) -> tuple[float, float, float, float]:
    """Return x_min, x_max, y_min, y_max [m] of the free cells of all maps and of points (n, 2), with a border."""
    corners = [points.min(axis=0), points.max(axis=0)]
    for one in maps:
        rows, columns = np.nonzero(one.state == FREE)
        if len(rows):
            cells = np.array([[columns.min(), rows.min()], [columns.max() + 1, rows.max() + 1]])
            corners += list(np.array(one.origin) + cells * one.cell)
    low, high = np.min(corners, axis=0) - BORDER, np.max(corners, axis=0) + BORDER
    return float(low[0]), float(high[0]), float(low[1]), float(high[1])


def write_map_picture(
    folder: Path, maps: Sequence[ObstacleMap], goal: Goal, plan: Plan | None, driven: NDArray[np.float64], title: str
) -> Path:
    """Write the picture into a folder and return its path; driven (n, 2) is the path of B [m]."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    colors, extent = mosaic(maps)
    shown = shown_area(maps, np.vstack((driven, (goal.x, goal.y))))
    figure = Figure(figsize=(8.0, min(max(8.0 * (shown[3] - shown[2]) / (shown[1] - shown[0]), 3.0), 12.0)), dpi=110, layout="constrained")
    axes: Any = figure.add_subplot()
    axes.imshow(colors, origin="lower", extent=extent, interpolation="nearest")
    if plan is not None:
        for one in plan.candidates:
            axes.plot(*one.T, color="tab:cyan", linewidth=0.5, label="considered" if one is plan.candidates[0] else None)
        axes.plot(*plan.points.T, color="tab:blue", linewidth=1.5, label="last plan")
    axes.plot(*driven.T, color="tab:red", linewidth=1.2, label="driven")
    angle = np.linspace(0.0, 2.0 * np.pi, 60)
    axes.plot(goal.x + goal.radius * np.cos(angle), goal.y + goal.radius * np.sin(angle), color="tab:green", linewidth=1.5, label="goal")
    axes.set(xlabel="x [m]", ylabel="y [m]", title=title, aspect="equal", xlim=shown[:2], ylim=shown[2:])
    cells = [Patch(color="#{:02x}{:02x}{:02x}".format(*COLORS[name]), label=name) for name in CELLS]
    figure.legend(handles=[*axes.get_legend_handles_labels()[0], *cells], loc="outside lower center", ncols=7, fontsize="small")
    path = folder / NAME
    figure.savefig(path)
    return path
