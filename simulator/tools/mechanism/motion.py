"""Positions of a mechanism during a sweep or a run, for tables and plots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simulator.base.arrays import Vector
from vehicles.multibody.tree.coordinates import position_coordinates
from vehicles.multibody.tree.system import System


class Measure(NamedTuple):
    """A quantity of each position: label, unit, values (n,), and logarithmic for a logarithmic plot axis."""

    label: str
    unit: str
    values: Vector
    logarithmic: bool = False


class Mark(NamedTuple):
    """A marked position in a plot, and its label."""

    at: float
    what: str


@dataclass(frozen=True)
class Motion:
    """n positions of a mechanism.

    system : the mechanism
    title : name of the mechanism
    along : time or the swept coordinate, with (n,) values
    q : (n, n_q) positions
    rates : columns of the velocity coordinates
    measures : further quantities of each position
    marks : singular positions
    is_run : True for a motion over time
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
        """Title of the motion."""
        return f"{self.title}: " + ("run" if self.is_run else f"sweep of {self.along.label}")

    @property
    def positions(self) -> tuple[Measure, ...]:
        """Position coordinates, as columns."""
        return tuple(Measure(c.label, c.unit, self.q[:, c.index]) for c in position_coordinates(self.system))

    def as_csv(self) -> str:
        """Return a CSV table with names and units in the header, in full precision; infinite numbers are empty."""
        first = self.along if self.is_run else self.along._replace(label=f"sweep of {self.along.label}")
        columns = (first, *self.positions, *self.rates, *self.measures)
        lines = [",".join(_quoted(f"{column.label} [{column.unit}]") for column in columns)]
        for row in zip(*(column.values.tolist() for column in columns), strict=True):
            lines.append(",".join(repr(x) if np.isfinite(x) else "" for x in row))
        return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """Quote a field of a CSV file (RFC 4180)."""
    return '"' + text.replace('"', '""') + '"' if set(text) & set('",\n') else text


def number(x: float) -> float | None:
    """Return a JSON number; null for infinite numbers."""
    return float(x) if np.isfinite(x) else None
