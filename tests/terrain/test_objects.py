"""Do terrain files give the objects that they describe, and do faulty objects give one clear line each?"""

from __future__ import annotations

import gc
import math
import pickle
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from simulator.base.callbacks import records_at
from simulator.base.errors import ConfigError
from simulator.base.jit import kernel
from simulator.base.records import record
from terrain.ground import Ground
from terrain.load_terrain import load_terrain
from terrain.objects.as_mapping import from_mapping, to_mapping
from terrain.objects.errors import ObjectError
from terrain.objects.mesh_tree import mesh_tree
from terrain.objects.object_set import ObjectSet
from terrain.objects.paths import Path as ObjectPath
from terrain.objects.placement import placement_remarks
from terrain.objects.pose import POSE, place_object
from terrain.objects.records import BREAKAWAY, OBJECT_TYPE, PATH
from terrain.objects.table_file import COLUMNS
from terrain.objects.world_object import Box, Breakaway, Capsule, ConvexHull, Cylinder, Material, Sphere, TriangleMesh, WorldObject

CUBE = """v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
f 4 3 2 1
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
"""


def ground(folder: Path = Path(), **content: Any) -> Ground:
    text = yaml.safe_dump({"type": "flat", **content})
    return load_terrain(yaml.safe_load(text), str(folder / "world.yaml"), folder, {})


@kernel
def pose_of(world, row, t, pose):
    """Write the pose of an object of a world."""
    place_object(world, records_at(world[0]["objects"], OBJECT_TYPE, world[0]["count"])[row], t, pose)


def pose_at(objects: ObjectSet, row: int, t: float) -> Any:
    out = record(POSE)
    pose_of(objects.world, row, t, out)
    return out[0]


def test_every_shape_stands_on_the_ground(tmp_path: Path) -> None:
    (tmp_path / "cube.obj").write_text(CUBE)
    found = ground(
        tmp_path,
        grade_percent=10.0,
        objects=[
            {"shape": "box", "size": [4, 2, 1.5], "position": [20, 3], "yaw_deg": 90, "label": "vehicle"},
            {"shape": "cylinder", "radius_cm": 10, "height": 3, "position": [30, 0], "label": "post"},
            {"shape": "sphere", "radius": 0.5, "position": [40, 0]},
            {"shape": "capsule", "radius": 0.3, "length": 1, "position": [50, 0], "pitch_deg": 90},
            {"shape": "hull", "points": [[0, 0, -1], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "position": [60, 0]},
            {"shape": "mesh", "file": "cube.obj", "units": "ft", "position": [70, 0], "label": "kerb"},
        ],
    ).objects
    r = found.records
    assert [one.name for one in found.objects] == ["vehicle_1", "post_1", "sphere_1", "capsule_1", "hull_1", "kerb_1"]
    assert r["p_WO"][:, 2] == pytest.approx([2.75, 3.0, 4.5, 5.3, 7.0, 7.0], abs=1e-6)
    assert r["low"][:, 2] == pytest.approx([2.0, 3.0, 4.0, 5.0, 6.0, 7.0], abs=1e-6)
    assert r["label"].tolist() == [5, 6, 8, 8, 8, 7]
    assert (r["high"] - r["low"])[0] == pytest.approx([2.0, 4.0, 1.5])
    assert (r["high"] - r["low"])[3] == pytest.approx([1.6, 0.6, 0.6])
    assert (r["high"] - r["low"])[5] == pytest.approx([0.3048] * 3)


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ({"shape": "box", "size": [1, -1, 1], "position": [0, 9]}, "size"),
        ({"shape": "ball", "radius": 1, "position": [0, 9]}, "one of box, cylinder"),
        ({"shape": "sphere", "radius": 1}, "position"),
        ({"shape": "sphere", "radius": 1, "position": [0, 9], "label": "tree"}, "label"),
        ({"shape": "cylinder", "radius": 1, "height": 1, "position": [0, 9], "pitch_deg": 5}, "pitch"),
        ({"shape": "hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], "position": [0, 9]}, "span no volume"),
        ({"shape": "mesh", "file": "missing.obj", "position": [0, 9]}, "no such file"),
        ({"shape": "sphere", "radius": 1, "path": {"points": [[0, 0], [1, 0]]}}, "either times or speed"),
        ({"shape": "sphere", "radius": 1, "path": {"points": [[0, 0], [1, 0]], "speed": [0, 0]}}, "no two neighbors"),
        ({"shape": "sphere", "radius": 1, "path": {"points": [[0, 0], [1, 0]], "times": [0, 1, 2]}}, "2 numbers"),
        ({"shape": "sphere", "radius": 1, "position": [0, 9], "extinction": 1, "breakaway": {"mass": 1}}, "solid"),
    ],
)
def test_a_faulty_object_is_refused_with_its_key(section: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        ground(objects=[{"shape": "sphere", "radius": 1, "position": [50, 50]}, section])
    assert all("objects[1]" in error.key or "missing.obj" in str(error) for error in caught.value.errors)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"material": Material(friction=-1.0)}, "friction"),
        ({"material": Material(restitution=math.nan)}, "restitution"),
        ({"material": Material(stiffness=math.inf)}, "stiffness"),
        ({"material": Material(extinction=-1.0)}, "extinction"),
        ({"material": Material(color=(1.0, 2.0, 0.0))}, "color"),
        ({"motion": Breakaway(5.0, math.nan)}, "force"),
        ({"motion": ObjectPath(np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]), speeds=np.array([1e-323, 1e-323]))}, "speeds"),
        ({"motion": ObjectPath(np.array([[0.0, 0.0, 0.0], [math.nan, 0.0, 0.0]]), speeds=np.array([1.0, 1.0]))}, "points"),
        ({"motion": ObjectPath(np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]), times=np.array([1.0, 0.0]))}, "times"),
        ({"motion": ObjectPath(np.array([[0.0, 0.0, 0.0], [9e5, 0.0, 0.0]]), times=np.array([0.0, 1e-3]))}, "a speed of"),
        ({"motion": ObjectPath(np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]))}, "neither"),
        ({"shape": Box(("a", 1.0, 1.0))}, "size"),
        ({"name": "a\nb"}, "control"),
        ({"position": (math.inf, 0.0, 0.0)}, "finite"),
    ],
)
def test_an_impossible_object_of_a_program_is_refused(changes: dict[str, Any], words: str) -> None:
    one = WorldObject("thing", Sphere(1.0), (50.0, 0.0, 1.0))
    with pytest.raises(ObjectError, match=words):
        ObjectSet([replace(one, **changes)])


def test_a_table_of_bad_rows_is_refused_soon(tmp_path: Path) -> None:
    rows = "\n".join(f"cylinder,{n},0,5,-1" for n in range(20_000))
    (tmp_path / "objects.csv").write_text(f"shape,x_m,y_m,height_m,radius_m\n{rows}\n")
    with pytest.raises(ConfigError) as caught:
        ground(tmp_path, objects_table="objects.csv")
    assert len(caught.value.errors) == 100
    (tmp_path / "objects.csv").write_text("name,shape,x_m,y_m,radius_m\n" + "x" * 200_000 + ",sphere,30,0,1\n")
    with pytest.raises(ConfigError, match=r"objects\.csv:2.*short cells"):
        ground(tmp_path, objects_table="objects.csv")


def test_all_faults_are_reported_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        ground(objects=[{"shape": "sphere", "radius": 1}, {"shape": "box", "size": [1, 1, 1]}])
    assert [error.key for error in caught.value.errors] == ["objects[0].position", "objects[1].position"]


def test_two_objects_need_different_names() -> None:
    one = {"shape": "sphere", "radius": 1, "position": [50, 50], "name": "ball"}
    with pytest.raises(ConfigError, match="ball"):
        ground(objects=[one, one])


def test_a_path_is_followed_in_time() -> None:
    path = {"points": [[0, 0], [10, 0], [10, 10]], "speed": [0, 5, 0]}
    found = ground(objects=[{"shape": "box", "size": [2, 1, 1], "path": path}]).objects
    for t, x, y, speed, yaw in ((-1.0, 0, 0, 0, 0), (2.0, 2.5, 0, 2.5, 0), (6.0, 10, 7.5, 2.5, 90), (9.0, 10, 10, 0, 90)):
        pose = pose_at(found, 0, t)
        assert pose["p_WO"] == pytest.approx([x, y, 0.5])
        assert math.hypot(*pose["v_WO"][:2]) == pytest.approx(speed)
        assert math.degrees(math.atan2(pose["R_WO"][1, 0], pose["R_WO"][0, 0])) == pytest.approx(yaw)


def test_a_smooth_path_has_continuous_velocity_and_the_velocity_is_the_derivative() -> None:
    points = [[0, 0], [10, 0], [20, 10], [0, 20], [0, 0]]
    found = ground(
        objects=[{"shape": "sphere", "radius": 1, "path": {"points": points, "speed": 3, "smooth": True, "repeats": True}}]
    ).objects
    end = float(found.segments["time"][-1, 1])
    for t in (*found.segments["time"][1:, 0], 1.0, end + 2.0):
        before, here, after = (pose_at(found, 0, float(t) + dt).copy() for dt in (-1e-6, 0.0, 1e-6))
        assert (after["p_WO"] - before["p_WO"]) / 2e-6 == pytest.approx(here["v_WO"], abs=1e-4)
    again = pose_at(found, 0, 5.0 + end)["p_WO"]
    assert again == pytest.approx(pose_at(found, 0, 5.0)["p_WO"])


def test_bounds_contain_an_object_all_along_its_path() -> None:
    points = [[0, 0], [10, 0], [20, 10], [0, 20]]
    found = ground(objects=[{"shape": "box", "size": [4, 1, 1], "path": {"points": points, "speed": 3, "smooth": True}}]).objects
    corners = np.array([(a, b, c) for a in (-2, 2) for b in (-0.5, 0.5) for c in (-0.5, 0.5)])
    for t in np.linspace(0.0, 20.0, 200):
        pose = pose_at(found, 0, float(t))
        placed = pose["p_WO"] + corners @ pose["R_WO"].T
        assert (placed >= found.records[0]["low"]).all()
        assert (placed <= found.records[0]["high"]).all()


def test_every_object_is_in_all_bins_that_it_reaches() -> None:
    random = np.random.default_rng(3)
    objects = [
        WorldObject(f"box_{n}", Box(random.uniform(0.1, 20.0, 3)), (*random.uniform(-200, 200, 2), 0.0), yaw=float(random.uniform(-3, 3)))
        for n in range(300)
    ]
    found = ObjectSet(objects)
    w = found.world[0]
    for _ in range(2000):
        row = int(random.integers(len(objects)))
        half = 0.5 * np.asarray(objects[row].shape.size)
        point = found.records[row]["p_WO"] + found.records[row]["R_WO"] @ (half * random.uniform(-1, 1, 3))
        column, line = np.floor((point[:2] - w["origin"]) / w["size"]).astype(int)
        at = line * w["bins"][0] + column
        assert row in found.item_rows[found.starts[at] : found.starts[at + 1]]


def test_the_tree_of_a_mesh_contains_every_triangle_once() -> None:
    random = np.random.default_rng(1)
    triangles = random.uniform(-50, 50, (1000, 1, 3)) + random.normal(size=(1000, 3, 3))
    nodes, rows = mesh_tree(triangles)

    def count(at: int) -> int:
        node = nodes[at]
        if node["count"]:
            own = rows[node["first"] : node["first"] + node["count"]]
            corners = np.concatenate((own["a"], own["a"] + own["ab"], own["a"] + own["ac"]))
            assert (corners >= node["low"] - 1e-9).all()
            assert (corners <= node["high"] + 1e-9).all()
            return int(node["count"])
        for child in (node["first"], node["first"] + 1):
            assert (nodes[child]["low"] >= node["low"]).all()
            assert (nodes[child]["high"] <= node["high"]).all()
        return count(int(node["first"])) + count(int(node["first"]) + 1)

    assert count(0) == 1000
    areas = np.sort(np.linalg.norm(np.cross(rows["ab"], rows["ac"]), axis=1))
    expected = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    assert areas == pytest.approx(np.sort(np.linalg.norm(expected, axis=1)))


def test_ten_thousand_objects_are_ready_soon() -> None:
    random = np.random.default_rng(0)
    shapes = Box((1, 2, 3)), Cylinder(0.1, 2.0), Sphere(0.5), Capsule(0.2, 1.0)
    objects = [WorldObject(f"o{n}", shapes[n % 4], (*random.uniform(-500, 500, 2), 0.0)) for n in range(10_000)]
    start = time.process_time()
    assert len(ObjectSet(objects)) == 10_000
    assert time.process_time() - start < 10.0  # 0.3 s on an idle machine


def test_a_session_has_its_own_states_and_a_process_its_own_addresses() -> None:
    found = ObjectSet([WorldObject("cone", Cylinder(0.2, 0.7), (5.0, 0.0, 0.0), label="cone", motion=Breakaway(3.0))])
    first, second = found.for_session(), found.for_session()
    first.states[0]["broken"], first.states[0]["p_WO"] = 1, (9.0, 9.0, 0.0)
    assert pose_at(first, 0, 0.0)["p_WO"].tolist() == [9.0, 9.0, 0.0]
    assert pose_at(second, 0, 0.0)["p_WO"].tolist() == [5.0, 0.0, 0.0]
    copy = pickle.loads(pickle.dumps(found))
    del found
    assert pose_at(copy, 0, 0.0)["p_WO"].tolist() == [5.0, 0.0, 0.0]


def test_the_record_of_a_world_keeps_its_objects_alive() -> None:
    """A kernel may use the arrays of a ground that is gone."""
    world = ground(objects=[{"shape": "sphere", "radius": 0.5, "position": [30 + n, 0]} for n in range(200)]).arrays.objects
    gc.collect()
    _ = [np.full(20_000, 7.0) for _ in range(200)]
    pose = record(POSE)
    for n in range(200):
        pose_of(world, n, 0.0, pose)
        assert pose[0]["p_WO"].tolist() == [30.0 + n, 0.0, 0.5]


def test_objects_are_added_and_removed_and_numbers_stay() -> None:
    session = ObjectSet([WorldObject("a", Sphere(1.0), (0.0, 0.0, 0.0)), WorldObject("b", Sphere(1.0), (5.0, 0.0, 0.0))]).for_session()
    world = session.world
    session.remove(1)
    more = session.with_added([WorldObject("c", Sphere(1.0), (9.0, 0.0, 0.0))], world)
    assert more.records["number"].tolist() == [1, 2, 3]
    assert more.records["present"].tolist() == [0, 1, 1]
    assert world[0]["count"] == 3
    assert more.world is world
    assert pose_at(more, 2, 0.0)["p_WO"][0] == 9.0
    with pytest.raises(ObjectError, match="no such object"):
        more.remove(1)


@pytest.mark.parametrize("present", [0, 40])
def test_objects_that_are_added_one_by_one_are_found_like_all_at_once(present: int) -> None:
    random = np.random.default_rng(4)
    objects = []
    for n in range(present + 150):
        place = (*random.uniform(-60.0, 60.0, 2), 0.0)
        motion: Any = (None, Breakaway(5.0), ObjectPath(np.array([place, (0.0, 0.0, 1.0)]), speeds=np.ones(2), breakaway=Breakaway(8.0)))[
            n % 3
        ]
        shape = ConvexHull(random.normal(size=(8, 3))) if n % 5 == 0 else Box(random.uniform(0.1, 20.0, 3))
        objects.append(WorldObject(f"one {n}", shape, place, motion=motion))
    whole = ObjectSet(objects)
    own = ObjectSet(objects[:present]).for_session()
    world = own.world
    for one in objects[present:]:
        own = own.with_added([one], world)
    assert own.world is world and world[0]["count"] == len(own) == len(objects)
    for name in whole.records.dtype.names:
        assert np.array_equal(own.records[name], whole.records[name]), name
    assert np.array_equal(own.vertices, whole.vertices) and np.array_equal(own.segments, whole.segments)
    assert np.array_equal(own.states["p_WO"][: len(whole.states)], whole.states["p_WO"])
    assert len(own.item_rows) == own.starts[-1] == world[0]["items"]
    bins, moving = whole.world[0], set(own.mover_rows)
    assert set(np.flatnonzero(own.records["motion"] == PATH)) <= moving
    for row in set(range(len(own))) - moving:
        first, last = (
            np.floor((own.records[row][name][:2] - world[0]["origin"]) / world[0]["size"]).astype(int) for name in ("low", "high")
        )
        for line in range(first[1], last[1] + 1):
            for column in range(first[0], last[0] + 1):
                at = line * int(world[0]["bins"][0]) + column
                assert row in own.item_rows[own.starts[at] : own.starts[at + 1]]
    assert bins["fastest"] == world[0]["fastest"]
    with pytest.raises(ObjectError, match="have this name"):
        own.with_added([objects[0]], world)
    assert world[0]["count"] == len(objects), "nothing has changed"


@pytest.mark.parametrize("extinction", [0.0, 0.5])
@pytest.mark.parametrize(("label", "mass"), [("person", 75.0), ("animal", 50.0), ("vehicle", None)])
def test_persons_and_animals_have_a_mass(label: str, mass: float | None, extinction: float) -> None:
    common = {"shape": "sphere", "radius": 0.3, "label": label, "extinction": extinction}
    path = {"points": [[30, 0], [30, 9]], "speed": 1.4}
    found = ground(objects=[{**common, "position": [30, 0]}, {**common, "path": path}]).objects
    given = ground(objects=[{**common, "extinction": 0, "path": path, "breakaway": {"mass": 20, "force": 5}}]).objects
    for one in found.objects:
        assert (None if one.breakaway is None else one.breakaway.mass) == (mass if extinction == 0.0 else None)
    assert found.records["motion"][1] == given.records["motion"][0] == PATH
    assert given.records[0]["mass"] == 20.0 and given.records[0]["break_force"] == 5.0


def test_objects_survive_a_log_to_the_last_bit() -> None:
    path = ObjectPath(np.array([[0.1, 0.2, 0.3], [1.0 / 3.0, 2.0, 3.0]]), speeds=np.array([1.0, 2.0]))
    objects = [
        WorldObject("box", Box((1.0 / 3.0, 2.0, 3.0)), (0.1, 0.2, 0.3), yaw=0.7, motion=path),
        WorldObject("hull", ConvexHull(np.random.default_rng(0).normal(size=(12, 3))), (0.0, 0.0, 0.0)),
        WorldObject("mesh", TriangleMesh(np.random.default_rng(0).normal(size=(5, 3, 3))), (0.0, 0.0, 0.0)),
        WorldObject("cone", Cylinder(0.2, 0.7), (5.0, 0.0, 0.0), motion=Breakaway(3.0, 10.0)),
    ]
    again = [from_mapping(yaml.safe_load(yaml.safe_dump(to_mapping(one)))) for one in objects]
    first, second = ObjectSet(objects), ObjectSet(again)
    assert first.records.tobytes() == second.records.tobytes()
    assert first.segments.tobytes() == second.segments.tobytes()
    assert first.triangles.tobytes() == second.triangles.tobytes()


def test_a_table_gives_the_same_objects_as_a_list(tmp_path: Path) -> None:
    rows = [
        "tree,cylinder,vegetation,20,5,,,,,8,0.25,,,,,,0.5,,,",
        "crate,box,other,30,5,2,45,1,2,3,,0.8,,1,0,0,,,20,500",
        ",sphere,rock,40,5,,,,,,0.5,,,,,,,0.7,,",
    ]
    (tmp_path / "objects.csv").write_text(",".join(COLUMNS) + "\n" + "\n".join(rows) + "\n")
    table = ground(tmp_path, objects_table="objects.csv").objects
    listed = ground(
        tmp_path,
        objects=[
            {
                "name": "tree",
                "shape": "cylinder",
                "label": "vegetation",
                "position": [20, 5],
                "radius": 0.25,
                "height": 8,
                "reflectance": 0.5,
            },
            {
                "name": "crate",
                "shape": "box",
                "position": [30, 5, 2],
                "yaw_deg": 45,
                "size": [1, 2, 3],
                "friction": 0.8,
                "color": [1, 0, 0],
                "breakaway": {"mass": 20, "force": 500},
            },
            {"shape": "sphere", "label": "rock", "position": [40, 5], "radius": 0.5, "extinction": 0.7},
        ],
    ).objects
    assert table.records.tobytes() == listed.records.tobytes()
    assert [one.name for one in table.objects] == ["tree", "crate", "rock_1"]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("a,box,,1,2,,,1,2,,,,,,,,,,,", "height_m"),
        ("a,cone,,1,2,,,,,,,,,,,,,,,", "shape"),
        ("a,sphere,,1,two,,,,,,1,,,,,,,,,", "two"),
        ("a,sphere,,1,2,,,,,,-1,,,,,,,,,", "radius"),
    ],
)
def test_a_bad_cell_is_refused_with_its_line(tmp_path: Path, row: str, words: str) -> None:
    good = "b,sphere,,1,20,,,,,,1,,,,,,,,,"
    (tmp_path / "objects.csv").write_text(",".join(COLUMNS) + f"\n{good}\n{row}\n")
    with pytest.raises(ConfigError, match=words) as caught:
        ground(tmp_path, objects_table="objects.csv")
    assert "objects.csv:3" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "no triangles|at least one face"),
        (CUBE.replace("v 1 1 1", "v nan 1 1"), "finite"),
        (CUBE.replace("f 5 6 7 8", "f 5 6 7 88"), "corner 88"),
        (CUBE.replace("f 5 6 7 8", "f 5"), "three corners"),
        ("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "without area"),
    ],
)
def test_a_damaged_mesh_gives_one_clear_line(tmp_path: Path, content: str, words: str) -> None:
    (tmp_path / "bad.obj").write_text(content)
    with pytest.raises(ConfigError, match=words) as caught:
        ground(tmp_path, objects=[{"shape": "mesh", "file": "bad.obj", "position": [20, 0]}])
    assert "bad.obj" in str(caught.value)
    assert len(caught.value.errors) == 1


def test_an_stl_file_of_text_with_a_damaged_normal_prints_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    facets = [("0 0 1", "0 0 0, 1 0 0, 0 1 0"), ("nothing", "1 0 0, 1 1 0, 0 1 0")]
    lines = [
        f"facet normal {normal}\nouter loop\n" + "".join(f"vertex {corner}\n" for corner in corners.split(", ")) + "endloop\nendfacet\n"
        for normal, corners in facets
    ]
    (tmp_path / "plate.stl").write_text(f"solid plate\n{''.join(lines)}endsolid plate\n")
    with pytest.warns(UserWarning, match="not closed"):
        ground(tmp_path, objects=[{"shape": "mesh", "file": "plate.stl", "position": [20, 0]}])
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (CUBE.replace("f 5 6 7 8\n", ""), "not closed"),
        (CUBE + "f 1 2 2\n", "no area"),
        (CUBE.replace("1", "2000").replace("f 4 3 2 2000", "f 4 3 2 2000"), "units"),
    ],
)
def test_a_doubtful_mesh_is_used_with_a_warning(tmp_path: Path, content: str, words: str) -> None:
    lines = [line.replace("2000", "1") if line.startswith("f") else line for line in content.splitlines()]
    (tmp_path / "mesh.obj").write_text("\n".join(lines))
    with pytest.warns(UserWarning, match=words):
        found = ground(tmp_path, objects=[{"shape": "mesh", "file": "mesh.obj", "position": [3000, 0]}])
    assert len(found.objects) == 1


def test_scattered_objects_keep_their_limits_and_their_density() -> None:
    section = {
        "type": "scatter",
        "shape": "cylinder",
        "radius": [0.1, 0.4],
        "height": [4, 10],
        "label": "vegetation",
        "density_pha": 200,
        "x": [-100, 100],
        "y": [-100, 100],
        "clearance": 1.0,
        "spawn_clearance": 15.0,
        "seed": 4,
    }
    found = ground(object_generators=[section]).objects
    assert len(found) == pytest.approx(800, abs=8)
    place, radius = found.records["p_WO"][:, :2], found.records["size"][:, 0]
    assert (np.abs(place) <= 100).all()
    assert (np.hypot(*place.T) >= 15.0).all()
    gaps = np.hypot(*(place[:, None] - place[None]).transpose(2, 0, 1)) - radius[:, None] - radius[None]
    assert gaps[~np.eye(len(place), dtype=bool)].min() >= 1.0
    assert radius.min() >= 0.1
    assert radius.max() <= 0.4
    assert radius.mean() == pytest.approx(0.25, abs=0.02)
    again = ground(object_generators=[section]).objects
    assert again.records.tobytes() == found.records.tobytes()
    other = ground(object_generators=[{**section, "seed": 5}]).objects
    assert other.records["p_WO"].tobytes() != found.records["p_WO"].tobytes()


def test_scattered_objects_avoid_steep_ground_and_the_objects_before() -> None:
    wall = {"shape": "box", "size": [80, 10, 2], "position": [0, 50]}
    scatter = {"type": "scatter", "shape": "box", "length": 1, "height": 1, "density_pha": 100, "x": [-40, 40], "y": [20, 80], "seed": 1}
    found = ground(objects=[wall], object_generators=[scatter]).objects.records
    assert (np.abs(found["p_WO"][1:, 1] - 50.0) > 5.0).all()
    with pytest.raises(ConfigError, match="room for at least one"):
        ground(grade_percent=20, object_generators=[{**scatter, "slope_percent": 10}])


def test_a_row_has_even_distances_and_follows_its_line() -> None:
    section = {
        "type": "row",
        "object": {"shape": "box", "size": [4, 2, 1.5], "label": "vehicle"},
        "points": [[0, 10], [100, 10], [100, 60]],
        "spacing": 10,
        "offset": 3,
    }
    found = ground(object_generators=[section]).objects.records
    assert found["p_WO"][:11, :2] == pytest.approx(np.array([[10.0 * n, 13.0] for n in range(10)] + [[97.0, 10.0]]))
    assert found["R_WO"][12, 1, 0] == pytest.approx(1.0)


def test_probable_mistakes_are_remarked() -> None:
    found = ground(
        objects=[
            {"shape": "box", "size": [4, 2, 1.5], "position": [20, 3], "name": "a"},
            {"shape": "box", "size": [4, 2, 1.5], "position": [21, 3], "name": "b"},
            {"shape": "box", "size": [4, 2, 1.5], "position": [20, 5], "name": "beside"},
            {"shape": "sphere", "radius": 0.3, "position": [40, 3, -2], "name": "deep"},
        ]
    )
    assert placement_remarks(found) == ["objects below the ground: deep", "objects inside one another: a and b"]


def test_kinds_of_motion_are_recorded() -> None:
    path = {"points": [[40, -10], [40, 10]], "speed": 1.4, "repeats": True}
    found = ground(
        objects=[
            {"shape": "box", "size": [0.5, 0.5, 1.8], "path": path},
            {"shape": "cylinder", "radius": 0.2, "height": 0.7, "position": [35, 0], "breakaway": {"mass": 3}},
        ]
    ).objects
    assert found.records["motion"].tolist() == [PATH, BREAKAWAY]
    assert found.mover_rows.tolist() == [0]
