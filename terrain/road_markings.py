"""Paint on the ground: lines that are seen and that no wheel feels. `marks` in a terrain file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import Choice, Field, Group, ListOf, Number
from simulator.base.section import Section

COLORS = ("white", "yellow")
MARKS = Field(
    "marks",
    ListOf(
        Group(
            (
                Field("points", Number("m", -1e5, 1e5, shape=((2, 10_000), 2)), "x, y of the corners of the line"),
                Field("width", Number("m", 0.02, 20.0), "across the line"),
                Field("dash", Number("m", 0.05, 100.0, shape=(2,)), "length of a dash and of the gap behind it; one line without", None),
                Field("color", Choice(COLORS), "of the paint", "white"),
            )
        )
    ),
    "painted lines; they are drawn, wheels do not feel them",
    (),
)
"""Of a terrain file with ``type: heightmap``."""


@dataclass(frozen=True)
class Mark:
    """A painted line.

    Attributes
    ----------
    points : (n, 2) x, y of its corners [m]
    width : m
    dash : length of a dash and of the gap behind it [m]; None: it is one line
    color : one of COLORS
    """

    points: NDArray[np.float64]
    width: float
    dash: tuple[float, float] | None
    color: str


def read_marks(sections: Sequence[Section]) -> tuple[Mark, ...]:
    """Marks of a terrain file, checked by `MARKS`. Raises ConfigError: points that lie on one another."""
    out = []
    with ErrorCollector() as faults:
        for section in sections:
            with faults.part():
                said = section.mapping
                points = np.asarray(said["points"], np.float64)
                if not (np.hypot(*np.diff(points, axis=0).T) > 1e-6).all():
                    raise ConfigError(section.file, section.path("points"), points.tolist(), "points apart from one another")
                dash = (float(said["dash"][0]), float(said["dash"][1])) if "dash" in said else None
                out.append(Mark(points, float(said["width"]), dash, said["color"]))
    return tuple(out)
