"""Does a fleet step its vehicles to the same bits as single vehicles, with any number of threads?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.api.fleet import Fleet
from simulator.base.errors import JounceError
from simulator.base.records import record
from simulator.builder.builder import build_ground, build_vehicle
from simulator.tick import NOT_FINITE
from vehicles.command import COMMAND

COLUMNS = ("p_WB_x", "p_WB_z", "v_WB_B_x", "gear", "engine_speed", "jounce_FL", "p_WG_x", "F_C_RR_z")
N, CALLS, SUBSTEPS = 5, 20, 10


def driven(threads=1, terrain="flat", n=N):
    """Fleet after some calls of `step`, with another command for each vehicle."""
    fleet = Fleet("hmmwv", terrain, n=n, substeps=SUBSTEPS, observations=COLUMNS, threads=threads)
    fleet.commands["throttle"], fleet.commands["steering"] = np.linspace(0.0, 1.0, n), np.linspace(-0.3, 0.3, n)
    for _ in range(CALLS):
        fleet.step()
    return fleet


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
        r = one.read()[0]
        single = (r["p_WB"][0], r["p_WB"][2], r["v_WB_B"][0], r["gear"], r["engine_speed"], r["jounce"][0], r["p_WG"][0], r["F_C"][3, 2])
        assert fleet.observations[k].tolist() == list(map(float, single))
    assert len(set(fleet.observations[:, 2])) == N


def test_the_number_of_threads_does_not_matter():
    one = driven(1)
    for threads in (2, 4):
        other = driven(threads)
        assert one.observations.tobytes() == other.observations.tobytes()
        assert one._memory.tobytes() == other._memory.tobytes()
        other.close()


def test_a_state_fits_into_40_kilobytes():
    assert Fleet("hmmwv", n=2)._memory[0].nbytes < 40_000


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
    fleet.commands["drawbar"][2] = np.nan
    for _ in range(3):
        fleet.step()
        well.step()
    others = np.arange(N) != 2
    assert fleet.verdicts.tolist() == [0, 0, NOT_FINITE, 0, 0]
    assert fleet.observations[others].tobytes() == well.observations[others].tobytes()
    fleet.reset(~others)
    fleet.step()
    assert not fleet.verdicts.any() and np.isfinite(fleet.observations).all()


WRONG = {
    "observation p_WB_q": {"n": 1, "observations": ["p_WB_q"]},
    "n: 0": {"n": 0},
    "substeps: 0": {"n": 1, "substeps": 0},
    "threads: -1": {"n": 1, "threads": -1},
    "objects": {"n": 1, "terrain": "woods"},
}


@pytest.mark.parametrize("message", WRONG)
def test_wrong_arguments_are_refused(message):
    with pytest.raises(JounceError, match=message):
        Fleet("hmmwv", **WRONG[message])


def test_a_wrong_mask_is_refused():
    with pytest.raises(JounceError, match="expected 2 times True or False"):
        Fleet("hmmwv", n=2).reset([1, 0])
