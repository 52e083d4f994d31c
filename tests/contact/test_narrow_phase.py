"""Are distances and normals of convex bodies exact, and does a body deep inside another one keep its side?"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from simulator.base.jit import kernel
from simulator.base.records import Record, record
from tests.contact.free_body import box_points
from vehicles.contact.convex import core_distance, core_overlap, track_normal
from vehicles.contact.patch import common_area, contact_point
from vehicles.contact.records import BALL, CONVEX, CYLINDER_Z, PATCH, POINTS

SIMPLEX = np.zeros((4, 3))


@kernel
def follow(a, b, n, simplex):
    """Return (overlap, x, y, z) of `track_normal` from the array n."""
    overlap, m = track_normal(a, b, (n[0], n[1], n[2]), simplex)
    return overlap, m[0], m[1], m[2]


@kernel
def center(a, b, n, w, elastic, corners, patch):
    return contact_point(a, b, (n[0], n[1], n[2]), (w[0], w[1], w[2]), elastic, corners, patch)


def hull(points, at=(0.0, 0.0, 0.0), R=None) -> Record:
    c = record(CONVEX)
    c["kind"], c["count"], c["center"], c["R"] = POINTS, len(points), at, np.eye(3) if R is None else R
    c[0]["points"][: len(points)] = points
    return c


def round_body(kind: int, at, radius: float, half: float = 0.0, R=None) -> Record:
    c = record(CONVEX)
    c["kind"], c["size"], c["center"], c["R"] = kind, (radius, half), at, np.eye(3) if R is None else R
    return c


def point_of(a, b, n, w=(0.0, 0.0, 0.0), elastic=0.002):
    return np.array(center(a, b, np.array(n, float), np.array(w, float), elastic, np.zeros((2, 4, 3)), np.zeros((2, PATCH, 3))))


@pytest.mark.parametrize("kind", [POINTS, CYLINDER_Z])
def test_the_distance_equals_the_gap_along_its_normal(kind):
    """The gap between the supporting planes is a lower bound of the distance along every direction; equality proves the shortest one."""
    draw, apart = np.random.default_rng(1), 0
    for k in range(200):
        at = draw.normal(size=3)
        at *= draw.uniform(2.0, 6.0) / np.linalg.norm(at)
        a = hull(draw.normal(size=(8, 3)), at, Rotation.random(random_state=k).as_matrix())
        R = Rotation.random(random_state=k + 1).as_matrix()
        b = hull(0.5 * draw.normal(size=(6, 3)), R=R) if kind == POINTS else round_body(kind, np.zeros(3), 0.4, 0.8, R)
        distance, *n = core_distance(a, b, 1.0, 0.0, 0.0, 0.0, SIMPLEX)
        if distance > 0.0:
            apart += 1
            assert -core_overlap(a, b, tuple(n)) == pytest.approx(distance, rel=1e-9)
    assert apart > 100


@pytest.mark.parametrize("depth", [0.02, 0.5, 1.5])
def test_a_post_deep_in_the_front_keeps_its_normal(depth):
    car = hull(box_points((-2.0, -0.9, 0.2), (2.0, 0.9, 1.4)))
    post = round_body(CYLINDER_Z, (2.0 - depth + 0.05, 0.6, 0.5), 0.05, 2.0)
    overlap, *n = follow(car, post, np.array((-0.98, 0.1, 0.17)) / np.linalg.norm((0.98, 0.1, 0.17)), SIMPLEX)
    assert n == pytest.approx((-1.0, 0.0, 0.0), abs=1e-9)
    assert overlap == pytest.approx(depth, abs=1e-9)


def test_the_depth_of_a_ball_is_that_of_its_surface():
    car = hull(box_points((-2.0, -0.9, 0.2), (2.0, 0.9, 1.4)))
    overlap, *n = follow(car, round_body(BALL, (2.2, 0.1, 0.8), 0.5), np.array((-1.0, 0.0, 0.0)), SIMPLEX)
    assert overlap == pytest.approx(0.3, abs=1e-9)
    assert n == pytest.approx((-1.0, 0.0, 0.0), abs=1e-6)


def test_a_triangle_without_thickness_has_a_depth():
    car = hull(box_points((-2.0, -0.9, 0.2), (2.0, 0.9, 1.4)))
    triangle = hull(np.array([(1.2, -5.0, -1.0), (1.2, 5.0, -1.0), (1.2, 0.0, 6.0)]))
    overlap, *n = follow(car, triangle, np.array((-1.0, 0.0, 0.0)), SIMPLEX)
    assert (overlap, *n) == pytest.approx((0.8, -1.0, 0.0, 0.0), abs=1e-9)


def test_the_force_acts_at_the_middle_of_the_common_area():
    car = hull(box_points((-2.0, -0.9, 0.2), (2.0, 0.9, 1.4)))
    post = round_body(CYLINDER_Z, (1.9, 0.3, 1.0), 0.05, 2.0)
    assert point_of(car, post, (-1.0, 0.0, 0.0))[1:3] == pytest.approx((0.3, 0.8), abs=1e-6)
    block = hull(box_points((1.9, 0.2, -1.0), (3.0, 5.0, 9.0)))
    x, y, z, area = point_of(car, block, (-1.0, 0.0, 0.0))
    assert (x, y, z) == pytest.approx((1.95, 0.55, 0.8), abs=1e-6)
    assert area == pytest.approx(0.7 * 1.2, rel=1e-6)


def test_the_force_moves_to_the_deeper_side_without_a_jump():
    wall = hull(box_points((1.95, -9.0, -1.0), (3.0, 9.0, 9.0)))
    ys = []
    for yaw in np.linspace(0.0, 0.01, 101):
        car = hull(box_points((-2.0, -0.9, 0.2), (2.0, 0.9, 1.4)), R=Rotation.from_euler("z", yaw).as_matrix())
        ys.append(point_of(car, wall, (-1.0, 0.0, 0.0))[1])
    assert ys[0] == pytest.approx(0.0, abs=1e-9)
    assert ys[-1] < -0.6
    assert np.all(np.diff(ys) <= 1e-9)
    assert np.abs(np.diff(ys)).max() < 0.05


def test_the_common_area_of_two_squares_is_exact():
    corners, patch = np.zeros((2, 4, 3)), np.zeros((2, PATCH, 3))
    corners[0, :, :2] = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    corners[1, :, :2] = np.sqrt(2.0) * np.array([(0, -1), (1, 0), (0, 1), (-1, 0)])
    count = common_area(corners, patch)
    x, y = patch[0, :count, 0], patch[0, :count, 1]
    assert count == 8
    assert 0.5 * abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) == pytest.approx(8.0 * (np.sqrt(2.0) - 1.0))
