"""Are gap and time to collision of two rectangles those of their motion?"""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.triggers.bodies import Body, gap, time_to_collision


def body(x, y, yaw=0.0, v=(0.0, 0.0), size=(4.0, 2.0)):
    return Body(x, y, yaw, 0.5 * size[0], 0.5 * size[1], *v, (x, y))


def test_gaps_from_side_to_side_and_from_corner_to_corner():
    assert gap(body(0, 0), body(10, 0)) == pytest.approx(6.0)
    assert gap(body(0, 0), body(0, 5)) == pytest.approx(3.0)
    assert gap(body(0, 0), body(7, 6)) == pytest.approx(math.hypot(3.0, 4.0))
    assert gap(body(0, 0), body(10, 0, yaw=math.pi / 4)) == pytest.approx(10.0 - 2.0 - 3.0 / math.sqrt(2.0))
    assert gap(body(0, 0), body(3.9, 1.9)) == 0.0


def test_times_to_collision_behind_beside_and_across():
    assert time_to_collision(body(0, 0, v=(15.0, 0.0)), body(34, 0, v=(5.0, 0.0))) == pytest.approx(3.0)
    assert time_to_collision(body(0, 0, v=(15.0, 0.0)), body(34, 3, v=(5.0, 0.0))) == math.inf, "it passes beside"
    assert time_to_collision(body(0, 0, v=(5.0, 0.0)), body(34, 0, v=(15.0, 0.0))) == math.inf, "it drives away"
    walker = body(32, -7, yaw=math.pi / 2, v=(0.0, 2.0), size=(0.5, 0.5))
    assert time_to_collision(body(0, 0, v=(10.0, 0.0)), walker) == pytest.approx(2.975), (
        "the front meets a person who is in the way by then"
    )
    assert time_to_collision(body(0, 0, v=(20.0, 0.0)), walker) == math.inf, "the car has passed before"
    assert time_to_collision(body(0, 0), body(1, 0)) == 0.0


def points(one, t):
    """Return points of the outline of a body at a time, densely."""
    u = np.linspace(-1.0, 1.0, 21)
    edges = np.concatenate([np.column_stack((u, s + 0 * u)) for s in (-1, 1)] + [np.column_stack((s + 0 * u, u)) for s in (-1, 1)])
    local = edges * (one.half_length, one.half_width)
    c, s = math.cos(one.yaw), math.sin(one.yaw)
    return local @ np.array(((c, s), (-s, c))) + (one.x + one.v_x * t, one.y + one.v_y * t)


def overlap(a, b, t):
    """Return whether a point of the outline of one body is inside the other one at a time."""
    for one, other in ((a, b), (b, a)):
        c, s = math.cos(other.yaw), math.sin(other.yaw)
        away = points(one, t) - (other.x + other.v_x * t, other.y + other.v_y * t)
        ahead, left = away @ (c, s), away @ (-s, c)
        if ((abs(ahead) < other.half_length) & (abs(left) < other.half_width)).any():
            return True
    return False


@pytest.mark.parametrize("seed", range(12))
def test_the_time_to_collision_is_that_of_moving_outlines(seed):
    random = np.random.default_rng(seed)

    def some(x):
        size = random.uniform(0.5, 5.0, 2)
        return body(x, random.uniform(-6, 6), random.uniform(-4, 4), random.uniform(-8, 8, 2), size)

    a, b = some(0.0), some(10.0)
    assert gap(a, b) == pytest.approx(np.linalg.norm(points(a, 0)[:, None] - points(b, 0)[None], axis=2).min(), abs=0.2)
    found = time_to_collision(a, b)
    until = min(found, 6.0)
    assert not any(overlap(a, b, t) for t in np.linspace(0.0, until - 1e-6, 60))
    if found < 6.0:
        assert any(overlap(a, b, found + more) for more in np.linspace(0.0, 0.5, 50)), "they touch then"
