"""Reports of a drive about its motion streams: failures, streams that nobody receives, progress."""

from __future__ import annotations

from simulator.base.progress_line import bar
from simulator.host.drive_messages import DriveMessages
from simulator.host.drive_streams import DriveStreams
from simulator.motion.protocols.kinds import DEFAULT
from simulator.outlets.motion_stream import MotionStreamOutlet
from simulator.session import Session

RECEIVER_TICKS = 500
"""Ticks between two checks whether anybody receives the streams."""


class StreamReports:
    """Reports each change of a stream once."""

    def __init__(self, messages: DriveMessages, streams: DriveStreams) -> None:
        self._messages, self._streams = messages, streams
        self._failed: set[MotionStreamOutlet] = set()
        self._refused: set[MotionStreamOutlet] = set()

    def report_failures(self) -> None:
        """Report a platform that has died and streams that have failed."""
        platform = self._streams.platform
        if platform is not None and platform.has_died():
            self._messages.trouble("the virtual platform exited unexpectedly; driving without it")
        for motion in self._streams.motions:
            if motion not in self._failed and (reason := motion.stream.failing):
                self._failed.add(motion)
                self._messages.trouble(f"motion stream{self._label(motion)}: {reason}; the platform receives no packets")

    def report_receivers(self, session: Session) -> None:
        """Report the streams whose packets no program receives, and those whose packets a program receives again."""
        if session.tick % RECEIVER_TICKS:
            return
        for motion in self._streams.motions:
            if motion.stream.refused == (motion in self._refused):
                continue
            self._refused ^= {motion}
            label = f"motion stream{self._label(motion)}"
            hint = "; hint: start 'jounce platform' there" if motion.stream.protocol == DEFAULT else ""
            state = "nobody receives" if motion in self._refused else "a program receives"
            self._messages.say(f"{label}: {state} the packets at {motion.stream.address}{hint if motion in self._refused else ''}")

    def progress_text(self, session: Session, duration: float) -> str:
        """Return the progress of the drive in one line, with the streams that nobody receives; called in a thread."""
        if session.waits:
            return f"the platform rises: {session.tick * session.h:.0f} s"
        if session.paused:
            return "the platform parks"
        motions = tuple(self._streams.motions)
        refused = [motion.stream.protocol for motion in motions if motion in self._refused]
        sent = sum(motion.stream.sent for motion in motions)
        return bar("stream", session.time, duration, f"nobody receives {', '.join(refused)}" if refused else f"{sent} packets sent")

    def _label(self, motion: MotionStreamOutlet) -> str:
        """Return the name of a stream for messages, if there are several."""
        return f" {motion.stream.protocol}" if len(self._streams.motions) > 1 else ""
