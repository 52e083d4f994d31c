"""State of a drive for its console, and the cells that the console writes, in a block of shared memory.

The drive copies its records into one row of bytes, between two tickets; a reader that sees different tickets reads again. The console never
delays the drive: it writes only its own cells, which the drive reads a hundred times a second.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import DeviceError
from simulator.base.records import Table, dtype_of, layout_hash
from simulator.view.memory_block import attach_block, close_block, create_block

_HEAD: Table = (
    ("magic", (), "1", "constant MAGIC", "u8"),
    ("begin", (), "1", "ticket set before the row", "u8"),
    ("end", (), "1", "ticket set after the row", "u8"),
    ("bytes", (), "1", "size of the row", "u8"),
    ("stops", (), "1", "number of stops of the platform that pages have requested", "u8"),
    ("operator", (), "1", "1 while a page has control, lost or not", "u8"),
    ("operator_beats", (), "1", "number of heartbeats of the operator's page", "u8"),
)
MAGIC = layout_hash(_HEAD)
_SIZE = dtype_of(_HEAD).itemsize
ATTEMPTS = 20


class StateBlock:
    """Block of the drive, which gives the size of a row, or of the console, which gives the name.

    Attributes
    ----------
    name : name of the block
    row : (1, bytes) bytes of the row; the drive fills it between `begin` and `end`
    cells : stops, operator, operator_beats, which only the console writes

    Raises DeviceError.
    """

    def __init__(self, size: int = 0, name: str | None = None) -> None:
        self._owner = name is None
        self._memory = create_block(None, _SIZE + size) if name is None else attach_block(name, "console block")
        self.name = self._memory.name
        buffer: Any = self._memory.buf
        self.cells = np.frombuffer(buffer, dtype_of(_HEAD), 1)[0]
        if self._owner:
            self.cells["bytes"], self.cells["magic"] = size, MAGIC
        elif int(self.cells["magic"]) != MAGIC:
            raise DeviceError(f"shared memory {name}: written by another version of Jounce; hint: restart the drive")
        self.row: NDArray[np.uint8] = np.frombuffer(buffer, np.uint8, int(self.cells["bytes"]), _SIZE).reshape(1, -1)

    @property
    def count(self) -> int:
        """Number of states so far."""
        return int(self.cells["end"])

    def begin(self) -> None:
        """Begin to change the row."""
        self.cells["begin"] += np.uint64(1)

    def end(self) -> None:
        """End the change of the row."""
        self.cells["end"] = self.cells["begin"]

    def read(self) -> NDArray[np.uint8] | None:
        """Return a copy of the row (bytes,); None before the first state, or if the drive writes too often."""
        for _ in range(ATTEMPTS):
            ticket = int(self.cells["end"])
            row = self.row[0].copy()
            if ticket and int(self.cells["begin"]) == ticket:
                return row
        return None

    def add(self, cell: str) -> None:
        """Add one to a cell of the console."""
        self.cells[cell] += np.uint64(1)

    def close(self, orphaned: bool = False) -> None:
        """Close the block; the drive removes it, or the console if the drive was killed and the block is `orphaned`."""
        del self.cells, self.row
        close_block(self._memory, unlink=self._owner or orphaned)
