"""Does a person or an animal on its way yield to a vehicle, while other objects on paths push on?"""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from terrain.objects.paths import Path
from terrain.objects.world_object import Box, Breakaway, Material, WorldObject
from tests.contact.free_body import FreeBody


def walker(breakaway: Breakaway | None, speed: float = 1.4) -> WorldObject:
    """Return a box that walks along y toward the side of the block."""
    path = Path(np.array([(0.5, -6.0, 0.9), (0.5, 6.0, 0.9)]), speeds=np.full(2, speed), breakaway=breakaway)
    return WorldObject("person", Box((0.5, 0.5, 1.8)), (0.0, 0.0, 0.0), label="person", material=Material(restitution=0.1), motion=path)


@pytest.mark.parametrize("h", [1e-3, 5e-3])
def test_a_person_gives_its_momentum_and_leaves_its_path(h):
    body = FreeBody([walker(Breakaway(75.0))], 0.0, h)
    body.run(6.0)
    state = body.objects.states[0]
    assert state["broken"] == 1
    assert body.mass * body.v[1] + 75.0 * state["v_WO"][1] == pytest.approx(75.0 * 1.4, rel=1e-6)
    assert 0.0 < body.v[1] < 0.08 and state["v_WO"][1] < body.v[1] + 1e-6
    assert np.linalg.norm(state["p_WO"] - body.objects.position(1, 6.0)) == 0.0
    body.objects.reset()
    assert body.objects.position(1, 2.0) == pytest.approx((0.5, -3.2, 0.9))


@pytest.mark.parametrize("h", [1e-3, 5e-3])
def test_a_vehicle_knocks_a_person_off_its_path(h):
    person = WorldObject(
        "person", Box((0.5, 0.5, 1.8)), (0.0, 0.0, 0.0), material=Material(restitution=0.1), motion=Path(
            np.array([(8.0, -2.0, 0.9), (8.0, 2.0, 0.9)]), speeds=np.full(2, 1.4), breakaway=Breakaway(75.0)
        ),
    )  # fmt: skip
    body = FreeBody([person], 8.0, h)
    body.run(1.2)
    state = body.objects.states[0]
    total = body.mass * body.v + 75.0 * state["v_WO"]
    assert total[:2] == pytest.approx((body.mass * 8.0, 75.0 * 1.4), rel=1e-6)
    assert state["v_WO"][0] >= body.v[0] - 1e-6 and body.v[0] == pytest.approx(8.0 * 1500.0 / 1575.0, rel=0.02)
    assert len(body.collisions) == 1


def test_an_object_without_a_mass_pushes_and_a_force_below_the_limit_does_too():
    for breakaway in (None, Breakaway(75.0, 1e7)):
        body = FreeBody([walker(breakaway)], 0.0)
        body.run(6.0)
        assert body.v[1] > 1.3


def test_the_heading_is_that_at_the_touch():
    points = np.array([(6.5, -6.0, 0.9), (0.5, -6.0, 0.9), (0.5, 6.0, 0.9)])
    path = Path(points, speeds=np.full(3, 1.4), breakaway=Breakaway(75.0))
    body = FreeBody([WorldObject("person", Box((0.6, 0.4, 1.8)), (0.0, 0.0, 0.0), motion=path)], 0.0)
    body.run(10.0)
    state = body.objects.states[0]
    assert state["broken"] == 1 and state["R_WO"][0] == pytest.approx((0.0, 1.0, 0.0), abs=0.3)


@pytest.mark.parametrize("mass", [None, 80.0])
def test_a_person_does_not_move_a_braked_car(mass):
    person = {"shape": "box", "size": [0.5, 0.5, 1.8], "label": "person", "path": {"points": [[0.5, -6], [0.5, 6]], "speed": 1.4}}
    person |= {} if mass is None else {"breakaway": {"mass": mass}}
    sim = jounce.Simulation("sedan", "flat", changes={"objects": [person]})
    sim.command(brake=1.0, parking_brake=1.0)
    sim.advance(9.0)
    assert len(sim.collisions) == 1
    assert np.hypot(sim["p_WB_x"], sim["p_WB_y"]) < 0.02 and abs(sim["yaw"]) < 0.005
    assert sim.object_position(1)[1] < -0.9, "the person has stopped beside the car"
    assert abs(sim.object_position(1)[2] - 0.9) < 0.01


def test_a_car_pushes_a_person_over_the_ground():
    sim = jounce.Simulation("sedan", "flat", changes={"objects": [
        {"shape": "box", "size": [0.5, 0.5, 1.8], "label": "person", "position": [25.0, 0.0]}
    ]})  # fmt: skip
    sim.command(throttle=1.0)
    sim.advance(4.5)
    speed = sim["v_WB_B_x"]
    assert len(sim.collisions) >= 1 and speed > 8.0 and sim.object_position(1)[0] > 26.0
    assert np.isfinite(sim.object_position(1)).all()
