"""How a vehicle stands where it was put, found once for the same vehicle on the same ground: setting its tie rods ends with it standing as the
check of its step, a driver's test drive and the run itself find it again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrain.ground import GroundArrays
from vehicles.equilibrium import Equilibrium
from vehicles.state_memory import Bytes, StateMemory
from vehicles.vehicle_model import VehicleData, VehicleModel

MOST = 4
"""Places that are kept."""

LARGEST = 400_000
"""Bytes of vehicle and ground up to which they are compared; maps and tables of the suspension are larger, and a look at them takes as long as
finding the equilibrium."""


class EquilibriumCache:
    """Of vehicles with one description and no part from outside, whose memory nobody knows. All numbers that an equilibrium depends on are
    compared, so a number that is changed in place is seen."""

    def __init__(self) -> None:
        self.level: Equilibrium | None = None
        """About how they stand on level ground of height 0, if that is known."""
        self._kept: list[tuple[bytes, Bytes]] = []
        """What decides about a place, and the memory of a vehicle there; the one asked for last is the last one."""

    def restore_or_settle(
        self, m: VehicleModel, piece: StateMemory, ground: GroundArrays, place: tuple[float, ...], settle: Callable[[], None]
    ) -> None:
        """Have `settle` put a vehicle there, or put it as it stood there before.

        piece : its memory, place : numbers that say where and how
        """
        key = _key(m, piece.space, ground, place)
        known = next((n for n, (other, _) in enumerate(self._kept) if other == key), None)
        if known is None:
            settle()
            self._keep(key, piece)
        else:
            self._kept.append(self._kept.pop(known))
            piece.memory[:] = self._kept[-1][1]

    def note(self, m: VehicleModel, piece: StateMemory, ground: GroundArrays, place: tuple[float, ...]) -> None:
        """It stands there now."""
        self._keep(_key(m, piece.space, ground, place), piece)

    def _keep(self, key: bytes | None, piece: StateMemory) -> None:
        if key is not None:
            self._kept = [*self._kept[1 - MOST :], (key, piece.memory.copy())]


def _key(m: VehicleModel, s: VehicleData, ground: GroundArrays, place: tuple[float, ...]) -> bytes | None:
    """All numbers that an equilibrium there depends on; None: they are too many."""
    parts = [*arrays_in((m, ground)), s.blocks.own, s.blocks.parameters, np.array(place)]
    if sum(part.nbytes for part in parts) > LARGEST:
        return None
    return b"".join(part.tobytes() for part in parts)


def arrays_in(parts: Iterable[Any]) -> Iterator[NDArray[Any]]:
    """All arrays in nested tuples, in their order."""
    for part in parts:
        if isinstance(part, tuple):
            yield from arrays_in(part)
        else:
            yield part
