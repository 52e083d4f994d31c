"""Time line and plots of a replay over the image. No OpenGL here; lengths in pixels of the canvas."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.view.instrument_layout import EDGE, TIMELINE, Box

if TYPE_CHECKING:
    from simulator.view.instruments import Canvas

FILE = "timeline.npz"
"""File in the folder of a replay with its time line; missing in a drive."""
SPAN = 20.0
"""s, time range of the plots, with the present at its center."""
POINTS = 200
"""Number of points of a plot."""
ROW = 62.0
SERIES = 4
PLOTS = tuple((300.0, number * ROW + 10.0) for number in range(SERIES, 0, -1))
"""Sizes of the panel with all plots, without the last one ..., for a small window or large text."""
LABEL = 136.0
"""Space for the times at the right end of the time line, up to 100 minutes, with a gap before them."""
BAR = 6.0
DIRE = ("incident", "collision")
"""Events that are marked in red."""
MAX_DECIMALS = 3
"""Decimals of a value above its plot; more show noise of a constant."""


class Timeline(NamedTuple):
    """Content of the time line."""

    positions: NDArray[np.float64]
    """(n,) s, increasing"""
    names: tuple[str, ...]
    """Name and unit of each series."""
    values: NDArray[np.float64]
    """(series, n)"""
    event_positions: NDArray[np.float64]
    event_kinds: tuple[str, ...]

    @staticmethod
    def of_drive(folder: Path) -> Timeline | None:
        """Return the time line in the folder of a replay; None if there is none."""
        try:
            with np.load(folder / FILE) as data:
                names, kinds = (tuple(map(str, data[name])) for name in ("names", "event_kinds"))
                return Timeline(data["positions"], names, data["values"], data["event_positions"], kinds)
        except OSError:
            return None

    def save(self, folder: Path) -> None:
        """Write the time line into the folder of a replay. Raises OSError."""
        content: dict[str, Any] = self._asdict() | {"names": np.array(self.names, str), "event_kinds": np.array(self.event_kinds, str)}
        np.savez(folder / FILE, **content)


def bar_of(width: float, height: float) -> Box:
    """Return the place of the bar, with some space for the mouse, on a canvas of this size."""
    return Box(EDGE, height - TIMELINE + 8.0, width - 2.0 * EDGE - LABEL, TIMELINE - 16.0)


def timeline_bar(c: Canvas, box: Box, s: Any, timeline: Timeline | None) -> None:
    """Add the bar with the position, the times, and the marks of the events."""
    from simulator.view.instruments import AMBER, INK, PANEL, RED, SMALL, TRACK, clock_text

    duration = max(float(s["replay_duration"]), 1e-9)
    share = min(max(float(s["replay_position"]) / duration, 0.0), 1.0)
    middle = box.y + 0.5 * box.height
    c.box(box.x - 8.0, box.y, box.width + LABEL + 16.0, box.height, PANEL, 8.0)
    c.box(box.x, middle - 0.5 * BAR, box.width, BAR, TRACK, 3.0)
    c.box(box.x, middle - 0.5 * BAR, max(box.width * share, BAR), BAR, AMBER, 3.0)
    if timeline is not None:
        for position, kind in zip(timeline.event_positions, timeline.event_kinds, strict=True):
            x = box.x + box.width * min(float(position) / duration, 1.0)
            c.box(x - 1.0, middle - 9.0, 2.5, 18.0, RED if kind in DIRE else INK, 1.0)
    c.ring((box.x + box.width * share, middle), 5.0, 3.0, INK)
    times = f"{clock_text(float(s['replay_position']))} / {clock_text(duration)}"
    c.text(box.x + box.width + LABEL, middle - 8.0, times, SMALL, INK, 1.0)


def timeline_plots(c: Canvas, box: Box, position: float, timeline: Timeline) -> None:
    """Add as many plots as fit into the box, of the seconds around a position, which is at the center of each."""
    from simulator.view.instruments import BLUE, DIM, INK, PANEL, SMALL, TRACK

    c.box(*box, PANEL, 8.0)
    left, across = box.x + 12.0, box.width - 24.0
    at = position + np.linspace(-0.5 * SPAN, 0.5 * SPAN, POINTS)
    there = (at >= timeline.positions[0]) & (at <= timeline.positions[-1])
    for k, name in enumerate(timeline.names[: int((box.height - 10.0) // ROW)]):
        values = timeline.values[k]
        low, high = _range(values)
        top = box.y + 6.0 + ROW * k
        c.text(left, top, name, SMALL, DIM)
        c.text(left + across, top, _number_text(float(np.interp(position, timeline.positions, values)), high - low), SMALL, INK, 1.0)
        plot = Box(left, top + 18.0, across, ROW - 26.0)
        c.box(*plot, TRACK, 3.0)
        if low < 0.0 < high:
            c.box(plot.x, plot.y + plot.height * high / (high - low) - 0.5, plot.width, 1.0, (1.0, 1.0, 1.0, 0.25))
        y = np.where(there, np.interp(at, timeline.positions, values), np.nan)
        c.track(plot.x + plot.width * np.linspace(0.0, 1.0, POINTS), plot.y + plot.height * (high - y) / (high - low), 1.8, BLUE)
        c.box(plot.x + 0.5 * plot.width - 0.5, plot.y, 1.0, plot.height, INK)


def _number_text(value: float, span: float) -> str:
    """Return a value with three digits of the span of its plot, MAX_DECIMALS at most, and no sign of a zero."""
    decimals = min(max(0, 2 - int(np.floor(np.log10(span)))), MAX_DECIMALS)
    return f"{round(value, decimals) + 0.0:.{decimals}f}"


def _range(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the limits of a plot, which contain zero."""
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    margin = 0.06 * max(high - low, 1e-6)
    return low - margin, high + margin
