"""Do strangers, silent and slow peers leave the host in time, and does a peer get through to it?"""

from __future__ import annotations

import contextlib
import socket
import threading
import time

import pytest
from port_peer import Peer, received

from simulator.port.messages import HEADER, Kind, encode
from simulator.port.tcp_link import MAX_CANDIDATES, TcpLink
from simulator.port.udp_link import MAX_AT_ONCE, MAX_REFUSALS, UdpLink

ALWAYS = lambda: True  # noqa: E731
HELLO = encode(Kind.HELLO, 1, 0, 0.0)
TIMEOUT = 0.8
"""s."""


def met(link, *talk):
    """The link after it has met its peer, while `talk` ran in threads."""
    threads = [threading.Thread(target=one, daemon=True) for one in talk]
    for thread in threads:
        thread.start()
    began = time.monotonic()
    assert link.wait_for_peer(lambda: time.monotonic() - began < 20.0)
    return link


@pytest.fixture
def link():
    made = TcpLink("127.0.0.1", 0, TIMEOUT)
    yield made
    made.close()


@pytest.fixture
def datagrams():
    made = UdpLink("127.0.0.1", 0, TIMEOUT)
    yield made
    made.close()


def connect(link):
    host, port = link.address.split(":")
    one = socket.create_connection((host, int(port)))
    one.settimeout(5.0)
    return one


def test_a_peer_gets_through_among_strangers(link):
    strangers = [connect(link) for _ in range(3 * MAX_CANDIDATES)]
    strangers[0].sendall(b"GET / HTTP/1.1\r\n\r\n")
    strangers[1].sendall(encode(Kind.COMMAND, 4, 0, 0.0, bytes(112)))
    strangers[2].close()
    peer = connect(link)
    peer.sendall(HELLO[:7])
    met(link, lambda: (time.sleep(0.05), peer.sendall(HELLO[7:])))
    peer.sendall(encode(Kind.ALIVE, 2, 0, 0.0))
    assert link.receive(ALWAYS).kind == Kind.ALIVE
    for stranger in strangers[3:]:
        with pytest.raises((ConnectionError, AssertionError)):
            assert stranger.recv(1) != b""
    with pytest.raises(ConnectionError):
        connect(link)


def test_a_stranger_is_told_why(link):
    strange = connect(link)
    strange.sendall(encode(Kind.COMMAND, 4, 0, 0.0, bytes(112)))
    peer = connect(link)
    met(link, lambda: (time.sleep(0.2), peer.sendall(HELLO)))
    message = received(strange.recv(1000))
    assert message.kind == Kind.REFUSED
    assert message.reason == (4, "COMMAND before HELLO; expected HELLO first")
    assert strange.recv(1) == b""


@pytest.fixture
def peer(link):
    one = connect(link)
    one.sendall(HELLO)
    met(link)
    yield one
    one.close()


def test_a_silent_peer_is_lost_after_the_timeout(link, peer):
    began = time.monotonic()
    assert link.receive(ALWAYS) is None
    assert 0.9 * TIMEOUT < time.monotonic() - began < 5.0
    assert link.gone.startswith(f"the peer was silent for {TIMEOUT} s; hint")


def test_a_peer_that_sends_a_byte_now_and_then_is_silent(link, peer):
    def drip():
        with contextlib.suppress(OSError):  # the test has closed the socket
            for byte in encode(Kind.ALIVE, 2, 0, 0.0):
                peer.sendall(bytes([byte]))
                time.sleep(0.1)

    threading.Thread(target=drip, daemon=True).start()
    assert link.receive(ALWAYS) is None
    assert "silent" in link.gone


def test_a_peer_that_closes_is_gone_at_once(link, peer):
    peer.close()
    assert link.receive(ALWAYS) is None
    assert link.gone == "the peer has closed the connection"


def test_a_peer_that_does_not_read_is_gone(link, peer):
    began = time.monotonic()
    while not link.gone and time.monotonic() - began < 20.0:
        link.send(Kind.STATE, bytes(100_000), 0.0)
    assert link.gone == f"the peer did not read for {TIMEOUT} s"
    before = time.monotonic()
    link.send(Kind.STATE, bytes(100), 0.0)
    link.send(Kind.END, b"", 0.0)
    assert time.monotonic() - before < 0.1
    assert link.dropped == 3


def test_garbage_in_the_stream_is_refused_and_ends_it(link, peer):
    peer.sendall(encode(Kind.ALIVE, 2, 0, 0.0) + b"garbage")
    assert link.receive(ALWAYS).kind == Kind.ALIVE
    assert link.receive(ALWAYS) is None
    assert link.gone.startswith("the peer sent no message: ")
    assert received(peer.recv(1000)).kind == Kind.REFUSED


def test_a_bad_message_is_refused_and_the_next_one_counts(link, peer):
    peer.sendall(HEADER.pack(b"JNCP", 1, 77, 32, 9, 0, 0.0) + encode(Kind.ALIVE, 10, 0, 0.0))
    assert link.receive(ALWAYS).sequence == 10
    assert received(peer.recv(1000)).reason[0] == 9


def test_a_signal_ends_the_wait(link, datagrams):
    for one in (link, datagrams):
        began = time.monotonic()
        assert not one.wait_for_peer(lambda began=began: time.monotonic() - began < 0.15)
        assert time.monotonic() - began < 2.0


@pytest.fixture
def udp_peer(datagrams):
    one = Peer(datagrams.address, udp=True)
    one.send(Kind.HELLO)
    met(datagrams)
    yield one
    one.close()


def test_only_the_peer_is_heard_by_udp(datagrams, udp_peer):
    strange = Peer(datagrams.address, udp=True)
    for _ in range(50):
        with contextlib.suppress(ConnectionRefusedError):  # the kernel says so
            strange.send(Kind.ALIVE)
    sequence = udp_peer.send(Kind.ALIVE)
    time.sleep(0.05)
    datagrams.begin_period()
    assert datagrams.receive(ALWAYS).sequence == sequence
    assert datagrams.receive(ALWAYS) is None


def test_a_flood_takes_a_bounded_time_of_a_period(datagrams, udp_peer):
    for _ in range(5 * MAX_AT_ONCE):
        udp_peer.send(Kind.ALIVE)
    time.sleep(0.05)
    for _ in range(2):
        datagrams.begin_period()
        count = 0
        while datagrams.receive(ALWAYS) is not None:
            count += 1
        assert count == MAX_AT_ONCE


def test_a_command_that_arrives_after_a_later_one_is_ignored(datagrams, udp_peer):
    for sequence in (5, 7, 6, 7, 8):
        udp_peer.send(Kind.COMMAND, bytes(112), sequence)
    time.sleep(0.05)
    datagrams.begin_period()
    heard = []
    while (message := datagrams.receive(ALWAYS)) is not None:
        heard.append(message.sequence)
    assert heard == [5, 7, 8]


def test_malformed_datagrams_are_refused(datagrams, udp_peer):
    udp_peer.raw(b"garbage")
    udp_peer.raw(b"")
    sequence = udp_peer.send(Kind.ALIVE)
    time.sleep(0.05)
    datagrams.begin_period()
    assert datagrams.receive(ALWAYS).sequence == sequence
    assert [udp_peer.receive().kind for _ in range(2)] == [Kind.REFUSED] * 2


def test_many_malformed_datagrams_get_few_answers(datagrams, udp_peer):
    for _ in range(20):
        udp_peer.raw(b"garbage")
    time.sleep(0.05)
    datagrams.begin_period()
    assert datagrams.receive(ALWAYS) is None
    assert datagrams.dropped == 20 - MAX_REFUSALS
    assert [udp_peer.receive().kind for _ in range(MAX_REFUSALS)] == [Kind.REFUSED] * MAX_REFUSALS


def test_a_peer_without_a_socket_is_gone(datagrams, udp_peer):
    udp_peer.close()
    for _ in range(20):
        datagrams.send(Kind.STATE, b"", 0.0)
        time.sleep(0.01)
    assert datagrams.gone == "the peer has closed its socket"


def test_a_silent_peer_is_lost_by_udp_too(datagrams, udp_peer):
    datagrams.begin_period()
    assert not datagrams.gone
    time.sleep(1.2 * TIMEOUT)
    datagrams.begin_period()
    assert datagrams.gone.startswith(f"the peer was silent for {TIMEOUT} s; hint")
