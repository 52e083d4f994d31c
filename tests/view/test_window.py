"""Window in a separate process; needs a display and is skipped, visibly, without one."""

from __future__ import annotations

import time

import pytest

from simulator.view.gl_context import display_available
from simulator.view.key_bindings import ACTIONS
from simulator.view.launch import start_view_process
from simulator.view.shared_keys import KeyReader
from simulator.view.shared_state import MENU_PRESSES, ViewWriter, extras
from tests.view.scenes import geometry, hilly_terrain, readout


def wait(condition, seconds: float = 30.0) -> bool:
    end = time.perf_counter() + seconds
    while not condition() and time.perf_counter() < end:
        time.sleep(0.02)
    return bool(condition())


@pytest.fixture
def opened():
    if not display_available():
        pytest.skip("no display: neither DISPLAY nor WAYLAND_DISPLAY is set")
    block, keys = ViewWriter(), KeyReader()
    block.publish(readout(), extras())
    process = start_view_process(block.name, keys.name, hilly_terrain(), geometry(), "test")
    yield block, keys, process
    process.close(0.1)
    keys.close()


def test_window_draws_and_goes_when_the_host_leaves(opened):
    block, keys, process = opened
    assert wait(lambda: keys.frames > 3 or not process.alive) and process.alive, process.complaint
    block.close()
    assert wait(lambda: not process.alive, 10.0)
    assert process.complaint == "" and not keys.closed


def test_host_notices_a_window_that_was_killed(opened):
    block, keys, process = opened
    assert wait(lambda: keys.frames > 3 or not process.alive) and process.alive, process.complaint
    process._process.kill()
    assert wait(lambda: not process.alive, 10.0)
    block.publish(readout(), extras())
    assert process.complaint
    block.close()


def test_buttons_of_devices_open_the_menu_and_act_on_it(opened):
    block, keys, process = opened
    state = extras()

    def press(key):
        state[0]["menu_presses"][MENU_PRESSES.index(key)] += 1
        block.publish(readout(), state)

    press("MENU")
    assert wait(lambda: keys.frames > 3 or not process.alive) and process.alive, process.complaint
    assert not keys.in_menu, "it was pressed before the window opened"
    press("MENU")
    assert wait(lambda: keys.in_menu) and keys.taps("pause") == 1
    state[0]["paused"] = 1
    press("DOWN")
    frames = keys.frames
    assert wait(lambda: keys.frames > frames + 2)
    press("ENTER")
    assert wait(lambda: not keys.in_menu) and keys.taps("reset") == 1 and keys.taps("pause") == 1
    block.close()


def test_the_menu_leaves_the_pause_of_a_replay_of_the_last_seconds(opened):
    """The state of the replay is not paused, but the drive is."""
    block, keys, process = opened
    state = extras()
    state[0]["replays"] = 2
    block.publish(readout(), state)
    assert wait(lambda: keys.frames > 3 or not process.alive) and process.alive, process.complaint
    state[0]["menu_presses"][MENU_PRESSES.index("MENU")] += 1
    block.publish(readout(), state)
    assert wait(lambda: keys.in_menu) and keys.taps("pause") == 0
    block.close()


def test_every_key_has_a_meaning_the_host_knows():
    from simulator.view.shared_keys import KEYS

    assert {action.sent for action in ACTIONS} == {*KEYS, ""}
