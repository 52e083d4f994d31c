"""A participant of DDS made of plain sockets: it announces a reader or a writer by datagrams of RTPS 2.1 and has no package for DDS.

python raw_rtps.py read DOMAIN TOPIC TYPE    prints the payload of the first sample, in hexadecimal digits
python raw_rtps.py attack DOMAIN             sends hostile datagrams and samples of /cmd_vel, then a valid one, until its input ends
"""

from __future__ import annotations

import os
import random
import select
import socket
import struct
import sys
import time
from collections.abc import Iterator

INDEX = 7
"""Number of this participant, of which its ports follow; cyclonedds takes the first free number from 0 on."""
PREFIX = b"\x01\x99" + struct.pack(">I", os.getpid()) + b"jounce"
HEADER = b"RTPS\x02\x01\x01\x99" + PREFIX
SPDP_WRITER, SPDP_READER = b"\0\x01\0\xc2", b"\0\x01\0\xc7"
PUBLICATIONS, SUBSCRIPTIONS = 3, 4
READER, WRITER = b"\0\0\x10\x04", b"\0\0\x11\x03"
DATA, HEARTBEAT, ACKNACK, INFO_DST = 0x15, 0x07, 0x06, 0x0E
WAIT = 60.0


def port(domain: int, index: int, user: bool) -> int:
    return 7400 + 250 * domain + (11 if user else 10) + 2 * index


def submessage(kind: int, body: bytes, flags: int = 1) -> bytes:
    return struct.pack("<BBH", kind, flags, len(body)) + body


def data(reader: bytes, writer: bytes, number: int, payload: bytes) -> bytes:
    body = struct.pack("<HH", 0, 16) + reader + writer + struct.pack("<iI", 0, number) + payload
    return submessage(DATA, body + bytes(-len(body) % 4), 5)


def heartbeat(reader: bytes, writer: bytes, first: int, last: int, count: int) -> bytes:
    return submessage(HEARTBEAT, reader + writer + struct.pack("<iIiII", 0, first, 0, last, count))


def parameters(*rows: tuple[int, bytes]) -> bytes:
    out = b"\0\x03\0\0"
    for number, value in (*rows, (1, b"")):
        out += struct.pack("<HH", number, len(value) + -len(value) % 4) + value + bytes(-len(value) % 4)
    return out


def text(value: str) -> bytes:
    return struct.pack("<I", len(value) + 1) + value.encode() + b"\0"


def locator(number: int) -> bytes:
    return struct.pack("<iI", 1, number) + bytes(12) + b"\x7f\0\0\x01"


def submessages(datagram: bytes) -> Iterator[tuple[int, int, bytes]]:
    at = 20
    while at + 4 <= len(datagram):
        kind, flags, length = struct.unpack_from("<BBH", datagram, at)
        length = length or len(datagram) - at - 4
        yield kind, flags, datagram[at + 4 : at + 4 + length]
        at += 4 + length


class Participant:
    def __init__(self, domain: int) -> None:
        self.domain, self.count, self.peers = domain, 0, set()
        self.meta, self.user = (self._socket(user) for user in (False, True))

    def _socket(self, user: bool) -> socket.socket:
        one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        one.bind(("127.0.0.1", port(self.domain, INDEX, user)))
        return one

    def announce(self, builtin: int, endpoint: bytes, topic: str, kind: str) -> None:
        """Announce this participant, and an endpoint of it by the builtin writer of publications or subscriptions."""
        about = parameters(
            (0x15, b"\x02\x01"), (0x16, b"\x01\x99"), (0x50, PREFIX + b"\0\0\x01\xc1"), (0x58, struct.pack("<I", 0x3F)),
            (0x02, struct.pack("<iI", 100, 0)), (0x32, locator(port(self.domain, INDEX, False))),
            (0x31, locator(port(self.domain, INDEX, True))),
        )  # fmt: skip
        reader, writer = bytes((0, 0, builtin, 0xC7)), bytes((0, 0, builtin, 0xC2))
        reliable = endpoint == WRITER
        offer = parameters(
            (0x5A, PREFIX + endpoint), (0x50, PREFIX + b"\0\0\x01\xc1"), (0x05, text(topic)), (0x07, text(kind)),
            (0x1A, struct.pack("<IiI", 2 if reliable else 1, 0, 0)), (0x1D, struct.pack("<I", 0)), (0x2F, locator(port(self.domain, INDEX, True))),
        )  # fmt: skip
        self.count += 1
        spdp = HEADER + data(SPDP_READER, SPDP_WRITER, 1, about)
        sedp = HEADER + data(reader, writer, 1, offer) + heartbeat(reader, writer, 1, 1, self.count)
        for index in range(4):
            for datagram in (spdp, sedp):
                self.meta.sendto(datagram, ("127.0.0.1", port(self.domain, index, False)))

    def datagrams(self, wait: float) -> Iterator[tuple[bool, bytes]]:
        for one in select.select([self.meta, self.user], [], [], wait)[0]:
            yield one is self.user, one.recv(1 << 16)


def sample(datagram: bytes) -> bytes | None:
    """Return the payload of a sample for READER; its parts are checked."""
    assert datagram[:4] == b"RTPS" and datagram[4] == 2, datagram[:8]
    for kind, flags, body in submessages(datagram):
        if kind == DATA and body[4:8] in (READER, bytes(4)) and body[8:12][3] & 0xC0 == 0:
            assert flags & 1 and flags & 4, flags
            skip = 4 + struct.unpack_from("<H", body, 2)[0]
            if flags & 2:  # inline quality of service
                number = 0
                while number != 1:
                    number, length = struct.unpack_from("<HH", body, skip)
                    skip += 4 + length
            return body[skip:]
    return None


def read(domain: int, topic: str, kind: str) -> None:
    here, end = Participant(domain), time.monotonic() + WAIT
    while time.monotonic() < end:
        here.announce(SUBSCRIPTIONS, READER, topic, kind)
        for _ in range(20):
            for is_user, datagram in here.datagrams(0.02):
                payload = sample(datagram) if is_user else None
                if payload is not None:
                    print(payload.hex(), flush=True)
                    return


def twist(*values: float) -> bytes:
    return b"\0\x01\0\0" + struct.pack("<6d", *values)


def hostile(chance: random.Random) -> Iterator[bytes]:
    """Return payloads of /cmd_vel that are no commands."""
    good = twist(9.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    nan, inf = float("nan"), float("inf")
    yield from (b"", b"\0", b"\0\x01", b"\0\x01\0\0", good[:-5], good[:20], b"\xff" * 52, b"\0\x03" + good[2:])
    yield from 5 * (twist(nan, 0, 0, 0, 0, 0), twist(0, 0, 0, 0, 0, inf), twist(-inf, 0, 0, 0, 0, 0))
    yield from (bytes(chance.randrange(256) for _ in range(chance.randrange(52))) for _ in range(50))


def garbage(chance: random.Random) -> Iterator[bytes]:
    """Return datagrams that are no messages, or that lie about their lengths."""
    whole = HEADER + data(bytes((0, 0, 4, 0xC7)), bytes((0, 0, 4, 0xC2)), 2, parameters((0x05, text("rt/cmd_vel")), (0x07, b"\xff" * 8)))
    yield from (b"", b"RTPS", HEADER, HEADER + b"\x15\x05\xff\xff", HEADER + submessage(DATA, b"\0" * 8, 5), whole)
    yield from (whole[: chance.randrange(len(whole))] for _ in range(100))
    for _ in range(300):
        wrong = bytearray(whole)
        for _ in range(chance.randrange(1, 8)):
            wrong[chance.randrange(len(wrong))] = chance.randrange(256)
        yield bytes(wrong)
    yield from (chance.randbytes(chance.randrange(2000)) for _ in range(100))


def attack(domain: int) -> None:
    here, chance, number = Participant(domain), random.Random(1), 0
    payloads = list(hostile(chance))
    for _ in range(10):
        here.announce(PUBLICATIONS, WRITER, "rt/cmd_vel", "geometry_msgs::msg::dds_::Twist_")
        time.sleep(0.1)
    for datagram in garbage(chance):
        for index in range(2):
            for user in (False, True):
                here.user.sendto(datagram, ("127.0.0.1", port(domain, index, user)))
    good = twist(3.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    while not select.select([sys.stdin], [], [], 0.02)[0]:
        payload = payloads[number] if number < len(payloads) else good
        number += 1
        for index in range(2):
            message = HEADER + data(bytes(4), WRITER, number, payload) + heartbeat(bytes(4), WRITER, number, number, number)
            here.user.sendto(message, ("127.0.0.1", port(domain, index, True)))
        if number % 25 == 0:
            here.announce(PUBLICATIONS, WRITER, "rt/cmd_vel", "geometry_msgs::msg::dds_::Twist_")
    print(number, flush=True)


if __name__ == "__main__":
    {"read": read, "attack": attack}[sys.argv[1]](int(sys.argv[2]), *sys.argv[3:])
