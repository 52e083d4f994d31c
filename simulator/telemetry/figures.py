"""Matplotlib figures in the common style; atomic PNG files. This module loads matplotlib, so import it only to draw."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image

from simulator.base.errors import ConfigError
from simulator.report.plot_style import COLORS, SHOWN_AS, STYLE, thinned
from simulator.telemetry.atomic_files import write_whole
from simulator.telemetry.channels import Channel

MOST_PANELS = 16
"""Maximum number of panels of a figure, for readability."""
COMPRESSION = 3
"""PNG compression level: a third of the time of zlib's default 6, and about 10 % more bytes."""


class ShownFigure(Figure):
    """Figure that a notebook displays with any matplotlib backend."""

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        with matplotlib.rc_context(STYLE):
            self.savefig(buffer, format="png")
        return buffer.getvalue()


@contextlib.contextmanager
def new_figure(size: tuple[float, float]) -> Iterator[ShownFigure]:
    """Yield a figure of a size in inches; draw into it within the context."""
    with matplotlib.rc_context(STYLE):
        figure = ShownFigure(figsize=size, dpi=120, layout="constrained")
        FigureCanvasAgg(figure)
        yield figure


def save_figure(file: Path, figure: Figure) -> None:
    """Write a PNG; equal figures give equal bytes, independent of the software version. Raises OutputError."""
    with matplotlib.rc_context(STYLE):
        write_whole(file, lambda temporary: figure.savefig(temporary, format="png", metadata={"Software": None}))


class Sheet:
    """Canvas for many plots in sequence: without automatic layout, and read directly from the canvas."""

    def empty(self, size: tuple[float, float]) -> Figure:
        """Return a new figure of a size in inches; clearing the previous figure would rebuild its axes."""
        figure = Figure(figsize=size, dpi=120)
        self._canvas = FigureCanvasAgg(figure)
        return figure

    def png(self) -> bytes:
        """Return the figure as PNG; equal figures give equal bytes, independent of the software version."""
        self._canvas.draw()
        buffer = io.BytesIO()
        width, height = self._canvas.get_width_height()
        image = Image.frombuffer("RGBA", (width, height), self._canvas.buffer_rgba(), "raw", "RGBA", 0, 1).convert("RGB")
        image.save(buffer, format="png", dpi=(120, 120), compress_level=COMPRESSION)
        return buffer.getvalue()


@contextlib.contextmanager
def one_after_the_other() -> Iterator[Sheet]:
    """Yield a sheet for plots in sequence."""
    with matplotlib.rc_context(STYLE):
        yield Sheet()


def draw_log(along: Channel, shown: Sequence[Channel], arrays: Mapping[str, NDArray]) -> ShownFigure:
    """Draw columns over one of them, one panel per field. Raises ConfigError if there are no fields or too many."""
    fields: dict[str, list[Channel]] = {}
    for column in shown:
        fields.setdefault(column.field, []).append(column)
    if not 0 < len(fields) <= MOST_PANELS:
        raise ConfigError("plot", "", f"{len(fields)} fields", f"names of 1 to {MOST_PANELS} fields")
    across, factor = SHOWN_AS.get(along.unit, (along.unit, 1.0))
    x = factor * arrays[along.name]
    with new_figure((9.0, 1.0 + 2.2 * len(fields))) as figure:
        panels = figure.subplots(len(fields), 1, sharex=True, squeeze=False)[:, 0]
        for axes, (field, columns) in zip(panels, fields.items(), strict=True):
            unit, factor = SHOWN_AS.get(columns[0].unit, (columns[0].unit, 1.0))
            for column, color in zip(columns, (COLORS * len(columns))[: len(columns)], strict=True):
                label = column.name.removeprefix(f"{field}_")
                axes.plot(*thinned(x, factor * arrays[column.name]), color=color, label=label)
            name = field if len(columns) > 1 else columns[0].name
            axes.set_ylabel(name if unit == "1" else f"{name}\n[{unit}]")
            axes.set_title(columns[0].meaning, fontsize=9, fontweight="normal")
            if len(columns) > 1:
                axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
        panels[-1].set_xlabel(f"{along.name} [{across}]")
        if len(x) > 1 and x[-1] > x[0]:
            panels[-1].set_xlim(float(x[0]), float(x[-1]))
    return figure
