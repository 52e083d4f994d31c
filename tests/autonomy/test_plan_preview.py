"""Preview from a plan: is the force that of the path and the speeds, and does no plan, state or slow thread harm a tick?"""

import threading
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from simulator.autonomy import plan_preview
from simulator.autonomy.goal_driver import GoalDriver
from simulator.autonomy.plan_follower import RESPONSE, Course
from simulator.autonomy.plan_preview import SPARE, PlanPreview
from simulator.base.records import record
from simulator.driver.internal_model import InternalModel
from simulator.driver.path import Path, Segment
from vehicles.readout import READOUT

G = 9.80665
STEP, POINTS = 0.02, 100
BEHIND = InternalModel().rear_point - InternalModel().front_axle
"""m. The point without sideslip behind B."""
MODEL = replace(InternalModel(), front_axle=InternalModel().front_axle + BEHIND)
LIMIT = 3.0
"""m/s2. Largest change of the demanded speed."""


class Following(GoalDriver):
    """Driver to a goal that has a course, or none."""

    course = None

    def __init__(self):
        """Without mapper and planner."""


def course(speed, radius=None, **changes):
    """A path of 200 m that begins at the point without sideslip, driven at one speed."""
    path = Path.of_segments([Segment(length=200.0, radius=radius)] if radius else [Segment(length=200.0)])
    kappa = 1.0 / radius if radius else 0.0
    angle = (MODEL.turning_length + MODEL.understeer * speed**2) * kappa
    whole = Course(path.line, np.array([0.0, 200.0]), np.full(2, speed), 0.0, np.inf, speed, angle, 0.0, LIMIT, LIMIT, 1.0, MODEL, BEHIND)
    return whole._replace(**changes)


def readout(speed, rate=0.0):
    """The vehicle in a steady turn, with the point without sideslip at the start of the path and its velocity along the path."""
    seen = record(READOUT)
    now = seen[0]
    yaw = MODEL.rear_slip * speed * rate
    now["p_WB"][:2], now["yaw"], now["v_WB_B"][0], now["w_WB_B"][2] = (BEHIND * np.cos(yaw), BEHIND * np.sin(yaw)), yaw, speed, rate
    now["f_H_B"] = 0.0, speed * rate, G
    return seen


class Ride:
    """A preview in calls every STEP."""

    def __init__(self, plan, seen, clock=None, points=POINTS):
        self.driver = Following()
        self.driver.course = plan
        self.session = SimpleNamespace(driver=self.driver, readout=seen, clock=clock)
        self.preview = PlanPreview(self.session, 0.0, G, STEP, points)
        self.force, self.rate, self.time = np.zeros((points, 3)), np.zeros((points, 3)), 0.0

    def call(self, times=1):
        """Return the number of points of the last one of some calls."""
        for _ in range(times):
            count = self.preview.predict(self.time, self.force, self.rate)
            self.time += STEP
        assert np.isfinite(self.force[:count]).all()
        assert np.isfinite(self.rate[:count]).all()
        return count


@pytest.fixture
def ride():
    made = []

    def make(*args, **more):
        made.append(Ride(*args, **more))
        return made[-1]

    yield make
    for one in made:
        one.preview.close()


def test_a_straight_at_one_speed_has_no_force(ride):
    one = ride(course(12.0), readout(12.0))
    assert one.call(2) == POINTS
    assert one.force == pytest.approx(np.tile([0.0, 0.0, G], (POINTS, 1)), abs=1e-9)
    assert one.rate == pytest.approx(np.zeros((POINTS, 3)), abs=1e-9)


@pytest.mark.parametrize("speed", [4.0, 12.0])
def test_a_circle_has_the_force_of_its_curvature(ride, speed):
    radius = 40.0
    one = ride(course(speed, radius), readout(speed, speed / radius))
    assert one.call(2) == POINTS
    assert one.force[:, 1] == pytest.approx(np.full(POINTS, speed**2 / radius), rel=0.02)
    assert one.rate[:, 2] == pytest.approx(np.full(POINTS, speed / radius), rel=0.02)


def test_a_turn_begins_where_the_path_does(ride):
    """At 10 m/s; half of the yaw rate when the point without sideslip, and not B, is in the middle of the transition."""
    path = Path.of_segments([Segment(length=10.0), Segment(length=100.0, radius=50.0, transition=2.0)])
    one = ride(course(10.0, line=path.line), readout(10.0))
    one.call(2)
    half = STEP * (2 + int(np.argmax(one.rate[:, 2] > 0.5 * 10.0 / 50.0)))  # the roll-out began one call before
    assert half == pytest.approx(1.1, abs=0.08)  # the middle of the transition is 11 m ahead; B would be there after 0.94 s


def test_a_stop_decelerates_as_planned_and_ends_at_rest(ride):
    speed = 8.0
    stop = speed**2 / (2.0 * LIMIT) + speed * RESPONSE
    one = ride(course(speed, stop=stop), readout(speed), points=300)
    one.call(2)
    surge = one.force[:, 0]
    assert surge[35:100] == pytest.approx(np.full(65, -LIMIT), rel=0.1)
    assert surge[-1] == pytest.approx(0.0, abs=0.05)
    speeds = speed + np.cumsum(surge) * STEP
    assert speeds[-1] == pytest.approx(0.0, abs=0.1)
    assert speeds.sum() * STEP == pytest.approx(stop, rel=0.05)


@pytest.mark.parametrize("field", ["f_H_B", "v_WB_B", "p_WB", "w_WB_B", "yaw"])
def test_a_state_that_is_not_finite_gives_none_and_is_forgotten(ride, field):
    one = ride(course(12.0), readout(12.0))
    assert one.call(3) == POINTS
    one.session.readout[0][field] = np.nan
    assert one.call(3) == 0
    one.session.readout = readout(12.0)
    assert one.call(2) == POINTS
    assert not one.preview.trouble


@pytest.mark.parametrize("wrong", ["speeds", "stations", "points"])
def test_a_plan_that_is_not_finite_gives_none(ride, wrong):
    plan = course(12.0)
    if wrong == "points":
        plan = plan._replace(line=plan.line._replace(points=np.full_like(plan.line.points, np.nan)))
    else:
        plan = plan._replace(**{wrong: np.full(2, np.nan)})
    one = ride(plan, readout(12.0))
    assert one.call(3) == 0
    one.driver.course = course(12.0)
    assert one.call(2) == POINTS


def test_without_a_plan_forward_there_is_none(ride):
    one = ride(None, readout(12.0))
    assert one.call(3) == 0
    one.driver.course = course(12.0)
    assert one.call(2) == POINTS
    one.driver.course = None
    assert one.call() == 0
    one.driver.course, one.session.readout = course(12.0), readout(-1.0)
    assert one.call(3) == 0
    one.session.readout = readout(12.0)
    assert one.call(2) == POINTS
    one.session.driver = object()
    assert one.call() == 0


def test_a_slow_roll_out_neither_delays_a_tick_nor_gets_old(ride, monkeypatch):
    """While the thread waits, the calls return, and the last roll-out ends."""
    begun, go_on = threading.Event(), threading.Event()
    rolled = plan_preview.roll_out
    one = ride(course(12.0), readout(12.0), clock=object())
    one.call()
    one.preview._thread.settle()

    def slow(*args):
        begun.set()
        assert go_on.wait(60.0)
        rolled(*args)

    monkeypatch.setattr(plan_preview, "roll_out", slow)
    monkeypatch.setattr(one.preview._thread, "_budget", 1000.0)
    assert one.call() == POINTS
    assert begun.wait(60.0)
    counts = [one.call() for _ in range(POINTS + SPARE)]
    assert counts[0] == POINTS
    assert counts[-1] == 0
    assert (np.diff(counts) <= 0).all()
    go_on.set()
    one.preview._thread.settle()
    one.call()
    one.preview._thread.settle()
    assert one.call() == POINTS
    assert not one.preview.trouble


def test_without_a_clock_a_drive_has_the_same_bits(ride, monkeypatch):
    """One with a thread that is slow now and then."""

    def driven():
        one, found = ride(course(12.0, 40.0), readout(12.0, 0.3)), []
        for n in range(25):
            one.session.readout[0]["v_WB_B"][0] -= 0.02
            one.session.readout[0]["f_H_B"][1] += 0.1 * np.sin(n)
            found.append((one.call(), one.force.copy(), one.rate.copy()))
        return found

    first = driven()
    rolled, calls = plan_preview.roll_out, iter(range(1000))

    def slow(*args):
        if next(calls) % 7 == 3:
            threading.Event().wait(0.05)
        rolled(*args)

    monkeypatch.setattr(plan_preview, "roll_out", slow)
    for (n, force, rate), (m, other, turned) in zip(first, driven(), strict=True):
        assert n == m
        assert np.array_equal(force, other)
        assert np.array_equal(rate, turned)
    assert first[-1][0] == POINTS
