"""Turn signals: lever, switch, end after a turn, and flashing."""

from __future__ import annotations

from itertools import pairwise

import pytest

from simulator.events.turn_signals import BOTH, LEFT, OFF, RIGHT, TurnSignals, is_lit


def test_a_second_press_ends_a_signal_and_another_one_replaces_it():
    signals = TurnSignals()
    for pressed, after in ((LEFT, LEFT), (RIGHT, RIGHT), (RIGHT, OFF), (BOTH, BOTH), (BOTH, OFF)):
        signals.switch(signals.after(pressed))
        assert signals.side == after


@pytest.mark.parametrize("side, way", [(LEFT, 1.0), (RIGHT, -1.0)])
def test_a_signal_ends_after_the_turn_to_its_side_and_not_before(side, way):
    signals = TurnSignals()
    signals.switch(side)
    for angle in (0.0, 0.5, -1.5, 0.2, 0.9):
        signals.follow(way * angle)
    assert signals.side == side, "a small turn, and one to the other side"
    for angle in (1.6, 0.5):
        signals.follow(way * angle)
    assert signals.side == side, "still in the turn"
    signals.follow(way * 0.1)
    assert signals.side == OFF


def test_hazard_lights_stay_on_in_a_turn():
    signals = TurnSignals()
    signals.switch(BOTH)
    for angle in (2.0, 0.0, -2.0, 0.0):
        signals.follow(angle)
    assert signals.side == BOTH


def test_lamps_flash_as_often_as_the_regulation_wants():
    """60 to 120 times a minute [UN Regulation 48]."""
    lit = [is_lit(0.001 * k) for k in range(60_000)]
    starts = sum(now and not before for before, now in pairwise(lit))
    assert 60 <= starts <= 120 and 0.3 < sum(lit) / len(lit) < 0.7
