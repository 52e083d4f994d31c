"""Tree of bounding boxes of objects, by the surface-area heuristic: a ray meets the boxes of a few of many objects.

A leaf has one item, for example an object. The numbers of a tree are nodes 0, 1, ... and items -1, -2, ...; a node has two of them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.jit import inline, kernel

NONE = -(2**31)
"""Number of no item."""
PARTS = 16
"""Numbers of places along an axis where a set of items may be divided."""
DEEPEST = 128
"""Maximum number of numbers that wait while a ray goes through a tree."""
DEEP = 60
"""Depth from which on a set of items is divided into halves, which limits the depth for any number of items."""
HUGE = 1e300


class Tree(NamedTuple):
    """Arrays of a tree, for kernels."""

    boxes: NDArray[np.float32]
    """(nodes, 2, 6) of both members of a node: minimum and maximum x, y, z [m], rounded outward"""
    links: NDArray[np.int64]
    """(nodes, 2) their numbers"""


class Way(NamedTuple):
    """Scratch of a way through a tree."""

    waiting: NDArray[np.int64]
    """(DEEPEST,) numbers"""
    entry: NDArray[np.float64]
    """(DEEPEST,) m along the ray, entry of their boxes"""


class Builder(NamedTuple):
    """Scratch for building a tree."""

    order: NDArray[np.int64]
    """(items,)"""
    parts: NDArray[np.float64]
    waiting: NDArray[np.int64]


def new_builder(count: int) -> Builder:
    """Return the scratch for a tree of `count` items."""
    return Builder(np.zeros(count, np.int64), np.zeros((3 * PARTS, 7)), np.zeros((DEEPEST, 4), np.int64))


def empty_tree(count: int) -> Tree:
    """Return a tree with room for `count` items, without any."""
    return Tree(np.zeros((max(count - 1, 1), 2, 6), np.float32), np.full((max(count - 1, 1), 2), NONE, np.int64))


def new_way() -> Way:
    """Return the scratch of a way."""
    return Way(np.zeros(DEEPEST, np.int64), np.zeros(DEEPEST))


def tree_over(low: NDArray[np.float64], high: NDArray[np.float64]) -> Tree:
    """Return the tree of items with bounds low and high (n, 3) [m]."""
    out = empty_tree(len(low))
    build_tree(low, high, new_builder(len(low)), out)
    return out


@kernel
def build_tree(low, high, builder, tree):
    """Write a tree over the bounds low, high (n, 3) [m]."""
    order, parts, waiting = builder
    boxes, links = tree
    n = len(order)
    for k in range(n):
        order[k] = k
    links[0, 0] = links[0, 1] = NONE
    for k in range(2):
        _set_box(boxes[0, k], low, high, order, 0, 0)
    if n == 0:
        return
    if n == 1:
        links[0, 0] = -1
        _set_box(boxes[0, 0], low, high, order, 0, 1)
        return
    used, nodes = 1, 1
    waiting[0, 0], waiting[0, 1], waiting[0, 2], waiting[0, 3] = 0, n, 0, 0
    while used > 0:
        used -= 1
        first, last, node, depth = waiting[used, 0], waiting[used, 1], waiting[used, 2], waiting[used, 3]
        middle = (first + last) // 2
        if depth < DEEP:
            middle = _divide(low, high, order, first, last, parts)
        for k in range(2):
            a, b = (first, middle) if k == 0 else (middle, last)
            _set_box(boxes[node, k], low, high, order, a, b)
            if b == a + 1:
                links[node, k] = -1 - order[a]
                continue
            links[node, k] = nodes
            waiting[used, 0], waiting[used, 1], waiting[used, 2], waiting[used, 3] = a, b, nodes, depth + 1
            used, nodes = used + 1, nodes + 1


@inline
def _set_box(box, low, high, order, first, last):
    """Write the bounds of the items order[first:last], rounded outward."""
    for k in range(3):
        a, b = math.inf, -math.inf
        for n in range(first, last):
            a, b = min(a, low[order[n], k]), max(b, high[order[n], k])
        box[k], box[3 + k] = a - 1e-6 - 2e-7 * abs(a), b + 1e-6 + 2e-7 * abs(b)


@inline
def _divide(low, high, order, first, last, parts):
    """Divide the items order[first:last], by their centers, where the sum over both sets of surface times number is least; return the start of the second."""
    best, axis, at, origin, scale = math.inf, 0, 0, 0.0, 0.0
    for k in range(3):
        a, b = math.inf, -math.inf
        for n in range(first, last):
            center = low[order[n], k] + high[order[n], k]
            a, b = min(a, center), max(b, center)
        if not b > a:
            continue
        per = 0.999999 * PARTS / (b - a)
        _fill_parts(low, high, order[first:last], k, a, per, parts)
        for cut in range(1, PARTS):
            cost = parts[PARTS + cut - 1, 0] + parts[2 * PARTS + cut, 0]
            if cost < best:
                best, axis, at, origin, scale = cost, k, cut, a, per
    if best == math.inf:
        return (first + last) // 2
    middle = first
    for n in range(first, last):
        row = order[n]
        if _part_of(low, high, row, axis, origin, scale) < at:
            order[n], order[middle] = order[middle], row
            middle += 1
    return middle if first < middle < last else (first + last) // 2


@inline
def _fill_parts(low, high, rows, axis, origin, scale, parts):
    """Write number and bounds of each part along an axis, and the costs of all parts before and after a place to the rows behind."""
    for part in range(PARTS):
        parts[part, 0] = 0.0
        for k in range(3):
            parts[part, 1 + k], parts[part, 4 + k] = math.inf, -math.inf
    for row in rows:
        part = parts[_part_of(low, high, row, axis, origin, scale)]
        part[0] += 1.0
        for k in range(3):
            part[1 + k], part[4 + k] = min(part[1 + k], low[row, k]), max(part[4 + k], high[row, k])
    for back in range(2):
        count, x0, y0, z0, x1, y1, z1 = 0.0, math.inf, math.inf, math.inf, -math.inf, -math.inf, -math.inf
        for k in range(PARTS):
            at = PARTS - 1 - k if back else k
            p = parts[at]
            count += p[0]
            x0, y0, z0, x1, y1, z1 = min(x0, p[1]), min(y0, p[2]), min(z0, p[3]), max(x1, p[4]), max(y1, p[5]), max(z1, p[6])
            x, y, z = x1 - x0, y1 - y0, z1 - z0
            parts[(2 if back else 1) * PARTS + at, 0] = count * (x * y + y * z + z * x) if count > 0.0 else math.inf


@inline
def _part_of(low, high, row, axis, origin, scale):
    """Return the part of an item; no number, not even NaN, leads to a part out of range."""
    return min(max(int((low[row, axis] + high[row, axis] - origin) * scale), 0), PARTS - 1)


@inline
def start_way(way):
    """Put the root of a tree into a way; return the number of numbers that wait."""
    way.waiting[0], way.entry[0] = 0, 0.0
    return 1


@inline
def next_item(tree, ray, per, end, way, used):
    """Return (next item of a tree whose box a ray meets at 0 <= t <= end, numbers that wait); item -1 = there is none. Nearer boxes come first.

    Parameters
    ----------
    ray : x, y, z of the origin, x, y, z of the direction
    per : `inverses` of the direction
    way, used : `Way` and the numbers that wait in it
    """
    while used > 0:
        used -= 1
        link = way.waiting[used]
        if way.entry[used] > end:
            continue
        while link >= 0:
            a, b = _enters(tree.boxes[link, 0], ray, per, end), _enters(tree.boxes[link, 1], ray, per, end)
            near, far = tree.links[link, 0], tree.links[link, 1]
            if b < a:
                near, far, a, b = far, near, b, a
            if b < math.inf:
                way.waiting[used], way.entry[used] = far, b
                used += 1
            link = near if a < math.inf else NONE
        if link != NONE:
            return -1 - link, used
    return -1, 0


@inline
def _enters(box, ray, per, end):
    """Return t where a ray enters a box, inf if it misses it."""
    x0, x1 = (box[0] - ray[0]) * per[0], (box[3] - ray[0]) * per[0]
    y0, y1 = (box[1] - ray[1]) * per[1], (box[4] - ray[1]) * per[1]
    z0, z1 = (box[2] - ray[2]) * per[2], (box[5] - ray[2]) * per[2]
    first = max(min(x0, x1), min(y0, y1), min(z0, z1), 0.0)
    last = min(max(x0, x1), max(y0, y1), max(z0, z1), end)
    return first if first <= last else math.inf


@inline
def inverses(ray):
    """Return 1 / direction of a ray, with a large number in place of infinity."""
    return _inverse(ray[3]), _inverse(ray[4]), _inverse(ray[5])


@inline
def _inverse(d):
    return 1.0 / d if abs(d) > 1.0 / HUGE else HUGE
