"""Blocks of a vehicle: all corners of one kind, computed together.

The kernels of the default kind are called directly, its corners in adjacent vector lanes. Every other kind is a third-party block:
kernels that are called by their address, once per block. The compiled step does not depend on them, and the kernels of a kind are
compiled when a vehicle uses it. A kernel of a block receives (`simulator.base.callbacks`)

    parameters   record of the kind's own table, last index: corner
    state        record of the kind's own memory, zero after creation and reset of the vehicle
    seen         record of INPUTS
    result       record of KINEMATICS (`place`, `steer`) or of POINTS (`show`)
    first, count its corners are first, first + 1 ... first + count - 1; it must not write other columns
    h            0: no time passes

`place` writes KINEMATICS down to theta_bias and is called first; `steer` writes the rest for steered corners; `show` writes POINTS. They
exchange data through the memory of the kind.

A third-party kind uses records of LANES columns, for any vehicle. A vehicle of the usual size passes its own records. With more or fewer
wheels every block has window records. Its columns are copied into and out of these windows, and it has at most LANES corners.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.vectors import column, cross, symmetric_matrix_at, symmetric_times, vector
from simulator.base.callbacks import CallbackKernel, address_in, call, records_at
from simulator.base.jit import inline, kernel
from simulator.base.records import Record, Table, dtype_of, record
from vehicles.axle_layout import USUAL, WHEELS, AxleLayout, record_for
from vehicles.suspension.contract import CONTRACT, INPUTS, KINEMATICS, LAYOUT, POINTS
from vehicles.suspension.default_kind import SCRATCH, place_default, show_default, steer_default

LANES = int(WHEELS)
"""Number of columns of the records that a third-party kind uses."""

BLOCK = (
    ("place", (), "1", "address of the kernel", "u8"),
    ("steer", (), "1", "address of the kernel; 0: the kind is not steered", "u8"),
    ("show", (), "1", "address of the kernel", "u8"),
    ("parameters", (), "1", "offset of its parameters in those of all blocks", "i8"),
    ("memory", (), "1", "offset of its memory in that of all blocks", "i8"),
    ("first", (), "1", "its first corner", "i8"),
    ("count", (), "1", "number of its corners", "i8"),
    ("lane", (), "1", "column of its first corner in its own records", "i8"),
    ("axle", (), "1", "axle of its first corner", "i8"),
    ("watch", (), "1", "monitoring of its numbers: TRUSTED, WATCHED or STOPPED", "i8"),
)

TRUSTED, WATCHED, STOPPED = range(3)
"""States of the monitoring of a block.

While a vehicle is analyzed or settled on its ground, a position that does not exist is a valid answer. In a drive a block with a number
that is not finite is stopped, and the drive continues.
"""

SAVED = (
    ("W", (3, WHEELS), "m", "wheel center"),
    ("axle", (3, WHEELS), "1", "axis of the wheel"),
    ("spring_length", (WHEELS,), "m", "length of the spring"),
    ("shock_length", (WHEELS,), "m", "length of the shock absorber"),
    ("moment", (3, WHEELS), "kg m", "sum of mass times position"),
    ("inertia", (6, WHEELS), "kg m2", "inertia about the reference point"),
)
"""Last values of the corners of a stopped block: they stay there, as if welded to the chassis."""

NUMBER = np.dtype(np.float64)


def _rows(table: Table, first: str, end: str | None = None) -> int:
    """Return the number of rows (one number per corner) of the fields of a table from `first` on, up to `end`."""
    names = [row[0] for row in table]
    fields = table[names.index(first) : None if end is None else names.index(end)]
    return sum(math.prod(row[1][:-1]) for row in fields)


INPUT_ROWS = _rows(INPUTS, "theta", "w_WB_B")
PLACED_ROWS, ACROSS_ROWS, STEERED_ROWS = (_rows(KINEMATICS, *fields) for fields in (("W", "D_across"), ("W_across", "E"), ("E",)))
SHOWN_ROWS = _rows(POINTS, "lower_ball")

DECAY_RATE = 100.0
"""1/s. Rate at which theta of a stopped corner decays to rest."""


class Blocks(NamedTuple):
    """Blocks of one vehicle with their private data.

    own : parameters of the default kind
    scratch : results of the default kind
    others : (n,) records of BLOCK
    kept : record of SAVED
    parameters, memory : of the other blocks, concatenated
    seen, found, shown : window records, (n,) of INPUTS, KINEMATICS and POINTS; empty for a vehicle of the usual size
    """

    own: Record
    scratch: Record
    others: Record
    kept: Record
    parameters: NDArray[np.uint8]
    memory: NDArray[np.uint8]
    seen: Record
    found: Record
    shown: Record


@dataclass(frozen=True)
class AxleCallbacks:
    """Kernels and tables of a third-party kind of axle.

    Attributes
    ----------
    contract, layout : CONTRACT and LAYOUT of `vehicles.suspension.contract` that its kernels are written for
    parameters, memory : tables of its own records
    place, show, steer : its kernels; without `steer` its axles cannot be steered
    """

    contract: int
    layout: int
    parameters: Table
    memory: Table
    place: CallbackKernel
    show: CallbackKernel
    steer: CallbackKernel | None = None

    def problem(self) -> str:
        """Return the contract for which the kind is written if it is another one, else an empty text."""
        for noun, version, supported in (("version", self.contract, CONTRACT), ("layout", self.layout, LAYOUT)):
            if version != supported:
                return f"unsupported {noun} {version:#x} of the corner contract; expected {supported:#x}"
        return ""


@dataclass(frozen=True)
class Block:
    """Adjacent corners of one third-party kind with the record of their parameters.

    Attributes
    ----------
    first, count : its corners are first ... first + count - 1
    axle : index of the axle of the first corner
    lane : column of the first corner in the records of the kind
    """

    kind: AxleCallbacks
    parameters: Record
    first: int
    count: int
    axle: int
    lane: int

    def can_add(self, kind: AxleCallbacks, sides: int) -> bool:
        """Return True when an axle of that kind with so many sides can join the block."""
        return self.kind is kind and self.lane + self.count + sides <= LANES


def new_blocks(own: Record, blocks: Sequence[Block], size: AxleLayout = USUAL) -> Blocks:
    """Return blocks with memory and scratch of their own; compiles the kernels or loads them from the disk cache."""
    others = record(BLOCK, len(blocks))
    offsets, memory_size = [0], 0
    for n, block in enumerate(blocks):
        steer = block.kind.steer
        others[n]["place"], others[n]["show"] = block.kind.place.address, block.kind.show.address
        others[n]["steer"] = 0 if steer is None else steer.address
        for name in ("first", "count", "axle", "lane"):
            others[n][name] = getattr(block, name)
        others[n]["parameters"], others[n]["memory"] = offsets[-1], memory_size
        offsets.append(offsets[-1] + block.parameters.nbytes)
        memory_size += dtype_of(block.kind.memory).itemsize
    parameters = np.zeros(offsets[-1], np.uint8)
    for block, start in zip(blocks, offsets, strict=False):
        parameters[start : start + block.parameters.nbytes] = block.parameters.view(np.uint8)
    scratch, kept, memory = record_for(SCRATCH, size), record_for(SAVED, size), np.zeros(memory_size, np.uint8)
    windows = (record(table, 0 if size.is_usual else len(blocks)) for table in (INPUTS, KINEMATICS, POINTS))
    return Blocks(own, scratch, others, kept, parameters, memory, *windows)


@inline
def place_blocks(corners, blocks, q, k):
    """Compute position, velocity map, acceleration bias and sums of all corners.

    The vector lanes of the default kind's kernel also process corners of other kinds; their own blocks then overwrite the results.

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
        place_callbacks(blocks, q, k)


@kernel
def place_callbacks(blocks, q, k):
    """Run `place` of every third-party block that is not stopped."""
    for n in range(blocks.others.shape[0]):
        b = blocks.others[n]
        if b["watch"] != STOPPED:
            place_block(blocks, n, q, k)
        for i in range(b["first"], b["first"] + b["count"]):
            if b["watch"] == WATCHED and not is_finite(k, i):
                b["watch"] = STOPPED
            elif b["watch"] == WATCHED:
                save_corner(k, i, blocks.kept)
        if b["watch"] == STOPPED:
            for i in range(b["first"], b["first"] + b["count"]):
                freeze_corner(blocks.kept, q, i, b["axle"] + (i - b["first"]) // 2, k)


@inline
def is_finite(k, i):
    """Return True when all numbers of corner i that move the vehicle are finite."""
    c = k[0]
    total = c["D"][i] + c["theta_bias"][i] + c["spring_length"][i] + c["spring_length_1"][i] + c["shock_length"][i] + c["shock_length_1"][i]
    for j in range(3):
        total += c["W"][j, i] + c["W_1"][j, i] + c["W_dot"][j, i] + c["axle"][j, i] + c["w"][j, i] + c["w_rel"][j, i] + c["moment"][j, i]
    for j in range(6):
        total += c["G"][j, i] + c["bias"][j, i] + c["inertia"][j, i]
    return math.isfinite(total)


@inline
def save_corner(k, i, kept):
    """Save the position of corner i."""
    c, o = k[0], kept[0]
    o["spring_length"][i], o["shock_length"][i] = c["spring_length"][i], c["shock_length"][i]
    for j in range(3):
        o["W"][j, i], o["axle"][j, i], o["moment"][j, i] = c["W"][j, i], c["axle"][j, i], c["moment"][j, i]
    for j in range(6):
        o["inertia"][j, i] = c["inertia"][j, i]


@kernel
def freeze_corner(kept, q, i, axle, k):
    """Treat corner i of an axle as a part of the chassis: it carries load, and theta, which has no effect, decays to rest."""
    c, o = k[0], kept[0]
    w_B = vector(q[0]["w_WB_B"])
    S, I = column(o["moment"], i), symmetric_matrix_at(o["inertia"], i)
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
    c["D"][i], c["D_across"][axle] = 1.0, 0.0
    c["theta_bias"][i] = DECAY_RATE * q[0]["theta_dot"][i]
    c["F"][i], c["H"][i], c["steer_bias"][i] = 0.0, 0.0, 0.0


@inline
def steer_blocks(blocks, q, k):
    """Compute the effect of the steering arm on the steered corners, after `place_blocks` with the same q."""
    if blocks.own[0]["steered"] > 0:
        steer_default(blocks.own, q, blocks.scratch, k)
    if blocks.others.shape[0] > 0:
        steer_callbacks(blocks, q, k)


@kernel
def steer_callbacks(blocks, q, k):
    """Run `steer` of every third-party block that is steered and not stopped."""
    for n in range(blocks.others.shape[0]):
        if blocks.others[n]["steer"] != 0 and blocks.others[n]["watch"] != STOPPED:
            steer_block(blocks, n, q, k)


@kernel
def show_blocks(blocks, q, points):
    """Compute POINTS of all corners, after `place_blocks`."""
    if blocks.own[0]["corners"] > 0:
        show_default(blocks.scratch, points)
    for n in range(blocks.others.shape[0]):
        if blocks.others[n]["watch"] != STOPPED:
            show_block(blocks, n, q, points)


@inline
def place_block(blocks, n, q, k):
    """Run `place` of block n."""
    b = blocks.others[n]
    if len(q[0]["theta"]) == LANES:
        run(blocks, n, b["place"], q, k)
        return
    window, found = blocks.seen[n : n + 1], blocks.found[n : n + 1]
    copy_inputs(q, window, b)
    run(blocks, n, b["place"], window, found)
    copy_placed(found, k, b)


@inline
def steer_block(blocks, n, q, k):
    """Run `steer` of block n, after `place_block` with the same q."""
    b = blocks.others[n]
    if len(q[0]["theta"]) == LANES:
        run(blocks, n, b["steer"], q, k)
        return
    found = blocks.found[n : n + 1]
    run(blocks, n, b["steer"], blocks.seen[n : n + 1], found)
    copy_steered(found, k, b)


@inline
def show_block(blocks, n, q, points):
    """Run `show` of block n, after `place_block` with the same q."""
    b = blocks.others[n]
    if len(q[0]["theta"]) == LANES:
        run(blocks, n, b["show"], q, points)
        return
    shown = blocks.shown[n : n + 1]
    run(blocks, n, b["show"], blocks.seen[n : n + 1], shown)
    copy_points(shown, points, b)


@inline
def run(blocks, n, address, q, result):
    """Call one kernel of block n on records of LANES columns."""
    b = blocks.others[n]
    parameters = address_in(blocks.parameters) + np.uint64(b["parameters"])
    memory = address_in(blocks.memory) + np.uint64(b["memory"])
    call(address, parameters, memory, address_in(q), address_in(result), b["lane"], b["count"], 0.0)


@inline
def copy_inputs(q, window, b):
    """Copy the columns of block b from the INPUTS of the vehicle to its window."""
    seen = Rows(address_in(window), LANES, b["lane"])
    copy_columns(Rows(address_in(q), len(q[0]["theta"]), b["first"]), seen, INPUT_ROWS, b["count"])
    for j in range(3):
        window[0]["w_WB_B"][j] = q[0]["w_WB_B"][j]


@inline
def copy_placed(found, k, b):
    """Copy the results of `place` into the KINEMATICS of the vehicle, down to the coupling of the sides of an axle."""
    copy_columns(Rows(address_in(found), LANES, b["lane"]), Rows(address_in(k), len(k[0]["D"]), b["first"]), PLACED_ROWS, b["count"])
    copy_columns(rows_across(found, b["lane"]), rows_across(k, b["first"]), ACROSS_ROWS, b["count"])
    for n in range(0, b["count"], 2):
        k[0]["D_across"][b["axle"] + n // 2] = found[0]["D_across"][(b["lane"] + n) // 2]


@inline
def copy_steered(found, k, b):
    """Copy the results of `steer` into the KINEMATICS of the vehicle."""
    copy_columns(rows_steered(found, b["lane"]), rows_steered(k, b["first"]), STEERED_ROWS, b["count"])


@inline
def copy_points(shown, points, b):
    """Copy the results of `show` into the POINTS of the vehicle."""
    wheels = points[0]["lower_ball"].shape[1]
    copy_columns(Rows(address_in(shown), LANES, b["lane"]), Rows(address_in(points), wheels, b["first"]), SHOWN_ROWS, b["count"])


class Rows(NamedTuple):
    """Rows in memory: start address, number of columns, and first column to use."""

    address: int
    columns: int
    first: int


@inline
def rows_across(k, first):
    """Return the rows of KINEMATICS after D_across."""
    return Rows(address_in(k[0]["W_across"]), len(k[0]["D"]), first)


@inline
def rows_steered(k, first):
    """Return the rows of KINEMATICS that `steer` writes."""
    return Rows(address_in(k[0]["E"]), len(k[0]["D"]), first)


@inline
def copy_columns(source, target, rows, count):
    """Copy `count` adjacent columns of `rows` rows from source to target."""
    a, b = records_at(source.address, NUMBER, rows * source.columns), records_at(target.address, NUMBER, rows * target.columns)
    for row in range(rows):
        for n in range(count):
            b[row * target.columns + target.first + n] = a[row * source.columns + source.first + n]
