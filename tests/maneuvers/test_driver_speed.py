"""Does the speed control handle slopes, lack of power and its two pedals, and does the driver avoid repeated shifts?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from bicycle import Bicycle, drive

from simulator.base.records import record
from simulator.builder.builder import build_vehicle
from simulator.driver.gear_shifting import DWELL, HYSTERESIS, GearShifter, ShiftPoints, gear_numbers, rolling_share
from simulator.driver.internal_model import InternalModel
from simulator.driver.speed import SpeedControl, SpeedGains, SpeedTarget
from vehicles.readout import READOUT


class Point:
    """A mass on a slope: a = throttle gain, brake gain, and g per rise."""

    def __init__(self, speed=0.0, power=6.0, grade=0.0):
        self.speed, self.power, self.grade, self.way = speed, power, grade, 0.0

    def run(self, control, duration, begin=0.0):
        rows = []
        for tick in range(round(duration / 0.01)):
            t = begin + 0.01 * tick
            throttle, brake = control.pedals(t, self.way, self.speed, self.grade)
            slope = 9.80665 * self.grade / np.hypot(1.0, self.grade)
            self.speed = max(self.speed + 0.01 * (self.power * throttle - 8.0 * brake - slope), 0.0)
            self.way += 0.01 * self.speed
            rows.append((t, self.speed, throttle, brake))
        return np.array(rows).T


FREE = InternalModel(throttle_acceleration=6.0, brake_acceleration=8.0, rolling=0.0, drag=0.0)


def test_a_shortage_of_power_leaves_nothing_wound_up():
    """Up a slope that the engine cannot climb at the speed asked for, and over its top: what was missing is not made up for."""
    plant = Point(20.0, power=3.0, grade=0.5)
    known = InternalModel(throttle_acceleration=3.0, rolling=0.0, drag=0.0)
    control = SpeedControl([SpeedTarget(20.0, 2.0, at=0.0)], SpeedGains(), known)
    _, speed, throttle, _ = plant.run(control, 4.0)
    assert throttle[-1] == 1.0
    assert speed[-1] < 18.0
    plant.grade = 0.0
    _, speed, *_ = plant.run(control, 30.0, 4.0)
    assert speed.max() < 20.5  # an integral of what was missing, 6 m/s2, would carry it to 24
    assert speed[-1] == pytest.approx(20.0, abs=0.02)


def test_the_slope_is_fed_forward():
    def dip(known):
        plant, control = Point(10.0), SpeedControl([SpeedTarget(10.0, 2.0, at=0.0)], None, FREE)
        control.pedals(0.0, 0.0, 10.0)
        rows = []
        for tick in range(1, 500):
            throttle, brake = control.pedals(0.01 * tick, 0.0, plant.speed, 0.1 if known else 0.0)
            plant.speed += 0.01 * (6.0 * throttle - 8.0 * brake - 0.976)
            rows.append(plant.speed)
        return 10.0 - min(rows)

    assert dip(True) < 0.2 < dip(False)


def test_an_external_speed_demand_is_followed():
    plant, control, rows = Point(5.0), SpeedControl(traits=FREE), []
    for tick in range(1000):
        t = 0.01 * tick
        control.set_demand(5.0 + t, 1.0)
        throttle, brake = control.pedals(t, 0.0, plant.speed)
        plant.speed += 0.01 * (6.0 * throttle - 8.0 * brake)
        rows.append(plant.speed - 5.0 - t)
    assert control.demand == pytest.approx(14.99)
    assert np.abs(rows[200:]).max() < 0.05


def test_the_foot_does_not_tap_between_the_pedals():
    """A speed that is read with noise, where neither pedal is needed."""
    rng = np.random.default_rng(2)
    noise = 0.05 * rng.standard_normal(3000)

    def changes(hysteresis):
        control = SpeedControl([SpeedTarget(15.0, 2.0, at=0.0)], SpeedGains(pedal_gap=0.0, pedal_hysteresis=hysteresis), FREE)
        pressed = [control.pedals(0.01 * n, 0.0, 15.0 + noise[n]) for n in range(3000)]
        braking = [brake > 0.0 for throttle, brake in pressed if throttle > 0.0 or brake > 0.0]
        return int(np.abs(np.diff(braking)).sum())

    assert changes(0.05) < 0.1 * changes(0.0)


def test_speed_control_restarts_after_a_break():
    plant, control = Point(20.0, power=2.0, grade=0.5), SpeedControl([SpeedTarget(20.0, 2.0, at=0.0)], None, FREE)
    plant.run(control, 3.0)
    plant.speed, plant.grade = 8.0, 0.0
    control.set_target(8.0, 2.0)
    throttle, brake = control.pedals(10.0, 0.0, 8.0)
    assert (throttle, brake) == (0.0, 0.0)
    _, speed, *_ = plant.run(control, 10.0, 10.01)
    assert np.abs(speed - 8.0).max() < 0.1


def test_the_bicycle_stops_and_starts_again():
    control, plant, rows = SpeedControl([SpeedTarget(0.0, 3.0, at=0.0), SpeedTarget(6.0, 2.0, at=8.0)]), Bicycle(speed=10.0), []

    class Feet:
        def read(self, t, readout, command):
            control.write_pedals(t, readout, command)

    drive(plant, Feet(), 20.0, publish=lambda: rows.append(plant.u))
    assert abs(rows[7900]) < 0.02
    assert rows[-1] == pytest.approx(6.0, abs=0.1)


NUMBERS = ShiftPoints(ratios=(0.4, 0.65, 1.0), up=(200.0, 350.0), down=(107.0, 187.0), most=350.0)


def test_gears_go_up_and_down_with_the_engine():
    shifter, seen = GearShifter(NUMBERS), []
    for n in range(4000):
        driveshaft = 0.16 * n if n < 2000 else 0.16 * (4000 - n)
        gear = shifter.select_gear(0.01 * n, driveshaft / NUMBERS.ratios[shifter.gear - 1], 0.3)
        seen.append((driveshaft, gear))
    gears = np.array([gear for _, gear in seen])
    assert set(np.diff(gears)) == {-1, 0, 1}
    assert (gears[0], gears[2000], gears[-1]) == (1, 3, 1)
    changes = np.flatnonzero(np.diff(gears))
    up = {gears[i + 1]: seen[i + 1][0] for i in changes if gears[i + 1] > gears[i]}
    down = {gears[i]: seen[i + 1][0] for i in changes if gears[i + 1] < gears[i]}
    # the speed of the vehicle at which a gear comes is above that at which it goes
    assert all(up[gear] >= HYSTERESIS * down[gear] for gear in (2, 3))
    assert (np.diff(changes) * 0.01 >= DWELL - 1e-6).all()


def test_no_second_shift_at_a_steady_speed():
    for driveshaft in np.linspace(20.0, 330.0, 60):
        shifter, seen = GearShifter(NUMBERS), []
        for n in range(600):
            seen.append(shifter.select_gear(0.01 * n, driveshaft / NUMBERS.ratios[shifter.gear - 1], 0.5))
        assert len(set(seen[300:])) == 1


def test_the_pedal_down_takes_the_lowest_gear_that_the_engine_bears():
    shifter = GearShifter(NUMBERS)
    shifter.gear = 3
    assert shifter.select_gear(0.0, 115.0, 0.5) == 2 or shifter.gear == 3
    shifter = GearShifter(NUMBERS)
    shifter.gear = 3
    assert shifter.select_gear(0.0, 115.0, 1.0) == 1
    shifter = GearShifter(NUMBERS)
    shifter.gear = 3
    assert shifter.select_gear(0.0, 190.0, 1.0) == 2


def test_wheels_that_spin_get_no_higher_gear():
    """He takes the next gear where he would not leave it again once they roll: 0.4 / 0.65 of the engine's speed, and less by the slip."""
    readout = record(READOUT)
    readout[0]["gear"], readout[0]["engine_speed"] = 1, 360.0
    numbers = replace(NUMBERS, radii=(0.0, 0.0, 0.3, 0.3))
    for slip, gear in ((0.0, 2), (0.05, 2), (0.3, 1), (1.0, 1)):
        readout[0]["wheel_spin"], readout[0]["v_WB_B"][0] = (0.0, 0.0, 25.0, 75.0), (1.0 - slip) * 15.0
        assert GearShifter(numbers).select_gear_from_readout(0.0, readout, 1.0) == gear, slip
    readout[0]["wheel_spin"] = 0.0  # it rolls off: nothing spins yet
    assert rolling_share(numbers, readout) == 1.0


def test_wheels_that_spin_do_not_keep_the_engine_at_its_limit():
    """At the limit he shifts up, and back only below the speed for closed throttle, or when the throttle moves."""
    numbers = replace(NUMBERS, limit=400.0)
    for engine_speed, gear in ((380.0, 1), (395.0, 2)):
        assert GearShifter(numbers).select_gear(0.0, engine_speed, 1.0, 1, rolling=0.6) == gear
    shifter = GearShifter(numbers)
    assert shifter.select_gear(0.0, 395.0, 1.0, 1, rolling=0.6) == 2
    assert shifter.select_gear(1.0, 150.0, 1.0, 2) == 2, "the wheels roll, and the engine has not yet its usual speed"
    assert shifter.select_gear(2.0, 100.0, 1.0, 2) == 1
    shifter = GearShifter(numbers)
    shifter.select_gear(0.0, 395.0, 1.0, 1, rolling=0.6)
    assert shifter.select_gear(1.0, 150.0, 0.8, 2) == 1


def test_numbers_of_the_shipped_gearbox():
    numbers = gear_numbers(build_vehicle("hmmwv"))
    assert numbers.radii == pytest.approx([0.4699] * 4, abs=0.02)
    rear = gear_numbers(build_vehicle("sedan")).radii
    assert rear[:2] == (0.0, 0.0) and rear[2] == rear[3] == pytest.approx(0.3139, abs=1e-3)
    assert list(numbers.ratios) == sorted(numbers.ratios)
    widest = max(high / low for low, high in zip(numbers.ratios, numbers.ratios[1:], strict=False))
    for up, down in zip(numbers.up, numbers.down, strict=True):
        assert up / widest >= HYSTERESIS * down * (1.0 - 1e-12)


def test_a_change_of_speed_waits_for_the_brake():
    """The brake of a point mass builds up with a lag of 0.3 s; the deceleration is the requested one, not more to catch up."""
    control, speed, brake, found = SpeedControl(), 20.0, 0.0, []
    traits = InternalModel()
    control.pedals(0.0, 0.0, speed)
    control.change_to(10.0, 4.0)
    for n in range(1, 1200):
        throttle, pedal = control.pedals(0.01 * n, 0.0, speed)
        assert 0.0 <= throttle <= 1.0 and 0.0 <= pedal <= 1.0
        brake += (pedal - brake) * 0.01 / 0.3
        slowing = (brake * traits.brake_acceleration - throttle * traits.throttle_acceleration) + traits.rolling + traits.drag * speed**2
        speed -= 0.01 * slowing
        found.append(slowing)
    assert 3.7 < max(found) < 4.6
    assert speed == pytest.approx(10.0, abs=0.2)
