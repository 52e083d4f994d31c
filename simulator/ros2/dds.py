"""Topics of ROS 2 over DDS by the package cyclonedds: encoded messages are published and received as they are.

A topic /NAME of ROS 2 is the DDS topic rt/NAME, and its type a name such as `sensor_msgs::msg::dds_::Image_`. Data are plain CDR (XCDR version 1).
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from simulator.base.errors import DeviceError, JounceError
from simulator.base.installation import install_extra
from simulator.ros2.type_hash import type_hash
from simulator.sensors.messages.cdr import Part, decode
from simulator.sensors.messages.definitions import MessageField, fields

DOMAIN_VARIABLE = "ROS_DOMAIN_ID"
LOOPBACK = "lo"
"""Interface without an address of the user."""
MAX_DOMAIN = 232
TOPIC = r"\A(?!.*__)(/[A-Za-z_][A-Za-z0-9_]*)+\Z"
"""Pattern of the names of topics that ROS 2 accepts."""

ERRORS = 3
"""Log categories of cyclonedds: fatal errors and errors."""

_DOMAINS: dict[int, tuple[str, Any]] = {}
"""Interface and object of each domain of this process: a domain can be created only once."""


class Quality(NamedTuple):
    """Quality of service of a topic."""

    reliable: bool = True
    latched: bool = False
    """Later subscribers receive the last messages (transient local)."""
    depth: int = 10


SENSOR = Quality(reliable=False, depth=5)
LATCHED = Quality(latched=True, depth=1)
CLOCK = Quality(reliable=False, depth=1)


def is_installed() -> bool:
    """Return whether the package cyclonedds is installed."""
    from importlib.util import find_spec

    return find_spec("cyclonedds") is not None


def usual_domain() -> int:
    """Return the domain in ROS_DOMAIN_ID, else 0. Raises JounceError: it is no number from 0 to 232."""
    text = os.environ.get(DOMAIN_VARIABLE) or "0"
    if not re.fullmatch("[0-9]{1,9}", text) or int(text) > MAX_DOMAIN:
        raise JounceError(f"{DOMAIN_VARIABLE}: {text!r}; expected a number from 0 to {MAX_DOMAIN}")
    return int(text)


def is_topic(name: str) -> bool:
    """Return whether ROS 2 accepts the name of a topic, for example /points."""
    return re.search(TOPIC, name) is not None


class Node:
    """Participant of a domain, with its topics. Raises JounceError: cyclonedds is missing; DeviceError: the domain cannot be joined.

    Parameters
    ----------
    domain : number of the domain
    interface : name or address of the network interface
    key : key of the interface, for messages
    """

    def __init__(self, domain: int, interface: str = LOOPBACK, key: str = "interface") -> None:
        if not is_installed():
            raise JounceError(f"ROS 2: the package cyclonedds is missing; hint: {install_extra('ros2')}")
        try:
            from cyclonedds.core import DDSException
            from cyclonedds.domain import Domain, DomainParticipant
        except (ImportError, OSError) as error:  # OSError: its library cannot be loaded
            raise JounceError(
                f"ROS 2: the package cyclonedds cannot be loaded ({error}); hint: pip install --force-reinstall cyclonedds"
            ) from None
        known, made = _DOMAINS.get(domain, (interface, None))
        if known != interface:
            raise JounceError(f"ROS 2: domain {domain} on the interface {interface}; expected {known}, which this process uses already")
        _print_only(0)
        try:
            self._domain = made or Domain(domain, _configuration(interface))
        except DDSException:
            names = [name for _, name in socket.if_nameindex()]
            problem = "the interface cannot be used" if interface in names else "no such network interface"
            raise DeviceError(f"{key}: {interface}: {problem}; expected one of {', '.join(names)}, or an address of one") from None
        finally:
            _print_only(ERRORS)
        _DOMAINS[domain] = interface, self._domain
        try:
            self._participant: Any = DomainParticipant(domain)
        except DDSException as error:
            raise DeviceError(f"ROS 2: domain {domain} cannot be joined on the interface {interface} ({error})") from None

    def publisher(self, topic: str, kind: str, quality: Quality = SENSOR) -> Publisher:
        """Return a publisher of a topic, by its name and the name of its type."""
        from cyclonedds.pub import DataWriter
        from cyclonedds.pub import Publisher as Group

        return Publisher(DataWriter(Group(self._participant), self._topic(topic, kind), qos=_qos(kind, quality)), kind)

    def subscription(self, topic: str, kind: str, quality: Quality = SENSOR) -> Subscription:
        """Return a subscription of a topic."""
        from cyclonedds.sub import DataReader, Subscriber

        return Subscription(DataReader(Subscriber(self._participant), self._topic(topic, kind), qos=_qos(kind, quality)), kind)

    def _topic(self, name: str, kind: str) -> Any:
        from cyclonedds.topic import Topic

        return Topic(self._participant, f"rt{name}", _raw_type(kind))

    def close(self) -> None:
        """Leave the domain with all topics; further messages are not published."""
        self._participant = None


class Publisher:
    """Publisher of encoded messages."""

    def __init__(self, writer: Any, kind: str) -> None:
        self._writer, self._kind = writer, _raw_type(kind)

    def write(self, parts: Sequence[Part]) -> bool:
        """Publish a message, encoded by `simulator.sensors.messages.cdr.encode_parts`; return False if a slow reader left no room for it."""
        from cyclonedds.core import DDSException

        sample = object.__new__(self._kind)
        sample.encoded = b"".join(parts)
        try:
            self._writer.write(sample)
        except DDSException as error:
            if error.code != DDSException.DDS_RETCODE_TIMEOUT:
                raise
            return False
        return True


class Subscription:
    """Subscription of messages."""

    def __init__(self, reader: Any, kind: str) -> None:
        self._reader, self._kind = reader, kind

    def take(self) -> list[dict[str, Any]]:
        """Return the messages since the last call, decoded; those that cannot be decoded are left out."""
        out = []
        for one in self._reader.take(N=64):
            encoded = getattr(one, "encoded", None)  # None: a publisher has left
            if encoded is not None:
                with contextlib.suppress(ValueError):
                    out.append(decode(self._kind, encoded))
        return out


def _print_only(categories: int) -> None:
    """Let cyclonedds print errors only: a warning for each invalid datagram would let another machine flood the terminal. 0: nothing."""
    from cyclonedds.internal import DDS

    with contextlib.suppress(AttributeError):  # a private name, which another version may lack
        DDS._dll_handle.dds_set_log_mask(categories)


def _configuration(interface: str) -> str:
    """Return the configuration of a domain for one interface; on the loopback, peers are found without multicast."""
    alone = interface in (LOOPBACK, "127.0.0.1", "localhost")
    chosen = f'address="{interface}"' if interface[:1].isdigit() else f'name="{LOOPBACK if alone else interface}"'
    peers = '<Discovery><Peers><Peer address="localhost"/></Peers><ParticipantIndex>auto</ParticipantIndex></Discovery>' if alone else ""
    return (
        f'<CycloneDDS><Domain><General><Interfaces><NetworkInterface {chosen} multicast="{"false" if alone else "default"}"/></Interfaces>'
        f"<AllowMulticast>{'false' if alone else 'default'}</AllowMulticast></General>{peers}</Domain></CycloneDDS>"
    )


def _qos(kind: str, quality: Quality) -> Any:
    from cyclonedds.core import Policy, Qos
    from cyclonedds.util import duration

    return Qos(
        Policy.Reliability.Reliable(duration(seconds=0)) if quality.reliable else Policy.Reliability.BestEffort,
        Policy.Durability.TransientLocal if quality.latched else Policy.Durability.Volatile,
        Policy.History.KeepLast(quality.depth),
        Policy.DataRepresentation(use_cdrv0_representation=True),
        Policy.Userdata(f"typehash={type_hash(kind)};".encode()),
    )


@cache
def _raw_type(name: str) -> Any:
    """Return the type of a message for cyclonedds, whose samples are encoded messages."""
    made = _struct(name)

    def serialize(self: Any, *_: Any, **__: Any) -> bytes:
        data: bytes = self.encoded
        return data

    def deserialize(cls: Any, data: bytes, *_: Any, **__: Any) -> Any:
        sample = object.__new__(cls)
        sample.encoded = bytes(data)
        return sample

    made.serialize = serialize
    made.deserialize = classmethod(deserialize)
    return made


@cache
def _struct(name: str) -> Any:
    from cyclonedds.idl import make_idl_struct

    package, _, short = name.replace("/msg/", "/").partition("/")
    rows = {one.name: _member(one) for one in fields(name)}
    return make_idl_struct(short, f"{package}.msg.dds_.{short}_", rows)


def _member(field: MessageField) -> Any:
    from cyclonedds.idl import types

    made: Any = types

    kind = {"bool": bool, "string": str}.get(field.type) or getattr(types, field.type, None) or _struct(field.type)
    if field.length is None:
        return kind
    return made.array[kind, field.length] if field.length else made.sequence[kind]
