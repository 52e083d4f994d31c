"""Do pictures and drivers get the vehicles of the traffic as they are: body, wheels, lamps, place and speed?"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import jounce
from simulator.outlets.object_file import ObjectFileOutlet
from simulator.run.recorded_objects import RecordedObjects
from simulator.run.recorded_traffic import RecordedTraffic
from simulator.view.make_object_data import make_object_data
from simulator.view.vehicle_states import rotations


@pytest.fixture(scope="module")
def sim() -> jounce.Simulation:
    vehicles = [{"count": 14}, {"vehicle": "light_truck", "count": 4}]
    changes = {"traffic": {"vehicles": vehicles, "pedestrians": 3}, "seed": 1}
    one = jounce.Simulation("sedan", "town", platform=None, changes=changes, channels=["p_WB"])
    one.advance(1.0)
    return one


def axes_of(q: np.ndarray) -> np.ndarray:
    return rotations(np.asarray(q))


def test_each_vehicle_is_drawn_on_its_wheels_at_the_place_of_its_object(sim: jounce.Simulation) -> None:
    session = sim.session
    agents, states, data = session.traffic.traffic.agents, session.others.states, make_object_data(session.objects)
    assert states["row"].tolist() == sorted(agents["row"]) == data.vehicles[:, 0].tolist()
    R = axes_of(states["q_WB"])
    origin = states["p_WB"] + np.einsum("nij,nj->ni", R, data.looks[:, :3])
    for state, place, axes in zip(states, origin, R, strict=True):
        objects = session.objects
        p, _ = objects.pose(int(objects.records["number"][state["row"]]), sim.time)
        assert place == pytest.approx(p, abs=1e-9)
        wheels = state["p_WB"] + state["p_BK"].astype(float) @ axes.T
        above = [z - sim.ground.height(x, y) for x, y, z in wheels]
        assert min(above) > 0.2 and max(above) < 0.6


def test_wheels_roll_and_front_wheels_point_along_the_way(sim: jounce.Simulation) -> None:
    session = sim.session
    turned = 0.0
    for _ in range(40):
        before = session.others.states
        sim.advance(0.1)
        after = session.others.states
        way = np.linalg.norm((after["p_WB"] - before["p_WB"])[:, :2], axis=1)
        rolled = (after["wheel_angle"] - before["wheel_angle"])[:, 2]
        assert rolled == pytest.approx(way / 0.33, rel=0.35, abs=0.1)
        R_K = after["R_BK"].astype(float)
        angle = np.arctan2(R_K[:, :, 1, 0], R_K[:, :, 0, 0])
        assert not angle[:, 2:].any()
        yaws = [np.unwrap(np.arctan2(R[:, 1, 0], R[:, 0, 0])) for R in (axes_of(before["q_WB"]), axes_of(after["q_WB"]))]
        change = np.remainder(yaws[1] - yaws[0] + math.pi, math.tau) - math.pi
        turns = np.abs(change) > 0.05
        assert (np.sign(angle[turns, 0]) == np.sign(change[turns])).all()
        turned = max(turned, float(np.abs(angle[:, 0]).max()))
    assert 0.1 < turned < 0.7


def test_stop_lamps_are_lit_while_a_vehicle_brakes_or_stands(sim: jounce.Simulation) -> None:
    session, seen = sim.session, set()
    for _ in range(20):
        sim.advance(0.1)
        agents, states = session.traffic.traffic.agents, session.others.states
        by_row = dict(zip(states["row"].tolist(), states["stop_lamps"].tolist(), strict=True))
        for a in agents:
            lit = bool(a["demand"] < -0.7 or math.hypot(*a["v_WO"][:2]) < 0.1)
            assert by_row[int(a["row"])] == lit
            seen.add(lit)
    assert seen == {False, True}


def test_a_vehicle_signals_its_turn_before_and_in_it(sim: jounce.Simulation) -> None:
    """The side is that of the turn of its path: a left turn increases the yaw."""
    session, turned = sim.session, {}
    for _ in range(300):
        sim.advance(0.1)
        agents, states = session.traffic.traffic.agents, session.others.states
        lit = dict(zip(states["row"].tolist(), states["turn_lamps"].tolist(), strict=True))
        for a in agents[np.abs(agents["yaw_rate"]) > 0.3]:
            if lit[int(a["row"])]:
                side = 1.0 if a["yaw_rate"] > 0.0 else 2.0
                turned[lit[int(a["row"])] == side] = turned.get(lit[int(a["row"])] == side, 0) + 1
    assert turned[True] > 20 * turned.get(False, 0)


def test_colors_differ_by_vehicle_and_kinds_share_their_meshes(sim: jounce.Simulation) -> None:
    data = make_object_data(sim.session.objects)
    assert len(data.geometries) == 2 and len(np.unique(data.looks[:, 3:], axis=0)) > 3
    assert data.looks[:, 3:] == pytest.approx(data.color[data.vehicles[:, 0]], abs=1e-6)


def test_drivers_see_the_vehicles_from_bumper_to_bumper(sim: jounce.Simulation) -> None:
    session = sim.session
    agents = session.traffic.traffic.agents
    seen = {one.name: one for one in session.others.seen()}
    assert set(seen) == {"first", *(f"traffic_{n}" for n in range(1, 19))}
    for n, a in enumerate(agents, 1):
        one = seen[f"traffic_{n}"]
        axle = a["p_WO"][:2] + a["wheelbase"] * np.array((math.cos(a["yaw"]), math.sin(a["yaw"])))
        bumper = axle + a["overhang"] * np.array((math.cos(a["yaw"]), math.sin(a["yaw"])))
        front = np.array((one.x, one.y)) + one.front * np.array((math.cos(one.yaw), math.sin(one.yaw)))
        assert math.dist(front, bumper) < 0.1 + 0.06 * a["speed"]
        assert one.front + one.rear == pytest.approx(a["length"])
        assert one.speed == pytest.approx(math.hypot(*a["v_WO"][:2]), abs=0.5)
    assert [one.name for one in session.others.competitors()] == ["first"]


def test_a_replay_draws_the_vehicles_as_the_drive_and_one_that_is_hit_where_it_slid(sim: jounce.Simulation, tmp_path: Path) -> None:
    sim.reset()
    session = sim.session
    agents = session.traffic.traffic.agents
    outlet = ObjectFileOutlet(session, tmp_path, pytest.fail)
    shown, hit = [], -1
    for n in range(300):
        if n == 100:
            k = int(np.argmax(agents["speed"]))
            hit, yaw = int(agents[k]["row"]), float(agents[k]["yaw"])
            x, y = (float(v) for v in agents[k]["p_WO"][:2] + 9.0 * np.array((math.cos(yaw), math.sin(yaw))))
            session.place_check = None
            session.place(x, y, yaw)
            session.vehicle.space.state[0]["v_WB_B"][0] = -5.0
        outlet.publish(session)
        shown.append((session.tick, session.others.states))
        sim.advance(outlet.every * session.h)
    outlet.close()
    assert agents["active"][agents["row"] == hit] == 0
    recorded = RecordedTraffic(
        RecordedObjects(tmp_path, sim.ground.objects, 1, session.h, pytest.fail), sim.ground.objects, session.traffic._shapes
    )
    lamps = []
    for tick, live in shown[::7]:
        replayed = recorded.states(tick)
        assert replayed["row"].tolist() == live["row"].tolist()
        if tick > shown[-1][0] - 300:
            break
        assert np.abs(replayed["p_WB"] - live["p_WB"]).max() < 0.06
        assert np.abs(axes_of(replayed["q_WB"]) - axes_of(live["q_WB"])).max() < 0.05
        assert np.abs(replayed["R_BK"] - live["R_BK"])[live["row"] != hit].max() < 0.35
        lamps.append((replayed["stop_lamps"] == live["stop_lamps"]).mean())
    assert np.mean(lamps) > 0.9
