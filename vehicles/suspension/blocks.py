"""The blocks of a vehicle: all corners of one kind, wherever they stand, placed and shown together.

The default kind is called directly, its corners side by side in the vector lanes. Every other kind is a block from outside: kernels that
are called by their address, once per block, so that the compiled step knows none of them and those of a kind are compiled when a vehicle
has it. A kernel of a block gets (`simulator.base.outside`)

    parameters   record of the kind's own table, last index: corner
    state        record of the kind's own memory, zero when the vehicle is made and when it is reset
    seen         record of INPUTS
    result       record of KINEMATICS (`place`, `steer`) or of POINTS (`show`)
    first, count its corners are first, first + 1 ... first + count - 1; what it writes of others is lost or does harm
    h            0: no time passes

`place` writes KINEMATICS down to theta_bias and is called first; `steer` the rest, of corners that are steered; `show` writes POINTS. What
they know from each other stands in the kind's memory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.vectors import column, cross, six, symmetric_times, vector
from simulator.base.errors import JounceError
from simulator.base.jit import inline, kernel
from simulator.base.outside import Outside, address_in, call
from simulator.base.records import Record, Table, dtype_of, record
from vehicles.suspension.corner import CONTRACT, LAYOUT
from vehicles.suspension.default_kind import SCRATCH, place_default, show_default, steer_default

BLOCK = (
    ("place", (), "1", "address of the kernel", "u8"),
    ("steer", (), "1", "address of the kernel; 0: the kind is not steered", "u8"),
    ("show", (), "1", "address of the kernel", "u8"),
    ("parameters", (), "1", "where its parameters begin in those of all blocks", "i8"),
    ("memory", (), "1", "where its memory begins in that of all blocks", "i8"),
    ("first", (), "1", "its first corner", "i8"),
    ("count", (), "1", "number of its corners", "i8"),
    ("watch", (), "1", "whether its numbers are looked at: TRUSTED, WATCHED or STOPPED", "i8"),
)

TRUSTED, WATCHED, STOPPED = range(3)
"""While a vehicle is looked at or put on its ground a position that does not exist is an answer. In a drive a block that gives a number that
is not finite is stopped, and the drive goes on."""

KEPT = (
    ("W", (3, 4), "m", "wheel centre"),
    ("axle", (3, 4), "1", "wheel axle"),
    ("spring_length", (4,), "m", "length of the spring"),
    ("shock_length", (4,), "m", "length of the shock absorber"),
    ("moment", (3, 4), "kg m", "sum of mass times position"),
    ("inertia", (6, 4), "kg m2", "inertia about the reference point"),
)
"""What stays of the corners of a block that is stopped: they are held where they were, as if welded to the chassis."""

CALM = 100.0
"""1/s. Rate at which theta of a corner that is held comes to rest."""


class Blocks(NamedTuple):
    """The blocks of one vehicle with what is theirs alone.

    own : parameters of the default kind
    scratch : what the default kind finds
    others : (n,) records of BLOCK
    kept : record of KEPT
    parameters, memory : of the other blocks, one after the other
    """

    own: Record
    scratch: Record
    others: Record
    kept: Record
    parameters: NDArray[np.uint8]
    memory: NDArray[np.uint8]


@dataclass(frozen=True)
class OutsideKind:
    """What the step needs of a kind that it does not know.

    Attributes
    ----------
    contract, layout : CONTRACT and LAYOUT of `vehicles.suspension.corner` that its kernels are written for
    parameters, memory : tables of its own records
    place, show, steer : its kernels; without `steer` its axles cannot be steered
    """

    contract: int
    layout: int
    parameters: Table
    memory: Table
    place: Outside
    show: Outside
    steer: Outside | None = None

    def check(self, name: str) -> None:
        """Raises JounceError when the kind is written for another contract."""
        for what, made, ours in (("version", self.contract, CONTRACT), ("layout", self.layout, LAYOUT)):
            if made != ours:
                raise JounceError(f"the kind of axle {name} is made for {what} {made:#x} of the contract of corners; this one is {ours:#x}")


@dataclass(frozen=True)
class Block:
    """Neighboring corners of one kind from outside with the record of its parameters."""

    kind: OutsideKind
    parameters: Record
    first: int
    count: int


def new_blocks(own: Record, blocks: Sequence[Block]) -> Blocks:
    """Blocks with memory and scratch of their own; the kernels are compiled or taken from the disk here."""
    others = record(BLOCK, len(blocks))
    places, size = [0], 0
    for n, block in enumerate(blocks):
        steer = block.kind.steer
        others[n]["place"], others[n]["show"] = block.kind.place.address, block.kind.show.address
        others[n]["steer"] = 0 if steer is None else steer.address
        others[n]["first"], others[n]["count"] = block.first, block.count
        others[n]["parameters"], others[n]["memory"] = places[-1], size
        places.append(places[-1] + block.parameters.nbytes)
        size += dtype_of(block.kind.memory).itemsize
    parameters = np.zeros(places[-1], np.uint8)
    for block, start in zip(blocks, places, strict=False):
        parameters[start : start + block.parameters.nbytes] = block.parameters.view(np.uint8)
    return Blocks(own, record(SCRATCH), others, record(KEPT), parameters, np.zeros(size, np.uint8))


@inline
def place_blocks(corners, blocks, q, k):
    """Position, velocity map, acceleration bias and sums of all corners.

    The vector lanes of the default kind's kernel are four; those of corners of other kinds go along, and what they leave is written over.

    Parameters
    ----------
    corners : record of CORNERS
    blocks : Blocks
    q : record of INPUTS
    k : record of KINEMATICS, overwritten
    """
    if blocks.own[0]["corners"] > 0:
        place_default(corners, blocks.own, q, blocks.scratch, k)
    if blocks.others.shape[0] > 0:
        place_others(blocks, q, k)


@kernel
def place_others(blocks, q, k):
    """`place` of every block from outside that has not been stopped."""
    for n in range(blocks.others.shape[0]):
        b = blocks.others[n]
        if b["watch"] != STOPPED:
            run(blocks, n, b["place"], q, k)
        for i in range(b["first"], b["first"] + b["count"]):
            if b["watch"] == WATCHED and not is_finite(k, i):
                b["watch"] = STOPPED
            elif b["watch"] == WATCHED:
                keep(k, i, blocks.kept)
        if b["watch"] == STOPPED:
            for i in range(b["first"], b["first"] + b["count"]):
                hold(blocks.kept, q, i, k)


@inline
def is_finite(k, i):
    """Whether no number is infinite or none at all, of those that move the vehicle."""
    c = k[0]
    total = c["D"][i] + c["theta_bias"][i] + c["spring_length"][i] + c["spring_length_1"][i] + c["shock_length"][i] + c["shock_length_1"][i]
    for j in range(3):
        total += c["W"][j, i] + c["W_1"][j, i] + c["W_dot"][j, i] + c["axle"][j, i] + c["w"][j, i] + c["w_rel"][j, i] + c["moment"][j, i]
    for j in range(6):
        total += c["G"][j, i] + c["bias"][j, i] + c["inertia"][j, i]
    return math.isfinite(total)


@inline
def keep(k, i, kept):
    """Remember where corner i is."""
    c, o = k[0], kept[0]
    o["spring_length"][i], o["shock_length"][i] = c["spring_length"][i], c["shock_length"][i]
    for j in range(3):
        o["W"][j, i], o["axle"][j, i], o["moment"][j, i] = c["W"][j, i], c["axle"][j, i], c["moment"][j, i]
    for j in range(6):
        o["inertia"][j, i] = c["inertia"][j, i]


@kernel
def hold(kept, q, i, k):
    """Corner i as a part of the chassis: it bears, and theta, which nothing depends on, comes to rest."""
    c, o = k[0], kept[0]
    w_B = vector(q[0]["w_WB_B"])
    S, I = column(o["moment"], i), six(o["inertia"], i)
    N, f = cross(w_B, symmetric_times(I, w_B)), cross(w_B, cross(w_B, S))
    c["spring_length"][i], c["shock_length"][i] = o["spring_length"][i], o["shock_length"][i]
    c["spring_length_1"][i], c["shock_length_1"][i], c["spring_length_across"][i], c["shock_length_across"][i] = 0.0, 0.0, 0.0, 0.0
    for j in range(3):
        c["W"][j, i], c["axle"][j, i], c["moment"][j, i] = o["W"][j, i], o["axle"][j, i], o["moment"][j, i]
        c["W_1"][j, i], c["W_dot"][j, i], c["W_across"][j, i] = 0.0, 0.0, 0.0
        c["w"][j, i], c["w_rel"][j, i], c["w_across"][j, i] = 0.0, 0.0, 0.0
        c["W_steer"][j, i], c["w_steer"][j, i] = 0.0, 0.0
        c["bias"][j, i], c["bias"][j + 3, i] = N[j], f[j]
    for j in range(6):
        c["inertia"][j, i], c["G"][j, i], c["E"][j, i] = I[j], 0.0, 0.0
    c["D"][i], c["D_across"][i // 2] = 1.0, 0.0
    c["theta_bias"][i] = CALM * q[0]["theta_dot"][i]
    c["F"][i], c["H"][i], c["steer_bias"][i] = 0.0, 0.0, 0.0


@inline
def steer_blocks(blocks, q, k):
    """What the steering arm moves, of the corners that are steered, after `place_blocks` with the same q."""
    if blocks.own[0]["steered"] > 0:
        steer_default(blocks.own, q, blocks.scratch, k)
    if blocks.others.shape[0] > 0:
        steer_others(blocks, q, k)


@kernel
def steer_others(blocks, q, k):
    """`steer` of every block from outside that is steered and has not been stopped."""
    for n in range(blocks.others.shape[0]):
        if blocks.others[n]["steer"] != 0 and blocks.others[n]["watch"] != STOPPED:
            run(blocks, n, blocks.others[n]["steer"], q, k)


@kernel
def show_blocks(blocks, q, points):
    """POINTS of all corners after `place_blocks`."""
    if blocks.own[0]["corners"] > 0:
        show_default(blocks.scratch, points)
    for n in range(blocks.others.shape[0]):
        if blocks.others[n]["watch"] != STOPPED:
            run(blocks, n, blocks.others[n]["show"], q, points)


@inline
def run(blocks, n, address, q, result):
    """One kernel of block n."""
    b = blocks.others[n]
    parameters = address_in(blocks.parameters) + np.uint64(b["parameters"])
    memory = address_in(blocks.memory) + np.uint64(b["memory"])
    call(address, parameters, memory, address_in(q), address_in(result), b["first"], b["count"], 0.0)
