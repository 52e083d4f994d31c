"""Does a route lead along the lanes, and does a vehicle drive along it in its lane, at the speed limit and to its end?"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import jounce
from simulator.autonomy.goal_driver import way_of
from simulator.autonomy.lane_way import LaneWay
from simulator.autonomy.vehicle_traits import VehicleTraits, vehicle_traits
from simulator.base.errors import ConfigError, JounceError
from simulator.builder.builder import build_ground, build_maneuver
from simulator.driver.internal_model import InternalModel
from simulator.tools.terrain.make_command import files_of, generate_terrain, write
from terrain.generators.shapes import polygon_distance
from terrain.ground import Ground
from terrain.objects.footprint import Rectangle
from terrain.roads.network import Lane, RoadNetwork
from terrain.roads.route import center_line


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = files_of(str(tmp_path_factory.mktemp("town") / "town"))
    write(generate_terrain("town", 3, ["blocks=[2, 2]", "spacing=0.5"]), files, "")
    return files.yaml


@pytest.fixture(scope="module")
def ground(town: Path) -> Ground:
    return build_ground(str(town))


@pytest.fixture(scope="module")
def hmmwv() -> VehicleTraits:
    vehicle = jounce.load_vehicle("hmmwv")
    return vehicle_traits(vehicle.description, vehicle.tires, InternalModel(), 1.0)


def two_lanes(*more: Lane) -> RoadNetwork:
    """Return lanes `a` and `b` along x, 3 m apart, with b on the left of a."""
    a = Lane("a", np.array(((0.0, 0.0), (100.0, 0.0))), 3.0, 10.0, left="b")
    b = Lane("b", np.array(((0.0, 3.0), (100.0, 3.0))), 3.0, 20.0, right="a", successors=tuple(lane.name for lane in more))
    return RoadNetwork([a, b, *more])


# ---- center line


def test_a_route_leads_through_its_places_and_lanes_in_order(ground: Ground) -> None:
    line = center_line(ground.lanes, ground.spawn, ["y2_0_1", "x1_0_1", "street"], ground.places)
    names = [ground.lanes.lanes[k].name for k in line.lanes]
    assert "y2_0_1" in names[1:-1] and names[0] == names[-1] == "x1_0_1"
    assert math.dist(line.points[-1], ground.spawn[:2]) < 1.0
    steps = np.diff(line.points, axis=0)
    turns = np.diff(np.unwrap(np.arctan2(steps[:, 1], steps[:, 0])))
    assert np.hypot(*steps.T).max() < 0.6 and np.abs(turns).max() < 0.15
    on_lane = [min(math.dist(p, ground.lanes.pose(k, ground.lanes.project(k, *p))[:2]) for k in set(line.lanes)) for p in line.points[::20]]
    assert max(on_lane) < 1e-6


def test_a_route_changes_smoothly_to_a_neighbor_lane() -> None:
    line = center_line(two_lanes(), (10.0, 0.0, 0.0), ["b"], {})
    assert np.allclose(line.points[0], (10.0, 0.0), atol=0.1) and np.allclose(line.points[-1], (100.0, 3.0))
    slope = np.diff(line.points[:, 1]) / np.diff(line.points[:, 0])
    assert np.diff(line.points[:, 0]).min() > 0.0 and slope.min() >= 0.0 and slope.max() < 0.2
    assert line.limits[0] == 10.0 and line.limits[-1] == 20.0


@pytest.mark.parametrize(
    ("start", "name", "words"),
    [
        ((50.0, 9.0, 0.0), "a", "6.0 m and 0 deg from lane b"),
        ((50.0, 0.0, 1.3), "a", "74 deg"),
        ((50.0, 0.0, 3.1), "a", "from lane c"),
        ((50.0, 0.0, 0.0), "aa", "did you mean"),
        ((50.0, 0.0, 0.0), "c", "no way"),
        ((50.0, 0.0, 0.0), "walk", "for persons"),
        ((50.0, 3.0, 0.0), "here", "no way"),
        ((60.0, 3.0, 0.0), "there", "back to it"),
    ],
)
def test_an_impossible_route_is_refused(start: tuple[float, float, float], name: str, words: str) -> None:
    c = Lane("c", np.array(((0.0, 50.0), (-100.0, 50.0))), 3.0)
    walk = Lane("walk", np.array(((0.0, 6.0), (100.0, 6.0))), 1.0, walk=True)
    lanes = [*two_lanes().lanes, c, walk]
    with pytest.raises(JounceError, match=words):
        center_line(RoadNetwork(lanes), start, [name], {"here": (20.0, 3.0, 0.0), "there": (60.0, 3.0, 0.0)})


def test_the_middle_of_the_wheelbase_follows_the_line_and_the_rear_axle_does_not_slip(ground: Ground, hmmwv: VehicleTraits) -> None:
    line = center_line(ground.lanes, ground.spawn, ["y2_0_1", "x0_1_0"], ground.places)
    way = LaneWay.of_route(line, hmmwv)
    ahead = np.column_stack((np.cos(way.headings), np.sin(way.headings)))
    rear = way.points - hmmwv.rear_axle * ahead
    assert np.allclose(rear + 0.5 * hmmwv.wheelbase * ahead, line.points)
    moved, middle = np.diff(rear, axis=0), 0.5 * (way.headings[1:] + way.headings[:-1])
    course = np.arctan2(moved[:, 1], moved[:, 0])
    assert np.abs(np.remainder(course - middle + np.pi, 2.0 * np.pi) - np.pi).max() < 0.01
    assert (way.limits <= line.limits).all() and way.limits.min() > 3.0


def test_a_route_that_passes_a_place_twice_does_not_jump(ground: Ground, hmmwv: VehicleTraits) -> None:
    way = way_of(["y2_0_1", "street", "y2_0_1"], ground, hmmwv)
    for k in range(0, len(way.points), 4):
        way.advance(*way.points[k])
        assert abs(way.at - k) <= 1
    assert way.left < 3.0


# ---- maneuver


def maneuver(terrain: Path | str, **keys: object) -> dict[str, object]:
    return {"name": "route", "vehicle": "hmmwv", "terrain": str(terrain), "duration_s": 200, **keys}


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"goal": {"radius_m": 2}}, "either position, route or topic"),
        ({"goal": {"position_m": [1, 2], "route": "street"}}, "either position, route or topic"),
        ({"goal": {"position_m": [1, 2]}, "planner": "lanes"}, "goal.route"),
        ({"goal": {"route": []}}, "goal.route"),
        ({"goal": {"route": 3}}, "goal.route"),
    ],
)
def test_a_goal_has_a_position_or_a_route(keys: dict[str, object], words: str, tmp_path: Path, town: Path) -> None:
    import yaml

    file = tmp_path / "route.yaml"
    file.write_text(yaml.safe_dump(maneuver(town, **keys)))
    with pytest.raises(ConfigError, match=words):
        build_maneuver(str(file))


def test_a_route_needs_lanes() -> None:
    with pytest.raises(JounceError, match=r"goal\.route.*a terrain with lanes; flat"):
        jounce.Simulation(maneuver="town_route", terrain="flat")


@pytest.mark.parametrize("route", ["curb", ["x2_1_2", "y2_2_1"], ["y2_1_0", "x0_2_1"]])
def test_a_vehicle_drives_along_a_route_in_its_lane(route: str | list[str], ground: Ground, town: Path, hmmwv: VehicleTraits) -> None:
    """The body stays off the curbs and the objects; the speed reaches the limit on straights and keeps it."""
    names = [route] if isinstance(route, str) else route
    line = center_line(ground.lanes, ground.spawn, names, ground.places)
    changes = {"maneuver.goal": {"route": route}, "maneuver.duration_s": 200.0}
    result = jounce.Simulation("hmmwv", str(town), maneuver="town_route", changes=changes).run()
    assert result.outcome is not None and result.outcome.word == "reached"
    assert result.metrics["clearance_min_m"] > 0.3
    x, y, yaw, speed = (np.asarray(result.log[name])[::5] for name in ("p_WB_x", "p_WB_y", "yaw", "v_WB_B_x"))
    body = Rectangle(hmmwv.front, -hmmwv.rear, 0.5 * hmmwv.width)
    corners = np.array([body.at(*pose) for pose in zip(x, y, yaw, strict=True)])
    edges = (corners[:, :, None] + np.linspace(0.0, 1.0, 8)[:, None] * (np.roll(corners, -1, axis=1) - corners)[:, :, None]).reshape(-1, 2)
    made = generate_terrain("town", 3, ["blocks=[2, 2]", "spacing=1"])
    curbs = [np.array(entry.mapping["points"][:-1]) for entry in made.features]
    assert min(float(polygon_distance(curb, *edges.T).min()) for curb in curbs) > 0.0
    ahead = 0.5 * hmmwv.wheelbase - hmmwv.rear_axle
    middle = np.column_stack((x + ahead * np.cos(yaw), y + ahead * np.sin(yaw)))
    away = np.array([np.hypot(*(line.points - point).T).min() for point in middle])
    assert away[np.hypot(x - x[0], y - y[0]) > 30.0].max() < 0.5
    driven = np.concatenate(([0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))))
    limits = np.array([line.limits[np.abs(line.station - s) < 5.0].max() for s in np.minimum(driven, line.station[-1])])
    assert (speed - limits).max() < 1.0 and speed.max() > 0.6 * line.limits.max()
