"""Bins of features: the elements that may affect each bin, and their bounds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record, record
from terrain.features.kernels import BINS, Features
from terrain.features.shapes import ADDED, CURB, LINES, highest, steepest

MAX_BINS = 2**18
SMALLEST_BIN = 1.0
"""m."""


def binned(pieces: Record) -> Features:
    """Return features with the bins that each element reaches; `pieces` are in the order of their features."""
    reach = np.array([_reach(k) for k in pieces])
    low, high = _boxes(pieces, reach)
    corner, far = low.min(axis=0), high.max(axis=0)
    size = max(SMALLEST_BIN, math.sqrt(float(np.prod(far - corner)) / MAX_BINS), float((far - corner).max()) / MAX_BINS)
    count = np.floor((far - corner) / size).astype(np.int64) + 1
    pairs = [_reached(k, r, corner, size, count, a, b) for k, r, a, b in zip(pieces, reach, low, high, strict=True)]
    bins = np.concatenate(pairs)
    items = np.repeat(np.arange(len(pieces), dtype=np.int32), [len(one) for one in pairs])
    order = np.argsort(bins, kind="stable")
    starts = np.searchsorted(bins[order], np.arange(int(count.prod()) + 1)).astype(np.int32)
    p = record(BINS)
    p[0]["origin"], p[0]["size"], p[0]["count"] = corner, size, count
    items = np.ascontiguousarray(items[order])
    bounds = np.stack([bounds_per_bin(np.array([of(k) for k in pieces]), pieces, starts, items) for of in (highest, steepest)], axis=1)
    p[0]["steepest"] = bounds[:, 1].max()
    return Features(p, starts, items, np.ascontiguousarray(pieces), bounds)


def _reach(k: Any) -> float:
    """Return the distance [m] from the axis, or line, to the outer limit of an element."""
    if k["kind"] == CURB:
        return float(k["width"] + k["fall"] + k["face"])
    if k["kind"] in LINES:
        return 0.5 * float(k["width"]) + float(k["face"])
    return 0.5 * math.hypot(k["length"] + k["face"] + 2.0 * max(k["foot"][1] - k["foot"][0], 0.0), k["width"] + k["face"])


def _boxes(pieces: Record, reach: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the minimum and maximum x, y (n, 2) of elements."""
    ends = [pieces["origin"], pieces["origin"]]
    if len(pieces):
        straight = (pieces["kind"] >= CURB) & (pieces["arc"] == 0.0)
        ends[1] = pieces["origin"] + np.where(straight, pieces["length"], 0.0)[:, None] * pieces["axis"]
    far = (reach + np.abs(pieces["arc"]))[:, None]
    return np.minimum(*ends) - far, np.maximum(*ends) + far


def _reached(
    k: Any,
    reach: float,
    corner: NDArray[np.float64],
    size: float,
    count: NDArray[np.int64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Return the bins that an element reaches: those of its bounding box; of a long straight segment only the bins near the segment."""
    first = np.clip(np.floor((low - corner) / size).astype(np.int64), 0, count - 1)
    last = np.clip(np.floor((high - corner) / size).astype(np.int64), 0, count - 1)
    i, j = np.meshgrid(np.arange(first[0], last[0] + 1), np.arange(first[1], last[1] + 1))
    if k["kind"] in LINES and k["arc"] == 0.0:
        x, y = corner[0] + (i + 0.5) * size - k["origin"][0], corner[1] + (j + 0.5) * size - k["origin"][1]
        t = np.clip(x * k["axis"][0] + y * k["axis"][1], 0.0, k["length"])
        near = np.hypot(x - t * k["axis"][0], y - t * k["axis"][1]) <= reach + size  # size is more than half a diagonal
        i, j = i[near], j[near]
    return np.asarray((j * count[0] + i).ravel(), np.int64)


def bounds_per_bin(
    of_pieces: NDArray[np.float64], pieces: Record, starts: NDArray[np.int32], items: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return a bound per bin: the sum of the features that deform the ground, each counted once, plus the maximum of the solid features."""
    added = np.isin(pieces["kind"], ADDED)
    bins = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    feature = pieces["feature"][items]
    # segments of one line differ only in the height of a curb, which is a solid feature
    _, once = np.unique(np.stack((bins, feature)), axis=1, return_index=True)
    sums = np.bincount(bins[once], weights=np.where(added[items[once]], of_pieces[items[once]], 0.0), minlength=len(starts) - 1)
    solid = np.zeros(len(starts) - 1)
    np.maximum.at(solid, bins, np.where(added[items], 0.0, of_pieces[items]))
    return np.asarray(sums + solid)
