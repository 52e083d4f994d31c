"""The bodies of a vehicle's corners, whatever kind these are of, as its blocks have placed them last."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record, dtype_of
from vehicles.suspension.blocks import Blocks, OutsideKind
from vehicles.suspension.five_link.block import FIVE_LINK_BLOCK

Array = NDArray[np.float64]


def own_of(blocks: Blocks, kind: OutsideKind) -> tuple[Record, Record]:
    """Records of parameters and memory of the block of a kind from outside."""
    (n,) = np.flatnonzero(blocks.others["place"] == kind.place.address)
    found = []
    for table, name in ((kind.parameters, "parameters"), (kind.memory, "memory")):
        start, dtype = int(blocks.others[n][name]), dtype_of(table)
        found.append(getattr(blocks, name)[start : start + dtype.itemsize].view(dtype))
    return found[0], found[1]


def bodies_of(blocks: Blocks, i: int) -> tuple[Array, dict[str, Any]]:
    """Masses (n,) of the bodies of corner i, and by name their motion (n, 3) or (n, 6), see `vehicles.suspension.corner_bodies`."""
    parameters, memory = blocks.own, blocks.scratch
    for block in blocks.others:
        if block["first"] <= i < block["first"] + block["count"]:
            parameters, memory = own_of(blocks, FIVE_LINK_BLOCK)
    names = ("c", "inertia", "w", "u", "w_rel", "v_rel", "alpha_rel", "a_rel")
    return parameters[0]["mass"][:, i], {name: memory[0][name][..., i] for name in names}
