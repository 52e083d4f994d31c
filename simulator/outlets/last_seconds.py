"""Last seconds of a drive in memory, for a replay in the window while the vehicle is paused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.base.records import Record
from simulator.outlets.dashboard import FIELDS
from simulator.view.shared_state import LAST_SECONDS
from simulator.view.vehicle_states import NO_STATES

if TYPE_CHECKING:
    from simulator.session import Session

SECONDS = 30.0
"""s of simulated time that are stored."""
PERIOD = 0.016
"""s between two stored states."""
STORED_FIELDS = ("p_platform", "q_platform", "legs", "leg_use", "selector", "parking_brake", *FIELDS)
"""Fields of EXTRAS that are stored."""


class LastSeconds:
    """Ring of the states of the last SECONDS, about 6 MB and 0.6 MB for each other vehicle, and the replay of them.

    Attributes
    ----------
    plays : True during a replay
    jumped : True if the shown state does not continue the previous one; the caller resets it
    """

    def __init__(self, readout: Record, extras: Record) -> None:
        self._rows = round(SECONDS / PERIOD)
        self._readouts = np.zeros(self._rows, readout.dtype)
        kept = [(name, *_kind(extras.dtype, name)) for name in STORED_FIELDS]
        self._extras = np.zeros(self._rows, kept)
        self._generations = np.zeros(self._rows, np.int64)
        self._vehicles: list[Record] = [NO_STATES] * self._rows
        self.vehicles = NO_STATES
        """Other vehicles of the state to show."""
        self._count, self._last = 0, -np.inf
        self.plays = self.jumped = False
        self._began = self._row = 0
        self._shown: Record = readout.copy()

    def note(self, session: Session, extras: Record, generation: int) -> None:
        """Store the present state if it is due; `generation` changes when the vehicle was put to another place."""
        now = float(session.readout[0]["time"])
        if session.paused or session.waits or 0.0 <= now - self._last < PERIOD - 1e-6:
            return
        self._last = now
        row = self._count % self._rows
        self._readouts[row], self._generations[row], self._vehicles[row] = session.readout[0], generation, session.others.states
        for name in STORED_FIELDS:
            self._extras[row][name] = extras[0][name]
        self._count += 1

    def begin(self, tick: int) -> None:
        """Begin the replay with the oldest state; without one there is no replay."""
        self.plays, self._began = self._count > 0, tick
        self._row, self.jumped = max(0, self._count - self._rows), True

    def end(self) -> None:
        """End the replay: the present state is shown again."""
        self.plays, self.jumped = False, True

    def show(self, session: Session, extras: Record) -> Record:
        """Return the READOUT record to show now, and fill `extras`. The replay ends by itself, and when the drive continues."""
        played = (session.tick - self._began) * session.h
        oldest = max(0, self._count - self._rows)
        row = oldest + int(played / PERIOD + 1e-6)
        if row >= self._count or not session.paused:
            self.end()
            self.vehicles = session.others.states
            return session.readout
        at, before = row % self._rows, self._row % self._rows
        self.jumped |= bool(self._generations[at] != self._generations[before])
        self._row, self.vehicles = row, self._vehicles[at]
        for name in STORED_FIELDS:
            extras[0][name] = self._extras[at][name]
        self._shown[0] = self._readouts[at]
        e = extras[0]
        e["replays"], e["replay_speed"], e["replay_position"] = LAST_SECONDS, 1.0, played
        e["replay_duration"], e["paused"] = (self._count - oldest) * PERIOD, 0
        return self._shown


def _kind(dtype: np.dtype, name: str) -> tuple[Any, ...]:
    """Return NumPy type and shape of a field."""
    field = dtype[name]
    return field.base, field.shape
