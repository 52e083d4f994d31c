"""Does full throttle select a gear in which the engine has its power, without braking the car, and does nobody stay at the speed limit?"""

import numpy as np
import pytest
from straight_line import Car

from simulator.builder.builder import build_vehicle
from vehicles.drivetrain.conventional.shift_schedule import gear_below, too_slow

KPH = 1.0 / 3.6


def engine_speeds(name, speed):
    """Turbine speed [rad/s] of each gear of a vehicle that rolls at a speed [m/s], and the limit of the engine."""
    vehicle = build_vehicle(name)
    p = vehicle.model.drivetrain[0]
    axle = int(np.flatnonzero(np.isfinite(p["final_ratio"]))[0])
    shaft = speed / (0.98 * float(vehicle.model.tires["radius"][2 * axle])) / float(p["final_ratio"][axle])
    return shaft / p["forward_ratios"][: int(p["gears"])], vehicle.drivetrain.governed_speed, vehicle.model.drivetrain


@pytest.mark.parametrize("name", ["sedan_e90", "sedan_chrono", "hmmwv", "hmmwv_65"])
@pytest.mark.parametrize("speed", [30.0, 50.0, 80.0, 100.0])
def test_full_throttle_from_the_highest_gear_takes_the_engine_to_its_power(name, speed):
    speeds, limit, p = engine_speeds(name, speed * KPH)
    gear = len(speeds)
    while gear > 1 and too_slow(p, gear, 1.0, speeds[gear - 1]):
        gear = gear_below(p, gear, 1.0, speeds[gear - 1])
    assert speeds[gear - 1] < 0.97 * limit, "below the speed at which it shifts up"
    assert gear == 1 or speeds[gear - 2] > 0.8 * limit, "the next lower gear would be too low"


@pytest.mark.parametrize("name", ["sedan_e90", "sedan_chrono", "hmmwv"])
def test_the_gearbox_shifts_up_before_the_limit_of_the_engine(name):
    _, limit, p = engine_speeds(name, 10.0)
    gears, last = int(p[0]["gears"]), int(p[0]["schedule_points"]) - 1
    turbine = p[0]["schedule_up"][: gears - 1, last] / p[0]["forward_ratios"][: gears - 1]
    assert (turbine < 0.97 * limit).all() and (turbine > 0.85 * limit).all()


def test_a_kick_down_over_two_gears_does_not_brake_the_car():
    car = Car("hmmwv", 3, 30.0 * KPH).set(throttle=0.2)
    car.roll(1.5)
    log = car.set(throttle=1.0).roll(2.0)
    assert log[50, 2] == 1.0 and log[-1, 2] == 1.0
    acceleration = np.convolve(np.gradient(log[:, 0], 1e-3), np.full(20, 0.05), "valid")
    assert acceleration.min() > -0.35, "m/s2: rolling resistance and drag, while the engine speeds up"
    assert log[-1, 0] > log[0, 0] + 1.5


def test_wheels_that_spin_on_a_road_do_not_keep_the_engine_at_its_limit():
    """A driver of a manual gearbox shifts up, although the road speed is below the usual one for the higher gear."""
    car = Car("sedan", 1).set(throttle=1.0)
    car.car[:2] = 1640.0, 0.314  # mass and rolling radius of the sedan
    log = car.roll(8.0)
    limit = 6880.0 * np.pi / 30.0
    assert log[:, 3].max() > 0.98 * limit, "the wheels spin"
    assert 1e-3 * np.count_nonzero(log[:, 3] > 0.99 * limit) < 0.5
    gears = log[:, 2][log[:, 2] > 0.0]
    assert gears[-1] >= 2.0 and (np.diff(gears) >= 0.0).all()
