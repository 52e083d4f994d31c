"""Does the clock meet its deadlines, catch up after short delays, skip long ones, and report them?"""

from __future__ import annotations

import json
import math
import sys

import numpy as np
import pytest

from simulator import clock as module
from simulator.clock import CATCH_UP, Clock, Lateness, lateness_text

H = 1e-3


class Wall:
    """A wall clock that advances only with a sleep, a reading (a microsecond) or a delay."""

    def __init__(self) -> None:
        self.now = 100.0

    def perf_counter(self) -> float:
        self.now += 1e-6
        return self.now

    def sleep(self, duration: float) -> None:
        self.now += duration


@pytest.fixture
def wall(monkeypatch):
    wall = Wall()
    monkeypatch.setattr(module, "time", wall)
    return wall


def test_ticks_come_at_their_absolute_times(wall):
    clock = Clock(H)
    clock.start()
    began = wall.now
    for n in range(2000):
        clock.wait()
        assert wall.now - began == pytest.approx(n * H, abs=10e-6)
    assert clock.overruns == 0 and clock.dropped == 0.0
    assert clock.real_time_factor == pytest.approx(1.0, rel=1e-3)
    assert clock.worst_lateness < 10e-6


def test_a_small_delay_is_made_up(wall):
    clock = Clock(H)
    clock.start()
    began = wall.now
    for n in range(100):
        clock.wait()
        if n == 50:
            wall.now += 3.5 * H
    assert wall.now - began == pytest.approx(99 * H, abs=10e-6)
    assert clock.overruns == 2, "the ticks 2.5 and 1.5 ms late; the third is late by less than one"
    assert clock.dropped == 0.0
    assert clock.worst_lateness == pytest.approx(2.5 * H, rel=0.01)


def test_a_large_delay_is_given_up_and_counted(wall):
    clock = Clock(H)
    clock.start()
    began = wall.now
    stall = 10 * CATCH_UP * H
    for n in range(100):
        clock.wait()
        if n == 50:
            wall.now += stall
    assert clock.overruns == 1
    assert clock.dropped == pytest.approx(stall - H, rel=0.01)
    assert wall.now - began == pytest.approx(99 * H + clock.dropped, abs=10e-6)


def test_lateness_is_counted_in_the_bins_that_are_shown():
    lateness = Lateness()
    for late in (0.0, 1e-7, 0.1e-3, 0.11e-3, 0.2e-3, 0.4e-3, 0.9e-3, 1.0e-3, 1.5e-3, 4e-3, 9e-3, 10e-3, 10.1e-3, 3600.0):
        lateness.add(late)
    assert [count for _, count in lateness.bins()] == [3, 2, 1, 2, 1, 1, 2, 2]
    assert [end for end, _ in lateness.bins()] == [0.1e-3, 0.2e-3, 0.5e-3, 1e-3, 2e-3, 5e-3, 10e-3, math.inf]
    assert lateness.count == 14
    assert lateness.worst == 3600.0


def test_quantiles_of_lateness_are_right_within_ten_percent():
    late = np.random.default_rng(1).lognormal(math.log(60e-6), 1.2, 20_000)
    lateness = Lateness()
    for value in late.tolist():
        lateness.add(value)
    for share in (0.5, 0.9, 0.99, 0.999):
        assert lateness.quantile(share) == pytest.approx(np.quantile(late, share), rel=0.11)
    assert lateness.quantile(1.0) == late.max()
    assert Lateness().quantile(0.99) == 0.0


def test_lateness_takes_no_more_memory_for_more_ticks():
    one, many = Lateness(), Lateness()
    one.add(1e-3)
    for n in range(20_000):
        many.add(1e-6 * n)
    assert len(many._counts) == len(one._counts)
    assert sum(map(sys.getsizeof, vars(many).values())) == pytest.approx(sum(map(sys.getsizeof, vars(one).values())), abs=64)


def test_lateness_can_be_read_by_people_and_by_programs():
    lateness = Lateness()
    for late in (20e-6, 30e-6, 300e-6, 40e-3):
        lateness.add(late)
    said = json.loads(json.dumps(lateness.to_json(), allow_nan=False))
    assert (said["ticks"], said["max_ms"]) == (4, 40.0)
    assert [b["ticks"] for b in said["bins"]] == [2, 0, 1, 0, 0, 0, 0, 1]
    first, ends, counts = lateness_text(said).splitlines()
    assert "p99.9 40.000 ms, max 40.000 ms" in first
    assert ends.split()[-1] == "more"
    assert counts.split() == ["ticks", "2", "0", "1", "0", "0", "0", "0", "1"]
    assert len(ends) == len(counts) <= 80


def test_the_clock_keeps_its_lateness_and_the_maximum_since_the_last_reading(wall):
    clock = Clock(H)
    clock.start()
    for n in range(100):
        clock.wait()
        if n == 50:
            wall.now += 3.5 * H
    assert clock.lateness.count == 100
    assert clock.recent_lateness == clock.lateness.worst == clock.worst_lateness
    clock.recent_lateness = 0.0
    clock.wait()
    assert clock.recent_lateness < 10e-6
    assert clock.worst_lateness == pytest.approx(2.5 * H, rel=0.01)
