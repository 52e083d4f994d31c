"""Does every shipped vehicle satisfy the alignment checks in equilibrium, and do adjusted tie rods give the target toe?"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import yaml

from simulator.base.errors import ConfigError
from simulator.builder.builder import build_ground, build_vehicle, vehicle_description
from simulator.validation.datasheet.page import Facts, to_dict, to_markdown, to_text
from simulator.validation.datasheet.static_values import static_values_of
from tests.shipped_files import driven_vehicles
from vehicles.suspension.alignment_section import CHECKS
from vehicles.suspension.double_wishbone.corner import DoubleWishboneCorner
from vehicles.suspension.macpherson.corner import MacPhersonCorner
from vehicles.vehicle import Vehicle

SHIPPED = [name for name in driven_vehicles() if name != "tractor"]  # the checks here are of two axles
TOE, CAMBER, REBOUND = math.radians(0.2), math.radians(1.5), 0.4
"""Checks in equilibrium: tolerances of toe and camber against the targets of the file, and minimum fraction of bump travel available in
rebound."""
CORNERS = ("front_left", "front_right", "rear_left", "rear_right")


def kept(vehicle: Vehicle) -> dict[tuple[str, str], bool]:
    """Return which of CHECKS the vehicle satisfies in equilibrium, by axle and check."""
    found, out = static_values_of(vehicle, build_ground("flat")).numbers, dict[tuple[str, str], bool]()
    for end, axle in zip(("front", "rear"), vehicle.description.alignments, strict=True):
        toe, camber = ([found[f"{what}_{end}_{side}"] for side in ("left", "right")] for what in ("toe", "camber"))
        out[end, "toe"] = all(abs(one - (axle.toe or 0.0)) <= TOE for one in toe)
        out[end, "camber"] = all(abs(one - axle.camber) <= CAMBER for one in camber)
        out[end, "rebound_travel"] = found[f"rebound_share_{end}"] >= REBOUND
    return out


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_vehicle_passes_the_alignment_checks_of_its_file(name: str) -> None:
    """The vehicle passes all checks except for the declared exceptions, and fails these."""
    vehicle = build_vehicle(name, check_step=False)
    excused = {
        (end, law): law in axle.exceptions
        for end, axle in zip(("front", "rear"), vehicle.description.alignments, strict=True)
        for law in CHECKS
    }
    assert kept(vehicle) == {place: not exception for place, exception in excused.items()}


def car(folder: Any, **alignments: Any) -> str:
    """Return a shipped file with these alignments of its axles."""
    file = folder / "car.yaml"
    axles = {name: {"alignment": {"base": None, **alignment}} for name, alignment in alignments.items()}
    file.write_text(yaml.safe_dump({"base": "hmmwv", "axles": axles}), encoding="utf-8")
    return str(file)


def toes(vehicle: Vehicle) -> list[float]:
    """Return the toes of the vehicle at rest [deg], + = toe-in."""
    vehicle.reset(build_ground("flat"))
    headings = vehicle.readout[0]["road_wheel_angle"]
    return [math.degrees(sign * heading) for sign, heading in zip((-1.0, 1.0, -1.0, 1.0), headings, strict=True)]


def test_the_toe_is_that_of_the_file_and_the_sides_are_mirror_images(tmp_path: Any) -> None:
    vehicle = build_vehicle(car(tmp_path, front={"toe_deg": 0.15}, rear={"toe_deg": -0.3}), check_step=False)
    assert toes(vehicle) == pytest.approx([0.15, 0.15, -0.3, -0.3], abs=1e-9)
    lengths = [corner.tierod_length for corner in vehicle.description.design.corners]
    assert [lengths[0], lengths[2]] == pytest.approx([lengths[1], lengths[3]], abs=1e-12)
    assert toes(build_vehicle(car(tmp_path, rear={"toe_deg": 0.0}), check_step=False))[2:] == pytest.approx([0.0, 0.0], abs=1e-9)


def test_without_a_target_the_tie_rods_are_those_of_the_hardpoints(tmp_path: Any) -> None:
    file = car(tmp_path, front={"camber_deg": 0.0}, rear={"camber_deg": 0.0})
    made, said = build_vehicle(file, check_step=False).description.mechanism, vehicle_description(file).mechanism
    assert made.corners.tobytes() == said.corners.tobytes() and made.own.tobytes() == said.own.tobytes()


def test_an_uneven_load_gets_tie_rods_of_its_own_on_each_side(tmp_path: Any) -> None:
    file = tmp_path / "alone.yaml"
    file.write_text("base: hmmwv\nchassis: {fixed_masses: {passenger: null}}\n", encoding="utf-8")
    vehicle = build_vehicle(str(file), check_step=False)
    assert toes(vehicle) == pytest.approx([0.0] * 4, abs=1e-9)
    lengths = [corner.tierod_length for corner in vehicle.description.design.corners]
    assert abs(lengths[0] - lengths[1]) > 1e-6, "the driver's side stands lower"


def corner_of(vehicle: str) -> DoubleWishboneCorner:
    corner = vehicle_description(vehicle).design.corners[0]
    assert isinstance(corner, DoubleWishboneCorner)
    return corner


def test_a_tie_rod_that_is_set_turns_the_knuckle_about_the_kingpin() -> None:
    """Distances on the knuckle and to the kingpin are constant, and the rod has the set length."""
    corner = corner_of("hmmwv")
    longer = corner.with_tie_rod(corner.tierod_length + 2e-3)
    assert longer.tierod_length == pytest.approx(corner.tierod_length + 2e-3, abs=1e-14)
    for name in ("D", "F"):
        here, there = getattr(corner, name), getattr(longer, name)
        assert (here == there).all()
        for point in ("K", "W"):
            assert np.linalg.norm(getattr(longer, point) - there) == pytest.approx(np.linalg.norm(getattr(corner, point) - here), abs=1e-14)
    assert np.linalg.norm(longer.W - longer.K) == pytest.approx(np.linalg.norm(corner.W - corner.K), abs=1e-14)
    assert (longer.turned @ corner.axle) == pytest.approx(longer.axle, abs=1e-15) and abs(longer.axle[0]) > 5e-3
    rod = longer.bodies["tierod"]
    assert rod.p_BoBcm == pytest.approx(0.5 * (longer.K + longer.Q), abs=1e-12)
    same = longer.with_tie_rod(corner.tierod_length)
    for name in ("K", "W", "axle"):
        assert getattr(same, name) == pytest.approx(getattr(corner, name), abs=1e-14)


@pytest.mark.parametrize("change", [-8e-3, 5e-3])
def test_everything_mounted_on_a_knuckle_turns_with_it(change: float) -> None:
    """By one rotation about the kingpin, for vectors and matrices; the moments of a rod are unchanged."""
    corner = corner_of("hmmwv")
    adjusted = corner.with_tie_rod(corner.tierod_length + change)
    R, D = adjusted.turned, corner.D
    assert pytest.approx(np.eye(3), abs=1e-14) == R.T @ R and pytest.approx(corner.F - D, abs=1e-14) == R @ (corner.F - D)
    for name in ("knuckle", "wheel"):
        here, there = corner.bodies[name], adjusted.bodies[name]
        assert there.mass == here.mass and there.p_BoBcm == pytest.approx(D + R @ (here.p_BoBcm - D), abs=1e-14)
        assert there.I_BBcm == pytest.approx(R @ here.I_BBcm @ R.T, abs=1e-14 * np.abs(here.I_BBcm).max())
    here, there = corner.bodies["tierod"], adjusted.bodies["tierod"]
    assert np.linalg.eigvalsh(there.I_BBcm) == pytest.approx(np.linalg.eigvalsh(here.I_BBcm), rel=1e-12)
    along = (adjusted.Q - adjusted.K) / adjusted.tierod_length
    assert along @ there.I_BBcm @ along == pytest.approx(np.linalg.eigvalsh(here.I_BBcm)[0], rel=1e-12)
    first, second = adjusted.tierod_axes
    assert abs(first @ along) < 1e-15 and second == pytest.approx(np.cross(along, first), abs=1e-15)
    of_itself = replace(adjusted).designed  # recomputed from the points and bodies
    for name in of_itself.dtype.names:
        assert np.abs(of_itself[0][name] - adjusted.designed[0][name]).max() < 1e-14 * max(1.0, np.abs(of_itself[0][name]).max())


def test_the_design_position_is_that_of_the_set_tie_rods() -> None:
    """Axle, wheel center and attitude of the carrier in the multibody model equal those of the closed form at theta = 0."""
    vehicle = build_vehicle("hmmwv_curb", check_step=False)
    vehicle.place(np.array([0.0, 0.0, 1.0]), 0.0, 0.0, 0.0)
    vehicle.read()
    for i, corner in enumerate(vehicle.description.design.corners):
        assert vehicle.space.kinematics[0]["axle"][:, i] == pytest.approx(corner.axle, abs=1e-12)
        assert vehicle.readout[0]["p_BK"][i] == pytest.approx(corner.W, abs=1e-12)
        assert vehicle.readout[0]["R_BK"][i] == pytest.approx(corner.turned, abs=1e-12)
        assert abs(corner.axle[0]) > 1e-4, "it is turned at all"


@pytest.mark.parametrize(("name", "kind"), [("hmmwv", DoubleWishboneCorner), ("sedan", MacPhersonCorner)])
def test_the_length_of_a_tie_rod_is_that_which_secants_find(name: str, kind: type, monkeypatch: Any) -> None:
    """The length is solved about the kingpin, or searched if no kingpin is known."""
    solved = build_vehicle(name, check_step=False).description.design.corners
    monkeypatch.setattr(kind, "kingpin", lambda *_: None)
    searched = build_vehicle(name, check_step=False).description.design.corners
    for i, (one, other) in enumerate(zip(solved, searched, strict=True)):
        if isinstance(one, kind):
            assert one.tierod_length == pytest.approx(other.tierod_length, abs=1e-12), i
            assert one.axle == pytest.approx(other.axle, abs=1e-11)


BROKEN = [
    ({"front": {"toe_deg": 9.0}}, "axles.front.alignment.toe_deg", "from -5 to 5"),
    ({"rear": {"toe": "straight"}}, "axles.rear.alignment.toe", "a number"),
    ({"rear": {"toe_degrees": 0.1}}, "axles.rear.alignment.toe_degrees", "toe_deg"),
    ({"rear": {"exceptions": ["toes"], "reason": "none"}}, "axles.rear.alignment.exceptions[0]", "toe"),
    ({"rear": {"exceptions": ["toe"]}}, "axles.rear.alignment.reason", "the reason"),
]


@pytest.mark.parametrize(("alignment", "key", "expected"), BROKEN, ids=[key for _, key, _ in BROKEN])
def test_a_broken_file_names_its_key(alignment: Any, key: str, expected: str, tmp_path: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        build_vehicle(car(tmp_path, **alignment), check_step=False)
    assert caught.value.key == key and expected in str(caught.value)


@pytest.mark.parametrize(("base", "axle"), [("hmmwv_trailing_rear", "front"), ("five_link_rear", "rear")])
def test_a_toe_that_cannot_be_set_is_rejected_with_its_key(base: str, axle: str, tmp_path: Any) -> None:
    """With an axle of tables on the vehicle, and for a kind with fixed links."""
    file = tmp_path / "car.yaml"
    file.write_text(f"base: {base}\naxles: {{{axle}: {{alignment: {{toe_deg: 0.1}}}}}}\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        build_vehicle(str(file), check_step=False)
    assert caught.value.file == str(file) and caught.value.key.startswith(f"axles.{axle}.alignment.toe")


def test_exceptions_are_shown_with_the_facts() -> None:
    lines = vehicle_description("hmmwv_gross").exceptions
    assert len(lines) == 1 and lines[0].startswith("rear: camber: ")
    facts = Facts("hmmwv_gross", "gross", [], None, exceptions=lines)
    assert to_dict(facts)["exceptions"] == list(lines)
    assert lines[0] in to_markdown(facts) and "rear: camber: " in to_text(facts)
    assert vehicle_description("hmmwv").exceptions == ()
