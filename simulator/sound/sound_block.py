"""State of a drive for its sound, and the counters of the sound process, in a block of shared memory."""

from __future__ import annotations

import numpy as np

from simulator.base.records import Record, Table, dtype_of, layout_hash, record
from simulator.sound.sound_input import SOUND_INPUT
from simulator.view.ticket_block import HEAD, TicketBlock

_CELLS: Table = (
    ("frames", (), "1", "frames that the device has taken so far", "u8"),
    ("glitches", (), "1", "number of gaps in the sound so far", "u8"),
    ("worst", (), "s", "longest time for the frames of one call of the device"),
    ("waits", (), "1", "number of times that the drive sent no state in time, and the sound faded out", "u8"),
)
MAGIC = layout_hash((*HEAD, *_CELLS, *SOUND_INPUT))


class SoundBlock(TicketBlock):
    """Block of the drive, or of the sound process, which gives the name. Raises DeviceError."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(_CELLS, MAGIC, dtype_of(SOUND_INPUT).itemsize, name, "sound block")
        self._copy, self._seen = record(SOUND_INPUT), 0

    def put(self, state: Record) -> None:
        """Publish a record SOUND_INPUT; takes about three microseconds."""
        self.begin()
        self.row[0] = state.view(np.uint8)
        self.end()

    def take(self) -> Record | None:
        """Return the latest state, if it is new; the record is reused."""
        latest = self.count
        if latest == self._seen or (row := self.read()) is None:
            return None
        self._seen = latest
        self._copy[:] = row.view(self._copy.dtype)
        return self._copy
