"""Do several vehicles in one world collide with equal and opposite forces, leave ruts for each other, and fail alone?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jounce
from simulator.base.errors import ConfigError
from simulator.builder.builder import build_vehicle
from simulator.configuration.vehicles_section import other_options
from simulator.session_vehicles import OtherVehicle
from terrain.rays.caster import RayCaster
from tests.end_to_end.program import call

H = 1e-3


class Steady:
    """Driver who holds a speed [m/s] straight ahead."""

    def __init__(self, speed: float) -> None:
        self.speed = speed

    def read(self, t: float, readout: Any, command: Any) -> None:
        command[0]["selector"] = 1
        command[0]["throttle"] = min(max(0.35 + 0.3 * (self.speed - readout[0]["v_WB_B"][0]), 0.0), 1.0)


def world(others, speed=0.0, terrain="flat", driver=None, **given):
    """Simulation of an HMMWV that rolls in neutral without `driver`; others: (name, vehicle or None for an HMMWV, start, speed, driver)."""
    sim = jounce.Simulation("hmmwv", terrain, platform=None, driver=driver, **given)
    if driver is None:
        sim.command(selector=0)
    session = sim.session
    session.start_speed = speed
    first = session.vehicle
    session.others.add(
        [
            OtherVehicle(
                name, (first if vehicle is None else build_vehicle(vehicle)).new_instance(), lambda who=who: who, start, v, brakes=False
            )
            for name, vehicle, start, v, who in others
        ]
    )
    session.reset()
    session.command[0]["selector"] = 0
    return sim


def vehicles_of(session):
    return [session.vehicle, *(one.vehicle for one in session.others.vehicles)]


def momentum_balance(session):
    """Sum of all forces (3,) [N] of the vehicles on each other in the last tick, of their moments about the origin (3,) [N m], and the largest
    force [N]."""
    force, moment, largest = np.zeros(3), np.zeros(3), 0.0
    for one in vehicles_of(session):
        q = one.space.object_contact[0]
        R, p = q["R_WB"], q["p_WB"]
        own, couple = R @ q["force_B"], R @ q["couple_B"]
        push, turn = q["impulse_W"] / H, q["angular_impulse_W"] / H
        com = p + R @ one.model.object_contact[0]["com"]
        force += own + push
        moment += couple + np.cross(p, own) + turn + np.cross(com, push)
        largest = max(largest, float(np.linalg.norm(own)))
    return force, moment, largest


CRASHES = {
    "head-on": (10.0, [("b", None, (25.0, 0.4, np.pi), 10.0, None)]),
    "oblique": (15.0, [("b", "sedan", (12.0, 0.6, 1.1), 0.0, None)]),
    "chain": (
        20.0,
        [
            ("b", "sedan", (12.0, 0.6, 1.3), 0.0, None),
            ("c", None, (18.0, 0.0, 0.0), 0.0, None),
            ("d", "light_truck", (24.5, 0.5, 0.1), 0.0, None),
        ],
    ),
}


@pytest.mark.parametrize("name", CRASHES)
def test_forces_are_equal_and_opposite_and_energy_is_lost(name):
    speed, others = CRASHES[name]
    session = world(others, speed).session
    mass = [float(one.model.object_contact[0]["mass"]) for one in vehicles_of(session)]

    def energy():
        return sum(0.5 * m * float((one.space.state[0]["v_WB_B"] ** 2).sum()) for m, one in zip(mass, vehicles_of(session), strict=True))

    begin, largest = energy(), 0.0
    for _ in range(1500):
        session.advance(1)
        force, moment, size = momentum_balance(session)
        largest = max(largest, size)
        assert np.abs(force).max() <= 1e-9 * max(size, 1.0)
        assert np.abs(moment).max() <= 1e-8 * max(size, 1.0)
        assert energy() < 1.01 * begin
    assert largest > 5e4
    assert energy() < 0.6 * begin
    assert not any(one.stopped for one in session.others.vehicles)
    hit = {session.collisions[0].name, *(one.name for one in session.others.collisions)}
    assert hit == {one[0] for one in others}


def test_equal_vehicles_head_on_come_to_rest_together():
    """By symmetry the collision leaves no momentum, but that of the tires: one vehicle pitches up, the other one down. The published
    restitution of cars at 20 m/s is about 0.1."""
    session = world([("b", None, (25.0, 0.0, np.pi), 10.0, None)], 10.0).session
    before = session.vehicle.speed
    while not session.collisions:
        session.advance(10)
    for _ in range(20):
        session.advance(10)
    after = [one.space.state[0]["v_WB_B"][0] for one in vehicles_of(session)]
    assert before > 9.0
    assert after[0] == pytest.approx(after[1], abs=0.15)
    assert -0.2 * before < after[0] < 0.0


@pytest.mark.parametrize("speed", [20.0, 35.0])
def test_fast_vehicles_do_not_pass_through_one_another(speed):
    """At a yield force of 48 g, each HMMWV is crushed by 1.3 m at 35 m/s."""
    session = world(
        [("b", None, (2.0 * speed, 0.3, np.pi), speed, None), ("c", "sedan", (2.0 * speed + 9.0, 0.0, np.pi), speed, None)], speed
    ).session
    for _ in range(1600):
        session.advance(1)
        first, b, c = (float(one.space.state[0]["p_WB"] @ (1.0, 0.0, 0.0)) for one in vehicles_of(session))
        assert first < b + 0.5 and b < c + 0.5
    assert session.collisions and not session.others.troubles and session.recovery.latest is None


def test_the_order_of_the_vehicles_does_not_matter():
    speed, others = CRASHES["chain"]
    first, second = world(others, speed).session, world(others[::-1], speed).session
    for session in (first, second):
        session.run(1.5)
    assert [one.name for one in first.others.vehicles] == [one.name for one in second.others.vehicles]
    for a, b in zip(vehicles_of(first), vehicles_of(second), strict=True):
        assert a.space.state.tobytes() == b.space.state.tobytes()


def test_a_reset_repeats_the_same_bits():
    speed, others = CRASHES["chain"]
    session = world(others, speed).session
    states = []
    for _ in range(2):
        session.reset()
        session.command[0]["selector"] = 0
        session.run(1.2)
        states.append([one.space.state.tobytes() for one in vehicles_of(session)])
    assert states[0] == states[1]


def test_a_vehicle_far_away_changes_nothing():
    alone = world([], driver=Steady(8.0)).session
    company = world([("far", "sedan", (0.0, 200.0, 0.0), 0.0, Steady(9.0))], driver=Steady(8.0)).session
    for session in (alone, company):
        session.run(2.0)
    assert alone.vehicle.space.state.tobytes() == company.vehicle.space.state.tobytes()
    assert company.others.vehicles[0].vehicle.speed > 2.0


def test_an_absurd_vehicle_stops_alone():
    session = world([("a", None, (20.0, 6.0, 0.0), 8.0, None), ("b", None, (40.0, -6.0, 0.0), 8.0, None)], 8.0).session
    session.run(0.5)
    broken, well = session.others.vehicles
    broken.vehicle.space.state[0]["v_WB_B"][0] = np.nan
    session.run(1.0)
    assert broken.stopped and not well.stopped
    assert session.others.troubles == ["vehicle a stopped at 0.501 s: the state is not finite"]
    assert session.recovery.latest is None and session.vehicle.speed > 5.0 and well.vehicle.speed > 5.0
    row = session.objects.records[[one.name for one in session.objects.objects].index("a")]
    state = session.objects.states[row["state"]]
    assert np.isfinite(state["p_WO"]).all() and not state["v_WO"].any()


def test_an_absurd_first_vehicle_does_not_infect_the_one_that_it_hits():
    session = world([("a", None, (12.0, 0.3, 0.0), 0.0, None)], 15.0).session
    while not session.collisions:
        session.advance(10)
    session.vehicle.space.state[0]["w_WB_B"][2] = np.nan
    session.advance(10)
    other = session.others.vehicles[0]
    assert session.recovery.latest is not None
    session.run(0.5)
    assert not other.stopped and np.isfinite(other.vehicle.space.state[0]["p_WB"]).all()


def test_vehicles_with_controllers_and_other_parts_are_others_too():
    names = ("sedan_esc", "hmmwv_manual", "sedan_electric", "hmmwv_trailing_rear", "sedan_skyhook")
    session = world([(f"v{n}", name, (14.0 * (n + 1), 0.0, 0.0), 0.0, Steady(6.0)) for n, name in enumerate(names)]).session
    session.run(3.0)
    assert not any(one.stopped for one in session.others.vehicles)
    assert all(one.vehicle.speed > 0.5 for one in session.others.vehicles if one.name != "v1"), "a manual gearbox needs a clutch"


class Failing(Steady):
    def read(self, t, readout, command):
        if t > 0.305:
            raise ZeroDivisionError("by zero")
        super().read(t, readout, command)


def test_a_vehicle_whose_driver_fails_brakes_and_the_others_go_on():
    session = world([("a", None, (20.0, 6.0, 0.0), 8.0, Failing(8.0)), ("b", None, (40.0, -6.0, 0.0), 8.0, Steady(8.0))], 8.0).session
    session.run(5.0)
    failed, well = (one.vehicle for one in session.others.vehicles)
    assert session.others.troubles == ["vehicle a brakes: its driver failed at 0.310 s: ZeroDivisionError: by zero"]
    assert abs(failed.speed) < 0.01 and well.speed > 7.0 and session.vehicle.speed > 5.0


def test_rays_see_the_others_and_name_them():
    session = world([("lead", "sedan", (15.0, 0.0, 0.0), 5.0, None)]).session
    session.run(0.5)
    hits = RayCaster(session.ground, session.objects).cast([[3.0, 0.0, 0.6]], [[1.0, 0.0, 0.0]], 100.0, session.time)
    lead = session.others.vehicles[0].vehicle
    assert session.objects.name(int(hits.object[0])) == "lead"
    assert 1.5 < lead.space.state[0]["p_WB"][0] - 3.0 - hits.range[0] < 4.5, "the rear of the car"


def on_soil(others):
    return world(others, terrain="flat_soil", driver=Steady(3.0), changes={"terrain.soil": "clayey_loam"}).session


def notice(vehicle, rows):
    """Add sinkage [m] and torque of the wheels [N m] of a vehicle that is between 50 and 60 m."""
    now = vehicle.read()[0]
    if 50.0 < now["p_WB"][0] < 60.0:
        rows.append((float(now["sinkage"].max()), float(now["drive_torque"].sum())))


def test_a_convoy_sinks_and_rolls_as_one_vehicle_that_passes_five_times():
    """Five HMMWVs on clayey loam against five passes of one HMMWV in its own ruts: each pass sinks a little deeper (multipass)."""
    convoy = on_soil([(f"c{n}", None, (9.0 * n, 0.0, 0.0), 0.0, Steady(3.0)) for n in range(1, 5)])
    in_convoy = [[] for _ in range(5)]
    for _ in range(240):
        convoy.run(0.1)
        for rows, one in zip(in_convoy, vehicles_of(convoy)[:0:-1] + [convoy.vehicle], strict=True):
            notice(one, rows)
    alone = on_soil([])
    passes = [[] for _ in range(5)]
    for n, rows in enumerate(passes):
        if n:
            alone.place(0.0, 0.0, 0.0)
        while alone.vehicle.space.state[0]["p_WB"][0] < 64.0:
            alone.run(0.1)
            notice(alone.vehicle, rows)
    found, expected = (np.array([np.mean(rows, axis=0) for rows in one]) for one in (in_convoy, passes))
    assert found[0, 0] > 0.005 and (np.diff(found[:, 0]) > 0.005 * found[0, 0]).all(), "the last vehicle sinks most"
    assert found[:, 0] == pytest.approx(expected[:, 0], rel=1e-4)
    assert found[:, 1] == pytest.approx(expected[:, 1], rel=0.01), "rolling resistance"
    assert found[1, 1] < 0.8 * found[0, 1], "the first vehicle compacts the soil for the others"


SESSION = """
terrain: flat
maneuver: avtp_lane_change
duration: 3
vehicles:
  - {name: lead, vehicle: sedan, position: [30, 0], maneuver: avtp_lane_change}
  - {position: [60, 1.5], heading_deg: 20}
"""


def test_a_session_file_and_its_rerun(tmp_path, capsys):
    file = tmp_path / "two.yaml"
    file.write_text(SESSION)
    code, out, err = call(capsys, "run", "--session", file, "--out", tmp_path / "out")
    assert code in (0, 1) and "lead with vehicle_3 (vehicle)" in out + err, err
    code, out, err = call(capsys, "rerun", tmp_path / "out", "--out", tmp_path / "again")
    assert code == 0 and "bitwise equal" in out, out + err


WRONG = {
    "[{position: [1, 2], turn: 1}]": "vehicles[0].turn",
    "[{heading_deg: 3}]": "position",
    "[{position: [20, 0], vehicle: nothing}]": "vehicles[0].vehicle",
    "[{position: [20, 0], driver: nobody}]": "vehicles[0].driver",
    "[{position: [20, 0], name: a}, {position: [40, 0], name: a}]": "vehicles[1].name",
    "[{position: [20, 0], name: 'a b'}]": "vehicles[0].name",
    "[{position: [20, 0], name: command}]": "vehicles[0].name",
    "[{position: [20, 0], name: a}, {position: [40, 0], name: a_command}]": "vehicles[1].name",
    "[{position: [20, 0], log: some}]": "vehicles[0].log",
    "[{position: [20, 0], faults: [{type: gust, velocity: [1, 0, 0]}]}]": "vehicles[0].faults",
    "[{position: [20, 0], vehicle: hmmwv, maneuver: nothing}]": "vehicles[0].maneuver",
}


@pytest.mark.parametrize("section", WRONG)
def test_wrong_sections_are_refused_with_the_place(section, tmp_path):
    file = tmp_path / "wrong.yaml"
    file.write_text(f"terrain: flat\nvehicles: {section}\n")
    with pytest.raises(ConfigError) as caught:
        jounce.Simulation(session=str(file), platform=None)
    assert WRONG[section] in str(caught.value) and str(file) in str(caught.value)


@pytest.mark.parametrize(
    ("vehicles", "key", "named"),
    [
        ("[{name: a, position: [20, 0]}, {name: b, position: [22, 1]}]", "vehicles[1].position", "a"),
        ("[{name: a, position: [3, 0.5]}]", "vehicles[0].position", "first"),
        ("[{name: a, position: [40, 9], heading_deg: 90}]", "vehicles[0].position", "tree"),
    ],
)
def test_a_start_inside_a_vehicle_or_an_object_is_refused_with_a_free_place(vehicles, key, named, tmp_path, capsys):
    file = tmp_path / "near.yaml"
    tree = "objects: [{name: tree, shape: cylinder, radius: 0.3, height: 5, position: [40, 10]}]\n"
    file.write_text(f"terrain: flat\nmaneuver: scripted_drive\n{tree}vehicles: {vehicles}\n")
    for command in (("check", file), ("run", "--session", file, "--out", tmp_path / "out")):
        code, out, err = call(capsys, *command)
        message = " ".join((out + err).split())
        assert code == 2 and key in message and f"{named} is there" in message and "nearest free place" in message, message
    file.write_text(f"terrain: flat\n{tree}vehicles: [{{position: [20, 0]}}, {{position: [40, 0]}}]\n")
    assert call(capsys, "check", file) == (0, f"{file}: good (sessions)\n", "")


def test_the_color_of_an_entry_is_that_of_its_body_also_of_a_vehicle_that_comes_later():
    sim = jounce.Simulation("sedan", "flat", platform=None, others=[{"position": [9, 0], "color": [0.6, 0.05, 0.1]}, {"position": [18, 0]}])
    sim.add_vehicle({"name": "late", "position": [27, 0], "color": [0.1, 0.2, 0.3]})
    paints = {part.vehicle.name: part.vehicle.paint for part in sim.session.objects.objects if getattr(part, "vehicle", None)}
    assert paints == {"vehicle_2": (0.6, 0.05, 0.1), "vehicle_3": None, "late": (0.1, 0.2, 0.3)}


def test_default_names_count_from_two():
    given = {"position": [1.0, 2.0], "heading": 0.0, "parking_brake": True, "faults": (), "log": "short"}
    assert [one.name for one in other_options([given, given], "file")] == ["vehicle_2", "vehicle_3"]


def test_a_vehicle_that_starts_with_speed_rolls_as_the_first_one_would_and_does_not_touch_itself():
    sim = jounce.Simulation("sedan", "flat", platform=None, others=[{"position": [0, 40], "speed_kph": 50, "parking_brake": False}])
    alone = jounce.Simulation("sedan", "flat", platform=None)
    alone.session.start_speed = 50 / 3.6
    alone.session.reset()
    other = sim.others["vehicle_2"]
    assert not sim.session.others.read_collisions()
    assert other.vehicle.space.state["v_WB_B"].tobytes() == alone.vehicle.space.state["v_WB_B"].tobytes()
    assert other.vehicle.space.state[0]["p_WB"][2] == alone.vehicle.space.state[0]["p_WB"][2]


def test_the_wheels_of_others_are_where_their_suspensions_hold_them():
    """An HMMWV whose front wheels are in a bump: the wheels that others meet move with them, and the body does not."""
    session = world([("lead", None, (20.0, 0.0, 0.0), 0.0, Steady(6.0))], terrain="half_round_20").session
    lead, objects, largest = session.others.vehicles[0].vehicle, session.objects, 0.0
    first = next(row for row, one in enumerate(objects.objects) if one.name == "lead")
    count = int(lead.model.object_contact[0]["count"])
    for _ in range(600):
        session.run(0.01)
        x, centers = lead.space.state[0], lead.read()[0]["p_BK"]
        R = objects.states[objects.records["state"][first]]["R_WO"]
        for n, center in enumerate(centers):
            o = objects.records[first + count + n]
            s = objects.states[o["state"]]
            seen = s["p_WO"] + s["R_WO"] @ o["center_O"]
            assert np.abs(seen - (x["p_WB"] + R @ center)).max() < 2e-3
            largest = max(largest, float(np.abs(center - o["center_O"])[2]))
    assert largest > 0.02
