"""The memory of blocks, looked at from outside of the kernels."""

from __future__ import annotations

import numpy as np

from simulator.base.records import Table, dtype_of
from vehicles.suspension.blocks import Blocks


def memory_of_corner(blocks: Blocks, table: Table, i: int) -> tuple[np.void, int]:
    """Memory of the block that corner i belongs to, of a kind from outside whose memory has that table, and its column there."""
    block = next(b for b in blocks.others if b["first"] <= i < b["first"] + b["count"])
    layout = dtype_of(table)
    memory: np.void = blocks.memory[block["memory"] :][: layout.itemsize].view(layout)[0]
    return memory, int(block["lane"] + i - block["first"])
