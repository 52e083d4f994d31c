"""Client of `jounce serve`: drive from a program, in lock step or in real time by TCP. It needs NumPy, and loads no other part of Jounce."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from simulator.base.addresses import joined, parse_port
from simulator.base.errors import JounceError, one_line
from simulator.base.json_output import json_text
from simulator.base.suggestions import did_you_mean
from simulator.port.messages import (
    ARRAY_HEAD,
    HEADER,
    MAGIC,
    NO_MAGIC,
    PAUSED,
    REFUSAL_HEAD,
    RESTS,
    SENSOR_HEAD,
    STATE_HEAD,
    VERSION,
    Kind,
    encode,
)

START = 600.0
"""s. Time that a client waits for the schema: the simulator may have to compile its kernels first."""
MAX_RECEIVED = 1 << 30
"""Bytes. Maximum size of a message of the simulator. Larger: a broken stream may fill the memory."""
EVENTS = 10_000
"""Maximum number of events that are kept."""
TIMEOUT = 60.0
"""s without an answer, by default. The first image of a camera takes several seconds on a busy machine."""
POSITIONS = {"reverse": -1.0, "neutral": 0.0, "drive": 1.0}
"""Positions of the selector by name."""


class PortError(JounceError):
    """The simulator is not there or has ended the run, or has refused a command or a request."""


class State(dict[str, float]):
    """Channels of a state by name, also as attributes.

    Attributes
    ----------
    time : simulated time [s]
    tick : number of the tick
    paused, rests : whether the vehicle is paused, or rests after an incident
    command : sequence of the latest command
    """

    def __init__(self, values: dict[str, float], time: float, tick: int, flags: int, command: int) -> None:
        super().__init__(values)
        self.time, self.tick, self.command = time, tick, command
        self.paused, self.rests = bool(flags & PAUSED), bool(flags & RESTS)

    def __missing__(self, name: str) -> float:
        raise KeyError(f"{name}: not in the state{did_you_mean(name, self)}; hint: choose it by `jounce serve --state`")

    def __getattr__(self, name: str) -> float:
        if name in self:
            return self[name]
        raise AttributeError(f"{name}: not in the state{did_you_mean(name, self)}")


class SensorData(dict[str, np.ndarray]):
    """Arrays of a measurement by name, in memory of their own. Before the first measurement it is empty.

    Attributes
    ----------
    time, delivered : simulated time of the measurement and of its delivery [s]; NaN before the first one
    """

    def __init__(self, time: float = np.nan, delivered: float = np.nan) -> None:
        super().__init__()
        self.time, self.delivered = time, delivered


class Entry(NamedTuple):
    """Channel, part of the command or array in the schema."""

    name: str
    unit: str
    frame: str
    meaning: str


class ArrayEntry(NamedTuple):
    """Array in the schema."""

    name: str
    dtype: np.dtype
    axes: tuple[str, ...]
    unit: str
    frame: str
    meaning: str


class PortSchema:
    """Schema of a run.

    Attributes
    ----------
    info : entries such as `step_s`, `ticks` and `mode`
    state, command, arrays : channels of a state, parts of a command and arrays, by name
    hash : number of the schema in the headers

    Raises PortError: the text is no schema of this version.
    """

    def __init__(self, text: str, number: int) -> None:
        self.hash = number
        rows = [line.split("\t") for line in text.splitlines()]
        if not rows or rows[0] != ["jounce port", str(VERSION)]:
            raise PortError(f"schema: expected `jounce port {VERSION}`; got {' '.join(rows[0] if rows else [])[:40]!r}")
        try:
            self.info = {row[1]: row[2] for row in rows if row[0] == "info"}
            self.state, self.command = ({row[2]: Entry(*row[2:6]) for row in rows if row[0] == section} for section in ("state", "command"))
            self.arrays = {row[2]: _array(row, rows) for row in rows if row[0] == "array"}
        except (IndexError, TypeError, ValueError) as error:
            raise PortError(f"schema: a line cannot be read ({error})") from None


def _array(row: list[str], rows: list[list[str]]) -> ArrayEntry:
    """Return the entry of an array. Raises IndexError, TypeError, ValueError."""
    _, index, name, kind, axes, unit, frame, meaning = row
    fields = [one for one in rows if one[0] == "field" and one[1] == index]
    dtype = np.dtype(kind)
    if fields:
        names, formats, offsets = [one[2] for one in fields], [one[3] for one in fields], [int(one[4]) for one in fields]
        dtype = np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": dtype.itemsize})
    return ArrayEntry(name, dtype, tuple(axes.split(",")) if axes else (), unit, frame, meaning)


class Client:
    """Connection to a run of `jounce serve` by TCP; a context manager that ends the run.

    Parameters
    ----------
    address : port on this machine, or "HOST:PORT"
    timeout : s after which a simulator that does not answer counts as lost

    Attributes
    ----------
    schema : names, units and meanings of channels, parts of the command and arrays
    state : latest state
    sensors : newest measurement of each sensor by name, also `client[name]`
    events : events of the run so far, as mappings; the last EVENTS
    ended : reason of the end of the run, or why the simulator is lost; empty before it

    Raises PortError: nothing listens at the address, or it is no run of this version of the port.

    >>> with Client(42500) as car:  # doctest: +SKIP
    ...     state = car.step(throttle=0.4)
    ...     state["v_WB_B_x"], car["roof"]["points"]
    """

    def __init__(self, address: int | str = 42500, timeout: float = TIMEOUT) -> None:
        self._address = parse_port(str(address), "address")
        self._place = joined(*self._address)
        self._timeout, self._sequence, self._hash = timeout, 0, 0
        self.events: deque[dict[str, Any]] = deque(maxlen=EVENTS)
        self.ended = self._failure = ""
        self.state: State
        self._states = 0
        self._effect: dict[str, Any] | None = None
        self._refused: dict[int, str] = {}
        self._socket = self._connect()
        try:
            self._send(Kind.HELLO)
            self._socket.settimeout(max(START, timeout))
            self.schema = self._greeting()
            self._socket.settimeout(timeout)
            self._values = self._neutral()
            self._arrays = [(*name.partition(".")[::2], one.dtype) for name, one in self.schema.arrays.items()]
            self._forget()
            self._until(lambda: self._states > 0)
        except BaseException:
            self._socket.close()
            raise

    def _connect(self) -> socket.socket:
        try:
            made = socket.create_connection(self._address, self._timeout)
        except (OSError, UnicodeError) as error:
            why = getattr(error, "strerror", None) or error
            hint = f"hint: start `jounce serve --port {self._address[1]}` first, or another program drives it, or it serves UDP"
            raise PortError(f"{self._place}: no connection ({why}); {hint}") from None
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return made

    def _greeting(self) -> PortSchema:
        """Return the schema, the first message."""
        kind, number, _, body = self._message()
        if kind == Kind.REFUSED:
            raise PortError(f"{self._place}: the simulator has refused this client: {_text(body[REFUSAL_HEAD.size :])}")
        if kind != Kind.SCHEMA:
            raise PortError(f"{self._place}: message of kind {kind}; expected the schema first")
        self._hash = number
        return PortSchema(bytes(body).decode(errors="replace"), number)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        try:
            self.close()
        except PortError:
            if error is None:
                raise

    def __repr__(self) -> str:
        return f"<Client of {self._place}, {self.state.time:g} s{', ended' * bool(self.ended)}>"

    def __getitem__(self, sensor: str) -> SensorData:
        """Return the newest measurement of a sensor with arrays."""
        if sensor not in self.sensors:
            known = ", ".join(self.sensors) or "none"
            raise KeyError(f"{sensor}: no arrays of it; expected {known}; hint: `jounce serve --state '{sensor}.*'` sends them")
        return self.sensors[sensor]

    def step(self, **parts: float | str) -> State:
        """Send a command and return the state after it. In lock step the simulator advances; in real time it goes on meanwhile.

        Parts of the command are those of `Simulation.command`, and hold until they are changed. At the begin the selector is in drive, all
        others are 0.

        Raises PortError: the simulator has refused the command, has ended the run, or does not answer.
        """
        values = self._changed(parts)
        number = self._send(Kind.COMMAND, struct.pack(f"<{len(values)}d", *values.values()))
        self._until(lambda: self.state.command == number, number)
        self._values = values
        while not self.ended and self._has_more():
            self._receive()
        return self.state

    def _changed(self, parts: dict[str, float | str]) -> dict[str, float]:
        """Return the command with other values of some parts. Raises PortError: an unknown part, or no number."""
        values = dict(self._values)
        for name, value in parts.items():
            if name not in values:
                raise PortError(f"command: unknown part {name!r}{did_you_mean(name, values)}; expected {', '.join(values)}")
            try:
                values[name] = float(POSITIONS.get(value, value) if isinstance(value, str) else value)
            except (TypeError, ValueError, OverflowError):
                raise PortError(f"command: {name}: expected a number; got {str(value)[:40]!r}") from None
        if "steering_free" not in parts and ("steering" in parts) != ("steering_torque" in parts):
            values["steering_free"] = float("steering_torque" in parts)
        return values

    def request(self, kind: str, value: Any = None) -> dict[str, Any]:
        """Request an event, such as `add_fault`; return the event when it has taken effect. Raises PortError: it was refused."""
        self._effect = None
        number = self._send(Kind.REQUEST, json_text({"kind": kind} if value is None else {"kind": kind, "value": value}).encode())
        self._until(lambda: self._effect is not None and self._effect.get("kind") == kind, number)
        assert self._effect is not None
        return self._effect

    def reset(self) -> State:
        """Put the vehicle back to the start, with the command of the begin; return its state there. Raises PortError."""
        self._values = self._neutral()
        self.request("reset")
        states = self._states
        self._until(lambda: self._states > states)
        return self.state

    def alive(self) -> None:
        """Tell the simulator that this client needs more time. Raises PortError."""
        self._send(Kind.ALIVE)

    def close(self) -> None:
        """End the run, wait until its log is complete, and close the connection. A second call has no effect. Raises PortError."""
        if self._socket.fileno() < 0:  # closed, or failed before
            return
        try:
            if not self.ended:
                self._send(Kind.REQUEST, b'{"kind": "quit"}')
            while not self.ended:
                self._receive()
        finally:
            self._socket.close()

    def _forget(self) -> None:
        """Forget all measurements."""
        self.sensors = {source: SensorData() for source, _, _ in self._arrays}

    def _neutral(self) -> dict[str, float]:
        return {name: float(name == "selector") for name in self.schema.command}

    def _send(self, kind: Kind, body: bytes = b"") -> int:
        """Send a message; return its sequence. Raises PortError."""
        if self.ended or self._failure:
            raise PortError(self._failure or f"the run has ended: {self.ended}")
        self._sequence = (self._sequence + 1) & 0xFFFFFFFF
        try:
            self._socket.sendall(encode(kind, self._sequence, self._hash, 0.0, body))
        except OSError as error:
            with contextlib.suppress(PortError):  # the reason is among what the simulator sent before it closed the connection
                while not self.ended:
                    self._receive()
            raise self._lost(error) from None
        return self._sequence

    def _has_more(self) -> bool:
        """Return whether the simulator has already sent more."""
        self._socket.settimeout(0.0)
        try:
            return bool(self._socket.recv(1, socket.MSG_PEEK))
        except OSError:
            return False
        finally:
            self._socket.settimeout(self._timeout)

    def _until(self, done: Callable[[], bool], number: int = 0) -> None:
        """Receive until `done()`. Raises PortError: the message with a sequence was refused, or the run has ended."""
        while not done():
            if number in self._refused:
                raise PortError(self._refused.pop(number))
            if self.ended:
                raise PortError(f"the run has ended: {self.ended}")
            self._receive()

    def _receive(self) -> None:
        """Receive a message. Raises PortError."""
        kind, _, time, body = self._message()
        try:
            if kind == Kind.STATE:
                tick, flags, command = STATE_HEAD.unpack_from(body)
                numbers = struct.unpack_from(f"<{len(self.schema.state)}d", body, STATE_HEAD.size)
                self.state = State(dict(zip(self.schema.state, numbers, strict=True)), time, tick, flags, command)
                self._states += 1
            elif kind == Kind.SENSOR:
                self._take(body)
            elif kind == Kind.EVENT:
                self.events.append(event := json.loads(bytes(body)))
                if event["kind"] == "reset":
                    self._forget()
                self._effect = event if event.get("origin") == "port" else self._effect
            elif kind == Kind.REFUSED:
                self._refused[REFUSAL_HEAD.unpack_from(body)[0]] = _text(body[REFUSAL_HEAD.size :])
            elif kind == Kind.END:
                self.ended = _text(body) or "no reason"
        except (struct.error, ValueError, LookupError, TypeError, AttributeError) as error:
            raise self._failed(f"a message of kind {kind} cannot be read ({error})") from None

    def _take(self, body: bytearray) -> None:
        """Take the arrays of a measurement. Raises struct.error, ValueError, IndexError: the message is none."""
        time, delivered, count, _ = SENSOR_HEAD.unpack_from(body)
        data, at = SensorData(time, delivered), SENSOR_HEAD.size
        for _ in range(count):
            index, axes, *sizes, size = ARRAY_HEAD.unpack_from(body, at)
            source, name, dtype = self._arrays[index]
            at += ARRAY_HEAD.size
            data[name] = np.frombuffer(body, dtype, size // dtype.itemsize, at).reshape(sizes[:axes])
            at += size + -size % 8
        if count:
            self.sensors[source] = data

    def _message(self) -> tuple[int, int, float, bytearray]:
        """Return kind, hash, time [s] and body of the next message. Raises PortError."""
        magic, version, kind, size, _, number, time = HEADER.unpack(self._exactly(HEADER.size))
        if magic != MAGIC:
            raise self._failed(f"{NO_MAGIC}; hint: is it the port of `jounce serve`?")
        if version != VERSION:
            raise self._failed(f"the simulator speaks version {version} of the port; expected version {VERSION}")
        if not HEADER.size <= size <= MAX_RECEIVED:
            raise self._failed(f"message of {size} bytes; expected {HEADER.size} to {MAX_RECEIVED} bytes")
        return kind, number, time, self._exactly(size - HEADER.size)

    def _exactly(self, size: int) -> bytearray:
        """Return the next bytes. Raises PortError."""
        data = bytearray(size)
        rest = memoryview(data)
        try:
            while rest:
                got = self._socket.recv_into(rest)
                if not got:
                    raise self._lost("it has closed the connection")
                rest = rest[got:]
        except TimeoutError:
            raise self._lost(f"no answer for {self._socket.gettimeout():g} s") from None
        except OSError as error:
            raise self._lost(error) from None
        return data

    def _lost(self, reason: object) -> PortError:
        """Return the error of a connection that is lost."""
        hint = "" if self._hash else "; hint: does another program drive it?"
        lost = f"the simulator is lost ({getattr(reason, 'strerror', None) or reason}){hint}"
        return self._failed(f"the run has ended: {self.ended}" if self.ended else lost)

    def _failed(self, reason: str) -> PortError:
        """Close the connection, of which nothing can be read any more, and return the error."""
        self._failure = self._failure or f"{self._place}: {reason}"
        self.ended = self.ended or reason
        self._socket.close()
        return PortError(self._failure)


def _text(data: bytes | bytearray) -> str:
    return one_line(bytes(data).decode(errors="replace"))
