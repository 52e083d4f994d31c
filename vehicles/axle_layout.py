"""How many axles and wheels a vehicle has: lengths that the tables of a vehicle leave open.

A table with WHEELS or AXLES in its shapes stands for vehicles of every size; `record_for` makes the record of one size. Kernels take the
number from the shapes of the records they are handed (`len(k[0]["D"])`): it is a constant of the compiled kernel, so that each size has its
own and the usual one pays nothing for the others.

An axle has a left and a right side, or one wheel in the middle. Corners are counted from the front, left before right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simulator.base.memoize import memoize_table
from simulator.base.records import Length, Record, Table, labelled, record, sized

AXLES = Length("axles", 2)
WHEELS = Length("wheels", 4, ("FL", "FR", "RL", "RR"))


class AxleLayout(NamedTuple):
    """Numbers of axles and wheels of a vehicle."""

    axles: int
    wheels: int

    @property
    def is_usual(self) -> bool:
        """Whether it is that of the tables where nothing is said."""
        return self == USUAL


USUAL = AxleLayout(int(AXLES), int(WHEELS))


@dataclass(frozen=True)
class Axles:
    """The axles of a vehicle, from the front: their names in its file, and the corners that stand on each, 2 or 1."""

    names: tuple[str, ...]
    sides: tuple[int, ...]

    @property
    def size(self) -> AxleLayout:
        """Their numbers."""
        return AxleLayout(len(self.names), sum(self.sides))

    @property
    def corners(self) -> tuple[str, ...]:
        """Names of the corners: the first letter of their axle and L, R or, of one in the middle, M."""
        return tuple(
            name[0].upper() + side for name, count in zip(self.names, self.sides, strict=True) for side in ("LR" if count == 2 else "M")
        )

    def on(self, axle: int) -> range:
        """Corners of an axle."""
        first = sum(self.sides[:axle])
        return range(first, first + self.sides[axle])

    def of(self, corner: int) -> int:
        """Axle of a corner."""
        return next(n for n in range(len(self.names)) if corner in self.on(n))

    def named(self, table: Table) -> Table:
        """A table of a vehicle with these axles, in which its wheels have their names."""
        return labelled(sized_for(table, self.size), WHEELS.name, self.corners)

    def write(self, standing: Record) -> None:
        """Fill the rows of STANDING of a record."""
        s, counts = standing[0], np.array(self.sides)
        s["sides"], s["first"] = counts, np.cumsum(counts) - counts
        s["axle"] = np.repeat(np.arange(len(counts)), counts)


USUAL_AXLES = Axles(("front", "rear"), (2, 2))

STANDING = (
    # name     shape   unit  what it is
    ("axle", (WHEELS,), "1", "which axle the corner stands on", "i8"),
    ("first", (AXLES,), "1", "per axle, its first corner", "i8"),
    ("sides", (AXLES,), "1", "per axle, 2: a left and a right corner, 1: one in the middle", "i8"),
)
"""Rows of every record of whose numbers some are per corner and some per axle."""


@memoize_table
def sized_for(table: Table, size: AxleLayout) -> Table:
    """The table of a vehicle of that size."""
    return sized(table, axles=size.axles, wheels=size.wheels)


def record_for(table: Table, size: AxleLayout, count: int = 1) -> Record:
    """Zeroed records of it."""
    return record(sized_for(table, size), count)


def size_of(corners: Record) -> AxleLayout:
    """Size of the vehicle to which a record with the rows of STANDING belongs."""
    return AxleLayout(len(corners[0]["sides"]), len(corners[0]["axle"]))
