"""Does any hostile request drive a leg beyond its stroke, speed, acceleration or jerk? Checked by finite differences of the legs."""

import numpy as np
import pytest
from cueing_scenes import H, platform, platform_mapping, worst_jerk, worst_jerk_by_clock, worst_use, worst_use_by_clock
from hypothesis import given, settings
from hypothesis import strategies as st

from washout.limiter.limiter import brake_step, limit_step, limiter
from washout.platform import hexapod, leg_lengths


def without_jerk(name):
    """The platform as one whose file has no leg_jerk."""
    mapping = platform_mapping(name)
    del mapping["leg_jerk"]
    return hexapod(mapping, name)


PLATFORMS = {
    **{name: platform(name) for name in ("small_hexapod", "simona")},
    "small_hexapod without jerk": without_jerk("small_hexapod"),
}
ROUNDING = 1e-6


def drive(p, s, demands, h=H):
    legs, poses = [s[0]["legs"].copy()], []
    for demand in demands:
        limit_step(p, s, demand, h)
        legs.append(s[0]["legs"].copy())
        poses.append(s[0]["pose"].copy())
    return np.array(legs), np.array(poses)


def assert_inside(p, legs, h=H):
    assert np.isfinite(legs).all()
    stroke, speed, acceleration = worst_use(p, legs, h)
    assert stroke <= 1.0
    assert speed <= 1.0 + ROUNDING
    assert acceleration <= 1.0 + ROUNDING
    assert worst_jerk(p, legs, h) <= 1.0 + ROUNDING


numbers = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.floats(-0.5, 0.5),
    st.sampled_from([0.0, 1e30, -1e30, 1e308, 5e-324, np.nan, np.inf, -np.inf, 0.2, -0.2]),
)
moves = st.lists(st.tuples(st.lists(numbers, min_size=6, max_size=6), st.integers(1, 150)), min_size=1, max_size=12)


@pytest.mark.parametrize("name", sorted(PLATFORMS))
@settings(max_examples=120, deadline=None)
@given(moves=moves, h=st.sampled_from([1e-3, 4e-3, 1 / 60]))
def test_any_numbers_held_for_any_time(name, moves, h):
    p = PLATFORMS[name]
    s = limiter(p)
    demands = np.repeat(np.array([m[0] for m in moves], dtype=float), [m[1] for m in moves], axis=0)
    legs, poses = drive(p, s, demands, h)
    assert_inside(p, legs, h)
    again = np.zeros(6)
    leg_lengths(p, poses[-1], again)
    assert again == pytest.approx(legs[-1], abs=1e-12)


@pytest.mark.parametrize("name", sorted(PLATFORMS))
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**31), size=st.floats(1e-3, 3.0), frequency=st.floats(0.05, 40.0))
def test_fast_and_large_waves(name, seed, size, frequency):
    p = PLATFORMS[name]
    rng = np.random.default_rng(seed)
    t = np.arange(3000)[:, None] * H
    demands = size * rng.uniform(0, 1, 6) * np.sin(2 * np.pi * frequency * rng.uniform(0.5, 2, 6) * t + rng.uniform(0, 6, 6))
    legs, _ = drive(p, limiter(p), demands)
    assert_inside(p, legs)


@pytest.mark.parametrize("name", sorted(PLATFORMS))
def test_noise_from_all_directions(name):
    p = PLATFORMS[name]
    rng = np.random.default_rng(2)
    for size in (0.01, 0.3, 1e3, 1e150):
        legs, _ = drive(p, limiter(p), size * rng.normal(size=(4000, 6)))
        assert_inside(p, legs)


@pytest.mark.parametrize("name", sorted(PLATFORMS))
def test_a_demand_within_the_limits_is_obeyed_exactly(name):
    p = PLATFORMS[name]
    t = np.arange(8000)[:, None] * H
    u = np.minimum(1.0, t)
    demands = np.sin(2 * np.pi * 0.5 * t) * np.array([0.03, 0.03, 0.02, 0.03, 0.03, 0.03]) * u**3 * (10.0 - 15.0 * u + 6.0 * u * u)
    s = limiter(p, np.zeros(6))
    _, poses = drive(p, s, demands)
    assert np.abs(poses - demands).max() == 0.0
    assert s[0]["limited"] == 0


@pytest.mark.parametrize("name", sorted(PLATFORMS))
def test_teleports_arrive_without_overshoot_or_jam(name):
    """After each jump the platform comes to rest at the demand, or where the line to neutral meets the cushions."""
    p = PLATFORMS[name]
    rng = np.random.default_rng(11)
    scale = (p[0]["longest_leg"] - p[0]["shortest_leg"]) * np.array([1, 1, 1, 1, 1, 1])
    s = limiter(p)
    for _ in range(60):
        demand = rng.uniform(-1, 1, 6) * scale
        legs, poses = drive(p, s, np.tile(demand, (4000, 1)))
        assert_inside(p, legs)
        assert poses[-1] == pytest.approx(s[0]["target"], abs=1e-9)
        assert np.cross(demand[:3], poses[-1][:3]) == pytest.approx(np.zeros(3), abs=1e-9)


def test_a_step_inside_the_stroke_settles_fast_and_does_not_overshoot():
    p = PLATFORMS["small_hexapod"]
    demand = np.array([0.1, 0, 0, 0, 0, 0])
    _, poses = drive(p, limiter(p, np.zeros(6)), np.tile(demand, (1000, 1)))
    assert poses[:, 0].max() <= 0.1 + p[0]["leg_jerk"] * H**3, "no more than the grain of a tick"
    assert poses[400, 0] == pytest.approx(0.1, abs=1e-4)


def test_braking_stops_within_the_limits_from_full_speed():
    p = PLATFORMS["small_hexapod"]
    s = limiter(p, np.zeros(6))
    legs, _ = drive(p, s, np.tile([0.3, 0.1, 0.05, 0.2, 0.1, 0.3], (120, 1)))
    assert np.abs(s[0]["leg_speed"]).max() > 0.2
    rows = list(legs)
    for _ in range(400):
        brake_step(p, s, H)
        rows.append(s[0]["legs"].copy())
    assert_inside(p, np.array(rows))
    assert np.abs(s[0]["rates"]).max() == 0.0


def test_numbers_that_are_none_hold_the_last_target():
    p = PLATFORMS["small_hexapod"]
    s = limiter(p, np.zeros(6))
    drive(p, s, np.tile([0.05, 0, 0, 0, 0, 0], (600, 1)))
    bad = np.tile([0.0, np.nan, 0, 0, np.inf, 0], (300, 1))
    _, poses = drive(p, s, bad)
    assert poses[-1] == pytest.approx([0.05, 0, 0, 0, 0, 0], abs=1e-6)
    assert s[0]["refused"] == 300


uneven_moves = st.lists(st.tuples(st.lists(numbers, min_size=6, max_size=6), st.integers(1, 60)), min_size=1, max_size=12)
lengths = st.one_of(st.floats(5e-4, 0.05), st.sampled_from([1e-3, 4e-3, 0.05]))


@pytest.mark.parametrize("name", sorted(PLATFORMS))
@settings(max_examples=100, deadline=None)
@given(moves=uneven_moves, steps=st.lists(st.tuples(lengths, st.booleans()), min_size=1, max_size=40), stall=st.floats(0.05, 20.0))
def test_steps_of_any_length(name, moves, steps, stall):
    """Steps as a busy machine gives them, now and then one along the stop plan, as after the process was held up for `stall`."""
    p = PLATFORMS[name]
    s = limiter(p)
    times, legs = [0.0], [s[0]["legs"].copy()]
    demands = np.repeat(np.array([m[0] for m in moves], dtype=float), [m[1] for m in moves], axis=0)
    for k, demand in enumerate(demands):
        h, stalled = steps[k % len(steps)]
        h = stall if stalled and k % 7 == 0 else h
        if h == stall:
            brake_step(p, s, h)
        else:
            limit_step(p, s, demand, h)
        times.append(times[-1] + h)
        legs.append(s[0]["legs"].copy())
    stroke, speed, acceleration = worst_use_by_clock(p, np.array(times), np.array(legs))
    assert stroke <= 1.0
    assert speed <= 1.0 + ROUNDING
    assert acceleration <= 1.0 + 1e-4
    assert worst_jerk_by_clock(p, np.array(times), np.array(legs)) <= 1.0 + 1e-3


def test_a_long_step_along_the_stop_plan_does_not_move():
    """Held up for longer than it takes to stop, the platform stands where it was."""
    p = PLATFORMS["small_hexapod"]
    s = limiter(p, np.zeros(6))
    drive(p, s, np.tile([0.3, 0.1, 0.05, 0.2, 0.1, 0.3], (120, 1)))
    before = s[0]["pose"].copy()
    brake_step(p, s, 10.0)
    assert (s[0]["pose"] == before).all()
    assert not s[0]["rates"].any()
    limit_step(p, s, np.array([0.3, 0.1, 0.05, 0.2, 0.1, 0.3]), H)
    assert np.abs(s[0]["leg_speed"]).max() <= p[0]["leg_acceleration"] * H, "the stall does not count as time to accelerate in"


def test_a_short_step_after_a_long_one_brakes_as_much_as_the_plan_has_it():
    """Long and short steps in turn towards the end of the stroke: the sum of the steps must not pass the end of the plan."""
    p = PLATFORMS["small_hexapod"]
    s = limiter(p)
    for k in range(40):
        limit_step(p, s, np.array([-1.0, 0.0, 0.0, -0.375, -0.1875, 1.0]), (0.046875, 0.0078125)[k % 2])
        assert s[0]["legs"].min() >= p[0]["shortest_leg"]
        assert s[0]["legs"].max() <= p[0]["longest_leg"]
