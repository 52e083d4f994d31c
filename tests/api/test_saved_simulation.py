"""Does a saved, copied or pickled simulation continue with the bits of the run that was never interrupted?"""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce

LEAD = {"name": "lead", "vehicle": "sedan", "position": [25.0, 0.5]}
ROOF = {"type": "lidar", "name": "roof", "mount": {"position": [0.0, 0.0, 1.8]}}
SESSIONS: dict[str, dict[str, Any]] = {
    "road": {"vehicle": "sedan", "terrain": "circuit", "platform": None, "sensors": ["imu"]},
    "platform": {"vehicle": "hmmwv", "terrain": "flat"},
    "tires": {"vehicle": "sedan", "terrain": "flat", "platform": None, "changes": {"vehicle.tires": "warm_mxv8"}},
    "soil": {"vehicle": "hmmwv", "terrain": "flat_soil", "platform": None, "others": [LEAD | {"vehicle": "hmmwv"}]},
    "trailer": {"vehicle": "hmmwv_m1101", "terrain": "flat_soil", "platform": None},
    "faults": {
        "vehicle": "hmmwv",
        "terrain": "flat",
        "platform": None,
        "changes": {"faults": [{"type": "puncture", "wheel": "FL", "start_s": 0.7}]},
    },
    "autonomy": {"maneuver": "goal_obstacles", "terrain": "flat", "platform": None, "sensors": [ROOF]},
    "traffic": {
        "vehicle": "sedan",
        "terrain": "town",
        "platform": None,
        "changes": {"seed": 1},
        "traffic": {"vehicles": [{"count": 6}], "pedestrians": 3},
    },
}
LATER = """
import pickle, sys
sim = pickle.loads(sys.stdin.buffer.read())
sim.advance(0.4)
sys.stdout.buffer.write(pickle.dumps({name: sim.log[name] for name in sim.log}))
"""


def drive(sim: jounce.Simulation, begin: int, count: int) -> dict[str, Any]:
    """Drive with changing commands, and return the columns of the log."""
    for k in range(begin, begin + count):
        if sim.maneuver is None:
            sim.command(throttle=0.4, steering=0.2 * np.sin(k))
        sim.advance(0.05)
    return columns(sim)


def columns(sim: jounce.Simulation) -> dict[str, Any]:
    return {name: values.tobytes() for name, values in sim.log.items()}


def differing(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    assert one.keys() == other.keys()
    return [name for name in one if one[name] != other[name]]


@pytest.fixture(scope="module", params=SESSIONS)
def saved(request: pytest.FixtureRequest) -> Iterator[tuple[jounce.Simulation, Any, dict[str, Any]]]:
    """A simulation, its state after half a second, and what it logs if it goes on."""
    sim = jounce.Simulation(**SESSIONS[request.param])
    drive(sim, 0, 10)
    state = sim.save()
    yield sim, state, drive(sim, 10, 10)
    sim.close()


def test_a_restored_run_is_the_uninterrupted_one(saved: Any) -> None:
    sim, state, expected = saved
    sim.restore(state)
    assert sim.time == state.time == 0.5 and sim.save() == state
    assert differing(drive(sim, 10, 10), expected) == []
    sim.reset()
    drive(sim, 3, 4)
    sim.reset()
    sim.reset()
    sim.restore(state)
    assert differing(drive(sim, 10, 10), expected) == []


def test_a_copy_goes_its_own_way(saved: Any) -> None:
    sim, state, expected = saved
    sim.restore(state)
    other = sim.copy()
    assert other.save() == state
    drive(sim, 70, 2)
    assert differing(drive(other, 10, 10), expected) == []
    assert sim.time == 0.6 and other.time == 1.0 and other.save() != state
    other.close()


def test_a_pickle_goes_on(saved: Any) -> None:
    sim, state, expected = saved
    sim.restore(state)
    other = pickle.loads(pickle.dumps(sim))
    assert differing(drive(other, 10, 10), expected) == []
    sim.restore(pickle.loads(pickle.dumps(state)))
    assert differing(drive(sim, 10, 10), expected) == []
    other.close()


def test_a_pickle_goes_on_in_another_process() -> None:
    sim = jounce.Simulation("hmmwv", "flat_soil", platform=None, sensors=["imu"])
    sim.command(throttle=0.5, steering=0.1)
    sim.advance(0.4)
    pickled = pickle.dumps(sim)
    sim.advance(0.4)
    ended = subprocess.run([sys.executable, "-c", LATER], input=pickled, capture_output=True, check=True, cwd=Path(__file__).parents[2])
    there = pickle.loads(ended.stdout)
    assert [name for name in sim.log if sim.log[name].tobytes() != there[name].tobytes()] == []


def test_added_objects_vehicles_and_faults_are_part_of_the_state() -> None:
    sim = jounce.Simulation("hmmwv", "flat", platform=None)
    sim.command(throttle=0.5)
    empty = sim.save()
    box = {"name": "box", "shape": "box", "size": [1.0, 1.0, 1.0], "position": [5.0, 0.0]}
    sim.add_object(box)
    sim.add_vehicle(LEAD | {"position": [0.0, 8.0]})
    sim.fault("puncture", wheel="FL", start_s=0.7)
    sim.advance(0.5)
    state = sim.save()
    sim.advance(2.0)
    expected = columns(sim)
    assert sim.collisions
    sim.restore(empty)
    assert not sim.objects and not sim.others
    sim.restore(state)
    assert len(sim.objects) > 1 and "lead" in sim.others
    sim.advance(2.0)
    assert differing(columns(sim), expected) == []


class Weaver:
    """Driver with a memory."""

    def __init__(self) -> None:
        self.calls = 0

    def read(self, t: float, readout: Any, command: Any) -> None:
        """Steer by the number of calls."""
        self.calls += 1
        command[0]["selector"], command[0]["throttle"], command[0]["steering"] = 1, 0.5, 0.2 * np.sin(0.05 * self.calls)


def test_the_memory_of_a_driver_is_part_of_the_state_but_not_of_a_reset() -> None:
    driver = Weaver()
    sim = jounce.Simulation("hmmwv", "flat", platform=None, driver=driver)
    sim.advance(0.5)
    state, other = sim.save(), copy.deepcopy(sim)
    sim.advance(0.5)
    expected = columns(sim)
    assert driver.calls == 100
    other.advance(0.5)
    assert driver.calls == 100 and differing(columns(other), expected) == []
    sim.restore(state)
    assert driver.calls == 50
    for _ in range(4):
        sim.reset()
    assert driver.calls == 50


def test_what_cannot_be_saved_names_itself() -> None:
    class Writer(Weaver):
        def __init__(self, stream: Any) -> None:
            super().__init__()
            self.stream = stream

    with Path(__file__).open() as stream:
        sim = jounce.Simulation("hmmwv", "flat", platform=None, driver=Writer(stream))
        with pytest.raises(jounce.JounceError, match=r"Writer\.stream.*cannot be saved"):
            sim.save()
        for _ in range(3):
            sim.reset()
        sim.advance(0.1)


def test_a_state_of_another_simulation_is_refused() -> None:
    one, other = jounce.Simulation("hmmwv", "flat", platform=None), jounce.Simulation("sedan", "flat", platform=None)
    with pytest.raises(jounce.JounceError, match="same arguments"):
        one.restore(other.save())
    assert one.save() != other.save()
    with pytest.raises(jounce.JounceError):
        one.restore("state")  # type: ignore[arg-type]


@pytest.mark.parametrize("session", ["road", "platform", "soil", "trailer", "faults"])
def test_repeated_resets_give_the_bits_of_a_new_simulation(session: str) -> None:
    places: list[dict[str, Any]] = [{}, {}, {"at": (3.0, 1.0, 0.3)}, {"at": (3.0, 1.0, 0.3), "speed": 5.0}, {}, {}, {}]
    sim = jounce.Simulation(**SESSIONS[session])
    for place in places:
        sim.reset(**place)
        got = drive(sim, 1, 5)
        fresh = jounce.Simulation(**SESSIONS[session])
        if place:
            fresh.reset(**place)
        assert differing(got, drive(fresh, 1, 5)) == [], place


def test_a_reset_with_changes_is_a_simulation_with_them() -> None:
    sim = jounce.Simulation("hmmwv", "flat", platform=None, changes={"vehicle.chassis.mass": 2300})
    first, friction = drive(sim, 0, 4), float(sim.ground.soil(0.0, 0.0)["friction"])
    heavy = {"vehicle.chassis.mass": 2900, "soils.asphalt.friction": 0.4}
    for _ in range(3):
        sim.reset(changes=heavy)
        expected = drive(jounce.Simulation("hmmwv", "flat", platform=None, changes=heavy), 0, 4)
        assert differing(drive(sim, 0, 4), expected) == []
        sim.reset(changes={"vehicle.chassis.mass": 2300, "soils.asphalt.friction": friction})
    state = sim.save()
    assert differing(drive(sim, 0, 4), first) == []
    with pytest.raises(jounce.ConfigError, match="mass"):
        sim.reset(changes={"vehicle.chassis.mass": -1})
    sim.restore(state)
    assert differing(drive(sim, 0, 4), first) == []


def test_a_seed_of_a_reset_is_that_of_the_session() -> None:
    noisy = {"vehicle": "hmmwv", "terrain": "flat", "platform": None, "sensors": ["gnss"]}
    sim = jounce.Simulation(**noisy)
    sim.reset(seed=5)
    got = drive(sim, 0, 25)
    assert differing(got, drive(jounce.Simulation(**noisy, changes={"seed": 5}), 0, 25)) == []
    sim.reset(seed=6)
    assert all(name.startswith("gnss_") for name in differing(got, drive(sim, 0, 25)))
    assert "gnss_latitude_deg" in differing(got, columns(sim))
