"""Friction coefficients of the hard tiles of Verti-Bench as its simulator uses them: tiles of one material merged into rectangles."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from terrain.readers.contract import FloatArray


def merged_friction(materials: NDArray[np.str_], friction: FloatArray) -> FloatArray:
    """Return the friction coefficient of each tile after the merging of tiles; NaN at soft tiles stays.

    Tiles of one material are covered by rectangles of w columns by h rows. The next rectangle is the one with the largest (8 w + 1)(8 h + 1)
    that lies completely in the rest; of several, that with the smaller w, then the smaller h, then the upper row, then the left column. All
    its tiles get the friction of the tile that comes last in the iteration over a set of the pairs (row, column). The order of this set is
    that of 64-bit CPython, 3.8 or later, as in the program that built the benchmark.

    Parameters
    ----------
    materials : (n, n) names, row 0 in the north
    friction : (n, n), NaN at soft tiles
    """
    out = friction.copy()
    for material in np.unique(materials):
        rest = (materials == material) & ~np.isnan(friction)
        if rest.any():
            _merge(rest, friction, out)
    return out


def _merge(rest: NDArray[np.bool_], friction: FloatArray, out: FloatArray) -> None:
    """Cover the tiles of `rest` with rectangles, and write the friction of each; `rest` is empty afterwards."""
    rows, columns = rest.shape
    sizes = sorted(
        ((w, h) for w in range(1, columns + 1) for h in range(1, rows + 1)), key=lambda s: (-(8 * s[0] + 1) * (8 * s[1] + 1), *s)
    )
    for w, h in sizes:  # the rest only shrinks: a size that does not fit never fits again
        while True:
            inside = np.argwhere(sliding_window_view(rest, (h, w)).all(axis=(2, 3)))
            if not len(inside):
                break
            i0, j0 = (int(k) for k in inside[0])
            last = list({(i0 + i, j0 + j) for i in range(h) for j in range(w)})[-1]
            out[i0 : i0 + h, j0 : j0 + w] = friction[last]
            rest[i0 : i0 + h, j0 : j0 + w] = False
