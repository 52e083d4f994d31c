"""Steered plugin axle: a copy of the double wishbone with kernels that are called by their address.

All its results, including those of the Pitman arm, can be compared with the shipped kind.
"""

from __future__ import annotations

from dataclasses import fields as fields_of
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.trigonometry import sine_cosine
from simulator.base.callbacks import address_in, callback, record_at
from simulator.base.records import Record, dtype_of
from vehicles.suspension.blocks import (
    LANES,
    PLACED_ROWS,
    STEERED_ROWS,
    AxleCallbacks,
    Blocks,
    Rows,
    copy_columns,
    rows_steered,
)
from vehicles.suspension.contract import INPUTS, KINEMATICS, POINTS
from vehicles.suspension.corner_bodies import sum_bodies
from vehicles.suspension.double_wishbone import block
from vehicles.suspension.double_wishbone.corner import DoubleWishboneCorner
from vehicles.suspension.double_wishbone.kinematics import DOUBLE_WISHBONE_SCRATCH, DOUBLE_WISHBONES, double_wishbone_kinematics
from vehicles.suspension.double_wishbone.section import DoubleWishboneAxle
from vehicles.suspension.kinds import register

MEMORY = (("found", (), "", "of all columns", DOUBLE_WISHBONE_SCRATCH), ("placed", (), "", "likewise", KINEMATICS))

P_TYPE, F_TYPE, Q_TYPE, K_TYPE, S_TYPE = (
    dtype_of(table) for table in (DOUBLE_WISHBONES, DOUBLE_WISHBONE_SCRATCH, INPUTS, KINEMATICS, POINTS)
)
PLACED = np.uint64(dtype_of(MEMORY).fields["placed"][1])  # type: ignore[index]


@callback
def place(parameters, state, seen, result, first, count, h):
    """See `vehicles.suspension.blocks`."""
    p, found, q, k = record_at(parameters, P_TYPE), record_at(state, F_TYPE), record_at(seen, Q_TYPE), record_at(state + PLACED, K_TYPE)
    for i in range(LANES):
        found[0]["sin_theta"][i], found[0]["cos_theta"][i] = sine_cosine(q[0]["theta"][i])
    double_wishbone_kinematics(p, q, found[0]["cos_theta"], found[0]["sin_theta"], found, k)
    sum_bodies(p[0]["mass"], found[0], q[0]["w_WB_B"], k[0], q[0]["theta"])
    copy_columns(Rows(address_in(k), LANES, first), Rows(result, LANES, first), PLACED_ROWS, count)


@callback
def steer(parameters, state, seen, result, first, count, h):
    """See `vehicles.suspension.blocks`."""
    p, found, q, k = record_at(parameters, P_TYPE), record_at(state, F_TYPE), record_at(seen, Q_TYPE), record_at(state + PLACED, K_TYPE)
    block.steer(p, q, found, k)
    copy_columns(rows_steered(k, first), rows_steered(record_at(result, K_TYPE), first), STEERED_ROWS, count)


@callback
def show(parameters, state, seen, result, first, count, h):
    """See `vehicles.suspension.blocks`."""
    found, points = record_at(state, F_TYPE), record_at(result, S_TYPE)
    for i in range(first, first + count):
        for j in range(3):
            points[0]["lower_ball"][j, i], points[0]["upper_ball"][j, i] = found[0]["D"][j, i], found[0]["F"][j, i]
            points[0]["tierod_outer"][j, i] = found[0]["K"][j, i]
            points[0]["shock_lower"][j, i], points[0]["spring_lower"][j, i] = found[0]["B"][j, i], found[0]["S"][j, i]


BLOCK = AxleCallbacks(1, 0x3E4BFC315401087A, DOUBLE_WISHBONES, MEMORY, place, show, steer)


class SteeredCorner(DoubleWishboneCorner):
    """One side; steering moves the tie rods of both sides."""

    kind: ClassVar[str] = "steered_wishbone"
    block: ClassVar[AxleCallbacks | None] = BLOCK

    def write(self, corners: Record, parameters: Record, i: int) -> None:
        """See the base class."""
        super().write(corners, parameters, i)
        parameters[0]["steered"] |= 1 << i

    def gap(self, corners: Record, blocks: Blocks, inputs: Record, i: int) -> float:
        """See the base class."""
        found, p = _of(blocks)[0]["found"], blocks.parameters.view(P_TYPE)[0]
        kingpin = np.linalg.norm(found["F"][:, i] - found["D"][:, i]) - p["kingpin_length"][i]
        tierod = np.linalg.norm(found["K"][:, i] - inputs[0]["Q"][:, i]) - p["tierod_length"][i]
        return float(np.maximum(abs(kingpin), abs(tierod)))

    def turn_of_steering(self, blocks: Blocks, i: int) -> float:
        """See the base class."""
        return float(np.linalg.norm(_of(blocks)[0]["found"]["steer_gain"][:, i]))


def _of(blocks: Blocks) -> NDArray[np.void]:
    """Return the memory of the only plugin block."""
    return blocks.memory.view(dtype_of(MEMORY))


class SteeredAxle(DoubleWishboneAxle):
    """Section of a vehicle file, as for double wishbones."""

    block = BLOCK

    def corner(self, mirror: bool) -> SteeredCorner:
        """See the base class."""
        of = super().corner(mirror)
        return SteeredCorner(**{field.name: getattr(of, field.name) for field in fields_of(of)})


register("steered_wishbone", SteeredAxle)
