"""Does a five-link corner move as its rods let it: on the reference curves, with exact derivatives, from any start, and not beyond its travel?"""

from __future__ import annotations

import copy
import math
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simulator.base.errors import ConfigError, InertiaWarning
from simulator.base.records import record
from tests.laws.corner_bodies import five_link_bodies
from tests.oracles.five_link_corner import DATA, FACTS, TURNED, reference_axle, reference_corner
from tests.shipped_files import shipped_content
from vehicles.description import read_description
from vehicles.mechanism_parameters import new_mechanism
from vehicles.suspension.contract import KINEMATICS
from vehicles.suspension.five_link.geometry import write_five_link
from vehicles.suspension.five_link.kinematics import BODIES, MEMORY, place_corner

CURVES = np.loadtxt(DATA / "five_link_curves.csv", delimiter=",")
CORNERS, PARAMETERS = reference_axle()
LEFT, RIGHT = 2, 3
CENTRAL = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))
"""Differences of order eight."""
FILE = "truck.yaml"
SHIPPED: dict[str, Any] = shipped_content("vehicles", "five_link_rear")


def kinematics(theta: float, rate: float = 1.0, start: Any = None) -> Any:
    """KINEMATICS of the reference and the motion of its bodies (last index: corner) at a height of its wheel centers, from the position in
    `start`."""
    memory, k = record(MEMORY) if start is None else start["memory"].copy(), record(KINEMATICS)
    for i in (LEFT, RIGHT):
        place_corner(PARAMETERS[0], memory[0], i, theta, rate, k[0])
    each = [five_link_bodies(lanes) for lanes in memory[0]["bodies"]]
    bodies = {name: np.stack([one[name] for one in each], axis=-1) for name in each[0]}
    return {"memory": memory, **{name: k[0][name] for name, *_ in KINEMATICS}, **bodies}


def carrier(k: Any, i: int) -> np.ndarray:
    """Attitude of the carrier, in chassis axes."""
    x, z = k["carrier_x"][:, i], k["carrier_z"][:, i]
    return np.column_stack([x, np.cross(z, x), z])


def test_reference_curves_over_the_travel() -> None:
    """Wheel center, attitude of the carrier and directions of the links at 201 heights."""
    k = None
    for row in CURVES:
        k = kinematics(row[0], start=k)
        R = np.diag(TURNED) @ carrier(k, LEFT) @ np.diag(TURNED)
        phi, theta, psi = math.atan2(R[1, 0], R[0, 0]), -math.asin(R[2, 0]), math.atan2(R[2, 1], R[2, 2])
        assert np.abs((TURNED * k["W"][:, LEFT])[:2] - row[1:3]).max() < 1e-14
        assert np.abs(np.array([phi, theta, psi]) - row[3:6]).max() < 1e-13
        for n, (alpha, beta) in enumerate(row[6:16].reshape(5, 2)):
            away = np.array([math.cos(beta), math.sin(alpha) * math.sin(beta), -math.cos(alpha) * math.sin(beta)])
            B = TURNED * k["W"][:, LEFT] + R @ np.array(FACTS["Wc"][n])
            assert np.abs(B - np.array(FACTS["Cc"][n]) + FACTS["L"][n] * away).max() < 1e-13
            com = TURNED * k["c"][n, :, LEFT]
            assert np.abs(com - 0.5 * (np.array(FACTS["Cc"][n]) + B)).max() < 1e-13


def test_reduced_mass_and_static_force_of_the_reference() -> None:
    for z, mass, force in FACTS["effective_mass_and_static_force"]:
        k, m = kinematics(z), PARAMETERS[0]["mass"].reshape(4, -1)[:, : len(BODIES)].T
        for i in (LEFT, RIGHT):
            D = sum(
                m[b, i] * k["u"][b, :, i] @ k["u"][b, :, i] + k["w"][b, :, i] @ matrix(k["inertia"][b, :, i]) @ k["w"][b, :, i]
                for b in range(len(BODIES))
            )
            assert pytest.approx(mass, rel=1e-9) == D
            assert 9.81 * (m[:, i] @ k["u"][:, 2, i]) == pytest.approx(force, rel=1e-9)


def matrix(six: np.ndarray) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


@pytest.mark.parametrize("theta", [-0.12, -0.03, 0.0, 0.05, 0.13])
def test_velocity_map_and_bias_are_the_derivatives_of_the_position(theta: float) -> None:
    """Of every body, wheel center and strut, against differences of order eight."""
    h, rate = 2e-3, -1.7
    here = kinematics(theta, rate)
    around = [(w / h, kinematics(theta + n * h), kinematics(theta - n * h)) for n, w in CENTRAL]

    def slope(name: str) -> np.ndarray:
        return sum(w * (up[name] - down[name])[..., LEFT:] for w, up, down in around)

    for name, derivative, factor in (
        ("c", "u", 1.0), ("u", "a_rel", rate**2), ("w", "alpha_rel", rate**2), ("W", "W_1", 1.0),
        ("spring_length", "spring_length_1", 1.0), ("shock_length", "shock_length_1", 1.0),
    ):  # fmt: skip
        assert np.abs(factor * slope(name) - here[derivative][..., LEFT:]).max() < 1e-10, name
    assert np.abs(rate * here["u"] - here["v_rel"])[..., LEFT:].max() < 1e-15
    assert np.abs(rate * here["w"] - here["w_rel"])[..., LEFT:].max() < 1e-15
    turning = slope("inertia")
    for b in range(len(BODIES)):
        for i in (LEFT, RIGHT):
            wx, wy, wz = here["w"][b, :, i]
            W, inertia = np.array([[0.0, -wz, wy], [wz, 0.0, -wx], [-wy, wx, 0.0]]), matrix(here["inertia"][b, :, i])
            assert np.abs(W @ inertia - inertia @ W - matrix(turning[b, :, i - LEFT])).max() < 1e-10


def test_rods_do_not_turn_about_the_axis_their_universal_joints_lock() -> None:
    """No angular velocity about the product of both joint axes."""
    k = kinematics(0.07)
    for n in range(5):
        rod = k["c"][n, :, LEFT] - PARAMETERS[0]["anchor"][n, :, LEFT]
        y = np.cross(rod, [1.0, 0.0, 0.0])
        assert abs(k["w"][n, :, LEFT] @ np.cross(y, [1.0, 0.0, 0.0])) < 1e-14


def test_right_corner_is_the_mirror_image() -> None:
    k = kinematics(-0.06)
    vector, turning = np.array([1.0, -1.0, 1.0]), np.array([-1.0, 1.0, -1.0])
    for name, signs in (("W", vector), ("c", vector), ("u", vector), ("a_rel", vector), ("w", turning), ("alpha_rel", turning)):
        assert np.abs(k[name][..., RIGHT] - signs * k[name][..., LEFT]).max() < 1e-14, name
    assert np.abs(k["axle"][:, RIGHT] - turning * k["axle"][:, LEFT]).max() < 1e-15  # both point left


def test_any_start_leads_to_the_same_position() -> None:
    """The design position, and both ends of the travel: the last solution is but a guess."""
    low, high = PARAMETERS[0]["travel"][:, LEFT]
    ends = [kinematics(0.999 * low), kinematics(0.999 * high)]
    for theta in np.linspace(0.99 * low, 0.99 * high, 23):
        fresh = kinematics(theta)
        assert abs(fresh["W"][2, LEFT] - theta) < 1e-15
        for start in ends:
            other = kinematics(theta, start=start)
            for name in ("W", "c", "w", "a_rel"):
                assert np.abs(other[name] - fresh[name])[..., LEFT:].max() < 1e-9, (theta, name)


def test_beyond_the_travel_everything_stays_finite_and_the_struts_go_on() -> None:
    high = PARAMETERS[0]["travel"][1, LEFT]
    end, beyond = kinematics(high), kinematics(high + 0.5)
    for name in ("W", "c", "w", "u", "spring_length"):
        assert np.isfinite(beyond[name][..., LEFT:]).all()
    assert beyond["spring_length"][LEFT] == pytest.approx(end["spring_length"][LEFT] + 0.5 * end["spring_length_1"][LEFT], rel=1e-9)
    assert not np.isfinite(kinematics(math.nan)["W"][:, LEFT]).any()


# ---- what a file may not say


def described(mapping: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InertiaWarning)  # arms of the front axle, said in the shipped file
        return read_description(mapping, FILE)


def broken(change: Any, text: str, key: str) -> None:
    mapping = copy.deepcopy(SHIPPED)
    change(mapping["axles"])
    with pytest.raises(ConfigError, match=text) as found:
        described(mapping)
    assert FILE in str(found.value)
    assert key in str(found.value)


def test_links_that_open_before_the_stop_are_named() -> None:
    def short(axles: Any) -> None:
        axles["rear"]["hardpoints_left"]["UPPER_FRONT_C"] = [0.12, 0.69, 0.08]

    broken(short, "open", "axles.rear.hardpoints_left")


def test_a_link_along_x_is_named() -> None:
    def along(axles: Any) -> None:
        axles["rear"]["hardpoints_left"]["UPPER_FRONT_C"] = [0.5, 0.78, 0.0854]

    broken(along, "upper_front", "axles.rear")


def test_a_steered_axle_of_five_links_is_refused() -> None:
    def front(axles: Any) -> None:
        axles["front"] = axles["rear"]

    broken(front, "no other axle steers the vehicle", "axles.front.suspension")


def test_struts_stand_on_a_body_of_the_corner() -> None:
    def elsewhere(axles: Any) -> None:
        axles["rear"]["spring"]["mounted_on"] = "roof"

    broken(elsewhere, "lower_rear", "axles.rear.spring.mounted_on")


def test_five_links_on_one_side_only_are_refused() -> None:
    design = described(SHIPPED).design
    front, rear = design.corners[1], design.corners[2]
    with pytest.raises(ConfigError, match="the kind of the left side"):
        new_mechanism(design.chassis, (front, front, rear, front), design.struts)


def test_links_have_to_be_round() -> None:
    corner = reference_corner(False)
    body = corner.bodies["toe_link"]
    changed = {**corner.bodies, "toe_link": replace(body, I_BBcm=body.I_BBcm + np.diag([1e-3, 0.0, 0.0]))}
    with pytest.raises(ConfigError, match="round"):
        write_five_link(CORNERS.copy(), PARAMETERS.copy(), LEFT, replace(corner, bodies=changed))
