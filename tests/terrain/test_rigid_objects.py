"""Do objects that broke off fly, topple, slide, roll and come to rest as rigid bodies do?"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial import ConvexHull as Hull
from scipy.spatial.transform import Rotation

from simulator.base.rotations import quaternion_of_rotation
from terrain.ground import Ground
from terrain.load_terrain import load_terrain
from terrain.objects.broken import REST, move_broken
from terrain.objects.mass_properties import USUAL_ROLLING, mass_properties
from terrain.objects.object_set import ObjectSet
from terrain.objects.world_object import Box, Breakaway, Capsule, ConvexHull, Cylinder, Material, Shape, Sphere, TriangleMesh, WorldObject

G = 9.81
STEPS = (1e-3, 5e-3)
POINTS = np.random.default_rng(3).normal(size=(40, 3)) * (0.5, 0.3, 0.9)
SHAPES: dict[str, Shape] = {
    "person": Box((0.3, 0.5, 1.75)),
    "lamp post": Cylinder(0.08, 8.0),
    "cone": Cylinder(0.2, 0.7),
    "ball": Sphere(0.3),
    "capsule": Capsule(0.2, 1.35),
    "hull": ConvexHull(POINTS),
    "mesh": TriangleMesh(POINTS[Hull(POINTS).simplices]),
    "sign": Box((0.02, 0.6, 0.6)),
}


def flat(**more: object) -> Ground:
    soils = {"asphalt": {"type": "surface", "friction": 0.8}}
    return load_terrain({"type": "flat", "surface": "asphalt", **more}, "t.yaml", Path(), soils)


FLAT = flat()


class Loose:
    """One object that has just broken off, without a vehicle."""

    def __init__(
        self, shape: Shape, z: float, h: float = 1e-3, mass: float = 20.0, gravity: float = G, ground: Ground = FLAT, **more
    ) -> None:
        material = more.pop("material", Material())
        one = WorldObject("one", shape, (0.0, 0.0, z), material=material, motion=Breakaway(mass), **more)
        objects = ObjectSet([one]).for_session()
        self.mass, self.h, self.gravity, self.objects = mass, h, gravity, objects
        self.s, self.b = objects.states[0], objects.bodies[0]
        p = ground.arrays.p.copy()
        p["gravity"] = gravity
        self.ground, self.n = ground.arrays._replace(objects=objects.world, p=p), np.zeros(3)
        self.s["broken"], objects.broken_rows[0], objects.world["broken"] = 1, 0, 1
        quaternion_of_rotation(self.s["R_WO"], self.s["q_WO"])
        xx, yy, zz, xy, xz, yz = self.b["inertia"]
        self.inertia = np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))

    @property
    def arm(self) -> NDArray[np.float64]:
        return self.s["R_WO"] @ self.b["com_O"]

    @property
    def center(self) -> NDArray[np.float64]:
        return self.s["p_WO"] + self.arm

    @property
    def velocity(self) -> NDArray[np.float64]:
        return self.s["v_WO"] + np.cross(self.s["w_WO"], self.arm)

    @property
    def momentum(self) -> NDArray[np.float64]:
        """Angular momentum about the center of mass."""
        R = self.s["R_WO"]
        return R @ self.inertia @ R.T @ self.s["w_WO"]

    @property
    def kinetic(self) -> float:
        return float(0.5 * self.mass * self.velocity @ self.velocity + 0.5 * self.s["w_WO"] @ self.momentum)

    @property
    def energy(self) -> float:
        return self.kinetic + self.mass * self.gravity * self.center[2]

    def throw(self, v, w) -> None:
        self.s["w_WO"] = w
        self.s["v_WO"] = np.asarray(v, float) - np.cross(w, self.arm)

    def step(self) -> None:
        move_broken(self.ground, self.n, self.h)

    def run(self, duration: float) -> None:
        for _ in range(round(duration / self.h)):
            self.step()

    def lowest(self) -> float:
        """Height of the lowest point above the plane z = 0."""
        R, one = self.s["R_WO"], self.objects.objects[0].shape
        if isinstance(one, Sphere):
            return float(self.center[2] - one.radius)
        if isinstance(one, Capsule):
            return float(self.center[2] - 0.5 * one.length * abs(R[2, 2]) - one.radius)
        if isinstance(one, Cylinder):
            return float(self.center[2] - 0.5 * one.height * abs(R[2, 2]) - one.radius * math.sqrt(max(1.0 - R[2, 2] ** 2, 0.0)))
        points = POINTS if not isinstance(one, Box) else 0.5 * np.array(one.size) * np.array(
            [(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]
        )  # fmt: skip
        return float((self.s["p_WO"] + points @ R.T)[:, 2].min())


def test_a_force_free_body_keeps_momentum_and_energy_while_it_tumbles():
    for h in STEPS:
        one = Loose(Box((0.3, 0.5, 1.8)), 50.0, h, gravity=0.0)
        one.throw((4.0, 1.0, 8.0), (0.1, 9.0, 0.2))  # about the middle axis, which is unstable
        momentum, kinetic, start = one.momentum, one.kinetic, one.s["R_WO"].copy()
        one.run(3.0)
        assert np.abs(one.momentum - momentum).max() < 1e-11 * np.linalg.norm(momentum)
        assert one.kinetic == pytest.approx(kinetic, rel=1e-11)
        assert one.center == pytest.approx((12.0, 3.0, 50.0 + 24.0), abs=1e-9)
        assert np.abs(one.s["R_WO"] @ one.s["R_WO"].T - np.eye(3)).max() < 1e-14
        assert abs(one.s["R_WO"][1, 1] - start[1, 1]) > 1e-3, "the middle axis tips over"


def test_a_spinning_rod_precesses_at_the_rate_of_a_symmetrical_top():
    one = Loose(Cylinder(0.5, 2.0), 50.0, gravity=0.0)
    across, along = one.inertia[0, 0], one.inertia[2, 2]
    one.throw((0.0, 0.0, 0.0), (1.5, 0.0, 4.0))
    momentum = one.momentum
    one.run(1.0)
    axis = momentum / np.linalg.norm(momentum)
    turn = Rotation.from_rotvec(axis * np.linalg.norm(momentum) / across)  # precession; the spin does not move the axis
    assert one.s["R_WO"][:, 2] == pytest.approx(turn.apply((0.0, 0.0, 1.0)), abs=1e-4)
    assert along != across


@pytest.mark.parametrize("h", STEPS)
def test_a_leaning_rod_hits_the_ground_at_the_rate_of_the_closed_form(h):
    length, tilt = 2.0, 0.05
    rod = Loose(
        Box((0.02, 0.02, length)), 0.5 * length * math.cos(tilt) + 0.01 * math.sin(tilt), h, pitch=tilt, material=Material(friction=0.0)
    )
    start = rod.center[2]
    for _ in range(round(5.0 / h)):
        rod.step()
        if rod.s["R_WO"][2, 2] < math.cos(math.radians(88.0)):
            break
    # without friction the center of mass falls straight down, and the foot slides on the ground: v = w * its distance from the foot
    across = math.hypot(rod.center[0] - rod.s["p_WO"][0], 0.5 * length * math.sin(math.radians(88.0)))
    rate = math.sqrt(2.0 * G * (start - rod.center[2]) / (length**2 / 12.0 + across**2))
    assert rod.s["w_WO"][1] == pytest.approx(rate, rel=0.003 if h == 1e-3 else 0.015)
    assert abs(rod.center[0]) < 1e-6 and abs(rod.center[1]) < 1e-3


@pytest.mark.parametrize("h", STEPS)
def test_a_standing_pole_stands_and_a_leaning_one_lies_at_the_end(h):
    pole = Cylinder(0.06, 4.0)
    standing, leaning = Loose(pole, 0.0, h), Loose(pole, 0.0, h)
    leaning.throw((0.16, 0.0, 0.0), (0.0, 0.08, 0.0))  # 0.057 rad/s bring the center of mass above the edge of the foot
    standing.run(6.0), leaning.run(25.0)
    assert standing.s["R_WO"][2, 2] == pytest.approx(1.0, abs=1e-12) and standing.s["rest"] >= REST
    assert abs(leaning.s["R_WO"][2, 2]) < 0.01 and leaning.center[2] == pytest.approx(0.06, abs=1e-3)
    assert leaning.s["rest"] >= REST and not leaning.s["v_WO"].any() and not leaning.s["w_WO"].any()


@pytest.mark.parametrize("h", STEPS)
def test_a_box_slides_to_rest_by_coulomb_friction_and_then_stays(h):
    box = Loose(Box((0.5, 0.4, 0.2)), 0.1, h, material=Material(friction=0.6))
    box.throw((4.0, 1.0, 0.0), (0.0, 0.0, 0.0))
    box.run(1.5)
    place = box.center.copy()
    assert np.hypot(*place[:2]) == pytest.approx(17.0 / (2.0 * 0.6 * G), rel=0.01) and place[2] == pytest.approx(0.1, abs=1e-6)
    assert box.s["R_WO"] == pytest.approx(np.eye(3), abs=1e-6) and box.s["rest"] >= REST
    box.run(1.0)
    assert np.array_equal(box.center, place)


def test_an_object_that_leans_on_a_vehicle_falls_when_the_vehicle_leaves():
    tilt, g = 0.5, 9.81 * 20.0
    board = Loose(Box((0.4, 0.4, 2.0)), math.cos(tilt) + 0.2 * math.sin(tilt), pitch=tilt, material=Material(friction=2.0))
    lever = math.sin(tilt) - 0.2 * math.cos(tilt)  # of the weight about the lower edge
    foot = np.array((-lever, 0.0, -board.center[2]))
    top = board.s["R_WO"] @ (0.0, 0.0, 1.0)
    force = np.array((-g * lever / (top - foot)[2], 0.0, 0.0))
    for _ in range(1000):
        board.s["impulse_W"], board.s["angular_impulse_W"] = force * board.h, np.cross(top, force) * board.h
        board.step()
    assert board.s["R_WO"][2, 2] == pytest.approx(math.cos(tilt), abs=2e-3) and board.s["rest"] == 0.0, "it leans"
    board.run(4.0)
    assert abs(board.s["R_WO"][2, 2]) < 1e-3 and board.s["rest"] >= REST, "it lies"


def test_friction_decides_whether_a_box_holds_on_a_slope():
    slope = math.tan(0.5)
    plane = flat()
    plane.p["slope"][0] = slope, 0.0
    for friction, moves in ((0.9 * slope, True), (1.1 * slope, False)):
        box = Loose(Box((1.0, 1.0, 0.2)), 0.1 / math.cos(0.5), ground=plane, pitch=-0.5, material=Material(friction=friction))
        box.run(1.0)
        down = 0.5 * G * (math.sin(0.5) - friction * math.cos(0.5)) if moves else 0.0
        assert -box.center[0] / math.cos(0.5) == pytest.approx(down, abs=0.01 * max(down, 0.1))


def test_a_ball_bounces_with_its_restitution_and_rolls_without_slip():
    ball = Loose(Sphere(0.2), 1.2, material=Material(restitution=0.8, friction=0.6))
    heights = []
    for _ in range(2000):
        before = ball.velocity[2]
        ball.step()
        heights += [ball.center[2] - 0.2] if before > 0.0 >= ball.velocity[2] else []
    assert heights[0] == pytest.approx(0.64, rel=0.02) and heights[1] == pytest.approx(0.64**2, rel=0.03)
    ball = Loose(Sphere(0.2), 0.2)
    ball.throw((7.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    ball.run(0.5)
    slides = 7.0 / (G * (0.6 + (0.6 - USUAL_ROLLING) / 0.4))
    rolls = 7.0 - 0.6 * G * slides - USUAL_ROLLING * G / 1.4 * (0.5 - slides)
    assert ball.velocity[0] == pytest.approx(rolls, rel=0.005), "less than 5/7 of the speed of sliding"
    assert ball.s["w_WO"][1] == pytest.approx(ball.velocity[0] / 0.2, rel=0.01)


def test_a_barrel_rolls_and_a_person_of_the_same_shape_slides():
    barrel, person = (Loose(Cylinder(0.3, 1.2), 0.3, roll=0.0, label=label) for label in ("barrier", "person"))
    for one in (barrel, person):
        one.s["R_WO"] = Rotation.from_euler("x", 90, degrees=True).as_matrix()
        quaternion_of_rotation(one.s["R_WO"], one.s["q_WO"])
        one.throw((5.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        one.run(4.0)
    assert person.center[0] == pytest.approx(25.0 / (2.0 * 0.6 * G), rel=0.02) and abs(person.s["R_WO"][0, 0]) > 0.99
    assert barrel.center[0] > 5.0 * person.center[0]


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("h", STEPS)
def test_a_thrown_object_never_gains_energy_stays_above_the_ground_and_stops(name, h):
    upright = isinstance(SHAPES[name], Cylinder)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        yaw, pitch, roll = rng.uniform(-1.5, 1.5, 3)
        one = Loose(SHAPES[name], 6.0, h, yaw=yaw, label="person", **({} if upright else {"pitch": pitch, "roll": roll}))
        one.throw(rng.normal(size=3) * 5.0, rng.normal(size=3) * 6.0)
        before = total = one.energy
        deepest = 0.0
        for _ in range(round(30.0 / h)):
            one.step()
            now = one.energy
            assert now <= before + 1e-7 * total
            before, deepest = now, min(deepest, one.lowest())
            if one.s["rest"] >= REST:
                break
        assert one.s["rest"] >= REST and deepest > -0.01 * h / 1e-3
        assert abs(one.lowest()) < 2e-3
        assert np.isfinite(one.s["p_WO"]).all() and np.isfinite(one.s["R_WO"]).all()


def test_two_falls_are_equal_to_the_last_bit():
    found = []
    for _ in range(2):
        one = Loose(SHAPES["cone"], 2.0)
        one.throw((3.0, -1.0, 0.0), (5.0, 1.0, -4.0))
        one.run(2.0)
        found.append(one.objects.states.tobytes())
    assert found[0] == found[1]


def test_a_post_that_stood_in_the_ground_rises_slowly_and_does_not_shoot_up():
    post = Loose(Cylinder(0.1, 2.0), -0.3)
    fastest = 0.0
    for _ in range(2000):
        post.step()
        fastest = max(fastest, np.linalg.norm(post.velocity))
    assert post.s["p_WO"][2] == pytest.approx(0.0, abs=1e-5) and fastest < 0.01


@pytest.mark.parametrize(
    ("shape", "com", "moments"),
    [
        (Box((2.0, 1.0, 3.0)), (0, 0, 0), (10 / 12, 13 / 12, 5 / 12)),
        (Sphere(2.0), (0, 0, 0), (1.6, 1.6, 1.6)),
        (Cylinder(1.0, 6.0), (0, 0, 3), (3.25, 3.25, 0.5)),
        (ConvexHull(np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1.0)])), (0.25, 0.25, 0.25), (0.075, 0.075, 0.075)),
    ],
)
def test_mass_properties_are_those_of_textbooks(shape, com, moments):
    found = mass_properties(WorldObject("one", shape, (0.0, 0.0, 0.0)), 1.0)
    assert found.com == pytest.approx(com) and np.diag(found.inertia) == pytest.approx(moments)


def test_a_capsule_and_a_mesh_have_the_mass_properties_of_their_volume():
    capsule = Capsule(0.4, 1.2)
    rng = np.random.default_rng(0)
    cloud = rng.uniform(-1.0, 1.0, (400_000, 3)) * (0.4, 0.4, 1.0)
    inside = cloud[np.hypot(np.hypot(cloud[:, 0], cloud[:, 1]), np.maximum(np.abs(cloud[:, 2]) - 0.6, 0.0)) < 0.4]
    expected = (inside**2).sum(axis=1).mean() - (inside**2).mean(axis=0)
    assert np.diag(mass_properties(WorldObject("c", capsule, (0, 0, 0)), 1.0).inertia) == pytest.approx(expected, rel=0.01)
    corners = np.array([(a, b, c) for a in (0, 2) for b in (0, 1) for c in (0, 3)], float)
    mesh = mass_properties(WorldObject("m", TriangleMesh(corners[Hull(corners).simplices]), (0, 0, 0)), 1.0)
    assert mesh.com == pytest.approx((1.0, 0.5, 1.5)) and np.diag(mesh.inertia) == pytest.approx((10 / 12, 13 / 12, 5 / 12))
    flat_mesh = mass_properties(WorldObject("f", TriangleMesh(corners[None, [0, 2, 4]] * (1, 1, 0)), (0, 0, 0)), 1.0)
    assert np.isfinite(flat_mesh.inertia).all() and np.linalg.eigvalsh(flat_mesh.inertia).min() > 0.0
