"""Sink of live topics for Foxglove and Lichtblick: a WebSocket server with the subprotocol foxglove.sdk.v1, and parameters that are read only.

Messages of ROS 2 have their usual bytes and definitions (`cdr`, `ros2msg`), those of Foxglove (`foxglove.NAME`) are protobuf. The threads of the
package foxglove-sdk send; for a client that does not read, they drop the oldest of its BACKLOG messages.
"""

from __future__ import annotations

import logging
import math
import os
import time
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from simulator.base.addresses import joined
from simulator.base.errors import DeviceError, JounceError
from simulator.base.installation import install_extra
from simulator.base.plugin_thread import take_priority
from simulator.outlets.foxglove.options import FoxgloveOptions
from simulator.outlets.topic_groups import LATCHED, TIME, LiveTopic
from simulator.sensors.messages.cdr import Part
from simulator.sensors.messages.definitions import schema
from simulator.sensors.messages.topic import nanoseconds

BACKLOG = 64
"""Messages that wait for one client. Larger: more memory for a client that does not read; smaller: a short pause of a client loses messages."""
TIME_PERIOD = 0.03
"""s of wall time between two times for the clients. They cannot be dropped: BACKLOG of them that wait end the connection of a client."""
PAUSE, SHORT_PAUSE = 0.01, 0.001
"""s before each answer to a client, and before a subscription, of which a client sends many at once. Larger: a client waits longer; smaller:
requests without end delay the ticks."""
AGAIN = 0.3
"""s after a subscription, at which its latched message is sent once more."""
OWN = "foxglove."
"""Begin of the names of the messages of Foxglove."""


class FoxgloveSink:
    """Server. Raises JounceError: the package is missing; DeviceError: the address cannot be used.

    Parameters
    ----------
    options : address
    name : name of the server in the app
    parameters : numbers and texts by name, for clients to read

    Attributes
    ----------
    address : HOST:PORT after `open`
    """

    label = "Foxglove"

    def __init__(self, options: FoxgloveOptions, name: str, parameters: Mapping[str, Any]) -> None:
        if find_spec("foxglove") is None:
            raise JounceError(f"Foxglove: the package foxglove-sdk is missing; hint: {install_extra('foxglove')}")
        try:
            import foxglove
        except (ImportError, OSError) as error:
            raise JounceError(
                f"Foxglove: the package foxglove-sdk cannot be loaded ({error}); hint: pip install --force-reinstall foxglove-sdk"
            ) from None
        _silence(foxglove)
        self._options, self._name, self.address = options, name, ""
        self._server: Any = None
        self._context = foxglove.Context()
        self._listener: Any = _Listener([foxglove.Parameter(key, value=value) for key, value in parameters.items()])
        self._channels: dict[str, Any] = {}
        self._clock = ""
        self._told = 0.0, 0
        """Wall time [s] at which the clients were told a time, and this time [ns]."""

    def open(self, topics: Sequence[LiveTopic]) -> None:
        """Create the channels, and start the server. Raises DeviceError."""
        import foxglove
        from foxglove import messages, websocket

        for topic in topics:
            own = topic.type.startswith(OWN)
            kind = (
                getattr(messages, topic.type.removeprefix(OWN)).get_schema()
                if own
                else foxglove.Schema(name=topic.type, encoding="ros2msg", data=schema(topic.type).encode())
            )
            channel = foxglove.Channel(topic.name, schema=kind, message_encoding="protobuf" if own else "cdr", context=self._context)
            self._channels[topic.name] = channel
            if topic.use == LATCHED:
                self._listener.latched[topic.name] = _Latched(channel)
            elif topic.use == TIME:
                self._clock = topic.name
        address = joined(self._options.host, self._options.port)
        try:
            self._server = foxglove.start_server(
                name=self._name,
                host=self._options.host,
                port=self._options.port,
                capabilities=[websocket.Capability.Time, websocket.Capability.Parameters],
                server_listener=self._listener,
                context=self._context,
                message_backlog_size=BACKLOG,
            )
        except RuntimeError as error:
            reason = str(error).rpartition("port: ")[2].partition(" (os error")[0]
            raise DeviceError(
                f"Foxglove: {address} cannot be used: {reason}; expected a free port and an address of this machine; "
                "hint: --foxglove PORT, or 0 for any free one"
            ) from None
        self.address = joined(self._options.host, self._server.port)

    def wants(self, topic: str) -> bool:
        """Return whether a client reads a topic, or may read its last message later."""
        return topic in self._listener.latched or topic == self._clock or bool(self._channels[topic].has_sinks())

    def write(self, topic: str, at_time: float, parts: Sequence[Part]) -> bool:
        """Publish a message."""
        data, at = b"".join(parts), max(0, nanoseconds(at_time))
        latched = self._listener.latched.get(topic)
        if latched is not None:
            latched.last = data, at  # before it is sent: a client that subscribes meanwhile receives it
        self._channels[topic].log(data, log_time=at)
        now = time.monotonic()
        if topic == self._clock:
            self._listener.send_again(now)
        if topic == self._clock and (at < self._told[1] or now >= self._told[0] + TIME_PERIOD):
            self._told = now, at
            self._server.broadcast_time(at)
        return True

    def close(self) -> None:
        """Stop the server."""
        server, self._server = self._server, None
        if server is not None:
            server.stop()


class _Latched:
    """Topic whose last message a new subscriber receives."""

    def __init__(self, channel: Any) -> None:
        self.channel = channel
        self.last: tuple[bytes, int] | None = None
        self.again = math.inf
        """Wall time [s] at which the message is sent once more."""

    def send(self) -> None:
        if self.last is not None:
            self.channel.log(self.last[0], log_time=self.last[1])


class _Listener:
    """Answers to clients, in threads of foxglove-sdk."""

    def __init__(self, parameters: Sequence[Any]) -> None:
        self.latched: dict[str, _Latched] = {}
        self._parameters = {one.name: one for one in parameters}

    def on_subscribe(self, client: Any, channel: Any) -> None:
        """Send the last message of a latched topic, also to its other subscribers: the message of one client cannot be addressed reliably."""
        _wait(SHORT_PAUSE)
        if (latched := self.latched.get(channel.topic)) is not None:
            latched.again = time.monotonic() + AGAIN
            latched.send()

    def send_again(self, now: float) -> None:
        """Send latched messages once more: while a client subscribed, others may have displaced them. For the thread of the outlet."""
        for latched in self.latched.values():
            if now >= latched.again:
                latched.again = math.inf
                latched.send()

    def on_get_parameters(self, client: Any, names: Sequence[str], request_id: str | None = None) -> list[Any]:
        """Return the parameters of some names, or all."""
        _wait()
        return [self._parameters[name] for name in dict.fromkeys(names or self._parameters) if name in self._parameters]

    def on_set_parameters(self, client: Any, parameters: Sequence[Any], request_id: str | None = None) -> list[Any]:
        """Refuse a change: return the present values."""
        return self.on_get_parameters(client, [one.name for one in parameters] or ("",))

    def _ignore(self, *_: Any) -> None:
        """Do nothing."""
        _wait(SHORT_PAUSE)

    on_unsubscribe = on_client_advertise = on_client_unadvertise = on_message_data = _ignore
    on_parameters_subscribe = on_parameters_unsubscribe = _ignore


def _silence(foxglove: Any) -> None:
    """Let foxglove-sdk log nothing: a client could fill the terminal with invalid messages, and it waits for the interpreter inside its locks."""
    os.environ.pop("FOXGLOVE_LOG_LEVEL", None)  # would win over the level below, and stop the program
    root, nothing = logging.getLogger(), logging.NullHandler()
    root.addHandler(nothing)  # otherwise the package adds a handler for all logging of the process
    foxglove.set_log_level("CRITICAL")
    root.removeHandler(nothing)


def _wait(pause: float = PAUSE) -> None:
    """Wait before an answer to a client: a thread of foxglove-sdk must not take the interpreter from the ticks, nor lose the processor with it."""
    take_priority()
    time.sleep(pause)
