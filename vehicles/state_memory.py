"""The memory of a vehicle in one piece: it is copied, remembered and put back at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vehicles.suspension.blocks import Blocks
from vehicles.vehicle_model import VehicleData

Bytes = NDArray[np.uint8]

ALIGNED = 16
"""Bytes. Records that lie in one piece of memory begin at multiples of it, as all memory of NumPy does."""

SEEN_BY_BLOCKS = "seen_by_blocks"
"""The windows of blocks on INPUTS, among the parts of a piece."""

STAYS = ("inputs", "others", "kept", SEEN_BY_BLOCKS, "found", "shown")
"""Parts of a space that a vehicle keeps when it is cleared: its tie rods, what makes its blocks, and their windows."""
NEVER_WRITTEN = ("own", "parameters")
FOUND_ANEW = ("reduced", "scratch")
"""Parts that a step writes before it reads them."""
IN_ORDER = ((), STAYS, NEVER_WRITTEN, FOUND_ANEW)
"""How the parts follow each other in a piece of memory: first all the others."""


@dataclass(frozen=True)
class StateMemory:
    """A space all of whose memory is one, but for the windows, which are no state.

    begins : first bytes of STAYS, NEVER_WRITTEN and FOUND_ANEW in the memory
    places : of its parts: name, type, shape and first byte
    """

    space: VehicleData
    memory: Bytes
    begins: tuple[int, ...]
    places: tuple[tuple[str, np.dtype, tuple[int, ...], int], ...]

    @property
    def lasts(self) -> int:
        """Bytes at the beginning of the memory that a step goes on from."""
        return self.begins[1]

    def copied(self) -> StateMemory:
        """The same in other memory."""
        memory = self.memory.copy()
        return StateMemory(_laid(self.space, memory, self.places), memory, self.begins, self.places)

    def clear_as(self, cleared: Bytes) -> None:
        """Put it back to where it was cleared, whose memory that is."""
        stays, _, anew = self.begins
        self.memory[:stays], self.memory[anew:] = cleared[:stays], cleared[anew:]


def in_one_piece(space: VehicleData) -> StateMemory:
    """The same in other memory that is all one. The windows stay where they are."""
    blocks = space.blocks._asdict()
    own = {name: part for name, part in space._asdict().items() if name not in ("blocks", "windows")}
    blocks[SEEN_BY_BLOCKS] = blocks.pop("seen")  # the space has another one of that name
    parts = sorted([*own.items(), *blocks.items()], key=lambda named: _GROUP.get(named[0], 0))
    room = [ALIGNED * math.ceil(part.nbytes / ALIGNED) for _, part in parts]
    starts = np.cumsum([0, *room]).tolist()
    memory = np.empty(starts[-1], np.uint8)
    memory[:] = np.frombuffer(b"".join(part.tobytes().ljust(size, b"\0") for (_, part), size in zip(parts, room, strict=True)), np.uint8)
    places = tuple((name, part.dtype, part.shape, at) for (name, part), at in zip(parts, starts, strict=False))
    begins = tuple(next(at for name, _, _, at in places if name in group) for group in IN_ORDER[1:])
    return StateMemory(_laid(space, memory, places), memory, begins, places)


_GROUP = {name: n for n, group in enumerate(IN_ORDER) for name in group}


def _laid(space: VehicleData, memory: Bytes, places: tuple[tuple[str, np.dtype, tuple[int, ...], int], ...]) -> VehicleData:
    """A space whose parts lie at places in a memory."""
    there: dict[str, Any] = {name: np.ndarray(shape, kind, memory, at) for name, kind, shape, at in places}
    of_blocks = {name: there.pop(SEEN_BY_BLOCKS if name == "seen" else name) for name in Blocks._fields}
    return space._replace(blocks=Blocks(**of_blocks), **there)
