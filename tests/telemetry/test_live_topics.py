"""Does a live topic, its reader or its network that fails or stalls disturb the drive or the other topics?"""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from simulator.base.errors import JounceError
from simulator.outlets import live_topics
from simulator.outlets.live_topics import LiveTopics
from simulator.outlets.topic_groups import LiveTopic
from simulator.sensors.messages.cdr import decode
from simulator.sensors.messages.definitions import CLOCK


class Counts:
    """Group with a good topic, one that cannot be encoded, and one that has nothing to say, and one that nobody reads."""

    topics = (LiveTopic("/good", CLOCK), LiveTopic("/bad", CLOCK), LiveTopic("/quiet", CLOCK), LiveTopic("/unread", CLOCK))

    def take(self, session, begins):
        second = round(session.time)

        def publish(write):
            write("/bad", lambda: {"clock": {"sec": second}})
            write("/quiet", lambda: None)
            write("/unread", dict)
            write("/good", lambda: {"clock": {"sec": second, "nanosec": int(begins)}})

        return publish


class Network:
    """Sink that stores messages, and waits while `free` is not set."""

    label = "network"

    def __init__(self):
        self.free, self.got, self.room, self.closed = threading.Event(), [], True, 0
        self.free.set()

    def open(self, topics):
        assert [topic.name for topic in topics] == ["/clock", "/good", "/bad", "/quiet", "/unread"]

    def wants(self, topic):
        return topic != "/unread"

    def write(self, topic, time, parts):
        self.free.wait(60.0)
        stamp = decode(CLOCK, b"".join(parts))["clock"]
        self.got.append((topic, time, stamp["sec"], stamp["nanosec"]))
        return self.room

    def close(self):
        self.closed += 1


def outlet_of(paced: bool):
    """Return an outlet in a session in real time or not, its network and its last words."""
    session = SimpleNamespace(
        h=1e-3, time=0.0, clock=object() if paced else None, measuring=SimpleNamespace(sensors=()), output=SimpleNamespace(failures=[])
    )
    network, notes = Network(), []
    return session, LiveTopics(session, network, 100.0, "outlets.test", [Counts()], notes.append), network, notes


def publish(outlet, session, seconds) -> None:
    for second in seconds:
        session.time = float(second)
        outlet.publish(session)


def test_a_topic_that_cannot_be_encoded_leaves_the_others():
    session, outlet, network, notes = outlet_of(paced=False)
    publish(outlet, session, [0, 1, 1, 2, 0, 1])  # twice 1: a pause; 0 after 2: a restart
    outlet.close()
    outlet.close()
    assert [row for row in network.got if row[0] == "/good"] == [
        ("/good", 0.0, 0, 1), ("/good", 1.0, 1, 0), ("/good", 2.0, 2, 0), ("/good", 0.0, 0, 1), ("/good", 1.0, 1, 0),
    ]  # fmt: skip
    assert [row[0] for row in network.got] == ["/good", "/clock"] * 5 and network.closed == 1
    said = [str(one) for one in session.output.failures] + notes
    assert said == ["network: topic /bad is not published from 0.000 s on: KeyError: 'nanosec'"]


def test_a_network_that_stalls_costs_messages_and_no_tick(monkeypatch):
    monkeypatch.setattr(live_topics, "QUEUE_BYTES", 10 * live_topics.ITEM_BYTES)
    session, outlet, network, notes = outlet_of(paced=True)
    network.free.clear()
    publish(outlet, session, range(100))  # would last for minutes if it waited
    network.free.set()
    outlet.close()
    arrived = sum(row[0] == "/clock" for row in network.got)
    assert 10 <= arrived <= 13 and outlet.dropped == 100 - arrived
    assert notes[-1] == f"network: {100 - arrived} messages were not published; a reader or this machine was too slow"


def test_without_a_clock_no_message_is_lost(monkeypatch):
    monkeypatch.setattr(live_topics, "QUEUE_BYTES", 10 * live_topics.ITEM_BYTES)
    session, outlet, network, _ = outlet_of(paced=False)
    publish(outlet, session, range(100))
    outlet.close()
    assert [row[1] for row in network.got if row[0] == "/clock"] == list(range(100)) and outlet.dropped == 0


def test_a_network_that_fails_ends_the_topics_with_its_reason():
    session, outlet, network, _ = outlet_of(paced=False)
    network.got = None
    publish(outlet, session, range(2))
    outlet.close()  # waits for the thread
    with pytest.raises(JounceError, match="network: AttributeError"):
        publish(outlet, session, [2])


def test_a_message_without_room_is_counted():
    session, outlet, network, notes = outlet_of(paced=False)
    network.room = False
    publish(outlet, session, range(3))
    outlet.close()
    assert outlet.dropped == 6 and notes[-1].startswith("network: 6 messages were not published")
