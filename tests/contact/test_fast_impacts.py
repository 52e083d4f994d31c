"""Does anything pass through, gain energy or lose momentum at 30 m/s, at 1 and at 5 ms?"""

from __future__ import annotations

import math

import numpy as np
import pytest

from terrain.objects.paths import Path
from terrain.objects.world_object import Box, Capsule, ConvexHull, Cylinder, Material, Sphere, TriangleMesh, WorldObject
from tests.contact.free_body import FreeBody

M = Material(restitution=0.1, friction=0.6)
WEDGE = ConvexHull(np.array([(0, -2, 0), (0, 2, 0), (3, -2, 0), (3, 2, 0), (3, -2, 1.0), (3, 2, 1.0)]))


def mesh(n: int) -> TriangleMesh:
    """Return a wall of 2 n^2 triangles without thickness, 8 m wide."""
    ys, zs = np.linspace(-4.0, 4.0, n + 1), np.linspace(-1.0, 3.0, n + 1)
    out = []
    for i in range(n):
        for j in range(n):
            a, b, c, d = ((0.0, y, z) for y, z in ((ys[i], zs[j]), (ys[i + 1], zs[j]), (ys[i + 1], zs[j + 1]), (ys[i], zs[j + 1])))
            out += [(a, b, c), (a, c, d)]
    return TriangleMesh(np.array(out))


STOPS = {
    "post": [WorldObject("post", Cylinder(0.05, 3.0), (2.3, 0.3, -1.0), material=M)],
    "two boxes": [WorldObject(n, Box((3, 1, 3)), (4, y, 0), material=M) for n, y in (("left", 1.3), ("right", -1.3))],
    "sphere": [WorldObject("sphere", Sphere(0.5), (2.8, 0.2, 0.8), material=M)],
    "mesh": [WorldObject("mesh", mesh(8), (2.5, 0, 0), material=M)],
    "two triangles": [WorldObject("mesh", mesh(1), (2.5, 0, 0), material=M)],
    "fine mesh": [WorldObject("mesh", mesh(40), (2.5, 0, 0), material=M)],
}
PASSES = {
    "post at the corner": [WorldObject("post", Cylinder(0.05, 3.0), (2.3, 0.85, -1.0), material=M)],
    "wall at 1 degree": [WorldObject("wall", Box((200, 1, 20)), (60, 0.45, 0), yaw=-math.radians(1.0), material=M)],
    "wedge": [WorldObject("wedge", WEDGE, (2.2, 0, -0.1), material=M)],
    "capsule": [WorldObject("capsule", Capsule(0.3, 1.0), (2.8, 0.2, 0.8), pitch=0.7, material=M)],
}


@pytest.mark.parametrize("h", [1e-3, 5e-3])
@pytest.mark.parametrize("name", [*STOPS, *PASSES])
def test_an_impact_at_30_ms_keeps_energy_momentum_and_side(name, h):
    body = FreeBody((STOPS | PASSES)[name], 30.0, h)
    before, kinetic, momentum = body.kinetic, body.kinetic, body.mass * body.v
    for _ in range(round((0.6 if h < 2e-3 else 1.5) / h)):
        body.step()
        energy = body.kinetic
        assert math.isfinite(energy) and energy <= before * (1.0 + 1e-9)
        kinetic = min(kinetic, energy)
    impulse = body.collisions["touch_impulse_W"].sum(axis=0)
    assert np.linalg.norm(body.mass * body.v - momentum - impulse) < 1e-9 * np.linalg.norm(momentum)
    assert np.linalg.norm(impulse) > 0.0 and len(body.collisions) == len(np.unique(body.collisions["object"]))
    assert body.collisions["peak_force"].sum() < 60.0 * 9.81 * body.mass, "the limit of the specific force is 1000 m/s2"
    if name in STOPS:
        assert body.v[0] < 2.0 and body.x[0] < 4.0, "stopped, or turned around the post"
    if name == "wall at 1 degree":
        assert body.v[0] > 29.0 and body.v[1] < 0.0


@pytest.mark.parametrize("h", [1e-3, 5e-3])
def test_a_box_that_falls_on_the_roof_stays_above(h):
    """The box is as heavy as a planet; the block is thrown down as by a wall, with a restitution of 0.147 at 10 m/s."""
    motion = Path(np.array([(0.0, 0.0, 4.0), (0.0, 0.0, -8.0)]), times=np.array([0.0, 1.2]))
    body = FreeBody([WorldObject("box", Box((1, 1, 0.5)), (0, 0, 0), material=M, motion=motion)], 0.0, h)
    body.run(0.8)
    assert body.v[2] == pytest.approx(-11.47, abs=0.1)


def test_far_objects_cost_no_look_up():
    body = FreeBody([WorldObject("far", Box((1, 1, 1)), (500.0, 0, 0))], 1.0)
    body.step()
    away = float(body.s[0]["away"])
    body.step()
    assert float(body.s[0]["away"]) == pytest.approx(away - 1e-3, rel=1e-9), "only the path was subtracted"
