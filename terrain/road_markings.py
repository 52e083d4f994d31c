"""Road markings: painted lines that are visible but have no effect on the wheels. `marks` in a terrain file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ErrorCollector
from simulator.base.fields import Choice, Field, Group, ListOf, Number
from simulator.base.values import Values

COLORS = ("white", "yellow")
MARKS = Field(
    "marks",
    ListOf(
        Group(
            (
                Field("points", Number("m", -1e5, 1e5, shape=((2, 10_000), 2)), "x, y of the corners of the line"),
                Field("width", Number("m", 0.02, 20.0), "width of the line"),
                Field("dash", Number("m", 0.05, 100.0, shape=(2,)), "lengths of a dash and of a gap; default: a continuous line", None),
                Field("color", Choice(COLORS), "color of the paint", "white"),
            )
        )
    ),
    "painted lines, visible only",
    (),
)
"""Field of a terrain file with ``type: heightmap``."""


@dataclass(frozen=True)
class Mark:
    """A painted line.

    Attributes
    ----------
    points : (n, 2) x, y of the corners [m]
    width : m
    dash : lengths of a dash and of a gap [m]; None: a continuous line
    color : one of COLORS
    """

    points: NDArray[np.float64]
    width: float
    dash: tuple[float, float] | None
    color: str


def read_marks(marks: Sequence[Values]) -> tuple[Mark, ...]:
    """Read the marks of a terrain file, checked by `MARKS`. Raises ConfigError if consecutive points coincide."""
    out = []
    with ErrorCollector() as faults:
        for values in marks:
            with faults.part():
                points = values["points"]
                if not (np.hypot(*np.diff(points, axis=0).T) > 1e-6).all():
                    raise values.error("points", "points at distinct positions")
                dash = tuple(values["dash"]) if "dash" in values else None
                out.append(Mark(points, values["width"], dash, values["color"]))
    return tuple(out)
