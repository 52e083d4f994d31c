"""Figures: made in one style, saved whole, shown by notebooks. Loads matplotlib, so it is loaded where something is drawn."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.record.channels import Channel
from simulator.record.files import write_whole
from simulator.record.style import COLORS, STYLE, thinned

SHOWN_AS = {"rad": ("deg", np.rad2deg(1.0)), "rad/s": ("deg/s", np.rad2deg(1.0)), "rad/s2": ("deg/s2", np.rad2deg(1.0))}
"""Unit and factor with which people read a unit."""
MOST_PANELS = 16
"""Of one figure; more cannot be read."""


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
