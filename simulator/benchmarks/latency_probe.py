"""Latency of a running drive: a key is pressed as the window would, and motion packets, states and frames are watched for its effect.

The key is the parking brake while pressed, whose command changes at once with the key, and which keeps the vehicle where it is.
"""

from __future__ import annotations

import math
import os
import random
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from simulator.base.errors import JounceError
from simulator.motion.protocols.native_packet import decode
from simulator.view.drive_lock import running
from simulator.view.shared_keys import KeyReader
from simulator.view.shared_state import ViewReader

KEY = "space"
READ_EVERY = 0.01
"""s of simulated time between two reads of the input devices."""
EVENT_INTERVAL = (0.15, 0.25)
"""s between two events, by chance, so that the events have no fixed phase to the ticks."""
POLL = 0.5e-3
"""s between two looks at the states."""
TIMESTAMPS = sys.platform.startswith("linux")
"""True if the system notes the arrival of a packet; else this process does, which may be late on a busy machine."""
SO_TIMESTAMPNS = 35
_TIMESPEC = struct.Struct("@ll")
PRIORITY = 10
"""Real-time priority of the thread that presses the key, below that of a drive: a press that waits for a core is no latency of the drive."""
FRAME_POLL = 1e-3
"""s between two looks at the frames, which carry their own times."""
PATIENCE = 3.0
"""s after which an event without an effect counts as lost."""
LAST_EFFECTS = 1.0
"""s for the last packets and frames."""


class PacketReceiver:
    """Receiver of a native motion stream on this machine: time of arrival and simulated time of each packet."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self._socket.settimeout(0.2)
        if TIMESTAMPS:
            self._socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.port: int = self._socket.getsockname()[1]
        self.packets: list[tuple[float, float]] = []
        """(arrival by `time.perf_counter`, simulated time) [s]."""
        self._ended = False
        self._thread = threading.Thread(target=self._receive, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the reception."""
        self._ended = True
        self._thread.join()
        self._socket.close()

    def _receive(self) -> None:
        while not self._ended:
            try:
                data, stamps, _, _ = self._socket.recvmsg(2048, 64) if TIMESTAMPS else (self._socket.recv(2048), [], 0, None)
            except TimeoutError:
                continue
            arrival = _arrival(stamps)
            try:
                self.packets.append((arrival, decode(data).time))
            except JounceError:
                continue


class FrameWatch:
    """Watch on the frames of a view: simulated time of each, and the time at which it was handed to the display."""

    def __init__(self, keys: KeyReader) -> None:
        self.frames: list[tuple[float, float]] = []
        """(`time.perf_counter` of the view, simulated time) [s]."""
        self._keys, self._ended = keys, False
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the watch."""
        self._ended = True
        self._thread.join()

    def _watch(self) -> None:
        last = 0.0
        while not self._ended:
            simulated, at = self._keys.shown
            if at != last:
                self.frames.append((at, simulated))
                last = at
            time.sleep(FRAME_POLL)


def _arrival(stamps: Sequence[tuple[int, int, bytes]]) -> float:
    """Return the arrival of a packet by `time.perf_counter`, from the time stamp of the system if there is one."""
    now, wall = time.perf_counter(), time.time()
    for level, kind, content in stamps:
        if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS):
            seconds, nanoseconds = _TIMESPEC.unpack(content[: _TIMESPEC.size])
            return now - max(wall - seconds - 1e-9 * nanoseconds, 0.0)
    return now


@contextmanager
def _priority() -> Iterator[None]:
    """Give this thread real-time priority for a measurement, if the system permits it."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    except (OSError, AttributeError):
        yield
        return
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


@dataclass
class Latencies:
    """Latencies of the events of a drive [s], from the key to the effect."""

    packet: list[float] = field(default_factory=list)
    """To the arrival of the first motion packet of a state after the new command."""
    frame: list[float] = field(default_factory=list)
    """To the first frame of such a state, when it was handed to the display."""
    lost: int = 0
    """Events without an effect on the vehicle within PATIENCE."""
    frame_rate: float = math.nan
    """Frames per second."""


class LatencyProbe:
    """Probe of the drive of a process.

    Parameters
    ----------
    pid : process id of the drive
    receiver : receiver of a native stream of the drive

    Raises DeviceError when the blocks of the drive cannot be opened.
    """

    def __init__(self, pid: int, receiver: PacketReceiver) -> None:
        about = next(drive for drive in running() if drive["pid"] == pid)
        self._keys, self._states = KeyReader(about["keys"], create=False), ViewReader(about["block"])
        self._receiver, self._watch = receiver, FrameWatch(self._keys)

    def measure(self, seconds: float, goes_on: Callable[[], bool]) -> Latencies:
        """Send events for `seconds` while `goes_on()`, and return their latencies."""
        out, chance, pressed = Latencies(), random.Random(1), False
        events: list[tuple[float, float]] = []
        began, frames = time.perf_counter(), self._keys.frames
        with _priority():
            while time.perf_counter() - began < seconds and goes_on():
                time.sleep(chance.uniform(*EVENT_INTERVAL))
                pressed = not pressed
                sent = time.perf_counter()
                commanded = self._command(pressed, sent)
                if commanded is None:
                    out.lost += 1
                else:
                    events.append((sent, commanded))
        out.frame_rate = (self._keys.frames - frames) / (time.perf_counter() - began)
        self._keys.hold(KEY, False)
        time.sleep(LAST_EFFECTS)
        out.packet, out.frame = delays(events, self._receiver.packets), delays(events, self._watch.frames)
        return out

    def close(self) -> None:
        """Close the blocks."""
        self._watch.close()
        self._keys.close()
        self._states.close()

    def _command(self, down: bool, sent: float) -> float | None:
        """Press or release the key; return the simulated time at which the host read the key, or None if it does not."""
        self._keys.hold(KEY, down)
        while not (self._states.read() and bool(self._states.last[0]["parking_brake"]) == down):
            if time.perf_counter() - sent > PATIENCE:
                return None
            time.sleep(POLL)
        return command_time(float(self._states.last[0]["time"]))


def command_time(seen: float) -> float:
    """Return the simulated time at which the devices were read last before a state of the simulated time `seen`.

    >>> round(command_time(0.048), 3), round(command_time(0.05), 3)
    (0.04, 0.04)
    """
    return math.floor((seen - 1e-6) / READ_EVERY) * READ_EVERY


def delays(events: Sequence[tuple[float, float]], effects: Sequence[tuple[float, float]]) -> list[float]:
    """Return the time from each event to its first effect; an event without an effect is left out.

    Parameters
    ----------
    events : (time, simulated time of the new command) [s]
    effects : (time, simulated time of the state) [s] of packets or frames, in the order of the times

    >>> [round(delay, 3) for delay in delays([(5.0, 1.0)], [(5.001, 0.996), (5.004, 1.0), (5.008, 1.004)])]
    [0.008]
    """
    differences = (
        next((at - sent for at, simulated in effects if at > sent and simulated > commanded + 1e-6), None) for sent, commanded in events
    )
    return [delay for delay in differences if delay is not None]
