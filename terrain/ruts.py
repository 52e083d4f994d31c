"""Rut memory for kernels: the depth to which soil of hardness 0 was pressed at the nodes of a worldwide grid.

A node of the grid (`terrain.rut_grid`) stores the maximum sinkage z_u of a wheel that rolled over it, measured from the undisturbed ground. Tiles of
nodes are in a pool. An open-addressing hash table maps their indices to the pool (linear probing, removal by moving back: Knuth, The Art of Computer
Programming 3, 6.4, algorithm R). If the pool is full, the clock algorithm (Corbató 1968) evicts the first tile that was not read since the last pass
of the hand. Evicted tiles go to a ring buffer, which `terrain.rut_memory` empties. All memory is allocated before the drive.

A memory without tiles stores nothing and costs one comparison.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.jit import inline, kernel
from simulator.base.records import Record, record
from terrain.rut_grid import BITS, SPACING, TILE, UNIT

NODES = 1.0 / SPACING
"""1/m."""
FARTHEST = 1e8
"""Maximum distance from the origin in nodes for which ruts are stored; 5000 km."""
MAX_ACROSS = 32
"""Maximum number of points across a wheel at which ruts are read; their distance is at most 1.5 nodes."""
LONGEST_SWEEP = 1.0
"""m. Distance of a wheel in one step above which it counts as a jump: only the end of the motion is pressed."""

RUTS = (
    # name       shape unit  description
    ("tiles", (), "1", "number of tiles in use", "i8"),
    ("hand", (), "1", "tile at the hand of the clock algorithm", "i8"),
    ("epoch", (), "1", "number of the epoch; a changed tile is recorded once per epoch", "i8"),
    ("noted", (), "1", "number of records written to `changed`; the last record is at (noted - 1) % length", "i8"),
    ("spilled", (), "1", "number of tiles written to the ring; the next one goes to spilled % length", "i8"),
    ("taken", (), "1", "number of tiles read from the ring", "i8"),
    ("forgotten", (), "1", "number of tiles lost because the ring was full", "i8"),
)


class Ruts(NamedTuple):
    """Arrays of the rut memory, for kernels."""

    state: Record
    """(1,) of RUTS"""
    slots: NDArray[np.int32]
    """(2^m,) hash table: number of a tile + 1, or 0"""
    places: NDArray[np.int32]
    """(n, 2) index of each tile; its node [0, 0] is at x, y = TILE SPACING index"""
    depths: NDArray[np.uint16]
    """(n, TILE, TILE) depth in UNIT, [y, x]"""
    seen: NDArray[np.uint8]
    """(n,) 1: read since the last pass of the hand"""
    stamp: NDArray[np.int64]
    """(n,) epoch in which the change of the tile was last recorded"""
    changed: NDArray[np.int32]
    """(2^k,) numbers of the tiles that changed last"""
    ring_places: NDArray[np.int32]
    """(r, 2) indices of evicted tiles"""
    ring_depths: NDArray[np.uint16]
    """(r, TILE, TILE) depths of evicted tiles"""


def new_ruts(tiles: int, ring: int, changes: int) -> Ruts:
    """Return an empty memory for `tiles` tiles; `changes` is a power of 2. The operating system allocates the pages on first use."""
    slots = 1 << max(2 * tiles - 1, 1).bit_length()
    memory = Ruts(
        state=record(RUTS),
        slots=np.zeros(slots, np.int32),
        places=np.zeros((tiles, 2), np.int32),
        depths=np.zeros((tiles, TILE, TILE), np.uint16),
        seen=np.zeros(tiles, np.uint8),
        stamp=np.zeros(tiles, np.int64),
        changed=np.zeros(changes, np.int32),
        ring_places=np.zeros((ring, 2), np.int32),
        ring_depths=np.zeros((ring, TILE, TILE), np.uint16),
    )
    memory.state[0]["epoch"] = 1
    return memory


NO_RUTS = new_ruts(0, 0, 1)
"""Memory that stores nothing, for computations outside a drive."""


@inline
def remembers(ruts):
    """Return True if the memory has tiles."""
    return len(ruts.depths) > 0


@inline
def home(ruts, ix, iy):
    """Return the slot at which the search for the tile (ix, iy) starts."""
    mixed = (int(ix) * 2654435761 + int(iy) * 2246822519) & 0xFFFFFFFF
    mixed = ((mixed ^ (mixed >> 15)) * 2246822519) & 0xFFFFFFFF
    return (mixed ^ (mixed >> 13)) & (len(ruts.slots) - 1)


@inline
def locate(ruts, ix, iy):
    """Return the number of the tile (ix, iy), -1 if it does not exist."""
    at = home(ruts, ix, iy)
    while True:
        n = ruts.slots[at] - 1
        if n < 0 or (ruts.places[n, 0] == ix and ruts.places[n, 1] == iy):
            return n
        at = (at + 1) & (len(ruts.slots) - 1)


@inline
def find(ruts, ix, iy):
    """Return the number of the tile (ix, iy) as `locate` does, and mark the tile as read, which protects it from eviction."""
    n = locate(ruts, ix, iy)
    if n >= 0:
        ruts.seen[n] = 1
    return n


@kernel
def tile_at(ruts, ix, iy):
    """Return the number of the tile (ix, iy); create it if needed, and evict another tile if the pool is full."""
    n = find(ruts, ix, iy)
    if n >= 0:
        return n
    s = ruts.state[0]
    if s["tiles"] < len(ruts.depths):
        n = s["tiles"]
        s["tiles"] += 1
    else:
        n = _evict(ruts)
    ruts.places[n, 0], ruts.places[n, 1], ruts.seen[n] = ix, iy, 1
    at = home(ruts, ix, iy)
    while ruts.slots[at] != 0:
        at = (at + 1) & (len(ruts.slots) - 1)
    ruts.slots[at] = n + 1
    return n


@kernel
def _evict(ruts):
    """Evict a tile and return its number: it is removed from the table and set to zero, and its content goes to the ring."""
    s = ruts.state[0]
    n = s["hand"]
    while ruts.seen[n] != 0:
        ruts.seen[n] = 0
        n = n + 1 if n + 1 < len(ruts.depths) else 0
    s["hand"] = n + 1 if n + 1 < len(ruts.depths) else 0
    if s["spilled"] - s["taken"] < len(ruts.ring_depths):
        free = s["spilled"] % len(ruts.ring_depths)
        ruts.ring_places[free, 0], ruts.ring_places[free, 1] = ruts.places[n, 0], ruts.places[n, 1]
        for j in range(TILE):
            for i in range(TILE):
                ruts.ring_depths[free, j, i] = ruts.depths[n, j, i]
        s["spilled"] += 1
    else:
        s["forgotten"] += 1
    for j in range(TILE):
        for i in range(TILE):
            ruts.depths[n, j, i] = 0
    _remove_from_table(ruts, n)
    return n


@inline
def _remove_from_table(ruts, n):
    """Remove tile n from the table; later entries move up, so that no search ends early."""
    last = len(ruts.slots) - 1
    empty = home(ruts, ruts.places[n, 0], ruts.places[n, 1])
    while ruts.slots[empty] != n + 1:
        empty = (empty + 1) & last
    at = empty
    while True:
        at = (at + 1) & last
        m = ruts.slots[at]
        if m == 0:
            break
        if ((at - home(ruts, ruts.places[m - 1, 0], ruts.places[m - 1, 1])) & last) >= ((at - empty) & last):
            ruts.slots[empty] = m
            empty = at
    ruts.slots[empty] = 0


@inline
def _record_change(ruts, n):
    """Record that tile n has changed."""
    s = ruts.state[0]
    if ruts.stamp[n] != s["epoch"]:
        ruts.stamp[n] = s["epoch"]
        ruts.changed[s["noted"] & (len(ruts.changed) - 1)] = n
        s["noted"] += 1


@kernel
def merge_tile(ruts, ix, iy, depths):
    """Merge depths (TILE, TILE) in UNIT into the tile (ix, iy): the maximum of both counts."""
    n = tile_at(ruts, ix, iy)
    for j in range(TILE):
        for i in range(TILE):
            ruts.depths[n, j, i] = max(ruts.depths[n, j, i], depths[j, i])
    _record_change(ruts, n)


@inline
def _node(ruts, i, j):
    """Return the depth of node (i, j), in UNIT."""
    n = find(ruts, i >> BITS, j >> BITS)
    return float(ruts.depths[n, j & (TILE - 1), i & (TILE - 1)]) if n >= 0 else 0.0


@kernel
def depth_across(ruts, x, y, a_x, a_y, half):
    """Return the mean depth [m] of the ruts along a line of half length `half` [m] about (x, y) in W, direction (a_x, a_y) of length 1.

    Depths are bilinear between nodes, so the result is continuous in all arguments. It is 0 on undisturbed ground and for arguments that are not finite.
    """
    if ruts.state[0]["tiles"] == 0:
        return 0.0
    count = min(math.ceil(half * (NODES / 0.75)) + 1, MAX_ACROSS)
    apart = 2.0 * half / count
    n, at_x, at_y, total = -1, 1 << 60, 1 << 60, 0.0
    for k in range(count):
        t = (k + 0.5) * apart - half
        u, v = (x + t * a_x) * NODES, (y + t * a_y) * NODES
        if not (abs(u) < FARTHEST and abs(v) < FARTHEST):
            return 0.0
        low_u, low_v = math.floor(u), math.floor(v)
        i, j, u, v = int(low_u), int(low_v), u - low_u, v - low_v
        in_x, in_y = i & (TILE - 1), j & (TILE - 1)
        if in_x < TILE - 1 and in_y < TILE - 1:
            if i >> BITS != at_x or j >> BITS != at_y:
                at_x, at_y = i >> BITS, j >> BITS
                n = find(ruts, at_x, at_y)
            if n < 0:
                continue
            d00, d01 = float(ruts.depths[n, in_y, in_x]), float(ruts.depths[n, in_y, in_x + 1])
            d10, d11 = float(ruts.depths[n, in_y + 1, in_x]), float(ruts.depths[n, in_y + 1, in_x + 1])
        else:
            d00, d01 = _node(ruts, i, j), _node(ruts, i + 1, j)
            d10, d11 = _node(ruts, i, j + 1), _node(ruts, i + 1, j + 1)
        total += (1.0 - v) * ((1.0 - u) * d00 + u * d01) + v * ((1.0 - u) * d10 + u * d11)
    return UNIT * total / count


@kernel
def depth_at(ruts, x, y):
    """Return the depth [m] at (x, y) in W, bilinear between the nodes. Tiles are not marked as read: a sensor does not change the memory."""
    u, v = x * NODES, y * NODES
    if ruts.state[0]["tiles"] == 0 or not (abs(u) < FARTHEST and abs(v) < FARTHEST):
        return 0.0
    low_u, low_v = math.floor(u), math.floor(v)
    i, j, u, v = int(low_u), int(low_v), u - low_u, v - low_v
    below = (1.0 - u) * _unmarked_node(ruts, i, j) + u * _unmarked_node(ruts, i + 1, j)
    above = (1.0 - u) * _unmarked_node(ruts, i, j + 1) + u * _unmarked_node(ruts, i + 1, j + 1)
    return UNIT * ((1.0 - v) * below + v * above)


@inline
def _unmarked_node(ruts, i, j):
    """Return the depth of node (i, j), in UNIT, without marking its tile as read."""
    n = locate(ruts, i >> BITS, j >> BITS)
    return float(ruts.depths[n, j & (TILE - 1), i & (TILE - 1)]) if n >= 0 else 0.0


@kernel
def press(ruts, at, heading, motion, half, depth):
    """Press the soil to `depth` [m] in the area that a line across a wheel swept in one step; deeper nodes are unchanged.

    Nodes within half a SPACING of the swept area are pressed, at any speed.

    Parameters
    ----------
    at : (x, y) in W [m], center of the line at the end of the step
    heading : (x, y) in W, of length 1, perpendicular to the line
    motion : (ahead, left) [m], distance of the center in this step along the heading and to the left
    half : half length of the line [m]
    """
    (x, y), (e_x, e_y), (ahead, left) = at, heading, motion
    if not (abs(x) < SPACING * FARTHEST and abs(y) < SPACING * FARTHEST and abs(e_x) + abs(e_y) < 2.0 and depth > 0.0):
        return
    pressed = int(min(depth / UNIT, 65535.0) + 0.5)
    if pressed == 0:
        return
    if not (abs(ahead) < LONGEST_SWEEP and abs(left) < LONGEST_SWEEP):
        ahead = left = 0.0
    edge = 0.5 * SPACING
    rear, front = min(-ahead, 0.0) - edge, max(-ahead, 0.0) + edge
    right, left = min(-left, 0.0) - half - edge, max(-left, 0.0) + half + edge
    reach_y = max(rear * e_y, front * e_y) + max(right * e_x, left * e_x)
    lowest_y = min(rear * e_y, front * e_y) + min(right * e_x, left * e_x)
    per_x, per_y = _per(e_x), _per(-e_y)
    n, at_x, at_y = -1, 1 << 60, 1 << 60
    for j in range(math.ceil((y + lowest_y) * NODES), math.floor((y + reach_y) * NODES) + 1):
        # part of this row of nodes inside the area, between front and rear and between the sides
        dy = j * SPACING - y
        a, b = (rear - dy * e_y) * per_x, (front - dy * e_y) * per_x
        c, d = (right - dy * e_x) * per_y, (left - dy * e_x) * per_y
        low, high = max(min(a, b), min(c, d)), min(max(a, b), max(c, d))
        if not low <= high:
            continue
        for i in range(math.ceil((x + low) * NODES), math.floor((x + high) * NODES) + 1):
            if i >> BITS != at_x or j >> BITS != at_y:
                at_x, at_y = i >> BITS, j >> BITS
                n = tile_at(ruts, at_x, at_y)
            if ruts.depths[n, j & (TILE - 1), i & (TILE - 1)] < pressed:
                ruts.depths[n, j & (TILE - 1), i & (TILE - 1)] = pressed
                _record_change(ruts, n)


@inline
def _per(slope):
    """Return 1 / slope; for a row of nodes parallel to a side a large number, so that the entire row is inside or outside."""
    return 1.0 / slope if abs(slope) > 1e-9 else 1e9
