"""Bodies of the corners of a vehicle, for any corner kind, as placed last by its blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.records import Record, dtype_of
from vehicles.suspension.blocks import AxleCallbacks, Blocks
from vehicles.suspension.corner_bodies import motion_of
from vehicles.suspension.five_link.block import FIVE_LINK_BLOCK
from vehicles.suspension.five_link.kinematics import BODIES as FIVE_LINK_BODIES
from vehicles.suspension.macpherson.block import MACPHERSON_BLOCK
from vehicles.suspension.rigid_axle.block import RIGID_AXLE_BLOCK
from vehicles.suspension.semi_trailing_arm.block import SEMI_TRAILING_ARM_BLOCK
from vehicles.suspension.steered_trailing_arm.corner import STEERED_TRAILING_ARM_BLOCK

KINDS = (FIVE_LINK_BLOCK, MACPHERSON_BLOCK, RIGID_AXLE_BLOCK, SEMI_TRAILING_ARM_BLOCK, STEERED_TRAILING_ARM_BLOCK)
MOTION = tuple(row[0] for row in motion_of(1))


def own_of(blocks: Blocks, kind: AxleCallbacks) -> tuple[Record, Record]:
    """Return the records of parameters and memory of the block of a third-party kind."""
    (n,) = np.flatnonzero(blocks.others["place"] == kind.place.address)
    found = []
    for table, name in ((kind.parameters, "parameters"), (kind.memory, "memory")):
        start, dtype = int(blocks.others[n][name]), dtype_of(table)
        found.append(getattr(blocks, name)[start : start + dtype.itemsize].view(dtype))
    return found[0], found[1]


def bodies_of(blocks: Blocks, i: int) -> tuple[Array, dict[str, Any]]:
    """Return masses (n,) of the bodies of corner i, and by name their motion (n, 3) or (n, 6), see `vehicles.suspension.corner_bodies`."""
    for block in blocks.others:
        if block["first"] <= i < block["first"] + block["count"]:
            kind = next(one for one in KINDS if one.place.address == block["place"])
            parameters, memory = own_of(blocks, kind)
            if kind is FIVE_LINK_BLOCK:
                return parameters[0]["mass"][i].ravel()[: len(FIVE_LINK_BODIES)], five_link_bodies(memory[0]["bodies"][i])
            return np.atleast_1d(parameters[0]["mass"][..., i]), {name: memory[0][name][..., i] for name in MOTION}
    return blocks.own[0]["mass"][:, i], {name: blocks.scratch[0][name][..., i] for name in MOTION}


def five_link_bodies(lanes: Any) -> dict[str, Array]:
    """Return the motion of the bodies in the lanes of a five-link corner: a record of `motion_of`."""
    return {name: np.concatenate([group.T for group in lanes[name]])[: len(FIVE_LINK_BODIES)] for name in MOTION}
