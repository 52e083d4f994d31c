"""Are the bodies finite, closed where they are solid, oriented outwards, and of the right size?"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.spatial import KDTree

from simulator.view.bodies import hmmwv
from simulator.view.bodies.car import car
from simulator.view.bodies.car_wheel import BEAD, caliper, car_wheel
from simulator.view.bodies.contract import Size
from simulator.view.bodies.driver import figure, seated
from simulator.view.bodies.hmmwv_wheel import plain_wheel, wheel
from simulator.view.bodies.lines import ARCH
from simulator.view.bodies.styles import STYLES
from simulator.view.meshes import STOP_LAMP, TURN_SIGNAL, Builder, capsule, coil, mirrored, simplified

SEDAN = Size(0.78, -3.74, 0.91, (0.0, -2.757), (-2.757,), 0.0, 0.32, np.array([-1.25, 0.38, 0.85]))
TRUCK = Size(0.95, -4.45, 0.98, (0.0, -3.2), (-3.2,), -0.05, 0.38, np.array([-1.15, 0.42, 1.05]))
WORN = {
    **{style: (car(SEDAN, style), SEDAN) for style in STYLES if not STYLES[style].bed},
    "truck": (car(TRUCK, "pickup"), TRUCK),
    "sedan of twice the size": (
        car(Size(*(2.0 * np.array(part) if not isinstance(part, tuple) else tuple(2.0 * x for x in part) for part in SEDAN))),
        None,
    ),
}
MESHES = {
    **{f"{part} of a {name}": (lambda body=body, part=part: getattr(body, part)) for name, (body, _) in WORN.items() for part in ("shell", "fittings", "glass", "frame")},
    **{f"cabin of a {name}": (lambda body=body: body.cabin.mesh) for name, (body, _) in WORN.items()}, "cabin": lambda: hmmwv.cabin().mesh,
    **{f"{lever.moves_by} lever": (lambda lever=lever: lever.mesh) for lever in WORN["car"][0].cabin.levers},
    "steering wheel of a sedan": lambda: WORN["car"][0].steering_wheel, "wheel of a car": lambda: car_wheel(0.32, 0.22),
    "wheel with blades": lambda: car_wheel(0.32, 0.22, "blades"), "wheel of steel": lambda: car_wheel(0.38, 0.24, "steel"),
    "caliper": lambda: caliper(0.32, 0.22), "driver": lambda: seated(WORN["car"][0], SEDAN.head),
    "shell": hmmwv.shell, "fittings": hmmwv.fittings, "glass": hmmwv.glass, "frame": hmmwv.frame, "steering wheel": hmmwv.steering_wheel,
    "wheel": lambda: wheel(0.47, 0.318), "plain wheel": lambda: plain_wheel(0.47, 0.318),
}  # fmt: skip


@pytest.mark.parametrize("name", MESHES)
def test_numbers_are_finite_and_normals_are_unit(name):
    mesh = MESHES[name]()
    assert np.isfinite(mesh).all() and len(mesh) % 3 == 0 and len(mesh) > 0
    assert np.linalg.norm(mesh[:, 3:6], axis=1) == pytest.approx(1.0, abs=1e-6)
    assert mesh[:, 6:].min() >= 0.0 and mesh[:, 6:9].max() <= 1.0
    assert (mesh[:, 9] % STOP_LAMP).max() <= 1.0 and mesh[:, 9].max() <= TURN_SIGNAL + 1.0


@pytest.mark.parametrize("name", MESHES)
def test_normals_agree_with_the_order_of_the_corners(name):
    corners = MESHES[name]().reshape(-1, 3, 10)
    flat = np.cross(corners[:, 1, :3] - corners[:, 0, :3], corners[:, 2, :3] - corners[:, 0, :3])
    assert (np.einsum("nk,nk->n", flat, corners[:, :, 3:6].mean(axis=1)) > 0.0).all()


@pytest.mark.parametrize(
    "solid",
    [Builder().box((-1, -2, 0), (1, 2, 3)).mesh(), plain_wheel(0.47, 0.318), Builder().tube([(0, 0, 0), (0, 0, 1), (1, 0, 2)], 0.1).mesh()],
)
def test_solids_are_closed_and_look_outwards(solid):
    p = np.round(solid[:, :3], 9) + 0.0
    edges = Counter()
    for a, b, c in p.reshape(-1, 3, 3):
        for start, end in ((a, b), (b, c), (c, a)):
            edges[(tuple(start), tuple(end))] += 1
    assert all(edges[(end, start)] == count for (start, end), count in edges.items()), "every edge is shared by two triangles"
    a, b, c = p.reshape(-1, 3, 3).transpose(1, 0, 2)
    assert np.einsum("nk,nk->n", a, np.cross(b, c)).sum() > 0.0, "the enclosed volume is positive"


def test_box_has_its_volume():
    a, b, c = Builder().box((-1, -2, 0), (1, 2, 3)).mesh()[:, :3].reshape(-1, 3, 3).transpose(1, 0, 2)
    assert np.einsum("nk,nk->n", a, np.cross(b, c)).sum() / 6.0 == pytest.approx(24.0)


@pytest.mark.parametrize("make", [wheel, car_wheel])
def test_wheel_has_the_size_of_the_tire(make):
    mesh = make(0.47, 0.318)
    radius = np.hypot(mesh[:, 0], mesh[:, 2])
    assert radius.max() == pytest.approx(0.47, rel=0.02)
    assert np.ptp(mesh[:, 1]) == pytest.approx(0.318, rel=0.02)


def test_body_is_a_hmmwv_in_size_and_mirrors():
    shell = hmmwv.shell()
    low, high = shell[:, :3].min(axis=0), shell[:, :3].max(axis=0)
    assert low[0] == pytest.approx(-2.36, abs=0.1) and high[0] == pytest.approx(2.3, abs=0.1)
    assert high[1] == pytest.approx(1.08, abs=0.03) and low[1] == pytest.approx(-high[1])
    assert 1.15 < high[2] < 1.45
    rows = {tuple(row) for row in np.round(shell[:, :3], 6) + 0.0}
    assert all((x, -y + 0.0, z) in rows for x, y, z in rows)


@pytest.mark.parametrize("name", [name for name, (_, size) in WORN.items() if size is not None])
def test_a_body_is_built_to_the_size_of_its_vehicle(name):
    body, size = WORN[name]
    shell = body.shell
    low, high = shell[:, :3].min(axis=0), shell[:, :3].max(axis=0)
    assert low[0] == pytest.approx(size.rear, abs=0.08) and high[0] == pytest.approx(size.front, abs=0.08)
    assert high[1] == pytest.approx(size.half_width, abs=0.04) and low[1] == pytest.approx(-high[1])
    roof = STYLES["pickup" if name == "truck" else name].roof
    assert size.head[2] + 0.15 < high[2] < size.head[2] + roof + 0.10, "the roof is over the head"
    assert size.ground + 0.1 < low[2] < size.center, "and the sill above the ground"
    rows = {tuple(row) for row in np.round(shell[:, :3], 6) + 0.0}
    assert sum((x, -y + 0.0, z) in rows for x, y, z in rows) > 0.98 * len(rows)
    sides = shell[np.abs(shell[:, 1]) > 0.75 * size.half_width, :3]
    for axle in size.axles:
        away = np.hypot(sides[:, 0] - axle, sides[:, 2] - size.center)
        assert away.min() > 0.99 * ARCH * size.radius, "nothing of the sides is before a wheel"
    assert (body.cab[0] <= size.head).all() and (size.head <= body.cab[1]).all()
    ahead = np.array(body.steering_place) - size.head
    assert 0.3 < ahead[0] < 0.6 and ahead[1] == 0.0 and -0.5 < ahead[2] < -0.2


@pytest.mark.parametrize("name", WORN)
def test_a_body_is_small_enough_for_a_software_renderer(name):
    body = WORN[name][0]
    meshes = (body.shell, body.glass, body.frame, figure(SEDAN.head), *([body.wheel(0.32, 0.22)] * 4))
    assert sum(map(len, meshes)) // 3 < 20_000


@pytest.mark.parametrize("style", STYLES)
def test_styles_differ_in_what_they_are(style):
    """Ahead of the tail, the body of a trunk is low, that of a tailgate high, and a bed is open down to its floor."""
    size = TRUCK if STYLES[style].bed else SEDAN
    shell = WORN["truck" if STYLES[style].bed else style][0].shell
    near = shell[(np.abs(shell[:, 0] - (size.rear + 0.4)) < 0.3) & (np.abs(shell[:, 1]) < 0.7 * size.half_width)]
    high = near[:, 2].max() > size.head[2] - 0.1
    assert high == STYLES[style].rear_upright
    corners = shell.reshape(-1, 3, 10)
    area = 0.5 * np.linalg.norm(np.cross(corners[:, 1, :3] - corners[:, 0, :3], corners[:, 2, :3] - corners[:, 0, :3]), axis=1)
    floor = (
        (area > 0.5)
        & (corners[:, :, 0] < size.head[0]).all(axis=1)
        & (corners[:, :, 5] > 0.99).all(axis=1)
        & (corners[:, :, 2] > size.center).all(axis=1)
    )
    assert floor.any() == STYLES[style].bed


@pytest.mark.parametrize("design", ["pairs", "five", "blades", "steel"])
def test_a_brake_fits_into_its_wheel(design):
    tire, brake = car_wheel(0.32, 0.22, design), caliper(0.32, 0.22)
    radius = np.hypot(brake[:, 0], brake[:, 2])
    spokes = tire[np.hypot(tire[:, 0], tire[:, 2]) < radius.max()]
    assert radius.min() > 0.1 and radius.max() < 0.9 * BEAD * 0.32, "inside the rim"
    assert brake[:, 1].max() < spokes[:, 1].max() - 0.02 and brake[:, 1].min() > -0.11, "and behind the spokes"


def test_doors_face_the_side_they_are_on():
    shell = hmmwv.shell()
    painted = np.isclose(shell[:, 6:9], np.divide(hmmwv.PAINT, 255.0)).all(axis=1)
    sheet = painted & (np.abs(shell[:, 0]) < 0.8) & (shell[:, 2] < 0.6) & (np.abs(shell[:, 4]) > 0.8)
    left, right = shell[sheet & (shell[:, 1] > 0.9)], shell[sheet & (shell[:, 1] < -0.9)]
    assert len(left) and len(left) == len(right)
    assert (left[:, 4] > 0.0).all() and (right[:, 4] < 0.0).all()


def test_mirror_keeps_the_outside_outside():
    mesh = mirrored(wheel(0.47, 0.318)).reshape(-1, 3, 10)
    flat = np.cross(mesh[:, 1, :3] - mesh[:, 0, :3], mesh[:, 2, :3] - mesh[:, 0, :3])
    assert (np.einsum("nk,nk->n", flat, mesh[:, :, 3:6].mean(axis=1)) > 0.0).all()


@pytest.mark.parametrize("mesh", [capsule(), coil(), capsule(6, 1), coil(per_turn=8, sides=4)])
def test_links_span_from_end_to_end(mesh):
    assert mesh.shape[1] == 6 and np.isfinite(mesh).all()
    assert np.linalg.norm(mesh[:, 3:], axis=1) == pytest.approx(1.0)
    assert 0.0 <= mesh[:, 2].min() < 0.05 and 0.95 < mesh[:, 2].max() <= 1.0


def test_a_simplified_mesh_has_fewer_triangles_and_the_same_places():
    mesh = MESHES["shell of a car"]()
    for cell, most in ((0.05, 0.7), (0.12, 0.3), (0.30, 0.1)):
        coarse = simplified(mesh, cell)
        assert 0 < len(coarse) < most * len(mesh) and len(coarse) % 3 == 0
        assert np.abs(coarse[:, :3].min(axis=0) - mesh[:, :3].min(axis=0)).max() < cell
        assert np.abs(coarse[:, :3].max(axis=0) - mesh[:, :3].max(axis=0)).max() < cell
        away, _ = KDTree(mesh[:, :3]).query(coarse[::7, :3])
        assert away.max() < 3.0**0.5 * cell
