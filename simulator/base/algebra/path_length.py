"""Length along a path of points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def path_length(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the length of the path from the first of the points (n,), (n,) to each point (n,)."""
    return np.concatenate(([0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))))
