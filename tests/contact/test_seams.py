"""Does a wall of many pieces guide the vehicle like a wall of one piece, and does a real edge still stop it?"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from terrain.objects.world_object import Box, Capsule, ConvexHull, Cylinder, Material, TriangleMesh, WorldObject
from tests.contact.free_body import FreeBody, box_points

FACE = -0.95
"""m, y of the face of a wall along x that the block approaches from the left."""
START, END = -8.0, 60.0


def boxes(length: float = 2.0, gap: float = 0.0, outward: Sequence[float] = (0.0,)) -> list[WorldObject]:
    """Return a wall of boxes with gaps, or overlaps if `gap` is negative; each protrudes by the next entry of `outward` [m]."""
    out, x, n = [], START, 0
    while x < END:
        y = FACE - 0.25 + outward[n % len(outward)]
        out.append(WorldObject(f"box {n}", Box((length, 0.5, 1.2)), (x + 0.5 * length, y, 0.8)))
        x, n = x + length + gap, n + 1
    return out


def hulls() -> list[WorldObject]:
    """Return flush wedges whose ends lean."""
    out = []
    for n, x in enumerate(np.arange(START, END, 2.0)):
        ends = ((x, x + 0.5), (x + 2.0, x + 2.5))
        points = [(a[k], y, z) for a in ends for k, y in enumerate((FACE, FACE - 0.5)) for z in (0.2, 1.4)]
        out.append(WorldObject(f"hull {n}", ConvexHull(np.array(points)), (0, 0, 0)))
    return out


def mesh(edge: float, rows: int, objects: int = 1) -> list[WorldObject]:
    """Return a wall of triangles, in one or more meshes."""
    xs, zs = np.arange(START, END, edge), np.linspace(0.0, 1.4, rows + 1)
    quads = [((x, z0), (x + edge, z0), (x + edge, z1), (x, z1)) for x in xs for z0, z1 in itertools.pairwise(zs)]
    triangles = np.array([[(x, FACE, z) for x, z in (q[0], q[k], q[k + 1])] for q in quads for k in (1, 2)])
    return [WorldObject(f"mesh {n}", TriangleMesh(part), (0, 0, 0)) for n, part in enumerate(np.array_split(triangles, objects))]


def pipes() -> list[WorldObject]:
    """Return a rail of capsules that end in one another."""
    return [
        WorldObject(f"pipe {n}", Capsule(0.2, 2.0), (x, FACE - 0.2, 0.8), pitch=0.5 * math.pi)
        for n, x in enumerate(np.arange(START, END, 2.0))
    ]


def turned(objects: Sequence[WorldObject], yaw: float) -> list[WorldObject]:
    """Return boxes, turned about the origin."""
    c, s = math.cos(yaw), math.sin(yaw)
    return [
        WorldObject(one.name, one.shape, (c * one.position[0] - s * one.position[1], s * one.position[0] + c * one.position[1], 0.8), yaw)
        for one in objects
    ]


def slide(objects: Sequence[WorldObject], angle: float = 3.0, speed: float = 15.0, h: float = 1e-3, yaw: float = 0.0) -> FreeBody:
    """Let the block meet a wall at an angle [deg]; the wall is turned by `yaw` [rad]. Return it after 1.5 s."""
    body = FreeBody(objects, speed, h)
    start = np.array((0.0, 0.1 + 1.9 * math.sin(math.radians(angle))))
    c, s = math.cos(yaw), math.sin(yaw)
    body.place((c * start[0] - s * start[1], s * start[0] + c * start[1], 0.0), yaw - math.radians(angle))
    body.v = speed * body.R[:, 0]
    kinetic = body.kinetic
    for _ in range(round(1.5 / h)):
        body.step()
        assert body.kinetic <= kinetic * (1.0 + 1e-9)
    return body


def heading(body: FreeBody) -> float:
    """Return the yaw [deg]."""
    return math.degrees(math.atan2(body.R[1, 0], body.R[0, 0]))


LONG = [WorldObject("wall", Box((END - START, 0.5, 1.2)), (0.5 * (START + END), FACE - 0.25, 0.8))]
SEAMS: dict[str, Callable[[], list[WorldObject]]] = {
    "flush boxes": boxes,
    "short boxes": lambda: boxes(0.6),
    "gaps of 4 mm": lambda: boxes(1.5, 0.004),
    "overlaps of 30 mm": lambda: boxes(1.5, -0.03),
    "uneven by 2 mm": lambda: boxes(1.3, 0.002, (0.0, 0.002, 0.001)),
    "hulls": hulls,
    "triangles of 2 m": lambda: mesh(2.0, 1),
    "triangles of 0.2 m": lambda: mesh(0.2, 7),
    "meshes in a row": lambda: mesh(2.0, 1, 10),
    "pipes": pipes,
}


@pytest.mark.parametrize(("angle", "speed", "h"), [(3.0, 15.0, 1e-3), (3.0, 30.0, 5e-3), (12.0, 15.0, 1e-3)])
@pytest.mark.parametrize("name", SEAMS)
def test_a_wall_of_pieces_guides_like_one_piece(name, angle, speed, h):
    one, many = slide(LONG, angle, speed, h), slide(SEAMS[name](), angle, speed, h)
    assert len(many.collisions) > 0
    assert np.linalg.norm(many.v) == pytest.approx(np.linalg.norm(one.v), rel=0.03)
    assert abs(heading(many) - heading(one)) < 12.0 and abs(many.v[1] - one.v[1]) < 0.06 * speed


@pytest.mark.parametrize("yaw", [0.4, 2.2])
def test_the_direction_of_the_wall_does_not_matter(yaw):
    along, across = slide(boxes()), slide(turned(boxes(), yaw), yaw=yaw)
    assert np.linalg.norm(across.v) == pytest.approx(np.linalg.norm(along.v), rel=0.01)
    assert abs((heading(across) - math.degrees(yaw) - heading(along) + 180.0) % 360.0 - 180.0) < 3.0


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_barriers_on_a_curve_guide_the_block(side):
    """Barriers of 2 m without friction on a circle of 40 m, from the inside and from the outside."""
    out, radius = [], 40.0
    for n in range(-6, 40):
        a = n * 2.0 / radius
        x, y = radius * math.sin(a), FACE - 0.25 + side * radius * (1.0 - math.cos(a))
        out.append(WorldObject(f"barrier {n}", Box((2.005, 0.5, 1.2)), (x, y, 0.8), yaw=side * a, material=Material(friction=0.0)))
    body = FreeBody(out, 15.0)
    body.place((0.0, 0.25, 0.0), -math.radians(3.0))
    body.v = 15.0 * body.R[:, 0]
    body.push[1] = -4e3  # against the barriers
    body.run(1.0)
    assert np.linalg.norm(body.v) > 14.0 and abs(heading(body)) < 60.0


EDGES: dict[str, list[WorldObject]] = {
    "step": [*boxes()[:8], WorldObject("step", Box((4.0, 0.7, 1.2)), (START + 18.0, FACE - 0.15, 0.8))],
    "post in front of a wall": [*boxes(), WorldObject("post", Cylinder(0.1, 1.4), (8.0, FACE + 0.1, 0.0))],
    "wall across": [*boxes(), WorldObject("across", Box((0.5, 6.0, 1.2)), (8.0, FACE + 3.0, 0.8))],
    "wall behind an opening": [*boxes()[:7], WorldObject("end", Box((8.0, 0.5, 1.2)), (13.0, FACE - 0.25, 0.8))],
    "step of a mesh": [
        *mesh(2.0, 1),
        WorldObject("step", TriangleMesh(box_points((8.0, FACE, 0.0), (9.0, FACE + 0.3, 1.4))[[[0, 1, 2], [1, 3, 2]]]), (0, 0, 0)),
    ],
}


@pytest.mark.parametrize("name", EDGES)
def test_a_real_edge_stops_the_block(name):
    """At 12 degrees, the corner of the block is behind the face of the wall by more than the steps that count as none."""
    body = slide(EDGES[name], 12.0)
    assert body.v[0] < 6.0 and body.x[0] < 14.0
