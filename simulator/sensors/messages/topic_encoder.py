"""Encoding of the messages of topics. A topic with a message that cannot be encoded is left out from then on, and the others go on."""

from __future__ import annotations

from collections.abc import Callable

from simulator.sensors.messages.cdr import Part, encode_parts
from simulator.sensors.messages.topic import Message


class TopicEncoder:
    """Encodes messages.

    Parameters
    ----------
    lost : what happens to a topic with an invalid message, for example "is not recorded"
    report : called with one line for each topic that is left out
    """

    def __init__(self, lost: str, report: Callable[[str], None]) -> None:
        self._lost, self._report = lost, report
        self._faulty: set[str] = set()

    def encode(self, topic: str, kind: str, time: float, make: Callable[[], Message | bytes | None]) -> list[Part] | None:
        """Return a message in parts: what `make` returns, as it is or encoded as CDR; None for none. `time` [s] is for the report."""
        if topic in self._faulty:
            return None
        try:
            message = make()
            if isinstance(message, bytes):
                return [message]
            return None if message is None or _is_too_early(message) else encode_parts(kind, message)
        except Exception as error:  # of a plugin, for example a message without a field
            self._faulty.add(topic)
            self._report(f"topic {topic} {self._lost} from {time:.3f} s on: {type(error).__name__}: {error}".rstrip(": "))
            return None


def _is_too_early(message: Message) -> bool:
    """Return whether the data of a message begin before the simulation, such as the first scan of a lidar: ROS has no negative times."""
    return message.get("header", {}).get("stamp", {}).get("sec", 0) < 0
