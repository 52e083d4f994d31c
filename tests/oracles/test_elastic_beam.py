"""Does a rigid axle on bushings move as in the static problem of one free body on its rods and leaf halves, with finite rotations?"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError
from tests.laws.vehicle_rig import command, drive, ground, standing
from tests.oracles.rigid_axles import AXLES, COMMON, mapping_with
from tests.oracles.test_elastic_structure import rotation, vector_of
from vehicles.compliance.wheel_displacements import BEAM, displace_wheels
from vehicles.description import Description, read_description
from vehicles.stages import present_suspension

MIRROR = np.array([1.0, -1.0, 1.0])
RIGID = 1e10
"""N/m, stiffness of springs that keep their lengths."""
LINKS = {"LOWER_C": {"axial": 4.0e6}, "UPPER_C": {"axial": 2.5e6}}
BUSHINGS: dict[str, dict[str, dict[str, float]]] = {
    "panhard": {**LINKS, "PANHARD_C": {"axial": 3.0e6}},
    "four_link": LINKS,
    "leaf": {"FRONT_EYE": {"axial": 8.0e5, "radial": 3.0e6}, "REAR_EYE": {"axial": 3.0e5}},
}
LOAD = np.array([30.0, -300.0, 50.0, 900.0, 1100.0, -400.0, -20.0, -250.0, 30.0, 700.0, 1300.0, 500.0])
"""N m and N on both wheels: braking in a turn."""


def described(kind: str, scale: float = 1.0) -> Description:
    axle: dict[str, Any] = copy.deepcopy(AXLES[kind])
    bushings = {name: {along: rate * scale for along, rate in rates.items()} for name, rates in BUSHINGS[kind].items()}
    axle["compliance"] = {"bushings": bushings}
    return read_description(mapping_with(axle), "truck")


def compliance_of(kind: str, scale: float = 1.0) -> Vector:
    """The record of the vehicle as one matrix (12, 12), left wheel first."""
    c = described(kind, scale).mechanism.corners[0]["compliance"]
    rows = [[c["own"][:, :, 2], c["across"][:, :, 2]], [c["across"][:, :, 3], c["own"][:, :, 3]]]
    return np.block(rows)


class Beam:
    """The static problem: a body with six displacements, which may be large, on springs whose energies are r^2 / 2."""

    def __init__(self, kind: str) -> None:
        self.kind, axle = kind, AXLES[kind]
        self.p = {name: np.array(at) + COMMON["location"] for name, at in axle["hardpoints_left"].items()}
        self.bushings, self.rate = BUSHINGS[kind], float(axle["spring"]["rate"])
        self.C = self.p["SPINDLE"] * [1.0, 0.0, 1.0]

    def moved(self, q: Vector, point: Vector) -> Vector:
        return np.asarray(self.C + q[3:] + rotation(q[:3]) @ (point - self.C))

    def longer(self, q: Vector, inner: Vector, outer: Vector) -> float:
        return float(np.linalg.norm(self.moved(q, outer) - inner) - np.linalg.norm(outer - inner))

    def roots(self, q: Vector) -> Vector:
        p, out = self.p, []
        if self.kind == "leaf":
            return self.leaf_roots(q)
        pairs = [("LOWER", flip) for flip in (np.ones(3), MIRROR)] + [("UPPER", np.ones(3))]
        pairs.append(("PANHARD", np.ones(3)) if self.kind == "panhard" else ("UPPER", MIRROR))
        for name, flip in pairs:
            rod = self.longer(q, p[f"{name}_C"] * flip, p[f"{name}_A"] * flip)
            out.append(np.sqrt(self.bushings[f"{name}_C"]["axial"]) * rod)
        out += [np.sqrt(RIGID) * self.longer(q, p["SPRING_C"] * flip, p["SPRING_A"] * flip) for flip in (np.ones(3), MIRROR)]
        return np.array(out)

    def leaf_roots(self, q: Vector) -> Vector:
        """Halves as cantilevers on the seat: their tips have the rates c / a^3 and c / b^3, which together are the rate of the spring."""
        p, out = self.p, []
        a, b = float((p["FRONT_EYE"] - p["SEAT"])[0]), float((p["SEAT"] - p["REAR_EYE"])[0])
        front, rear = 1.0 / a**3, 1.0 / b**3
        alone = np.array([[front + rear, rear * b - front * a], [rear * b - front * a, front * a * a + rear * b * b]])  # height, pitch
        c = self.rate * np.linalg.inv(alone)[0, 0]  # the seat may rotate while the spring deflects
        drop = 0.02 * (2.0 * 0.75 - 1.0)
        joint = p["SEAT"] + np.array([0.25 * a, 0.25 * (p["FRONT_EYE"] - p["SEAT"])[1], -drop])
        for flip in (np.ones(3), MIRROR):
            out.append(np.sqrt(self.bushings["FRONT_EYE"]["radial"]) * self.longer(q, p["FRONT_EYE"] * flip, joint * flip))
            for way, rate, name in ((a, front, "FRONT_EYE"), (-b, rear, "REAR_EYE")):
                tip = (p["SEAT"] + np.array([way, 0.0, 0.0])) * flip
                shift = self.moved(q, tip) - tip
                out.append(np.sqrt(c * rate) * shift[2])
                out.append(np.sqrt(self.bushings[name]["axial"]) * shift[1])
            seat = p["SEAT"] * flip
            out.append(np.sqrt(RIGID) * (self.moved(q, seat) - seat)[2])
        return np.array(out)

    def solved(self, load: Vector) -> Vector:
        """(12,) rotation and displacement of the wheel centers where energy less work is least."""
        q, wheels = np.zeros(6), (self.p["SPINDLE"], self.p["SPINDLE"] * MIRROR)

        def places(q: Vector, start: Vector) -> Vector:
            turn = vector_of(rotation(q[:3]) @ rotation(start[:3]).T)
            return np.concatenate([part for W in wheels for part in (turn, self.moved(q, W) - W)])

        for _ in range(60):
            steps = 1e-6 * np.eye(6)
            slopes = np.column_stack([(self.roots(q + d) - self.roots(q - d)) / 2e-6 for d in steps])
            pull = np.column_stack([(places(q + d, q) - places(q - d, q)) / 2e-6 for d in steps]).T @ load
            change = np.linalg.solve(slopes.T @ slopes, pull - slopes.T @ self.roots(q))
            q = q + change
            if np.abs(change).max() < 1e-10:
                return places(q, np.zeros(6))
        raise AssertionError("no equilibrium")


@pytest.mark.parametrize("kind", AXLES)
def test_a_beam_on_bushings_is_where_the_static_problem_has_it(kind: str) -> None:
    C, beam = compliance_of(kind), Beam(kind)
    size = np.abs(beam.solved(0.02 * LOAD)).reshape(2, 2, 3)
    scale = np.repeat(size.max(axis=(0, 2)), 3)
    for share, allowed in ((0.02, 5e-4), (1.0, 0.02)):  # the remainder is proportional to the load
        off = (C @ (share * LOAD) - beam.solved(share * LOAD)).reshape(2, 6) / (scale * share / 0.02)
        assert np.abs(off).max() < allowed


@pytest.mark.parametrize("kind", AXLES)
def test_both_wheels_stay_on_one_beam_and_give_what_they_take(kind: str) -> None:
    C, W = compliance_of(kind), AXLES[kind]["hardpoints_left"]["SPINDLE"]
    assert np.abs(C - C.T).max() < 1e-15 and np.linalg.eigvalsh(C).min() > -1e-12 * np.abs(C).max()
    assert np.linalg.matrix_rank(C, tol=1e-9 * np.abs(C).max()) == 4
    apart = 2.0 * np.array(W) * [0.0, 1.0, 0.0]
    for e in C.T:
        np.testing.assert_allclose(e[:3], e[6:9], atol=1e-16)
        np.testing.assert_allclose(e[3:6] - e[9:], np.cross(e[:3], apart), atol=1e-16)
    assert np.abs(compliance_of(kind, 1e4)[3:6, 3:6]).max() < np.abs(C[3:6, 3:6]).max()


def test_a_leaf_axle_winds_up_without_bushings_and_a_link_axle_does_not() -> None:
    leaf, link = copy.deepcopy(AXLES["leaf"]), copy.deepcopy(AXLES["panhard"])
    leaf["compliance"], link["compliance"] = {}, {}
    c = read_description(mapping_with(leaf), "truck").mechanism.corners[0]["compliance"]
    a, b = 0.62, 0.78
    assert c["own"][1, 1, 2] == pytest.approx(1.0 / (2.0 * 90e3 * a * b), rel=1e-9)
    shift = c["own"][3:, 3:, 2].copy()
    assert shift[0, 0] > 1e-8  # fore and aft, as the links are above the axle
    shift[0, 0] = 0.0
    assert np.abs(shift).max() < 1e-20
    assert c["yields"].tolist()[:2] == [0, BEAM]
    assert read_description(mapping_with(link), "truck").mechanism.corners[0]["compliance"]["axles"] == 0


def test_a_table_has_its_rate_at_the_design_position() -> None:
    leaf = copy.deepcopy(AXLES["leaf"])
    leaf["spring"] = {"free_length": 0.32, "rate": 20e3, "deformation": [-0.3, -0.13, 0.1], "pull": [-25500.0, -11900.0, 6500.0]}
    leaf["compliance"] = {}
    c = read_description(mapping_with(leaf), "truck").mechanism.corners[0]["compliance"]
    rate = 20e3 + 18400.0 / 0.23
    assert c["own"][1, 1, 2] == pytest.approx(1.0 / (2.0 * rate * 0.62 * 0.78), rel=1e-9)


def test_a_rigid_axle_has_no_subframe() -> None:
    leaf = copy.deepcopy(AXLES["leaf"])
    leaf["compliance"] = {"subframe": {"mounts": [[0.1, 0.4, 0.0]], "rate": [1e6, 1e6, 1e6], "carries": ["FRONT_EYE"]}}
    with pytest.raises(ConfigError, match="no subframe"):
        read_description(mapping_with(leaf), "truck")


# ---- in a vehicle


def test_wind_up_rotates_a_rolled_beam_about_its_own_axle() -> None:
    """It steers no wheel: only yaw does."""
    car = standing("light_truck", "flat")
    s, k = car.space, car.space.kinematics[0]
    s.state[0]["theta"][2:] = 0.05, -0.05
    for turn, axle_moves in (([0.0, 0.06, 0.0], False), ([0.0, 0.0, 0.01], True)):
        present_suspension(car.model, s)
        axle, x = k["axle"].copy(), k["carrier_x"].copy()
        assert axle[2, 2] > 0.05
        s.elastic[0]["e"][:3, 2:] = np.array(turn)[:, None]
        displace_wheels(car.model, s)
        assert (np.abs(k["axle"] - axle)[:, 2:].max() > 5e-3) == axle_moves
        assert np.abs(k["carrier_x"] - x)[:, 2:].max() == pytest.approx(max(turn), rel=0.1)
        if not axle_moves:
            np.testing.assert_allclose(k["axle"][:, 2:], axle[:, 2:], atol=1e-12)


def test_both_wheels_stay_on_the_beam_in_a_turn() -> None:
    """Each wheel has an implicit step of its own; together they must move as one body."""
    car = standing("light_truck", "flat")
    car.reset(ground("flat"), speed=20.0)
    c = car.model.corners[0]["compliance"]
    assert c["yields"][1] == BEAM
    apart = np.array([0.0, 1.456, 0.0])
    largest, yaw = 0.0, 0.0
    for _ in range(40):
        drive(car, "flat", command(selector=1, throttle=0.3, steering=0.08), 0.05)
        e = car.space.elastic[0]["e"]
        largest = max(largest, float(np.abs(e[:3, 2] - e[:3, 3]).max()))
        largest = max(largest, float(np.abs(e[3:, 2] - e[3:, 3] - np.cross(e[:3, 2], apart)).max()))
        yaw = max(yaw, float(np.abs(e[2, 2:]).max()))
    assert yaw > 2e-4 and largest < 0.02 * yaw
