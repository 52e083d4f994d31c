"""Is a shape of a plugin an object like the shipped ones, and is a wrong one named?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.base.errors import ConfigError, JounceError
from simulator.base.fields import Field, Number
from simulator.conformance.check_plugin import check_plugin
from simulator.conformance.findings import PluginError
from terrain.load_terrain import load_terrain
from terrain.objects.as_mapping import from_mapping, to_mapping
from terrain.objects.shape_kinds import SHAPE_KINDS, register
from terrain.objects.shapes import CONTRACT, SIMPLE, TILT, Capsule, ConvexHull, Shape, ShapeKind, ShapeRequest, Sphere, TriangleMesh
from terrain.outlines import outlines
from terrain.rays.caster import RayCaster

EDGE = Field("edge", Number("m", 0.1, 10.0), "edge")


def wedge(request: ShapeRequest) -> Shape:
    """A ramp that rises along x: half a cube."""
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in range(1 + x)]
    return ConvexHull(request.values["edge"] * np.array(corners, float))


def stairs(request: ShapeRequest) -> Shape:
    if "flight" not in request.shared:
        request.shared["flight"] = TriangleMesh(np.array([[(0, 0, 0), (1, 0, 0), (0, 1, 0.5)]]) * request.values["edge"])
    return request.shared["flight"]  # type: ignore[no-any-return]


def rod(request: ShapeRequest) -> Shape:
    return Capsule(0.1, request.values["edge"])


def failing(request: ShapeRequest) -> Shape:
    raise ValueError("no steps")


MADE: dict[str, Callable[[ShapeRequest], Any]] = {
    "wedge": wedge, "stairs": stairs, "rod": rod, "failing": failing,
    "plate": lambda request: ConvexHull(np.zeros((5, 3))), "number": lambda request: 3.0,
}  # fmt: skip


@pytest.fixture(autouse=True)
def kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SHAPE_KINDS, "_kinds", dict(SHAPE_KINDS._kinds))
    monkeypatch.setattr(SHAPE_KINDS, "_sources", dict(SHAPE_KINDS._sources))
    for name, build in MADE.items():
        register(ShapeKind(name, build, CONTRACT, (EDGE, *TILT), name))


def world(*objects: dict[str, Any]) -> Any:
    return load_terrain({"type": "flat", "objects": list(objects)}, "world.yaml", Path(), {})


def test_a_ramp_is_seen_from_above_and_stops_a_ray_on_its_slope() -> None:
    ground = world({"shape": "wedge", "edge_cm": 200, "position": [10, -1], "label": "barrier"})
    (one,) = ground.objects.objects
    assert one.name == "barrier_1" and one.position == (10.0, -1.0, 0.0)
    (outline,) = outlines(ground.objects)
    assert sorted(map(tuple, outline.points)) == [(10, -1), (10, 1), (12, -1), (12, 1)] and (outline.bottom, outline.top) == (0, 2)
    hits = RayCaster(ground).cast([(0.0, 0.0, 0.5)], [(1.0, 0.0, 0.0)], 50.0)
    assert hits.range == pytest.approx([10.5]) and hits.normal[0] == pytest.approx((-np.sqrt(0.5), 0.0, np.sqrt(0.5)))


def test_objects_of_one_file_share_what_their_kind_shares() -> None:
    objects = world(*({"shape": "stairs", "edge": 2.0, "position": [10 * n, 0]} for n in range(3))).objects
    assert len(objects.triangles) == 1 and objects.records["first"].tolist() == [0, 0, 0]


def test_pitch_lays_an_object_of_a_plugin_down_on_the_ground() -> None:
    objects = world({"shape": "rod", "edge": 2.0, "position": [5, 0], "pitch_deg": 90, "breakaway": {"mass": 2}}).objects
    assert objects.records[0]["p_WO"] == pytest.approx((5.0, 0.0, 0.1))
    assert (objects.bodies[0]["count"], objects.bodies[0]["margin"]) == (2, 0.1)


def test_a_log_holds_an_object_of_a_plugin_to_the_last_bit() -> None:
    (one,) = world({"shape": "wedge", "edge": 1.0 / 3.0, "position": [5, 0]}).objects.objects
    again = from_mapping(to_mapping(one))
    assert again.shape.points.tobytes() == one.shape.points.tobytes() and type(again.shape) is ConvexHull


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"shape": "wedge"}, "objects[0].edge: "),
        ({"shape": "wedge", "edge": 20.0}, "objects[0].edge: "),
        ({"shape": "wegde", "edge": 2.0}, "did you mean wedge?"),
        ({"shape": "plate", "edge": 2.0}, "5 points span no volume"),
        ({"shape": "number", "edge": 2.0}, "shape number: wrong type float of its result"),
        ({"shape": "failing", "edge": 2.0}, "shape failing: cannot be created: ValueError: no steps"),
    ],
)
def test_a_wrong_shape_is_one_line(section: dict[str, Any], message: str) -> None:
    with pytest.raises(JounceError) as found:
        world({**section, "position": [5, 0]})
    assert message in str(found.value) and "\n" not in str(found.value)


def test_a_table_of_objects_names_the_shapes_that_it_holds(tmp_path: Path) -> None:
    (tmp_path / "objects.csv").write_text("shape,x_m,y_m,radius_m\nwedge,1,2,3\n")
    with pytest.raises(ConfigError, match=f"objects.csv:2: shape: .*expected one of {', '.join(SIMPLE)}; got 'wedge'"):
        load_terrain({"type": "flat", "objects_table": "objects.csv"}, str(tmp_path / "world.yaml"), Path(), {})


def test_another_contract_or_a_name_in_use_is_refused() -> None:
    with pytest.raises(JounceError, match="written for version 9 of the contract; expected version 1"):
        register(ShapeKind("late", wedge, 9, (EDGE,)))
    with pytest.raises(JounceError, match="duplicate shape box"):
        register(ShapeKind("box", wedge, CONTRACT, (EDGE,)))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("failing", "raises ValueError: no steps"),
        ("number", "returns float; expected one of terrain.objects.shapes"),
        ("plate", "span no volume"),
    ],
)
def test_the_conformance_suite_names_the_fault(name: str, message: str) -> None:
    with pytest.raises(PluginError, match=message):
        check_plugin(SHAPE_KINDS.need(name))
    assert check_plugin(SHAPE_KINDS.need("wedge"))


def test_the_conformance_suite_finds_chance_a_class_of_its_own_and_small_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    def shaken(request: ShapeRequest) -> Shape:
        return ConvexHull(np.random.default_rng().normal(size=(9, 3)))

    class Own(Capsule):
        """A log cannot hold it."""

    monkeypatch.setattr(Sphere, "bounds", lambda self: (np.zeros(3), np.full(3, 0.9 * self.radius)))
    for build, message in (
        (shaken, "equal keys give another shape"),
        (lambda _: Own(1.0, 2.0), "returns Own; expected one of terrain.objects.shapes"),
        (lambda _: Sphere(2.0), "outside its bounding box"),
    ):
        kind = ShapeKind("odd", build, CONTRACT, (EDGE,), "odd")
        with pytest.raises(PluginError, match=message):
            check_plugin(kind)
