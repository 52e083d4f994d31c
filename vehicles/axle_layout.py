"""Numbers of axles and wheels of a vehicle: the open lengths in the tables of a vehicle.

A table with WHEELS or AXLES in its shapes describes vehicles of every size; `record_for` creates the record for one size. Kernels take the
numbers from the shapes of the records passed to them (`len(k[0]["D"])`). The numbers are constants of a compiled kernel: each size has its
own kernel, and the common size does not pay for the others.

An axle has a left and a right side, or one wheel in the middle. Corners are counted from the front, left before right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simulator.base.memoize import memoize_table
from simulator.base.records import Length, Record, Table, labeled, record, sized

AXLES = Length("axles", 2)
WHEELS = Length("wheels", 4, ("FL", "FR", "RL", "RR"))


class AxleLayout(NamedTuple):
    """Numbers of axles and wheels of a vehicle."""

    axles: int
    wheels: int

    @property
    def is_usual(self) -> bool:
        """True for the default size: two axles and four wheels."""
        return self == USUAL


USUAL = AxleLayout(int(AXLES), int(WHEELS))


@dataclass(frozen=True)
class Axles:
    """Axles of a vehicle, from the front: names in its file, and number of corners (2 or 1) of each axle."""

    names: tuple[str, ...]
    sides: tuple[int, ...]

    @property
    def size(self) -> AxleLayout:
        """Numbers of axles and wheels."""
        return AxleLayout(len(self.names), sum(self.sides))

    @property
    def corners(self) -> tuple[str, ...]:
        """Names of the corners: first letter of the axle, then L, R or M (one wheel in the middle)."""
        return tuple(
            name[0].upper() + side for name, count in zip(self.names, self.sides, strict=True) for side in ("LR" if count == 2 else "M")
        )

    def on(self, axle: int) -> range:
        """Return the corners of an axle."""
        first = sum(self.sides[:axle])
        return range(first, first + self.sides[axle])

    def of(self, corner: int) -> int:
        """Return the axle of a corner."""
        return next(n for n in range(len(self.names)) if corner in self.on(n))

    def named(self, table: Table) -> Table:
        """Return the table sized for a vehicle with these axles, with the names of its wheels."""
        return labeled(sized_for(table, self.size), WHEELS.name, self.corners)

    def write(self, standing: Record) -> None:
        """Fill the rows of STANDING of a record."""
        s, counts = standing[0], np.array(self.sides)
        s["sides"], s["first"] = counts, np.cumsum(counts) - counts
        s["axle"] = np.repeat(np.arange(len(counts)), counts)


USUAL_AXLES = Axles(("front", "rear"), (2, 2))

STANDING = (
    # name     shape   unit  what it is
    ("axle", (WHEELS,), "1", "axle of the corner", "i8"),
    ("first", (AXLES,), "1", "per axle, its first corner", "i8"),
    ("sides", (AXLES,), "1", "per axle, 2: a left and a right corner, 1: one corner in the middle", "i8"),
)
"""Rows of every record that has values per corner and values per axle."""


@memoize_table
def sized_for(table: Table, size: AxleLayout) -> Table:
    """Return the table for a vehicle of this size."""
    return sized(table, axles=size.axles, wheels=size.wheels)


def record_for(table: Table, size: AxleLayout, count: int = 1) -> Record:
    """Return zeroed records of a table for a vehicle of this size."""
    return record(sized_for(table, size), count)


def size_of(corners: Record) -> AxleLayout:
    """Return the size of the vehicle to which a record with the rows of STANDING belongs."""
    return AxleLayout(len(corners[0]["sides"]), len(corners[0]["axle"]))
