"""A number of a paper beside that of Jounce."""

from __future__ import annotations

import math
from typing import NamedTuple


class Compared(NamedTuple):
    """A number of a paper beside that of Jounce, in the same unit."""

    name: str
    unit: str
    paper: float
    ours: float

    @property
    def ratio(self) -> float:
        """Number of Jounce over that of the paper; NaN if that is 0 and the other is not, 1 if both are."""
        if self.paper == 0.0:
            return 1.0 if self.ours == 0.0 else math.nan
        return self.ours / self.paper
