"""Cache of static equilibria, keyed by vehicle, ground and pose.

Several users need the equilibrium that the tie-rod adjustment ends with: the check of the step, the identification drive of a driver, and
the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrain.ground import GroundArrays
from vehicles.equilibrium import Equilibrium
from vehicles.state_memory import Bytes, StateMemory
from vehicles.vehicle_model import VehicleData, VehicleModel

MAX_ENTRIES = 4
"""Maximum number of cached equilibria."""

MAX_KEY_SIZE = 400_000
"""Maximum size of a key [bytes]. Height maps and suspension tables are larger; comparing them would take as long as computing the
equilibrium."""


class EquilibriumCache:
    """Equilibria of vehicles with one description and without plugin parts, whose memory is unknown. The key contains all numbers on which
    an equilibrium depends, so a number that is changed in place is detected."""

    def __init__(self) -> None:
        self.level: Equilibrium | None = None
        """Approximate equilibrium on level ground of height 0, if known."""
        self._entries: list[tuple[bytes, Bytes]] = []
        """Keys and memories of a vehicle in equilibrium; the most recently used entry is last."""

    def restore_or_settle(
        self, m: VehicleModel, state: StateMemory, ground: GroundArrays, place: tuple[float, ...], settle: Callable[[], None]
    ) -> None:
        """Restore the cached equilibrium of this pose, or call `settle` and cache its result.

        state : memory of the vehicle, place : numbers that determine the pose
        """
        key = _key(m, state.space, ground, place)
        known = next((n for n, (other, _) in enumerate(self._entries) if other == key), None)
        if known is None:
            settle()
            self._add(key, state)
        else:
            self._entries.append(self._entries.pop(known))
            state.memory[:] = self._entries[-1][1]

    def note(self, m: VehicleModel, state: StateMemory, ground: GroundArrays, place: tuple[float, ...]) -> None:
        """Cache the present state as the equilibrium of this pose."""
        self._add(_key(m, state.space, ground, place), state)

    def _add(self, key: bytes | None, state: StateMemory) -> None:
        if key is not None:
            self._entries = [*self._entries[1 - MAX_ENTRIES :], (key, state.memory.copy())]


def _key(m: VehicleModel, s: VehicleData, ground: GroundArrays, place: tuple[float, ...]) -> bytes | None:
    """Return all numbers on which the equilibrium depends, as bytes; None if there are too many."""
    parts = [*arrays_in((m, ground)), s.blocks.own, s.blocks.parameters, np.array(place)]
    if sum(part.nbytes for part in parts) > MAX_KEY_SIZE:
        return None
    return b"".join(part.tobytes() for part in parts)


def arrays_in(parts: Iterable[Any]) -> Iterator[NDArray[Any]]:
    """Yield all arrays in nested tuples, in order."""
    for part in parts:
        if isinstance(part, tuple):
            yield from arrays_in(part)
        else:
            yield part
