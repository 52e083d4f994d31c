"""Is the plot of the platform on the axis of the simulated time, and does it show the limiter actions?"""

from __future__ import annotations

import numpy as np
import pytest
from cueing_scenes import platform

from simulator.virtual_platform.plot import DriveTime, History, on_the_drive, pauses, resets
from tests.motion.still_packet import still_packet
from washout.limiter.limiter import limiter

INTERVAL = 0.004


class Sender:
    """A drive and the history of a platform that hears of it, on a clock of their own that starts anywhere."""

    def __init__(self, largest: int = 20000) -> None:
        self.drive, self.history, self.limits = DriveTime(), History(largest), limiter(platform())
        self.now, self.time = 500.0, 0.0

    def go(self, seconds: float, run: bool = True, pace: float = 1.0, limited: bool = False) -> None:
        """So many seconds of the wall clock, in which the drive goes at `pace` times real time, if it runs."""
        for _ in range(round(seconds / INTERVAL)):
            self.now += INTERVAL
            self.time += INTERVAL * pace if run else 0.0
            self.drive.follow(still_packet(time=self.time, run=run, limited=limited, interval=INTERVAL * pace), self.now)
            self.history.add(self.now - 500.0, self.now, self.limits, self.drive)


def test_the_axis_is_the_time_of_the_drive_whatever_the_clock_of_the_wall_does():
    s = Sender()
    s.go(3.0, run=False)
    s.go(10.0, pace=0.5)
    s.go(2.0, run=False)
    s.go(4.0)
    s.go(5.0, run=False)
    table = s.history.table()
    times, went = on_the_drive(table)
    assert went == pytest.approx((0.0, 9.0), abs=0.005)
    ran = table["runs"] != 0
    assert times[ran] == pytest.approx(table["drive"][ran])
    assert (np.diff(times) >= 0.0).all()
    assert times[0] == pytest.approx(-3.0, abs=0.01), "before it, the clock of the wall"
    assert times[-1] == pytest.approx(14.0, abs=0.01), "and after it"
    assert pauses(table) == [pytest.approx((5.0, 2.0), abs=0.01)]


def test_what_was_begun_again_goes_on_where_it_was():
    s = Sender()
    s.go(6.0)
    s.time = 0.0
    s.go(4.0)
    times, went = on_the_drive(s.history.table())
    assert went == pytest.approx((0.0, 10.0), abs=0.02)
    assert times[0] == pytest.approx(0.0, abs=0.02) and times[-1] == pytest.approx(10.0, abs=0.02)
    assert resets(s.history.table()) == [pytest.approx(6.0, abs=0.02)]


def test_a_drive_that_never_ran_and_times_that_are_none():
    s = Sender()
    s.go(1.0, run=False)
    assert on_the_drive(s.history.table())[1] is None
    assert on_the_drive(History().table())[1] is None
    s.drive.follow(still_packet(time=1e300, force=(1e300, 0.0, -1e300)), s.now)
    assert abs(s.drive.at(s.now)) < 10.0 and not s.drive.runs


def test_a_thinned_history_has_every_intervention_still():
    s = Sender(largest=100)
    for _ in range(20):
        s.go(0.4)
        s.go(INTERVAL, limited=True)
        s.limits[0]["limited"] = 1
        s.go(INTERVAL)
        s.limits[0]["limited"] = 0
    s.go(0.4)
    table = s.history.table()
    assert 50 <= len(table) < 100, "thinned, and by no more than that"
    assert (table["asked_limited"].sum(), table["own_limited"].sum()) == (20, 20), "none is lost, none is drawn wider"
