"""Does a driver with keys steer each vehicle by its own figures, and keep its wheels from locking and spinning?"""

import dataclasses
import math
from functools import cache

import numpy as np
import pytest

from simulator.base.records import record
from simulator.builder.builder import build_ground, build_vehicle
from simulator.driver.input_devices import shaping
from simulator.driver.input_devices.controls import Lever
from simulator.driver.input_devices.handling import HMMWV, Handling
from simulator.driver.input_devices.human_driver import HumanDriver
from simulator.driver.input_devices.keyboard import Keyboard
from simulator.driver.input_devices.pedal_care import PedalCare
from simulator.driver.input_devices.shaping import SteeringFeel
from simulator.driver.input_devices.vehicle_handling import handling_of
from simulator.driver.vehicle_identification import lazy_internal_model
from vehicles.command import COMMAND
from vehicles.readout import READOUT

H = 1e-3
KPH = 1.0 / 3.6
NAMES = ("t", "speed", "lateral", "yaw", "throttle", "brake", "steering", "slip_low", "slip_high", "engine_speed")


class Keys:
    """Keys of a window that draws."""

    def __init__(self):
        self.held, self.frames_drawn = set(), 0

    @property
    def frames(self):
        self.frames_drawn += 1
        return self.frames_drawn

    def down(self, key):
        return key in self.held

    def taps(self, key):
        return 0


@cache
def figures(name):
    vehicle = build_vehicle(name)
    return handling_of(vehicle, lazy_internal_model(vehicle))


def full(profile):
    """The profile with full pedals."""
    pedals = {name: dataclasses.replace(getattr(profile, name), slip=1.0) for name in ("throttle", "brake")}
    return dataclasses.replace(profile, **pedals)


def driven(name, profile, keys_at, seconds, speed=0.0):
    """Columns NAMES of a drive on a level road; keys_at(t) are the pressed keys."""
    vehicle, ground, keys = build_vehicle(name), build_ground("flat"), Keys()
    lever = Lever(vehicle.hand_gears)
    driver = HumanDriver([Keyboard(keys, profile, lever, figures(name))], lever=lever)
    vehicle.reset(ground.arrays, speed=speed)
    command, rows, r = record(COMMAND), [], vehicle.readout[0]
    vehicle.read(command)
    for n in range(round(seconds / 0.01)):
        t = 0.01 * n
        keys.held = set(keys_at(t))
        driver.read(t, float(r["v_WB_B"][0]), command, vehicle.readout)
        for _ in range(10):
            vehicle.step(ground.arrays, command, H)
        vehicle.read(command)
        c = command[0]
        slips = r["slip_ratio"]
        rows.append(
            (
                t,
                r["v_WB_B"][0],
                r["a_WG_B"][1],
                r["yaw"],
                c["throttle"],
                c["brake"],
                c["steering"],
                slips.min(),
                slips.max(),
                r["engine_speed"],
            )
        )
    return dict(zip(NAMES, np.array(rows, dtype=float).T, strict=True))


def stopping_distance(run):
    return float(np.sum(run["speed"][run["speed"] > 0.5]) * 0.01)


@pytest.mark.parametrize("name", ["sedan", "hmmwv", "light_truck"])
def test_a_brake_key_locks_no_wheel_and_stops_no_later(name, keyboard_profile):
    careful = driven(name, keyboard_profile, lambda t: {"down"}, 5.0, 100.0 * KPH)
    plain = driven(name, full(keyboard_profile), lambda t: {"down"}, 5.0, 100.0 * KPH)
    fast = careful["speed"] > 5.0
    assert plain["slip_low"][plain["speed"] > 5.0].min() < -0.95, "the full pedal locks them"
    assert careful["slip_low"][fast].min() > -0.5
    assert stopping_distance(careful) < 1.02 * stopping_distance(plain)


@pytest.mark.parametrize("name", ["sedan", "hmmwv", "light_truck"])
def test_a_braked_car_can_be_steered(name, keyboard_profile):
    turned = [
        driven(name, profile, lambda t: {"down", "left"}, 2.0, 80.0 * KPH)["yaw"][-1]
        for profile in (keyboard_profile, full(keyboard_profile))
    ]
    assert turned[0] > math.radians(15.0) > 3.0 * abs(turned[1])


def test_full_throttle_and_steering_from_rest_do_not_spin_the_sedan(keyboard_profile):
    careful, plain = (driven("sedan", profile, lambda t: {"up", "left"}, 2.0) for profile in (keyboard_profile, full(keyboard_profile)))
    assert plain["slip_high"][-50:].max() > 0.5
    assert careful["slip_high"][careful["speed"] > 1.0].max() < 0.3
    assert careful["speed"][-1] > 3.0


def test_a_start_with_the_throttle_key_reaches_speed_as_soon_as_with_spinning_wheels(keyboard_profile):
    careful, plain = (driven("sedan", profile, lambda t: {"up"}, 7.0) for profile in (keyboard_profile, full(keyboard_profile)))
    reach = [run["t"][np.argmax(run["speed"] > 80.0 * KPH)] for run in (careful, plain)]
    assert careful["slip_high"][careful["speed"] > 1.0].max() < 0.3
    assert reach[0] < 1.1 * reach[1]
    assert careful["throttle"].max() == 1.0, "the full pedal where the wheels grip"


def test_controllers_of_the_vehicle_get_the_full_pedals():
    assert figures("sedan_esc").controls_brake and figures("sedan_esc").controls_throttle
    assert not figures("sedan").controls_brake and not figures("sedan").controls_throttle
    care, seen = PedalCare(figures("sedan_esc"), 0.1, 0.1), record(READOUT)
    seen[0]["v_WB_B"][0], seen[0]["wheel_spin"], seen[0]["slip_ratio"], seen[0]["F_C"][:, 2] = 20.0, 0.0, -1.0, 4000.0
    assert [care.limit(seen, 1.0, 1.0, 0.01) for _ in range(20)][-1] == (1.0, 1.0)
    plain = PedalCare(HMMWV, 0.1, 0.1)
    assert [plain.limit(seen, 1.0, 1.0, 0.01) for _ in range(40)][-1][1] < 0.3


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_strange_readout_gives_no_strange_pedal(bad):
    care, seen = PedalCare(HMMWV, 0.1, 0.1), record(READOUT)
    for field in ("slip_ratio", "slip_angle", "wheel_spin"):
        seen[0]["v_WB_B"][0], seen[0]["F_C"][:, 2], seen[0][field] = 20.0, 4000.0, bad
        for dt in (0.01, 0.0, 0.1):
            throttle, brake = care.limit(seen, 0.8, 0.7, dt)
            assert 0.0 <= throttle <= 0.8 and 0.0 <= brake <= 0.7
    seen[0]["v_WB_B"][0] = bad
    assert care.limit(seen, 0.8, 0.7, 0.01) == (0.8, 0.7)


def test_range_and_speed_of_the_steering_are_those_of_the_car():
    """The sedan turns on 4.1 m, tips over at a larger acceleration and understeers; its steering wheel has 3.1 turns, the HMMWV's 2.6."""
    feel, sedan, hmmwv = SteeringFeel(), figures("sedan"), figures("hmmwv")
    assert sedan.turning_radius == pytest.approx(4.14, rel=0.03) and 6.0 < hmmwv.turning_radius < 7.0
    for car, turns in ((sedan, 3.14), (hmmwv, 2.63)):
        assert car.steering_wheel_lock == pytest.approx(math.pi * turns, rel=0.01)
        seconds = 0.5 * turns * 360.0 / 720.0
        steering = shaping.key_steering(0.0, 1.0, 0.0, 0.1, feel, car)
        assert steering == pytest.approx(0.1 / seconds, rel=0.02)
    narrow = dataclasses.replace(sedan, understeer=0.0)
    assert shaping.steering_range(30.0, feel, sedan) > 1.5 * shaping.steering_range(30.0, feel, narrow)
    assert shaping.steering_range(
        30.0, SteeringFeel(turning_radius=7.6, lateral_acceleration=4.5), Handling(understeer=0.0)
    ) == pytest.approx(4.5 * 7.6 / 900.0, rel=1e-3)


def test_the_figures_without_a_vehicle_are_those_of_the_shipped_hmmwv():
    shipped = dataclasses.asdict(figures("hmmwv"))
    for name, value in dataclasses.asdict(HMMWV).items():
        assert shipped[name] == pytest.approx(value, rel=0.02), name


@pytest.mark.parametrize(("name", "speed"), [("sedan", 80.0), ("hmmwv", 80.0)])
def test_a_held_steering_key_reaches_the_lateral_acceleration_of_the_car(name, speed, keyboard_profile):
    run = driven(name, keyboard_profile, lambda t: {"left"}, 2.0, speed * KPH)
    assert run["lateral"][-50:].mean() == pytest.approx(figures(name).lateral_acceleration, rel=0.2)
