"""Plot of a hexapod, the motion of its legs and the motion of the vehicle over simulated time: one PNG file."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.records import Record, record
from simulator.motion.protocols.native_packet import MotionPacket
from simulator.telemetry.atomic_files import write_whole
from washout.platform import joint_positions

POSE_LABELS = ("surge", "sway", "heave", "roll", "pitch", "yaw")
INK, PAPER, METAL, FLOOR = "#23303a", "#fbfbf9", "#8fa3b0", "#d5dcdf"
WARNING, OUTSIDE = "#c0392b", "#eceff1"

MAX_TIME, MAX_FORCE = 1e7, 1e3
"""s, m/s2. Limits of the values from packets; values beyond are not a simulated time, and not a force that fits into a plot."""

SAMPLE = (
    # name              shape  unit            meaning
    ("wall", (), "s", "wall time since the first packet"),
    ("drive", (), "s", "simulated time"),
    ("runs", (), "1", "1 while the simulation runs, else 0", "i8"),
    ("begun", (), "1", "number of jumps back of the simulated time", "i8"),
    ("force", (3,), "m/s2", "specific force at the driver's head in the vehicle, in B"),
    ("asked_limited", (), "1", "1 if the limiter of the sender acted since the previous sample, else 0", "i8"),
    ("own_limited", (), "1", "1 if the limiter of the platform acted since the previous sample, else 0", "i8"),
    ("pose", (6,), "m, rad", "pose of the platform"),
    ("legs", (6,), "m", "leg lengths"),
    ("leg_speed", (6,), "m/s", "leg speeds"),
    ("leg_acceleration", (6,), "m/s2", "leg accelerations"),
)


class DriveTime:
    """Simulated time from the packets."""

    def __init__(self) -> None:
        self.begun = 0
        """Number of jumps back in time."""
        self.runs = False
        self.force = np.array([0.0, 0.0, STANDARD_GRAVITY])
        self.limited = False
        """True if the limiter of the sender acted since the last sample."""
        self._time = self._arrived = self._interval = 0.0

    def follow(self, packet: MotionPacket, now: float) -> None:
        """Process a packet that arrived at `now` [s]."""
        if packet.stop or not 0.0 <= packet.time <= MAX_TIME:
            self.runs = False
            return
        if packet.time < self._time:
            self.begun += 1
        self.runs, self.force = packet.run, np.clip(packet.force, -MAX_FORCE, MAX_FORCE)
        self.limited = self.limited or packet.limited
        self._time, self._arrived, self._interval = packet.time, now, packet.interval

    def at(self, now: float) -> float:
        """Return the simulated time [s] at `now`, extrapolated by at most one packet interval."""
        return self._time + (min(max(now - self._arrived, 0.0), self._interval) if self.runs else 0.0)


class History:
    """Time, pose and legs of a platform, thinned to at most `largest` samples."""

    def __init__(self, largest: int = 20000) -> None:
        self._largest = largest
        self._every, self._count = 1, 0
        self._rows: list[Record] = []
        self._limited = False

    def add(self, wall: float, now: float, limits: Record, drive: DriveTime) -> None:
        """Add a sample of a LIMITER record `wall` seconds after the first packet, at `now` [s] of the clock of `drive`."""
        self._count += 1
        self._limited = self._limited or bool(limits[0]["limited"])
        if self._count % self._every:
            return
        row = record(SAMPLE)
        row[0]["wall"], row[0]["drive"], row[0]["runs"], row[0]["begun"] = wall, drive.at(now), drive.runs, drive.begun
        row[0]["force"], row[0]["asked_limited"], row[0]["own_limited"] = drive.force, drive.limited, self._limited
        for name in ("pose", "legs", "leg_speed", "leg_acceleration"):
            row[0][name] = limits[0][name]
        self._limited = drive.limited = False
        self._rows.append(row)
        if len(self._rows) >= self._largest:
            self._thin()

    def table(self) -> Record:
        """Return the samples as rows (n,) of SAMPLE."""
        return np.concatenate([record(SAMPLE)[:0], *self._rows])

    def _thin(self) -> None:
        """Remove every second row; the remaining rows keep the actions of the limiters."""
        for removed, remaining in zip(self._rows[1::2], self._rows[2::2], strict=False):
            for name in ("asked_limited", "own_limited"):
                remaining[0][name] |= removed[0][name]
        self._rows = self._rows[::2]
        self._every *= 2


def driven(table: Record) -> NDArray[Any]:
    """Return the simulated time (n,) [s] of rows of SAMPLE, continued across restarts."""
    times = table["drive"].copy()
    for restart in np.flatnonzero(np.diff(table["begun"])) + 1:
        times[restart:] += times[restart - 1]
    return times


def on_the_drive(table: Record) -> tuple[NDArray[Any], tuple[float, float] | None]:
    """Return times (n,) [s] of rows of SAMPLE on the axis of the simulated time, and the interval in which the simulation ran.

    Within the interval, this is the simulated time, which is constant during a pause; before and after, it continues by the wall clock.
    None as the interval: the simulation never ran, and the times are those since the first packet.
    """
    times, ran = table["wall"].copy(), np.flatnonzero(table["runs"])
    if not len(ran):
        return times, None
    first, last, drive = int(ran[0]), int(ran[-1]), driven(table)
    begins, ends = float(drive[first]), float(drive[last])
    times[:first] += begins - table["wall"][first]
    times[last:] += ends - table["wall"][last]
    times[first : last + 1] = np.maximum.accumulate(drive[first : last + 1])
    return times, (begins, ends)


def pauses(table: Record) -> list[tuple[float, float]]:
    """Return the simulated times [s] of pauses before the end, and their durations by the wall clock [s]; rows of SAMPLE."""
    drive, ran = driven(table), np.flatnonzero(table["runs"])
    return [
        (float(drive[row]), float(table["wall"][next_row] - table["wall"][row])) for row, next_row in pairwise(ran) if next_row > row + 1
    ]


def resets(table: Record) -> list[float]:
    """Return the simulated times [s] of restarts after the first start; rows of SAMPLE."""
    drive, ran = driven(table), np.flatnonzero(table["runs"])
    return [float(drive[restart]) for restart in np.flatnonzero(np.diff(table["begun"])) + 1 if len(ran) and ran[0] < restart <= ran[-1]]


def prepare_to_draw() -> None:
    """Load the modules of `draw_platform` in advance, because loading takes a moment."""
    from importlib import import_module

    for name in ("matplotlib.backends.backend_agg", "matplotlib.figure", "mpl_toolkits.mplot3d.art3d"):
        import_module(name)


def draw_platform(path: str | Path, platform: Record, pose: NDArray[Any], history: History, title: str) -> None:
    """Write a PNG with the hexapod at `pose` (6,) [m, rad], legs colored by stroke, and the history of poses and legs.

    Raises
    ------
    OutputError : the file cannot be written
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13.5, 9.4), dpi=110, facecolor=PAPER)
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(
        6,
        2,
        width_ratios=(1.0, 1.4),
        height_ratios=(1.0, 1.0, 1.0, 1.0, 1.0, 0.34),
        left=0.02,
        right=0.985,
        top=0.915,
        bottom=0.065,
        wspace=0.15,
        hspace=0.28,
    )
    figure.text(0.03, 0.945, title, fontsize=15, color=INK, weight="bold")
    _draw_hexapod(figure, grid[:, 0], platform, pose)
    _draw_history(figure, grid, platform, history.table())
    write_whole(Path(path), lambda part: figure.savefig(part, format="png"))


def stroke_share(platform: Record, legs: NDArray[Any]) -> NDArray[Any]:
    """Return the extension of legs [m], 0 retracted to 1 extended."""
    p = platform[0]
    return (legs - p["shortest_leg"]) / (p["longest_leg"] - p["shortest_leg"])


def _draw_hexapod(figure: Any, cell: Any, platform: Record, pose: NDArray[Any]) -> None:
    from matplotlib import colormaps
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    axes = figure.add_subplot(cell, projection="3d", computed_zorder=False)
    base, top = joint_positions(platform, pose)
    colors = colormaps["coolwarm"](stroke_share(platform, np.linalg.norm(top - base, axis=1)))
    count = int(platform[0]["actuators"])
    ring, deck = around(base), around(top)
    if count == 2:  # two legs support the rear of the plate; its center is on a joint
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


def _draw_history(figure: Any, grid: Any, platform: Record, table: Record) -> None:
    p = platform[0]
    (time, run_interval), pause_list, reset_times = on_the_drive(table), pauses(table), resets(table)
    force = table["force"] - [0.0, 0.0, STANDARD_GRAVITY]
    panels = (
        ("vehicle, force\nminus 1 g [m/s\u00b2]", force, POSE_LABELS[:3], None),
        ("position [m]", table["pose"][:, :3], POSE_LABELS[:3], None),
        ("angle [deg]", np.degrees(table["pose"][:, 3:]), POSE_LABELS[3:], None),
        ("leg stroke [%]", 100.0 * stroke_share(platform, table["legs"]), [f"leg {k + 1}" for k in range(p["actuators"])], (0.0, 100.0)),
        ("maximum in %\nof limits", _limit_use(table, p), ("leg speed", "leg acceleration"), (0.0, 100.0)),
    )
    first: Any = None
    for row, (label, values, names, band) in enumerate(panels):
        axes = figure.add_subplot(grid[row, 1], sharex=first)
        first = first or axes
        _prepare(axes, time, run_interval, label)
        for k, name in enumerate(names):
            axes.plot(time, values[:, k], linewidth=1.1, label=name)
        if band:
            axes.axhline(band[1], color=WARNING, linewidth=1.0, linestyle="--")
            axes.set_ylim(band[0] - 3.0, band[1] + 6.0)
        axes.legend(loc="upper left", ncols=6, fontsize=7.5, frameon=False, bbox_to_anchor=(0.0, 1.22), handlelength=1.2)
        axes.tick_params(labelbottom=False)
        for at, _ in pause_list:
            axes.axvline(at, color=INK, linewidth=0.8, linestyle=":")
        for at in reset_times:
            axes.axvline(at, color=INK, linewidth=0.8, linestyle="--")
    for at, seconds in pause_list:
        text = f"paused {seconds:.1f} s"
        first.annotate(text, (at, 1.0), (-3, 2), xycoords=("data", "axes fraction"), textcoords="offset points", fontsize=7.5, ha="right")
    axes = figure.add_subplot(grid[5, 1], sharex=first)
    _prepare(axes, time, run_interval, "limiter")
    _draw_limiter(axes, time, table)
    axes.set_xlabel(
        "time since the first packet [s]"
        if run_interval is None
        else "simulated time [s]; gray: before and after the run" + "; dashed: restart" * bool(reset_times),
        color=INK,
    )


def _prepare(axes: Any, time: NDArray[Any], run_interval: tuple[float, float] | None, label: str) -> None:
    """Prepare a panel, gray where the simulation does not run."""
    axes.set_facecolor("white")
    if run_interval is not None and len(time):
        for low, high in ((time[0], run_interval[0]), (run_interval[1], time[-1])):
            if high > low:
                axes.axvspan(low, high, color=OUTSIDE, linewidth=0.0, zorder=0)
    if len(time) > 1 and time[-1] > time[0]:
        axes.set_xlim(time[0], time[-1])
    axes.set_ylabel(label, color=INK)
    axes.grid(color="#e6eaec", linewidth=0.8)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _draw_limiter(axes: Any, time: NDArray[Any], table: Record) -> None:
    """Draw a line for each sample in which a limiter changed the request."""
    names = []
    for k, (field, who) in enumerate((("own_limited", "platform"), ("asked_limited", "host"))):
        acts = table[field] != 0
        axes.vlines(time[acts], k + 0.12, k + 0.88, color=WARNING, linewidth=1.0)
        names.append(f"{who}, {100.0 * float(acts.mean()) if len(acts) else 0.0:.2g} %")
    axes.set_ylim(0.0, 2.0)
    axes.set_yticks((0.5, 1.5), names, fontsize=7.5)
    axes.grid(visible=False, axis="y")


def _limit_use(table: Record, p: Any) -> NDArray[Any]:
    speed = np.abs(table["leg_speed"]).max(axis=1, initial=0.0) / p["leg_speed"]
    acceleration = np.abs(table["leg_acceleration"]).max(axis=1, initial=0.0) / p["leg_acceleration"]
    return 100.0 * np.stack([speed, acceleration], axis=1)


def around(joints: NDArray[Any]) -> NDArray[Any]:
    """Return the joints in circular order."""
    center = joints.mean(axis=0)
    return joints[np.argsort(np.arctan2(joints[:, 1] - center[1], joints[:, 0] - center[0]))]
