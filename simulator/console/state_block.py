"""State of a drive for its console, and the cells that the console writes, in a block of shared memory.

The console never delays the drive: it writes only its own cells, which the drive reads a hundred times a second.
"""

from __future__ import annotations

import numpy as np

from simulator.base.records import Table, layout_hash
from simulator.view.ticket_block import HEAD, TicketBlock

_CELLS: Table = (
    ("stops", (), "1", "number of stops of the platform that pages have requested", "u8"),
    ("operator", (), "1", "1 while a page has control, lost or not", "u8"),
    ("operator_beats", (), "1", "number of heartbeats of the operator's page", "u8"),
)
MAGIC = layout_hash((*HEAD, *_CELLS))


class StateBlock(TicketBlock):
    """Block of the drive, which gives the size of a row, or of the console, which gives the name. Raises DeviceError."""

    def __init__(self, size: int = 0, name: str | None = None) -> None:
        super().__init__(_CELLS, MAGIC, size, name, "console block")

    def add(self, cell: str) -> None:
        """Add one to a cell of the console."""
        self.cells[cell] += np.uint64(1)
