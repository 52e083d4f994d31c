"""Does a car with clutch and manual gearbox drive off, stall, start again, and refuse gears that do not fit?"""

import numpy as np
import pytest
from gearboxes import CLUTCH, LOCK_UP, STARTER, automatic, manual
from straight_line import Car

from simulator.base.errors import ConfigError
from vehicles.drivetrain.conventional.power_shift import DRIVE
from vehicles.drivetrain.drivetrain_file import drivetrain_from_mapping

OUT, IN = 1.0, 0.0
"""The clutch pedal on the floor and released."""


def driver(gear, speed=0.0, grade=0.0, **changes):
    """A car whose clutch and lever are worked by its driver."""
    return Car(manual(**changes), gear, speed, grade).set(manual_clutch=1, selector=1, gear=gear, clutch=OUT)


def slips(car):
    """Slip of the clutch, step by step, and speed of the engine [rad/s]."""

    def roll(seconds):
        notes = np.empty((round(seconds * 1e3), 2))
        for row in notes:
            car.roll(1e-3)
            row[:] = car.state[0]["engine_speed"] - car.state[0]["turbine_speed"], car.state[0]["engine_speed"]
        return notes

    return roll


def test_a_start_neither_chatters_nor_stalls():
    """The pedal comes up in two seconds at a third of the throttle: the clutch slips, holds once, and slips no more."""
    car = driver(1).set(throttle=0.35)
    car.roll(0.5)
    roll, notes = slips(car), []
    for step in range(20):
        notes.append(roll(0.1))
        car.set(clutch=0.8 - 0.04 * step)
    slip, engine = np.concatenate([*notes, roll(1.0)]).T
    slipping = np.abs(slip) > 1e-6
    assert np.count_nonzero(np.diff(slipping)) == 1 and not slipping[-1]
    assert np.all(slip[slipping] > 0.0)
    assert car.speed > 1.0 and engine.min() > 40.0


@pytest.mark.parametrize("grade", [0.0, 0.1])
def test_nothing_creeps_while_the_brake_holds(grade):
    car = driver(1, grade=grade).set(brake=0.5, throttle=0.2)
    car.roll(1.0)
    car.set(clutch=0.6)  # grips with a fifth of its capacity
    car.roll(1.0)
    car.roll(3.0)
    assert car.state[0]["grip"] == pytest.approx(0.2)
    assert np.abs(car.spin).max() < 1e-9 and car.state[0]["running"] == 1


def test_a_dropped_clutch_stalls_the_engine_and_the_key_starts_it():
    car = driver(1).set(brake=1.0)
    car.roll(1.0)
    car.set(clutch=IN).roll(1.0)
    assert car.state[0]["running"] == 0 and abs(car.out[0]["engine_speed"]) < 1e-6 and abs(car.speed) < 1e-6
    car.set(clutch=OUT).roll(1.0)
    assert car.state[0]["running"] == 0
    car.set(starter=1).roll(2.0)
    car.set(starter=0).roll(2.0)
    assert car.state[0]["running"] == 1 and car.out[0]["engine_speed"] > 60.0


def test_a_rolling_car_starts_its_engine():
    car = driver(3, 6.0)
    car.state[0]["engine_speed"] = car.state[0]["running"] = 0
    assert car.roll(0.5)[-1, 3] == 0.0
    car.set(clutch=IN).roll(1.0)
    assert car.state[0]["running"] == 1


def test_synchronizers_need_the_clutch_and_a_gear_that_fits():
    car = driver(2, 10.0).set(clutch=IN, throttle=0.3, gear=4)
    car.roll(1.5)
    assert car.state[0]["grinding"] == 1 and car.state[0]["phase"] != DRIVE
    car.set(clutch=OUT, throttle=0.0).roll(0.5)
    assert (car.state[0]["grinding"], car.state[0]["phase"], car.out[0]["gear"]) == (0, DRIVE, 4)
    car = driver(3, 15.0).set(gear=1)
    assert 1.0 not in car.roll(1.0)[:, 2], "it would overspeed"
    car.set(selector=-1).roll(1.0)
    assert car.out[0]["gear"] == 0, "against the motion"


def test_who_has_no_third_pedal_drives_and_stops_too():
    car = Car(manual(), 0).set(selector=1)
    assert np.abs(car.roll(3.0)[:, 0]).max() < 0.1 and car.out[0]["gear"] == 1, "without throttle it stands"
    log = car.set(throttle=0.8).roll(14.0)
    assert log[-1, 2] >= 3 and np.all(np.diff(log[log[:, 2] > 0, 2]) >= 0.0)
    assert log[:, 3].max() < 3850.0 * np.pi / 30.0
    log = car.set(throttle=0.0, brake=0.3).roll(12.0)
    assert np.abs(log[-1000:, 0]).max() < 1e-3 and car.out[0]["gear"] == 1 and car.state[0]["running"] == 1
    car.set(brake=0.0, throttle=0.3, selector=-1).roll(4.0)
    assert car.speed < -0.5


def test_a_sequential_gearbox_takes_the_next_gear_only():
    for kind, gears in (("manual", {5.0}), ("sequential", {3.0, 4.0, 5.0})):
        log = Car(manual(type=kind), 2, 10.0).set(gear=5, throttle=0.3).roll(6.0)
        assert set(log[:, 2]) == {0.0, 2.0, *gears}


def test_a_drive_begins_in_a_gear_at_speed():
    car = Car(manual(), 4, 15.0)
    log = car.roll(1.0)
    assert log[0, 3] == pytest.approx(15.0 / 0.465 / 0.19078 / 0.85, rel=0.01) and log[-1, 2] == 4.0
    assert np.abs(np.diff(log[:, 1])).max() < 60.0, "the tires build up their slip, and that is all"


@pytest.mark.parametrize("parts", [automatic(lock_up=LOCK_UP), manual(), manual(type="sequential")])
def test_clutches_only_take_energy_under_any_commands(parts):
    """Also of a car that rolls backwards down a hill in a forward gear, and at steps of 5 ms."""
    rng = np.random.default_rng(0)
    for _ in range(12):
        car = Car(parts, int(rng.integers(0, 2)), 0.0, float(rng.uniform(-0.3, 0.3)))
        for _ in range(30):
            pedals = {name: float(rng.choice([0.0, rng.uniform(), 1.0])) for name in ("throttle", "brake", "clutch")}
            car.set(selector=rng.choice([-1, 0, 1, 1, 1]), gear=rng.choice([0, rng.integers(0, 6)]), **pedals)
            car.set(manual_clutch=rng.integers(0, 2), starter=rng.integers(0, 2))
            heat = float(car.state[0]["clutch_heat"])
            log = car.roll(float(rng.choice([0.05, 0.5, 2.0])), float(rng.choice([1e-3, 5e-3])))
            assert np.isfinite(log).all() and np.abs(log[:, 3]).max() < 900.0
            assert car.state[0]["clutch_heat"] >= heat - 1e-2


@pytest.mark.parametrize(
    ("parts", "key", "expected"),
    [
        (manual(clutch={**CLUTCH, "capacity": 300.0}), "clutch.capacity", "the largest engine torque"),
        (manual(clutch={**CLUTCH, "driver": {"from_rpm": 2e4, "full_rpm": 2.5e4, "time": 0.5}}), "clutch.driver.from_rpm", "no torque"),
        (manual(clutch={**CLUTCH, "share": [1.0, 1.0, 0.2, 0.1]}), "clutch.share", "from 1 to 0"),
        (manual(clutch=None), "", "either torque_converter or clutch"),
        (manual(type="automatic"), "gearbox.synchronizer", "no key of this name for a gearbox of type automatic"),
        (manual(synchronizer=None), "gearbox.synchronizer", "a value for a gearbox of type manual"),
        (manual(starter={**STARTER, "torque": 100.0}), "starter.torque", "until it fires"),
        (manual(starter={**STARTER, "fire_rpm": 200.0}), "starter.fire_rpm", "the stall speed of the engine"),
    ],
)
def test_manual_gearboxes_that_cannot_work_are_refused(parts, key, expected):
    with pytest.raises(ConfigError) as caught:
        drivetrain_from_mapping(parts["drivetrain"], "bench")
    assert f"drivetrain{'.' * bool(key)}{key}" in str(caught.value) and expected in str(caught.value)


def change_of_acceleration(log, duration=0.1):
    """Largest change of the acceleration [m/s2] within a duration [s], low-passed over 50 ms, and the acceleration step by step."""
    acceleration = np.convolve(np.diff(log[:, 0]) * 1e3, np.full(50, 0.02), "valid")
    n = round(duration * 1e3)
    return np.abs(acceleration[n:] - acceleration[:-n]).max()


@pytest.mark.parametrize("throttle", [0.3, 0.4])
def test_the_driver_model_shifts_up_without_a_jolt(throttle):
    """Jerk below 20 m/s3, and less than a second from the release of the clutch to the pedal's torque."""
    car = Car(manual(), 1, 3.0).set(selector=1, throttle=throttle)
    car.roll(1.0)
    log, operates = [], []
    for _ in range(1500):
        log.append(car.roll(0.01))
        operates.append(int(car.state[0]["operates_throttle"]))
        if log[-1][-1, 2] >= 2 and not operates[-1]:
            break
    assert log[-1][-1, 2] == 2.0
    assert 30 < sum(operates) < 100
    assert change_of_acceleration(np.concatenate(log)) < 2.0


def test_the_driver_model_lets_spinning_wheels_recover_before_it_shifts_up():
    """Full throttle on friction 0.25: in first gear all wheels spin until the shift, and the force has no step."""
    car = Car(manual(), 1, 3.0).set(selector=1, throttle=1.0)
    car.car[3] = 0.25
    log, slip = [], []
    for _ in range(2000):
        log.append(car.roll(0.01))
        slip.append(1.0 - car.speed / (0.465 * car.spin[0]))
        if log[-1][-1, 2] >= 2 and not car.state[0]["operates_throttle"]:
            break
    log = np.concatenate(log)
    assert log[-1, 2] == 2.0
    left = int(np.flatnonzero(log[:, 2] != 1.0)[0])
    assert slip[left // 10 - 60] > 0.25
    assert change_of_acceleration(log[left - 800 :]) < 1.5


@pytest.mark.parametrize("throttle", [0.0, 0.3])
def test_the_driver_model_shifts_down_without_a_jolt(throttle):
    car = Car(manual(), 4, 12.0).set(selector=1, throttle=throttle, gear=4)
    car.roll(1.0)
    log = car.set(gear=3).roll(2.5)
    assert log[-1, 2] == 3.0 and car.state[0]["operates_throttle"] == 0
    assert car.state[0]["engine_speed"] == pytest.approx(car.state[0]["turbine_speed"])
    assert change_of_acceleration(log) < 2.0


@pytest.mark.parametrize("grade", [0.0, 0.15, 0.2])
def test_the_driver_model_starts_on_a_hill(grade):
    car = Car(manual(), 1, 0.0, grade).set(selector=1, throttle=0.8)
    log = car.roll(8.0)
    assert log[:, 0].min() > -0.5 and log[-1, 0] > 2.0 and car.state[0]["running"] == 1
