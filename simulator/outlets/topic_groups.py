"""Contract of the groups of live topics, which `simulator.outlets.live_topics` publishes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from simulator.sensors.messages.topic import Message

if TYPE_CHECKING:
    from simulator.session import Session

LATCHED, STATE, MOVING, SENSOR, TIME = "latched", "state", "moving", "sensor", "time"
"""Uses of a topic. Later readers of a LATCHED one receive its last message; MOVING: transforms, of which no reader may miss many."""

Publish = Callable[[str, Callable[[], Message | bytes | None]], None]
"""Publishes a message by the name of its topic; the function returns the message, bytes that are encoded already, or None for none."""


class LiveTopic(NamedTuple):
    """Topic of a sink."""

    name: str
    type: str
    """Name of the message, for example "nav_msgs/msg/Odometry"."""
    use: str = STATE


class TopicGroup(Protocol):
    """Topics that belong together."""

    topics: Sequence[LiveTopic]

    def take(self, session: Session, begins: bool) -> Callable[[Publish], None] | None:
        """Copy what is published at this time, in the thread of the ticks; return the function that publishes it, in the thread of the outlet.

        None: nothing is due. `begins`: the first time of the session, and that after a restart. A group with a method `hear(session, event)`
        returns in the same way what it publishes of an event.
        """
