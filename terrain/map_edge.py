"""The edge of a map: a strip in which the land rolls off, so that its mirror image can follow without a crease.

Beyond its grid a landscape goes on as its mirror images, for ever (`terrain.ground.nodes_around`). A slope towards the edge would meet
its own image in a sharp crest or ditch there. So a margin is added in which the slope across the edge fades to nothing.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Index = TypeVar("Index", bound=np.integer)
INNER = 8
"""Cells inside the edge over which the slope across it is taken."""


def mirrored_margin(nodes: NDArray[Index], margin: tuple[int, int]) -> NDArray[Index]:
    """Nodes (ny, nx) with `margin` rows and columns more on each side, mirror images of those inside."""
    return np.pad(nodes, tuple((n, n) for n in margin), mode="symmetric")


def faded_margin(shape: tuple[int, int], margin: tuple[int, int]) -> NDArray[np.float32]:
    """Factor of bumps (ny, nx): 1 inside, in the margin falling to 0 at its outer border in a C1 step, for waves longer than a few cells."""
    share = []
    for count, width in zip(shape, margin, strict=True):
        k = np.arange(count)
        t = np.clip(np.minimum(k, count - 1 - k) / max(width, 1), 0.0, 1.0)
        share.append((t * t * (3.0 - 2.0 * t)).astype(np.float32))
    return np.outer(*share)


def rolled_off(heights: NDArray[np.float32], margin: tuple[int, int], spacing: float) -> NDArray[np.float32]:
    """Heights (ny, nx) in m with `margin` rows and columns more on each side; those given keep their bits.

    At a distance d outside an edge of height h and outward slope s, with D the width of the margin:

        z = h + s d (1 - d / 2 D)

    which goes on with the slope s and comes to rest at D, no steeper than before. s is taken over INNER cells and smoothed along the edge over
    a quarter of D, so that small bumps at the edge do not grow into furrows. Corners: first across x, then across y.
    """
    wide = _rolled_off_along_rows(heights.T, margin[1], spacing).T
    return np.ascontiguousarray(_rolled_off_along_rows(wide, margin[0], spacing), np.float32)


def _rolled_off_along_rows(heights: NDArray[np.float32], margin: int, spacing: float) -> NDArray[np.float32]:
    """`margin` rows more before the first and after the last."""
    before = _strip(heights, margin, spacing)[::-1]
    after = _strip(heights[::-1], margin, spacing)
    return np.concatenate((before, heights, after))


def _strip(heights: NDArray[np.float32], margin: int, spacing: float) -> NDArray[np.float32]:
    """(margin, n) rows that go on outside row 0, the nearest first."""
    inner = min(INNER, len(heights) - 1)
    slope = _smoothed((heights[0].astype(np.float64) - heights[inner]) / (inner * spacing), 0.25 * margin)
    d = spacing * np.arange(1, margin + 1)[:, None]
    return (heights[0] + slope * d * (1.0 - d / (2.0 * spacing * margin))).astype(np.float32)


def _smoothed(values: NDArray[np.float64], deviation: float) -> NDArray[np.float64]:
    """Values (n,) blended with a Gaussian window of that standard deviation, in places; mirrored at the ends."""
    half = min(round(3.0 * deviation), len(values) - 1)
    window = np.exp(-0.5 * (np.arange(-half, half + 1) / max(deviation, 1e-9)) ** 2)
    return np.convolve(np.pad(values, half, mode="symmetric"), window / window.sum(), mode="valid")
