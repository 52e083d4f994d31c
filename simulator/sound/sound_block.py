"""State of a drive for its sound, and the counters of the sound process, in a block of shared memory.

The drive copies a record between two tickets; a reader that sees different tickets reads again. Nobody waits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.base.errors import DeviceError
from simulator.base.records import Record, Table, dtype_of, layout_hash, record
from simulator.sound.sound_input import SOUND_INPUT
from simulator.view.memory_block import attach_block, close_block, create_block

_HEAD: Table = (
    ("magic", (), "1", "constant MAGIC", "u8"),
    ("begin", (), "1", "ticket set before the state", "u8"),
    ("end", (), "1", "ticket set after the state", "u8"),
    ("frames", (), "1", "frames that the device has taken so far", "u8"),
    ("glitches", (), "1", "number of gaps in the sound so far", "u8"),
    ("worst", (), "s", "longest time for the frames of one call of the device"),
    ("waits", (), "1", "number of times that the drive sent no state in time, and the sound faded out", "u8"),
)
MAGIC = layout_hash((*_HEAD, *SOUND_INPUT))
_SIZE = dtype_of(_HEAD).itemsize
ATTEMPTS = 20


class SoundBlock:
    """Block of the drive, or of the sound process, which gives the name.

    Attributes
    ----------
    name : name of the block
    cells : fields of the head; the sound process writes frames, glitches, worst, waits

    Raises DeviceError.
    """

    def __init__(self, name: str | None = None) -> None:
        self._owner = name is None
        size = _SIZE + dtype_of(SOUND_INPUT).itemsize
        self._memory = create_block(None, size) if name is None else attach_block(name, "sound block")
        self.name = self._memory.name
        buffer: Any = self._memory.buf
        self.cells = np.frombuffer(buffer, dtype_of(_HEAD), 1)[0]
        if self._owner:
            self.cells["magic"] = MAGIC
        elif int(self.cells["magic"]) != MAGIC:
            raise DeviceError(f"shared memory {name}: written by another version of Jounce; hint: restart the drive")
        self._state = np.frombuffer(buffer, dtype_of(SOUND_INPUT), 1, _SIZE)
        self._copy, self._seen = record(SOUND_INPUT), 0

    def put(self, state: Record) -> None:
        """Publish a record SOUND_INPUT; takes about two microseconds."""
        self.cells["begin"] += np.uint64(1)
        self._state[:] = state
        self.cells["end"] = self.cells["begin"]

    def take(self) -> Record | None:
        """Return the latest state, if it is new; the record is reused."""
        for _ in range(ATTEMPTS):
            ticket = int(self.cells["end"])
            if ticket == self._seen:
                return None
            self._copy[:] = self._state
            if int(self.cells["begin"]) == ticket:
                self._seen = ticket
                return self._copy
        return None

    def close(self) -> None:
        """Close the block; the drive removes it."""
        del self.cells, self._state
        close_block(self._memory, unlink=self._owner)
