"""Do stop distance, rebound, shared momentum, friction and rest of a contact agree with closed forms, at 1 and at 5 ms?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from terrain.objects.paths import Path
from terrain.objects.world_object import Box, Breakaway, Cylinder, Material, WorldObject
from tests.contact.free_body import FreeBody

STEPS = (1e-3, 5e-3)
G = 9.81


def wall(distance: float = 0.5, restitution: float = 0.1, **more) -> WorldObject:
    """Return a wall at a distance from the front of the block, much stiffer than it."""
    material = Material(restitution=restitution, stiffness=1e12)
    return WorldObject("wall", Box((1.0, 40.0, 20.0)), (2.5 + distance, 0.0, 5.0), material=material, **more)


def deepest(body: FreeBody, duration: float) -> float:
    """Advance a body; return its maximum overlap [m]."""
    found = 0.0
    for _ in range(round(duration / body.h)):
        body.step()
        found = max(found, max(body.pairs["depth"], default=0.0))
    return found


@pytest.mark.parametrize("h", STEPS)
def test_a_mass_on_a_spring_stops_after_its_stop_distance(h):
    body = FreeBody([wall(0.05)], 2.0, h)
    assert deepest(body, 0.2) == pytest.approx(2.0 * math.sqrt(body.mass / 1.5e6), rel=0.01)


@pytest.mark.parametrize("h", STEPS)
def test_beyond_the_strength_the_work_of_the_strength_stops_the_mass(h):
    speed, body = 20.0, FreeBody([wall(0.05)], 20.0, h)
    strength = float(body.p[0]["strength"])
    elastic = strength / 1.5e6
    expected = elastic + (0.5 * body.mass * speed**2 - 0.5 * 1.5e6 * elastic**2) / strength
    assert deepest(body, 0.3) == pytest.approx(expected, rel=0.01)
    assert body.collisions["peak_force"][0] == pytest.approx(strength, rel=1e-9)


def rebound(body: FreeBody, restitution: float, speed: float, mass: float) -> float:
    """Return the speed of separation [m/s] after an impact at a speed [m/s], by the energies that the law returns; mass : reduced mass [kg]."""
    gentle, strongest = max(restitution, min(4.0 * restitution, 0.4)), 0.5 * float(body.p[0]["strength"]) ** 2 / 1.5e6
    energy, first = min(0.5 * mass * speed**2, strongest), 0.05 * strongest
    return math.sqrt(2.0 / mass * (gentle**2 * min(energy, first) + restitution**2 * max(energy - first, 0.0)))


@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize("speed", [1.0, 3.0, 6.0])
@pytest.mark.parametrize("restitution", [0.1, 0.3, 0.6, 1.0])
def test_a_mass_rebounds_with_the_coefficient_of_restitution(restitution, speed, h):
    body = FreeBody([wall(0.05, restitution)], speed, h)
    body.run(0.5)
    assert -body.v[0] / speed == pytest.approx(rebound(body, restitution, speed, body.mass) / speed, abs=0.01)


@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize("mass", [3.0, 300.0, 3000.0])
def test_a_breakaway_object_takes_its_momentum(mass, h):
    block = WorldObject("b", Box((1, 1.8, 1.2)), (2.55, 0, 0.8), material=Material(restitution=0.3), motion=Breakaway(mass))
    body = FreeBody([block], 10.0, h)
    body.run(0.5)
    left = float(body.objects.states["v_WO"][0, 0])
    assert body.mass * body.v[0] + mass * left == pytest.approx(body.mass * 10.0, rel=1e-9)
    common = body.mass * 10.0 / (body.mass + mass)
    assert body.v[0] == pytest.approx(common - 0.3 * mass / (body.mass + mass) * 10.0, abs=0.01)
    assert left - body.v[0] == pytest.approx(3.0, abs=0.05)


def test_a_breakaway_object_stands_until_its_force():
    post = WorldObject("post", Cylinder(0.05, 3.0), (2.06, 0.0, -1.0), motion=Breakaway(20.0, 50e3))
    slow, fast = FreeBody([post], 0.5), FreeBody([post], 5.0)
    slow.run(0.2), fast.run(0.2)
    assert slow.objects.states["broken"][0] == 0 and slow.collisions["peak_force"][0] < 50e3
    assert fast.objects.states["broken"][0] == 1 and fast.objects.states["v_WO"][0, 0] > 4.0


@pytest.mark.parametrize("h", STEPS)
def test_an_object_on_a_path_pushes(h):
    motion = Path(np.array([(-3.0, 0.0, 0.8), (7.0, 0.0, 0.8)]), times=np.array([0.0, 2.0]))
    body = FreeBody([WorldObject("truck", Box((1, 4, 2)), (0, 0, 0), material=Material(restitution=0.1), motion=motion)], 0.0, h)
    body.run(1.5)
    assert body.v[0] == pytest.approx(5.0 + rebound(body, 0.1, 5.0, body.mass), abs=0.02)


@pytest.mark.parametrize("h", STEPS)
def test_a_block_slides_to_rest_by_coulomb_friction(h):
    floor = WorldObject("floor", Box((100, 10, 1)), (0, 0, -0.303), material=Material(friction=0.5))
    body = FreeBody([floor], 5.0, h, gravity=G)
    body.run(2.0)
    place = body.x.copy()
    assert place[0] == pytest.approx(5.0**2 / (2.0 * 0.5 * G), abs=0.03)
    body.run(1.0)
    assert np.linalg.norm(body.x - place) < 1e-3 and np.linalg.norm(body.v) < 1e-3


@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize("restitution", [0.0, 0.1, 0.9])
def test_a_tilted_block_comes_to_rest(restitution, h):
    floor = WorldObject("floor", Box((10, 10, 1)), (0, 0, -0.4), material=Material(restitution=restitution))
    body = FreeBody([floor], h=h, gravity=G)
    body.R = Rotation.from_euler("xy", (0.03, 0.02)).as_matrix()
    body.w[:] = 0.2, 0.1, 0.3
    body.run(4.0 if restitution > 0.5 else 2.0)
    assert np.linalg.norm(body.v) < 1e-3 and np.linalg.norm(body.w) < 1e-3
    assert body.force == pytest.approx((0.0, 0.0, body.mass * G), abs=20.0)


@pytest.mark.parametrize("h", STEPS)
def test_a_block_that_starts_inside_an_object_gains_no_energy(h):
    inside = WorldObject("w", Box((1, 4, 2)), (1.8, 0, 1))
    body = FreeBody([inside], 0.0, h)
    body.run(0.5)
    assert body.kinetic == 0.0
    out, deeper = FreeBody([inside], -5.0, h), FreeBody([inside], 5.0, h)
    out.run(0.5), deeper.run(0.5)
    assert out.v == pytest.approx((-5.0, 0.0, 0.0))
    assert -deeper.v[0] == pytest.approx(rebound(deeper, 0.1, 5.0, deeper.mass), rel=0.02)


@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize("speed", [20.0, 40.0])
def test_beyond_the_strength_the_rebound_is_that_of_an_impact_that_just_reaches_it(speed, h):
    body = FreeBody([wall(0.05, 0.3)], speed, h)
    body.run(0.6)
    assert -body.v[0] == pytest.approx(rebound(body, 0.3, speed, body.mass), rel=0.03)


@pytest.mark.parametrize(("h", "most"), [(1e-3, 0.015), (5e-3, 0.15)])
def test_the_crush_is_left_within_a_short_distance(h, most):
    body, deep, back = FreeBody([wall(0.05)], 15.0, h), 0.0, 0.0
    for _ in range(round(0.5 / h)):
        body.step()
        depth = max(body.pairs["depth"], default=0.0)
        deep = max(deep, depth)
        if body.force[0] < 0.0:
            back = deep - depth
    assert deep > 0.4 and 0.0 < back < most


@pytest.mark.parametrize("h", STEPS)
def test_a_second_impact_on_the_crushed_front_rebounds_as_the_first(h):
    body = FreeBody([wall(0.05, 0.3)], 10.0, h)
    body.run(0.1)
    assert body.force[0] == 0.0 and max(body.pairs["depth"]) > 0.1
    body.v[0] = 3.0
    body.run(0.3)
    assert -body.v[0] == pytest.approx(rebound(body, 0.3, 3.0, body.mass), abs=0.1)


@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize("speed", [0.1, 15.0])
def test_a_mass_that_is_pushed_against_a_wall_rests_without_creep(speed, h):
    body = FreeBody([wall(0.05)], speed, h)
    body.push[0] = 20e3
    body.run(4.0)
    place = body.x[0]
    body.run(2.0)
    assert abs(body.x[0] - place) < 1e-6 and abs(body.v[0]) < 1e-6
    assert body.force[0] == pytest.approx(-20e3, rel=1e-3)


@pytest.mark.parametrize("h", STEPS)
@pytest.mark.parametrize("speed", [15.0, 40.0])
def test_a_mass_squeezed_between_two_boxes_rests(speed, h):
    boxes = [WorldObject(str(y), Box((6, 1, 3)), (5.1, y, 1), material=Material(restitution=0.1)) for y in (1.2, -1.2)]
    body = FreeBody(boxes, speed, h)
    body.push[0] = 20e3
    body.run(3.0)
    assert np.linalg.norm(body.v) < 1e-3 and np.linalg.norm(body.w) < 1e-3
