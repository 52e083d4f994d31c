"""Do the hands of the drawn driver hold the steering wheel and turn with it, with arms of fixed lengths?"""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.view.bodies.car import car
from simulator.view.bodies.driver import FOREARM, REACH, SKIN, UPPER_ARM, arms, figure, hand_angle
from simulator.view.bodies.hmmwv import hmmwv
from tests.view.test_meshes import SEDAN, TRUCK

BODIES = {
    "car": (car(SEDAN), SEDAN.head),
    "pickup": (car(TRUCK, "pickup"), TRUCK.head),
    "hmmwv": (hmmwv(SEDAN), np.array((0.1, 0.6, 0.95))),
}


def test_hands_follow_the_wheel_and_slip_back_beyond_their_reach():
    for turn in (0.0, 0.5, -1.0, REACH, -REACH):
        assert hand_angle(turn) == pytest.approx(turn)
    turns = np.radians(np.arange(-900.0, 900.1, 0.5))
    hands = np.array([hand_angle(turn) for turn in turns])
    assert np.abs(hands).max() <= REACH + 1e-9
    assert np.abs(np.diff(hands)).max() == pytest.approx(math.radians(0.5)), "the hands never jump"
    assert hand_angle(-2.0 * REACH) == pytest.approx(-hand_angle(2.0 * REACH))


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("degrees", [0.0, 45.0, -90.0, 150.0, -400.0])
def test_hands_are_on_the_rim_on_both_sides(name, degrees):
    body, eye = BODIES[name]
    rows = arms(body, eye, math.radians(degrees)).astype(float)
    assert np.isfinite(rows).all()
    tilt, rim = body.steering_tilt, np.hypot(*body.steering_wheel[:, 1:3].T).max() - 0.016
    axle = np.array((math.cos(tilt), 0.0, -math.sin(tilt)))
    middles = []
    for arm in np.split(rows, 2):
        ends = np.vstack((arm[-9:, :3], arm[-9:, 4:7])) - body.steering_place  # fingers and thumb
        along = ends @ axle
        assert np.abs(along).max() < 0.04, "around the plane of the wheel"
        assert np.abs(np.linalg.norm(ends - np.outer(along, axle), axis=1) - rim).max() < 0.045, "and around its rim"
        middles.append(ends.mean(axis=0))
    assert np.linalg.norm(middles[0] + middles[1]) < 0.02 and np.linalg.norm(middles[0]) > 0.9 * rim, "opposite to each other"


@pytest.mark.parametrize("name", BODIES)
def test_the_left_hand_goes_up_in_a_turn_to_the_right(name):
    body, eye = BODIES[name]
    straight, right = (arms(body, eye, turn)[:15, 4:7].mean(axis=0) for turn in (0.0, -1.0))
    assert right[2] > straight[2] + 0.02


@pytest.mark.parametrize("name", BODIES)
def test_arms_keep_their_lengths(name):
    body, eye = BODIES[name]
    for degrees in (0.0, 60.0, -120.0):
        upper, _, _, _, wrist, *_ = arms(body, eye, math.radians(degrees)).astype(float)
        assert np.linalg.norm(upper[4:7] - upper[:3]) == pytest.approx(UPPER_ARM, rel=0.35)
        assert np.linalg.norm(wrist[4:7] - upper[4:7]) < 1.6 * FOREARM


def test_the_head_is_around_the_eyes_and_the_driver_under_the_roof():
    body, eye = BODIES["car"]
    skin = figure(eye)
    head = skin[np.isclose(skin[:, 6:9], np.divide(SKIN, 255.0)).all(axis=1) & (skin[:, 2] > eye[2] - 0.1), :3]
    assert np.abs(head.mean(axis=0) - eye).max() < 0.08
    assert skin[:, 2].max() < body.shell[:, 2].max() - 0.05
    assert np.abs(skin[:, 1] - eye[1]).max() < 0.35
