"""A peer of the port for tests, and a server in a thread of this process."""

from __future__ import annotations

import json
import socket
import struct
import threading
from dataclasses import replace
from typing import NamedTuple

from simulator.configuration.configuration import configuration
from simulator.configuration.overrides import Override
from simulator.port.messages import COMMAND_BODY, HEADER, MAX_DATAGRAM, REFUSAL_HEAD, STATE_HEAD, Kind, encode
from simulator.port.serve import PortServer, ServeOptions
from vehicles.command import COMMAND

NAMES = [row[0] for row in COMMAND]
LIDAR = {"type": "lidar", "name": "roof", "columns": 36, "record": False, "mount": {"position": [0.0, 0.0, 2.2]}}


class Received(NamedTuple):
    """A message of the host."""

    kind: Kind
    sequence: int
    schema: int
    time: float
    body: bytes

    @property
    def reason(self):
        """(Sequence, reason) of a refusal."""
        return REFUSAL_HEAD.unpack_from(self.body)[0], self.body[REFUSAL_HEAD.size :].decode()

    @property
    def event(self):
        """Event in JSON types."""
        return json.loads(self.body)

    @property
    def head(self):
        """(Tick, flags, sequence of the latest command) of a state."""
        return STATE_HEAD.unpack_from(self.body)


def received(data):
    """The message of these bytes."""
    magic, version, kind, size, sequence, schema, time = HEADER.unpack_from(data)
    assert (magic, version, size) == (b"JNCP", 1, len(data))
    return Received(Kind(kind), sequence, schema, time, data[HEADER.size :])


def command_body(**parts):
    """Body of a command in drive."""
    values = {"selector": 1.0, **parts}
    return COMMAND_BODY.pack(*(values.get(name, 0.0) for name in NAMES))


class Peer:
    """Peer by TCP or UDP."""

    def __init__(self, address, udp=False):
        host, _, port = address.rpartition(":")
        self.udp = udp
        if udp:
            self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self.socket.connect((host, int(port)))
        else:
            self.socket = socket.create_connection((host, int(port)))
        self.socket.settimeout(20.0)
        self.sequence = self.schema = 0
        self.channels: list[str] = []

    def send(self, kind, body=b"", sequence=None, schema=None):
        """Send a message; return its sequence."""
        self.sequence = self.sequence + 1 if sequence is None else sequence
        self.raw(encode(kind, self.sequence, self.schema if schema is None else schema, 0.0, body))
        return self.sequence

    def raw(self, data):
        """Send bytes."""
        self.socket.sendall(data)

    def receive(self):
        """The next message."""
        if self.udp:
            return received(self.socket.recv(MAX_DATAGRAM))
        head = self._exactly(HEADER.size)
        return received(head + self._exactly(HEADER.unpack(head)[3] - HEADER.size))

    def _exactly(self, size):
        data = b""
        while len(data) < size:
            more = self.socket.recv(size - len(data))
            if not more:
                raise ConnectionError("the host has closed the connection")
            data += more
        return data

    def until(self, kind):
        """The messages up to the first one of a kind, which is the last."""
        messages = [self.receive()]
        while messages[-1].kind != kind:
            messages.append(self.receive())
        return messages

    def hello(self):
        """Say HELLO; return the text of the schema."""
        self.send(Kind.HELLO)
        answer = self.receive()
        assert answer.kind == Kind.SCHEMA
        self.schema, text = answer.schema, answer.body.decode()
        rows = [line.split("\t") for line in text.splitlines()]
        self.channels = [row[2] for row in rows if row[0] == "state"]
        return text

    def step(self, **parts):
        """Send a command in drive, and return the state after it, as a mapping, with `tick`, `time`, `flags` and `command` besides."""
        self.send(Kind.COMMAND, command_body(**parts))
        return self.values(self.until(Kind.STATE)[-1])

    def request(self, kind, value=None):
        """Send an event."""
        return self.send(Kind.REQUEST, json.dumps({"kind": kind} if value is None else {"kind": kind, "value": value}).encode())

    def values(self, state):
        """A state as a mapping."""
        tick, flags, command = state.head
        numbers = struct.unpack_from(f"<{len(self.channels)}d", state.body, STATE_HEAD.size)
        return dict(zip(self.channels, numbers, strict=True)) | {"tick": tick, "flags": flags, "command": command, "time": state.time}

    def close(self):
        """Close the socket."""
        self.socket.close()


class Served:
    """Server in a thread."""

    def __init__(self, out, settings=(), **options):
        self.said, self.complained = [], []
        self._ready = threading.Event()
        self.summary = self.error = None
        changes = [("vehicle", "hmmwv"), ("terrain", "flat"), *settings]
        c = configuration(None, [Override(tuple(key.split(".")), value, "test") for key, value in changes])
        about = ServeOptions(c, "127.0.0.1", 0, out=out, say=self._say, complain=self.complained.append)
        self.server = PortServer(replace(about, **options))
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _say(self, line):
        self.said.append(line)
        if "waiting for a peer at" in line:
            self._ready.set()

    def _run(self):
        try:
            self.summary = self.server.run()
        except BaseException as error:  # for the test, in its thread
            self.error = error
            self._ready.set()

    @property
    def address(self):
        """HOST:PORT, when the server waits for a peer."""
        assert self._ready.wait(300.0)
        if self.error is not None:
            raise self.error
        return next(line for line in self.said if "waiting" in line).split("at ")[1].split(" ")[0]

    def end(self):
        """The summary, after the end."""
        self._thread.join(60.0)
        assert not self._thread.is_alive()
        if self.error is not None:
            raise self.error
        return self.summary

    def stop(self):
        """End the run from outside, as a signal does."""
        if self._thread.is_alive():
            self.server.stop_request(15)
            self._thread.join(60.0)
