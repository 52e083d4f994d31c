"""Block of shared memory with cells and one row of bytes that a drive replaces again and again.

The drive changes the row between two tickets; a reader that sees different tickets reads again. Nobody waits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import DeviceError
from simulator.base.records import Table, dtype_of
from simulator.view.memory_block import attach_block, close_block, create_block

HEAD: Table = (
    ("magic", (), "1", "hash of the layout", "u8"),
    ("begin", (), "1", "ticket set before the row", "u8"),
    ("end", (), "1", "ticket set after the row", "u8"),
    ("bytes", (), "1", "size of the row", "u8"),
)
ATTEMPTS = 20


class TicketBlock:
    """Block of the drive, which gives the size of a row, or of another process, which gives the name.

    Parameters
    ----------
    cells : further fields of the head, which the other process writes
    magic : hash of the layout
    size : bytes of a row
    name : name of an existing block
    kind : what the block is, for messages

    Attributes
    ----------
    name : name of the block
    row : (1, bytes) the row; the drive fills it between `begin` and `end`
    cells : fields of the head

    Raises DeviceError.
    """

    def __init__(self, cells: Table, magic: int, size: int, name: str | None, kind: str) -> None:
        head = dtype_of((*HEAD, *cells))
        self._owner = name is None
        self._memory = create_block(None, head.itemsize + size) if name is None else attach_block(name, kind)
        self.name = self._memory.name
        buffer: Any = self._memory.buf
        self.cells = np.frombuffer(buffer, head, 1)[0]
        if self._owner:
            self.cells["bytes"], self.cells["magic"] = size, magic
        elif int(self.cells["magic"]) != magic:
            raise DeviceError(f"shared memory {name}: written by another version of Jounce; hint: restart the drive")
        self.row: NDArray[np.uint8] = np.frombuffer(buffer, np.uint8, int(self.cells["bytes"]), head.itemsize).reshape(1, -1)

    @property
    def count(self) -> int:
        """Ticket of the latest row: number of rows so far."""
        return int(self.cells["end"])

    def begin(self) -> None:
        """Begin to change the row."""
        self.cells["begin"] += np.uint64(1)

    def end(self) -> None:
        """End the change of the row."""
        self.cells["end"] = self.cells["begin"]

    def read(self) -> NDArray[np.uint8] | None:
        """Return a copy of the row (bytes,); None before the first row, or if the drive writes too often."""
        for _ in range(ATTEMPTS):
            ticket = self.count
            row = self.row[0].copy()
            if ticket and int(self.cells["begin"]) == ticket:
                return row
        return None

    def close(self, orphaned: bool = False) -> None:
        """Close the block; the drive removes it, or another process if the drive was killed and the block is `orphaned`."""
        del self.cells, self.row
        close_block(self._memory, unlink=self._owner or orphaned)
