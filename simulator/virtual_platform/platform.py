"""The virtual platform: it receives the motion stream as a real platform would.

It checks every packet, follows the poses of one stream, acts on silence as `simulator/motion/watchdog.py` says, and at the end reports
what came and how the legs were used, by the packets and by the clock. Told to leave, it first comes to its rest. `process.py` makes a
process of it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.errors import OutputError, StreamError
from simulator.base.json_output import json_text
from simulator.base.records import Record
from simulator.builder.builder import build_platform
from simulator.motion.protocols.native import PROTOCOL
from simulator.motion.watchdog import LONGEST_STEP, FollowingPlatform, warm_up
from simulator.virtual_platform.plot import DriveTime, History, draw_platform, prepare_to_draw
from simulator.virtual_platform.receiver import LegUse, Receiver
from simulator.virtual_platform.rider import Rider
from washout.limiter.limiter import interventions, interventions_text

SERVO = 0.004
"""s. Time between two steps of the platform."""

IDLE = 0.02
"""s. The same while it stands parked, to leave the processor to others."""

LARGEST_PACKET = 2048
"""bytes read of a datagram; ours are shorter, longer ones are broken."""

BUFFER = 1 << 18
"""bytes of datagrams that may wait: a second of a stream, since what waits longer is of no use."""

BURST, BACKLOG = 64, 2048
"""Datagrams taken at once before a step, and after the process was held up, when all that waits is thrown away: no more than BUFFER
holds, or a flood would hold it up again."""

LONGEST_NAME = 200
"""Bytes of a file's name; most disks take 255, and a file is first written under a longer name."""

LAST_WORDS = 0.25
"""s. When told to leave, packets are listened to for this long."""

LEAVE_TIME = 15.0
"""s at most from being told to leave to leaving; the way to the rest takes half of it."""

PRIORITY = 40
"""Real-time priority while it moves, where the system allows it; below that of the host, which must not wait for it."""


@dataclass
class VirtualPlatformOptions:
    """What a virtual platform is asked to do; see `rig_process.add_platform_arguments`."""

    platform: str = "small_hexapod"
    content: dict[str, Any] | None = None
    """What the platform's file says with changes; as it stands there when not given."""
    host: str = "127.0.0.1"
    port: int = PROTOCOL.port
    duration: float | None = None
    stay: bool = False
    window: bool = False
    picture: str | None = None
    json: str | None = None
    leave: threading.Event = field(default_factory=threading.Event)
    """Set: come to rest, then end."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Set: end at once, wherever the platform is, and without a picture."""


def run_platform(options: VirtualPlatformOptions, ready: Any = None) -> dict[str, Any]:
    """Receive until the stream has ended, or `options.leave` is set, and the platform is parked; returns the summary.

    Parameters
    ----------
    options : where to listen and what to write
    ready : called with the bound port once the platform listens

    Raises
    ------
    StreamError : the port is in use or not allowed
    ConfigError : the platform's file cannot be used
    OutputError : the picture or the report cannot be written
    DeviceError : a window was asked for and there is no display
    """
    _check_outputs(options)
    if options.picture:
        prepare_to_draw()
    rig = VirtualPlatform(build_platform(options.platform, options.content))
    with _listen(options.host, options.port) as listener:
        if ready is not None:
            ready(listener.getsockname()[1])
        if options.window:
            _run_in_window(rig, listener, options)
        else:
            rig.run(listener, options)
    summary = rig.summary(options.platform)
    if options.json and options.json != "-":  # before the picture, which takes a while
        _write(options.json, json_text(summary, indent=2) + "\n")
    if options.picture and not options.stop.is_set():
        title = f"{Path(options.platform).stem}: {summary['received']} packets, {summary['lost']} lost, {summary['rate_hz']:.0f} Hz"
        draw_platform(options.picture, rig.platform, rig.busiest, rig.history, title)
    return summary


class VirtualPlatform:
    """Receiver, platform and history behind one socket. `receive` datagrams as they come, `step` at any even pace: time is what moves it."""

    def __init__(self, platform: Record, now: float | None = None) -> None:
        self.platform = platform
        self.receiver = Receiver(platform)
        warm_up(platform)
        self.body = FollowingPlatform(platform)
        self.history, self.drive = History(), DriveTime()
        self.rider: Rider | None = None
        """For a window that shows what is felt."""
        self.use = LegUse(platform)
        """Of the platform's own legs, by the clock."""
        self.busiest = self.body.limits[0]["pose"].copy()
        """(6,) pose furthest from neutral while the stream was alive, which the picture shows."""
        self.longest_silence = 0.0
        self.times_held_up, self.longest_held_up = 0, 0.0
        self.stale = False
        """Whether what waits in the socket came while the process was held up, and is not to be followed."""
        self._servo = time.monotonic() if now is None else now
        self._furthest = -1.0
        self._first: float | None = None
        self._last = 0.0
        self._leaving: float | None = None

    def run(self, listener: socket.socket, options: VirtualPlatformOptions, clock: Callable[[], float] = time.monotonic) -> None:
        """Receive until told to leave or stop, the duration is over, or the stream has ended and the platform is parked."""
        with _real_time():
            began = self._servo = due = clock()
            taken = 0
            while not self._finished(options, began, clock()):
                now = clock()
                if now < due:
                    if taken >= BURST:  # a flood is not listened to, it runs over
                        time.sleep(due - now)
                    elif select.select([listener], [], [], due - now)[0]:
                        self._drain(listener, 1, clock)
                        taken += 1
                else:
                    self._drain(listener, BURST, clock)
                    now = clock()
                    self.step(now)
                    pace = IDLE if self.body.parked else SERVO
                    due, taken = max(due + pace, now + 0.5 * pace), 0
                if self.stale:
                    self._drain(listener, BACKLOG, clock)
                    self.stale = False
            self._drain(listener, BURST, clock)

    def receive(self, data: bytes, source: Any, now: float) -> None:
        """A datagram from an address at `now` [s]."""
        if now - self._servo > LONGEST_STEP:
            self.step(now)
        if self._leaving is not None and now - self._leaving > LAST_WORDS:
            return
        packet = self.receiver.take(data, now, source)
        if packet is None:
            return
        if self._first is None:
            self._first = now
        else:
            self.longest_silence = max(self.longest_silence, now - self._last)
        self._last = now
        self.drive.follow(packet, now)
        if self.rider is not None:
            self.rider.hear(packet)
        if not self.stale:
            self.body.follow(packet, now)

    def step(self, now: float) -> None:
        """Move the platform by the time that has passed until `now` [s]."""
        h = now - self._servo
        if h <= 0.0:
            return
        self._servo = now
        if h > LONGEST_STEP:
            self.stale = True
            self.receiver.deaf(h)
            if not self.body.parked:
                self.times_held_up += 1
                self.longest_held_up = max(self.longest_held_up, h)
        self.body.step(now, h)
        self.use.add(self.body.limits[0]["legs"].copy(), h)
        if self.rider is not None:
            self.rider.step(self.body.limits, h)
        if self._first is not None and not self.body.parked:
            self._note(now - self._first, now)

    def leave(self, now: float) -> None:
        """Come to rest; packets are of interest for a moment only."""
        if self._leaving is None:
            self._leaving = now

    def _finished(self, options: VirtualPlatformOptions, began: float, now: float) -> bool:
        if options.leave.is_set() or (options.duration is not None and now - began >= options.duration):
            self.leave(now)
        if options.stop.is_set():
            return True
        if self._leaving is not None:
            return self.body.parked or now - self._leaving > LEAVE_TIME
        return self._first is not None and self.body.parked and now - self._last > 1.0 and not options.stay

    def _drain(self, listener: socket.socket, most: int, clock: Callable[[], float]) -> None:
        """Take what waits, `most` datagrams at most: a flood must not keep the platform from its step."""
        for _ in range(most):
            try:
                data, source = listener.recvfrom(LARGEST_PACKET)
            except BlockingIOError:
                return
            except OSError:  # too long, or a peer that went away, which some systems report
                continue
            self.receive(data, source, clock())

    def _note(self, wall: float, now: float) -> None:
        self.history.add(wall, now, self.body.limits, self.drive)
        pose = self.body.limits[0]["pose"]
        distance = float(np.abs(pose[[0, 1, 3, 4, 5]]).max())
        if distance > self._furthest and not self.body.alone_now:
            self._furthest = distance
            self.busiest = pose.copy()

    def summary(self, name: str) -> dict[str, Any]:
        """The receiver's summary with the platform's name, what its own legs did by the clock, and the state it was left in.

        `legs` is what the packets asked for, `motion` what the platform did; the former's `within` needs both to be within the limits.
        """
        received, motion = self.receiver.summary(), self.use.summary()
        legs = {**received["legs"], "within": received["legs"]["within"] and motion["within"]}
        return {
            "platform": name,
            **received,
            "legs": legs,
            "motion": motion,
            "limiter": interventions(self.body.limits),
            "held_up": {"times": self.times_held_up, "longest_s": round(self.longest_held_up, 4)},
            "longest_silence_s": round(self.longest_silence, 4),
            "stage": self.body.stage,
            "parked": self.body.at_rest,
        }


@contextlib.contextmanager
def _real_time() -> Iterator[None]:
    """PRIORITY for this thread, where there is such a thing and it is allowed."""
    raised = False
    with contextlib.suppress(OSError, AttributeError):
        if os.sched_getscheduler(0) == os.SCHED_OTHER:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
            raised = True
    try:
        yield
    finally:
        if raised:
            with contextlib.suppress(OSError):
                os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def _run_in_window(rig: VirtualPlatform, listener: socket.socket, options: VirtualPlatformOptions) -> None:
    """Receive in a thread of its own, so that drawing does not delay packets, and show what it does. Raises DeviceError."""
    from simulator.virtual_platform.window import show_platform

    rig.rider = Rider(rig.platform)
    worker = threading.Thread(target=rig.run, args=(listener, options), daemon=True)
    worker.start()
    try:
        show_platform(rig, lambda: not worker.is_alive(), f"Jounce platform: {Path(options.platform).stem}")
    finally:
        options.leave.set()
        worker.join()


def _listen(host: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        with contextlib.suppress(OSError):
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        listener.bind((host, port))
    except OverflowError:
        listener.close()
        raise StreamError(f"platform: got port {port}, expected 0 to 65535") from None
    except (OSError, TypeError, UnicodeError) as error:  # the latter two for names that cannot be looked up
        listener.close()
        reason = getattr(error, "strerror", None) or "no such name"
        other = "--port" if getattr(error, "errno", None) in (errno.EADDRINUSE, errno.EACCES) else "--host"
        raise StreamError(f"platform: cannot listen on {host!r} port {port}: {reason}; choose another {other}") from None
    listener.setblocking(False)
    return listener


def _check_outputs(options: VirtualPlatformOptions) -> None:
    """Better now than after a drive. Raises OutputError."""
    for path in (options.picture, options.json):
        if path and path != "-":
            folder = os.path.dirname(os.path.abspath(path))
            if os.path.isdir(path) or not os.path.isdir(folder) or not os.access(folder, os.W_OK):
                raise OutputError(f"{path}: cannot be written, expected a file in a folder that can be written")
            if len(os.fsencode(os.path.basename(path))) > LONGEST_NAME:
                raise OutputError(f"{path}: cannot be written, expected a name of at most {LONGEST_NAME} bytes")


def _write(path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{path}: cannot write the report: {error.strerror}") from None


def report(summary: dict[str, Any]) -> str:
    """The summary in words, a few lines."""
    legs, motion, jitter, held = summary["legs"], summary["motion"], summary["jitter_ms"], summary["held_up"]
    lines = [
        f"platform {summary['platform']}: {summary['received']} packets at {summary['rate_hz']:.1f} Hz, "
        f"lost {summary['lost']}, reordered {summary['reordered']}, duplicate {summary['duplicate']}, corrupt {summary['corrupt']}",
        f"jitter: p50 {jitter['p50']:.3f} ms, p99 {jitter['p99']:.3f} ms, max {jitter['max']:.3f} ms",
    ]
    if summary["strangers"] or summary["implausible"]:
        lines.insert(
            1,
            f"refused: {summary['strangers']} packets of strangers while a stream was held, "
            f"{summary['implausible']} with a sequence or an interval that cannot be",
        )
    if legs["stroke_low"]:
        lines += [f"legs asked for: {_leg_words(legs)}", f"legs moved, by the clock: {_leg_words(motion)}"]
        if not legs["within"]:
            lines[-1 if not motion["within"] else -2] += "  OUTSIDE THE LIMITS"
        lines.append(interventions_text(summary["limiter"]))
    left = f"left {'parked' if summary['parked'] else summary['stage']}; longest silence {1000 * summary['longest_silence_s']:.0f} ms"
    if held["times"]:
        left += f"; held up {held['times']} times, at most {held['longest_s']:.2f} s"
    return "\n".join([*lines, left])


def _leg_words(use: dict[str, Any]) -> str:
    return (
        f"stroke {100 * min(use['stroke_low']):.1f} to {100 * max(use['stroke_high']):.1f} %, "
        f"speed up to {100 * use['speed']:.1f} %, acceleration up to {100 * use['acceleration']:.1f} % "
        f"and jerk up to {100 * use['jerk']:.1f} % of the limits"
    )
