"""Is an imported OpenDRIVE file a terrain that `jounce check` accepts, with the surface, lanes, rules, markings and objects of the file?"""

from __future__ import annotations

import gzip
import json
import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import yaml

import jounce
from simulator.cli.main import main
from simulator.imports.opendrive.document import read_document
from simulator.imports.opendrive.layout import borders, frame, lane_heights, point, stations
from simulator.imports.opendrive.network import NetworkMaker
from simulator.imports.opendrive.sidewalks import joined_sidewalks
from simulator.imports.result import Losses
from simulator.tools.terrain.terrain_text import _flow
from terrain.ground import Ground
from terrain.objects.world_object import Box, ConvexHull
from terrain.roads.network import Lane, RoadNetwork

DATA = Path(__file__).parents[1] / "data" / "opendrive"


def import_file(file: Path, out: Path, *options: str) -> Path:
    """Import a file and return its terrain file."""
    assert main(["import", "opendrive", str(file), "--out", str(out), "--json", *options]) == 0
    return out / f"{file.stem}.yaml"


@pytest.fixture(scope="module")
def terrains(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    out = tmp_path_factory.mktemp("opendrive")
    return {name: import_file(DATA / f"{name}.xodr", out / name) for name in ("crossing", "crossing_left", "curves")}


@pytest.fixture(scope="module")
def grounds(terrains: dict[str, Path]) -> dict[str, Ground]:
    return {name: jounce.load_ground(str(file)) for name, file in terrains.items()}


def changed(tmp_path: Path, change: Callable[[str], str], name: str = "crossing") -> Path:
    """Return a changed copy of a file."""
    text = (DATA / f"{name}.xodr").read_text()
    file = tmp_path / f"{name}.xodr"
    file.write_text(change(text))
    assert file.read_text() != text
    return file


def test_the_result_passes_the_check_and_names_its_source(terrains: dict[str, Path], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["check", *map(str, terrains.values())]) == 0
    assert "warning" not in "".join(capfd.readouterr())
    comments = [line for line in terrains["curves"].read_text().splitlines() if line.startswith("#")]
    text = "\n".join(comments)
    assert "curves.xodr, OpenDRIVE 1.7" in text and "vendor tests of Jounce" in text and "traffic light" in text
    assert re.search("SHA-256 [0-9a-f]{64}", text)
    assert str(DATA) not in text


@pytest.mark.parametrize("name", ["crossing", "curves"])
def test_the_surface_is_the_road(name: str, grounds: dict[str, Ground]) -> None:
    """Between nodes 0.25 m apart, in the middle of a lane, where no curb is near, the height is that of the road within 2 mm."""
    compared = 0
    for road in read_document(DATA / f"{name}.xodr").roads.values():
        for section in road.sections:
            at = frame(road, stations(section.begin + 1.0, section.end - 1.0, 3.7))
            for shapes, rows in zip((section.left, section.right), borders(road, section, at.s), strict=True):
                for lane, inner, outer in zip(shapes, rows, rows[1:], strict=False):
                    wide = np.abs(outer - inner) > 1.4
                    up = np.mean(lane_heights(lane, at.s), axis=0)
                    middle = point(road, at, 0.5 * (inner + outer), up)
                    away = np.abs(grounds[name].height(middle[:, 0], middle[:, 1]) - middle[:, 2])[wide]
                    assert away.max(initial=0.0) < 2e-3, (road.id, lane.id)
                    compared += len(away)
    assert compared > 200


def test_beyond_the_shoulder_the_ground_is_smooth_and_soft(grounds: dict[str, Ground]) -> None:
    ground = grounds["crossing"]
    z = ground.height(38.0, np.linspace(0.0, 30.0, 60))
    assert np.abs(np.diff(z)).max() < 0.15  # a curb of 0.12 m, no cliff
    assert ground.soil(38.0, np.array((1.75, 4.5, 20.0)))["hardness"].tolist() == [1.0, 1.0, 0.0]


def test_small_gaps_between_lanes_and_roads_are_paved(grounds: dict[str, Ground], tmp_path: Path) -> None:
    """A raised sidewalk beside a superelevated lane leaves a crack; without its straight ways, a junction has a gap in its middle."""
    ground = grounds["crossing"]
    assert ground.soil(np.array((103.5, 111.75)), np.array((28.0, 49.0)))["hardness"].tolist() == [1.0, 1.0]
    straight = re.compile(
        r'<road name="way (0 2|2 0|1 3|3 1)".*?</road>|<connection [^>]*connectingRoad="(31|34|37|40)".*?</connection>', re.DOTALL
    )
    file = changed(tmp_path, lambda text: straight.sub("", text))
    gap = jounce.load_ground(str(import_file(file, tmp_path / "out", "--cell", "0.5")))
    assert gap.soil(0.0, 0.0)["hardness"] == 1.0 and gap.height(0.0, 0.0) == pytest.approx(0.0, abs=1e-3)
    assert gap.soil(20.0, 20.0)["hardness"] == 0.0


def test_the_friction_of_a_lane_is_that_of_its_material(tmp_path: Path) -> None:
    material = '<material sOffset="0" surface="asphalt" friction="0.35" roughness="0.01"/><width sOffset="0" a="3.5"'
    file = changed(tmp_path, lambda text: text.replace('<width sOffset="0" a="3.5"', material, 1))
    ground = jounce.load_ground(str(import_file(file, tmp_path / "out", "--cell", "0.5")))
    assert ground.soil(38.0, np.array((1.75, -1.75)))["friction"].tolist() == [0.35, 0.8]


def lanes_of(ground: Ground) -> RoadNetwork:
    assert ground.lanes is not None
    return ground.lanes


@pytest.mark.parametrize("name", ["crossing", "crossing_left"])
def test_all_lanes_are_joined_in_the_direction_of_travel(name: str, grounds: dict[str, Ground]) -> None:
    network = lanes_of(grounds[name])
    drive = [k for k, lane in enumerate(network.lanes) if not lane.walk]
    assert len(drive) == 24 and network.connected_parts()[0] == drive
    side = 1.0 if name == "crossing_left" else -1.0  # of the road, on which traffic moves along it
    lane = network.lanes[network.number(f"road0_0_{1 if side > 0 else -1}")]
    np.testing.assert_allclose(lane.points[[0, -1]], [(18.0, 1.75 * side), (58.0, 1.75 * side)], atol=1e-4)
    assert lane.speed_limit == pytest.approx(50.0 / 3.6) and lane.width == 3.5 and lane.crossing is None
    loop = network.lanes[network.number(f"road20_0_{1 if side > 0 else -1}")]
    assert lane.successors == (loop.name,) and loop.speed_limit == pytest.approx(70.0 / 3.6)


def test_those_who_come_from_a_give_way_sign_yield(grounds: dict[str, Ground]) -> None:
    network = lanes_of(grounds["crossing"])
    yields = {lane.name: lane.yields for lane in network.lanes if lane.crossing}
    assert len(yields) == 12 and {lane.crossing for lane in network.lanes} == {None, "junction100"}
    assert sorted(name for name in yields if yields[name]) == [f"road{k}_0_-1" for k in (33, 34, 35, 39, 40, 41)]


def test_a_priority_of_the_junction_yields_too(tmp_path: Path) -> None:
    file = changed(tmp_path, lambda text: text.replace("</junction>", '<priority high="30" low="37"/></junction>'))
    ground = jounce.load_ground(str(import_file(file, tmp_path / "out", "--cell", "2")))
    assert lanes_of(ground).lanes[lanes_of(ground).number("road37_0_-1")].yields


def test_sections_and_speed_limits_divide_a_road(grounds: dict[str, Ground]) -> None:
    lanes = {lane.name: lane for lane in lanes_of(grounds["curves"]).lanes}
    assert sorted(lanes) == ["road7_0_-1", "road7_0_1", "road7_1_-1", "road7_1_1", "road7_2_-1", "road7_2_-2", "road7_2_1"]
    assert [round(3.6 * lanes[f"road7_{k}_-1"].speed_limit) for k in range(3)] == [100, 100, 60]
    assert [lanes[f"road7_{k}_-1"].successors for k in range(3)] == [("road7_1_-1",), ("road7_2_-1",), ()]
    assert [lanes[f"road7_{k}_1"].successors for k in range(3)] == [(), ("road7_0_1",), ("road7_1_1",)]
    assert lanes["road7_2_-1"].right == "road7_2_-2" and lanes["road7_2_-2"].left == "road7_2_-1"


def test_a_lane_ends_where_its_next_lane_begins_a_little_beside_it(tmp_path: Path) -> None:
    """All lanes of road 1 are 0.8 m to the left of where the ways through the junction lead."""
    arm = re.compile('(<road name="arm 1".*?<lanes>)', re.DOTALL)
    file = changed(tmp_path, lambda text: arm.sub(r'\1<laneOffset s="0" a="0.8" b="0" c="0" d="0"/>', text))
    network = lanes_of(jounce.load_ground(str(import_file(file, tmp_path / "out", "--cell", "1"))))
    for name in ("road30_0_-1", "road38_0_-1", "road40_0_-1"):
        lane = network.lanes[network.number(name)]
        assert lane.successors == ("road1_0_-1",)
        np.testing.assert_allclose(lane.points[-1], (1.75 - 0.8, 18.0), atol=1e-3)
        turns = np.diff(np.unwrap(np.arctan2(*np.diff(lane.points, axis=0).T[::-1])))
        assert np.abs(turns).max() < 0.15


def test_a_direct_junction_joins_both_directions(tmp_path: Path) -> None:
    def road(number: int, x: float, link: str) -> str:
        lanes = [f'<lane id="{k}" type="driving"><width sOffset="0" a="3.5" b="0" c="0" d="0"/></lane>' for k in (1, -1)]
        return (
            f'<road id="{number}" length="50" junction="-1"><link>{link}</link><planView><geometry s="0" x="{x}" y="0" hdg="0" length="50">'
            f'<line/></geometry></planView><lanes><laneSection s="0"><left>{lanes[0]}</left><center><lane id="0"/></center>'
            f"<right>{lanes[1]}</right></laneSection></lanes></road>"
        )

    to = 'elementType="junction" elementId="9"/>'
    links = "".join(f'<laneLink from="{k}" to="{k}"/>' for k in (1, -1))
    file = tmp_path / "direct.xodr"
    file.write_text(
        f'<OpenDRIVE>{road(1, 0.0, f"<successor {to}")}{road(2, 50.0, f"<predecessor {to}")}<junction id="9" type="direct">'
        f'<connection id="0" incomingRoad="1" linkedRoad="2" contactPoint="start">{links}</connection></junction></OpenDRIVE>'
    )
    lanes = NetworkMaker(read_document(file), Losses()).lanes
    assert lanes["road1_0_-1"].successors == ("road2_0_-1",) and lanes["road2_0_1"].successors == ("road1_0_1",)
    assert lanes["road1_0_1"].successors == lanes["road2_0_-1"].successors == ()


def test_sidewalks_are_turned_to_continue_one_another(grounds: dict[str, Ground]) -> None:
    lines = {"a": [(0, 0), (9, 0)], "b": [(9, 5), (9, 0)], "c": [(9, 5), (0, 5)], "d": [(0, 0), (0, 5)], "e": [(50, 0), (60, 0)]}
    lanes = {name: Lane(name, np.array(points, float), 2.0, walk=True) for name, points in lines.items()}
    joined = joined_sidewalks(lanes)
    assert {name: joined[name].successors for name in "abcde"} == {"a": ("b",), "b": ("c",), "c": ("d",), "d": ("a",), "e": ()}
    for lane in joined.values():
        assert all(np.array_equal(lane.points[-1], joined[after].points[0]) for after in lane.successors)
    walks = [lane for lane in lanes_of(grounds["crossing"]).lanes if lane.walk]
    assert len(walks) == 12 and sum(len(lane.successors) for lane in walks) == 8


def test_a_solid_line_forbids_a_change_of_lanes(tmp_path: Path) -> None:
    broken = '<roadMark sOffset="0" type="broken" weight="standard" color="white" width="0.12" laneChange="both">'
    file = changed(tmp_path, lambda text: text.replace(broken, broken.replace("broken", "solid").replace("both", "none")), "curves")
    ground = jounce.load_ground(str(import_file(file, tmp_path / "out", "--cell", "1")))
    assert all(lane.left is lane.right is None for lane in lanes_of(ground).lanes)


def test_objects_stand_where_the_file_puts_them(grounds: dict[str, Ground]) -> None:
    ground = grounds["curves"]
    by_name = {one.name: one for one in ground.objects.objects}
    house, heading = by_name["building_1"], 0.3
    ahead, left = np.array((math.cos(heading), math.sin(heading))), np.array((-math.sin(heading), math.cos(heading)))
    np.testing.assert_allclose(house.position[:2], (10.0, -20.0) + 40.0 * ahead + 18.0 * left, atol=1e-5)
    assert house.label == "building" and house.yaw == pytest.approx(0.5) and isinstance(house.shape, Box)
    assert house.shape.size == pytest.approx((12.0, 8.0, 6.0))
    assert {"vegetation_2", "vegetation_2_crown", "post_4", "post_4_part2", "post_4_part3"} <= set(by_name)
    rail = [one for name, one in by_name.items() if name.startswith("barrier_3")]
    assert len(rail) == 15 and sum(one.shape.size[0] for one in rail if isinstance(one.shape, Box)) == pytest.approx(
        60 + 8 / 80 * 60, abs=0.3
    )
    hall = [one.shape for name, one in by_name.items() if name.startswith("building_5")]
    assert all(isinstance(shape, ConvexHull) for shape in hall)
    sign, light = by_name["sign_s1"], by_name["light_s2"]
    assert sign.position[2] == pytest.approx(ground.height(*sign.position[:2]) + 2.1 + 0.375, abs=0.02)
    assert "sign_s1_pole" in by_name and "light_s2_pole" not in by_name  # the light hangs above a lane
    assert light.position[2] - ground.height(*light.position[:2]) == pytest.approx(5.95, abs=0.02)


def test_a_rectangle_is_a_box(tmp_path: Path) -> None:
    """Boxes are drawn as houses."""
    corners = re.compile(r'<cornerLocal u="5" v="5".*?<cornerLocal u="0" v="12" z="0" height="5"/>', re.DOTALL)
    file = changed(tmp_path, lambda text: corners.sub('<cornerLocal u="0" v="5" z="0" height="5"/>', text), "curves")
    ground = jounce.load_ground(str(import_file(file, tmp_path / "out", "--cell", "1")))
    halls = [one for one in ground.objects.objects if one.name.startswith("building_5")]
    assert len(halls) == 1 and isinstance(halls[0].shape, Box) and halls[0].shape.size == pytest.approx((12.0, 5.0, 5.0))
    x, y, heading = (float(value[0]) for value in read_document(file).roads["7"].reference.at(np.array((170.0,))))
    c, s = math.cos(heading), math.sin(heading)
    assert halls[0].position[:2] == pytest.approx((x - 25.0 * s + 6.0 * c - 2.5 * s, y + 25.0 * c + 6.0 * s + 2.5 * c), abs=0.02)
    assert math.remainder(halls[0].yaw - heading, math.tau) == pytest.approx(0.0, abs=1e-4)


def test_lines_are_painted_with_their_colors_and_dashes(grounds: dict[str, Ground]) -> None:
    marks = grounds["crossing"].marks
    middle = next(mark for mark in marks if mark.dash and np.allclose(mark.points, [(18.0, 0.0), (58.0, 0.0)]))
    assert (middle.color, middle.dash, middle.width) == ("yellow", (3.0, 6.0), 0.12)
    assert len(marks) == 18
    zebra = next(mark for mark in grounds["curves"].marks if mark.width == 3.0)
    assert zebra.dash == (0.5, 0.5) and np.hypot(*np.diff(zebra.points, axis=0)[0]) == pytest.approx(6.5, abs=2e-3)
    double = [mark for mark in grounds["curves"].marks if mark.color == "yellow" and mark.dash is None]
    assert len(double) == 2 and np.hypot(*(double[0].points[0] - double[1].points[0])) == pytest.approx(0.24, abs=2e-3)


def test_a_place_on_earth_is_kept(grounds: dict[str, Ground]) -> None:
    pytest.importorskip("pyproj")
    location = grounds["curves"].location
    assert location is not None
    frame_on_earth = location.local_frame() if hasattr(location, "local_frame") else location
    assert math.degrees(frame_on_earth.latitude) == pytest.approx(48.5) and math.degrees(frame_on_earth.longitude) == pytest.approx(11.5)


def test_roads_far_from_the_origin_are_moved_to_it(tmp_path: Path) -> None:
    pytest.importorskip("pyproj")
    move = re.compile(r'<geometry s="([^"]*)" x="([^"]*)" y="([^"]*)"')
    reference = "<geoReference>EPSG:32632</geoReference>"

    def far(text: str) -> str:
        text = text.replace('date="2026-11-29">', f'date="2026-11-29">{reference}<offset x="1000" y="0" z="0" hdg="0"/>')
        return move.sub(lambda m: f'<geometry s="{m[1]}" x="{float(m[2]) + 691000.0}" y="{float(m[3]) + 5334000.0}"', text)

    file = import_file(changed(tmp_path, far), tmp_path / "out", "--cell", "2")
    text = file.read_text()
    assert 'georeference: {crs: "EPSG:32632", origin: [692000.0, 5334000.0]}' in text
    assert "x = y = 0 of this terrain is x = 691000 m, y = 5.334e+06 m of the file" in text
    lane = lanes_of(jounce.load_ground(str(file))).lanes[0]
    assert np.abs(lane.points).max() < 200.0


BRIDGE = (
    '<road name="above" length="60" id="50" junction="-1"><type s="0" type="town"><speed max="50" unit="km/h"/></type><planView>'
    '<geometry s="0" x="-40" y="-30" hdg="1.5707963267948966" length="60"><line/></geometry></planView><elevationProfile>'
    '<elevation s="0" a="6" b="0" c="0" d="0"/></elevationProfile><lanes><laneSection s="0"><center><lane id="0" type="none"/></center>'
    '<right><lane id="-1" type="driving"><width sOffset="0" a="4" b="0" c="0" d="0"/></lane></right></laneSection></lanes></road><junction'
)


@pytest.mark.parametrize(("level", "height", "kept"), [("lower", 0.0, False), ("upper", 6.0, True)])
def test_of_two_roads_above_each_other_one_is_kept(
    level: str, height: float, kept: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = changed(tmp_path, lambda text: text.replace("<junction", BRIDGE, 1))
    ground = jounce.load_ground(str(import_file(file, tmp_path / "out", "--level", level, "--cell", "0.5")))
    report = json.loads(capfd.readouterr().out)
    upper, lower = ("50", "2") if level == "lower" else ("2", "50")
    assert any(f"road {upper} above or below road {lower}" in line for line in report["losses"])
    assert report["covered_m2"] == pytest.approx(4.5 * 7.5)  # nodes on the borders of the two roads count
    assert ground.height(-38.0, 0.5) == pytest.approx(height, abs=1e-3)
    names = {lane.name for lane in lanes_of(ground).lanes}
    assert ("road50_0_-1" in names) == kept and ("road2_0_1" in names) != kept
    assert not any(name not in names for lane in lanes_of(ground).lanes for name in lane.successors)


def test_the_ground_may_be_flat_or_another_terrain(tmp_path: Path) -> None:
    for name, height in (("flat", 0.0), ("grade_10", -6.0)):
        file = import_file(DATA / "crossing.xodr", tmp_path / name, "--ground", name, "--cell", "1")
        ground = jounce.load_ground(str(file))
        given = height if name == "flat" else jounce.load_ground(name).height(-60.0, 60.0)
        assert ground.height(-60.0, 60.0) == pytest.approx(given, abs=0.02)
        assert ground.height(-40.0, 1.75) == pytest.approx(0.0, abs=1e-3)


def test_a_vehicle_crosses_the_junction_in_traffic(terrains: dict[str, Path], grounds: dict[str, Ground]) -> None:
    """In left-hand traffic, which no shipped terrain has: from a give way sign straight on."""
    ground = grounds["crossing_left"]
    network, (x, y, yaw) = lanes_of(ground), ground.spawn
    there = network.pose(network.number("road3_0_1"), 5.0)
    c, s = math.cos(yaw), math.sin(yaw)
    start = {
        "position_m": [c * (there[0] - x) + s * (there[1] - y), c * (there[1] - y) - s * (there[0] - x)],
        "heading_deg": math.degrees(there[2] - yaw),
    }
    changes = {"maneuver.goal": {"route": "road1_0_1"}, "maneuver.duration_s": 60.0, "maneuver.start": start}
    traffic = {"vehicles": [{"count": 6}], "pedestrians": 3, "seed": 2}
    sim = jounce.Simulation("sedan", str(terrains["crossing_left"]), maneuver="town_route", changes=changes, traffic=traffic)
    result = sim.run()
    assert result.outcome is not None and result.outcome.word == "reached"
    assert not sim.collisions
    assert result.metrics["way_driven_m"] > 90.0


def outcome_of(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> str:
    """Return the only line of an import that fails with the exit code 2."""
    capfd.readouterr()
    assert main(["import", "opendrive", *arguments]) == 2
    lines = capfd.readouterr().err.strip().splitlines()
    assert len(lines) == 1, lines
    return lines[0]


def test_nothing_is_overwritten_without_permission(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source, out = DATA / "curves.xodr", tmp_path / "out"
    import_file(source, out, "--cell", "2")
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    (out / "curves_lanes.csv").write_text("mine")
    assert "--overwrite" in outcome_of([str(source), "--out", str(out), "--cell", "2"], capfd)
    assert (out / "curves_lanes.csv").read_text() == "mine"
    import_file(source, out, "--cell", "2", "--overwrite")
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


EVIL = "x\" evil: 1&#10;soil: asphalt&#13;#&#x85;&#x2028;&#x7f;'"
"""Text of a file that ends a comment, if it is not escaped."""


def test_texts_of_the_file_stay_texts(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Names, ids and projections with line ends and control characters become neither keys nor lines."""
    text = (DATA / "curves.xodr").read_text()
    plain = jounce_yaml(import_file(DATA / "curves.xodr", tmp_path / "plain", "--cell", "2"))
    evil = re.sub(
        r'(<(?:road|junction|object|signal)\b[^>]*?) (id|name|type)="', lambda match: f"{match[0]}{EVIL.replace(chr(34), '&quot;')}", text
    )
    evil = re.sub('revMajor="1"', 'revMajor="9&#10;evil: 1"', evil.replace('vendor="', f'vendor="{EVIL.replace(chr(34), "&quot;")}', 1))
    (tmp_path / "curves.xodr").write_text(evil)
    capfd.readouterr()
    file = import_file(tmp_path / "curves.xodr", tmp_path / "out", "--cell", "2")
    report = json.loads(capfd.readouterr().out)
    assert any(line.startswith("1 x revision 9\\nevil: 1.") for line in report["losses"])
    assert all(line.isprintable() for line in report["losses"])
    assert all(line.isprintable() for line in file.read_text(encoding="utf-8").split("\n"))
    content = jounce_yaml(file)
    assert content.keys() == plain.keys() and content["soil"] == plain["soil"]
    assert main(["check", str(file)]) == 0
    for key, value in (("crs", f"+proj=x {EVIL}\x7f\x85 {chr(0x1F600)}"), ("a: b", "true"), ("null", ".nan"), ("no", "_a.b")):
        assert yaml.safe_load(_flow({key: value})) == {key: value}


def jounce_yaml(file: Path) -> dict[str, object]:
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert isinstance(content, dict)
    return content


TINY = " ".join(f'{k}{axis}="{1e-8 if (k, axis) == ("b", "U") else 0}"' for axis in "UV" for k in "abcd")
POINT = f'<geometry s="0" x="0" y="0" hdg="0" length="50"><paramPoly3 {TINY}/></geometry>'
"""Reference line that is far shorter than the file says."""
DTD = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><OpenDRIVE>&b;</OpenDRIVE>'
HOSTILE = {
    "a document type": (lambda text: DTD, "without document type and entities"),
    "deep": (lambda text: "<OpenDRIVE>" + "<a>" * 500 + "</a>" * 500 + "</OpenDRIVE>", "elements inside one another"),
    "cut": (lambda text: text[:3000], "not XML"),
    "a point": (lambda text: re.sub("<planView>.*?</planView>", f"<planView>{POINT}</planView>", text, flags=re.DOTALL), "roads without an area"),
    "empty": (lambda text: "", "not XML"),
    "no roads": (lambda text: "<OpenDRIVE/>", "at least one road"),
    "another format": (lambda text: "<gpx/>", "with the root element <OpenDRIVE>"),
    "an unknown encoding": (lambda text: text.replace("UTF-8", "klingon"), "encoding"),
    "not a number": (lambda text: text.replace('a="2"', 'a="nan"', 1), "curves.xodr:16: elevation/@a"),
    "too high": (lambda text: text.replace('a="2"', 'a="1e7"', 1), "roads from -9000"),
    "too far": (lambda text: text.replace('x="10"', 'x="9e7"', 1), "at most 16000000 nodes"),
    "too long": (lambda text: text.replace(' length="304', ' length="9999304', 1), "km in total"),
    "too many objects": (lambda text: text.replace('distance="25"', 'distance="1e-7"'), "at most 50000 objects"),
    "two roads of one name": (lambda text: text.replace("</OpenDRIVE>", text[text.index("<road") : text.index("</road>")] + "</road></OpenDRIVE>"), "no other road"),
    "no lanes": (lambda text: re.sub("<lanes>.*</lanes>", "", text, flags=re.DOTALL), "an element <lanes>"),
    "lanes without order": (lambda text: text.replace('<lane id="-2" type="shoulder"', '<lane id="-7" type="shoulder"'), "lanes -1"),
    "an unknown unit": (lambda text: text.replace('unit="km/h"', 'unit="knots"', 1), "one of m/s, km/h, mph"),
}  # fmt: skip


@pytest.mark.parametrize("fault", HOSTILE)
def test_a_hostile_file_is_one_line_and_leaves_nothing(fault: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    change, words = HOSTILE[fault]
    file, out = changed(tmp_path, change, "curves"), tmp_path / "out"
    assert words in outcome_of([str(file), "--out", str(out), "--cell", "2"], capfd)
    assert not out.exists()


def test_a_compressed_file_is_named(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "curves.xodr"
    file.write_bytes(gzip.compress((DATA / file.name).read_bytes()))
    assert "compressed with gzip; expected an OpenDRIVE file; hint: run gunzip" in outcome_of(
        [str(file), "--out", str(tmp_path / "out")], capfd
    )


def test_a_folder_in_place_of_a_file_and_a_missing_ground_are_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert "a folder" in outcome_of([str(tmp_path), "--out", str(tmp_path / "out")], capfd)
    assert "terrain" in outcome_of([str(DATA / "curves.xodr"), "--out", str(tmp_path / "out"), "--ground", "nowhere"], capfd)
    (tmp_path / "taken").write_text("")
    assert "taken" in outcome_of([str(DATA / "curves.xodr"), "--out", str(tmp_path / "taken"), "--cell", "2"], capfd)
