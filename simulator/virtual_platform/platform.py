"""Virtual platform: receiver of the motion stream that behaves like a real platform.

It checks every packet, follows the poses of one stream, and reacts to silence as in `simulator/motion/watchdog.py`. At the end, it reports
the received packets and the use of the legs, by the packets and by the clock. After a request to leave, it first moves to its rest pose.
`process.py` runs it in a process.
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

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import OutputError, StreamError
from simulator.base.json_output import json_text
from simulator.base.output_target import is_stream, output_path
from simulator.base.records import Record, record
from simulator.builder.builder import build_platform
from simulator.motion.protocols.native import PROTOCOL
from simulator.motion.protocols.native_packet import MotionPacket
from simulator.motion.watchdog import LONGEST_STEP, FollowingPlatform, warm_up
from simulator.telemetry.atomic_files import write_text
from simulator.virtual_platform.plot import DriveTime, History, draw_platform, prepare_to_draw
from simulator.virtual_platform.receiver import LegUse, Receiver
from washout.cueing import PARAMETERS, STATES
from washout.limiter.limiter import LIMITER, interventions, interventions_text
from washout.perceived_motion import FELT, feel
from washout.platform import HEXAPOD

SERVO = 0.004
"""Time [s] between two steps of the platform."""

IDLE = 0.02
"""Time [s] between two steps while parked, to save processor time."""

LARGEST_PACKET = 2048
"""Maximum number of bytes read of a datagram; Jounce packets are shorter, longer ones are invalid."""

BUFFER = 1 << 18
"""Size [bytes] of the receive buffer: a second of a stream; older datagrams are useless."""

BURST, BACKLOG = 64, 2048
"""Maximum number of datagrams read before a step, and discarded after a delay of the process. The limit is the content of BUFFER; with
more, a flood would delay the process again."""

LONGEST_NAME = 200
"""Maximum bytes of a file name; most disks allow 255, and a file is first written under a longer name."""

LINGER_TIME = 0.25
"""Time [s] for which packets are still received after a request to leave."""

LEAVE_TIME = 15.0
"""Maximum time [s] from the request to leave until the end; the motion to the rest pose takes half of it."""

PRIORITY = 40
"""Real-time priority while moving, if the system permits it; below that of the host, which must not wait for the platform."""


SMOOTH = 0.05
"""Time constant [s] of the low pass for both, so that the display is readable."""

LARGEST = 1e3
"""Limit of the values from packets [m/s2, rad/s]."""


class Rider:
    """Motion of rider and driver, (6,) each: specific force minus gravity [m/s2], surge, sway, heave, and rates [rad/s], roll, pitch, yaw.

    Attributes
    ----------
    car, cab : motion of the driver in the vehicle, in B, and of the rider, in P
    """

    def __init__(self, platform: Record) -> None:
        self.car, self.cab = np.zeros(6), np.zeros(6)
        self._vehicle_motion = np.zeros(6)
        self._p, self._s, self._out = record(PARAMETERS), record(STATES), record(FELT)
        for name, *_ in HEXAPOD:
            self._p[0][name] = platform[0][name]
        self._rest = np.array([0.0, 0.0, STANDARD_GRAVITY])
        self._p[0]["h"] = 1.0
        feel(self._p, self._s, self._rest, np.zeros(3), self._out)  # compiles the kernel before the platform moves

    def hear(self, packet: MotionPacket) -> None:
        """Store the vehicle motion of a packet."""
        self._vehicle_motion[:3] = np.clip(packet.force, -LARGEST, LARGEST) - self._rest
        self._vehicle_motion[3:] = np.clip(packet.rates, -LARGEST, LARGEST)

    def step(self, limits: Record, h: float) -> None:
        """Update the motion after h seconds of platform motion; `limits` is its LIMITER record."""
        s, weight = self._s[0], h / (SMOOTH + h)
        for name, *_ in LIMITER:
            s[name] = limits[0][name]
        self._p[0]["h"] = h
        feel(self._p, self._s, self._rest, np.zeros(3), self._out)
        s["rates_before"] = s["rates"]
        motion = np.concatenate((self._out[0]["cab_f_H_P"] - self._rest, self._out[0]["cab_w_NP_P"]))
        self.cab += weight * (motion - self.cab)
        self.car += weight * (self._vehicle_motion - self.car)


@dataclass
class VirtualPlatformOptions:
    """Options of a virtual platform; see `process.add_platform_arguments`."""

    platform: str = "small_hexapod"
    content: dict[str, Any] | None = None
    """Content of the platform file with changes; default: the unchanged file."""
    host: str = "127.0.0.1"
    port: int = PROTOCOL.port
    duration: float | None = None
    stay: bool = False
    window: bool = False
    picture: str | None = None
    json: str | None = None
    leave: threading.Event = field(default_factory=threading.Event)
    """Set to request the rest pose and then the end."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Set to end at once in any pose, without a plot."""


def run_platform(options: VirtualPlatformOptions, ready: Any = None) -> dict[str, Any]:
    """Receive until the stream has ended or `options.leave` is set, and the platform is parked; return the summary.

    Parameters
    ----------
    options : address to listen on and files to write
    ready : called with the bound port when the platform listens

    Raises
    ------
    StreamError : the port is in use or not permitted
    ConfigError : the platform file is invalid
    OutputError : the plot or the report cannot be written
    DeviceError : a window was requested and there is no display
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
    if options.json and options.json != "-":  # before the plot, which takes a while
        write_text(Path(options.json), json_text(summary, indent=2) + "\n")
    if options.picture and not options.stop.is_set():
        title = f"{Path(options.platform).stem}: {summary['received']} packets, {summary['lost']} lost, {summary['rate_hz']:.0f} Hz"
        draw_platform(output_path(options.picture), rig.platform, rig.busiest, rig.history, title)
    return summary


class VirtualPlatform:
    """Receiver, platform and history behind one socket. Call `receive` with each datagram and `step` regularly: only time moves it."""

    def __init__(self, platform: Record, now: float | None = None) -> None:
        self.platform = platform
        self.receiver = Receiver(platform)
        warm_up(platform)
        self.body = FollowingPlatform(platform)
        self.history, self.drive = History(), DriveTime()
        self.rider: Rider | None = None
        """Motion of the rider, for the window."""
        self.use = LegUse(platform)
        """Use of the legs of the platform, by the clock."""
        self.busiest = self.body.limits[0]["pose"].copy()
        """Pose (6,) furthest from neutral while following the stream, for the plot."""
        self.longest_silence = 0.0
        self.times_held_up, self.longest_held_up = 0, 0.0
        self.stale = False
        """True if the datagrams in the socket arrived during a delay of the process and must be ignored."""
        self._servo = time.monotonic() if now is None else now
        self._furthest = -1.0
        self._first: float | None = None
        self._last = 0.0
        self._leaving: float | None = None

    def run(self, listener: socket.socket, options: VirtualPlatformOptions, clock: Callable[[], float] = time.monotonic) -> None:
        """Receive until a request to leave or stop, the end of the duration, or the end of the stream with a parked platform."""
        with _real_time():
            began = self._servo = due = clock()
            taken = 0
            while not self._finished(options, began, clock()):
                now = clock()
                if now < due:
                    if taken >= BURST:  # during a flood, the socket buffer overflows
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
        """Process a datagram from an address at `now` [s]."""
        if now - self._servo > LONGEST_STEP:
            self.step(now)
        if self._leaving is not None and now - self._leaving > LINGER_TIME:
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
        """Move the platform by the time since the last step, up to `now` [s]."""
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

    def go_to_rest(self, now: float) -> None:
        """Move to the rest pose; packets are ignored after a moment."""
        if self._leaving is None:
            self._leaving = now

    def _finished(self, options: VirtualPlatformOptions, began: float, now: float) -> bool:
        if options.leave.is_set() or (options.duration is not None and now - began >= options.duration):
            self.go_to_rest(now)
        if options.stop.is_set():
            return True
        if self._leaving is not None:
            return self.body.parked or now - self._leaving > LEAVE_TIME
        return self._first is not None and self.body.parked and now - self._last > 1.0 and not options.stay

    def _drain(self, listener: socket.socket, limit: int, clock: Callable[[], float]) -> None:
        """Read at most `most` waiting datagrams, so that a flood does not delay the step of the platform."""
        for _ in range(limit):
            try:
                data, source = listener.recvfrom(LARGEST_PACKET)
            except BlockingIOError:
                return
            except OSError:  # too long, or a peer that has gone, as some systems report
                continue
            self.receive(data, source, clock())

    def _note(self, wall: float, now: float) -> None:
        self.history.add(wall, now, self.body.limits, self.drive)
        pose = self.body.limits[0]["pose"]
        distance = float(np.abs(pose[[0, 1, 3, 4, 5]]).max())
        if distance > self._furthest and not self.body.without_stream:
            self._furthest = distance
            self.busiest = pose.copy()

    def summary(self, name: str) -> dict[str, Any]:
        """Return the summary of the receiver with the platform name, the use of its legs by the clock, and its final state.

        `legs` is the use requested by the packets, `motion` that of the platform; `within` of `legs` is True if both are within the limits.
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
    """Set PRIORITY for this thread, if the system supports and permits it."""
    is_raised = False
    with contextlib.suppress(OSError, AttributeError):
        if os.sched_getscheduler(0) == os.SCHED_OTHER:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
            is_raised = True
    try:
        yield
    finally:
        if is_raised:
            with contextlib.suppress(OSError):
                os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def _run_in_window(rig: VirtualPlatform, listener: socket.socket, options: VirtualPlatformOptions) -> None:
    """Receive in a background thread, so that drawing does not delay packets, and show a window. Raises DeviceError."""
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
        raise StreamError(f"platform: invalid port; expected 0 to 65535; got {port}") from None
    except (OSError, TypeError, UnicodeError) as error:  # TypeError and UnicodeError: the name cannot be resolved
        listener.close()
        reason = getattr(error, "strerror", None) or "unknown name"
        other = "--port" if getattr(error, "errno", None) in (errno.EADDRINUSE, errno.EACCES) else "--host"
        raise StreamError(f"platform: cannot listen on {host!r} port {port} ({reason}); hint: choose another {other}") from None
    listener.setblocking(False)
    return listener


def _check_outputs(options: VirtualPlatformOptions) -> None:
    """Check the output files before the run. Raises OutputError."""
    for path in (options.picture, options.json):
        if not path:
            continue
        if len(os.fsencode(os.path.basename(path))) > LONGEST_NAME:
            raise OutputError(f"{path}: cannot be written; expected a name of at most {LONGEST_NAME} bytes")
        folder = os.path.dirname(os.path.realpath(path))
        if not is_stream(output_path(path)) and (os.path.isdir(path) or not os.path.isdir(folder) or not os.access(folder, os.W_OK)):
            raise OutputError(f"{path}: cannot be written; expected a file in a writable folder")


def report(summary: dict[str, Any]) -> str:
    """Return the summary as a few lines of text."""
    legs, motion, jitter, delays = summary["legs"], summary["motion"], summary["jitter_ms"], summary["held_up"]
    lines = [
        f"platform {summary['platform']}: {summary['received']} packets at {summary['rate_hz']:.1f} Hz, "
        f"lost {summary['lost']}, reordered {summary['reordered']}, duplicate {summary['duplicate']}, corrupt {summary['corrupt']}",
        f"jitter: p50 {jitter['p50']:.3f} ms, p99 {jitter['p99']:.3f} ms, max {jitter['max']:.3f} ms",
    ]
    if summary["strangers"] or summary["implausible"]:
        lines.insert(
            1,
            f"refused: {summary['strangers']} packets of other senders during a stream, "
            f"{summary['implausible']} with an implausible sequence or interval",
        )
    if legs["stroke_low"]:
        lines += [f"legs, requested: {_leg_words(legs)}", f"legs, by the clock: {_leg_words(motion)}"]
        if not legs["within"]:
            lines[-1 if not motion["within"] else -2] += "  OUTSIDE THE LIMITS"
        lines.append(interventions_text(summary["limiter"]))
    final_state = (
        f"final state {'parked' if summary['parked'] else summary['stage']}; longest silence {1000 * summary['longest_silence_s']:.0f} ms"
    )
    if delays["times"]:
        final_state += f"; delayed {delays['times']} times, at most {delays['longest_s']:.2f} s"
    return "\n".join([*lines, final_state])


def _leg_words(use: dict[str, Any]) -> str:
    return (
        f"stroke {100 * min(use['stroke_low']):.1f} to {100 * max(use['stroke_high']):.1f} %, "
        f"speed up to {100 * use['speed']:.1f} %, acceleration up to {100 * use['acceleration']:.1f} % "
        f"and jerk up to {100 * use['jerk']:.1f} % of the limits"
    )
