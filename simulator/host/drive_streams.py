"""Motion streams of a drive and its built-in virtual platform: opening, joining, end."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from simulator.base.errors import JounceError
from simulator.base.signals import StopRequest
from simulator.builder.session_parts import SessionParts
from simulator.configuration.session_file import THIS_MACHINE, MotionOptions, StreamOptions, parse_address
from simulator.events.event import Event
from simulator.host.built_in_platform import BuiltInPlatform
from simulator.host.drive_messages import DriveMessages
from simulator.host.platform_park import STOPPING_SIGNALS
from simulator.motion.protocols.contract import Engine
from simulator.motion.protocols.kinds import DEFAULT
from simulator.motion.stream import MotionStream
from simulator.outlets.motion_stream import MotionStreamOutlet
from simulator.outlets.telemetry import TelemetryOutlet
from simulator.platform_supervisor import RAISE
from simulator.run.run_configuration import JOINED
from simulator.session import Session
from simulator.virtual_platform.process import STOP_TIME

RPM = 30.0 / math.pi
"""rpm per rad/s."""
REPORT_TIME = 2.5
"""s that the virtual platform may take for its report when a signal ended the drive."""


class DriveStreams:
    """Motion streams of a drive.

    Attributes
    ----------
    motions : outlet of the main motion stream first, if there is one, then the further ones
    platform : built-in platform; None without one
    virtual : outlet of the stream to the built-in platform; None before it has joined
    waits : True if the drive starts after a platform has risen
    joins : True until the built-in platform joins a drive that has begun without it
    arms : True if the platform rises when it joins
    began : True after the drive has begun
    summary : report of the built-in platform at the end
    """

    def __init__(self, messages: DriveMessages, stop_request: StopRequest) -> None:
        self.motions: list[MotionStreamOutlet] = []
        self.platform: BuiltInPlatform | None = None
        self.virtual: MotionStreamOutlet | None = None
        self.waits = self.joins = self.began = False
        self.arms = True
        self.summary: dict[str, Any] | None = None
        self._messages, self._stop_request = messages, stop_request
        self._addressed: list[MotionStream] = []
        self._streams: list[MotionStream] = []
        self._ending = threading.Thread(target=self._end_platform)

    def open(self, parts: SessionParts) -> None:
        """Open the streams to addresses. Raises JounceError."""
        self._parts, motion = parts, parts.options.motion
        address = address_of(motion) if motion.on else None
        main = [] if address is None else [self._stream(motion, *address)]
        self._addressed = [*main, *(self._stream(one, *one.to) for one in parts.options.streams)]

    def start_platform(self, folder: Path) -> None:
        """Start the built-in virtual platform in the background, if the drive has one."""
        motion = self._parts.options.motion
        if motion.on and address_of(motion) is None:
            self.platform = BuiltInPlatform(self._parts.configuration, folder)

    def connect(self) -> None:
        """Decide whether the drive waits for a platform, and open the stream to the built-in one unless it joins later. Raises JounceError."""
        motion = self._parts.options.motion
        self.waits = self._has_to_wait(motion.wait)
        self.joins = self.platform is not None and motion.wait is None and not self.waits
        self._streams = self._addressed
        if self.joins:
            MotionStream.warm_up()
        elif self.platform is not None:
            self._streams = [self._stream(motion, *self.platform.address(self._messages.say)), *self._addressed]

    @property
    def armed(self) -> bool:
        """True if the platform rises at the beginning of the drive."""
        return bool(self._streams) and not self.joins

    def begin(self, session: Session) -> None:
        """Add the outlets of the streams to a session, last, because their packets begin with the first tick."""
        if self._streams:
            self.motions = [MotionStreamOutlet(one) for one in self._streams]
            session.output.outlets.extend(self.motions)
            self.virtual = self.motions[0] if self.platform is not None and not self.joins else None

    @property
    def platform_gone(self) -> bool:
        """True after the process of the built-in platform has ended unexpectedly."""
        return self.platform is not None and self.platform.gone

    def join(self, session: Session, log: TelemetryOutlet, apply: Callable[[Event], None]) -> None:
        """Let the built-in platform join the drive when it is up. It starts at rest, and rises while the vehicle moves.

        `apply` applies the event with which it rises.
        """
        assert self.platform is not None
        if self.platform.starts or self.platform.gone or not session.moves:
            return
        self.joins = False
        try:
            stream = self._stream(self._parts.options.motion, *self.platform.address(self._messages.say))
        except JounceError as error:
            self._messages.trouble(f"{error}; driving without it")
        else:
            self.virtual = MotionStreamOutlet(stream)
            self.motions.insert(0, self.virtual)
            session.output.outlets.append(self.virtual)
            self._messages.say(f"the virtual platform joins at {session.time:.2f} s")
        if self.motions and self.arms:
            apply(Event("platform", RAISE))
            log.writer.about[JOINED] = str(session.tick)

    def to_park(self) -> tuple[list[MotionStreamOutlet], bool]:
        """Return the outlets of the platforms to park, and True if only the built-in platform parks. No platform joins any more."""
        self.joins = False
        motions = [motion for motion in self.motions if motion is not self.virtual or not self.platform_gone]
        quick = self.virtual is not None and not any(motion.stream.parks for motion in motions if motion is not self.virtual)
        return motions, quick

    def begin_end(self) -> None:
        """End the built-in platform in a thread, because it draws its plot. A second call does nothing."""
        if self.platform is not None:
            self.platform.ends = True
        if not self._ending.ident:
            self._ending.start()

    def wait_for_end(self) -> None:
        """Wait until the built-in platform has ended."""
        self._ending.join()

    def _has_to_wait(self, wait: bool | None) -> bool:
        """Return whether the drive starts after a platform has risen. By default, it waits for a platform at an address."""
        receives = any(stream.parks for stream in self._addressed)
        return receives if wait is None else wait and (receives or self.platform is not None)

    def _stream(self, options: MotionOptions | StreamOptions, host: str, port: int) -> MotionStream:
        parts = self._parts
        d = parts.vehicle.model.drivetrain[0]
        engine = Engine(
            RPM * max(float(d["engine_map_speed"].max()), float(d["motor_speed_most"].max())), RPM * float(d["idle_speed"]), int(d["gears"])
        )
        return MotionStream(
            host,
            port,
            protocol=options.protocol,
            rate=options.rate,
            tick=parts.step,
            engine=engine,
            vehicle=parts.vehicle.description.name,
            gravity=parts.gravity,
        )

    def _end_platform(self) -> None:
        if self.platform is None:
            return
        self.platform.abandon()
        process = self.platform.process
        if process is None:
            return
        if not self.began:
            process.kill()
            return
        timeout = STOP_TIME if self._stop_request.first is None else REPORT_TIME
        self.summary = process.stop(timeout, at_once=self._stop_request.count >= STOPPING_SIGNALS)
        if self.summary is not None:
            return
        if self._stop_request.first is None and not self.platform_gone:
            self._messages.trouble("the virtual platform did not answer and was killed; its report is missing")
        if self._messages.folder is not None:  # the platform may have been killed while drawing
            for part in self._messages.folder.path.glob("*.part"):
                part.unlink(missing_ok=True)


def address_of(motion: MotionOptions) -> tuple[str, int] | None:
    """Return the address of the main motion stream; None for the built-in virtual platform, which supports only the native protocol."""
    to = THIS_MACHINE if motion.to is None and motion.protocol.name != DEFAULT else motion.to
    return None if to is None else parse_address(to, motion.protocol.name)
