"""Access to the memory of blocks outside of kernels."""

from __future__ import annotations

import numpy as np

from simulator.base.records import Table, dtype_of
from vehicles.suspension.blocks import Blocks


def memory_of_corner(blocks: Blocks, table: Table, i: int) -> tuple[np.void, int]:
    """Return the memory of the block that contains corner i, for a third-party kind with this memory table, and the corner's column."""
    block = next(b for b in blocks.others if b["first"] <= i < b["first"] + b["count"])
    layout = dtype_of(table)
    memory: np.void = blocks.memory[block["memory"] :][: layout.itemsize].view(layout)[0]
    return memory, int(block["lane"] + i - block["first"])
