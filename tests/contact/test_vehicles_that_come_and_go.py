"""May vehicles come, go, and have other axles during a drive, without a trace of those that are gone?"""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from simulator.base.errors import JounceError
from simulator.driver.seen_vehicle import FIRST
from simulator.session_vehicles import OtherVehicle
from terrain.rays.caster import RayCaster
from tests.contact.test_other_vehicles import Steady, momentum_balance, vehicles_of, world
from tests.end_to_end.program import call
from tests.laws.test_axle_numbers import built, write


def drive(t, readout):
    return {"throttle": 0.4}


def two(**given):
    sim = jounce.Simulation("hmmwv", "flat", platform=None, others=[{"name": "lead", "position": [25, 6], "driver": drive}], **given)
    sim.command(throttle=0.4)
    return sim


def test_a_vehicle_that_comes_has_the_time_collides_and_is_seen():
    sim = two()
    sim.advance(1)
    name = sim.add_vehicle({"vehicle": "sedan", "position": [12, 0], "parking_brake": False})
    assert name == "vehicle_3" and list(sim.others) == ["lead", "vehicle_3"]
    assert sim.others[name].vehicle.space.state[0]["time"] == pytest.approx(1.0)
    hits = sim.cast([[8.0, 0.0, 0.6]], [[1.0, 0.0, 0.0]], 100.0)
    assert sim.session.objects.name(int(hits.object[0])) == name
    sim.advance(4)
    assert [one.name for one in sim.collisions] == [name]
    assert sim.others[name].vehicle.speed > 1.0
    log = sim.log
    x, before = log[f"{name}_p_WB_x"], log["time"] < 0.995
    assert np.isnan(x[before]).all() and np.isfinite(x[~before][1:]).all()


def test_a_vehicle_that_comes_beside_one_at_rest_touches_it():
    """A vehicle at rest does not look for objects until something moves; one that appears is found all the same."""
    sim = jounce.Simulation("hmmwv", "flat", platform=None)
    sim.command(selector=0, parking_brake=1)
    sim.advance(1)
    sim.add_vehicle({"name": "pusher", "position": [-5.6, 0], "speed_kph": 10, "parking_brake": False})
    sim.advance(1)
    assert sim.collisions and sim.collisions[0].time < 1.6
    assert sim.vehicle.read()[0]["p_WB"][0] > 0.05


def test_a_vehicle_that_goes_leaves_nothing():
    alone = jounce.Simulation("hmmwv", "flat", platform=None)
    alone.command(throttle=0.4)
    sim = two()
    sim.add_vehicle({"name": "wall", "position": [9, 0], "heading_deg": 90})
    sim.advance(0.5)
    sim.remove_vehicle("wall")
    session = sim.session
    seen = [one.name for one in session.others.seen()]
    assert "wall" not in seen and "wall" not in sim.others and session.objects.world[0]["vehicles"] == 1
    hits = RayCaster(session.ground, session.objects).cast([[5.0, 0.0, 0.6]], [[1.0, 0.0, 0.0]], 30.0, session.time)
    assert hits.object[0] <= 0
    sim.advance(4.5)
    alone.advance(5)
    assert not sim.collisions
    assert sim.vehicle.space.state.tobytes() == alone.vehicle.space.state.tobytes(), "as if it had never been there"
    log = sim.log
    after = log["time"] > 0.505
    assert np.isnan(log["wall_p_WB_x"][after]).all() and not log["wall_gear"][after].any()
    sim.remove_vehicle("lead")
    sim.advance(0.1)
    assert not sim.others and session.objects.world[0]["broken"] == 0


def test_a_vehicle_may_go_while_it_is_touched():
    sim = jounce.Simulation("hmmwv", "flat", platform=None, others=[{"name": "lead", "position": [8, 0]}])
    sim.command(throttle=0.6)
    while not sim.collisions:
        sim.advance(0.1)
    sim.add_vehicle({"name": "far", "position": [8, 50]})
    sim.remove_vehicle("lead")
    sim.advance(3)
    assert sim.vehicle.speed > 4.0 and not sim.session.others.collisions
    assert np.abs(sim.vehicle.space.object_contact[0]["force_B"]).max() == 0.0


def test_a_reset_begins_without_the_vehicles_that_came():
    sim = two()
    sim.add_vehicle({"position": [60, 0]})
    sim.remove_vehicle("lead")
    sim.advance(0.1)
    sim.reset()
    sim.advance(0.1)
    assert list(sim.others) == ["lead"]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"position": [25, 6]}, "vehicle: position: .*lead is there"),
        ({"position": [1, 1]}, "vehicle: position: .*first is there"),
        ({"position": [60, 0], "name": "lead"}, "vehicle: name: "),
        ({"position": [60, 0], "paint": 1}, "vehicle: paint: unknown key"),
        ({"position": [60, 0], "color": 1}, "vehicle: color: invalid value; expected 3 numbers"),
        ({"position": [60, 0], "vehicle": "no_such"}, "no_such"),
        ({"position": [60, 0], "driver": "nobody"}, "vehicle: driver"),
        ({}, "vehicle: position: missing"),
    ],
)
def test_a_vehicle_that_cannot_come_is_refused_and_nothing_changes(entry, expected):
    sim = two()
    with pytest.raises(JounceError, match=expected):
        sim.add_vehicle(entry)
    assert list(sim.others) == ["lead"]
    sim.advance(0.05)
    for name in ("leed", "vehicle_3"):
        with pytest.raises(JounceError, match=f"vehicle {name}"):
            sim.remove_vehicle(name)


def test_a_rerun_repeats_vehicles_that_come_and_go_and_the_commands_of_functions(tmp_path, capsys):
    sim = two()
    sim.advance(0.5)
    sim.add_object({"name": "box", "shape": "box", "size": [1, 1, 1], "position": [70, 0], "breakaway": {"mass": 50}})
    sim.add_vehicle(
        {"name": "late", "vehicle": "sedan", "position": [18, 0], "speed_kph": 20, "driver": lambda t, readout: {"throttle": t / 9}}
    )
    sim.add_vehicle({"name": "short", "position": [40, -4], "driver": "follow"})
    sim.advance(2)
    sim.remove_vehicle("short")
    sim.advance(2)
    sim.log.save(tmp_path / "telemetry.parquet")
    code, out, err = call(capsys, "rerun", tmp_path / "telemetry.parquet", "--out", tmp_path / "again")
    assert code == 0 and "bitwise equal" in out, out + err


@pytest.fixture
def mixed(tmp_path):
    """An HMMWV, a sedan and a vehicle with other axles in the world of an HMMWV."""

    def make(speed, *starts):
        sim = world([], speed)
        kinds = {"axles": built(tmp_path, "all kinds"), "sedan": jounce.load_vehicle("sedan"), "hmmwv": jounce.load_vehicle("hmmwv")}
        sim.session.others.add(
            [
                OtherVehicle(f"{kind}_{n}", kinds[kind].new_instance(), lambda who=who: who, start, v, brakes=False)
                for n, (kind, start, v, who) in enumerate(starts)
            ]
        )
        sim.session.reset()
        sim.session.command[0]["selector"] = 0
        return sim.session

    return make


def test_vehicles_with_other_axles_collide_with_equal_and_opposite_forces(mixed):
    session = mixed(
        15.0,
        ("axles", (14.0, 0.4, 0.1), 0.0, None),
        ("hmmwv", (24.0, 0.0, 0.0), 0.0, None),
        ("axles", (34.0, 0.0, 0.0), 0.0, None),
        ("sedan", (42.0, 0.3, 1.2), 0.0, None),
    )
    largest = 0.0
    for _ in range(3000):
        session.advance(1)
        force, moment, size = momentum_balance(session)
        largest = max(largest, size)
        assert np.abs(force).max() <= 1e-9 * max(size, 1.0)
        assert np.abs(moment).max() <= 1e-8 * max(size, 1.0)
    assert largest > 5e4 and not session.others.troubles
    met = {frozenset((one.vehicle or FIRST, one.name)) for one in (*session.collisions, *session.others.collisions)}
    assert {frozenset((FIRST, "axles_0")), frozenset(("axles_0", "hmmwv_1")), frozenset(("hmmwv_1", "axles_2"))} <= met


def test_check_says_that_other_numbers_of_axles_compile(tmp_path, capsys):
    file = tmp_path / "session.yaml"
    file.write_text(f"terrain: flat\nvehicles: [{{name: long, position: [30, 0], vehicle: {write(tmp_path, 'six wheels')}}}]\n")
    code, out, _ = call(capsys, "check", file)
    assert code == 0 and "other numbers of axles or wheels than the first one: long" in out


def test_a_vehicle_drives_to_the_same_bits_with_and_without_others_of_other_axles(mixed):
    own = mixed(0.0, ("sedan", (14.0, 60.0, 0.0), 0.0, Steady(8.0)))
    company = mixed(0.0, ("sedan", (14.0, 60.0, 0.0), 0.0, Steady(8.0)), ("axles", (0.0, -60.0, 0.0), 0.0, Steady(6.0)))
    for session in (own, company):
        session.run(2.0)
    assert own.others.vehicles[0].vehicle.space.state.tobytes() == company.others.vehicles[0].vehicle.space.state.tobytes()
    assert own.vehicle.space.state.tobytes() == company.vehicle.space.state.tobytes()
    assert vehicles_of(company)[2].speed > 1.0
    company.vehicle.space.state[0]["v_WB_B"][0] = np.nan
    company.run(0.5)
    assert company.recovery.latest is not None and not company.others.troubles
