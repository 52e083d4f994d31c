"""Do wheels on bushings move as in the complete static problem: arms and carriers with all degrees of freedom between the bushings,
at minimum elastic energy, with finite angles? And as in the exact kinematics with a changed rod length?
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from simulator.base.arrays import Vector
from tests.shipped_files import shipped_content
from vehicles.compliance.elastic_axle import Bushing, Linkage, compliance_of
from vehicles.description import Description, read_description
from vehicles.mechanism_parameters import new_workspace
from vehicles.suspension.composite_inertia import prepare
from vehicles.suspension.double_wishbone.section import DoubleWishboneAxle
from vehicles.suspension.macpherson.section import MacPhersonAxle

BUSHINGS = {
    "sedan_paper": {
        "LCA_F": {"axial": 4.0e6, "radial": 9.0e6}, "LCA_B": {"axial": 5.0e5, "radial": 1.2e6},
        "SHOCK_C": {"axial": 1.5e6, "radial": 3.0e6}, "TIEROD_C": {"axial": 8.0e6},
    },
    "hmmwv": {
        "LCA_F": {"axial": 3.0e6, "radial": 1.2e7}, "LCA_B": {"axial": 1.0e6, "radial": 8.0e6}, "UCA_F": {"axial": 2.0e6, "radial": 6.0e6},
        "UCA_B": {"axial": 2.5e6, "radial": 7.0e6}, "TIEROD_C": {"axial": 1.5e7}, "SPRING_C": {"axial": 4.0e6},
    },
}  # fmt: skip
RIGID = 1e10
"""N/m, stiffness of rigid elements in the complete problem."""
LOAD = np.array([20.0, 40.0, -60.0, -900.0, 1100.0, 700.0])
"""N m and N on the left front wheel."""


@cache
def described(name: str, scale: float = 1.0) -> Description:
    """A vehicle with these bushings in front."""
    mapping = copy.deepcopy(shipped_content("vehicles", name))
    bushings = {p: {k: rate * scale for k, rate in b.items()} for p, b in BUSHINGS[name].items()}
    mapping["axles"]["front"]["compliance"] = {"bushings": bushings}
    return read_description(mapping, "v.yaml")


def rotation(v: Vector) -> Vector:
    """Rodrigues."""
    angle = np.linalg.norm(v)
    S = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    return np.eye(3) + S if angle < 1e-14 else np.eye(3) + np.sin(angle) / angle * S + (1.0 - np.cos(angle)) / angle**2 * S @ S


def vector_of(R: Vector) -> Vector:
    """Back, for turns well below pi."""
    half = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    sine = np.linalg.norm(half)
    return half if sine < 1e-14 else half * np.arcsin(sine) / sine


class Whole:
    """The static problem of a left front corner: springs between bodies that move as far as they like."""

    def __init__(self, name: str) -> None:
        self.corner: Any = described(name).design.corners[0]
        self.rates = {p: (b["axial"], b.get("radial", np.inf)) for p, b in BUSHINGS[name].items()}
        self.k = float(described(name).mechanism.struts[0]["spring_rate"][0]) or 1e5
        self.strut = name == "sedan_paper"
        front = shipped_content("vehicles", name)["axles"]["front"]
        self.points = {p: np.array(at) + front["location"] for p, at in front["hardpoints_left"].items()}
        self.unknowns = 13 if self.strut else 18

    def moved(self, q: Vector, body: int, point: Vector) -> Vector:
        """A point of body 0 (carrier), 1 (lower arm), 2 (upper arm), which turns about the wheel center of the design position."""
        v, d = q[6 * body : 6 * body + 3], q[6 * body + 3 : 6 * body + 6]
        return self.corner.W + d + rotation(v) @ (point - self.corner.W)

    def bushing(self, name: str, axis: Vector, displacement: Vector) -> list[float]:
        """Roots of twice its energies."""
        axial, radial = (min(rate, RIGID) for rate in self.rates.get(name, (RIGID, RIGID)))
        x = axis / np.linalg.norm(axis)
        return [*(np.sqrt(radial) * (displacement - x * (x @ displacement))), float(np.sqrt(axial) * (x @ displacement))]

    def roots(self, q: Vector) -> Vector:
        """All r of an energy sum r^2 / 2."""
        c, out = self.corner, []
        axes = [(1, c.arm_axis if self.strut else c.lower_arm_axis, c.arm_point if self.strut else c.lower_arm_point, "LCA")]
        if not self.strut:
            axes.append((2, c.upper_arm_axis, c.upper_arm_point, "UCA"))
        for body, axis, rear, arm in axes:
            front = rear + axis * np.linalg.norm(self.points[f"{arm}_F"] - self.points[f"{arm}_B"])
            for name, point in ((f"{arm}_F", front), (f"{arm}_B", rear)):
                out += self.bushing(name, axis, self.moved(q, body, point) - point)
            ball = c.D if body == 1 else c.F
            out += list(np.sqrt(RIGID) * (self.moved(q, 0, ball) - self.moved(q, body, ball)))
        rod = np.linalg.norm(self.moved(q, 0, c.K) - c.Q) - np.linalg.norm(c.K - c.Q)
        out.append(np.sqrt(self.rates["TIEROD_C"][0]) * rod)
        if self.strut:  # the rod slides by q[12] in the tube; its top hangs in the mount
            u = (c.J - c.V) / np.linalg.norm(c.J - c.V)
            out += self.bushing("SHOCK_C", u, self.moved(q, 0, c.J + q[12] * u) - c.J)
            out.append(np.sqrt(self.k) * q[12])
        else:  # spring and mount in series
            mount = self.rates["SPRING_C"][0]
            length = np.linalg.norm(self.moved(q, 1, c.S) - c.U) - np.linalg.norm(c.S - c.U)
            out.append(np.sqrt(self.k * mount / (self.k + mount)) * length)
        return np.array(out)

    def solved(self, load: Vector) -> Vector:
        """(6,) turn and shift of the carrier where the forces on everything vanish."""
        q = np.zeros(self.unknowns)
        for _ in range(60):
            slopes = np.column_stack([(self.roots(q + d) - self.roots(q - d)) / 2e-7 for d in 1e-7 * np.eye(len(q))])
            turn = np.column_stack([vector_of(rotation(q[:3] + d) @ rotation(q[:3] - d).T) / 2e-6 for d in 1e-6 * np.eye(3)])
            pull = np.zeros(len(q))
            pull[:3], pull[3:6] = turn.T @ load[:3], load[3:]
            change = np.linalg.solve(slopes.T @ slopes, pull - slopes.T @ self.roots(q))
            q = q + change
            if np.abs(change).max() < 1e-9:
                return q[:6]
        raise AssertionError("no equilibrium")


def with_compliance(name: str, load: Vector) -> Vector:
    """Displacement by the exact kinematics with the spring only, plus the compliance of the record."""
    d = described(name)
    whole = Whole(name)
    w = new_workspace(d.mechanism)

    def at(theta: float) -> Any:
        w.state[0]["theta"][0] = theta
        prepare(d.mechanism.records, w)
        return w.kinematics[0].copy()

    start = at(0.0)
    frames = [
        np.stack([start["carrier_x"][:, 0], np.cross(start["carrier_z"][:, 0], start["carrier_x"][:, 0]), start["carrier_z"][:, 0]], 1)
    ]

    def over(theta: float) -> float:
        k = at(theta)
        held = -whole.k * (k["spring_length"][0] - start["spring_length"][0]) * k["spring_length_1"][0]
        return float(held + k["w"][:, 0] @ load[:3] + k["W_1"][:, 0] @ load[3:])

    a, b = 0.0, 1e-4
    for _ in range(20):
        f_a, f_b = over(a), over(b)
        if f_a == f_b or abs(b - a) < 1e-14:
            break
        a, b = b, b - f_b * (b - a) / (f_b - f_a)
    k = at(b)
    frames.append(np.stack([k["carrier_x"][:, 0], np.cross(k["carrier_z"][:, 0], k["carrier_x"][:, 0]), k["carrier_z"][:, 0]], 1))
    rigid = np.concatenate([vector_of(frames[1] @ frames[0].T), k["W"][:, 0] - start["W"][:, 0]])
    return np.asarray(rigid + d.mechanism.corners[0]["compliance"]["own"][:, :, 0] @ load)


@pytest.mark.parametrize("name", ["sedan_paper", "hmmwv"])
def test_a_corner_on_bushings_is_where_the_whole_static_problem_has_it(name: str) -> None:
    small, usual = (with_compliance(name, s * LOAD) - Whole(name).solved(s * LOAD) for s in (0.02, 2.0))
    size = np.abs(Whole(name).solved(0.02 * LOAD))
    scale = np.where(np.arange(6) < 3, size[:3].max(), size[3:].max())
    assert np.abs(small / scale).max() < 1e-3  # what is left goes with the square of the load, and with RIGID
    assert np.abs(usual / (100.0 * scale)).max() < 0.06


def test_a_rod_that_yields_turns_the_wheel_as_the_exact_kinematics_do_when_it_gets_longer() -> None:
    d = described("sedan_paper")
    axle_points = Whole("sedan_paper").points
    linkage = MacPhersonAxle.elastic
    assert linkage is not None
    rate = 7.0e6
    C = compliance_of(linkage, axle_points, d.design.corners[0].W, {"TIEROD_C": Bushing(rate, np.inf)}, sides=1)
    w, corner = new_workspace(d.mechanism), d.design.corners[0]
    K, Q = axle_points["TIEROD_U"], corner.Q
    along = (Q - K) / np.linalg.norm(Q - K)

    def at(theta: float, way: float) -> tuple[Vector, Vector, float]:
        w.state[0]["theta"][0] = theta
        w.inputs[0]["Q"][:, 0] = Q + way * along
        prepare(d.mechanism.records, w)
        k = w.kinematics[0]
        x, z = k["carrier_x"][:, 0].copy(), k["carrier_z"][:, 0].copy()
        return np.stack([x, np.cross(z, x), z], 1), k["W"][:, 0].copy(), float(k["spring_length"][0])

    def slope(of: Callable[[float], tuple[Vector, Vector, float]], h: float = 1e-6) -> tuple[Vector, float]:
        (R0, W0, l0), (R1, W1, l1) = of(-h), of(h)
        return np.concatenate([vector_of(R1 @ R0.T), W1 - W0]) / (2.0 * h), (l1 - l0) / (2.0 * h)

    (by_theta, l_theta), (by_way, l_way) = slope(lambda x: at(x, 0.0)), slope(lambda x: at(0.0, x))
    v = by_way - by_theta * l_way / l_theta  # the spring keeps its length
    np.testing.assert_allclose(C, np.outer(v, v) / rate, atol=1e-7 * np.abs(C).max())


@pytest.mark.parametrize(("linkage", "name"), [(MacPhersonAxle.elastic, "sedan_paper"), (DoubleWishboneAxle.elastic, "hmmwv")])
def test_both_sides_are_mirror_images_and_give_what_they_take(linkage: Linkage, name: str) -> None:
    corner = described(name).design.corners[0]
    bushings = {p: Bushing(b["axial"], b.get("radial", np.inf)) for p, b in BUSHINGS[name].items()}
    C = compliance_of(linkage, Whole(name).points, corner.W, bushings)
    flip = np.diag([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0])
    np.testing.assert_allclose(C[6:, 6:], flip @ C[:6, :6] @ flip, atol=1e-12 * np.abs(C).max())
    assert np.abs(C - C.T).max() < 1e-15 * np.abs(C).max() + 1e-30 and np.linalg.eigvalsh(C).min() > -1e-12 * np.abs(C).max()
    assert np.abs(C[:6, 6:]).max() < 1e-12 * np.abs(C).max()  # the sides are independent without a subframe
    assert compliance_of(linkage, Whole(name).points, corner.W, {}).max() == 0.0


def test_rates_without_bound_are_the_rigid_car() -> None:
    soft, hard = (described("sedan_paper", scale).mechanism.corners[0]["compliance"]["own"] for scale in (1.0, 1e4))
    np.testing.assert_allclose(1e4 * hard, soft, rtol=1e-5, atol=1e-9 * np.abs(soft).max())
