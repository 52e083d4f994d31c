"""Memory of the soil: how deep soil of hardness 0 was pressed at the nodes of a grid over the whole world, wherever somebody has driven.

A node of the grid (`terrain.rut_grid`) keeps the greatest sinkage z_u of a wheel that rolled over it, measured from the ground as it was before
anybody came. Tiles lie one after the other in a pool and are found by an
open-addressing table of their indices (linear probing, removal by moving back: Knuth, The Art of Computer Programming 3, 6.4, algorithm R).
When the pool is full the clock goes round (Corbató 1968): the first tile that nobody has looked at since the hand last came by makes room and
goes into a ring, out of which `terrain.rut_memory` takes it. Everything is made before the drive; nothing here needs a heap.

A memory without tiles remembers nothing and costs a comparison.
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
"""Nodes from the origin beyond which nothing is remembered; 5000 km."""
MOST_ACROSS = 32
"""Points at most at which the soil is looked at across a wheel; they are a node and a half apart, or less."""
LONGEST_SWEEP = 1.0
"""m. Way of a wheel in one step beyond which it counts as a jump: its end alone is pressed."""

RUTS = (
    # name       shape unit  what it is
    ("tiles", (), "1", "tiles in use", "i8"),
    ("hand", (), "1", "tile that the clock's hand points at", "i8"),
    ("epoch", (), "1", "a tile that changes is noted once in each of them", "i8"),
    ("noted", (), "1", "tiles noted in `changed` so far; the last one at place (noted - 1) % length", "i8"),
    ("spilled", (), "1", "tiles put into the ring so far, at place spilled % length", "i8"),
    ("taken", (), "1", "tiles taken out of it so far", "i8"),
    ("forgotten", (), "1", "tiles that found the ring full, and are lost", "i8"),
)


class Ruts(NamedTuple):
    """The memory as kernels take it."""

    state: Record
    """(1,) of RUTS"""
    slots: NDArray[np.int32]
    """(2^m,) table: number of a tile + 1, or 0"""
    places: NDArray[np.int32]
    """(n, 2) index of each tile: its node [0, 0] lies at x, y = TILE SPACING index"""
    depths: NDArray[np.uint16]
    """(n, TILE, TILE) depth in UNIT, [y, x]"""
    seen: NDArray[np.uint8]
    """(n,) 1: looked at since the clock's hand came by"""
    stamp: NDArray[np.int64]
    """(n,) epoch in which the tile was noted last"""
    changed: NDArray[np.int32]
    """(2^k,) tiles that have changed, the latest ones"""
    ring_places: NDArray[np.int32]
    """(r, 2) of tiles that had to make room"""
    ring_depths: NDArray[np.uint16]
    """(r, TILE, TILE) theirs"""


def new_ruts(tiles: int, ring: int, changes: int) -> Ruts:
    """A memory of so many tiles in which nobody has driven yet; `changes` is a power of 2. The system gives the pages when they are used."""
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
"""Remembers nothing; for all that is tried and not driven."""


@inline
def remembers(ruts):
    """Whether there is anything to write into."""
    return len(ruts.depths) > 0


@inline
def home(ruts, ix, iy):
    """Slot at which the search for the tile (ix, iy) begins."""
    mixed = (int(ix) * 2654435761 + int(iy) * 2246822519) & 0xFFFFFFFF
    mixed = ((mixed ^ (mixed >> 15)) * 2246822519) & 0xFFFFFFFF
    return (mixed ^ (mixed >> 13)) & (len(ruts.slots) - 1)


@inline
def locate(ruts, ix, iy):
    """Number of the tile (ix, iy), -1 where nobody has driven."""
    at = home(ruts, ix, iy)
    while True:
        n = ruts.slots[at] - 1
        if n < 0 or (ruts.places[n, 0] == ix and ruts.places[n, 1] == iy):
            return n
        at = (at + 1) & (len(ruts.slots) - 1)


@inline
def find(ruts, ix, iy):
    """The same of a tile that counts as seen from then on: it stays."""
    n = locate(ruts, ix, iy)
    if n >= 0:
        ruts.seen[n] = 1
    return n


@kernel
def tile_at(ruts, ix, iy):
    """Number of the tile (ix, iy), made if need be; where the pool is full another one makes room."""
    n = find(ruts, ix, iy)
    if n >= 0:
        return n
    s = ruts.state[0]
    if s["tiles"] < len(ruts.depths):
        n = s["tiles"]
        s["tiles"] += 1
    else:
        n = _emptied(ruts)
    ruts.places[n, 0], ruts.places[n, 1], ruts.seen[n] = ix, iy, 1
    at = home(ruts, ix, iy)
    while ruts.slots[at] != 0:
        at = (at + 1) & (len(ruts.slots) - 1)
    ruts.slots[at] = n + 1
    return n


@kernel
def _emptied(ruts):
    """Number of the tile that makes room, in no slot any more and all zero; its content goes into the ring."""
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
    _leave_slot(ruts, n)
    return n


@inline
def _leave_slot(ruts, n):
    """Take tile n out of the table; those behind it move up, so that no search ends early."""
    last = len(ruts.slots) - 1
    hole = home(ruts, ruts.places[n, 0], ruts.places[n, 1])
    while ruts.slots[hole] != n + 1:
        hole = (hole + 1) & last
    at = hole
    while True:
        at = (at + 1) & last
        m = ruts.slots[at]
        if m == 0:
            break
        if ((at - home(ruts, ruts.places[m - 1, 0], ruts.places[m - 1, 1])) & last) >= ((at - hole) & last):
            ruts.slots[hole] = m
            hole = at
    ruts.slots[hole] = 0


@inline
def _note(ruts, n):
    """Tile n has changed."""
    s = ruts.state[0]
    if ruts.stamp[n] != s["epoch"]:
        ruts.stamp[n] = s["epoch"]
        ruts.changed[s["noted"] & (len(ruts.changed) - 1)] = n
        s["noted"] += 1


@kernel
def merge_tile(ruts, ix, iy, depths):
    """Remember the tile (ix, iy), depths (TILE, TILE) in UNIT, beside what is known: the deeper one counts."""
    n = tile_at(ruts, ix, iy)
    for j in range(TILE):
        for i in range(TILE):
            ruts.depths[n, j, i] = max(ruts.depths[n, j, i], depths[j, i])
    _note(ruts, n)


@inline
def _node(ruts, i, j):
    """Depth of node (i, j), in UNIT."""
    n = find(ruts, i >> BITS, j >> BITS)
    return float(ruts.depths[n, j & (TILE - 1), i & (TILE - 1)]) if n >= 0 else 0.0


@kernel
def depth_across(ruts, x, y, a_x, a_y, half):
    """Mean depth [m] of the ruts along the line of half length `half` [m] about (x, y) in W, direction (a_x, a_y) of length 1.

    Bilinear between the nodes, so continuous in all arguments; 0 where nobody has driven, and for numbers that are not finite.
    """
    if ruts.state[0]["tiles"] == 0:
        return 0.0
    count = min(math.ceil(half * (NODES / 0.75)) + 1, MOST_ACROSS)
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
def press(ruts, x, y, e_x, e_y, ahead, left, half, depth):
    """Press the soil down to `depth` [m] where a line across a wheel went in a step: nodes that are deeper stay.

    The line has the half length `half` [m], its middle is now at (x, y) in W, across the heading (e_x, e_y) of length 1, after it went `ahead`
    [m] along the heading and `left` [m] to the left of it. Nodes within half a SPACING of what it swept are pressed, all of them at any speed.
    """
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
    least_y = min(rear * e_y, front * e_y) + min(right * e_x, left * e_x)
    per_x, per_y = _per(e_x), _per(-e_y)
    n, at_x, at_y = -1, 1 << 60, 1 << 60
    for j in range(math.ceil((y + least_y) * NODES), math.floor((y + reach_y) * NODES) + 1):
        # the part of this row of nodes that lies inside, between the front and the rear and between the sides
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
                _note(ruts, n)


@inline
def _per(slope):
    """1 / slope; for a row of nodes along a side a number so large that the row is all inside, or outside, of it."""
    return 1.0 / slope if abs(slope) > 1e-9 else 1e9
