"""Positions that a mechanism goes through, as tables and pictures take them, whether a sweep or a run found them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vehicles.multibody.tree.coordinates import position_coordinates
from vehicles.multibody.tree.system import System

Vector = NDArray[np.float64]


class Measure(NamedTuple):
    """A number that comes with every position: what it is, its unit, its values (n,), and whether it is drawn on a logarithmic axis."""

    label: str
    unit: str
    values: Vector
    logarithmic: bool = False


class Mark(NamedTuple):
    """A place worth a line in a picture, and what is there."""

    at: float
    what: str


@dataclass(frozen=True)
class Motion:
    """n positions of a mechanism.

    system : the mechanism
    title : name of the mechanism
    along : time or the swept coordinate, with (n,) values
    q : (n, n_q) positions
    rates : columns that go with the velocity coordinates
    measures : what else is known of every position
    marks : singular positions
    is_run : whether the motion goes on in time
    """

    system: System
    title: str
    along: Measure
    q: Vector
    rates: tuple[Measure, ...]
    measures: tuple[Measure, ...]
    marks: tuple[Mark, ...]
    is_run: bool

    @property
    def caption(self) -> str:
        """What the motion is."""
        return f"{self.title}: " + ("run" if self.is_run else f"sweep of {self.along.label}")

    @property
    def positions(self) -> tuple[Measure, ...]:
        """The position coordinates, as columns."""
        return tuple(Measure(c.label, c.unit, self.q[:, c.index]) for c in position_coordinates(self.system))

    def as_csv(self) -> str:
        """A table with a header that names columns and units; every digit that there is, and nothing where a number is infinite."""
        first = self.along if self.is_run else self.along._replace(label=f"sweep of {self.along.label}")
        columns = (first, *self.positions, *self.rates, *self.measures)
        lines = [",".join(_quoted(f"{column.label} [{column.unit}]") for column in columns)]
        for row in zip(*(column.values.tolist() for column in columns), strict=True):
            lines.append(",".join(repr(x) if np.isfinite(x) else "" for x in row))
        return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """A field of a CSV file (RFC 4180)."""
    return '"' + text.replace('"', '""') + '"' if set(text) & set('",\n') else text


def number(x: float) -> float | None:
    """For JSON: what is infinite there is nothing."""
    return float(x) if np.isfinite(x) else None
