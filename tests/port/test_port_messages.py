"""Are messages of the port read as they were written, and is everything else refused with a reason?"""

from __future__ import annotations

import math
import re
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.base.addresses import parse_port
from simulator.base.errors import ConfigError
from simulator.driver.command_ranges import RANGES
from simulator.event_effects.kinds import COMMANDS
from simulator.events.event import Event, Origin
from simulator.port.messages import (
    ARRAY_HEAD,
    BODY_SIZES,
    COMMAND_BODY,
    HEADER,
    MAX_BYTES,
    REFUSAL_HEAD,
    SENSOR_HEAD,
    STATE_HEAD,
    VERSION,
    FrameReader,
    Kind,
    LostFrameError,
    Message,
    RefusedMessageError,
    decode,
    encode,
    is_newer,
)
from simulator.port.peer import requested_event
from simulator.port.port_driver import numbers_of
from vehicles.command import COMMAND

ROOT = Path(__file__).parents[2]
PEER_KINDS = [kind for kind in Kind if kind >= Kind.HELLO]


@pytest.mark.parametrize("kind", PEER_KINDS)
def test_a_message_is_read_as_it_was_written(kind):
    body = bytes(BODY_SIZES.get(kind, 11))
    data = encode(kind, 0xFFFFFFFF + 3, 0x1122334455667788, 0.0, body)
    assert data[:4] == b"JNCP" and len(data) == 32 + len(body)
    assert decode(data) == Message(kind, 2, 0x1122334455667788, body)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=20))
def test_a_stream_is_cut_into_its_messages_however_it_arrives(cuts):
    sent = [encode(Kind.REQUEST, n, 7, 0.0, bytes(n)) for n in range(5)]
    reader, data, found, place = FrameReader(), b"".join(sent), [], 0
    while place < len(data):
        size = cuts[place % len(cuts)]
        reader.feed(data[place : place + size])
        place += size
        while (message := reader.next()) is not None:
            found.append(message)
    assert found == [Message(Kind.REQUEST, n, 7, bytes(n)) for n in range(5)]


@pytest.mark.parametrize(
    ("data", "lost", "reason"),
    [
        (b"", True, "expected a header"),
        (b"JNC", True, "expected a header"),
        (b"GET / HTTP/1.1\r\nHost: localhost:42500\r\n", True, "expected the bytes JNCP"),
        (HEADER.pack(b"JNCP", 2, 16, 32, 5, 0, 0.0), True, "version 2; expected version 1"),
        (HEADER.pack(b"JNCP", 1, 16, 31, 5, 0, 0.0), True, "message of 31 bytes"),
        (HEADER.pack(b"JNCP", 1, 18, MAX_BYTES + 1, 5, 0, 0.0), True, f"32 to {MAX_BYTES} bytes"),
        (HEADER.pack(b"JNCP", 1, 18, 40, 5, 0, 0.0), True, "expected 40"),
        (HEADER.pack(b"JNCP", 1, 99, 32, 5, 0, 0.0), False, "kind 99; expected 16 HELLO"),
        (HEADER.pack(b"JNCP", 1, 2, 32, 5, 0, 0.0), False, "kind 2; expected 16 HELLO"),
        (encode(Kind.COMMAND, 5, 0, 0.0, bytes(8)), False, "COMMAND with a body of 8 bytes; expected 112 bytes"),
        (encode(Kind.HELLO, 5, 0, 0.0, b"x"), False, "HELLO with a body of 1 bytes"),
    ],
)
def test_what_is_no_message_is_refused(data, lost, reason):
    with pytest.raises(RefusedMessageError, match=reason) as error:
        decode(data)
    assert isinstance(error.value, LostFrameError) == lost
    assert error.value.sequence in (0, 5)


@given(st.binary(max_size=200), st.booleans())
def test_any_bytes_are_a_message_or_are_refused(data, begins):
    data = b"JNCP\x01\x00" * begins + data
    reader = FrameReader()
    reader.feed(data)
    for read in (lambda: decode(data), reader.next):
        try:
            read()
        except RefusedMessageError as error:
            assert str(error)


def test_a_stream_that_cannot_become_a_message_is_refused_before_the_header_is_complete():
    reader = FrameReader()
    reader.feed(b"J")
    assert reader.next() is None
    reader.feed(b"X")
    with pytest.raises(LostFrameError):
        reader.next()


def test_the_sequence_continues_over_its_end():
    assert is_newer(5, 4) and not is_newer(4, 5) and not is_newer(4, 4)
    assert is_newer(2, 0xFFFFFFFE) and not is_newer(0xFFFFFFFE, 2)


@pytest.mark.parametrize("name", list(RANGES))
def test_a_command_has_each_part_within_its_range(name):
    names = [row[0] for row in COMMAND]
    low, high = RANGES[name]
    for value, fits in ((low, True), (high, True), (math.nan, False), (math.inf, False), (low - 1.0, False), (high + 1.0, False)):
        numbers = [0.0] * len(names)
        numbers[names.index(name)] = value
        if fits:
            assert numbers_of(COMMAND_BODY.pack(*numbers), 3)[names.index(name)] == value
            continue
        with pytest.raises(RefusedMessageError, match=f"command: {name}: expected an? (integer|number) from") as error:
            numbers_of(COMMAND_BODY.pack(*numbers), 3)
        assert error.value.sequence == 3


def test_a_selector_between_two_positions_is_refused():
    numbers = [0.5 if row[0] == "selector" else 0.0 for row in COMMAND]
    with pytest.raises(RefusedMessageError, match="selector: expected an integer"):
        numbers_of(COMMAND_BODY.pack(*numbers), 3)


def test_requests_are_events_of_the_port():
    assert requested_event(b'{"kind": "reset"}', 1) == Event("reset", None, Origin.PORT)
    fault = {"type": "puncture", "wheel": "FL"}
    assert requested_event(b'{"kind": "add_fault", "value": {"type": "puncture", "wheel": "FL"}}', 1) == Event(
        "add_fault", fault, Origin.PORT
    )


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"reset", b"[]", b"{}", b"null", b'{"kind": 3}', b'{"kind": "reset", "more": 1}', b'{"kind": "reset", "value": 1}'),
        *(b'{"kind": "end_fault"}', b'{"kind": "add_fault", "value": NaN}', b'{"kind": "rest"}', b'{"kind": ["reset"]}'),
        *(b"\xff\xfe", b"[" * 8000, b'{"kind": "quit", "value": "\\ud800"}', b'{"kind": "quit", "value": ' + b"9" * 5000 + b"}"),
    ],
    ids=lambda body: body[:40],
)
def test_a_request_that_is_no_event_is_refused(body):
    with pytest.raises(RefusedMessageError, match="REQUEST: ") as error:
        requested_event(body, 8)
    assert error.value.sequence == 8
    str(error.value).encode()


def test_the_port_drives_resets_and_sets_faults_but_neither_arms_nor_tunes_a_platform():
    allowed = {name for name, kind in COMMANDS.items() if Origin.PORT in kind.origins}
    assert allowed == {
        "quit",
        "reset",
        "upright",
        "add_fault",
        "end_fault",
        "aeb",
        "acc",
        "limiter",
        "lane_keeping",
        "set_speed",
        "time_gap",
        "turn_signals",
    }


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("42500", ("127.0.0.1", 42500)),
        ("0", ("127.0.0.1", 0)),
        ("0.0.0.0:42500", ("0.0.0.0", 42500)),
        ("rig.local:1", ("rig.local", 1)),
        ("[::1]:42500", ("::1", 42500)),
    ],
)
def test_an_address_is_read(text, address):
    assert parse_port(text) == address


@pytest.mark.parametrize("text", ["", ":", ":42500", "host:", "host", "65536", "-1", "::1:42500", "1e3", "[::1:5", "٤٢"])
def test_what_is_no_address_is_refused(text):
    with pytest.raises(ConfigError, match="PORT or HOST:PORT"):
        parse_port(text)


def test_the_header_for_c_has_the_same_messages():
    text = (ROOT / "examples/jounce_port.h").read_text(encoding="utf-8")
    numbers = {name: int(number) for name, number in re.findall(r"JOUNCE_([A-Z]+) = (\d+),? ", text)}
    assert {kind.name: kind.value for kind in Kind}.items() <= numbers.items()
    assert f"#define JOUNCE_VERSION {VERSION}\n" in text
    assert f"#define JOUNCE_MAX_SENT {MAX_BYTES} " in text
    struct_of_command = text[: text.index("} jounce_command;")].rpartition("typedef struct {")[2]
    assert re.findall(r"double (\w+);", struct_of_command) == [row[0] for row in COMMAND]
    assert (HEADER.size, STATE_HEAD.size, REFUSAL_HEAD.size, COMMAND_BODY.size) == (32, 16, 8, 8 * len(COMMAND))
    assert (SENSOR_HEAD.size, ARRAY_HEAD.size) == (24, 32)


def test_the_python_client_is_short_and_imports_jounce_only():
    text = (ROOT / "examples/port_client.py").read_text(encoding="utf-8")
    assert len([line for line in text.splitlines() if line.strip()]) <= 16
    assert set(re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE)) == {"jounce", "sys"}


def test_the_page_describes_every_message():
    page = (ROOT / "docs/port.md").read_text(encoding="utf-8")
    for kind in Kind:
        assert re.search(rf"^\| {kind.value} \| `{kind.name}` \|", page, re.MULTILINE), kind
    assert struct.calcsize("<4sHHIIQd") == HEADER.size
