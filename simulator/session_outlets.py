"""Outlets of a session: their calls, and the parts that have failed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

from simulator.base.errors import JounceError
from simulator.events.event import Event

if TYPE_CHECKING:
    from simulator.motion.stream import MotionStream
    from simulator.session import Session


class Outlet(Protocol):
    """Consumer of the results of a tick: window, telemetry, motion stream.

    An outlet with an attribute `often` is called `often` times in `every` ticks, at even distances. An outlet with a method
    `hear(session, event)` hears every event of the session, when it takes effect. One with an attribute `stream` has a motion stream, whose
    packets a fault may lose or delay.
    """

    every: int
    """Ticks between two publications."""

    def publish(self, session: Session) -> None:
        """Publish the current state. The session calls this every `every` ticks, after the update of the readout."""

    def close(self) -> None:
        """Release all resources. The session calls this once at the end, also after an error."""


def is_due(outlet: Outlet, tick: int) -> bool:
    """Return whether an outlet is due at a tick; see `simulator.base.rates.TickSchedule`."""
    often: int = getattr(outlet, "often", 1)
    return tick * often % outlet.every < often


class PartError(JounceError):
    """Error in a driver or an outlet; `__cause__` is the original exception.

    The message names the part by its attribute `label`, or by its class if it has none.
    """

    def __init__(self, part: object, error: BaseException) -> None:
        text = str(error) if isinstance(error, JounceError) else f"{type(error).__name__}: {error}".rstrip(": ")
        super().__init__(f"{getattr(part, 'label', type(part).__name__)} failed: {text}")
        self.part = part
        self.__cause__ = error


class SessionOutlets:
    """Calls the outlets of a session. An outlet that raises is closed and removed.

    Attributes
    ----------
    outlets : in the order of their calls
    failures : errors of outlets, sensors and plugin washouts; the session continues without them
    """

    def __init__(self, outlets: Sequence[Outlet]) -> None:
        self.outlets = list(outlets)
        self.failures: list[JounceError] = []
        self._known: set[str] = set()

    @property
    def streams(self) -> list[MotionStream]:
        """Motion streams of the outlets; called every 10 ms, for which an instance check of a protocol takes 10 us too long."""
        return [outlet.stream for outlet in self.outlets if hasattr(outlet, "stream")]

    def due(self, tick: int) -> list[Outlet]:
        """Return the outlets that are due at a tick."""
        return [outlet for outlet in self.outlets if is_due(outlet, tick)]

    def publish(self, session: Session, outlets: Sequence[Outlet]) -> None:
        """Let some of the outlets publish the present state."""
        for outlet in outlets:
            self._call(outlet, partial(outlet.publish, session))

    def announce(self, session: Session, event: Event) -> None:
        """Let every outlet hear an event that has taken effect."""
        for outlet in tuple(self.outlets):
            hear = getattr(outlet, "hear", None)
            if hear is not None:
                self._call(outlet, partial(hear, session, event))

    def note_failure(self, text: str) -> None:
        """Record a failure of a plugin, once per text; an empty text is none."""
        if text and text not in self._known:
            self._known.add(text)
            self.failures.append(JounceError(text))

    def _call(self, outlet: Outlet, call: Callable[[], None]) -> None:
        try:
            call()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self.failures.append(PartError(outlet, error))
            self.outlets.remove(outlet)
            try:
                outlet.close()
            except BaseException as second:
                self.failures[-1].add_note(f"also while closing: {type(second).__name__}: {second}")
