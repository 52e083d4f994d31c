"""Style of all plots: colors, lines, fonts, and thinning of long records."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

INK, QUIET, BLUE, RED, AMBER, SHADE = "#222222", "#9aa0a6", "#1f5fa8", "#b3261e", "#d9730d", "#eef2f7"
COLORS = (BLUE, RED, AMBER, "#2e7d5b", "#6b4fa0", QUIET)
"""Colors of the curves of one panel, in order."""
STYLE: Any = {
    "font.size": 10.0,
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "axes.titlesize": 11.0,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e3e6ea",
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
    "xtick.color": INK,
    "ytick.color": INK,
    "lines.linewidth": 1.6,
    "legend.frameon": False,
}
SHOWN_AS = {
    "rad": ("deg", np.rad2deg(1.0)),
    "rad/s": ("deg/s", np.rad2deg(1.0)),
    "rad/s2": ("deg/s2", np.rad2deg(1.0)),
}
"""Display unit and factor of a unit."""
MOST_POINTS = 20_000
"""Maximum number of points of a curve; a longer record is reduced to the minimum and maximum of STRETCHES equal intervals."""
STRETCHES = 2000


def thinned(t: NDArray, values: NDArray) -> tuple[NDArray, NDArray]:
    """Return the curve (n,), (n,); a long curve is reduced to the minimum and maximum of each interval, in order of time."""
    if len(t) <= MOST_POINTS:
        return t, values
    interval = -(-len(t) // STRETCHES)
    count = len(t) // interval
    rows = values[: count * interval].reshape(count, interval)
    first = np.arange(count) * interval
    selected = np.sort(np.stack((first + rows.argmin(axis=1), first + rows.argmax(axis=1)), axis=1), axis=1).ravel()
    selected = np.append(selected, len(t) - 1)
    return t[selected], values[selected]
