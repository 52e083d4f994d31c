"""Is the traffic of a session part of its world: seen, met, and the same in a second run?"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import jounce
from simulator.base.errors import ConfigError
from simulator.outlets.object_file import ObjectFileOutlet
from simulator.run.recorded_objects import RecordedObjects
from simulator.view.object_changes import ChangedObjects
from terrain.objects.world_object import Cylinder, WorldObject
from terrain.rays.caster import RayCaster
from terrain.roads.network import lane_pose


def town(vehicles: list[dict], pedestrians: int = 0, **changes: object) -> jounce.Simulation:
    traffic = {"vehicles": vehicles, "pedestrians": pedestrians}
    return jounce.Simulation("sedan", "town", platform=None, changes={"traffic": traffic, "seed": 1, **changes}, channels=["p_WB"])


@pytest.fixture(scope="module")
def driven() -> jounce.Simulation:
    sim = town([{"count": 12}], 12)
    sim.advance(1.0)
    return sim


def test_paths_are_continuous(driven: jounce.Simulation) -> None:
    objects = driven.session.objects
    rows = objects.steered_rows
    assert len(rows) == 24
    first = objects.records["first_segment"][rows]
    for k in range(3):
        before, after = objects.segments[first + k], objects.segments[first + k + 1]
        assert np.abs(after["time"][:, 0] - before["time"][:, 1]).max() < 1e-12
        for name in ("p_WO", "v_WO"):
            assert np.abs(after[name][:, 0] - before[name][:, 1]).max() < 1e-12
        assert np.abs(after["yaw"][:, 0] - before["yaw"][:, 1]).max() < 1e-12
    assert (objects.segments["time"][first, 0] < driven.time).all()
    assert (objects.segments["time"][first + 3, 1] > driven.time + 0.5).all()


def test_rays_and_windows_see_vehicles_where_they_are(driven: jounce.Simulation) -> None:
    agents, objects = driven.session.traffic.traffic.agents, driven.session.objects
    changes = ChangedObjects().take(objects, driven.time)
    a = agents[int(np.argmax(agents["speed"]))]
    pose, _ = objects.pose(int(objects.records["number"][a["row"]]), driven.time)
    assert changes.p_WO[list(changes.rows).index(a["row"])] == pytest.approx(pose)
    assert math.dist(pose[:2], a["p_WO"][:2]) < a["speed"] * 0.06
    middle = pose + (np.cos(a["yaw"]), np.sin(a["yaw"]), 0.0)
    hits = RayCaster(driven.ground, objects).cast(middle + (0.0, 0.0, 30.0), (0.0, 0.0, -1.0), 100.0, driven.time)
    assert objects.name(int(hits.object[0])) == objects.objects[a["row"]].name


def test_traffic_keeps_clear_of_the_other_vehicles_at_the_begin() -> None:
    ground = jounce.load_ground("town")
    x, y, yaw = ground.lanes.pose(0, 22.0)
    x0, y0, yaw0 = ground.spawn
    c, s = math.cos(yaw0), math.sin(yaw0)
    place = [c * (x - x0) + s * (y - y0), c * (y - y0) - s * (x - x0)]
    parked = {"name": "parked", "position": place, "heading_deg": math.degrees(math.remainder(yaw - yaw0, math.tau))}
    sim = jounce.Simulation("sedan", "town", platform=None, traffic={"vehicles": [{"count": 230}]}, others=[parked])
    sim.command(brake=1.0)
    sim.advance(0.5)
    assert len(sim.traffic.agents) == 230 and sim.session.others.collisions == []


def test_a_second_run_has_the_same_bits(driven: jounce.Simulation) -> None:
    before = driven.session.traffic.traffic.agents.copy()
    driven.reset()
    driven.advance(1.0)
    assert driven.session.traffic.traffic.agents.tobytes() == before.tobytes()


def test_a_vehicle_that_is_hit_becomes_an_obstacle(driven: jounce.Simulation) -> None:
    driven.reset()
    session = driven.session
    agents, objects = session.traffic.traffic.agents, session.objects
    k = int(np.argmax(agents["speed"]))
    name, yaw = objects.objects[agents[k]["row"]].name, float(agents[k]["yaw"])
    x, y = (float(v) for v in agents[k]["p_WO"][:2] + 9.0 * np.array((math.cos(yaw), math.sin(yaw))))
    session.place_check = None
    session.place(x, y, yaw)
    session.vehicle.space.state[0]["v_WB_B"][0] = -5.0
    driven.advance(1.5)
    assert [one.name for one in driven.collisions][:1] == [name]
    assert agents[k]["active"] == 0
    assert objects.states[agents[k]["state"]]["broken"] == 1
    bodies = session.traffic._bodies(objects, driven.time)
    place, _ = objects.pose(int(objects.records["number"][agents[k]["row"]]), driven.time)
    assert min(math.dist(one["p_W"], place[:2]) for one in bodies) < 2.0


@pytest.mark.parametrize("label", ["person", "barrier"])
def test_vehicles_brake_for_a_person_and_an_object_on_the_road(driven: jounce.Simulation, label: str) -> None:
    driven.reset()
    session, traffic = driven.session, driven.traffic
    agents, lanes = traffic.agents, traffic.network.arrays.lanes
    free = (lanes["length"][agents["lane"]] > agents["station"] + 22.0) & (lanes["crossing"][agents["lane"]] < 0) & (agents["speed"] > 2.0)
    k = int(np.flatnonzero(free)[0])
    x, y, _ = lane_pose(traffic.network.arrays, int(agents[k]["lane"]), float(agents[k]["station"]) + 20.0)
    height = driven.ground.height(x, y)
    session.world.add([WorldObject("in the way", Cylinder(0.3, 1.7), (x, y, height + 0.85), label=label)], session.tick)
    driven.advance(8.0)
    a = agents[k]
    assert a["active"] == 1
    assert a["speed"] < 0.3
    front = a["p_WO"][:2] + (a["wheelbase"] + a["overhang"]) * np.array((math.cos(a["yaw"]), math.sin(a["yaw"])))
    assert 0.8 < math.dist(front, (x, y)) < 6.0


def test_full_vehicles_follow_the_lanes() -> None:
    sim = town([{"count": 10}, {"count": 3, "model": "full"}])
    traffic = sim.session.traffic.traffic
    lanes = []
    for _ in range(15):
        sim.advance(1.0)
        full = traffic.agents[traffic.agents["full"] == 1]
        lanes.append(full["lane"].tolist())
        distances = np.array([np.hypot(*(traffic.lane_points - one["p_WO"][:2]).T).min() for one in full])
        assert distances.max() < 1.0
    assert len(set(map(tuple, lanes))) > 2
    assert sim.session.others.collisions == []
    assert sim.session.others.troubles == []


def test_terrain_without_lanes_is_one_line() -> None:
    with pytest.raises(ConfigError, match=r"traffic.*a terrain with lanes.*flat"):
        jounce.Simulation("sedan", "flat", platform=None, changes={"traffic": {"pedestrians": 3}})


def test_too_many_vehicles_are_one_line() -> None:
    with pytest.raises(ConfigError, match=r"traffic.*at most \d+ vehicles"):
        town([{"count": 900}])


def test_a_replay_shows_the_traffic_where_it_was(driven: jounce.Simulation, tmp_path: Path) -> None:
    driven.reset()
    session = driven.session
    outlet = ObjectFileOutlet(session, tmp_path, pytest.fail)
    seen = []
    for tick in range(0, 1200, outlet.every):
        if tick % (3 * outlet.every) == 0:
            seen.append((session.tick, session.traffic.traffic.agents["row"].copy(), ChangedObjects().take(session.objects, driven.time)))
        outlet.publish(session)
        driven.advance(outlet.every * session.h)
    outlet.close()
    recorded = RecordedObjects(tmp_path, driven.ground.objects, 1, session.h, pytest.fail)
    for tick, rows, there in seen:
        shown = recorded.take(tick)
        if tick < 1000:
            found = [list(shown.rows).index(row) for row in rows]
            true = [list(there.rows).index(row) for row in rows]
            assert np.abs(shown.p_WO[found] - there.p_WO[true]).max() < 0.01
            assert np.abs(shown.R_WO[found] - there.R_WO[true]).max() < 0.02
