"""Do the lanes of a terrain join, stay clear of curbs and objects, and come back from a file as they were written?"""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from simulator.base.errors import ConfigError
from simulator.cli.main import main
from simulator.tools.terrain.make_command import generate_terrain
from terrain.generators.generated_terrain import GeneratedTerrain
from terrain.generators.shapes import polygon_distance
from terrain.ground import Ground
from terrain.load_terrain import load_terrain
from terrain.objects.footprint import Rectangle, rows_in
from terrain.objects.object_set import ObjectSet
from terrain.objects.world_object import WorldObject
from terrain.roads.lane_table import lane_text, read_lanes
from terrain.roads.network import DRIVE, Lane, RoadNetwork, lane_pose
from terrain.roads.route import center_line

CAR = Rectangle(2.5, -2.5, 1.1)
"""A car of 2.2 m x 5 m around the middle of its wheelbase."""
TOWNS = {
    "usual": [],
    "square": ["blocks=[2, 2]", "bend=0"],
    "bent": ["blocks=[3, 2]", "bend=0.15"],
    "wide": ["blocks=[2, 2]", "street=14", "corner=9"],
    "no_strip": ["blocks=[2, 2]", "street=7"],
    "no_zebras": ["blocks=[2, 2]", "block=[30, 30]", "bend=0"],
}


@pytest.fixture(scope="module", params=TOWNS)
def made(request: pytest.FixtureRequest) -> GeneratedTerrain:
    return generate_terrain("town", 2, [*TOWNS[request.param], "spacing=1"])


@pytest.fixture(scope="module")
def network(made: GeneratedTerrain) -> RoadNetwork:
    return RoadNetwork(made.lanes)


def poses(network: RoadNetwork, number: int, step: float) -> np.ndarray:
    """Return x, y [m] and direction [rad] along a lane."""
    length = float(network.arrays.lanes["length"][number])
    return np.array([lane_pose(network.arrays, number, s) for s in np.linspace(0.0, length, max(2, math.ceil(length / step)))])


def test_a_lane_begins_where_the_lane_before_it_ends(network: RoadNetwork) -> None:
    joints = 0
    for lane in network.lanes:
        for name in lane.successors:
            after = network.lanes[network.number(name)]
            assert math.dist(lane.points[-1], after.points[0]) < 1e-6
            (ax, ay), (bx, by) = lane.points[-1] - lane.points[-2], after.points[1] - after.points[0]
            if not lane.walk:
                assert abs(math.remainder(math.atan2(by, bx) - math.atan2(ay, ax), math.tau)) < math.radians(5.0), (lane.name, name)
            joints += 1
    assert joints >= len(network.lanes)


def test_every_lane_is_reachable_from_every_other(network: RoadNetwork) -> None:
    assert len(network.connected_parts()) == 1
    drive = network.connected_parts()[0]
    assert len(drive) == sum(not lane.walk for lane in network.lanes)
    for start, end in itertools.islice(itertools.product(drive, drive), 0, None, 97):
        way = network.route(start, end)
        assert way[0] == start and way[-1] == end
        assert all(network.lanes[b].name in network.lanes[a].successors for a, b in itertools.pairwise(way))


def test_conflicts_are_symmetric(network: RoadNetwork) -> None:
    a, rows = network.arrays, set()
    for number, lane in enumerate(a.lanes):
        for row in a.conflicts[lane["first_conflict"] : lane["first_conflict"] + lane["conflicts"]]:
            assert 0.0 <= row["begin"] <= row["end"] <= lane["length"] + 1e-9
            rows.add((number, int(row["lane"]), *(float(row[name]) for name in ("begin", "end", "other_begin", "other_end"))))
    assert rows and rows == {(n, k, c, d, a, b) for k, n, a, b, c, d in rows}


def test_lanes_that_cross_have_a_conflict_where_they_cross(network: RoadNetwork) -> None:
    """Compared with the distances of all points of pairs of lanes of one crossing."""
    a, checked = network.arrays, 0
    by_crossing: dict[int, list[int]] = {}
    for number, row in enumerate(a.lanes):
        if row["crossing"] >= 0:
            by_crossing.setdefault(int(row["crossing"]), []).append(number)
    for one, two in itertools.chain(*(itertools.permutations(lanes, 2) for lanes in itertools.islice(by_crossing.values(), 3))):
        p, q = (poses(network, n, 0.25)[:, :2] for n in (one, two))
        least = float(np.hypot(*(p[:, None] - q[None]).transpose(2, 0, 1)).min())
        row = a.lanes[one]
        found = two in a.conflicts["lane"][row["first_conflict"] : row["first_conflict"] + row["conflicts"]]
        if math.dist(p[0], q[0]) > 0.1 and abs(least - row["width"]) > 0.2:
            assert found == (least < row["width"]), (network.lanes[one].name, network.lanes[two].name)
            checked += 1
    assert checked > 20


def test_a_stop_line_is_ahead_of_each_car_that_stops_before_a_zebra_crossing(made: GeneratedTerrain, network: RoadNetwork) -> None:
    lines = np.array([entry.mapping["points"] for entry in made.marks if entry.mapping["width"] == 0.3])
    assert len(lines) == 2 * sum(entry.mapping["width"] == 0.12 for entry in made.marks)
    found = set()
    for lane in network.lanes:
        if lane.walk or lane.crossing is not None or not len(lines):
            continue
        end, ahead = lane.points[-1], (lane.points[-1] - lane.points[-2]) / math.dist(lane.points[-1], lane.points[-2])
        across = np.array((-ahead[1], ahead[0]))
        away = (lines - end) @ ahead
        here = np.flatnonzero((np.abs(away - 0.3) < 0.1).all(axis=1) & (np.abs((lines - end) @ across).max(axis=1) < lane.width))
        found.update(here.tolist())
        for line in lines[here]:
            sides = (line - end) @ across
            assert sides.min() < -0.9 and sides.max() > 0.9, "it is as wide as the lane"
    assert len(found) == len(lines)


def test_a_car_along_every_lane_touches_no_curb_and_no_object(made: GeneratedTerrain, network: RoadNetwork) -> None:
    objects = ObjectSet(
        [WorldObject(o.name, o.shape, (*o.position[:2], 0.0), o.yaw, label=o.label, material=o.material) for o in made.objects]
    )
    curbs = [np.array(entry.mapping["points"][:-1]) for entry in made.features if entry.mapping["type"] == "curb"]
    boxes = [(curb, curb.min(axis=0), curb.max(axis=0)) for curb in curbs]
    for number, lane in enumerate(network.lanes):
        if lane.walk:
            continue
        corners = np.array([CAR.at(*pose) for pose in poses(network, number, 0.5)])
        dense = corners[:, :, None] + np.linspace(0.0, 1.0, 6)[:, None] * (np.roll(corners, -1, axis=1) - corners)[:, :, None]
        flat, low, high = dense.reshape(-1, 2), dense.min(axis=(0, 1, 2)), dense.max(axis=(0, 1, 2))
        for curb, start, end in boxes:
            if (low < end).all() and (high > start).all():
                assert polygon_distance(curb, flat[:, 0], flat[:, 1]).min() > 0.1, lane.name
        for box in corners:
            assert not [objects.objects[row].name for row in rows_in(objects, box, 0.05, 2.0)], lane.name


def test_turns_are_not_tighter_than_the_turning_circle_of_a_sedan(network: RoadNetwork) -> None:
    for lane in network.lanes:
        if not lane.walk and len(lane.points) > 2:
            step = np.diff(lane.points, axis=0)
            length, course = np.hypot(*step.T), np.unwrap(np.arctan2(step[:, 1], step[:, 0]))
            radius = 1.0 / float(np.abs(np.diff(course) / (0.5 * (length[1:] + length[:-1]))).max())
            assert radius > 6.7, lane.name  # the middle between the axles of `sedan` at full lock
            assert lane.speed_limit**2 / radius < 2.6, lane.name


def test_persons_walk_beside_the_streets_and_cross_them_at_zebras(made: GeneratedTerrain, network: RoadNetwork) -> None:
    walks = [lane for lane in network.lanes if lane.walk]
    curbs = [np.array(entry.mapping["points"][:-1]) for entry in made.features]
    for lane in walks:
        depth = np.min([polygon_distance(curb, *lane.points.T) for curb in curbs], axis=0)
        assert depth.max() < -0.2 and depth.min() > -2.6, lane.name
    zebras = [lane for lane in walks if lane.name.startswith("zebra")]
    assert len(network.connected_parts(walk=True)) == (1 if zebras else len(curbs))
    for lane in zebras:
        row = network.arrays.lanes[network.number(lane.name)]
        met = network.arrays.conflicts["lane"][row["first_conflict"] : row["first_conflict"] + row["conflicts"]]
        assert len(met) >= 6 and all(network.arrays.lanes["kind"][met] == DRIVE)


def test_the_street_that_ends_gives_way_and_else_the_street_along_y(network: RoadNetwork) -> None:
    through: dict[str, dict[str, bool]] = {}
    for lane in network.lanes:
        if lane.crossing is not None:
            through.setdefault(lane.crossing, {})[lane.name.split("_")[3]] = lane.yields
    assert through
    for arms in through.values():
        y_yields = len({"north", "south"} & set(arms)) == 1 or {"east", "west"} <= set(arms)
        assert arms == {arm: (arm in ("north", "south")) == y_yields for arm in arms}


def test_traffic_keeps_to_the_right(network: RoadNetwork) -> None:
    for lane in network.lanes:
        other = "_".join((lane.name.split("_")[0], *lane.name.split("_")[:0:-1]))
        if lane.name[0] in "xy" and not lane.walk:
            (dx, dy), away = lane.points[1] - lane.points[0], network.lanes[network.number(other)].points[1] - lane.points[0]
            assert dx * away[1] - dy * away[0] > 0.0, lane.name  # the opposite lane is on the left


def test_information_about_a_terrain_counts_its_lanes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "lanes.csv").write_text(TABLE)
    (tmp_path / "world.yaml").write_text("type: flat\nlanes: lanes.csv\n")
    assert main(["terrain", "info", str(tmp_path / "world.yaml"), "--json"]) == 0
    lanes = json.loads(capsys.readouterr().out)["lanes"]
    assert (lanes["for_vehicles"], lanes["for_persons"], lanes["crossings"], lanes["separate_parts"]) == (4, 1, 1, 3)
    assert math.isclose(lanes["length"], 100.0 + 8.0 + 2.0 * 3.8, abs_tol=1.0)
    assert main(["terrain", "show", str(tmp_path / "world.yaml"), "--plot", str(tmp_path / "world.png")]) == 0
    colors = np.asarray(Image.open(tmp_path / "world.png").convert("RGB"), int).reshape(-1, 3)
    assert (colors[:, 2] - colors[:, 0] > 100).sum() > 100, "blue lanes"


def test_a_circuit_is_one_closed_lane(tmp_path: Path) -> None:
    made = generate_terrain("circuit", 2, ["size_m=300", "spacing=2"])
    (tmp_path / "lanes.csv").write_text(lane_text(made.lanes))
    network = read_lanes("lanes.csv", str(tmp_path / "circuit.yaml"), tmp_path)
    x, y = made.places["start"].at
    line = center_line(network, (x, y, math.radians(made.places["start"].yaw_deg)), ["course"], {})
    assert line.station[-1] > 300.0 and math.dist(line.points[0], line.points[-1]) < 0.1, "a lap"
    behind = network.along(0, np.array([network.arrays.lanes["length"][0] - 0.1]))[0]
    assert center_line(network, (*behind, math.radians(made.places["start"].yaw_deg)), ["course"], {}).station[-1] > 300.0
    barriers = np.array([one.position[:2] for one in made.objects if one.name.startswith("barrier")])
    assert np.hypot(*(barriers[:, None] - line.points[None]).transpose(2, 0, 1)).min() > 0.5 * network.lanes[0].width


# ---- files


def test_a_table_gives_the_lanes_back(network: RoadNetwork, tmp_path: Path) -> None:
    (tmp_path / "lanes.csv").write_text(lane_text(network.lanes))
    again = read_lanes("lanes.csv", str(tmp_path / "town.yaml"), tmp_path)
    for lane, other in zip(network.lanes, again.lanes, strict=True):
        assert np.allclose(lane.points, other.points, atol=1e-4) and math.isclose(lane.speed_limit, other.speed_limit, abs_tol=1e-4)
        for name in ("name", "successors", "left", "right", "crossing", "yields", "walk"):
            assert getattr(lane, name) == getattr(other, name)


TABLE = """name,x_m,y_m,width_m,speed_limit_kph,successors,kind,left,right,crossing,yields
main,0,0,3.5,50,turn,,,,,
,100,0,,,,,,,,
turn,100,0,3.5,20,side,,,,c,1
,104,0.2,,,,,,,,
,107,2,,,,,,,,
side,107,2,3,,,drive,other,,,
side,110,3.8,,,,,,,,
other,106,5,3,,,,,side,,
,109,8,,,,,,,,
walk,0,4,1.5,5,,walk,,,,
,100,4,,,,,,,,
"""


def ground_of(folder: Path, table: str) -> Ground:
    (folder / "lanes.csv").write_text(table)
    return load_terrain({"type": "flat", "lanes": "lanes.csv"}, str(folder / "world.yaml"), folder, {})


def test_a_terrain_file_names_a_table_of_lanes(tmp_path: Path) -> None:
    network = ground_of(tmp_path, TABLE).lanes
    assert [lane.name for lane in network.lanes] == ["main", "turn", "side", "other", "walk"]
    assert network.lanes[1].yields and network.lanes[4].walk and math.isinf(network.lanes[2].speed_limit)
    assert network.nearest(50.0, -1.0) == (0, 50.0)
    assert network.nearest(50.0, 3.9, walk=True) == (4, 50.0)
    assert [network.lanes[k].name for k in network.route(0, 3)] == ["main", "turn", "side", "other"]


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("turn,100,0", "turn,101,0", ["successors", "1.00 m", "line 2"]),
        ("50,turn", "50,tern", ["tern", "did you mean turn", "line 2"]),
        ("drive,other", "drive,walk", ["left", "walk", "line 7"]),
        ("side,107,2,3", "side,107,2,-3", ["width_m", "got -3.0", "line 7"]),
        ("side,107,2,3", "side,nan,2,3", ["x_m", "nan", "line 7"]),
        ("other,106,5,3,,,,,side,,\n,109,8,,,,,,,,\n", "other,106,5,3,,,,,side,,\n", ["other", "two rows", "line 9"]),
        ("5,,walk", "5,,walks", ["kind", "walks", "line 11"]),
        ("c,1", "c,maybe", ["yields", "maybe"]),
        (",100,0,,,,", ",100,0,,40,,", ["speed_limit_kph", "40", "line 3"]),
        ("walk,0,4", "main,0,4", ["main", "in line 2", "line 11"]),
        ("speed_limit_kph", "speed_kph", ["speed_kph", "column"]),
        ("x_m", "x", ["x_m"]),
        ("turn,100,0,3.5,20", "turn,100,-0.05,3.5,20", []),
        (",104,0.2", ",104,1.2", ["side", "deg", "line 4"]),
        (",100,4,", ",0,4,", ["walk", "no two points"]),
        (TABLE[TABLE.index("main") :], "", ["no rows"]),
    ],
)
def test_a_wrong_cell_gives_a_line(tmp_path: Path, before: str, after: str, words: list[str]) -> None:
    assert before in TABLE
    changed = TABLE.replace(before, after, 1)
    if not words:
        ground_of(tmp_path, changed)
        return
    with pytest.raises(ConfigError) as error:
        ground_of(tmp_path, changed)
    assert "lanes.csv" in str(error.value)
    assert all(word in str(error.value).replace("lanes.csv:", "line ") for word in words), str(error.value)


@pytest.mark.parametrize(
    ("key", "points", "good"),
    [
        ("left", [(0, 3.5), (100, 3.5)], True),
        ("right", [(0, -3.5), (100, -3.5)], True),
        ("left", [(40, 3.5), (500, 3.5)], True),
        ("left", [(0, -3.5), (100, -3.5)], False),  # on the other side
        ("left", [(100, 3.5), (0, 3.5)], False),  # in the opposite direction
        ("left", [(5000, 3.5), (5100, 3.5)], False),
        ("right", [(0, -30), (100, -30)], False),
    ],
)
def test_a_neighbor_is_beside_its_lane(tmp_path: Path, key: str, points: list[tuple[float, float]], good: bool) -> None:
    lines = ["name,x_m,y_m,width_m,left,right", f"a,0,0,3.5,{'b,' if key == 'left' else ',b'}", ",100,0,,,"]
    lines += [f"b,{x},{y},3.5,," for x, y in points]
    if good:
        assert len(ground_of(tmp_path, "\n".join(lines)).lanes.lanes) == 2
        return
    with pytest.raises(ConfigError, match=rf"lanes\.csv:2: {key}: .*same direction"):
        ground_of(tmp_path, "\n".join(lines))


def test_all_wrong_cells_are_reported_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        ground_of(tmp_path, TABLE.replace("107,2,3", "107,2,-3").replace("5,,walk", "5,,walks").replace("c,1", "c,maybe"))
    assert len(str(error.value).splitlines()) == 3


def test_the_number_of_a_lane_is_its_place_in_the_list() -> None:
    lanes = [Lane(name, np.array(((0.0, k), (10.0, k))), 3.0) for k, name in enumerate("abc")]
    assert [RoadNetwork(lanes).number(name) for name in "abc"] == [0, 1, 2]
