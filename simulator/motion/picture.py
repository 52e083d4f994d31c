"""Picture of a hexapod and of what its legs did: one PNG file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import OutputError
from simulator.base.records import Record
from washout.platform import joint_positions

POSE_LABELS = ("surge", "sway", "heave", "roll", "pitch", "yaw")
INK, PAPER, METAL, FLOOR = "#23303a", "#fbfbf9", "#8fa3b0", "#d5dcdf"


class History:
    """Time, pose and legs of a platform, thinned so that it never grows past `largest` samples."""

    def __init__(self, largest: int = 20000) -> None:
        self._largest = largest
        self._every, self._count = 1, 0
        self._rows: list[NDArray[Any]] = []

    def add(self, time: float, limits: Record) -> None:
        """Sample of a LIMITER record at `time` [s]."""
        self._count += 1
        if self._count % self._every:
            return
        s = limits[0]
        self._rows.append(np.concatenate([[time], s["pose"], s["legs"], s["leg_speed"], s["leg_acceleration"]]))
        if len(self._rows) >= self._largest:
            self._rows = self._rows[::2]
            self._every *= 2

    def table(self) -> NDArray[Any]:
        """(n, 25): time [s], pose (6) [m, rad], legs (6) [m], their speeds (6) [m/s] and accelerations (6) [m/s2]."""
        return np.array(self._rows).reshape(-1, 25)


def prepare_to_draw() -> None:
    """Load what `draw_platform` needs, which takes a moment, while nobody waits for it."""
    from importlib import import_module

    for name in ("matplotlib.backends.backend_agg", "matplotlib.figure", "mpl_toolkits.mplot3d.art3d"):
        import_module(name)


def draw_platform(path: str | Path, platform: Record, pose: NDArray[Any], history: History, title: str) -> None:
    """Write a PNG: the hexapod at `pose` (6,) [m, rad] with the legs colored by stroke, and the history of poses and legs.

    Raises
    ------
    OutputError : the file cannot be written
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13.5, 7.6), dpi=110, facecolor=PAPER)
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(4, 2, width_ratios=(1.0, 1.25), left=0.02, right=0.975, top=0.90, bottom=0.075, wspace=0.13, hspace=0.28)
    figure.text(0.03, 0.945, title, fontsize=15, color=INK, weight="bold")
    _draw_hexapod(figure, grid[:, 0], platform, pose)
    _draw_history(figure, grid, platform, history.table())
    temporary = Path(f"{path}.{os.getpid()}.part")
    try:
        figure.savefig(temporary, format="png")
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise OutputError(f"{path}: cannot write the picture: {error.strerror}") from None


def stroke_share(platform: Record, legs: NDArray[Any]) -> NDArray[Any]:
    """Extension of legs [m], 0 retracted to 1 extended."""
    p = platform[0]
    return (legs - p["shortest_leg"]) / (p["longest_leg"] - p["shortest_leg"])


def _draw_hexapod(figure: Any, place: Any, platform: Record, pose: NDArray[Any]) -> None:
    from matplotlib import colormaps
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    axes = figure.add_subplot(place, projection="3d", computed_zorder=False)
    base, top = joint_positions(platform, pose)
    colors = colormaps["coolwarm"](stroke_share(platform, np.linalg.norm(top - base, axis=1)))
    count = int(platform[0]["actuators"])
    ring, deck = around(base), around(top)
    if count == 2:  # which hold a plate up behind; its middle stands on a joint
        pivot = np.array([pose[0], pose[1], pose[2] + platform[0]["neutral_height"]])
        deck = around(np.vstack([top[:2], 2.0 * pivot - top[:2]]))
        axes.plot(*np.stack([pivot * [1.0, 1.0, 0.0], pivot]).T, color=METAL, linewidth=9, solid_capstyle="round", zorder=2)
    axes.add_collection3d(Poly3DCollection([ring], facecolor=FLOOR, edgecolor=INK, linewidth=1.0, zorder=1))
    for k in range(count):
        lower, upper = base[k], top[k]
        middle = lower + 0.55 * (upper - lower)
        axes.plot(*np.stack([lower, middle]).T, color=METAL, linewidth=9, solid_capstyle="round", zorder=2)
        axes.plot(*np.stack([lower, upper]).T, color=colors[k], linewidth=4.5, solid_capstyle="round", zorder=3)
        axes.text(*(lower + 0.12 * (lower - base.mean(axis=0))), str(k + 1), color=INK, fontsize=10, ha="center", va="center", zorder=6)
    axes.add_collection3d(Poly3DCollection([deck], facecolor="#f0b429", edgecolor=INK, alpha=0.88, linewidth=1.3, zorder=4))
    nose, center = 0.5 * (deck[np.argmax(deck[:, 0])] + deck[np.argsort(deck[:, 0])[-2]]), deck.mean(axis=0)
    axes.quiver(*center, *(0.9 * (nose - center)), color=INK, linewidth=2, arrow_length_ratio=0.25, zorder=5)
    reach = 1.02 * np.abs(base[:, :2]).max()
    height = float(platform[0]["neutral_height"])
    axes.set_xlim(-reach, reach)
    axes.set_ylim(-reach, reach)
    axes.set_zlim(0.0, 1.5 * height)
    axes.set_box_aspect((2 * reach, 2 * reach, 1.5 * height), zoom=1.3 if count == 6 else 1.1)
    axes.view_init(elev=20, azim=-118)
    axes.set_axis_off()
    axes.patch.set_visible(False)
    _draw_scale(figure)


def _draw_scale(figure: Any) -> None:
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    axes = figure.add_axes((0.09, 0.075, 0.26, 0.018))
    bar = figure.colorbar(ScalarMappable(Normalize(0, 100), colormaps["coolwarm"]), cax=axes, orientation="horizontal")
    bar.set_label("leg extension, % of stroke (arrow: to the front)", color=INK)
    bar.outline.set_visible(False)


def _draw_history(figure: Any, grid: Any, platform: Record, table: NDArray[Any]) -> None:
    p = platform[0]
    time = table[:, 0]
    panels = (
        ("position [m]", table[:, 1:4], POSE_LABELS[:3], None),
        ("angle [deg]", np.degrees(table[:, 4:7]), POSE_LABELS[3:], None),
        ("leg stroke [%]", 100.0 * stroke_share(platform, table[:, 7:13]), [f"leg {k + 1}" for k in range(p["actuators"])], (0.0, 100.0)),
        ("highest share\nof limits [%]", _shares(table, p), ("leg speed", "leg acceleration"), (0.0, 100.0)),
    )
    first = None
    for row, (label, values, names, band) in enumerate(panels):
        axes = figure.add_subplot(grid[row, 1], sharex=first)
        first = first or axes
        axes.set_facecolor("white")
        for k, name in enumerate(names):
            axes.plot(time, values[:, k], linewidth=1.1, label=name)
        if band:
            axes.axhline(band[1], color="#c0392b", linewidth=1.0, linestyle="--")
            axes.set_ylim(band[0] - 3.0, band[1] + 6.0)
        axes.set_ylabel(label, color=INK)
        axes.grid(color="#e6eaec", linewidth=0.8)
        axes.legend(loc="upper left", ncols=6, fontsize=7.5, frameon=False, bbox_to_anchor=(0.0, 1.22), handlelength=1.2)
        axes.tick_params(labelbottom=row == 3)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    axes.set_xlabel("time since the first packet [s]", color=INK)


def _shares(table: NDArray[Any], p: Any) -> NDArray[Any]:
    speed = np.abs(table[:, 13:19]).max(axis=1, initial=0.0) / p["leg_speed"]
    acceleration = np.abs(table[:, 19:25]).max(axis=1, initial=0.0) / p["leg_acceleration"]
    return 100.0 * np.stack([speed, acceleration], axis=1)


def around(joints: NDArray[Any]) -> NDArray[Any]:
    """Joints in the order in which one walks around them."""
    center = joints.mean(axis=0)
    return joints[np.argsort(np.arctan2(joints[:, 1] - center[1], joints[:, 0] - center[0]))]
