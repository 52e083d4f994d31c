"""How a vehicle stands where it was put, found once for the same vehicle on the same ground: setting its tie rods ends with it standing as the
check of its step, a driver's test drive and the run itself find it again."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrain.surface import GroundArrays
from vehicles.equilibrium import Balance
from vehicles.stages import Model, Space

MOST = 4
"""Places that are kept."""

LARGEST = 400_000
"""Bytes of vehicle and ground up to which they are compared; maps and tables of the suspension are larger, and a look at them takes as long as
finding the equilibrium."""

Bytes = NDArray[np.uint8]


class Stood:
    """Of vehicles with one description and no part from outside, whose memory nobody knows. All numbers that an equilibrium depends on are
    compared, so a number that is changed in place is seen."""

    def __init__(self) -> None:
        self.level: Balance | None = None
        """About how they stand on level ground of height 0, if that is known."""
        self._kept: OrderedDict[bytes, list[Bytes]] = OrderedDict()

    def stand(self, m: Model, s: Space, ground: GroundArrays, place: tuple[float, ...], settle: Callable[[], None]) -> None:
        """Have `settle` put a vehicle there, or put it as it stood there before.

        place : numbers that say where and how
        """
        key = _key(m, s, ground, place)
        if key is None:
            settle()
            return
        if key in self._kept:
            self._kept.move_to_end(key)
            s.recall(self._kept[key])
            return
        settle()
        self._keep(key, s)

    def note(self, m: Model, s: Space, ground: GroundArrays, place: tuple[float, ...]) -> None:
        """It stands there now."""
        key = _key(m, s, ground, place)
        if key is not None:
            self._keep(key, s)

    def _keep(self, key: bytes, s: Space) -> None:
        self._kept[key] = s.remembered()
        if len(self._kept) > MOST:
            self._kept.popitem(last=False)


def _key(m: Model, s: Space, ground: GroundArrays, place: tuple[float, ...]) -> bytes | None:
    """Of all numbers that an equilibrium there depends on; None: they are too many."""
    parts = [*arrays_in((m, ground)), s.blocks.own, s.blocks.parameters, np.array(place)]
    if sum(part.nbytes for part in parts) > LARGEST:
        return None
    digest = hashlib.blake2b(digest_size=32)
    for part in parts:
        digest.update(part.tobytes())
    return digest.digest()


def arrays_in(parts: Iterable[Any]) -> Iterator[NDArray[Any]]:
    """All arrays in nested tuples, in their order."""
    for part in parts:
        if isinstance(part, tuple):
            yield from arrays_in(part)
        else:
            yield part
