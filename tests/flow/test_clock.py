"""Does the clock keep its deadlines, make up for small delays and give up large ones, and does it say so?"""

from __future__ import annotations

import pytest

from simulator import clock as module
from simulator.clock import CATCH_UP, Clock

H = 1e-3


class Wall:
    """A wall clock that only moves when somebody sleeps, looks (a microsecond) or is held up."""

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
