"""Piecewise cubic polynomials along a road: elevation, superelevation, lane offset, widths and borders of lanes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simulator.base.arrays import Array
from simulator.base.xml_file import XmlElement

LARGEST = 1e8
"""Largest magnitude of a coefficient."""


@dataclass(frozen=True)
class Profile:
    """Cubic polynomials a + b u + c u^2 + d u^3 of the distance u from the begin of their piece; 0 before the first one.

    Attributes
    ----------
    begins : (n,) begins of the pieces [m], ascending
    coefficients : (n, 4) a, b, c, d
    """

    begins: Array
    coefficients: Array

    def __bool__(self) -> bool:
        return len(self.begins) > 0

    def at(self, s: Array, derivative: bool = False) -> Array:
        """Return the values at stations (n,) [m], or the derivatives."""
        s = np.asarray(s, np.float64)
        if not len(self.begins):
            return np.zeros_like(s)
        piece = np.searchsorted(self.begins, s + 1e-9, side="right") - 1
        a, b, c, d = np.where(piece >= 0, self.coefficients[np.maximum(piece, 0)].T, 0.0)
        u = s - self.begins[np.maximum(piece, 0)]
        return b + u * (2.0 * c + 3.0 * d * u) if derivative else a + u * (b + u * (c + d * u))


def read_profile(elements: Sequence[XmlElement], begin: str = "s", offset: float = 0.0) -> Profile:
    """Return the profile of elements with the attributes a, b, c, d. Raises ConfigError: an attribute is no number, or missing.

    Parameters
    ----------
    begin : attribute with the begin of a piece
    offset : added to the begins [m]
    """
    rows = [
        (offset + one.number(begin, low=-LARGEST, high=LARGEST), *(one.number(k, 0.0, -LARGEST, LARGEST) for k in "abcd"))
        for one in elements
    ]
    table = np.array(sorted(rows, key=lambda row: row[0])).reshape(-1, 5)
    return Profile(table[:, 0], table[:, 1:])
