"""Legs with a jerk limit: is it satisfied in every situation of a drive, also between the ticks, without excessive margins?"""

import math

import numpy as np
import pytest
from cueing_scenes import (
    REST,
    STILL,
    H,
    cueing,
    engaged,
    hard_drive,
    platform_mapping,
    worst_jerk,
    worst_jerk_by_clock,
    worst_use,
    worst_use_by_clock,
)

from simulator.base.errors import ConfigError
from washout.limiter.limiter import KINDS, brake_step, interventions, interventions_text, limit_step, limiter
from washout.platform import hexapod, leg_lengths

ROUNDING = 1e-6


def gentle(name):
    """The platform as one whose legs take long for their acceleration, so that it is the jerk that they meet."""
    return hexapod({**platform_mapping(name), "leg_jerk": {"small_hexapod": 370.0, "simona": 630.0}[name]}, name)


def assert_kept(p, legs):
    assert np.isfinite(legs).all()
    assert max(*worst_use(p, legs), worst_jerk(p, legs)) <= 1.0 + ROUNDING


def hostile_input(rng, count):
    """(count, 3) specific force and (count, 3) rate: noise at 100 m/s2, jumps, waves, numbers that are none."""
    f, w = np.tile(REST, (count, 1)), np.zeros((count, 3))
    kind = rng.integers(6)
    if kind == 0:
        f += 100.0 * rng.normal(size=(count, 3))
        w += 20.0 * rng.normal(size=(count, 3))
    elif kind == 1:
        f += np.repeat(200.0 * rng.normal(size=(count // 50 + 1, 3)), 50, axis=0)[:count]
    elif kind == 2:
        f[rng.random(count) < 0.02] = np.nan
    elif kind == 3:
        f[:, rng.integers(3)] += 1e300
    elif kind == 4:
        f += rng.uniform(0, 30) * np.sin(rng.uniform(1, 300) * H * np.arange(count)[:, None] + rng.uniform(0, 6, 3))
        w += np.sin(rng.uniform(1, 300) * H * np.arange(count)[:, None] + rng.uniform(0, 6, 3))
    else:
        f += 10.0 * rng.normal(size=3)
    return f, w


def hostile_drive(motion, seed, count):
    """Legs (count + 1, 6) of a drive with pauses, resets, teleports, faults and the end of consent, which it mostly recovers from."""
    rng = np.random.default_rng(seed)
    legs = [motion.legs.copy()]
    while len(legs) <= count:
        f, w = hostile_input(rng, int(rng.integers(1, 1500)))
        run, event = rng.random() < 0.8, rng.random()
        if event < 0.2:
            motion.reset()
        elif event < 0.25:
            motion.procedure.trip()
        elif event < 0.3:
            motion.procedure.park()
        else:
            motion.procedure.acknowledge()
            motion.procedure.arm()
        for k in range(len(f)):
            motion.step(f[k], w[k], run, H)
            legs.append(motion.legs.copy())
    return np.array(legs)


@pytest.mark.parametrize(
    ("seed", "name", "platform_name"),
    [(1, "small_hexapod", "small_hexapod"), (2, "small_hexapod", "small_hexapod"), (3, "large_hexapod", "simona")],
)
def test_nothing_in_a_drive_breaks_it(seed, name, platform_name):
    motion = engaged(name, platform_name)
    legs = hostile_drive(motion, seed, 20000)
    assert_kept(motion.platform, legs)
    assert worst_use(motion.platform, legs)[0] > 0.6, "the drive is one that moves"


def hostile_demand(rng, count):
    """(count, 6) poses: noise, teleports, waves, walks, numbers that are none, of any size."""
    size, kind = 10.0 ** rng.uniform(-4.0, 0.5), rng.integers(6)
    if kind == 0:
        return size * rng.normal(size=(count, 6))
    if kind == 1:
        return np.tile(size * rng.normal(size=6), (count, 1))
    if kind == 2:
        return size * np.sin(10.0 ** rng.uniform(0.0, 3.0) * H * np.arange(count)[:, None] * rng.uniform(0.5, 2, 6) + rng.uniform(0, 6, 6))
    if kind == 3:
        return np.where(rng.random((count, 6)) < 0.02, np.nan, size * rng.normal(size=6))
    if kind == 4:
        return np.repeat(size * rng.normal(size=(count // 40 + 1, 6)), 40, axis=0)[:count]
    return 0.03 * size * rng.normal(size=(count, 6)).cumsum(axis=0)


@pytest.mark.parametrize("name", ["small_hexapod", "simona"])
@pytest.mark.parametrize("steps", ["even", "uneven"])
def test_no_demand_breaks_it(name, steps):
    """Ticks of one length, and of lengths as a busy machine gives them, with stalls; now and then along the stop curve."""
    p, rng = gentle(name), np.random.default_rng(4)
    s = limiter(p)
    times, legs = [0.0], [s[0]["legs"].copy()]
    while len(legs) <= 20000:
        demands, brakes = hostile_demand(rng, int(rng.integers(1, 1000))), rng.random() < 0.1
        for demand in demands:
            h = (
                H
                if steps == "even"
                else float(rng.choice([H, 10.0 ** rng.uniform(-3.3, -1.3), 10.0 ** rng.uniform(-1.3, 1.0)], p=[0.7, 0.29, 0.01]))
            )
            if brakes or h > 0.05:
                brake_step(p, s, h)
            else:
                limit_step(p, s, demand, h)
            times.append(times[-1] + h)
            legs.append(s[0]["legs"].copy())
    times, legs = np.array(times), np.array(legs)
    assert max(worst_use_by_clock(p, times, legs)) <= 1.0 + 1e-4
    assert worst_jerk_by_clock(p, times, legs) <= 1.0 + 1e-3
    assert np.abs(np.diff(legs, axis=0)).max() > 1e-4
    if steps == "even":
        assert_kept(p, legs)
        assert worst_jerk(p, legs) > 0.9, "what there is is used"


@pytest.mark.parametrize("name", ["small_hexapod", "simona"])
def test_the_stop_curve_keeps_the_limits_between_ticks_too(name):
    """The host is lost at any moment of a wild ride; the way to rest is looked at in steps of a tenth of a tick."""
    p, rng = gentle(name), np.random.default_rng(5)
    s = limiter(p)
    for _ in range(80):
        for demand in hostile_demand(rng, 60):
            limit_step(p, s, demand, H)
        lost, legs = s.copy(), []
        while lost[0]["stop_time"] > 0.0 or len(legs) < 20:
            brake_step(p, lost, 0.1 * H)
            legs.append(lost[0]["legs"].copy())
        legs = np.array([*legs, lost[0]["legs"], lost[0]["legs"]])
        assert max(worst_use(p, legs, 0.1 * H)) <= 1.0 + ROUNDING
        assert worst_jerk(p, legs, 0.1 * H) <= 1.0 + 1e-3, "beyond, rounding of lengths divided by h^3"
        assert len(legs) < 10000


def test_a_normal_drive_is_followed_as_if_there_were_no_such_limit():
    """Not timid: every pose of a hard drive is the one asked for, tick by tick."""
    motion = engaged()
    before = motion.readout[0]["interventions"].copy()
    for f in hard_drive(20000):
        motion.step(f, STILL, True, H)
        assert (motion.pose == motion.readout[0]["requested_pose"]).all()
    assert (motion.readout[0]["interventions"] == before).all()


@pytest.mark.parametrize(
    ("name", "platform_name"),
    [
        ("small_hexapod", "small_hexapod"),
        ("small_hexapod_adaptive", "small_hexapod"),
        ("large_hexapod", "simona"),
        ("large_hexapod_adaptive", "simona"),
    ],
)
def test_the_requested_pose_has_no_kicks(name, platform_name):
    """Corners, braking, and now and then a blow of 2 m/s2 along every axis from one tick to the next, as a tire at an edge gives it: legs could follow
    what the washout asks for by their jerk, also while its tilt meets its rate. Whether the limiter acts for what was before is another matter."""
    motion = engaged(name, platform_name)
    p, rng = motion.platform, np.random.default_rng(8)
    drive = hard_drive(15000)
    drive += np.repeat(2.0 * rng.choice([-1.0, 0.0, 1.0], size=(len(drive) // 300, 3)), 300, axis=0)
    asked = np.empty((len(drive), 6))
    for k, f in enumerate(drive):
        motion.step(f, STILL, True, H)
        leg_lengths(p, motion.readout[0]["requested_pose"], asked[k])
    jerk = np.abs(np.diff(asked, 3, axis=0)).max(axis=1) / H**3
    assert np.mean(jerk > p[0]["leg_jerk"]) < 0.02
    assert jerk.max() < 3.0 * p[0]["leg_jerk"]
    assert jerk.max() > 0.2 * p[0]["leg_jerk"], "blows come through"


def test_a_kick_is_compensated_within_a_few_ticks():
    """A pose asked for that changes its speed at once: late by less than a tenth of a millimeter, then followed exactly again."""
    p, t = gentle("small_hexapod"), np.arange(400) * H
    demands = np.zeros((400, 6))
    demands[:, 2] = 0.015 * np.maximum(0.0, t - 0.05)
    s, late = limiter(p, np.zeros(6)), []
    for demand in demands:
        limit_step(p, s, demand, H)
        late.append(abs(s[0]["pose"][2] - demand[2]))
    late = np.array(late)
    assert 0.0 < late.max() < 1e-4
    assert (late[85:] == 0.0).all()


def test_pause_reset_and_park_keep_it():
    motion = engaged()
    drive = hard_drive(14000)
    legs = [motion.legs.copy()]

    def go(forces, run=True):
        for f in forces:
            motion.step(f, STILL, run, H)
            legs.append(motion.legs.copy())

    go(drive[:9000])
    motion.reset()
    go(drive[9000:11000])
    go(drive[11000:11500], run=False)
    go(drive[11500:])
    motion.procedure.park()
    go(np.tile(REST, (20000, 1)))
    assert_kept(motion.platform, np.array(legs))
    assert motion.procedure.state == "off"


def test_rise_and_park_are_never_limited():
    motion = cueing()
    motion.procedure.arm()
    for k in range(25000):
        motion.step(REST, STILL, False, H)
        if k == 12000:
            motion.procedure.park()
    assert motion.readout[0]["interventions"].sum() == 0
    assert motion.readout[0]["limit_ticks"] == 25000


def kinds_of(p, demands):
    s = limiter(p, np.zeros(6))
    for demand in demands:
        limit_step(p, s, demand, H)
    return {name for name, count in zip(KINDS, s[0]["interventions"], strict=True) if count}


@pytest.mark.parametrize("jerk", [True, False])
def test_interventions_are_counted_by_kind(jerk):
    mapping = {**platform_mapping(), "leg_jerk": 370.0 if jerk else None}
    p, t = hexapod(mapping, "x"), np.arange(300)[:, None] * H
    up = np.array([0.0, 0, 1, 0, 0, 0])
    assert kinds_of(p, 0.5 * t**3 * up) == set()
    assert kinds_of(p, np.full((300, 1), 1.0) * up) == {"stroke"}
    assert kinds_of(p, np.full((1, 1), 0.01) * up) == {"speed"}
    assert kinds_of(p, 20.0 * 0.5 * t[:2] ** 2 * up) == {"acceleration"}
    assert kinds_of(p, 2.0 * 0.5 * t[:3] ** 2 * up) == ({"jerk"} if jerk else set())


def test_the_key_may_be_left_out():
    mapping = platform_mapping()
    del mapping["leg_jerk"]
    assert hexapod(mapping, "x")[0]["leg_jerk"] == math.inf
    with pytest.raises(ConfigError, match="leg_jerk"):
        hexapod({**mapping, "leg_jerk": 0.0}, "x")


def test_interventions_are_reported():
    p = gentle("small_hexapod")
    s = limiter(p, np.zeros(6))
    assert interventions_text(interventions(s)) == "the leg limiter never acted"
    for k in range(400):
        limit_step(p, s, np.array([0.0, 0, 1.0 if k < 4 else 0.0, 0, 0, 0]), H)
    counts = interventions(s)
    assert counts["ticks"] == 400
    assert counts["stroke"] == 4
    assert 0 < counts["jerk"] < 200
    assert interventions_text(counts).startswith(
        f"the leg limiter acted in {100 * sum(counts[k] for k in KINDS) / 400:.2g} % of the ticks: 4 for stroke, "
    )
