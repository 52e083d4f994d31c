"""Do the objects of generated terrains stand where they belong: buildings on lots, cars at curbs, trees beside the track, at the given density?"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.base.errors import ConfigError, JounceError
from simulator.builder.builder import build_ground
from simulator.cli.parser import parser_of
from simulator.tools.terrain.make_command import files_of, generate_terrain, write
from simulator.tools.terrain.show_command import plan_of
from terrain.features.shapes import CURB
from terrain.generators.generated_terrain import GeneratedTerrain
from terrain.generators.site import Footprint, Site
from terrain.ground import Ground
from terrain.load_terrain import load_terrain
from terrain.objects.footprint import footprint
from terrain.objects.object_set import ObjectSet
from terrain.objects.placement import placement_remarks
from terrain.objects.table_text import ON_GROUND, table_text
from terrain.objects.world_object import Box, Breakaway, Capsule, Cylinder, Material, Sphere, WorldObject

SMALL = {
    "town": ["blocks=[2, 2]"],
    "forest": ["size_m=80"],
    "rocks": ["size_m=50"],
    "obstacle_field": ["size=[80, 40]"],
}


@pytest.fixture(scope="module")
def generated() -> dict[str, GeneratedTerrain]:
    return {kind: generate_terrain(kind, 3, settings) for kind, settings in SMALL.items()}


@pytest.fixture(scope="module")
def grounds(generated: dict[str, GeneratedTerrain], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ground]:
    folder = tmp_path_factory.mktemp("objects")
    out = {}
    for kind, one in generated.items():
        files = files_of(str(folder / kind))
        write(one, files, "")
        out[kind] = build_ground(str(files.yaml))
    return out


def outlines(ground: Ground, *words: str) -> list[np.ndarray]:
    """Return the footprints (n, 2) of the objects whose names begin with one of the words."""
    return [footprint(ground.objects, row) for row, one in enumerate(ground.objects.objects) if one.name.startswith(words)]


def from_curb(made: GeneratedTerrain, points: np.ndarray) -> np.ndarray:
    """Return the distance [m] of points (n, 2) from the nearest curb of a town, + = on the street."""
    best = np.full(len(points), np.inf)
    inside = np.zeros(len(points), bool)
    for curb in (entry.mapping for entry in made.features):
        line = np.array(curb["points"])
        a, b = line[:-1], line[1:]
        side = b - a
        t = np.clip(((points[:, None] - a) * side).sum(axis=2) / np.maximum((side**2).sum(axis=1), 1e-12), 0.0, 1.0)
        best = np.minimum(best, np.hypot(*(points[:, None] - a - t[..., None] * side).transpose(2, 0, 1)).min(axis=1))
        across = side[:, 0] * (points[:, None, 1] - a[:, 1]) - side[:, 1] * (points[:, None, 0] - a[:, 0])
        inside |= (across > 0.0).all(axis=1)
    return np.where(inside, -best, best)


@pytest.mark.parametrize("kind", SMALL)
def test_objects_are_read_as_they_were_generated(kind: str, generated: dict[str, GeneratedTerrain], grounds: dict[str, Ground]) -> None:
    ground, made = grounds[kind], generated[kind]
    assert len(ground.objects) == len(made.objects) > 10
    for one, other in zip(made.objects, ground.objects.objects, strict=True):
        assert (one.name, one.label, type(one.shape)) == (other.name, other.label, type(other.shape))
        assert other.position[:2] == pytest.approx(one.position[:2], abs=1e-6)
        assert other.yaw == pytest.approx(one.yaw, abs=1e-6)
        assert other.material.extinction == one.material.extinction
        if math.isnan(one.position[2]):
            lowest = other.position[2] - (0.5 * other.shape.size[2] if isinstance(other.shape, Box) else 0.0)
            assert lowest == pytest.approx(ground.height(*other.position[:2]), abs=1e-5)
        else:
            assert other.position[2] == pytest.approx(one.position[2], abs=1e-6)


@pytest.mark.parametrize("kind", SMALL)
def test_no_object_is_in_another_one_or_in_the_air(kind: str, grounds: dict[str, Ground]) -> None:
    assert placement_remarks(grounds[kind]) == []


@pytest.mark.parametrize("kind", SMALL)
def test_starts_are_free(kind: str, generated: dict[str, GeneratedTerrain], grounds: dict[str, Ground]) -> None:
    """No solid object within 2 m of a start position and of the first 4 m ahead of it."""
    ground = grounds[kind]
    for place in generated[kind].places.values():
        yaw = math.radians(place.yaw_deg)
        for s in (0.0, 2.0, 4.0):
            at = np.asarray(place.at, float) + s * np.array((math.cos(yaw), math.sin(yaw)))
            for row, one in enumerate(ground.objects.objects):
                if one.material.extinction == 0.0:
                    assert np.hypot(*(footprint(ground.objects, row) - at).T).min() > 2.0, (place, one.name)


def test_buildings_fences_and_trees_are_on_lots_behind_the_sidewalk(
    generated: dict[str, GeneratedTerrain], grounds: dict[str, Ground]
) -> None:
    made, ground = generated["town"], grounds["town"]
    for word, at_least, number in (("building", 2.5 + 2.0, 20), ("fence", 2.5 + 1.5, 8), ("tree", 2.5, 10)):
        found = [shape for shape in outlines(ground, word) if len(shape)]
        solid = [
            shape
            for shape, one in zip(found, (o for o in ground.objects.objects if o.name.startswith(word)), strict=True)
            if not one.name.endswith("crown")
        ]
        assert len(solid) >= number, word
        assert from_curb(made, np.concatenate(solid)).max() < -at_least + 0.01, word


def test_lamp_posts_are_on_the_sidewalk_and_cars_at_the_curb(generated: dict[str, GeneratedTerrain], grounds: dict[str, Ground]) -> None:
    made, ground = generated["town"], grounds["town"]
    lamps = from_curb(made, np.concatenate(outlines(ground, "lamp")))
    assert lamps.min() > -2.5
    assert lamps.max() < -0.2
    cars = outlines(ground, "car")
    assert len(cars) > 10
    along_curb = [from_curb(made, car) for car in cars]
    at_lots = [d for d in along_curb if d.min() < 2.5]  # the outermost streets have a curb on one side only
    assert len(at_lots) > 5
    for d in at_lots:
        assert d.min() == pytest.approx(0.25, abs=0.02)
        assert d.max() < 2.2, "the parking strip; beside it are two lanes of 3.5 m"


def test_curbs_are_beside_the_streets(generated: dict[str, GeneratedTerrain], grounds: dict[str, Ground]) -> None:
    """Raised curbs around every lot: the ground rises by 125 mm from the street to the sidewalk, halfway along the sides."""
    ground = grounds["town"]
    assert len(generated["town"].features) == 4
    pieces = ground.features.pieces[ground.features.pieces["kind"] == CURB]
    long = pieces[(pieces["arc"] == 0.0) & (pieces["length"] > 20.0)]
    assert len(long) >= 12
    for k in long:
        middle, left = k["origin"] + 0.5 * k["length"] * k["axis"], np.array((-k["axis"][1], k["axis"][0]))
        street, walk = (ground.height(*(middle + d * left)) for d in (-0.05, 0.05))
        assert walk - street == pytest.approx(0.125, abs=0.008)


def test_the_parameters_of_a_town_are_followed() -> None:
    none = generate_terrain("town", 3, ["blocks=[1, 1]", "buildings=0", "cars=0", "lamps=0", "trees=0", "fences=0"])
    assert none.objects == []
    full = generate_terrain("town", 3, ["blocks=[1, 1]", "floors=[4, 4]", "fences=1", "cars=1"])
    heights = {one.shape.size[2] for one in full.objects if one.label == "building" and isinstance(one.shape, Box)}
    assert heights == {12.0}
    narrow = generate_terrain("town", 3, ["blocks=[1, 1]", "street_m=7", "cars=1"])
    assert not [one for one in narrow.objects if one.label == "vehicle"], "no parking strip beside two lanes"


def test_trees_leave_the_track_free_and_have_the_given_density(generated: dict[str, GeneratedTerrain], grounds: dict[str, Ground]) -> None:
    ground = grounds["forest"]
    (road,) = ground.roads
    trunks = [one for one in ground.objects.objects if not one.name.endswith("crown")]
    crowns = [one for one in ground.objects.objects if one.name.endswith("crown")]
    assert len(trunks) == len(crowns)
    assert all(one.material.extinction > 0.0 for one in crowns)
    at = np.array([one.position[:2] for one in trunks])
    away = np.hypot(*(at[:, None] - road.points[None, :, :2]).transpose(2, 0, 1)).min(axis=1)
    assert away.min() > 0.5 * road.width + 0.5
    area = 78.0 * 78.0 - 6.5 * 80.0  # the track with its free edges is 6.5 m wide
    assert len(trunks) == pytest.approx(0.03 * area, rel=0.05)
    apart = np.hypot(*(at[:, None] - at[None]).transpose(2, 0, 1))
    radii = np.array([one.shape.radius for one in trunks if isinstance(one.shape, Cylinder)])
    gaps = apart - radii[:, None] - radii[None]
    assert gaps[~np.eye(len(at), dtype=bool)].min() >= 1.5 - 1e-6


@pytest.mark.parametrize("density", [0.02, 0.1])
def test_rocks_have_the_given_density_and_sizes(density: float) -> None:
    """All rocks together, low ones as bumps; the number above a diameter falls with its square."""
    made = generate_terrain("rocks", 5, ["size_m=80", f"density={density}", "climbed=0", "relief_m=0"])
    assert len(made.objects) == pytest.approx(density * 78.0**2, abs=1)
    sizes = np.array([2.0 * one.shape.radius if isinstance(one.shape, Sphere) else one.shape.size[2] for one in made.objects])
    assert sizes.min() >= 0.3
    assert sizes.max() <= 2.5
    expected = (0.6**-2 - 2.5**-2) / (0.3**-2 - 2.5**-2)
    assert (sizes > 0.6).mean() == pytest.approx(expected, abs=3.0 * math.sqrt(expected / len(sizes)))
    assert np.abs(made.heights).max() == 0.0


def test_low_rocks_are_bumps_of_the_ground() -> None:
    made = generate_terrain("rocks", 5, ["size_m=40", "climbed=0.3", "relief_m=0", "spacing_m=0.1"])
    assert made.heights.max() == pytest.approx(0.3, abs=0.03)
    high = [one for one in made.objects if (one.shape.size[2] if isinstance(one.shape, Box) else 2.0 * one.shape.radius) * 0.6 < 0.3]  # type: ignore[union-attr]
    assert not high


def test_obstacles_keep_their_gap_and_both_ends_free(generated: dict[str, GeneratedTerrain], grounds: dict[str, Ground]) -> None:
    ground = grounds["obstacle_field"]
    assert len(ground.objects) == round(0.01 * (80.0 - 24.0) * (40.0 - 4.0))
    assert {one.label for one in ground.objects.objects} == {"post", "barrier", "other"}
    shapes = outlines(ground, "post", "box", "wall")
    assert max(np.abs(shape[:, 0]).max() for shape in shapes) < 40.0 - 12.0 + 3.0
    for a, one in enumerate(shapes):
        for other in shapes[:a]:
            assert np.hypot(*(one[:, None] - other[None]).transpose(2, 0, 1)).min() > 4.5


@pytest.mark.parametrize(
    ("kind", "settings", "message"),
    [
        ("obstacle_field", ["density=0.1", "gap_m=20"], "room for all"),
        ("obstacle_field", ["posts=0.8", "walls=0.4"], "posts . walls"),
        ("forest", ["size=1000", "density=0.4", "spacing=2"], "at most 50000"),
        ("rocks", ["diameter=[2, 1]"], "the minimum, then the maximum"),
        ("town", ["floors=[6, 2]"], "the minimum, then the maximum"),
    ],
)
def test_impossible_parameters_are_refused(kind: str, settings: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        generate_terrain(kind, 1, settings)


def test_the_table_has_one_row_for_each_object_with_empty_defaults() -> None:
    objects = [
        WorldObject("a", Box((4.0, 2.0, 1.5)), (10.0, 3.0, ON_GROUND), math.radians(30.0), label="vehicle"),
        WorldObject("b", Cylinder(0.1, 1.2), (0.0, 0.0, 0.5), label="post", motion=Breakaway(12.5, 300.0)),
        WorldObject(
            "c", Capsule(0.3, 2.0), (1.0, 2.0, 3.0), material=Material(0.9, 0.2, color=(1.0, 0.0, 0.5), reflectance=0.7, extinction=0.4)
        ),
    ]
    assert table_text(objects).splitlines() == [
        "name,shape,label,x_m,y_m,z_m,yaw_deg,length_m,width_m,height_m,radius_m,friction,restitution,red,green,blue,reflectance,extinction_1pm,mass_kg,"
        "break_force_N",
        "a,box,vehicle,10.0,3.0,,30.0,4.0,2.0,1.5,,,,,,,,,,",
        "b,cylinder,post,0.0,0.0,0.5,,,,1.2,0.1,,,,,,,,12.5,300.0",
        "c,capsule,other,1.0,2.0,3.0,,2.0,,,0.3,0.9,0.2,1.0,0.0,0.5,0.7,0.4,,",
    ]
    with pytest.raises(JounceError, match="pitch"):
        table_text([WorldObject("d", Sphere(1.0), (0.0, 0.0, 0.0), pitch=0.1)])


def test_a_site_knows_what_is_free() -> None:
    site = Site()
    site.take(Footprint.rectangle(0.0, 0.0, 0.25 * math.pi, 10.0, 1.0))
    assert site.is_free(Footprint(3.0, -3.0, 1.0)), "inside the circle around the rectangle, beside the rectangle"
    assert not site.is_free(Footprint(3.0, 3.0, 1.0))
    assert not site.is_free(Footprint(1.5, -1.5, 0.5), gap=2.0)
    assert site.is_free(Footprint.rectangle(2.0, -2.0, 0.25 * math.pi, 10.0, 1.0))
    assert not site.is_free(Footprint.rectangle(0.0, 0.0, -0.25 * math.pi, 10.0, 1.0))
    assert site.is_free(Footprint.rectangle(100.0, 0.0, 0.0, 10.0, 1.0))


def test_the_plan_has_the_outlines_by_label(tmp_path: Path) -> None:
    objects = ObjectSet(
        [
            WorldObject("a", Box((4.0, 2.0, 1.5)), (10.0, 0.0, 0.75), 0.5 * math.pi, label="vehicle"),
            WorldObject("b", Sphere(2.0), (0.0, 5.0, 4.0), label="vegetation", material=Material(extinction=0.5)),
            WorldObject("c", Cylinder(0.5, 3.0), (0.0, 5.0, 0.0), label="vegetation"),
        ]
    )
    layers = {(one.label, one.porous): one.outlines for one in plan_of(objects)}
    assert set(layers) == {("vehicle", False), ("vegetation", True), ("vegetation", False)}
    (car,) = layers["vehicle", False]
    np.testing.assert_allclose(np.ptp(car, axis=0), (2.0, 4.0), atol=1e-9)
    assert plan_of(objects)[0].porous, "crowns are below trunks"
    (tmp_path / "w.yaml").write_text(
        "type: flat\nobjects:\n  - {shape: box, size: [4, 2, 1.5], position: [1, 0], label: vehicle}\npatches: [{x: [-5, 5], y: [-5, 5], friction: 0.5}]\n"
    )
    given = parser_of("terrain", "show").parse_args(["terrain", "show", str(tmp_path / "w.yaml"), "--plot", str(tmp_path / "w.png")])
    assert given.run(given) == 0
    assert _has_color(tmp_path / "w.png", (41, 74, 140))


def _has_color(picture: Path, color: tuple[int, int, int]) -> Any:
    """Return whether a picture has pixels of a color."""
    from PIL import Image

    return (np.abs(np.array(Image.open(picture).convert("RGB")).astype(int) - color).max(axis=2) < 6).sum() > 20


def test_two_boxes_near_a_corner_are_not_reported_as_overlapping() -> None:
    """The axis that separates them belongs to the second one."""
    turned = WorldObject("b", Box((20.0, 1.0, 3.0)), (8.5, 3.5, 1.5), -0.25 * math.pi)
    ground = generate_ground([WorldObject("a", Box((10.0, 10.0, 3.0)), (0.0, 0.0, 1.5)), turned])
    assert placement_remarks(ground) == []
    near = generate_ground([WorldObject("a", Box((10.0, 10.0, 3.0)), (0.0, 0.0, 1.5)), replace(turned, position=(6.5, 1.5, 1.5))])
    assert len(placement_remarks(near)) == 1


def generate_ground(objects: list[WorldObject]) -> Ground:
    """Return level ground with objects."""
    ground = load_terrain({"type": "flat"}, "flat.yaml", Path("."), {})
    return replace(ground, objects=ObjectSet(objects), spawn=(-100.0, 0.0, 0.0))
