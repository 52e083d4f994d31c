"""Motion stream: outlet that sends the pose of the platform, or the motion of the vehicle, over UDP in step with the ticks.

The vehicle motion comes from `stream_fade.py` for every protocol, and the pose from the cueing, which ends in the limiter. A protocol only
converts both to bytes, so that pause, reset, faults and the end are identical for all protocols.

If a packet is due between two ticks, it carries the pose of the due time, interpolated linearly between the ticks. Receivers assume poses
at even intervals.
"""

from __future__ import annotations

import contextlib
import hashlib
import ipaddress
import math
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import StreamError
from simulator.base.plugin_thread import PluginThread
from simulator.base.rates import even_turns
from simulator.base.records import Record, record
from simulator.base.registry import KindChoice
from simulator.motion.protocols.contract import NO_ENGINE, Engine, Listening, Said, checked, encoder_of
from simulator.motion.protocols.kinds import DEFAULT, PROTOCOL_KINDS
from simulator.motion.protocols.native_packet import MotionPacket
from simulator.motion.stream_fade import LONGEST_FADE, Fade
from washout.cueing import PARAMETERS, STATES, MotionCueing, brake_platform
from washout.platform import leg_lengths
from washout.platform_state_machine import OFF, PARKED

NATIVE = KindChoice(DEFAULT)
"""Native protocol, with its default parameters."""

LAST_PACKETS = 3
"""Number of packets at rest, and with the stop flag, at the end, because UDP may lose packets."""

REST_RATE = 1e-3
"""Rate [m/s, rad/s] below which a pose counts as at rest."""

FAIL_AFTER = 0.5
"""Time [s] without a sent packet after which the stream counts as failing."""

MAX_RECEIVED, MAX_DATAGRAM = 16, 512
"""Maximum number of datagrams received between two packets, and maximum bytes of a datagram."""

REFUSED_FOR = 1.0
"""Time [s] for which the report of a destination counts that nobody receives its packets."""

IP_RECVERR = 11
"""Option of a Linux socket: report errors of packets that were sent, as that of a closed port."""

LONGEST_END = 2.0
"""Maximum time [s] in which `close` brings a moving platform to a stop."""


SAME = 1e-9
"""s. Tolerance of a due time."""


class Disturbance:
    """Loss and delay of packets by their number and the time of the stream, so that equal runs lose the same packets.

    Attributes
    ----------
    loss : probability that a packet is lost
    delay : time [s] for which a packet is under way
    lost : number of packets lost so far
    """

    def __init__(self) -> None:
        self.loss = self.delay = 0.0
        self.lost = 0
        self._under_way: deque[tuple[float, bytes]] = deque()

    def packets(self, data: bytes, sequence: int, time: float, ending: bool) -> Iterator[bytes]:
        """Yield the packets that arrive at a time [s] of the stream, with the new packet `data`; at the end of the stream nothing is lost or
        delayed, so that a platform always learns about the end. Packets never overtake each other."""
        if not ending and self.loss > 0.0 and is_lost(sequence, self.loss):
            data = b""
            self.lost += 1
        while self._under_way and (ending or self._under_way[0][0] <= time + SAME):
            yield self._under_way.popleft()[1]
        if data and (self._under_way or (self.delay > 0.0 and not ending)):
            self._under_way.append((time + self.delay, data))
        elif data:
            yield data


def is_lost(sequence: int, probability: float) -> bool:
    """Return whether the packet of this number is lost."""
    digest = hashlib.blake2b(sequence.to_bytes(8, "little"), digest_size=4).digest()
    return int.from_bytes(digest, "little") < probability * 2.0**32


class MotionStream:
    """Sends packets; never blocks or fails a tick.

    Parameters
    ----------
    host, port : destination; the name is resolved once, in the constructor
    protocol : protocol of `kinds.py` with its parameters
    rate : packets per second, at most one per tick; if the tick rate is not a multiple, the packets are spread as evenly as possible
    tick : length of a tick [s]
    engine : engine data for a dashboard
    vehicle : name of the vehicle
    gravity : gravitational acceleration of the simulated world [m/s2]

    Raises
    ------
    StreamError : the address is not usable
    ConfigError : the rate is above the tick rate, or a parameter of the protocol is invalid
    JounceError : the protocol does not exist, or its creation failed
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int | None = None,
        *,
        protocol: KindChoice = NATIVE,
        rate: float | None = None,
        tick: float = 1e-3,
        engine: Engine = NO_ENGINE,
        vehicle: str = "",
        gravity: float = STANDARD_GRAVITY,
    ) -> None:
        self.protocol = protocol.name
        self.kind = PROTOCOL_KINDS.need(self.protocol)
        self.turns = even_turns(self.kind.rate if rate is None else rate, tick, "stream", "rate")
        self.tick = tick
        self.interval = self.turns.every * tick / self.turns.often
        """Mean time between packets [s]."""
        self._encode = encoder_of(self.kind, protocol.parameters, f"protocol {self.protocol}", engine, self.interval, vehicle)
        self._thread: PluginThread | None = None
        """Background thread for the encoder of a plugin protocol."""
        self._pending: tuple[MotionPacket, bool] | None = None
        self._listening: Listening | None = None
        if PROTOCOL_KINDS.is_builtin(self.protocol):
            self._listening = self._encode if isinstance(self._encode, Listening) else None
        else:
            self._thread = PluginThread(f"protocol {self.protocol}", checked(self.kind, self._encode))
        self._target = _resolve(host, self.kind.port if port is None else port)
        self._socket = _socket_to(self._target[0])
        self._stream = time.time_ns() & 0xFFFFFFFF
        self._tick = self._turn = 0
        self._disturbance = Disturbance()
        self.sent = 0
        """Number of packets sent."""
        self.errors = 0
        """Number of packets not sent because of the network or a number that is not finite."""
        self._failed, self._reason = 0, ""
        self._refused_at: int | None = None
        self._fade = Fade(gravity)
        Brake.warm_up()
        self._resets = 0
        self._rests = LAST_PACKETS
        self._end: Brake | None = None
        self._last: MotionPacket | None = None

    @staticmethod
    def warm_up() -> None:
        """Load what a stream to this machine needs, so that it can open within a tick."""
        Fade()
        Brake.warm_up()
        _resolve("127.0.0.1", 1)  # Python loads the encoding of names at the first call

    @property
    def parks(self) -> bool:
        """True if the stream can park the receiver, so that it is worth waiting for."""
        return self.kind.poses

    @property
    def at_rest(self) -> bool:
        """True if the last packets stated rest: nothing moves, and a platform that can be parked is down."""
        down = not self.kind.poses or self._last is None or self._last.state in (OFF, PARKED)
        return down and self._rests >= LAST_PACKETS

    @property
    def fade_time(self) -> float:
        """Maximum time [s] in which forces fade, from a pause to `at_rest` of a protocol that does not park."""
        return LONGEST_FADE + (LAST_PACKETS + 1) * self.interval

    @property
    def trouble(self) -> str:
        """Reason why a plugin protocol was stopped, in one line; empty while it works."""
        return "" if self._thread is None else self._thread.error

    @property
    def lost(self) -> int:
        """Number of packets that were not sent, because of a fault of the drive or an error of the network."""
        return int(self.errors + self._disturbance.lost)

    @property
    def address(self) -> str:
        """Destination for messages."""
        return f"{self._target[0]} port {self._target[1]}"

    @property
    def refused(self) -> bool:
        """True if the destination reports that no program receives the packets; on Linux, unless a firewall suppresses the report."""
        return self._refused_at is not None and (self.sent - self._refused_at) * self.interval < REFUSED_FOR

    @property
    def failing(self) -> str:
        """Reason why no packet was sent for at least half a second, or why a receiver does not follow; empty if all is well."""
        if self._failed * self.interval >= FAIL_AFTER:
            return f"no packet could be sent for {self._failed * self.interval:.1f} s: {self._reason}"
        return "" if self._listening is None else self._listening.failing

    def publish(self, readout: Record, cueing: MotionCueing, run: bool) -> None:
        """Send a packet after a tick if one is due: READOUT of the vehicle, the cueing, and True if the simulation runs."""
        self._tick += 1
        if self.turns.due(self._tick):
            self.send(readout, cueing, run, self._tick)

    def send(self, readout: Record, cueing: MotionCueing, run: bool, tick: int | None = None) -> None:
        """Send one packet now; `tick` is its due tick, default: the due tick after the last packet."""
        tick = self.turns.tick_of(self._turn + 1) if tick is None else tick
        self._turn = self.turns.turn_of(tick)
        s = cueing.readout[0]
        moved = cueing.resets != self._resets
        self._resets = cueing.resets
        self._fade.advance(readout, run and bool(s["armed"]) and not s["tripped"], moved, self.interval)
        if self._end is None:
            self._end = Brake(cueing)
        self._end.note(cueing)
        force, rates = self._forces()
        pose, legs = self._end.pose(self.turns.behind(tick) * self.tick)
        packet = MotionPacket(
            sequence=self.sent,
            stream=self._stream,
            state=cueing.procedure.state_number,
            run=run,
            interval=self.interval,
            time=float(readout[0]["time"]),
            force=force,
            rates=rates,
            pose=pose,
            legs=legs,
            limited=bool(s["limited"]),
        )
        self._transmit(packet, self._end.still)

    def close(self, sleep: Callable[[float], None] = time.sleep) -> None:
        """Bring moving parts to rest at the pace of the packets, send the stop flag to the platform, and close the socket.

        Returns at once if nothing moves, and always within LONGEST_END. Further calls have no effect. Never raises.
        """
        end, self._end = self._end, None
        try:
            if end is not None and not self.trouble:
                self._come_to_rest(end, sleep)
                if self.kind.poses and self._last is not None:
                    for _ in range(LAST_PACKETS):
                        self._transmit(replace(self._last, sequence=self.sent, run=False, stop=True), True)
        finally:
            self._socket.close()
            if self._thread is not None:
                self._thread.close()

    def _come_to_rest(self, end: Brake, sleep: Callable[[float], None]) -> None:
        """Fade the forces without a driver, and move the platform along the stop plan of its limiter."""
        tick = self.turns.tick_of(self._turn)
        for turn in range(self._turn + 1, self._turn + 1 + math.ceil(LONGEST_END / self.interval)):
            if self._last is None or self._rests >= LAST_PACKETS or self.failing or self.trouble:
                return
            sleep(self.interval)
            self._fade.hold(self.interval)
            end.advance(self.turns.tick_of(turn) - tick)
            tick = self.turns.tick_of(turn)
            pose, legs = end.pose(self.turns.behind(tick) * self.tick)
            force, rates = self._forces()
            self._transmit(replace(self._last, sequence=self.sent, force=force, rates=rates, pose=pose, legs=legs, run=False), end.still)

    def _forces(self) -> tuple[list[float], list[float]]:
        """Return the specific force [m/s2] and angular rate [rad/s] to send."""
        faded = self._fade.said[0]
        return faded["f_H_B"].tolist(), faded["w_WB_B"].tolist()

    def _transmit(self, packet: MotionPacket, still: bool) -> None:
        """Send a packet, or encode it in the background thread and send the previous one."""
        if self._thread is not None:
            self._transmit_in_thread(self._thread, packet, still)
            return
        if self._listening is not None:
            self._listen(self._listening)
        try:
            data = self._encode(Said(packet, self._fade.said, self._fade.jounce_speed))
        except StreamError as error:
            self._note_failure(str(error))
            return
        self._send(data, packet, still)

    def _transmit_in_thread(self, thread: PluginThread, packet: MotionPacket, still: bool) -> None:
        ending = self._end is None  # the run has ended: wait for the last packets
        self._take(thread, ending)
        if not thread.busy:
            self._pending = packet, still
            thread.submit(Said(packet, self._fade.said.copy(), self._fade.jounce_speed))
        if ending:
            self._take(thread, True)

    def _take(self, thread: PluginThread, wait: bool) -> None:
        data = thread.result(wait)
        if data is not None and self._pending is not None:
            self._send(data, *self._pending)

    def _listen(self, encoder: Listening) -> None:
        """Pass the received datagrams from the destination to the encoder."""
        for _ in range(MAX_RECEIVED):
            try:
                data, (host, _) = self._socket.recvfrom(MAX_DATAGRAM)
            except OSError as error:  # no datagram, or a network error of an earlier packet
                self._note_refusal(error)
                return
            if host == self._target[0]:
                encoder.hear(data)

    def disturb(self, loss: float, delay: float) -> None:
        """Lose packets with a probability, and delay the others [s] on the way to the receiver, until the next call."""
        self._disturbance.loss, self._disturbance.delay = loss, delay

    def _send(self, data: bytes, packet: MotionPacket, still: bool) -> None:
        try:
            for due in self._disturbance.packets(data, packet.sequence, self._turn * self.interval, ending=self._end is None):
                self._send_now(due)
        except OSError as error:
            self._note_failure(str(error.strerror or error))
            return
        self.sent += 1
        self._failed = 0
        self._last = packet
        self._rests = self._rests + 1 if self._fade.at_rest and (still or not self.kind.poses) else 0

    def _send_now(self, data: bytes) -> None:
        try:
            self._socket.sendto(data, self._target)
        except OSError as error:  # perhaps of an earlier packet
            self._note_refusal(error)
            self._socket.sendto(data, self._target)

    def _note_refusal(self, error: OSError) -> None:
        if isinstance(error, ConnectionRefusedError):
            self._refused_at = self.sent

    def _note_failure(self, reason: str) -> None:
        self.errors += 1
        self._failed += 1
        self._reason = reason


class Brake:
    """State of the platform at the last packet; stops the platform within its limits when the cueing no longer runs.

    Each stream has its own copy of the state, because the streams come to rest at their own pace, in parallel.
    """

    def __init__(self, cueing: MotionCueing) -> None:
        self._p, self._s, self._legs = cueing.records.p, cueing.readout.copy(), np.zeros(6)
        self.still = True
        """True if the pose is at rest."""

    @staticmethod
    def warm_up() -> None:
        """Compile the kernels outside of a tick."""
        p = record(PARAMETERS)
        brake_platform(p, record(STATES), 0)
        leg_lengths(p, np.zeros(6), np.zeros(6))

    def note(self, cueing: MotionCueing) -> None:
        """Store the state of the platform for the packet."""
        self._s.view(np.uint8)[:] = cueing.readout.view(np.uint8)  # faster than a copy of the fields
        self._update_rest()

    def advance(self, ticks: int) -> None:
        """Advance some ticks along the stop plan."""
        brake_platform(self._p, self._s, ticks)
        self._update_rest()

    def pose(self, ago: float) -> tuple[list[float], list[float]]:
        """Return pose and legs `ago` seconds before now, at most one tick."""
        s = self._s[0]
        if ago == 0.0:
            return s["pose"].tolist(), s["legs"].tolist()
        pose = s["pose"] - ago * s["rates"]
        leg_lengths(self._p, pose, self._legs)
        return pose.tolist(), self._legs.tolist()

    def _update_rest(self) -> None:
        self.still = bool(np.abs(self._s[0]["rates"]).max() < REST_RATE)


def _socket_to(address: str) -> socket.socket:
    """Return a socket for packets to an address; for a loopback address, it is bound to this machine. Raises StreamError."""
    try:
        result = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        result.setblocking(False)
        if ipaddress.ip_address(address).is_loopback:
            result.bind(("127.0.0.1", 0))
        if sys.platform == "linux":
            with contextlib.suppress(OSError, AttributeError):
                result.setsockopt(socket.IPPROTO_IP, IP_RECVERR, 1)
    except OSError as error:
        raise StreamError(f"motion stream: cannot create a socket: {error.strerror}") from None
    return result


def _resolve(host: str, port: int) -> tuple[str, int]:
    if not 0 < port < 65536:
        raise StreamError(f"motion stream: invalid port; expected 1 to 65535; got {port}")
    try:
        result = socket.getaddrinfo(host, port, socket.AF_INET, socket.SOCK_DGRAM)
    except (OSError, UnicodeError):
        raise StreamError(f"motion stream: unknown host; expected a name or an address in the network; got {host!r}") from None
    address: Any = result[0][4]
    return str(address[0]), int(address[1])
