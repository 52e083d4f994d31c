"""Does the lane keeping bring a drifting car back, gently, and leave the rest to the driver?"""

from __future__ import annotations

import math

import numpy as np
import pytest

import jounce
from simulator.assistance.lane_keeping import NetworkLane
from simulator.base.errors import ConfigError
from terrain.roads.network import Lane, RoadNetwork

STRAIGHT = {
    "name": "straight", "title": "Straight", "vehicle": "sedan_esc", "terrain": "flat", "duration_s": 20, "start": {"speed_kph": 80},
    "waypoints_m": [[0, 0], [200, 0], [900, 0]], "speed": [{"speed_kph": 80, "acceleration_mps2": 1, "at_s": 0}],
}  # fmt: skip


class Drifting:
    """Person who holds the steering wheel at an angle that is a function of the time, and keeps the speed."""

    def __init__(self, steering, speed=80 / 3.6):
        self.steering, self.speed = steering, speed

    def read(self, t, readout, command):
        c, v = command[0], float(readout[0]["v_WB_B"][0])
        c["selector"], c["steering"] = 1, self.steering(t)
        c["throttle"] = min(max(0.2 + 0.3 * (self.speed - v), 0.0), 1.0)


def drifting(steering, lane=None, heading=0.0, seconds=8.0):
    """Return the log of a person in the lane of the path of a maneuver, at `heading` [deg] from it."""
    sim = jounce.Simulation(
        session=None, platform=None, driver=Drifting(steering), vehicle="sedan_esc",
        changes={"maneuver": STRAIGHT}, assistance={"lane_keeping": {} if lane is None else lane},
    )  # fmt: skip
    sim.session.start_speed = 80 / 3.6
    sim.session.reset()
    if heading:
        sim.session.vehicle.reset(sim.ground, *sim.ground.spawn[:2], sim.ground.spawn[2] + math.radians(heading), speed=80 / 3.6)
        sim.session.begin()
    sim.advance(seconds)
    return sim


@pytest.mark.parametrize("side", [-1, 1])
def test_a_drifting_car_stays_in_its_lane(side):
    sim = drifting(lambda t: 0.0, heading=1.0 * side)
    offset = np.asarray(sim.log["assistance_lane_offset"])
    assert np.abs(offset[5:]).max() < 0.5 * 3.5 - 0.9 + 0.35
    free = drifting(lambda t: 0.0, {"on": False}, heading=1.0 * side)
    assert abs(float(np.asarray(free.log["p_WB_y"])[-1])) > 2.0
    added = np.asarray(sim.log["assistance_lane_acceleration"])
    assert np.abs(added).max() <= 1.0 + 1e-9 and np.abs(np.diff(added)).max() <= 3.0 * 0.01 + 1e-9 and np.abs(added).max() > 0.1


def test_a_car_in_the_middle_is_left_alone():
    sim = drifting(lambda t: 0.0, seconds=5.0)
    assert (np.asarray(sim.log["assistance_lane_acceleration"]) == 0.0).all()
    assert (np.asarray(sim.log["command_steering"]) == 0.0).all()


def test_the_driver_changes_the_lane_against_it():
    turn = lambda t: 0.06 * math.sin(math.pi * min(max(t - 1.0, 0.0), 2.0))  # noqa: E731 - 90 deg/s of the wheel
    sim = drifting(turn, seconds=6.0)
    assert float(np.asarray(sim.log["p_WB_y"])[-1]) > 2.5


def test_without_a_lane_it_is_refused():
    with pytest.raises(ConfigError, match="lanes"):
        jounce.Simulation("sedan_esc", "flat", platform=None, assistance={"lane_keeping": {}})


def test_the_lane_of_the_ground_is_the_one_with_the_direction_of_the_car():
    points = np.column_stack((np.linspace(0.0, 100.0, 21), np.full(21, -1.75)))
    bend = np.array([(100.0 + 40.0 * math.sin(a), 38.25 - 40.0 * math.cos(a)) for a in np.linspace(0.0, 1.0, 30)])
    there = Lane("there", np.concatenate((points, bend[1:])), 3.5)
    lanes = [there, Lane("back", points[::-1] * (1.0, -1.0), 3.0), Lane("through", points + (0.0, 20.0), 3.5, crossing="c")]
    network = NetworkLane(RoadNetwork(lanes))
    place = network.place(30.0, -1.45, 0.05)
    assert place is not None and place == pytest.approx((0.3, 0.05, 0.0, 1.75))
    place = network.place(30.0, 1.0, math.pi)
    assert place is not None and place.offset == pytest.approx(0.75) and place.half_width == 1.5
    place = network.place(*bend[15], math.atan2(*(bend[16] - bend[14])[::-1]))
    assert place is not None and place.curvature == pytest.approx(1.0 / 40.0, rel=0.05) and abs(place.offset) < 0.05
    assert network.place(30.0, 18.25, 0.0) is None and network.place(30.0, -1.75, 0.5 * math.pi) is None
