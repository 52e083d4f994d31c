"""Does a weak wheel base feel every car up to 0.7 g without clipping, and a strong one the torque of the car?"""

import numpy as np
import pytest

import jounce
from simulator.builder.builder import build_vehicle, find_config, read_yaml
from simulator.driver.force_feedback.turn_torque import LEVEL, torque_in_turn
from simulator.driver.force_feedback.wheel_torque import ForceFeedback, WheelTorque
from simulator.driver.input_devices.device_profiles import read_profile

CARS = ("hmmwv", "hmmwv_chrono", "light_truck", "sedan", "sedan_chrono", "sedan_e90")


def applied(feedback, turn_torque, column):
    """Return the torque on the wheel in the end, for a constant torque of the column."""
    wheel = WheelTorque(feedback, turn_torque)
    wheel.set_request(column, 0.0, 20.0)
    for _ in range(200):
        torque = wheel.step(True, 0.02)
    return abs(torque)


@pytest.mark.parametrize("name", CARS)
def test_a_g29_does_not_clip_below_0_7_g_and_uses_its_torque(name):
    """In a turn of another kind than the one by which the torque is scaled: constant speed of 60 km/h, driven by the speed control."""
    feedback = read_profile(read_yaml(find_config("devices", "logitech_g29")), "g29").force_feedback
    log = jounce.simulate("iso_4138_constant_speed", vehicle=name, changes={"maneuver.parameters.rate_degps": 5.0}).log
    lateral = np.abs(log["v_WB_B_x"] * log["w_WB_B_z"])
    turning = (log["time"] > 3.5) & (lateral > 0.4 * 9.81) & (np.maximum.accumulate(lateral) < LEVEL * 9.81)
    column = float(np.abs(log["steering_column_torque"][turning]).max())
    torque = applied(feedback, torque_in_turn(build_vehicle(name)), column)
    assert 0.6 * feedback.torque <= torque < feedback.torque


def test_a_direct_drive_applies_the_torque_of_the_car():
    strong = ForceFeedback(torque=20.0)
    assert applied(strong, turn_torque=4.0, column=3.0) == pytest.approx(3.0)
    assert applied(ForceFeedback(torque=20.0, gain=0.5), turn_torque=4.0, column=3.0) == pytest.approx(1.5)


def test_the_torque_in_a_turn_leaves_the_vehicle_as_it_was():
    car = build_vehicle("sedan_e90")
    before, steering = car.piece.memory.copy(), car.model.steering.copy()
    assert torque_in_turn(car) == torque_in_turn(car) > 1.0
    assert (car.piece.memory == before).all() and car.model.steering == steering


def test_the_torque_in_a_turn_follows_the_gravity():
    """The loads of the tires and the side force of the turn are in proportion to it, and the assist takes most of the rest."""
    car = build_vehicle("sedan_e90")
    assert torque_in_turn(car, gravity=1.62) < 0.8 * torque_in_turn(car)
