"""Does a fleet step its vehicles to the same bits as single vehicles, with any number of threads?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.api.simulation import Simulation
from simulator.base.errors import JounceError
from simulator.base.records import record
from simulator.builder.builder import build_ground, build_vehicle
from simulator.fleet.fleet import Fleet
from simulator.tick import NOT_FINITE
from vehicles.command import COMMAND

COLUMNS = ("p_WB_x", "p_WB_z", "v_WB_B_x", "gear", "engine_speed", "jounce_FL", "p_WG_x", "F_C_RR_z", "throttle", "brake", "steering")
N, CALLS, SUBSTEPS = 5, 20, 10


def driven(threads=1, terrain="flat", n=N):
    """Fleet after some calls of `step`, with another command for each vehicle."""
    fleet = Fleet("hmmwv", terrain, n=n, substeps=SUBSTEPS, observations=COLUMNS, threads=threads)
    fleet.commands["throttle"], fleet.commands["steering"] = np.linspace(0.0, 1.0, n), np.linspace(-0.3, 0.3, n)
    for _ in range(CALLS):
        fleet.step()
    return fleet


def observed(one, command):
    """COLUMNS of a single vehicle and its command."""
    r, c = one.read()[0], command[0]
    motion = r["p_WB"][0], r["p_WB"][2], r["v_WB_B"][0], r["gear"], r["engine_speed"], r["jounce"][0], r["p_WG"][0], r["F_C"][3, 2]
    return list(map(float, (*motion, c["throttle"], c["brake"], c["steering"])))


@pytest.mark.parametrize("terrain", ["flat", "flat_soil"])
def test_the_bits_are_those_of_single_vehicles(terrain):
    fleet, ground, kind = driven(terrain=terrain), build_ground(terrain), build_vehicle("hmmwv")
    for k in range(N):
        one, command = kind.new_instance(), record(COMMAND)
        one.model.steering[0]["input_time"] = 1e-3 * SUBSTEPS
        one.reset(ground, *ground.spawn)
        command[0]["selector"] = 1
        command[0]["throttle"], command[0]["steering"] = fleet.commands["throttle"][k], fleet.commands["steering"][k]
        for _ in range(CALLS * SUBSTEPS):
            one.step(ground, command, 1e-3)
        assert fleet.observations[k].tolist() == observed(one, command)
    assert len(set(fleet.observations[:, 2])) == N


def test_the_number_of_threads_does_not_matter():
    one = driven(1)
    for threads in (2, 4):
        other = driven(threads)
        assert one.observations.tobytes() == other.observations.tobytes()
        assert one._memory.bytes[:N].tobytes() == other._memory.bytes[:N].tobytes()
        other.close()


def test_a_state_fits_into_40_kilobytes():
    assert Fleet("hmmwv", n=2)._memory.bytes[0].nbytes < 40_000


def test_some_vehicles_begin_anew_elsewhere():
    fleet = driven()
    before = fleet.observations.copy()
    again = np.arange(N) % 2 == 0
    poses = np.column_stack((10.0 * np.arange(N), np.zeros(N), np.zeros(N)))
    fleet.reset(again, poses, speed=5.0)
    assert (fleet.observations[~again] == before[~again]).all()
    assert fleet.observations[again, 0] == pytest.approx(poses[again, 0], abs=0.1)
    assert fleet.observations[again, 2] == pytest.approx(5.0, abs=1e-4)
    assert not fleet.commands["throttle"][again].any() and fleet.commands["throttle"][~again].any()


def test_a_snapshot_gives_the_same_drive_again():
    fleet = driven()
    saved, commands = fleet.save(3), fleet.commands.copy()
    for _ in range(5):
        fleet.step()
    first = fleet.observations[3].copy()
    mask = np.array([True, False, False, True, False])
    fleet.restore(mask, saved)
    fleet.commands[mask] = commands[3]
    for _ in range(5):
        fleet.step()
    assert fleet.observations[0].tobytes() == fleet.observations[3].tobytes() == first.tobytes()
    with pytest.raises(JounceError, match="snapshot 7: no such snapshot"):
        fleet.restore(mask, 7)


def test_an_invalid_vehicle_stands_alone_until_its_reset():
    fleet, well = driven(), driven()
    fleet._memory.watches["verdict"][2] = 0
    state = next((kind, at) for name, kind, _, at in fleet._memory.form.places if name == "state")
    fleet._memory.bytes[2, state[1] : state[1] + state[0].itemsize].view(state[0])["v_WB_B"] = np.nan
    for _ in range(3):
        fleet.step()
        well.step()
    others = np.arange(N) != 2
    assert fleet.verdicts.tolist() == [0, 0, NOT_FINITE, 0, 0]
    assert fleet.observations[others].tobytes() == well.observations[others].tobytes()
    fleet.reset(~others)
    fleet.step()
    assert not fleet.verdicts.any() and np.isfinite(fleet.observations).all()


CHANGES = {
    "vehicle.chassis.mass": [1900.0, 2200.0, 2500.0, 2800.0, 2200.0],
    "vehicle.tires.friction": [0.5, 0.6, 0.7, 0.8, 0.9],
    "vehicle.axles.front.spring.rate": [150e3, 160e3, 170e3, 180e3, 165e3],
    "soils.asphalt.friction": [0.2, 0.4, 0.6, 0.8, 0.9],
}


def alone(changes, calls=CALLS, speed=0.0, **command):
    """READOUT of a session with these changes, driven like a vehicle of a fleet."""
    sim = Simulation("hmmwv", "flat", changes=changes, platform=None)
    one, ground, record_ = sim.session.vehicle, sim.session.ground, record(COMMAND)
    one.model.steering[0]["input_time"] = 1e-3 * SUBSTEPS
    one.reset(ground, *ground.spawn, speed=speed)
    record_[0]["selector"] = 1
    for name, value in command.items():
        record_[0][name] = value
    for _ in range(calls * SUBSTEPS):
        one.step(ground, record_, 1e-3)
    return observed(one, record_)


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_a_vehicle_with_changes_makes_the_bits_of_one_that_is_loaded_with_them(threads):
    fleet = Fleet("hmmwv", "flat", n=N, substeps=SUBSTEPS, observations=COLUMNS, changes=CHANGES, threads=threads)
    fleet.reset(speed=8.0)
    fleet.commands["brake"], fleet.commands["steering"] = 0.7, 0.2
    for _ in range(CALLS):
        fleet.step()
    for k in range(N):
        one = {key: values[k] for key, values in CHANGES.items()}
        assert fleet.observations[k].tolist() == alone(one, speed=8.0, brake=0.7, steering=0.2)
    assert len(set(fleet.observations[:, 2])) == N
    fleet.close()


WALL = [{"type": "wall", "points": [[12, -10], [12, 10]], "height": 3}]


@pytest.mark.filterwarnings("ignore::simulator.base.errors.HighFeatureWarning")
def test_a_vehicle_that_meets_a_wall_changes_no_other():
    walled = {"terrain.features": [WALL] * N}
    fleet, free = (Fleet("hmmwv", n=N, substeps=SUBSTEPS, observations=COLUMNS, changes=walled, threads=2) for _ in range(2))
    poses = np.column_stack((np.zeros(N), 30.0 * np.arange(N), np.zeros(N)))
    for one, first in ((fleet, poses[0]), (free, (0.0, -30.0, 0.0))):
        one.reset(poses=np.vstack((first, poses[1:])), speed=15.0)
        for _ in range(10 * CALLS):
            one.step()
    assert fleet.collisions.tolist() == [1, 0, 0, 0, 0] and not free.collisions.any()
    assert fleet.observations[0, 2] < 3.0 and (fleet.observations[1:, 2] > 10.0).all()
    assert fleet.observations[1:].tobytes() == free.observations[1:].tobytes()
    single = alone({"terrain.features": WALL}, 10 * CALLS, speed=15.0)
    assert fleet.observations[0].tolist() == single
    fleet.reset(np.arange(N) == 0)
    assert not fleet.collisions.any()
    fleet.close()
    free.close()


def test_a_snapshot_carries_the_parameters():
    fleet = Fleet("hmmwv", n=N, substeps=SUBSTEPS, observations=COLUMNS, changes=CHANGES)
    fleet.commands["throttle"] = 1.0
    for _ in range(5):
        fleet.step()
    saved = [fleet.save(k) for k in range(N)]
    expected = [fleet.step() for _ in range(5)][-1].copy()
    again = fleet.restore(np.ones(N, bool), np.array(saved)[::-1])
    fleet.commands["throttle"] = 1.0
    for _ in range(5):
        fleet.step()
    assert again.tobytes() == expected[::-1].tobytes()
    assert fleet.parameter("vehicle.chassis.mass").tolist() == CHANGES["vehicle.chassis.mass"][::-1]
    assert fleet.save(0, saved[2]) == saved[2] and fleet.save(1) == N


DRAWN = {"vehicle.chassis.mass": {"distribution": "uniform", "from": 2000, "to": 2800}, "soils.asphalt.friction": 0.7}
SCATTER = [{"distribution": "normal", "mean": 0.0, "deviation": 2.0}, 1.0, {"distribution": "uniform", "from": -0.1, "to": 0.1}]
MASS = "vehicle.chassis.mass"


def test_what_is_drawn_depends_on_the_seed_and_on_no_other_vehicle():
    one, more = (Fleet("hmmwv", n=n, changes=DRAWN, seed=7) for n in (2, 4))
    masses = more.parameter(MASS)
    assert one.parameter(MASS).tolist() == masses[:2].tolist() and len(set(masses)) == 4
    assert ((masses >= 2000) & (masses <= 2800)).all()
    places = more.reset(poses=SCATTER).copy()
    assert more.parameter(MASS).tolist() == masses.tolist()
    assert len(set(places[:, 0])) == 4 and places[:, 1] == pytest.approx(1.0, abs=0.1)
    second = np.array([False, True, False, False])
    again = more.reset(second, SCATTER)
    assert (again[:, 0] != places[:, 0]).tolist() == second.tolist()
    more.reset(seed=8)
    assert not set(more.parameter(MASS)) & set(masses)
    more.reset(seed=7)
    assert more.parameter(MASS).tolist() == masses.tolist()
    assert more.reset(poses=SCATTER).tobytes() == places.tobytes()
    more.reset(second, changes=DRAWN)
    assert (more.parameter(MASS) != masses).tolist() == second.tolist()
    more.reset(second, changes={MASS: 2500})
    assert more.parameter(MASS).tolist() == [masses[0], 2500, *masses[2:]]
    more.reset(changes={"soils.asphalt.friction": [0.2, 0.3, 0.4, 0.5]})
    assert more.parameter(MASS).tolist() == [masses[0], 2500, *masses[2:]]
    assert more.parameter("soils.asphalt.friction").tolist() == [0.2, 0.3, 0.4, 0.5]


def test_a_change_after_a_restore_adds_to_the_parameters_of_the_snapshot():
    fleet = Fleet("hmmwv", n=2, changes={MASS: [2000, 2500]})
    both, first = np.array([True, True]), np.array([True, False])
    fleet.restore(both, fleet.save(1))
    fleet.reset(first, changes={"soils.asphalt.friction": 0.3})
    assert fleet.parameter(MASS).tolist() == [2500, 2500]
    fleet.reset(~both)
    with pytest.raises(JounceError, match=r"parameter soils.asphalt.friction: no changed key of vehicle 1"):
        fleet.parameter("soils.asphalt.friction")


def test_an_object_on_a_path_is_where_the_time_of_each_vehicle_puts_it():
    car = [
        {
            "shape": "box",
            "size": [4.5, 1.8, 1.5],
            "label": "vehicle",
            "name": "car",
            "path": {"points": [[14, 10], [14, -30]], "speed": 5.0},
        }
    ]
    fleet = Fleet("hmmwv", n=2, substeps=SUBSTEPS, observations=COLUMNS, changes={"terrain.objects": [car] * 2})
    fleet.reset(speed=[7.0, 3.0])
    for _ in range(20):
        fleet.step()
    early = fleet.save(0)
    for _ in range(40):
        fleet.step()
    fleet.restore(np.array([False, True]), early)
    for _ in range(200 - 20):
        fleet.step()
    assert fleet.collisions.tolist() == [1, 1]
    assert fleet.observations[1].tolist() == alone({"terrain.objects": car}, 200, speed=7.0)
