"""Does the platform start and stop without a step? Procedure, pauses, resets, faults; the complete chain in a hard drive."""

import math

import numpy as np
import pytest
from cueing_scenes import REST, STILL, G, H, cueing, engaged, hard_drive, platform, washout_mapping, worst_use
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.base.errors import ConfigError
from washout.cueing import MotionCueing
from washout.platform_state_machine import ease


def steps(motion, force, run=True, rate=STILL):
    """Legs (n + 1, 6) [m] while stepping through specific forces (n, 3)."""
    legs = [motion.legs.copy()]
    for f in force:
        motion.step(f, rate, run, H)
        legs.append(motion.legs.copy())
    return np.array(legs)


def assert_gentle(motion, legs, share=0.35):
    """Inside all limits, and with no more than a share of the acceleration allowed: what a person calls smooth."""
    stroke, speed, acceleration = worst_use(motion.platform, legs)
    assert stroke <= 1.0
    assert speed <= 1.0
    assert acceleration <= share


def test_from_off_to_engaged_and_back_in_order():
    motion = cueing()
    seen = [motion.procedure.state]
    legs = [motion.legs.copy()]

    def until(state, run, limit=30000):
        for _ in range(limit):
            motion.step(REST, STILL, run, H)
            legs.append(motion.legs.copy())
            if motion.procedure.state != seen[-1]:
                seen.append(motion.procedure.state)
            if motion.procedure.state == state:
                return
        raise AssertionError(f"never came to {state}, seen {seen}")

    until("off", True, 1)
    motion.procedure.arm()
    until("neutral", False)
    until("engaged", True)
    until("paused", False)
    until("engaged", True)
    motion.procedure.park()
    until("off", True)
    assert seen == ["off", "parked", "rise", "neutral", "blend", "engaged", "paused", "blend", "engaged", "park", "off"]
    assert_gentle(motion, np.array(legs))
    assert motion.pose[2] == pytest.approx(motion.platform[0]["park_height"], abs=2e-3)


def test_unarmed_it_never_moves():
    motion = cueing()
    legs = steps(motion, hard_drive(5000))
    assert np.ptp(legs, axis=0).max() == 0.0


def test_a_hard_drive_uses_the_stroke_and_seldom_meets_the_limiter():
    motion = engaged()
    limited, legs = 0, [motion.legs.copy()]
    for f in hard_drive(30000):
        motion.step(f, STILL, True, H)
        legs.append(motion.legs.copy())
        limited += motion.readout[0]["limited"] > 0
    stroke, speed, acceleration = worst_use(motion.platform, np.array(legs))
    assert 0.6 < stroke <= 1.0
    assert speed <= 1.0
    assert acceleration <= 0.6
    assert limited == 0


def test_soft_ends_keep_an_overload_off_the_limiter_and_off_the_cushions():
    motion = engaged()
    legs = steps(motion, REST + 2.5 * (hard_drive(20000) - REST))
    assert worst_use(motion.platform, legs)[0] <= 1.0
    inside = motion.platform[0]["longest_leg"] - motion.platform[0]["stroke_margin"]
    assert legs.max() <= inside + 1e-4


def test_pause_fades_holds_neutral_and_comes_back():
    motion = engaged()
    drive = hard_drive(14000)
    legs = [steps(motion, drive[:10000])]
    assert np.abs(motion.pose).max() > 0.02
    legs.append(steps(motion, np.tile(drive[9999], (4000, 1)), run=False)[1:])
    assert motion.procedure.state == "paused"
    assert np.abs(motion.pose).max() < 1e-4
    legs.append(steps(motion, drive[10000:])[1:])
    assert motion.procedure.state == "engaged"
    assert_gentle(motion, np.concatenate(legs), 0.6)


def test_reset_in_the_middle_of_a_drive_does_not_step_the_platform():
    motion = engaged()
    drive = hard_drive(9400)
    before = steps(motion, drive[:9000])
    pose = motion.pose.copy()
    assert np.abs(pose).max() > 0.03
    motion.reset()
    after = steps(motion, np.tile(REST, (6000, 1)))
    legs = np.concatenate([before, after[1:]])
    assert np.abs(after[1] - after[0]).max() < 0.5 * H
    assert_gentle(motion, legs, 0.6)
    assert np.abs(motion.pose).max() < 2e-3
    assert motion.procedure.state == "engaged"


def test_teleport_without_notice_stays_inside_the_limits():
    """Forces and rates that jump from tick to tick, as when a vehicle falls from nowhere."""
    motion = engaged()
    rng = np.random.default_rng(1)
    legs = [motion.legs.copy()]
    for _ in range(60):
        force, rate = rng.normal(size=3) * 200.0, rng.normal(size=3) * 20.0
        for _ in range(80):
            motion.step(force, rate, True, H)
            legs.append(motion.legs.copy())
    stroke, speed, acceleration = worst_use(motion.platform, np.array(legs))
    assert stroke <= 1.0
    assert speed <= 1.0 + 1e-6
    assert acceleration <= 1.0 + 1e-6


bad = st.floats(allow_nan=True, allow_infinity=True)


@settings(max_examples=30, deadline=None)
@given(
    events=st.lists(
        st.tuples(st.lists(bad, min_size=6, max_size=6), st.booleans(), st.sampled_from("rapfk."), st.integers(1, 300)), max_size=8
    )
)
def test_any_input_and_any_sequence_of_commands(events):
    motion = engaged()
    does = motion.procedure
    commands = {"r": motion.reset, "a": does.arm, "p": does.park, "f": does.trip, "k": does.acknowledge, ".": lambda: None}
    legs = [motion.legs.copy()]
    for numbers, run, command, count in events:
        commands[command]()
        force, rate = np.array(numbers[:3]), np.array(numbers[3:])
        for _ in range(count):
            motion.step(force, rate, run, H)
            legs.append(motion.legs.copy())
    legs = np.array(legs)
    assert np.isfinite(legs).all()
    stroke, speed, acceleration = worst_use(motion.platform, legs)
    assert stroke <= 1.0
    assert speed <= 1.0 + 1e-6
    assert acceleration <= 1.0 + 1e-6


def test_a_single_bad_number_is_passed_over():
    motion = engaged()
    drive = hard_drive(3000)
    drive[1500] = np.nan
    legs = steps(motion, drive)
    assert motion.procedure.state == "engaged"
    assert motion.readout[0]["bad_inputs"] == 1
    assert_gentle(motion, legs, 0.5)  # the drive itself takes 0.45


def test_lasting_bad_input_is_a_latched_fault_that_parks():
    motion = engaged()
    steps(motion, hard_drive(5000))
    legs = steps(motion, np.full((200, 3), np.nan))
    assert motion.procedure.state == "fault"
    legs = np.concatenate([legs, steps(motion, np.tile(REST, (20000, 1)))[1:]])
    assert motion.procedure.state == "fault"
    assert motion.pose[2] == pytest.approx(motion.platform[0]["park_height"], abs=2e-3)
    assert_gentle(motion, legs, 0.45)
    motion.procedure.arm()
    steps(motion, np.tile(REST, (2000, 1)))
    assert motion.procedure.state == "fault"
    motion.procedure.acknowledge()
    steps(motion, np.tile(REST, (20, 1)))
    assert motion.procedure.state == "off"
    motion.procedure.arm()
    steps(motion, np.tile(REST, (20000, 1)))
    assert motion.procedure.state == "engaged"


def test_a_broken_filter_trips_the_platform_and_parks_it():
    motion = engaged()
    legs = [steps(motion, hard_drive(5000))]
    motion.readout[0]["high_pass"][0, 1] = np.nan
    legs.append(steps(motion, np.tile(REST, (20000, 1)))[1:])
    assert motion.procedure.state == "fault"
    assert motion.pose[2] == pytest.approx(motion.platform[0]["park_height"], abs=2e-3)
    stroke, speed, acceleration = worst_use(motion.platform, np.concatenate(legs))
    assert max(stroke, speed, acceleration) <= 1.0


def test_a_sustained_acceleration_gives_tilt_at_the_end_of_the_chain():
    motion = engaged()
    steps(motion, np.tile(REST + [1.0, 0.0, 0.0], (40000, 1)))
    assert -G * math.sin(motion.pose[4]) == pytest.approx(0.4, rel=2e-3)


@settings(max_examples=100, deadline=None)
@given(x=st.floats(-1, 1), v=st.floats(-1, 1), a=st.floats(-1, 1), goal=st.floats(-1, 1), w=st.floats(0.5, 10))
def test_ease_is_exact_whatever_the_step(x, v, a, goal, w):
    """Ten steps are one, and the third derivative is that of a triple pole."""
    once = ease(x, v, a, goal, w, 0.5, math.exp(-0.5 * w))
    state = (x, v, a)
    for _ in range(10):
        state = ease(*state, goal, w, 0.05, math.exp(-0.05 * w))
    assert np.array(state) == pytest.approx(np.array(once), rel=1e-9, abs=1e-9)
    e = 1e-5
    jerk = (ease(x, v, a, goal, w, e, math.exp(-e * w))[2] - a) / e
    assert jerk == pytest.approx(-3 * w * a - 3 * w * w * v - w**3 * (x - goal), rel=1e-2, abs=0.2)


def test_wrong_tick_and_wrong_sections_are_refused():
    with pytest.raises(ValueError, match=r"0\.002"):
        cueing().step(REST, STILL, True, 0.002)
    with pytest.raises(ConfigError, match="procedure: missing"):
        MotionCueing({"cueing": {}}, "broken.yaml", platform())
    mapping = washout_mapping()
    mapping["procedure"]["rise"] = 0.0
    with pytest.raises(ConfigError, match=r"procedure\.rise"):
        MotionCueing(mapping, "broken.yaml", platform())


@pytest.mark.parametrize(("name", "platform_name"), [("large_hexapod", "simona")])
def test_the_other_shipped_pair_drives_too(name, platform_name):
    motion = engaged(name, platform_name)
    legs = steps(motion, hard_drive(20000))
    stroke, speed, acceleration = worst_use(motion.platform, legs)
    assert 0.4 < stroke <= 1.0
    assert speed <= 1.0
    assert acceleration <= 1.0


@pytest.mark.parametrize("name", ["seat_3dof", "seat_2dof"])
def test_a_seat_moves_only_as_it_can_and_within_its_limits(name):
    """Armed, driven hard, put elsewhere, parked: mirrored left for right it does the same mirrored."""
    free = platform(name)[0]["freedoms"] == 1.0
    mirror = np.array([1, -1, 1, -1, 1, -1])
    poses = []
    for side in (1.0, -1.0):
        motion = cueing("small_hexapod", name)
        motion.procedure.arm()
        legs, pose = [], []
        for k, f in enumerate(np.vstack([np.tile(REST, (10000, 1)), 1.5 * (hard_drive(12000) - REST) + REST, np.tile(REST, (12000, 1))])):
            if k == 19000:
                motion.reset()
            if k == 24000:
                motion.procedure.park()
            motion.step(f * [1, side, 1], np.array([0.3 * side * f[1], 0.1 * f[0], 0.2 * side]) * (k > 10000), True, H)
            legs.append(motion.legs.copy())
            pose.append(motion.pose.copy())
        assert max(worst_use(platform(name), np.array(legs))) <= 1.0 + 1e-9
        assert motion.procedure.state == "off"
        poses.append(np.array(pose))
    assert np.all(poses[0][:, ~free] == 0.0)
    assert np.all(np.ptp(poses[0][:, free], axis=0) > 0.03)
    assert poses[1] == pytest.approx(poses[0] * mirror, abs=1e-9)
