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


def draw_log(time: NDArray, shown: Sequence[Channel], arrays: Mapping[str, NDArray]) -> ShownFigure:
    """Columns over time (n,), one panel per field. Raises ConfigError when there are none or too many of them."""
    fields: dict[str, list[Channel]] = {}
    for column in shown:
        if column.name != "time":
            fields.setdefault(column.field, []).append(column)
    if not 0 < len(fields) <= MOST_PANELS:
        raise ConfigError("plot", "", f"{len(fields)} fields", f"names of 1 to {MOST_PANELS} fields to draw")
    with new_figure((9.0, 1.0 + 2.2 * len(fields))) as figure:
        panels = figure.subplots(len(fields), 1, sharex=True, squeeze=False)[:, 0]
        for axes, (field, columns) in zip(panels, fields.items(), strict=True):
            unit, factor = SHOWN_AS.get(columns[0].unit, (columns[0].unit, 1.0))
            for column, color in zip(columns, (COLORS * len(columns))[: len(columns)], strict=True):
                label = column.name.removeprefix(f"{field}_")
                axes.plot(*thinned(time, factor * arrays[column.name]), color=color, label=label)
            axes.set_ylabel(field if unit == "1" else f"{field}\n[{unit}]")
            axes.set_title(columns[0].meaning, fontsize=9, fontweight="normal")
            if len(columns) > 1:
                axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
        panels[-1].set_xlabel("time [s]")
        if len(time) > 1 and time[-1] > time[0]:
            panels[-1].set_xlim(float(time[0]), float(time[-1]))
    return figure
