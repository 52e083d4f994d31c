"""Motion stream: an outlet that sends the platform's pose, or the vehicle's motion, over UDP in step with the ticks."""

from __future__ import annotations

import contextlib
import math
import socket
import time
from typing import Any, Literal

from simulator.base.errors import ConfigError, StreamError
from simulator.base.records import Record
from simulator.motion.codemasters import ExtraData3
from simulator.motion.packets import MotionPacket, encode
from washout.cueing import MotionCueing

Protocol = Literal["native", "codemasters"]

DEFAULT_RATES = {"native": 250, "codemasters": 100}
"""Packets per second. Rig software is used to 60 to 100; a native receiver may have more."""

DEFAULT_PORTS = {"native": 42400, "codemasters": 20777}

LAST_PACKETS = 3
"""Packets with the stop flag at the end, since UDP may lose one."""


class MotionStream:
    """Sends packets; never blocks a tick and never raises into one.

    Parameters
    ----------
    host, port : where to; names are resolved once, here
    protocol : "native" (see packets.py) or "codemasters" (see codemasters.py)
    rate : packets per second; the tick rate must be a multiple of it
    tick : length of a tick [s]
    extra_data : encoder for "codemasters"

    Raises
    ------
    StreamError : the address cannot be used
    ConfigError : the rate does not divide the tick rate
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int | None = None,
        *,
        protocol: Protocol = "native",
        rate: float | None = None,
        tick: float = 1e-3,
        extra_data: ExtraData3 | None = None,
    ) -> None:
        if protocol not in DEFAULT_PORTS:
            raise ConfigError("stream", "protocol", protocol, "native or codemasters")
        self.protocol = protocol
        self.every = ticks_per_packet(DEFAULT_RATES[protocol] if rate is None else rate, tick)
        self.interval = self.every * tick
        """Time between packets [s]."""
        self._extra_data = extra_data if extra_data is not None else ExtraData3(0.0, 0.0, 0)
        self._target = _resolve(host, DEFAULT_PORTS[protocol] if port is None else port)
        try:
            self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        except OSError as error:
            raise StreamError(f"motion stream: no socket: {error.strerror}") from None
        self._socket.setblocking(False)
        self._stream = time.time_ns() & 0xFFFFFFFF
        self._tick = 0
        self.sent = 0
        """Packets sent so far."""
        self.errors = 0
        """Packets that the network or a number that is not finite kept from being sent."""
        self._last: MotionPacket | None = None

    def publish(self, readout: Record, cueing: MotionCueing, run: bool) -> None:
        """After a tick: READOUT of the vehicle, the cueing, and whether the simulation runs. Sends when it is time to."""
        self._tick += 1
        if self._tick % self.every == 0:
            self.send(readout, cueing, run)

    def send(self, readout: Record, cueing: MotionCueing, run: bool) -> None:
        """Send one packet now, whatever the tick."""
        try:
            if self.protocol == "native":
                self._send(self._native(readout, cueing, run))
            else:
                self._socket.sendto(self._extra_data.encode(readout), self._target)
                self.sent += 1
        except (StreamError, OSError):
            self.errors += 1

    def close(self) -> None:
        """Tell the platform that the stream ends on purpose, and stop. Never raises."""
        if self._last is not None:
            for _ in range(LAST_PACKETS):
                with contextlib.suppress(StreamError, OSError):
                    self._send(_stopped(self._last, self.sent))
        self._socket.close()

    def _native(self, readout: Record, cueing: MotionCueing, run: bool) -> MotionPacket:
        r = readout[0]
        return MotionPacket(
            sequence=self.sent,
            stream=self._stream,
            state=cueing.state_number,
            run=run,
            interval=self.interval,
            time=float(r["time"]),
            force=_finite_or(r["f_H_B"].tolist(), (0.0, 0.0, 9.80665)),
            rates=_finite_or(r["w_WB_B"].tolist(), (0.0, 0.0, 0.0)),
            pose=cueing.pose.tolist(),
            legs=cueing.legs.tolist(),
            limited=bool(cueing.readout[0]["limited"]),
        )

    def _send(self, packet: MotionPacket) -> None:
        self._socket.sendto(encode(packet), self._target)
        self._last = packet
        self.sent += 1


def ticks_per_packet(rate: float, tick: float) -> int:
    """Whole number of ticks between packets. Raises ConfigError when there is none."""
    if not (math.isfinite(rate) and rate > 0.0):
        raise ConfigError("stream", "rate", rate, "a number above zero, in packets per second")
    every = round(1.0 / (rate * tick))
    if every < 1 or abs(every * rate * tick - 1.0) > 1e-9:
        raise ConfigError("stream", "rate", rate, f"a rate that divides {1.0 / tick:g} ticks per second")
    return every


def _resolve(host: str, port: int) -> tuple[str, int]:
    if not 0 < port < 65536:
        raise StreamError(f"motion stream: got port {port}, expected 1 to 65535")
    try:
        found = socket.getaddrinfo(host, port, socket.AF_INET, socket.SOCK_DGRAM)
    except (OSError, UnicodeError):
        raise StreamError(f"motion stream: got host {host!r}, expected a name or address that can be found") from None
    address: Any = found[0][4]
    return str(address[0]), int(address[1])


def _finite_or(values: list[float], otherwise: tuple[float, float, float]) -> tuple[float, ...]:
    """A broken vehicle must not keep the platform's pose, which is sound, from being sent."""
    return tuple(values) if all(map(math.isfinite, values)) else otherwise


def _stopped(last: MotionPacket, sequence: int) -> MotionPacket:
    return MotionPacket(
        sequence=sequence,
        stream=last.stream,
        state=last.state,
        run=False,
        interval=last.interval,
        time=last.time,
        force=last.force,
        rates=last.rates,
        pose=last.pose,
        legs=last.legs,
        stop=True,
    )
