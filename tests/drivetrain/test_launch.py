"""Does a car drive off, shift, idle, reverse and stop as a driver expects, at any step?"""

import numpy as np
import pytest
from drivetrain_rig import reference
from straight_line import Car


@pytest.mark.parametrize("name", ["hmmwv", "hmmwv_chrono"])
@pytest.mark.parametrize("selector", [1, -1])
def test_throttle_pushes_the_car_the_way_of_the_selector(name, selector):
    car = Car(name, selector).set(throttle=0.5)
    log = car.roll(3.0)
    assert selector * car.speed > 1.5 * 2573.0 / car.car[0]  # the more there is to push, the slower
    assert np.all(selector * log[500:, 1] > 0.0)


def test_full_throttle_launch_resembles_the_recording():
    """Another vehicle code, suspension and tires and all: this one has tires by a single formula, hence the loose limits."""
    recorded = reference()
    after = recorded["t"] > 2.0
    log = Car("hmmwv_chrono").set(throttle=1.0).roll(20.0)[9::10]
    speed, gear, engine = (recorded[name][after] for name in ("vx", "gear", "engine_speed"))
    for now in (2, 3):
        ours, theirs = np.argmax(log[:, 2] == now), np.argmax(gear == now)
        assert abs(ours - theirs) * 0.01 < 0.3
        assert log[ours, 0] == pytest.approx(speed[theirs], rel=0.05)
    assert np.sqrt(np.mean((log[:, 0] - speed) ** 2)) < 0.02 * speed.max()
    assert np.sqrt(np.mean((log[:, 3] - engine) ** 2)) < 0.01 * engine.max()
    assert log[-1, 0] == pytest.approx(speed[-1], rel=0.01)


@pytest.mark.parametrize("h", [1e-4, 2e-3, 5e-3])
def test_result_hardly_depends_on_the_step(h):
    def drive(h):
        car = Car("hmmwv").set(throttle=0.6)
        parts = [car.roll(8.0, h)]
        parts.append(car.set(throttle=0.0, brake=0.3).roll(7.0, h))
        parts.append(car.set(brake=0.0, selector=-1).roll(5.0, h))
        every = round(0.1 / h)
        return np.concatenate(parts)[every - 1 :: every]

    fine, coarse = drive(1e-3), drive(h)
    assert np.abs(fine[:, 0]).max() > 5.0
    assert np.abs(coarse[:, 0] - fine[:, 0]).max() < 0.02 * fine[:, 0].max()
    assert np.sqrt(np.mean((coarse[:, 3] - fine[:, 3]) ** 2)) < 0.02 * fine[:, 3].max()


@pytest.mark.parametrize("h", [1e-3, 5e-3])
def test_overrun_is_calm(h):
    """Throttle closed at speed: the converter settles at a speed ratio just above 1 without chatter."""
    car = Car("hmmwv_chrono", 1, 2.0).set(throttle=1.0)
    car.roll(12.0, h)
    log = car.set(throttle=0.0).roll(3.0, h)
    settled = log[len(log) // 2 :]
    assert np.all(np.diff(settled[:, 0]) < 0.0)
    assert np.abs(np.diff(settled[:, 1])).max() < 2.0
    assert 1.0 < car.out[0]["speed_ratio"] < 1.05


def test_creeps_in_drive_and_settles_at_walking_pace():
    car = Car("hmmwv", 1)
    car.roll(20.0)
    assert 0.7 < car.speed < 2.0


def test_stops_and_stays_under_the_brake_in_drive():
    car = Car("hmmwv", 1, 10.0).set(brake=0.4)
    car.roll(6.0)
    log = car.roll(5.0)
    assert np.abs(log[:, 0]).max() < 1e-4
    assert car.out[0]["gear"] == 1


@pytest.mark.parametrize("throttle", [0.15, 0.4, 0.7, 1.0])
@pytest.mark.parametrize("grade", [-0.05, 0.0, 0.03, 0.08, 0.15, 0.3])
def test_gearbox_does_not_hunt(throttle, grade):
    log = Car("hmmwv", 1, 3.0, grade).set(throttle=throttle).roll(100.0)
    assert np.count_nonzero(np.diff(log[-50000:, 2])) <= 1


@pytest.mark.parametrize("name", ["hmmwv", "hmmwv_chrono"])
@pytest.mark.parametrize("gear", [-1, 0, 1])
def test_a_session_starts_with_the_engine_settled(name, gear):
    """Otherwise the reaction of the engine speeding up would rock a car that starts in equilibrium."""
    car = Car(name, gear).set(brake=1.0)
    start = car.state[0]["engine_speed"]
    log = car.roll(5.0)
    assert np.abs(log[:, 3] - start).max() < 1e-3  # the brakes give a little until they hold
    assert np.abs(log[-1000:, 3] - start).max() < 1e-9
    assert (start > 60.0) == (name == "hmmwv")
    assert abs(car.out[0]["reaction_x"]) < 1e-6


def test_a_session_may_start_at_speed():
    car = Car("hmmwv", 3, 15.0)
    log = car.roll(2.0)
    assert np.abs(log[:200, 3] / log[0, 3] - log[:200, 0] / log[0, 0]).max() < 0.01
    assert log[-1, 2] == 3.0
