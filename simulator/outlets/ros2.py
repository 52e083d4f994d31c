"""Outlet that publishes a session as topics of ROS 2: clock, transforms, odometry, joints and sensors.

The thread of the ticks only puts copies into a queue. Conversion and network are in the thread of the outlet; a reader that stalls, or a full
queue, costs messages and no time of a tick.

    /clock            simulated time
    /tf, /tf_static   odom -> base_link; map -> odom, base_link -> NAME of the sensors, and further frames of a kind
    /odom             true pose and velocity of the vehicle
    /joint_states     wheels, headings of the wheels, steering wheel
    /NAME/...         topics of a sensor, as in its file
"""

from __future__ import annotations

import contextlib
import queue
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.base.errors import JounceError
from simulator.base.plugin_thread import share_python, take_priority
from simulator.base.rates import whole_ticks
from simulator.base.suggestions import did_you_mean
from simulator.ros2.dds import CLOCK, LATCHED, Node, Publisher, Quality
from simulator.ros2.options import Ros2Options
from simulator.ros2.vehicle_messages import clock, joint_names, joints, odometry
from simulator.sensors.measurement import Measurement
from simulator.sensors.messages.cdr import encode_parts
from simulator.sensors.messages.definitions import CLOCK as CLOCK_TYPE
from simulator.sensors.messages.definitions import JOINT_STATE, TRANSFORMS
from simulator.sensors.messages.definitions import ODOMETRY as ODOMETRY_TYPE
from simulator.sensors.messages.topic import ODOMETRY, VEHICLE, WORLD, Frame, Message, pose, transform
from simulator.telemetry.sensor_file.recorder import Recorded, recorded_sensors

if TYPE_CHECKING:
    from simulator.session import Session

WAITING = 400
"""Maximum number of publications and measurements that wait; further ones are dropped in real time."""
PERIOD = 0.2
"""s. Maximum time that the thread waits for a signal."""
CLOSE_TIMEOUT = 5.0
"""s. Maximum time that `close` waits for the thread."""


class Ros2Outlet:
    """Publishes a session; see the module.

    Attributes
    ----------
    dropped : number of publications, measurements and messages that were not published

    Raises JounceError: the domain cannot be joined.
    """

    label = "ROS 2"
    """Name of the outlet in messages."""

    def __init__(self, session: Session, options: Ros2Options) -> None:
        self.every = whole_ticks(options.rate, session.h, "outlets.ros2", "rate")
        self.dropped = 0
        self._options, self._time = options, -np.inf
        self._names = joint_names(len(session.readout[0]["wheel_angle"]))
        self._node = Node(options.domain, options.interface)
        self._recorded, _ = recorded_sensors(session.measuring.sensors)
        self._publishers = self._make_publishers()
        self._queue: deque[Callable[[], None]] = deque()
        self._wake: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._ending = False
        self.failure = ""
        for number, one in enumerate(self._recorded):
            one.sensor.subscribe(partial(self._measured, session, number))
        share_python(1)
        self._thread = threading.Thread(target=self._work, name="ROS 2", daemon=True)
        self._thread.start()

    def _make_publishers(self) -> dict[str, Publisher]:
        sensor = Quality(reliable=self._options.reliable, depth=5)
        rows = [("/clock", CLOCK_TYPE, CLOCK), ("/tf_static", TRANSFORMS, LATCHED), ("/joint_states", JOINT_STATE, Quality())]
        rows += [("/tf", TRANSFORMS, Quality(depth=100)), ("/odom", ODOMETRY_TYPE, Quality())] if self._options.truth else []
        rows += [(_name(one, topic.name), topic.type, sensor) for one in self._recorded for topic in one.topics]
        usual_names = [usual for usual, _, _ in rows]
        for usual in self._options.topics:
            if usual not in usual_names:
                self._node.close()
                raise JounceError(
                    f"outlets.ros2.topics.{usual}: no such topic{did_you_mean(usual, usual_names)}; expected {', '.join(usual_names)}"
                )
        return {usual: self._node.publisher(self._options.topics.get(usual, usual), kind, quality) for usual, kind, quality in rows}

    def publish(self, session: Session) -> None:
        """Publish the time and the state of the vehicle. Raises JounceError: the network has failed."""
        if self.failure:
            raise JounceError(self.failure)
        time = session.time
        if time == self._time:
            return  # the platform rises, or a pause
        begins = not time > self._time
        self._time = time
        self._add(partial(self._state, time, session.readout[0].copy(), begins), session.clock is None)

    def _measured(self, session: Session, number: int, measured: Measurement) -> None:
        self._add(partial(self._measurement, number, measured), session.clock is None)

    def _add(self, work: Callable[[], None], waits: bool) -> None:
        """Let the thread do some work; without a clock, wait for the thread, so that no message is lost."""
        while len(self._queue) >= WAITING and waits and self._thread.is_alive():
            self._wake.put(None)
            threading.Event().wait(1e-3)
        if len(self._queue) >= WAITING or self.failure:
            self.dropped += 1
            return
        self._queue.append(work)
        if self._wake.empty():
            self._wake.put(None)

    def _work(self) -> None:
        """Body of the thread."""
        self._publish_frames(0.0)
        while not self.failure:
            with contextlib.suppress(queue.Empty):
                self._wake.get(timeout=PERIOD)
            take_priority()
            is_ending = self._ending  # read before the last pass
            try:
                while self._queue:
                    self._queue.popleft()()
            except Exception as error:
                self.failure = f"ROS 2: {type(error).__name__}: {error}".rstrip(": ")
            if is_ending:
                return

    def _publish_frames(self, time: float) -> None:
        """Publish the constant frames."""
        every = [Frame(ODOMETRY, WORLD, np.zeros(3), np.eye(3)), *(frame for one in self._recorded for frame in one.frames)]
        self._write("/tf_static", TRANSFORMS, {"transforms": [transform(time, frame) for frame in every]})

    def _state(self, time: float, readout: Any, begins: bool) -> None:
        if begins:
            self._publish_frames(time)
        p, q = readout["p_WB"].tolist(), readout["q_WB"].tolist()
        if self._options.truth:
            self._write("/tf", TRANSFORMS, {"transforms": [pose(time, ODOMETRY, VEHICLE, p, q)]})
            self._write("/odom", ODOMETRY_TYPE, odometry(time, p, q, readout["v_WB_B"].tolist(), readout["w_WB_B"].tolist()))
        self._write("/joint_states", JOINT_STATE, joints(time, self._names, readout))
        self._write("/clock", CLOCK_TYPE, clock(time))  # the last one: what belongs to a time is there when it comes

    def _measurement(self, number: int, measured: Measurement) -> None:
        one = self._recorded[number]
        for topic in one.topics:
            message = topic.message(measured)
            if message is not None and message.get("header", {}).get("stamp", {}).get("sec", 0) >= 0:  # a first scan begins before the time
                self._write(_name(one, topic.name), topic.type, message)

    def _write(self, topic: str, kind: str, message: Message) -> None:
        if not self._publishers[topic].write(encode_parts(kind, message)):
            self.dropped += 1

    def close(self) -> None:
        """Publish what waits, and leave the domain."""
        if self._ending:
            return
        self._ending = True
        self._wake.put(None)
        self._thread.join(CLOSE_TIMEOUT)
        share_python(-1)
        self._node.close()


def _name(one: Recorded, topic: str) -> str:
    return f"/{one.sensor.name}/{topic}"


def ros2_outlets(session: Session, options: Ros2Options | None) -> list[Ros2Outlet]:
    """Return the outlet of a session; none without the section `outlets.ros2`. Raises JounceError: it cannot be created."""
    return [] if options is None else [Ros2Outlet(session, options)]
