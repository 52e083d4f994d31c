"""Does the gearbox obey selector, lock-out and shift times, without jerks?"""

import numpy as np
import pytest
from gearboxes import gliding, manual
from straight_line import Car

from vehicles.drivetrain.conventional.gearbox import DRIVE, ENGAGE, NEUTRAL
from vehicles.drivetrain.conventional.shift_schedule import max_output_speed
from vehicles.drivetrain.driveline import driveshaft_speed
from vehicles.drivetrain.measured_curves import smooth_step


def test_smooth_step_has_no_speed_at_its_ends():
    assert smooth_step(-1.0, 2.0) == 0.0 and smooth_step(0.0, 0.0) == 1.0 and smooth_step(2.0, 2.0) == 1.0
    assert smooth_step(1.0, 2.0) == pytest.approx(0.5)
    assert smooth_step(0.02, 2.0) < 1e-4 and 1.0 - smooth_step(1.98, 2.0) < 1e-4


def test_reverse_waits_in_neutral_until_the_car_is_slow():
    car = Car(gliding(), 1, 8.0).set(selector=-1, brake=0.2)
    log = car.roll(20.0)
    engaged = np.argmax(log[:, 2] == -1)
    assert engaged > 0 and set(log[:, 2]) == {0.0, -1.0}
    assert 0.5 < log[engaged, 0] <= 2.1 * 0.465 + 0.02
    assert log[0, 2] == 0.0


@pytest.mark.parametrize(("gearbox", "speed"), [(gliding, -1.5), (gliding, -3.0), (manual, -1.5), (manual, -3.0)])
def test_first_gear_catches_a_car_that_rolls_backward(gearbox, speed):
    """As after a collision: at full throttle the car moves forward within 3 s, and meanwhile never backward faster than before."""
    car = Car(gearbox(), 0, speed).set(selector=1, throttle=1.0)
    log = car.roll(3.0)
    assert log[-1, 0] > 0.5
    assert log[:, 0].min() >= speed - 0.01
    assert log[np.argmax(log[:, 0] > 0.0), 2] == 1


def test_drive_waits_while_the_car_rolls_backward_faster_than_first_gear_goes():
    car = Car(gliding(), 0, -5.0).set(selector=1)
    assert set(car.roll(1.0)[:, 2]) == {0.0}


@pytest.mark.parametrize(("speed", "gear"), [(1.0, 1), (5.0, 2), (8.0, 3), (20.0, 5)])
def test_drive_at_speed_takes_a_gear_that_does_not_overspeed(speed, gear):
    car = Car(gliding(), 0, speed).set(selector=1)
    log = car.roll(0.3)
    assert log[-1, 2] == gear
    car.roll(1.0)
    assert car.state[0]["turbine_speed"] < car.p[0]["upshift_speed"][1]


def test_phases_follow_one_another():
    car = Car(gliding(), 0).set(brake=0.5)
    car.roll(1.0)
    assert car.state[0]["phase"] == NEUTRAL
    car.set(selector=1).roll(0.3)
    assert car.state[0]["phase"] == ENGAGE
    car.roll(1.0)
    assert car.state[0]["phase"] == DRIVE and abs(car.state[0]["turbine_speed"]) < 0.01
    car.set(selector=-1).roll(0.1)
    assert car.out[0]["gear"] == 0
    car.roll(1.5)
    assert car.out[0]["gear"] == -1 and car.out[0]["drive_torque"].sum() < -500.0


def test_engaging_friction_only_takes_energy_out():
    """While the turbine is brought to the speed of the gear, coupling torque and slip have the same sign, rolling either way."""
    for speed in (0.0, 0.9, 15.0, -0.9):
        car = Car(gliding(), 0, speed).set(selector=1)
        for _ in range(1200):
            car.roll(0.001)
            if car.state[0]["phase"] == ENGAGE:
                slip = car.state[0]["turbine_speed"] - car.out[0]["driveshaft_speed"] / car.state[0]["ratio"]
                assert car.state[0]["coupling_torque"] * slip >= -1e-6


def test_neutral_carries_no_torque_once_released():
    car = Car(gliding(), 1, 5.0).set(selector=0, throttle=0.5)
    log = car.roll(1.0)
    assert np.abs(car.out[0]["driveshaft_torque"]) == 0.0
    assert np.abs(np.diff(log[:, 1])).max() < 100.0


def test_shifts_respect_latency_and_take_one_gear():
    for name, latency in ((gliding(), 0.5), ("hmmwv_chrono", 1.0)):
        gears = Car(name).set(throttle=1.0).roll(20.0)[:, 2]
        at = np.flatnonzero(np.diff(gears))
        assert len(at) >= 2 and np.all(np.diff(gears)[at] == 1.0)
        assert np.diff(at).min() * 1e-3 >= latency - 1e-3


def test_timed_shift_has_no_jump_of_torque_where_the_instant_one_has():
    jumps = {}
    for name, time in (("timed", 0.35), ("instant", 0.0)):
        car = Car(gliding(), 1, 3.0).set(throttle=0.5)
        car.p[0]["shift_time"] = time
        log = car.roll(10.0)
        assert log[-1, 2] >= 4
        jumps[name] = np.abs(np.diff(log[500:, 1])).max()
    assert jumps["timed"] < 100.0
    assert jumps["instant"] > 1000.0


def test_light_throttle_shifts_earlier_and_kickdown_comes_back():
    speeds = []
    for throttle in (0.2, 1.0):
        log = Car(gliding()).set(throttle=throttle).roll(20.0)
        speeds.append(log[np.argmax(log[:, 2] == 3), 0])
    assert speeds[0] < 0.9 * speeds[1]
    car = Car(gliding(), 5, 10.9).set(throttle=0.2)
    assert set(car.roll(1.0)[:, 2]) == {5.0}
    assert car.set(throttle=1.0).roll(0.1)[-1, 2] == 4.0


def test_after_a_downshift_only_a_moved_throttle_or_high_revs_shift_up():
    car = Car(gliding(), 4, 10.9).set(throttle=0.2)
    car.state[0]["downshift_throttle"] = 0.2
    car.state[0]["clock"] = 1.0
    assert car.p[0]["upshift_speed"] @ (0.8, 0.2) < car.state[0]["turbine_speed"] < car.p[0]["upshift_speed"][1]
    assert set(car.roll(0.5)[:, 2]) == {4.0}
    assert car.set(throttle=0.28).roll(0.1)[-1, 2] == 5.0


def test_a_requested_gear_is_selected_step_by_step_and_stays():
    car = Car(gliding(), 1, 3.0).set(throttle=0.5, gear=3)
    log = car.roll(10.0)
    at = np.flatnonzero(np.diff(log[:, 2]))
    assert log[-1, 2] == 3 and set(np.diff(log[:, 2])[at]) == {1.0}
    assert np.diff(at).min() * 1e-3 >= car.p[0]["shift_latency"] - 1e-3
    assert car.state[0]["turbine_speed"] > car.p[0]["upshift_speed"] @ (0.5, 0.5), "the gearbox alone would have shifted up"
    assert car.set(gear=9, throttle=0.2).roll(5.0)[-1, 2] == car.p[0]["gears"]


def test_a_lower_gear_waits_until_the_engine_can_follow():
    car = Car(gliding(), 5, 18.0).set(gear=2, brake=0.1)
    log = car.roll(12.0)
    at = np.flatnonzero(np.diff(log[:, 2]))
    assert log[-1, 2] == 2 and set(np.diff(log[:, 2])[at]) == {-1.0}
    assert car.p[0]["upshift_speed"][1] > 0.9 * log[:, 3].max(), "no downshift speeds the engine up beyond where open throttle shifts up"
    first = Car(gliding(), 5, 18.0).set(gear=1)
    assert 1.0 not in first.roll(1.0)[:, 2]


def test_without_a_requested_gear_the_gearbox_continues_automatically():
    car = Car(gliding(), 1, 8.0).set(throttle=0.3, gear=1)
    assert set(car.roll(2.0)[:, 2]) == {1.0}
    assert car.set(gear=0).roll(5.0)[-1, 2] > 2


def test_drive_engages_the_requested_gear():
    car = Car(gliding(), 0).set(selector=1, gear=3)
    assert set(car.roll(2.0)[:, 2]) <= {0.0, 3.0} and car.out[0]["gear"] == 3


BOXES = {"automatic": "hmmwv", "two speeds": gliding(), "sedan": "sedan", "light truck": "light_truck", "manual": manual()}
"""Gearboxes of every kind with automatic gear choice, by curves and by two speeds; those of cars drive the heavy vehicle of the rig."""


def on_ice(box, gear, speed, friction):
    """A car on ground of that friction."""
    car = Car(BOXES[box], gear, speed)
    car.car[3] = friction
    return car.set(selector=1)


@pytest.mark.parametrize("box", BOXES)
def test_wheels_that_spin_on_the_spot_get_no_higher_gear(box):
    """As in sand: the wheels turn with what the engine has, the car hardly moves, and first gear stays."""
    car = on_ice(box, 1, 0.0, 0.02).set(throttle=1.0)
    log = car.roll(6.0)
    assert car.spin.max() * 0.465 > 3.0 * car.speed, "they spin"
    assert set(log[:, 2]) == {1.0}


@pytest.mark.parametrize("box", BOXES)
def test_a_start_with_spinning_wheels_goes_up_the_gears_and_never_back(box):
    car = on_ice(box, 1, 0.0, 0.16).set(throttle=1.0)
    log = car.roll(30.0)
    gears = log[:, 2][log[:, 2] > 0.0]
    assert gears[-1] >= 2.0 and (np.diff(gears) >= 0.0).all()


@pytest.mark.parametrize(("box", "speed"), [("automatic", 20.0), ("sedan", 32.0)])
def test_locked_wheels_get_no_gear_that_would_overspeed_the_engine_once_they_roll(box, speed):
    car = on_ice(box, 3, speed, 0.2).set(brake=1.0)
    log = car.roll(8.0)
    assert np.abs(car.spin).max() < 0.1
    for v, gear in log[:, (0, 2)][::10]:
        rolling = driveshaft_speed(car.p, np.full(4, v / 0.465))
        assert gear == 0.0 or rolling <= 1.001 * max_output_speed(car.p, int(gear))
    assert set(log[:, 2]) >= {3.0, 2.0}
