"""Runner of a plugin outlet in a background thread."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from simulator.base.errors import JounceError
from simulator.base.plugin_thread import PluginThread
from simulator.events.event import Event

if TYPE_CHECKING:
    from simulator.session import Session
from simulator.outlets.contract import HearingOutlet, OutletSample, PluginOutlet

WAITING = 256
"""Maximum number of events that wait for an outlet that is at work."""


class OutletRunner:
    """Plugin outlet in a session.

    Parameters
    ----------
    name : name of the kind
    outlet : outlet of the plugin; it hears events if it has a method `hear`
    every : ticks between two publications

    Attributes
    ----------
    missed : number of publications missed because the previous call had not ended
    dropped : number of events that the outlet has not heard, because too many were waiting
    """

    label = "plugin"
    """Name of the outlet in messages."""

    def __init__(self, name: str, outlet: PluginOutlet, every: int) -> None:
        self.name, self.every = name, every
        self._outlet = outlet
        self._hearing = outlet if isinstance(outlet, HearingOutlet) else None
        self._events: deque[Event] = deque()
        self.missed = self.dropped = 0
        self._thread = PluginThread(f"outlet {name}", self._work)

    def publish(self, session: Session) -> None:
        """Pass a sample, and the events that wait, to the thread. Raises JounceError after the outlet was stopped."""
        if self._is_free(session.clock is None):
            self._submit(sample_of(session))
        else:
            self.missed += 1

    def hear(self, session: Session, event: Event) -> None:
        """Pass an event to the thread, or let it wait while the outlet is at work. Raises JounceError after the outlet was stopped."""
        if self._hearing is None:
            return
        if len(self._events) == WAITING:
            self.dropped += 1
        else:
            self._events.append(event)
        if self._is_free(session.clock is None):
            self._submit(None)

    def close(self) -> None:
        """Wait for the last call and close the outlet, each within its time budget. Raises JounceError: the outlet failed."""
        if self._thread.error:
            return  # a stopped outlet is not called any more
        self._thread.result(wait=True)
        if self._events:
            self._submit(None)
            self._thread.result(wait=True)
        error: str = self._thread.error
        self._thread.close()
        if not error:
            closing = PluginThread(f"outlet {self.name}", self._outlet.close)
            closing.submit()
            closing.result(wait=True)
            error = closing.error
            closing.close()
        if error:
            raise JounceError(error)

    def _is_free(self, wait: bool) -> bool:
        """Return whether the outlet is not at work; `wait` for its present call. Raises JounceError after the outlet was stopped."""
        self._thread.result(wait=wait)
        if self._thread.error:
            raise JounceError(self._thread.error)
        return not self._thread.busy

    def _submit(self, sample: OutletSample | None) -> None:
        events, self._events = tuple(self._events), deque()
        self._thread.submit(events, sample)

    def _work(self, events: tuple[Event, ...], sample: OutletSample | None) -> None:
        """Call the outlet; runs in the thread."""
        for event in events:
            assert self._hearing is not None
            self._hearing.hear(event)
        if sample is not None:
            self._outlet.publish(sample)


def sample_of(session: Session) -> OutletSample:
    """Return copies of the present results of a session."""
    cueing = session.cueing
    return OutletSample(
        session.time,
        session.readout.copy(),
        session.command.copy(),
        cueing.pose.copy(),
        cueing.legs.copy(),
        session.platform_state,
        cueing.monitor.felt.copy(),
        {sensor.name: sensor.out.copy() for sensor in session.measuring.sensors},
        dict(session.measurements),
    )
