"""Outlet that publishes a session live: clock, transforms, odometry, joints, sensors and further groups of topics, as those of
`simulator.outlets.world_topics`.

The thread of the ticks only puts copies into a queue. Conversion and network are in the thread of the outlet; a reader that stalls, or a full
queue, costs messages and no time of a tick. A sink brings the messages to the readers: ROS 2 (`simulator.outlets.ros2`) or another network.

    /clock            simulated time
    /tf, /tf_static   odom -> base_link; map -> odom, base_link -> rear_axle, base_link -> NAME of the sensors, and further frames
    /odom             true pose and velocity of the vehicle
    /joint_states     wheels, headings of the steered wheels, steering wheel
    /NAME/...         topics of a sensor, as in its file
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from simulator.base.errors import JounceError
from simulator.base.rates import whole_ticks
from simulator.base.work_thread import WorkThread
from simulator.outlets.topic_groups import LATCHED, MOVING, SENSOR, TIME, LiveTopic, Publish, TopicGroup
from simulator.outlets.world_topics import world_groups
from simulator.ros2.options import MAP_RATE, OBJECTS_RATE
from simulator.ros2.robot_description import rear_axle, wheel_joints
from simulator.ros2.vehicle_messages import clock, joints, odometry
from simulator.sensors.measurement import Measurement
from simulator.sensors.messages.cdr import Part
from simulator.sensors.messages.definitions import CLOCK, JOINT_STATE, ODOMETRY, TRANSFORMS
from simulator.sensors.messages.topic import ODOMETRY as ODOMETRY_FRAME
from simulator.sensors.messages.topic import VEHICLE, WORLD, Frame, Message, pose, transform
from simulator.sensors.messages.topic_encoder import TopicEncoder
from simulator.telemetry.sensor_file.recorder import ITEM_BYTES, Recorded, recorded_sensors, size_in_queue

if TYPE_CHECKING:
    from simulator.events.event import Event
    from simulator.session import Session

QUEUE_BYTES = 1 << 26
"""Size of what waits for the thread: three seconds of a camera and a lidar. If it is full, a real-time drive drops messages."""
CLOSE_TIMEOUT = 5.0
"""s. Maximum time that `close` waits for the thread."""


class Sink(Protocol):
    """Network of live topics."""

    label: str
    """Name in messages."""

    def open(self, topics: Sequence[LiveTopic]) -> None:
        """Create the topics; called once, before the first message. Raises JounceError."""

    def wants(self, topic: str) -> bool:
        """Return whether somebody reads a topic, so that its messages are needed."""

    def write(self, topic: str, at_time: float, parts: Sequence[Part]) -> bool:
        """Publish an encoded message at a simulated time [s]; return False if it was dropped. It must not wait for a reader."""

    def close(self) -> None:
        """Leave the network."""


class LiveTopics:
    """Publishes a session through a sink; see the module.

    Parameters
    ----------
    session : its sensors are subscribed to
    sink : network; closed if this fails
    rate, key : rate of the groups [Hz], and the section of a session that has it
    groups : topics besides those of sensors and time, in the order of their messages
    note : called with one line at the end, if messages were dropped

    Attributes
    ----------
    dropped : number of publications, measurements and messages that were not published
    failure : reason why the topics ended; empty while they work

    Raises JounceError: the network cannot be used, or the rate does not suit the ticks.
    """

    def __init__(
        self, session: Session, sink: Sink, rate: float, key: str, groups: Sequence[TopicGroup], note: Callable[[str], None]
    ) -> None:
        self.label = sink.label
        self.every = whole_ticks(rate, session.h, key, "rate")
        self.dropped, self.failure = 0, ""
        self._sink, self._groups, self._note, self._time, self._is_closed = sink, groups, note, np.inf, False
        self._troubles: deque[str] = deque()
        self._encoder = TopicEncoder("is not published", lambda text: self._troubles.append(f"{self.label}: {text}"))
        self._recorded, _ = recorded_sensors(session.measuring.sensors)
        topics = [LiveTopic("/clock", CLOCK, TIME), *(topic for group in groups for topic in group.topics)]
        topics += [LiveTopic(one.topic_name(topic), topic.type, SENSOR) for one in self._recorded for topic in one.topics]
        self._types = {topic.name: topic.type for topic in topics}
        try:
            sink.open(topics)
        except BaseException:
            sink.close()
            raise
        self._thread = WorkThread(sink.label, QUEUE_BYTES, self._failed)
        for one in self._recorded:
            one.sensor.subscribe(partial(self._measured, session, one))

    def publish(self, session: Session) -> None:
        """Publish the time and what the groups have. Raises JounceError: the network has failed."""
        if self.failure:
            raise JounceError(self.failure)
        while self._troubles:
            session.output.failures.append(JounceError(self._troubles.popleft()))
        time = session.time
        if time == self._time:
            return  # the platform rises, or a pause
        begins = not time > self._time or self._time == np.inf
        self._time = time
        works = [work for group in self._groups if (work := group.take(session, begins)) is not None]
        self._add(partial(self._publish, time, works), ITEM_BYTES, session)

    def hear(self, session: Session, event: Event) -> None:
        """Let the groups publish an event, also during a pause."""
        for group in self._groups:
            hear = getattr(group, "hear", None)
            if hear is not None and not self._is_closed:
                self._add(partial(hear(session, event), partial(self._write, session.time)), ITEM_BYTES, session)

    def _measured(self, session: Session, one: Recorded, measured: Measurement) -> None:
        self._add(partial(self._publish_measurement, one, measured), size_in_queue(measured), session)

    def _add(self, work: Callable[[], None], size: int, session: Session) -> None:
        """Let the thread do some work; without a clock, wait for the thread, so that no message is lost."""
        self.dropped += not self._thread.add(work, size, wait=session.clock is None)

    def _publish(self, time: float, works: Sequence[Callable[[Publish], None]]) -> None:
        publish = partial(self._write, time)
        for work in works:
            work(publish)
        publish("/clock", partial(clock, time))  # the last one: what belongs to a time is there when it comes

    def _publish_measurement(self, one: Recorded, measured: Measurement) -> None:
        for topic in one.topics:
            self._write(measured.time, one.topic_name(topic), partial(topic.message, measured))

    def _write(self, time: float, topic: str, make: Callable[[], Message | bytes | None]) -> None:
        parts = self._encoder.encode(topic, self._types[topic], time, make) if self._sink.wants(topic) else None
        if parts is not None and not self._sink.write(topic, time, parts):
            self.dropped += 1

    def _failed(self, error: BaseException) -> None:
        self.failure = f"{self.label}: {type(error).__name__}: {error}".rstrip(": ")

    def close(self) -> None:
        """Publish what waits, and leave the network."""
        if self._is_closed:
            return
        self._is_closed = True
        self._thread.close(self._sink.close, CLOSE_TIMEOUT)
        for text in self._troubles:
            self._note(text)
        if self.dropped:
            self._note(f"{self.label}: {self.dropped} messages were not published; a reader or this machine was too slow")


class VehicleTopics:
    """Transforms, odometry and joints of the vehicle.

    truth : False leaves out the odometry and the transform of the vehicle
    """

    def __init__(self, session: Session, truth: bool) -> None:
        self.topics: Sequence[LiveTopic] = [LiveTopic("/tf_static", TRANSFORMS, LATCHED), LiveTopic("/joint_states", JOINT_STATE)]
        if truth:
            self.topics = [*self.topics, LiveTopic("/tf", TRANSFORMS, MOVING), LiveTopic("/odom", ODOMETRY)]
        vehicle = session.vehicle
        self._truth, self._wheels = truth, wheel_joints(vehicle.description)
        recorded, _ = recorded_sensors(session.measuring.sensors)
        constant = Frame(ODOMETRY_FRAME, WORLD, np.zeros(3), np.eye(3)), rear_axle(vehicle.description, vehicle.tires)
        self._frames = [*constant, *(frame for one in recorded for frame in one.frames)]

    def take(self, session: Session, begins: bool) -> Callable[[Publish], None]:
        """Copy the readout."""
        return partial(self._publish, session.time, session.readout[0].copy(), begins)

    def _publish(self, time: float, readout: Any, begins: bool, publish: Publish) -> None:
        if begins:
            publish("/tf_static", lambda: {"transforms": [transform(time, frame) for frame in self._frames]})
        if self._truth:
            p, q = readout["p_WB"].tolist(), readout["q_WB"].tolist()
            v, w = readout["v_WB_B"].tolist(), readout["w_WB_B"].tolist()
            publish("/tf", lambda: {"transforms": [pose(time, ODOMETRY_FRAME, VEHICLE, p, q)]})
            publish("/odom", lambda: odometry(time, p, q, v, w))
        publish("/joint_states", lambda: joints(time, self._wheels, readout))


def common_groups(session: Session, truth: bool, map_rate: float = MAP_RATE, objects_rate: float = OBJECTS_RATE) -> list[TopicGroup]:
    """Return the groups that all sinks publish; a rate [Hz] of 0 leaves out its topic. Raises JounceError: a sensor has the name of a link."""
    return [VehicleTopics(session, truth), *world_groups(session, map_rate, objects_rate)]
