"""Sink of live topics for ROS 2, see `simulator.outlets.live_topics`."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.base.errors import JounceError
from simulator.base.suggestions import did_you_mean
from simulator.outlets.topic_groups import LATCHED, MOVING, SENSOR, STATE, TIME, LiveTopic
from simulator.ros2.dds import CLOCK, Node, Publisher, Quality
from simulator.ros2.dds import LATCHED as LATCHED_QUALITY
from simulator.ros2.options import Ros2Options
from simulator.sensors.messages.cdr import Part

_QUALITIES = {TIME: CLOCK, LATCHED: LATCHED_QUALITY, STATE: Quality(), MOVING: Quality(depth=100)}


class Ros2Sink:
    """Topics of ROS 2. Raises JounceError: the domain cannot be joined."""

    label = "ROS 2"

    def __init__(self, options: Ros2Options) -> None:
        self._options = options
        self._publishers: dict[str, Publisher] = {}
        self._node = Node(options.domain, options.interface, "outlets.ros2.interface")

    def open(self, topics: Sequence[LiveTopic]) -> None:
        """Create the publishers. Raises JounceError: an option renames an unknown topic."""
        renamed, usual_names = self._options.topics, [topic.name for topic in topics]
        for usual in renamed:
            if usual not in usual_names:
                raise JounceError(
                    f"outlets.ros2.topics.{usual}: no such topic{did_you_mean(usual, usual_names)}; expected {', '.join(usual_names)}"
                )
        names = [renamed.get(usual, usual) for usual in usual_names]
        for usual, name in renamed.items():
            if names.count(name) > 1:
                raise JounceError(f"outlets.ros2.topics.{usual}: another topic has this name; expected names that differ; got {name}")
        qualities = {SENSOR: Quality(reliable=self._options.reliable, depth=5), **_QUALITIES}
        for topic in topics:
            self._publishers[topic.name] = self._node.publisher(renamed.get(topic.name, topic.name), topic.type, qualities[topic.use])

    def wants(self, topic: str) -> bool:
        """Return True: who reads is not known."""
        return True

    def write(self, topic: str, at_time: float, parts: Sequence[Part]) -> bool:
        """Publish a message; return False if a slow reader left no room for it."""
        return self._publishers[topic].write(parts)

    def close(self) -> None:
        """Leave the domain."""
        self._node.close()
