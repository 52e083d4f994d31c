"""Does a key or a stick give a controllable steering, without jumps?"""

import itertools
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.driver.input_devices import shaping
from simulator.driver.input_devices.handling import HMMWV
from simulator.driver.input_devices.shaping import PedalFeel, SteeringFeel

FEEL = SteeringFeel()
CARS = [
    pytest.param(HMMWV, id="hmmwv"),
    pytest.param(replace(HMMWV, understeer=0.0), id="neutral"),
    pytest.param(replace(HMMWV, understeer=-0.001), id="oversteering"),
    pytest.param(replace(HMMWV, length=2.76, full_angle=0.667, understeer=0.0034, steering_wheel_lock=9.9), id="short"),
]
"""The shipped HMMWV and vehicles of other behavior."""
DT = 0.01
KPH = 1.0 / 3.6
unit = st.floats(-1.0, 1.0)
speeds = st.floats(-10.0, 60.0)


def hold(direction, speed, seconds, steering=0.0, feel=FEEL, car=HMMWV):
    for _ in range(round(seconds / DT)):
        steering = shaping.key_steering(steering, direction, speed, DT, feel, car)
    return steering


def test_a_short_tap_at_60_kph_steers_little_and_comes_home():
    tapped = hold(+1.0, 60 * KPH, 0.1)
    road_wheel = tapped * math.radians(30.0)
    lateral = (60 * KPH) ** 2 / 3.3 * road_wheel
    assert 0.3 < lateral < 1.5, "m/s2: felt, but far from the limit"
    assert hold(0.0, 60 * KPH, 0.3, tapped) == 0.0


def lateral_acceleration(steering, v, car=HMMWV):
    """In a steady turn: road-wheel angle = curvature * (length + understeer * v^2)."""
    return v * v * steering * car.full_angle / (car.length + car.understeer * v * v)


@pytest.mark.parametrize("car", CARS)
@pytest.mark.parametrize("v", [60 * KPH, 100 * KPH, 150 * KPH])
def test_a_held_key_reaches_full_lock_at_rest_and_a_mild_bend_at_speed(car, v):
    assert hold(+1.0, 0.0, 3.0, car=car) == 1.0
    assert lateral_acceleration(hold(+1.0, v, 3.0, car=car), v, car) == pytest.approx(car.lateral_acceleration, rel=0.05)


@pytest.mark.parametrize("car", CARS)
def test_given_figures_replace_those_of_the_car(car):
    feel, v = SteeringFeel(lateral_acceleration=2.0, turning_radius=car.turning_radius), 100 * KPH
    assert lateral_acceleration(hold(+1.0, v, 3.0, feel=feel, car=car), v, car) == pytest.approx(2.0, rel=0.02)
    wide = SteeringFeel(turning_radius=2.0 * car.turning_radius)
    assert shaping.steering_range(v, wide, car) == pytest.approx(2.0 * shaping.steering_range(v, FEEL, car), rel=0.05)


@pytest.mark.parametrize(
    ("wheel_speed", "seconds"),
    [(4.0, HMMWV.steering_wheel_lock / 4.0), (12.0, HMMWV.steering_wheel_lock / 12.0), (100.0, FEEL.time_to_full)],
)
def test_full_lock_takes_the_time_of_the_hands_but_not_less_than_that_of_the_key(wheel_speed, seconds):
    feel = SteeringFeel(wheel_speed=wheel_speed)
    assert hold(+1.0, 0.0, 0.4, feel=feel) == pytest.approx(0.4 / seconds)
    assert hold(+1.0, 0.0, seconds + DT, feel=feel) == 1.0


@pytest.mark.parametrize("car", CARS)
def test_range_is_full_at_rest_and_falls_steadily_with_speed(car):
    """At walking speed an understeering vehicle has full lock; above 2 m/s the range falls with every step."""
    ranges = [shaping.steering_range(0.1 * n, FEEL, car) for n in range(700)]
    assert ranges[0] == 1.0
    assert all(a > b or a == b == 1.0 for a, b in itertools.pairwise(ranges))
    assert all(a > b for a, b in itertools.pairwise(ranges[20:]))


@given(unit, st.sampled_from([-1.0, 0.0, 1.0]), speeds, st.floats(0.0, 0.1))
def test_keys_mirror_and_obey_the_rate_limit(steering, direction, speed, dt):
    after = shaping.key_steering(steering, direction, speed, dt, FEEL)
    assert shaping.key_steering(-steering, -direction, speed, dt, FEEL) == -after
    fastest = max(abs(steering), shaping.steering_range(speed, FEEL)) / min(FEEL.time_to_full, FEEL.time_to_center)
    assert abs(after - steering) <= min(fastest, FEEL.wheel_speed / HMMWV.steering_wheel_lock) * dt + 1e-15
    assert abs(after) <= 1.0


@given(unit, unit, speeds, st.floats(0.0, 0.1))
def test_stick_mirrors_and_obeys_the_rate_limit(steering, x, speed, dt):
    feel = SteeringFeel(dead_zone=0.12, curve=0.5, time_to_full=0.25, time_to_center=0.2)
    after = shaping.stick_steering(steering, x, speed, dt, feel)
    assert shaping.stick_steering(-steering, -x, speed, dt, feel) == -after
    assert abs(after - steering) <= max(abs(steering), shaping.steering_range(speed, feel)) / 0.2 * dt + 1e-15


def test_dead_zone_is_silent_continuous_and_still_reaches_the_end():
    assert shaping.dead_zone(0.12, 0.12) == 0.0
    assert shaping.dead_zone(-0.05, 0.12) == 0.0
    assert shaping.dead_zone(0.1201, 0.12) == pytest.approx(0.0001 / 0.88, rel=1e-6)
    assert shaping.dead_zone(-1.0, 0.12) == -1.0


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_clip_lets_nothing_strange_through(value):
    assert 0.0 <= shaping.clip(value, 0.0, 1.0) <= 1.0


def test_time_that_stands_goes_back_or_jumps_does_no_harm():
    assert shaping.elapsed(None, 5.0) == 0.0
    assert shaping.elapsed(5.0, 5.0) == 0.0
    assert shaping.elapsed(5.0, 0.0) == 0.0
    assert shaping.elapsed(5.0, math.nan) == 0.0
    assert shaping.elapsed(5.0, 500.0) == shaping.LONGEST_STEP


def test_pedal_key_takes_its_time_both_ways():
    feel = PedalFeel(press=0.6, release=0.2)
    pedal = 0.0
    for _ in range(30):
        pedal = shaping.key_pedal(pedal, True, DT, feel)
    assert pedal == pytest.approx(0.5)
    for _ in range(10):
        pedal = shaping.key_pedal(pedal, False, DT, feel)
    assert pedal == pytest.approx(0.0, abs=1e-12)


@given(st.floats(-1.0, 1.0), st.floats(0.2, 3.0))
def test_wheel_is_angle_for_angle_near_the_center_and_reaches_full_lock(x, ratio):
    assert -1.0 <= shaping.wheel_steering(x, ratio) <= 1.0
    assert shaping.wheel_steering(-x, ratio) == -shaping.wheel_steering(x, ratio)
    assert shaping.wheel_steering(1.0, ratio) == pytest.approx(1.0)
    assert shaping.wheel_steering(1e-4, ratio) == pytest.approx(ratio * 1e-4, rel=1e-6)


def test_axes_inverted_half_and_off_center():
    assert shaping.axis_to_pedal(1.0, released=1.0, pressed=-1.0) == 0.0
    assert shaping.axis_to_pedal(0.0, released=1.0, pressed=-1.0) == pytest.approx(0.5)
    assert shaping.axis_to_pedal(-0.5, released=0.0, pressed=-1.0) == pytest.approx(0.5)
    assert shaping.axis_to_pedal(0.7, released=0.0, pressed=-1.0) == 0.0
    assert shaping.axis_to_steering(-1.0, left=-1.0, center=0.1, right=0.9) == 1.0
    assert shaping.axis_to_steering(0.5, left=-1.0, center=0.1, right=0.9) == pytest.approx(-0.5)
    assert shaping.axis_to_steering(0.1, left=1.0, center=0.1, right=-1.0) == 0.0
    assert shaping.axis_to_steering(1.0, left=1.0, center=0.1, right=-1.0) == 1.0


def drive_a_bend(feel, seconds=20.0):
    """Largest distance from the line (m) and largest lateral acceleration (m/s2) of a person at 60 km/h on the keyboard.

    The line: straight, 250 m radius left, then right, then straight. The vehicle: single-track geometry, wheelbase 3.3 m, full lock
    30 degrees, tires without slip. The person looks 0.9 s ahead, reacts 0.25 s late, presses a key when the line lies more than
    0.35 m to the side of where the vehicle will be, and lets go at 0.15 m.
    """
    v, wheelbase, lock = 60 * KPH, 3.3, math.radians(30.0)
    car = replace(HMMWV, length=wheelbase, full_angle=lock, understeer=0.0)
    offset, heading, steering, direction, worst, hardest = 0.5, 0.0, 0.0, 0.0, 0.0, 0.0
    seen = [0.0] * 25
    for i in range(round(seconds / DT)):
        t = i * DT
        bend = 1 / 250 if 4 < t < 9 else -1 / 250 if 9 < t < 14 else 0.0
        ahead = 0.9 * v
        turn = math.tan(steering * lock) / wheelbase
        seen.append(-(offset + heading * ahead + 0.5 * (turn - bend) * ahead * ahead))
        wanted = seen[-25]
        if abs(wanted) > 0.35:
            direction = math.copysign(1.0, wanted)
        elif abs(wanted) < 0.15 or direction * wanted < 0.0:
            direction = 0.0
        steering = shaping.key_steering(steering, direction, v, DT, feel, car)
        heading += v * (turn - bend) * DT
        offset += v * math.sin(heading) * DT
        worst, hardest = max(worst, abs(offset)), max(hardest, abs(v * v * turn))
    return worst, hardest


def test_a_person_can_hold_the_lane_at_60_kph():
    distance, acceleration = drive_a_bend(FEEL)
    assert distance < 1.0
    assert acceleration < 5.0


def test_with_full_lock_at_60_kph_the_same_person_would_slide():
    everywhere = SteeringFeel(lateral_acceleration=50.0, turning_radius=100.0)
    assert drive_a_bend(everywhere)[1] > 8.0
