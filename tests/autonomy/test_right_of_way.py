"""Does a driver on a route keep its distance from vehicles ahead, and give way to those that cross?"""

from __future__ import annotations

import math

import numpy as np
import pytest

import jounce
from simulator.autonomy.contract import Pose
from simulator.autonomy.lane_way import LaneWay
from simulator.autonomy.right_of_way import RightOfWay
from simulator.autonomy.vehicle_traits import VehicleTraits, vehicle_traits
from simulator.driver.internal_model import InternalModel
from simulator.driver.seen_vehicle import FIRST, SeenVehicle
from terrain.objects.object_set import NO_OBJECTS
from terrain.roads.network import Lane, RoadNetwork
from terrain.roads.route import center_line

SPEED = 8.0


@pytest.fixture(scope="module")
def sedan() -> VehicleTraits:
    vehicle = jounce.load_vehicle("sedan")
    return vehicle_traits(vehicle.description, vehicle.tires, InternalModel(), 1.0)


def allowed(sedan: VehicleTraits, *others: tuple[float, float, float, float]) -> float | None:
    """Return the limit of the acceleration at x = 10 m on a lane along x, with others at x, y [m], yaw [rad] and speed [m/s]."""
    lane = Lane("a", np.array(((0.0, 0.0), (200.0, 0.0))), 3.5, 14.0)
    way = LaneWay.of_route(center_line(RoadNetwork([lane]), (0.0, 0.0, 0.0), ["a"], {}), sedan)
    way.advance(10.0, 0.0)
    rules = RightOfWay(way, sedan, InternalModel())
    rules.gap.vehicles = [
        SeenVehicle(FIRST, 10.0, 0.0, 0.0, SPEED, sedan.front, sedan.rear),
        *(SeenVehicle(f"traffic_{n}", *one, 2.3, 2.3) for n, one in enumerate(others, 1)),
    ]
    return rules.limit(0.0, Pose(10.0, 0.0, 0.0), SPEED, NO_OBJECTS)


@pytest.mark.parametrize(
    ("other", "harder_than"),
    [
        ((25.0, 0.2, 0.0, 2.0), 2.0),
        ((34.0, 0.0, 0.0, 0.0), 0.5),
        ((26.0, -10.0, math.pi / 2, 6.0), 2.0),
        ((28.0, 9.0, -2.0, 5.0), 2.0),
    ],
    ids=["slow ahead", "standing ahead", "crosses from the right", "crosses from the left"],
)
def test_it_brakes_for_a_vehicle_that_is_or_comes_onto_its_way(
    sedan: VehicleTraits, other: tuple[float, float, float, float], harder_than: float
) -> None:
    limit = allowed(sedan, other)
    assert limit is not None and limit < -harder_than


@pytest.mark.parametrize(
    "other",
    [
        (40.0, 3.4, math.pi, 12.0),
        (-5.0, 0.0, 0.0, 12.0),
        (26.0, -10.0, math.pi / 2, 0.0),
        (26.0, 6.0, math.pi / 2, 6.0),
        (45.0, -35.0, math.pi / 2, 4.0),
        (60.0, 0.0, 0.0, 9.0),
    ],
    ids=["comes toward on its lane", "behind", "waits at the side", "has crossed", "crosses later", "as fast, far ahead"],
)
def test_it_drives_on_past_others(sedan: VehicleTraits, other: tuple[float, float, float, float]) -> None:
    assert allowed(sedan, other) is None
    assert allowed(sedan) is None


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.full("a plan that is refused for a queue behind the vehicle"))])
def test_it_drives_through_the_traffic_of_a_town_without_a_collision(seed: int) -> None:
    traffic = {"vehicles": [{"vehicle": "sedan", "count": 50}], "pedestrians": 40}
    sim = jounce.Simulation(maneuver="town_route", platform=None, changes={"traffic": traffic, "seed": seed}, channels=["p_WB"])
    sim.advance(38.0)
    assert not sim.collisions
    assert sim.session.driver.outcome is None and sim.session.driver._way.left < 265.0
