"""The memory of a vehicle in one piece: it is copied, remembered and put back at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vehicles.stages import Space
from vehicles.suspension.blocks import Blocks

Bytes = NDArray[np.uint8]

ALIGNED = 16
"""Bytes. Records that lie in one piece of memory begin at multiples of it, as all memory of NumPy does."""

FOUND_ANEW = ("reduced", "own", "scratch", "parameters")
"""Parts of a space that a step writes before it reads them, or never writes: they come last in its piece of memory."""


@dataclass(frozen=True)
class Piece:
    """A space all of whose memory is one, but for the windows, which are no state.

    lasts : bytes at the beginning of the memory that a step goes on from
    places : of its parts: name, type, shape and first byte
    """

    space: Space
    memory: Bytes
    lasts: int
    places: tuple[tuple[str, np.dtype, tuple[int, ...], int], ...]

    def copied(self) -> Piece:
        """The same in other memory."""
        memory = self.memory.copy()
        return Piece(_laid(self.space, memory, self.places), memory, self.lasts, self.places)


def in_one_piece(space: Space) -> Piece:
    """The same in other memory that is all one. The windows stay where they are."""
    blocks = space.blocks._asdict()
    own = {name: part for name, part in space._asdict().items() if name not in ("blocks", "windows")}
    blocks[SEEN_BY_BLOCKS] = blocks.pop("seen")  # the space has another one of that name
    parts = sorted([*own.items(), *blocks.items()], key=lambda named: named[0] in FOUND_ANEW)
    room = [ALIGNED * math.ceil(part.nbytes / ALIGNED) for _, part in parts]
    begins = np.cumsum([0, *room]).tolist()
    memory = np.zeros(begins[-1], np.uint8)
    for (_, part), at in zip(parts, begins, strict=False):
        memory[at : at + part.nbytes] = part.view(np.uint8)
    places = tuple((name, part.dtype, part.shape, at) for (name, part), at in zip(parts, begins, strict=False))
    lasts = sum(size for (name, _), size in zip(parts, room, strict=True) if name not in FOUND_ANEW)
    return Piece(_laid(space, memory, places), memory, lasts, places)


SEEN_BY_BLOCKS = "seen_by_blocks"
"""The windows of blocks on INPUTS, among the parts of a piece."""


def _laid(space: Space, memory: Bytes, places: tuple[tuple[str, np.dtype, tuple[int, ...], int], ...]) -> Space:
    """A space whose parts lie at places in a memory."""
    there: dict[str, Any] = {name: np.ndarray(shape, kind, memory, at) for name, kind, shape, at in places}
    of_blocks = {name: there.pop(SEEN_BY_BLOCKS if name == "seen" else name) for name in Blocks._fields}
    return space._replace(blocks=Blocks(**of_blocks), **there)
