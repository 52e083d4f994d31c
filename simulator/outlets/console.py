"""Outlet of the operator's console: copies all columns of the log into shared memory, and passes events on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from simulator.base.records import record
from simulator.console.state_block import StateBlock
from simulator.outlets.telemetry import LoggedRecords
from simulator.telemetry.channels import Channels, Rows
from washout.platform_procedure import PLATFORM_STATES

if TYPE_CHECKING:
    from simulator.events.event import Event
    from simulator.session import Session

PERIOD = 0.02
"""s between two states."""
QUANTILE_PERIOD = 25
"""States between two updates of the quantile of the lateness."""
HOST: tuple[Any, ...] = (
    ("tick", (), "1", "number of ticks so far", "i8"),
    ("waits", (), "1", "1 while the platform rises before the drive", "i8"),
    ("stopped", (), "1", "1 while the operator's stop of the platform lasts", "i8"),
    ("armed", (), "1", "1 while the platform is permitted to move", "i8"),
    ("real_time_factor", (), "1", "simulated time per wall time"),
    ("overruns", (), "1", "number of late ticks so far", "i8"),
    ("lateness", (), "s", "largest lateness of a tick since the previous state"),
    ("lateness_p99", (), "s", "lateness that 99 % of the ticks do not exceed"),
    ("lateness_worst", (), "s", "largest lateness of a tick so far"),
    ("dropped", (), "s", "wall time by which the drive has fallen behind"),
    ("intensity", (), "1", "scale of the washout input"),
    ("leg_use", (6,), "1", "position of each leg within its stroke, 0 = shortest, 1 = longest"),
    ("missed", (), "1", "number of events that the console has not heard", "i8"),
)
"""Columns of the console besides those of the log, with the prefix host_."""


class ConsoleOutlet:
    """Publishes the session to the console.

    Parameters
    ----------
    session : session after its start
    every : number of ticks between two states
    tell : receives the events; returns False if it drops one

    Attributes
    ----------
    block : shared memory for the console

    Raises DeviceError: no shared memory.
    """

    label = "console"
    """Name of the outlet in messages."""

    def __init__(self, session: Session, every: int, tell: Callable[[Mapping[str, Any]], bool]) -> None:
        self.every = every
        self._tell = tell
        self._logged, self._host = LoggedRecords.of(session), record(HOST)
        self._channels = Channels([*self._logged.vehicle, *self._logged.session, ("host_", HOST, self._host)])
        self.block = StateBlock(self._channels.row_bytes)
        self._rows = Rows(self._channels, self.block.row)
        self._count, self._open, self._late = 0, True, 0.0

    def setup(self, title: str) -> dict[str, Any]:
        """Return what the process of the console has to know of the drive, in JSON types."""
        columns = [
            {"name": one.name, "unit": one.unit, "meaning": one.meaning, "kind": one.kind.str, "offset": one.offset}
            for one in self._channels.columns
            if one.kind.kind in "fiu"
        ]
        return {"block": self.block.name, "title": title, "states": PLATFORM_STATES, "columns": columns}

    def note_tick(self, session: Session) -> None:
        """Note the lateness of a tick; for `Session.on_tick`."""
        if session.clock is not None:
            self._late = max(self._late, session.clock.last_lateness)

    def publish(self, session: Session) -> None:
        """Publish the present state."""
        if not self._open:
            return
        self._logged.look(session)
        host, cueing, clock = self._host[0], session.cueing, session.clock
        host["tick"], host["waits"], host["stopped"] = session.tick, session.waits, session.platform_stopped
        host["armed"], host["intensity"] = cueing.readout[0]["armed"], cueing.readout[0]["intensity"]
        p = cueing.platform[0]
        host["leg_use"] = (cueing.legs - p["shortest_leg"]) / (p["longest_leg"] - p["shortest_leg"])
        if clock is not None:
            host["real_time_factor"], host["overruns"], host["dropped"] = clock.real_time_factor, clock.overruns, clock.dropped
            if self._count % QUANTILE_PERIOD == 0:
                host["lateness_p99"] = clock.lateness.quantile(0.99)
            host["lateness"], host["lateness_worst"], self._late = self._late, clock.worst_lateness, 0.0
        self._count += 1
        self.block.begin()
        self._rows.put(0)
        self.block.end()

    def hear(self, _: Session, event: Event) -> None:
        """Pass an event on."""
        if not self._tell({"type": "event", **event.to_json()}):
            self._host[0]["missed"] += 1

    def close(self) -> None:
        """End the publication; the owner of the console closes the block."""
        self._open = False

    def release(self) -> None:
        """Remove the block, after the process of the console has ended."""
        self._open = False
        del self._rows
        self.block.close()
