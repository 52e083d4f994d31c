"""What happens to driver and platform when the page of the operator is silent, and when it is back?"""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from simulator.host.operator_watch import OperatorWatch


class Watched:
    """A watch with its cells, its time and what it does."""

    def __init__(self, on_loss="neutral", state="engaged"):
        self.cells, self.sent, self.warned, self.now = {"operator": 0, "operator_beats": 0}, [], [], 100.0
        self.session = SimpleNamespace(platform_state=state, paused=state == "stopped")
        self.watch = OperatorWatch(self.cells, on_loss, self.sent.append, self.warned.append)

    def take_control(self):
        self.cells["operator"] = 1
        self.cells["operator_beats"] += 1

    def pass_time(self, seconds, beats=False):
        for n in range(round(100 * seconds)):
            self.now += 0.01
            if beats and n % 10 == 0:
                self.cells["operator_beats"] += 1
            self.watch.look(self.session, self.now)

    @property
    def events(self):
        return [(event.kind, event.value, str(event.origin)) for event in self.sent]


def test_without_an_operator_nothing_happens():
    watched = Watched()
    watched.pass_time(10.0)
    assert (watched.sent, watched.warned) == ([], [])


def test_a_heartbeat_keeps_everything_as_it_is():
    watched = Watched()
    watched.take_control()
    watched.pass_time(10.0, beats=True)
    assert (watched.sent, watched.warned) == ([], [])


@pytest.mark.parametrize(
    ("on_loss", "expected"),
    [
        ("neutral", [("pause", True, "drive")]),
        ("park", [("pause", True, "drive"), ("platform", "park", "drive")]),
        ("continue", []),
    ],
)
def test_the_driver_is_warned_after_1_s_and_the_platform_moves_after_3_s(on_loss, expected):
    watched = Watched(on_loss)
    watched.take_control()
    watched.pass_time(2.0, beats=True)
    watched.pass_time(0.8)
    assert watched.warned == []
    watched.pass_time(0.3)
    assert len(watched.warned) == 1 and watched.watch.silent and watched.sent == []
    watched.pass_time(1.7)
    assert watched.sent == []
    watched.pass_time(0.3)
    assert watched.events == expected
    watched.pass_time(20.0)
    assert watched.events == expected, "once"


def test_an_operator_who_is_back_in_time_changes_nothing_and_may_be_lost_again():
    watched = Watched()
    watched.take_control()
    watched.pass_time(2.5)
    watched.pass_time(1.0, beats=True)
    assert watched.sent == [] and "back" in watched.warned[-1] and not watched.watch.silent
    watched.pass_time(4.0)
    assert watched.events == [("pause", True, "drive")]


def test_an_operator_who_has_handed_over_is_not_lost():
    watched = Watched()
    watched.take_control()
    watched.pass_time(1.0, beats=True)
    watched.cells["operator"] = 0
    watched.pass_time(10.0)
    assert (watched.sent, watched.warned) == ([], [])


@pytest.mark.parametrize("state", ["off", "parked", "park", "fault"])
def test_a_platform_that_is_down_stays_down(state):
    watched = Watched(state=state)
    watched.take_control()
    watched.pass_time(5.0)
    assert watched.sent == [] and len(watched.warned) == 1


@pytest.mark.parametrize("on_loss", ["neutral", "park"])
def test_a_stopped_platform_stays_stopped_and_the_message_says_so(on_loss):
    watched = Watched(on_loss, "stopped")
    watched.take_control()
    watched.pass_time(10.0)
    assert watched.sent == []
    assert "stays stopped" in watched.warned[-1] and "neutral" not in watched.warned[-1] and "parks" not in watched.warned[-1]
