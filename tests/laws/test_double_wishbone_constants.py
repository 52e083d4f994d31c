"""Are the constants of a double-wishbone corner those of its hardpoints and bodies, and does an impossible corner raise an error with the reason?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simulator.base.errors import ConfigError
from simulator.builder.builder import build_vehicle
from vehicles.axle_layout import record_for
from vehicles.suspension.contract import CORNERS
from vehicles.suspension.default_kind import PARAMETERS
from vehicles.suspension.double_wishbone.corner import DoubleWishboneCorner
from vehicles.suspension.hinge import Hinge, rotation
from vehicles.suspension.wheel_carrier import carrier_with_wheel


def corners() -> list[tuple[int, DoubleWishboneCorner]]:
    """Left and right ones, of two cars, with their places."""
    found = []
    for name in ("hmmwv", "sedan_chrono"):
        designs = build_vehicle(name, check_step=False).description.mechanism.designs
        found += [(i, corner) for i, corner in enumerate(designs) if isinstance(corner, DoubleWishboneCorner)]
    return found


def written(corner: DoubleWishboneCorner, i: int) -> tuple[Any, Any]:
    geometry, own = record_for(CORNERS, USUAL), record_for(PARAMETERS, USUAL)
    corner.write(geometry, own, i)
    return geometry[0], own[0]


USUAL = build_vehicle("hmmwv", check_step=False).size
CASES = corners()


def matrix(six: np.ndarray) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


@pytest.mark.parametrize(("i", "corner"), CASES)
def test_arms_turn_about_their_hinges_with_all_that_is_on_them(i: int, corner: DoubleWishboneCorner) -> None:
    _, own = written(corner, i)
    for arm, axis, on, points in (
        ("lower_arm", own["e_L"][:, i], corner.lower_arm_point, {"D": corner.D, "B": corner.B, "S": corner.S}),
        ("upper_arm", own["e_U"][:, i], corner.upper_arm_point, {"F": corner.F}),
    ):
        body, ball = corner.bodies[arm], next(iter(points.values()))
        assert np.linalg.norm(axis) == pytest.approx(1.0, abs=1e-15)
        assert np.cross(axis, ball - on)[2] > 0.0, "theta > 0 is jounce"
        for angle in (-0.4, 0.0, 0.3):
            R = rotation(axis, angle)
            cosines = np.array([1.0, np.cos(angle), np.sin(angle)])
            for name, point in {**points, f"{arm}_com": body.p_BoBcm}.items():
                assert np.abs(cosines @ own[name][:, :, i] - (on + R @ (point - on))).max() < 1e-14
            harmonics = np.array([1.0, np.cos(angle), np.sin(angle), np.cos(2.0 * angle), np.sin(2.0 * angle)])
            turned = R @ body.I_BBcm @ R.T
            assert np.abs(matrix(harmonics @ own[f"{arm}_inertia"][:, :, i]) - turned).max() < 1e-14 * np.abs(turned).max() + 1e-16
    for name, axis in (("upright_axis", corner.upright_axes[0]), ("shock_axis", corner.shock_axes[0])):
        expected = Hinge(corner.lower_arm_point, own["e_L"][:, i]).direction(axis / np.linalg.norm(axis))
        assert np.abs(own[name][:, :, i] - expected).max() < 1e-15


@pytest.mark.parametrize(("i", "corner"), CASES)
def test_bodies_on_rods_and_kingpin_keep_their_moments_and_places(i: int, corner: DoubleWishboneCorner) -> None:
    common, own = written(corner, i)
    spin, carrier = carrier_with_wheel(corner.bodies, corner.W, corner.axle, "", "")
    assert common["spin_inertia"][i] == pytest.approx(spin, rel=1e-15)  # found before the carrier was turned by its tie rod
    bodies = {"upright": corner.D, "tierod": corner.K, "shock_lower": corner.B, "shock_upper": corner.J, "carrier": corner.D}
    for name, origin in bodies.items():
        body = carrier if name == "carrier" else corner.bodies[name]
        moments = np.linalg.eigvalsh(body.I_BBcm)
        assert np.linalg.eigvalsh(matrix(own[f"{name}_inertia"][:, i])) == pytest.approx(moments, rel=1e-12, abs=1e-15)
        assert np.linalg.norm(own[f"{name}_com"][:, i]) == pytest.approx(np.linalg.norm(body.p_BoBcm - origin), abs=1e-15)
    frame = corner.turned @ common["design_frame"][:, :, i]
    assert np.abs(frame.T @ frame - np.eye(3)).max() < 1e-14
    assert np.abs(frame @ own["wheel_centre"][:, i] + corner.D - corner.W).max() < 1e-14
    assert np.abs(np.cross(frame[:, 2], corner.F - corner.D)).max() < 1e-14
    kingpin = np.array([own["arm_radius"][i], 0.0, own["arm_height"][i]])
    assert np.abs(frame @ kingpin + corner.D - corner.K).max() < 1e-14
    assert common["corner_mass"][i] == pytest.approx(sum(body.mass for body in corner.bodies.values()), rel=1e-15)


def _upper_arm_dead(c: DoubleWishboneCorner) -> DoubleWishboneCorner:
    foot = Hinge(c.upper_arm_point, c.upper_arm_axis / np.linalg.norm(c.upper_arm_axis)).foot(c.F)
    return replace(c, D=c.F + 0.8 * (c.F - foot))


def _arm_dead(c: DoubleWishboneCorner) -> DoubleWishboneCorner:
    n = (c.F - c.D) / np.linalg.norm(c.F - c.D)
    arm = c.K - c.D
    return replace(c, Q=c.K + 0.5 * (arm - n * (arm @ n)))


FAULTS: dict[str, Callable[[DoubleWishboneCorner], DoubleWishboneCorner]] = {
    "a distance of the ball joints above zero": lambda c: replace(c, F=c.D.copy()),
    "the upper arm is not on a dead point": _upper_arm_dead,
    "axis of the upright across the rod": lambda c: replace(c, upright_axes=np.array([c.F - c.D, c.upright_axes[1]])),
    "axis of the shock absorber across the rod": lambda c: replace(c, shock_axes=np.array([c.J - c.B, c.shock_axes[1]])),
    "a length of the tie rod above zero": lambda c: replace(c, Q=c.K.copy()),
    "a distance of the outer tie-rod joint from the kingpin above zero": lambda c: replace(c, K=0.5 * (c.D + c.F)),
    "the steering arm is not on a dead point": _arm_dead,
    "axis of the tie rod across the rod": lambda c: replace(c, tierod_axes=np.array([c.Q - c.K, c.tierod_axes[1]])),
}


@pytest.mark.parametrize("expected", FAULTS)
def test_an_impossible_corner_raises_an_error_with_the_reason(expected: str) -> None:
    for i, corner in CASES[:2]:
        with pytest.raises(ConfigError) as caught:
            written(replace(FAULTS[expected](corner), file="mine.yaml", key="axles.front"), i)
        assert expected in str(caught.value)
        assert caught.value.file == "mine.yaml" and caught.value.key == "axles.front"
