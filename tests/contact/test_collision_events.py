"""Is a collision an event of the drive, in log, report and library, that resets nothing, and does the platform get a bounded jolt?"""

from __future__ import annotations

import json
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import jounce
from simulator.builder.builder import build_vehicle
from simulator.cli.main import main
from simulator.collision import Collision
from simulator.host.session_reports import SessionReports
from simulator.outlets.view import LONGEST
from simulator.tick import FORCE
from terrain.objects.object_set import ObjectSet
from terrain.objects.paths import Path
from terrain.objects.world_object import Box, Breakaway, Cylinder, Material, TriangleMesh, WorldObject
from tests.contact.free_body import FreeBody
from tests.laws.vehicle_rig import command, ground, steps
from vehicles.vehicle import Vehicle

SHIPPED = ("hmmwv", "hmmwv_chrono", "light_truck", "sedan", "sedan_chrono")
WALL = {"type": "wall", "points": [[12, -10], [12, 10]], "height": 20, "thickness": 1}
SPEED = 50.0 / 3.6
PULSE = (30.0, 50.0)
"""g. Peak deceleration of passenger cars in impacts of the full front into a rigid wall at 56 km/h [mem]."""


def crash(vehicle: str, objects, speed: float, seconds: float, h: float = 1e-3, **pedals) -> tuple[Vehicle, ObjectSet, np.ndarray]:
    """Drive into objects. Return the vehicle, the objects, and per step velocity in W and specific force at the head."""
    own = ObjectSet(objects).for_session()
    g = ground("asphalt 0")._replace(objects=own.world)
    v = build_vehicle(vehicle)
    v.reset(g, speed=speed)
    c, rows = command(**pedals), []
    for _ in range(round(seconds / h)):
        steps(1, v.model, v.space, g, c, h)
        rows.append((*v.space.state[0]["v_WB_B"], *v.space.out[0]["f_H_B"]))
    return v, own, np.array(rows)


def concrete(x: float) -> WorldObject:
    return WorldObject("wall", Box((1, 40, 20)), (x + 0.5, 0, 5), material=Material(restitution=0.1))


@pytest.mark.parametrize("name", SHIPPED)
def test_the_crash_pulse_at_50_km_h_is_that_of_a_car(name):
    v, _, rows = crash(name, [concrete(3.0)], SPEED, 1.5, brake=0.3)
    deceleration = -np.diff(rows[:, 0]) / 1e-3 / 9.81
    assert PULSE[0] < deceleration.max() < PULSE[1]
    assert 0.05 < 1e-3 * np.count_nonzero(deceleration > 3.0) < 0.12, "duration of the pulse [s]"
    assert np.linalg.norm(rows[:, 3:], axis=1).max() < FORCE
    assert v.space.object_contact[0]["collisions"] == 1


@pytest.mark.parametrize("h", [1e-3, 5e-3])
def test_a_car_rests_after_an_impact(h):
    v, _, rows = crash("sedan", [concrete(2.0)], 5.0, 5.0, h, brake=0.5)
    assert v.space.object_contact[0]["collisions"] == 1
    assert np.abs(rows[-round(0.2 / h) :, :3]).max() < 1e-3


@pytest.mark.parametrize("h", [1e-3, 5e-3])
def test_the_change_of_momentum_is_the_impulse_and_that_of_the_ground(h):
    own = ObjectSet([concrete(8.0)]).for_session()
    g = ground("asphalt 0")._replace(objects=own.world)
    v = build_vehicle("sedan")
    v.reset(g, speed=SPEED)
    c, of_ground = command(brake=0.2), np.zeros(3)
    mass = v.model.chassis[0]["mass"] + v.model.corners[0]["corner_mass"].sum()
    center = v.read()[0]["p_BG"].copy()

    def momentum() -> float:
        state = v.space.state[0]
        return float(mass * (state["v_WB_B"] + np.cross(state["w_WB_B"], center))[0])

    before = momentum()
    for _ in range(round(1.5 / h)):
        steps(1, v.model, v.space, g, c, h)
        of_ground += h * v.space.contacts["F_W"].sum(axis=0)
    impulse = v.space.object_contact[0]["ring"]["touch_impulse_W"][0]
    assert momentum() - before - of_ground[0] == pytest.approx(impulse[0], rel=0.01)


def test_a_cone_flies_away_and_comes_to_rest():
    _, objects, rows = crash("sedan", [WorldObject("cone", Cylinder(0.15, 0.7), (8, 0.2, 0), motion=Breakaway(3.0))], 10.0, 8.0, brake=0.27)
    state = objects.states[0]
    assert state["broken"] == 1 and state["p_WO"][0] > 10.0
    assert np.linalg.norm(state["v_WO"]) == 0.0 and state["p_WO"][2] == pytest.approx(0.15, abs=1e-3), "it lies on its side"
    assert abs(state["R_WO"][2, 2]) < 0.01
    assert np.linalg.norm(rows[:, 3:], axis=1).max() < 40.0


def test_a_weight_on_the_roof_presses_the_car_down():
    motion = Path(np.array([(-1.5, 0, 6), (-1.5, 0, 1.1)]), times=np.array([0.0, 1.0]))
    v, _, rows = crash("sedan", [WorldObject("box", Box((1, 1, 0.5)), (0, 0, 0), motion=motion)], 0.0, 3.0)
    assert np.isfinite(rows).all() and np.abs(rows[-100:, :3]).max() < 1e-2
    assert v.space.object_contact[0]["force_B"][2] < -1e4


def test_another_world_needs_no_compilation_of_the_step():
    crash("sedan", [concrete(8.0)], 5.0, 0.1)
    before = len(steps.signatures)
    corners = np.array([[(8.0, -5.0, -1.0), (8.0, 5.0, -1.0), (8.0, 0.0, 9.0)]])
    v, _, rows = crash("sedan", [WorldObject("mesh", TriangleMesh(corners), (0, 0, 0)), concrete(20.0)], 10.0, 1.5)
    assert v.space.object_contact[0]["collisions"] == 1 and rows[-1, 0] < 1.0
    crash("sedan", [], 5.0, 0.1)
    assert len(steps.signatures) == before


@pytest.fixture(scope="module")
def drive():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sim = jounce.Simulation("sedan", "flat", changes={"terrain.features": [WALL]})
    sim.command(throttle=1.0)
    sim.advance(6.0)
    return sim


def test_a_wall_of_20_m_stops_the_car_and_the_drive_goes_on(drive):
    assert drive["p_WB_x"] < 12.0
    assert drive.session.recovery.latest is None, "no incident"
    first = drive.collisions[0]
    assert (first.name, first.label, first.number) == ("wall", "barrier", 1)
    assert first.normal == pytest.approx((-1.0, 0.0, 0.0), abs=1e-6)
    assert first.point[0] == pytest.approx(11.5, abs=0.2)
    assert first.closing_speed > 2.0 and first.impulse[0] < -1e3
    assert len(drive.collisions) <= 3


def test_the_log_counts_collisions(drive):
    count = drive.log["collision_count"]
    assert count[0] == 0 and count[-1] == len(drive.collisions)
    assert drive.log["collision_object"][-1] == 1
    assert drive.log["collision_force_B_x"].min() < -1e3


def test_the_platform_gets_a_bounded_jolt(drive):
    legs = np.stack([drive.log[f"platform_legs_{i}"] for i in range(6)], axis=1)
    speed = np.abs(np.diff(legs, axis=0)) / np.diff(drive.log["time"])[:, None]
    assert np.isfinite(legs).all() and speed.max() < 2.0


def test_a_second_drive_has_the_same_bits(drive):
    before = drive.log
    drive.reset()
    assert drive.collisions == ()
    drive.command(throttle=1.0)
    drive.advance(6.0)
    assert all(before[name].tobytes() == drive.log[name].tobytes() for name in before)


def test_a_ground_without_objects_has_no_such_columns():
    assert not any(name.startswith("collision_") for name in jounce.Simulation("sedan", "flat").columns)


def test_a_run_lists_its_collisions(tmp_path, capsys):
    maneuver = tmp_path / "into_wall.yaml"
    maneuver.write_text(
        "name: into_wall\ntitle: Into a wall\nvehicle: sedan\nterrain: flat\nduration_s: 5\nphases:\n  - {name: go, steering_deg: 0, throttle: 1, lasts_s: 5}\n"
    )
    arguments = ["run", str(maneuver), "--vehicle", "sedan", "--terrain", "flat", "--plots", "none", "--out", str(tmp_path / "run")]
    main([*arguments, "--set", f"terrain.features={json.dumps([WALL])}"])
    capsys.readouterr()
    assert main(["info", str(tmp_path / "run"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["logs"][0]["collisions"]
    assert found[0]["name"] == "wall" and found[0]["impulse_Ns"][0] < 0.0
    assert json.loads((tmp_path / "run" / "metrics.json").read_text())["result"]["collisions"] == found
    assert main(["info", str(tmp_path / "run")]) == 0
    assert "collision 1" in capsys.readouterr().out


@pytest.mark.parametrize("h", [1e-3, 5e-3])
def test_the_impulse_is_that_of_the_impact_and_not_that_of_pushing(h):
    body = FreeBody([concrete(3.0)], 10.0, h)
    body.push[0] = 20e3
    body.run(0.5)
    early = body.collisions.copy()
    body.run(3.0)
    row = body.collisions[0]
    assert len(body.collisions) == 1
    expected = 1.1 * body.mass * row["closing_speed"] + 20e3 * (row["end"] - row["time"])
    assert -row["impulse_W"][0] == pytest.approx(expected, rel=0.05)
    assert (row["impulse_W"] == early["impulse_W"]).all() and row["end"] == early["end"] and row["end"] - row["time"] < 0.15
    assert -row["touch_impulse_W"][0] == pytest.approx(body.mass * 10.0 + 20e3 * 3.5, rel=0.02)


def test_a_second_blow_within_the_touch_counts():
    body = FreeBody([concrete(3.0)], 1.0)
    body.push[0] = 20e3
    body.run(1.5)
    first = -float(body.collisions["impulse_W"][0, 0])
    body.v[0] = 5.0
    body.run(1.0)
    assert -float(body.collisions["impulse_W"][0, 0]) - first == pytest.approx(body.mass * 5.0 * 1.3, rel=0.1), "gentle"


def test_forces_of_many_triangles_add_up_to_one_peak():
    corners = [((3, a, b), (3, a + 1, b), (3, a, b + 1)) for a in range(-2, 2) for b in range(-1, 3)]
    corners += [((3, a + 1, b), (3, a + 1, b + 1), (3, a, b + 1)) for a in range(-2, 2) for b in range(-1, 3)]
    mesh = WorldObject("mesh", TriangleMesh(np.array(corners, float)), (0, 0, 0), material=Material(restitution=0.1))
    one, many = FreeBody([concrete(3.0)], 5.0), FreeBody([mesh], 5.0)
    one.run(0.4), many.run(0.4)
    assert many.collisions["peak_force"][0] == pytest.approx(one.collisions["peak_force"][0], rel=0.02)


def test_the_window_shows_all_numbers_of_a_collision():
    """The window cuts off lines of more than LONGEST bytes; the line of the terminal is longer."""
    hit = Collision(1, 14.164, 5, "barrier_5", "barrier", (0.0,) * 3, (1.0, 0.0, 0.0), 18.5, (33.5e3, 0.0, 0.0), 645e3, 0.07)
    shown: list[str] = []
    said: list[str] = []
    window = SimpleNamespace(show_message=lambda text, seconds: shown.append(text))
    reports = SessionReports(SimpleNamespace(say=said.append), SimpleNamespace(window=window))
    session = {"time": 16.0, "tick": 16_001, "collisions": [hit], "platform_stopped": False}
    reports.report(
        SimpleNamespace(
            **session,
            output=SimpleNamespace(failures=[]),
            injector=SimpleNamespace(faults=[]),
            vehicle=SimpleNamespace(troubles=[]),
            others=SimpleNamespace(troubles=[]),
            course=None,
            seat=SimpleNamespace(reports=()),
            assistance=None,
            recovery=SimpleNamespace(latest=None, incident_number=0),
        )
    )
    assert shown == ["collision 1: barrier_5 (barrier) at 18.5 m/s, 645 kN"] and len(shown[0].encode()) <= LONGEST
    assert "impulse 33.5 kN s in 0.07 s, peak force 645 kN" in said[0] and len(said[0].encode()) > LONGEST
