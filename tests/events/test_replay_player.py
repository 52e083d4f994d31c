"""Player of a recorded drive, and the last seconds of a drive: do keys and time move the position as documented?"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from simulator.base.records import record
from simulator.host.replay_player import LEAD, SCRUB, STEP, Player
from simulator.outlets.last_seconds import PERIOD, SECONDS, LastSeconds
from simulator.run.recording import RecordedEvent
from simulator.view.shared_state import extras
from simulator.view.vehicle_states import VEHICLE
from vehicles.readout import READOUT

EVENTS = [RecordedEvent(20.0, "collision", "collision: cone"), RecordedEvent(40.0, "pause", "pause")]


class Keys:
    """Keys that are pressed once, or held."""

    def __init__(self, *taps: str, held: str = "", place: float | None = None) -> None:
        self._taps, self._held, self._place = list(taps), held, place

    def taps(self, key: str) -> int:
        count = self._taps.count(key)
        self._taps = [one for one in self._taps if one != key]
        return count

    def down(self, key: str) -> bool:
        return key == self._held

    def pointed(self) -> float | None:
        place, self._place = self._place, None
        return place


NONE = Keys()


def player(**more) -> Player:
    return Player(0.0, 60.0, events=EVENTS, **more)


def test_time_passes_at_the_speed():
    one = player()
    one.advance(1.0, NONE)
    one.advance(1.0, Keys("up"))
    one.advance(1.0, Keys("down", "down"))
    assert one.position == pytest.approx(1.0 + 2.0 + 0.5)
    for _ in range(9):
        one.advance(0.0, Keys("down"))
    assert one.speed == 0.125
    for _ in range(9):
        one.advance(0.0, Keys("up"))
    assert one.speed == 4.0


@pytest.mark.parametrize("key", ["pause", "space"])
def test_a_pause_stops_and_the_end_is_a_pause_from_which_it_begins_again(key):
    one = player()
    one.advance(1.0, Keys(key))
    assert one.paused and one.position == 0.0
    one.advance(1.0, Keys(key))
    assert one.position == 1.0
    one.advance(100.0, NONE)
    assert one.paused and one.position == 60.0
    one.advance(1.0, Keys(key))
    assert one.position == pytest.approx(1.0) and one.jumped


def test_arrows_move_and_scrub():
    one = player()
    one.paused = True
    one.advance(0.01, Keys("right"))
    assert one.position == STEP and one.jumped
    for _ in range(100):
        one.advance(0.01, Keys(held="right"))
    assert one.position == pytest.approx(STEP + SCRUB * 0.65, abs=0.2), "after the time of a press"
    one.advance(0.01, Keys("left", "left", "left", "left"))
    assert one.position == 0.0


def test_the_mouse_and_reset_go_to_a_place():
    one = player()
    one.paused = True
    one.advance(0.0, Keys(place=0.5))
    assert one.position == 30.0
    one.advance(0.0, Keys("reset"))
    assert one.position == 0.0


def test_jumps_lead_to_events():
    one = player()
    one.paused = True
    one.advance(0.0, Keys("washout_up"))
    assert one.position == 20.0 - LEAD and one.message == "collision: cone"
    one.advance(0.0, Keys("washout_up"))
    assert one.position == 40.0 - LEAD
    one.advance(0.0, Keys("washout_up"))
    assert one.position == 40.0 - LEAD and one.message == "no next event"
    one.advance(0.0, Keys("washout_down"))
    assert one.position == 20.0 - LEAD


def session_at(time: float, paused: bool = False, tick: int = 0) -> SimpleNamespace:
    readout = record(READOUT)
    readout[0]["time"] = time
    others = record(VEHICLE, 2)
    others["p_WB"][:, 0] = time
    return SimpleNamespace(readout=readout, paused=paused, waits=False, tick=tick, h=0.001, others=SimpleNamespace(states=others))


def filled(seconds: float) -> LastSeconds:
    last = LastSeconds(record(READOUT), extras())
    for k in range(round(seconds / 0.008) + 1):
        last.note(session_at(0.008 * k), extras(), 0)
    return last


def test_the_last_seconds_are_bounded_and_played_in_order():
    last, more = filled(50.0), extras()
    last.begin(50_000)
    assert last.plays and last.jumped
    first = last.show(session_at(50.0, True, 50_000), more)[0]["time"]
    assert last.vehicles["p_WB"][:, 0].tolist() == [first, first]
    assert 50.0 - first == pytest.approx(SECONDS, abs=2.0 * PERIOD)
    assert more[0]["replays"] == 2 and more[0]["replay_duration"] == pytest.approx(SECONDS)
    later = last.show(session_at(50.0, True, 60_000), more)[0]["time"]
    assert later - first == pytest.approx(10.0, abs=2.0 * PERIOD)
    present = session_at(50.0, True, 50_000 + round(1000.0 * SECONDS) + 20)
    assert last.show(present, more) is present.readout and not last.plays and last.jumped


def test_the_replay_ends_when_the_drive_continues():
    last, more = filled(5.0), extras()
    last.begin(5000)
    now = session_at(5.0, False, 5100)
    assert last.show(now, more) is now.readout and not last.plays


def test_a_jump_of_the_vehicle_is_a_cut():
    last, more = LastSeconds(record(READOUT), extras()), extras()
    for k in range(100):
        last.note(session_at(0.016 * k), extras(), int(k >= 50))
    last.begin(0)
    cuts = []
    for k in range(99):
        last.jumped = False
        last.show(session_at(1.6, True, 16 * k), more)
        cuts.append(last.jumped)
    assert np.flatnonzero(cuts).tolist() == [50]


def test_a_drive_without_states_has_no_replay():
    last = LastSeconds(record(READOUT), extras())
    last.begin(0)
    assert not last.plays
