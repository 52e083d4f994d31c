"""State of a vehicle in one contiguous memory block, which is copied, saved and restored at once."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vehicles.suspension.blocks import Blocks
from vehicles.vehicle_model import VehicleData

Bytes = NDArray[np.uint8]

ALIGNED = 16
"""Bytes. Alignment of the records in the memory block, equal to that of all memory of NumPy."""

SEEN_BY_BLOCKS = "seen_by_blocks"
"""Name, in a memory block, of the views of the corner blocks on INPUTS."""

STAYS = ("inputs", "others", "kept", SEEN_BY_BLOCKS, "found", "shown")
"""Parts that a vehicle keeps when it is cleared: its tie rods, the definition of its corner blocks, and their views."""
NEVER_WRITTEN = ("own", "parameters")
WRITTEN_FIRST = ("reduced", "scratch")
"""Parts that a step writes before it reads them."""
IN_ORDER = ((), STAYS, NEVER_WRITTEN, WRITTEN_FIRST)
"""Order of the groups in a memory block; all parts without a group come first."""


@dataclass(frozen=True)
class StateMemory:
    """VehicleData in one memory block, except for the terrain caches (`windows`), which are no state.

    begins : first bytes of STAYS, NEVER_WRITTEN and WRITTEN_FIRST in the memory
    places : name, type, shape and first byte of each part
    """

    space: VehicleData
    memory: Bytes
    begins: tuple[int, ...]
    places: tuple[tuple[str, np.dtype, tuple[int, ...], int], ...]

    @property
    def lasts(self) -> int:
        """Number of bytes, from the start of the memory, that the next step depends on."""
        return self.begins[1]

    def copied(self) -> StateMemory:
        """Return a copy in other memory."""
        memory = self.memory.copy()
        return StateMemory(_viewed(self.space, memory, self.places), memory, self.begins, self.places)

    def clear_as(self, cleared: Bytes) -> None:
        """Restore the state of a cleared vehicle, whose memory is given."""
        stays, _, written_first = self.begins
        self.memory[:stays], self.memory[written_first:] = cleared[:stays], cleared[written_first:]


def in_one_block(space: VehicleData, apart: Collection[str] = ("windows", "towing")) -> StateMemory:
    """Return a copy in one contiguous memory block. The parts `apart` stay where they are: the terrain caches, which are no
    state, and the couplings of trailers, which refer to other memory."""
    blocks = {name: part for name, part in space.blocks._asdict().items() if name not in apart}
    own = {name: part for name, part in space._asdict().items() if name != "blocks" and name not in apart}
    blocks[SEEN_BY_BLOCKS] = blocks.pop("seen")  # VehicleData has another field with this name
    parts = sorted([*own.items(), *blocks.items()], key=lambda named: _GROUP.get(named[0], 0))
    sizes = [ALIGNED * math.ceil(part.nbytes / ALIGNED) for _, part in parts]
    starts = np.cumsum([0, *sizes]).tolist()
    memory = np.empty(starts[-1], np.uint8)
    memory[:] = np.frombuffer(b"".join(part.tobytes().ljust(size, b"\0") for (_, part), size in zip(parts, sizes, strict=True)), np.uint8)
    places = tuple((name, part.dtype, part.shape, at) for (name, part), at in zip(parts, starts, strict=False))
    begins = tuple(next(at for name, _, _, at in places if name in group) for group in IN_ORDER[1:])
    return StateMemory(_viewed(space, memory, places), memory, begins, places)


_GROUP = {name: n for n, group in enumerate(IN_ORDER) for name in group}


def _viewed(space: VehicleData, memory: Bytes, places: tuple[tuple[str, np.dtype, tuple[int, ...], int], ...]) -> VehicleData:
    """Return a VehicleData whose parts are views of a memory block."""
    views: dict[str, Any] = {name: np.ndarray(shape, kind, memory, at) for name, kind, shape, at in places}
    names = {SEEN_BY_BLOCKS if name == "seen" else name: name for name in Blocks._fields}
    of_blocks = {field: views.pop(name) for name, field in names.items() if name in views}
    return space._replace(blocks=space.blocks._replace(**of_blocks), **views)
