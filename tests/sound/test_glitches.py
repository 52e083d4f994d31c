"""Does the counter of glitches count the gaps of a device, and nothing else?"""

from __future__ import annotations

import numpy as np

from simulator.sound.player import PERIOD_MS, PERIODS, Glitches
from simulator.sound.signals import BLOCK, RATE

PERIOD = PERIOD_MS / 1000.0


def calls(glitches, times, work=0.0005, frames=BLOCK):
    for time in times:
        glitches.note(time, time + work, frames)
    return glitches.count


def on_time(count, rate=1.0):
    """Times of the calls of a device that fills its buffer first; rate : speed of its clock."""
    return np.maximum(np.arange(count) - PERIODS + 1, 0) * PERIOD / rate


def test_a_device_in_time_has_no_glitch():
    assert calls(Glitches(PERIODS), on_time(3000)) == 0


def test_random_lateness_within_the_buffer_is_no_glitch():
    late = np.random.default_rng(2).uniform(0.0, 0.9 * (PERIODS - 2) * PERIOD, 3000)
    assert calls(Glitches(PERIODS), on_time(3000) + late) == 0


def test_a_clock_that_is_slightly_wrong_makes_no_glitch():
    for rate in (1.0002, 0.9998):
        assert calls(Glitches(PERIODS), on_time(60_000, rate)) == 0


def test_each_gap_counts_once():
    times = on_time(3000)
    times[1000:] += 0.1
    times[2000:] += 0.2
    assert calls(Glitches(PERIODS), times) == 2


def test_a_block_that_takes_too_long_is_a_gap():
    glitches = Glitches(PERIODS)
    calls(glitches, on_time(100))
    glitches.note(on_time(101)[-1], on_time(101)[-1] + PERIODS * PERIOD, BLOCK)
    assert glitches.count == 1
    assert RATE * PERIOD == BLOCK
