"""Stability control of the shipped cars with ESC: slides that it must end, and drives in which it must not act."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from simulator.builder.builder import build_vehicle, data_folder
from terrain.ground import GroundArrays
from terrain.load_terrain import load_terrain
from tests.laws.vehicle_rig import command, logged, steps
from vehicles.vehicle import Vehicle

CARS = ("sedan_esc", "hmmwv_esc")
ALL_CARS = (*CARS, "sedan_electric")
EVERY = 0.01
"""s between two commands of a driver."""

Pedals = dict[str, float]


class Drive(NamedTuple):
    """Recorded drive; arrays over the time."""

    time: np.ndarray
    """s"""
    speed: np.ndarray
    """m/s, forward"""
    sideslip: np.ndarray
    """rad, at the center of mass"""
    yaw: np.ndarray
    """rad"""
    active: np.ndarray
    """1 while the controller brakes a wheel"""
    throttle_limit: np.ndarray
    estimate: np.ndarray
    """rad, sideslip estimated by the controller"""
    lateral_acceleration: np.ndarray
    """m/s2"""


@cache
def car(name: str) -> Vehicle:
    return build_vehicle(name, check_step=False)


@cache
def flat(friction: float, **more: Any) -> GroundArrays:
    return load_terrain({"type": "flat", "friction": friction, **more}, "flat", data_folder("assets"), {}).arrays


@cache
def split() -> GroundArrays:
    """Return a ground with a friction of 0.2 on the left of the x axis and 0.8 on the right."""
    patch = {"friction": 0.2, "x": [-50.0, 1000.0], "y": [0.0, 10.0]}
    return load_terrain({"type": "flat", "friction": 0.8, "spacing": [0.5, 0.1], "patches": [patch]}, "split", Path(), {}).arrays


@cache
def rough(roughness: str) -> GroundArrays:
    return load_terrain({"type": "flat", "roughness": {"class": roughness, "seed": 3}}, "rough", data_folder("assets"), {}).arrays


def center(vehicle: Vehicle) -> float:
    """Return the x coordinate [m] of the center of mass from the parameters of the controller: the sensors are at the reference point."""
    return -float(parameters(vehicle)["sensor_position"])


def switch(vehicle: Vehicle, **on: bool) -> None:
    """Switch controllers on or off by name, all others on."""
    names = [unit.name for unit in vehicle.description.controllers.units]
    vehicle.model.controllers["active"] = [int(on.get(name, True)) for name in names]


def wheel_angle(vehicle: Vehicle, angle: float) -> float:
    """Return the command `steering` for an angle of the steering wheel [rad]."""
    arm = vehicle.model.steering[0]
    return angle / float(arm["max_arm_angle"] * arm["gear_ratio"])


def ratio(vehicle: Vehicle) -> float:
    return float(parameters(vehicle)["steering_ratio"])


def parameters(vehicle: Vehicle) -> Any:
    return next(unit.parameters[0] for unit in vehicle.description.controllers.units if unit.name == "esc")


def hold(vehicle: Vehicle, speed: float) -> float:
    """Return a throttle that holds a speed [m/s]."""
    return min(1.0, max(0.0, vehicle.start_throttle + 0.2 * (speed - float(vehicle.space.state[0]["v_WB_B"][0]))))


def drive(vehicle: Vehicle, on: GroundArrays, seconds: float, driver: Callable[[float], Pedals]) -> Drive:
    """Drive with the commands of a driver, a function of the time [s]; `steering` is in angles of the front wheels [rad]."""
    s, rows, esc = vehicle.space, [], logged(vehicle, "esc_")[0]
    for n in range(round(seconds / EVERY)):
        pedals = {"selector": 1, **driver(n * EVERY)}
        pedals["steering"] = wheel_angle(vehicle, ratio(vehicle) * pedals.get("steering", 0.0))
        steps(round(EVERY * 1e3), vehicle.model, s, on, command(**pedals), 1e-3)
        v, R = s.state[0]["v_WB_B"], s.work[0]["R_WB"]
        sideslip, yaw = math.atan2(v[1] + center(vehicle) * s.state[0]["w_WB_B"][2], abs(v[0])), math.atan2(R[1, 0], R[0, 0])
        found = (float(esc[name]) for name in ("active", "throttle_limit", "sideslip"))
        rows.append(((n + 1) * EVERY, v[0], sideslip, yaw, *found, s.out[0]["a_WB_B"][1]))
    return Drive(*np.array(rows).T)


def shifted(driver: Callable[[float], Pedals], later: float, t: float) -> Pedals:
    """Return the commands of a driver at a later time [s]."""
    return driver(t + later)


def assert_no_intervention(drive: Drive) -> None:
    """Check that the controller neither braked a wheel nor closed the throttle."""
    assert not drive.active.any()
    assert drive.throttle_limit.min() == 1.0


# Slides -------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CARS)
def test_a_slide_without_throttle_on_a_slippery_road_is_braked_until_it_ends(name: str) -> None:
    """60 km/h, friction 0.35: the car gets into a slide of 12 degrees while the controller may not brake, and then the controller ends the slide."""
    vehicle, on = car(name), flat(0.35)
    switch(vehicle)
    p = parameters(vehicle)
    kept = float(p["max_pressure"])
    vehicle.reset(on, speed=60.0 / 3.6 + 2.0)

    def driver(t: float) -> Pedals:
        """Start a slide with the parking brake in a turn, then steer along the path and against the rotation."""
        v, w = vehicle.space.state[0]["v_WB_B"], float(vehicle.space.state[0]["w_WB_B"][2])
        sideslip = math.atan2(v[1] + center(vehicle) * w, v[0])
        if t < 6.0 and sideslip > -math.radians(6.0):
            return {"steering": 0.08 * min(1.0, t), "parking_brake": float(t > 1.0)}
        return {"steering": 0.5 * sideslip - 0.1 * w}

    try:
        p["max_pressure"] = 0.0
        entry = drive(vehicle, on, EVERY, driver)
        for n in range(1, 600):
            entry = drive(vehicle, on, EVERY, partial(shifted, driver, n * EVERY))
            if entry.sideslip[-1] < -math.radians(12.0):
                break
        assert entry.sideslip[-1] < -math.radians(12.0)
    finally:
        p["max_pressure"] = kept
    after = drive(vehicle, on, 5.0, partial(shifted, driver, 6.0))
    slides = np.abs(after.sideslip) > math.radians(4.0)
    last = int(np.flatnonzero(slides).max(initial=0))
    assert np.abs(after.sideslip).max() < math.radians(25.0)
    assert last < len(slides) - 50, "the slide has ended"
    assert (after.active[10:last] == 1.0).mean() > 0.9
    sliding = slice(50, last)  # the controller has found the friction
    assert np.abs(after.estimate[sliding] - after.sideslip[sliding]).max() < math.radians(7.0), "the estimate does not forget the slide"


@pytest.mark.parametrize("name", ALL_CARS)
def test_a_slow_ramp_at_120_kph_does_not_end_in_a_spin(name: str) -> None:
    vehicle, speed = car(name), 110.0 / 3.6 if name == "hmmwv_esc" else 120.0 / 3.6
    switch(vehicle)
    vehicle.reset(flat(0.8), speed=speed)
    rate = math.radians(13.5) / ratio(vehicle)
    ramp = drive(vehicle, flat(0.8), 18.0, lambda t: {"steering": max(0.0, t - 1.0) * rate, "throttle": hold(vehicle, speed)})
    assert np.abs(ramp.sideslip).max() < math.radians(12.0)
    assert np.abs(ramp.lateral_acceleration).max() > 5.0


@pytest.mark.parametrize("name", ALL_CARS)
@pytest.mark.parametrize("friction", [0.8, 0.4])
def test_lift_off_in_a_turn_keeps_the_car_in_the_turn(name: str, friction: float) -> None:
    vehicle, on, speed = car(name), flat(friction), 25.0
    switch(vehicle)
    vehicle.reset(on, speed=speed)
    p = parameters(vehicle)
    angle = 0.8 * friction * 9.81 * float(p["wheelbase"]) * (1.0 / speed**2 + 1.0 / float(p["characteristic_speed"]) ** 2)
    turn = drive(
        vehicle,
        on,
        9.0,
        lambda t: {"steering": angle * min(1.0, t), "throttle": hold(vehicle, speed) if t < 4.0 else 0.0},
    )
    assert np.abs(turn.sideslip).max() < math.radians(8.0)


@pytest.mark.parametrize("name", ALL_CARS)
def test_braking_on_split_friction_keeps_its_direction(name: str) -> None:
    vehicle = car(name)
    switch(vehicle)
    vehicle.reset(split(), speed=20.0)
    stop = drive(vehicle, split(), 4.0, lambda t: {"brake": min(0.6, 5.0 * t)})
    assert np.abs(stop.yaw).max() < math.radians(20.0)
    assert np.abs(stop.sideslip[stop.speed > 3.0]).max() < math.radians(12.0)
    assert stop.speed[-1] < 14.0


@pytest.mark.parametrize("controlled", [True, False])
def test_full_throttle_on_split_friction_with_a_fixed_steering_wheel_does_not_end_in_a_spin(controlled: bool) -> None:
    """The traction control brakes the spinning wheel of the sedan, and the driver does not steer against its yaw moment."""
    vehicle = car("sedan_esc")
    switch(vehicle, esc=controlled)
    vehicle.reset(split(), speed=10.0)
    dash = drive(vehicle, split(), 6.0, lambda _: {"throttle": 1.0})
    turned = np.abs(dash.yaw).max()
    assert turned < math.radians(10.0) if controlled else turned > math.radians(45.0)


# Drives without intervention ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CARS)
def test_it_does_not_act_in_a_lane_change_at_moderate_speed(name: str) -> None:
    """There and back at 60 km/h with peaks of about 4 m/s2."""
    vehicle, speed, on = car(name), 60.0 / 3.6, flat(0.8)
    switch(vehicle)
    vehicle.reset(on, speed=speed)
    p = parameters(vehicle)
    angle = 4.0 * float(p["wheelbase"]) * (1.0 / speed**2 + 1.0 / float(p["characteristic_speed"]) ** 2)

    def driver(t: float) -> Pedals:
        side = 1.0 if 1.0 < t < 3.0 else -1.0 if 4.0 < t < 6.0 else 0.0
        return {"steering": side * angle * math.sin(math.pi * t), "throttle": hold(vehicle, speed)}

    change = drive(vehicle, on, 8.0, driver)
    assert np.abs(change.lateral_acceleration).max() > 2.5
    assert_no_intervention(change)


@pytest.mark.parametrize(
    ("name", "roughness", "speed"),
    [("sedan_esc", "C", 25.0), ("sedan_esc", "D", 15.0), ("hmmwv_esc", "C", 25.0), ("hmmwv_esc", "E", 10.0)],
)
def test_it_does_not_act_on_rough_ground(name: str, roughness: str, speed: float) -> None:
    vehicle = car(name)
    switch(vehicle)
    vehicle.reset(rough(roughness), speed=speed)
    assert_no_intervention(
        drive(vehicle, rough(roughness), 10.0, lambda t: {"steering": 0.02 * math.sin(t), "throttle": hold(vehicle, speed)})
    )


@pytest.mark.parametrize("name", CARS)
def test_it_does_not_act_on_a_banked_road(name: str) -> None:
    """Straight on a bank of 17 %, and a turn of 3 m/s2 in both directions."""
    vehicle, on, speed = car(name), flat(0.8, grade_percent=17.0), 20.0
    switch(vehicle)
    vehicle.reset(on, 0.0, 0.0, math.pi / 2.0, speed=speed)
    angle = 0.02
    assert_no_intervention(drive(vehicle, on, 9.0, lambda t: {"steering": angle * math.sin(0.7 * t), "throttle": hold(vehicle, speed)}))


@pytest.mark.parametrize("name", CARS)
@pytest.mark.parametrize("yaw", [0.0, math.pi])
def test_it_does_not_act_on_a_hill(name: str, yaw: float) -> None:
    """Up and down a grade of 20 % with gentle turns."""
    vehicle, on, speed = car(name), flat(0.8, grade_percent=20.0), 12.0
    switch(vehicle)
    vehicle.reset(on, 0.0, 0.0, yaw, speed=speed)

    def driver(t: float) -> Pedals:
        lack = speed - float(vehicle.space.state[0]["v_WB_B"][0])
        return {"steering": 0.03 * math.sin(t), "throttle": min(1.0, max(0.0, 0.5 * lack)), "brake": min(0.4, max(0.0, -0.2 * lack))}

    assert_no_intervention(drive(vehicle, on, 8.0, driver))


@pytest.mark.parametrize("name", CARS)
def test_it_does_not_act_in_reverse_and_while_parking(name: str) -> None:
    """Full lock to both sides at up to 4 m/s, forward and backward."""
    vehicle, on = car(name), flat(0.8)
    switch(vehicle)
    for selector in (1, -1):
        vehicle.reset(on)
        lock = 1.0 / wheel_angle(vehicle, ratio(vehicle))

        def driver(t: float, selector: int = selector, lock: float = lock) -> Pedals:
            speed = abs(float(vehicle.space.state[0]["v_WB_B"][0]))
            angle = lock * max(-1.0, min(1.0, 1.5 * math.sin(0.6 * t)))
            return {"selector": selector, "steering": angle, "throttle": min(0.4, max(0.0, 0.3 * (4.0 - speed)))}

        parking = drive(vehicle, on, 12.0, driver)
        assert np.abs(parking.speed).max() > 3.0
        assert_no_intervention(parking)


@pytest.mark.parametrize("name", CARS)
@pytest.mark.parametrize("speed", [10.0, 20.0])
def test_it_does_not_act_with_full_throttle_straight_ahead_on_split_friction(name: str, speed: float) -> None:
    """At 10 m/s the traction control brakes the spinning wheel of the sedan, and the driver steers against its yaw moment."""
    vehicle = car(name)
    switch(vehicle)
    vehicle.reset(split(), speed=speed)
    R, state = vehicle.space.work[0]["R_WB"], vehicle.space.state[0]

    def driver(_: float) -> Pedals:
        return {"throttle": 1.0, "steering": -0.6 * math.atan2(R[1, 0], R[0, 0]) - 0.15 * float(state["w_WB_B"][2])}

    dash = drive(vehicle, split(), 4.0, driver)
    assert dash.speed[-1] > speed + 1.0
    assert np.abs(dash.yaw).max() < math.radians(3.0)
    assert_no_intervention(dash)
