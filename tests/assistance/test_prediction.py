"""Are times to a collision and necessary decelerations those of closed forms and of a step by step motion?"""

from __future__ import annotations

import math

import pytest

from simulator.assistance.prediction import OWN, assess, needed, targets
from simulator.base.records import record


def assessed(speed, x, y=0.0, v=(0.0, 0.0), half=(2.0, 0.9), deceleration=0.0, curvature=0.0, steering=None):
    """Row of TARGET of an object at x, y [m] from a car that is 4 m long and 1.8 m wide, without margins."""
    own, rows = record(OWN), targets(1)
    o, t = own[0], rows[0]
    o["speed"], o["front"], o["rear"], o["half_width"], o["lane"] = speed, 2.0, 2.0, 0.9, 1.1
    o["curvature"] = curvature, curvature if steering is None else steering
    t["p_W"], t["axis_W"], t["half"], t["v_W"], t["deceleration"] = (x, y), (1.0, 0.0), half, v, deceleration
    assess(own, rows, 1.2)
    return t


@pytest.mark.parametrize("speed", [5.0, 14.0, 22.0])
def test_a_standing_object_needs_the_speed_squared_over_twice_the_distance(speed):
    t = assessed(speed, 24.0)
    assert t["gap"] == pytest.approx(20.0) and t["path_speed"] == 0.0
    assert t["collision_time"] == pytest.approx(20.0 / speed, abs=0.005)
    assert t["required"] == pytest.approx(speed**2 / 40.0, rel=0.01)
    assert t["warned"] == pytest.approx(speed**2 / (2.0 * max(20.0 - 1.2 * speed, 0.05)), rel=0.02)


def test_a_slower_object_needs_the_closing_speed_only():
    t = assessed(20.0, 34.0, v=(12.0, 0.0))
    assert t["collision_time"] == pytest.approx(30.0 / 8.0, abs=0.005) and t["required"] == pytest.approx(64.0 / 60.0, rel=0.01)


@pytest.mark.parametrize(
    ("speed", "other", "braking", "room"), [(14, 14, 6, 12), (14, 14, 2, 40), (20, 10, 3, 15), (25, 20, 8, 30), (12, 11, 1, 3)]
)
def test_with_the_necessary_deceleration_the_car_just_touches_a_braking_object(speed, other, braking, room):
    """Both brake at a constant rate to rest; the least gap over the time is 0."""
    own = needed(float(speed), float(other), float(braking), float(room))
    gap, low, v, u, dt = float(room), math.inf, float(speed), float(other), 1e-4
    for _ in range(400_000):
        gap += dt * (u - v)
        v, u = max(v - dt * own, 0.0), max(u - dt * braking, 0.0)
        low = min(low, gap)
        if v == 0.0:
            break
    assert low == pytest.approx(0.0, abs=0.01)


def test_what_crosses_in_time_is_met_and_what_crosses_later_is_not():
    met = assessed(10.0, 22.2, -3.0, v=(0.0, 1.5), half=(0.2, 0.25))
    assert 1.9 < met["collision_time"] < 2.1 and met["required"] == pytest.approx(100.0 / (2.0 * 20.0), rel=0.05)
    assert assessed(10.0, 22.2, -9.0, v=(0.0, 1.5), half=(0.2, 0.25))["collision_time"] == math.inf
    assert math.isinf(met["gap"])


def test_what_comes_towards_the_car_or_stands_beside_it_does_not_count():
    assert assessed(10.0, 40.0, v=(-10.0, 0.0))["collision_time"] == math.inf
    assert assessed(10.0, 20.0, 2.0)["collision_time"] == math.inf and math.isinf(assessed(10.0, 20.0, 2.1)["gap"])


def test_on_an_arc_the_object_on_the_arc_counts():
    radius, angle = 50.0, 0.6
    x, y = radius * math.sin(angle), radius * (1.0 - math.cos(angle))
    t = assessed(10.0, x, y, half=(0.3, 0.3), curvature=1.0 / radius)
    assert t["gap"] == pytest.approx(radius * angle - 2.0, abs=0.5) and t["collision_time"] == pytest.approx(2.8, abs=0.1)
    assert assessed(10.0, 30.0, half=(0.3, 0.3), curvature=1.0 / radius)["collision_time"] == math.inf


def test_a_driver_who_steers_away_does_not_meet_it():
    assert assessed(10.0, 30.0, half=(0.5, 0.5))["collision_time"] < 3.0
    assert assessed(10.0, 30.0, half=(0.5, 0.5), steering=0.03)["collision_time"] == math.inf
