"""Does the view follow keys, mouse and stick, and does it return to the front?"""

from __future__ import annotations

import math

import pytest

from simulator.view.look_around import LIMITS, LOOK_KEYS, STICK, LookAround

REST = (0.0, 0.0)


def test_keys_turn_the_view_while_they_are_down():
    look = LookAround()
    look.press("look_left")
    assert look.target(REST) == (LOOK_KEYS["look_left"], 0.0) and LOOK_KEYS["look_left"] > 0.0
    look.press("look_right")
    assert look.target(REST) == REST
    look.release("look_left")
    assert look.target(REST)[0] == LOOK_KEYS["look_right"] < 0.0
    look.release("look_right")
    assert look.target(REST) == REST


def test_a_drag_turns_the_view_until_the_button_is_released():
    look = LookAround()
    look.drag(-100.0, 40.0)
    left, up = look.target(REST)
    assert left > 0.0 and up > 0.0
    look.let_go()
    assert look.target(REST) == REST


def test_a_stick_turns_the_view():
    assert LookAround().target((1.0, -1.0)) == (STICK[0], -STICK[1])


def test_the_view_stays_in_its_limits_and_ignores_what_is_no_number():
    look = LookAround()
    look.press("look_back")
    look.drag(-1e6, 1e6)
    assert look.target((1.0, 1.0)) == LIMITS
    assert LookAround().target((math.nan, math.inf)) == REST


@pytest.mark.parametrize("action", LOOK_KEYS)
def test_the_view_returns_when_the_window_loses_the_focus(action):
    look = LookAround()
    look.press(action)
    look.drag(50.0, 0.0)
    look.release_all()
    assert look.target(REST) == REST
