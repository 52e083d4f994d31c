"""What the host does with the messages of its peer, and what it tells the peer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.json_output import json_text
from simulator.base.rates import shown_time
from simulator.event_effects.kinds import check
from simulator.events.event import Event, Origin
from simulator.events.event_queue import CAPACITY
from simulator.host.event_service import EventService
from simulator.port.arrays import packed
from simulator.port.link import Link
from simulator.port.messages import PAUSED, RESTS, STATE_HEAD, Kind, Message, RefusedMessageError
from simulator.port.port_driver import PortDriver, numbers_of
from simulator.port.schema import StateSchema
from simulator.sensors.measurement import Measurement

if TYPE_CHECKING:
    from simulator.session import Session

MOVES = ("reset", "upright")
"""Events after which the peer gets a state at once, because they move the vehicle."""


def requested_event(body: bytes, sequence: int) -> Event:
    """Return the event of a REQUEST. Raises RefusedMessageError: it is none, or none that the port may send."""
    try:
        content = msgspec.json.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise RefusedMessageError(f"REQUEST: expected an event as JSON ({error})", sequence) from None
    if not isinstance(content, dict) or not isinstance(content.get("kind"), str) or content.keys() - {"kind", "value"}:
        raise RefusedMessageError('REQUEST: expected an event with "kind" and, if the kind has one, "value"', sequence)
    event = Event(content["kind"], content.get("value"), Origin.PORT)
    try:
        check(event)
    except ConfigError as error:
        raise RefusedMessageError(f"REQUEST: {error}", sequence) from None
    return event


class Peer:
    """Takes the messages of the peer: commands go to the driver, requests to the queue of events.

    Parameters
    ----------
    link : link to the peer
    schema : text of the schema

    Attributes
    ----------
    latest_command : sequence of the latest command, 0 before the first one
    """

    def __init__(self, link: Link, schema: str, driver: PortDriver) -> None:
        self.latest_command = 0
        self._link, self._schema, self._driver = link, schema.encode(), driver
        self._requests: list[tuple[Event, int]] = []

    def greet(self) -> None:
        """Send the schema."""
        self._link.send(Kind.SCHEMA, self._schema, 0.0)

    def take(self, message: Message) -> bool:
        """Take a message, or refuse it; return True for a command that holds from now on."""
        try:
            is_command = self._take(message)
        except RefusedMessageError as error:
            self._link.refuse(error)
            return False
        self._link.heard()
        return is_command

    def _take(self, message: Message) -> bool:
        """Take a message. Raises RefusedMessageError."""
        if message.kind == Kind.COMMAND:
            if message.schema != self._link.schema:
                expected = f"that of the SCHEMA message, {self._link.schema:#018x}"
                raise RefusedMessageError(f"command: schema {message.schema:#018x}; expected {expected}", message.sequence)
            self._driver.hold(numbers_of(message.body, message.sequence))
            self.latest_command = message.sequence
            return True
        if message.kind == Kind.REQUEST:
            event = requested_event(message.body, message.sequence)
            if len(self._requests) >= CAPACITY:
                raise RefusedMessageError("REQUEST: too many events in 10 ms", message.sequence)
            self._requests.append((event, message.sequence))
        elif message.kind == Kind.HELLO:
            self.greet()
        return False

    def serve(self, events: EventService) -> None:
        """Let the requests take effect, in the order of their arrival."""
        for event, _ in self._requests:
            events.queue.put(event)
        events.serve()
        self._requests.clear()

    def refuse(self, event: Event, reason: str) -> None:
        """Tell the peer that a request of it had no effect."""
        for one, sequence in self._requests:
            if one is event:
                self._link.refuse(RefusedMessageError(f"REQUEST: {reason}", sequence))


class PortOutlet:
    """Sends states, measurements and events to the peer, and at the end that the log is complete.

    Parameters
    ----------
    link : link to the peer
    state : channels of a state
    every : ticks between two states
    latest_command : returns the sequence of the latest command
    """

    label = "port"
    """Name of the outlet in messages."""

    def __init__(self, link: Link, state: StateSchema, every: int, latest_command: Callable[[], int]) -> None:
        self.every = every
        self.reason = "the peer has ended it"
        """Reason of the end, for the peer."""
        self._link, self._state, self._latest = link, state, latest_command

    def send_arrays(self, session: Session) -> None:
        """Send the arrays of each measurement at its delivery from now on: before the state of that time."""
        sources = {one.source for one in self._state.arrays}
        for sensor in session.measuring.sensors:
            if sensor.name in sources:
                sensor.subscribe(partial(self._measured, session, sensor.name))

    def _measured(self, session: Session, source: str, measured: Measurement) -> None:
        self.send_measurement(session, source, measured.time, measured.delivered, measured.arrays)

    def send_measurement(self, session: Session, source: str, time: float, delivered: float, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Send the chosen arrays of a measurement; times in s."""
        if body := packed(self._state.arrays, source, time, delivered, arrays):
            self._link.send(Kind.SENSOR, body, shown_time(session.time))

    def publish(self, session: Session) -> None:
        """Send the state."""
        flags = PAUSED * session.paused | RESTS * session.recovery.rests
        head = STATE_HEAD.pack(session.tick, flags, self._latest())
        self._link.send(Kind.STATE, head + self._state.values(), shown_time(session.time))

    def hear(self, session: Session, event: Event) -> None:
        """Send an event, and the state if it has moved the vehicle."""
        self._link.send(Kind.EVENT, json_text(event.to_json()).encode(), shown_time(session.time))
        if event.kind in MOVES:
            self.publish(session)

    def close(self) -> None:
        """Send the end."""
        self._link.send(Kind.END, self.reason.encode(errors="replace"), 0.0)
