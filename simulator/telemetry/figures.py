"""Figures: made in one style, saved whole, shown by notebooks. Loads matplotlib, so it is loaded where something is drawn."""

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
"""Of one figure; more cannot be read."""
COMPRESSION = 3
"""Of a PNG: a third of the time of zlib's usual 6, and about a tenth more bytes."""


class ShownFigure(Figure):
    """A figure that a notebook shows as it is, whatever backend it has chosen."""

    def _repr_png_(self) -> bytes:
        picture = io.BytesIO()
        with matplotlib.rc_context(STYLE):
            self.savefig(picture, format="png")
        return picture.getvalue()


@contextlib.contextmanager
def new_figure(size: tuple[float, float]) -> Iterator[ShownFigure]:
    """A figure of so many inches, to be drawn in while the context lasts."""
    with matplotlib.rc_context(STYLE):
        figure = ShownFigure(figsize=size, dpi=120, layout="constrained")
        FigureCanvasAgg(figure)
        yield figure


def save_figure(file: Path, figure: Figure) -> None:
    """Write a PNG; the same figure gives the same bytes, whatever the version of the software. Raises OutputError."""
    with matplotlib.rc_context(STYLE):
        write_whole(file, lambda temporary: figure.savefig(temporary, format="png", metadata={"Software": None}))


class Sheet:
    """For many pictures, one after the other: no layout is sought, and what is drawn is read from the canvas as it is."""

    def empty(self, size: tuple[float, float]) -> Figure:
        """A figure of so many inches; emptying the one before would build its axes once more."""
        figure = Figure(figsize=size, dpi=120)
        self._canvas = FigureCanvasAgg(figure)
        return figure

    def png(self) -> bytes:
        """What is in it; the same figure gives the same bytes, whatever the version of the software."""
        self._canvas.draw()
        picture = io.BytesIO()
        width, height = self._canvas.get_width_height()
        image = Image.frombuffer("RGBA", (width, height), self._canvas.buffer_rgba(), "raw", "RGBA", 0, 1).convert("RGB")
        image.save(picture, format="png", dpi=(120, 120), compress_level=COMPRESSION)
        return picture.getvalue()


@contextlib.contextmanager
def one_after_the_other() -> Iterator[Sheet]:
    """A sheet on which pictures are drawn while the context lasts."""
    with matplotlib.rc_context(STYLE):
        yield Sheet()


def draw_log(along: Channel, shown: Sequence[Channel], arrays: Mapping[str, NDArray]) -> ShownFigure:
    """Columns over one of them, one panel per field. Raises ConfigError when there are none or too many of them."""
    fields: dict[str, list[Channel]] = {}
    for column in shown:
        fields.setdefault(column.field, []).append(column)
    if not 0 < len(fields) <= MOST_PANELS:
        raise ConfigError("plot", "", f"{len(fields)} fields", f"names of 1 to {MOST_PANELS} fields to draw")
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
