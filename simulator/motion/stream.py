"""Motion stream: an outlet that sends the platform's pose, or the vehicle's motion, over UDP in step with the ticks.

What is said of the vehicle comes out of `stream_fade.py`, whatever the protocol, and the pose out of the cueing, which ends in the limiter.
A protocol only turns the two into bytes: pause, reset, faults and the end are the same for all.

Packets that cannot come at whole ticks carry the pose of the time at which they should have come, on the straight way from the tick before to that
of the packet: the poses of a stream are even to the receiver, who takes them so.
"""

from __future__ import annotations

import ipaddress
import math
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import StreamError
from simulator.base.plugin_thread import PluginThread
from simulator.base.rates import even_turns
from simulator.base.records import Record, record
from simulator.motion.protocols.contract import NO_ENGINE, Engine, Listening, Said, checked, encoder_of
from simulator.motion.protocols.kinds import DEFAULT, PROTOCOL_KINDS, check
from simulator.motion.protocols.native_packet import MotionPacket
from simulator.motion.stream_fade import LONGEST_FADE, Fade
from washout.cueing import MotionCueing
from washout.limiter.limiter import brake_step, limiter
from washout.platform import HEXAPOD, leg_lengths
from washout.platform_state_machine import OFF, PARKED

LAST_PACKETS = 3
"""Packets that say rest, and with the stop flag, at the end, since UDP may lose one."""

STILL = 1e-3
"""m/s, rad/s. A pose that changes more slowly stands still."""

PATIENCE = 0.5
"""s. When no packet has left for so long, the stream fails."""

MOST_ANSWERS, LARGEST_ANSWER = 16, 512
"""Datagrams that are taken between two packets, and bytes of one."""

BRAKE_FIELDS = (
    *("pose", "rates", "accelerations", "legs", "leg_speed", "leg_acceleration", "stop_time", "last_step", "step_before"),
    *("curve_pose", "curve_rates", "curve_accelerations", "curve_length"),
)
"""What a stop plan needs of a LIMITER record."""

LONGEST_END = 2.0
"""s at most that `close` takes to bring a moving platform to a stop."""


class MotionStream:
    """Sends packets; never blocks a tick and never raises into one.

    Parameters
    ----------
    host, port : where to; names are resolved once, here
    protocol : by its name in kinds.py
    settings : its own parameters
    rate : packets per second, at most one in a tick; where the tick rate is no multiple of it, the packets are spread as evenly as ticks allow
    tick : length of a tick [s]
    engine : what a dashboard wants to know
    vehicle : name of the vehicle
    gravity : acceleration of free fall of the vehicle's world [m/s2]

    Raises
    ------
    StreamError : the address cannot be used
    ConfigError : the rate is above that of the ticks, or a parameter of the protocol cannot be used
    JounceError : there is no such protocol, or it cannot be made
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int | None = None,
        *,
        protocol: str = DEFAULT,
        settings: Mapping[str, Any] = MappingProxyType({}),
        rate: float | None = None,
        tick: float = 1e-3,
        engine: Engine = NO_ENGINE,
        vehicle: str = "",
        gravity: float = STANDARD_GRAVITY,
    ) -> None:
        self.protocol = protocol
        self.kind = PROTOCOL_KINDS.need(protocol)
        check(self.kind)
        self.turns = even_turns(self.kind.rate if rate is None else rate, tick, "stream", "rate")
        self.tick = tick
        self.interval = self.turns.every * tick / self.turns.often
        """Mean time between packets [s]."""
        self._encode = encoder_of(self.kind, settings, f"protocol {protocol}", engine, self.interval, vehicle)
        self._aside: PluginThread | None = None
        """Where the encoder of a protocol from outside works."""
        self._under_way: tuple[MotionPacket, bool] | None = None
        self._listening: Listening | None = None
        if PROTOCOL_KINDS.is_builtin(protocol):
            self._listening = self._encode if isinstance(self._encode, Listening) else None
        else:
            self._aside = PluginThread(f"protocol {protocol}", checked(self.kind, self._encode))
        self._target = _resolve(host, self.kind.port if port is None else port)
        self._socket = _socket_to(self._target[0])
        self._stream = time.time_ns() & 0xFFFFFFFF
        self._tick = self._turn = 0
        self.sent = 0
        """Packets sent so far."""
        self.errors = 0
        """Packets that the network or a number that is not finite kept from being sent."""
        self._failed, self._reason = 0, ""
        self._fade = Fade(gravity)
        Brake.warm_up()
        self._resets = 0
        self._rests = LAST_PACKETS
        self._end: Brake | None = None
        self._last: MotionPacket | None = None

    @property
    def parks(self) -> bool:
        """Whether the receiver can be brought to its rest by the stream, which is then worth waiting for."""
        return self.kind.poses

    @property
    def at_rest(self) -> bool:
        """Whether what was last sent, a few times over, is rest: nothing moves, and a platform that can be parked is down."""
        down = not self.kind.poses or self._last is None or self._last.state in (OFF, PARKED)
        return down and self._rests >= LAST_PACKETS

    @property
    def fade_time(self) -> float:
        """s in which forces fade at most, from a pause to `at_rest` of a protocol that does not park."""
        return LONGEST_FADE + (LAST_PACKETS + 1) * self.interval

    @property
    def trouble(self) -> str:
        """Why the protocol from outside was dropped, in one line; empty while it works."""
        return "" if self._aside is None else self._aside.trouble

    @property
    def failing(self) -> str:
        """Why no packet has left for half a second or more, or why a receiver who answers does not follow; empty while all is well."""
        if self._failed * self.interval >= PATIENCE:
            return f"no packet could be sent for {self._failed * self.interval:.1f} s: {self._reason}"
        return "" if self._listening is None else self._listening.failing

    def publish(self, readout: Record, cueing: MotionCueing, run: bool) -> None:
        """After a tick: READOUT of the vehicle, the cueing, and whether the simulation runs. Sends when it is time to."""
        self._tick += 1
        if self.turns.due(self._tick):
            self.send(readout, cueing, run, self._tick)

    def send(self, readout: Record, cueing: MotionCueing, run: bool, tick: int | None = None) -> None:
        """Send one packet now; `tick` is the one of its turn, that of the turn after the last one when not given."""
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
            state=cueing.state_number,
            run=run,
            interval=self.interval,
            time=float(readout[0]["time"]),
            force=force,
            rates=rates,
            pose=pose,
            legs=legs,
            limited=bool(s["limited"]),
        )
        self._say(packet, self._end.still)

    def close(self, sleep: Callable[[float], None] = time.sleep) -> None:
        """Bring to rest what still moves, at the pace of the packets, tell the platform that the stream ends on purpose, and stop.

        Returns at once when nothing moves, and within LONGEST_END always. Calling it again does nothing. Never raises.
        """
        end, self._end = self._end, None
        try:
            if end is not None and not self.trouble:
                self._come_to_rest(end, sleep)
                if self.kind.poses and self._last is not None:
                    for _ in range(LAST_PACKETS):
                        self._say(replace(self._last, sequence=self.sent, run=False, stop=True), True)
        finally:
            self._socket.close()
            if self._aside is not None:
                self._aside.close()

    def _come_to_rest(self, end: Brake, sleep: Callable[[float], None]) -> None:
        """Nobody drives any more: forces fade, and the platform goes along the stop plan of its limiter."""
        tick = self.turns.tick_of(self._turn)
        for turn in range(self._turn + 1, self._turn + 1 + math.ceil(LONGEST_END / self.interval)):
            if self._last is None or self._rests >= LAST_PACKETS or self.failing or self.trouble:
                return
            sleep(self.interval)
            self._fade.hold(self.interval)
            end.advance(self.turns.tick_of(turn) - tick, self.tick)
            tick = self.turns.tick_of(turn)
            pose, legs = end.pose(self.turns.behind(tick) * self.tick)
            force, rates = self._forces()
            self._say(replace(self._last, sequence=self.sent, force=force, rates=rates, pose=pose, legs=legs, run=False), end.still)

    def _forces(self) -> tuple[list[float], list[float]]:
        """Specific force [m/s2] and angular rate [rad/s] that are said."""
        said = self._fade.said[0]
        return said["f_H_B"].tolist(), said["w_WB_B"].tolist()

    def _say(self, packet: MotionPacket, still: bool) -> None:
        """Send a packet, or have it encoded beside the ticks, and send the one before."""
        if self._aside is not None:
            self._say_aside(self._aside, packet, still)
            return
        if self._listening is not None:
            self._listen(self._listening)
        try:
            data = self._encode(Said(packet, self._fade.said, self._fade.jounce_speed))
        except StreamError as error:
            self._note_failure(str(error))
            return
        self._send(data, packet, still)

    def _say_aside(self, aside: PluginThread, packet: MotionPacket, still: bool) -> None:
        ending = self._end is None  # nobody drives any more, and the last packets are waited for
        self._take(aside, ending)
        if not aside.busy:
            self._under_way = packet, still
            aside.ask(Said(packet, self._fade.said.copy(), self._fade.jounce_speed))
        if ending:
            self._take(aside, True)

    def _take(self, aside: PluginThread, wait: bool) -> None:
        data = aside.answer(wait)
        if data is not None and self._under_way is not None:
            self._send(data, *self._under_way)

    def _listen(self, encoder: Listening) -> None:
        """Hand over what has come back from where the packets go."""
        for _ in range(MOST_ANSWERS):
            try:
                data, (host, _) = self._socket.recvfrom(LARGEST_ANSWER)
            except OSError:  # nothing there, or a word of the network about an earlier packet
                return
            if host == self._target[0]:
                encoder.hear(data)

    def _send(self, data: bytes, packet: MotionPacket, still: bool) -> None:
        try:
            self._socket.sendto(data, self._target)
        except OSError as error:
            self._note_failure(str(error.strerror or error))
            return
        self.sent += 1
        self._failed = 0
        self._last = packet
        self._rests = self._rests + 1 if self._fade.at_rest and (still or not self.kind.poses) else 0

    def _note_failure(self, reason: str) -> None:
        self.errors += 1
        self._failed += 1
        self._reason = reason


class Brake:
    """The platform's limiter as it was when the last packet was made, to stop it within its limits when nobody steps the cueing any more."""

    def __init__(self, cueing: MotionCueing) -> None:
        self._p, self._s, self._legs = cueing.platform, limiter(cueing.platform), np.zeros(6)
        self.still = True
        """Whether the pose stands still."""

    @staticmethod
    def warm_up() -> None:
        """Compile what it needs now, not in a tick."""
        nothing = record(HEXAPOD)
        brake_step(nothing, limiter(nothing), 1.0)
        leg_lengths(nothing, np.zeros(6), np.zeros(6))

    def note(self, cueing: MotionCueing) -> None:
        """The state of the platform that goes into the packet."""
        source, target = cueing.readout[0], self._s[0]
        for name in BRAKE_FIELDS:
            target[name] = source[name]
        self._look()

    def advance(self, ticks: int, h: float) -> None:
        """Some ticks of h seconds along the stop plan."""
        for _ in range(ticks):
            brake_step(self._p, self._s, h)
        self._look()

    def pose(self, ago: float) -> tuple[list[float], list[float]]:
        """Pose and legs `ago` seconds before now, not more than a tick."""
        s = self._s[0]
        if ago == 0.0:
            return s["pose"].tolist(), s["legs"].tolist()
        pose = s["pose"] - ago * s["rates"]
        leg_lengths(self._p, pose, self._legs)
        return pose.tolist(), self._legs.tolist()

    def _look(self) -> None:
        self.still = bool(np.abs(self._s[0]["rates"]).max() < STILL)


def _socket_to(address: str) -> socket.socket:
    """A socket for packets to an address; one for this machine can be reached from this machine only. Raises StreamError."""
    try:
        found = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        found.setblocking(False)
        if ipaddress.ip_address(address).is_loopback:
            found.bind(("127.0.0.1", 0))
    except OSError as error:
        raise StreamError(f"motion stream: no socket: {error.strerror}") from None
    return found


def _resolve(host: str, port: int) -> tuple[str, int]:
    if not 0 < port < 65536:
        raise StreamError(f"motion stream: got port {port}, expected 1 to 65535")
    try:
        found = socket.getaddrinfo(host, port, socket.AF_INET, socket.SOCK_DGRAM)
    except (OSError, UnicodeError):
        raise StreamError(f"motion stream: got host {host!r}, expected a name or address that can be found") from None
    address: Any = found[0][4]
    return str(address[0]), int(address[1])
