"""Are wrong calls of a fleet refused with one line, before a vehicle changes?"""

from __future__ import annotations

import numpy as np
import pytest

from simulator.base.errors import JounceError
from simulator.fleet.fleet import Fleet

MASS = "vehicle.chassis.mass"


WRONG = {
    "observation p_WB_q": {"n": 1, "observations": ["p_WB_q"]},
    "n: 0": {"n": 0},
    "substeps: 0": {"n": 1, "substeps": 0},
    "n: 1000000000; expected a whole number from 1 to 1000000": {"n": 10**9},
    "step: 0.0; expected a finite number above 0 s": {"n": 1, "step": 0.0},
    "step: nan": {"n": 1, "step": float("nan")},
    "step.*expected a shorter step": {"n": 1, "step": 0.05},
    "seed: -3": {"n": 1, "seed": -3},
    "threads: -1": {"n": 1, "threads": -1},
}


@pytest.mark.parametrize("message", WRONG)
def test_wrong_arguments_are_refused(message):
    with pytest.raises(JounceError, match=message):
        Fleet("hmmwv", **WRONG[message])


WRONG_CALLS = {
    "mask: int64": lambda fleet: fleet.reset([1, 0]),
    "snapshot 3: no such snapshot; none is saved": lambda fleet: fleet.restore(np.ones(2, bool), 3),
    "snapshots: float64 of shape": lambda fleet: fleet.restore(np.ones(2, bool), [0.0, 1.0]),
    r"snapshots: int64 of shape \(3,\)": lambda fleet: fleet.restore(np.ones(2, bool), [0, 0, 0]),
    "vehicle 2: no such vehicle": lambda fleet: fleet.save(2),
    r"poses: .* expected numbers of shape \(2, 3\) or \(3,\)": lambda fleet: fleet.reset(poses=[0.0] * 4),
    "vehicle 0: y nan; expected a number from -1e.06 to 1e.06": lambda fleet: fleet.reset(poses=[0.0, np.nan, 0.0]),
    "speed: .*expected numbers of shape": lambda fleet: fleet.reset(speed=[1.0, 2.0, 3.0]),
    "vehicle 1: .*invalid start speed -1": lambda fleet: fleet.reset(speed=[1.0, -1.0]),
    "no parameter of a fleet; .*hint: vehicle.chassis.mass": lambda fleet: fleet.reset(changes={"chassis.mass": 2000}),
    "vehicle.chassis.mas: unknown key.*did you mean mass": lambda fleet: fleet.reset(changes={"vehicle.chassis.mas": 2000}),
    "vehicle.chassis.mass.*got -5": lambda fleet: fleet.reset(changes={MASS: [2000, -5]}),
    "vehicle.chassis.mass.*got nan": lambda fleet: fleet.reset(changes={MASS: [2000, np.nan]}),
    "vehicle.chassis.mass: 3 values; expected one value, 2 values or a distribution": lambda fleet: fleet.reset(changes={MASS: [1, 2, 3]}),
    "vehicle.chassis.mass.distribution": lambda fleet: fleet.reset(changes={MASS: {"distribution": "flat", "from": 1, "to": 2}}),
    "another shape": lambda fleet: fleet.reset(changes={"terrain.gravity": [9.81, 1.62]}),
    "other axles": lambda fleet: fleet.reset(changes={"vehicle": ["hmmwv", "hmmwv_abs"]}),
    "soils.dry_sand.*expected a soil of this ground": lambda fleet: fleet.reset(changes={"soils.dry_sand.friction": 0.5}),
    "changes: vehicle.: no parameter of a fleet": lambda fleet: fleet.reset(changes={"vehicle.": 1}),
    r"vehicle.chassis.mass.*got \[1\]": lambda fleet: fleet.reset(changes={MASS: [[1], [2, 3]]}),
    "vehicle 1: x 2e.06; expected a number from": lambda fleet: fleet.reset(poses=[[0, 0, 0], [2e6, 0, 0]]),
    "vehicle 0: speed 400; expected a number from -300 to 300": lambda fleet: fleet.reset(speed=400.0),
    "parameter vehicle.x: no changed key of vehicle 0; expected none": lambda fleet: fleet.parameter("vehicle.x"),
    "seed: -1": lambda fleet: fleet.reset(seed=-1),
}


@pytest.fixture(scope="module")
def pair():
    return Fleet("hmmwv", n=2, substeps=10)


@pytest.mark.parametrize("message", WRONG_CALLS)
def test_a_wrong_call_gives_one_line_and_changes_no_vehicle(message, pair):
    before, sets = pair._memory.bytes[:2].copy(), pair._parameters.tolist()
    with pytest.raises(JounceError, match=message) as error:
        WRONG_CALLS[message](pair)
    assert "\n" not in str(error.value)
    assert (pair._memory.bytes[:2] == before).all() and pair._parameters.tolist() == sets


WRONG_COMMANDS = {"throttle": np.nan, "brake": 1.01, "selector": 7, "gear": 99, "drawbar": np.inf, "steering": -2.0}


@pytest.mark.parametrize("part", WRONG_COMMANDS)
def test_a_wrong_command_is_refused_before_a_vehicle_moves(part, pair):
    before = pair._memory.bytes[:2].copy()
    pair.reset()
    pair.commands[part][1] = WRONG_COMMANDS[part]
    with pytest.raises(JounceError, match=f"commands: vehicle 1: {part} .*; expected a number from"):
        pair.step()
    pair.reset()
    assert (pair._memory.bytes[:2] == before).all()


def test_objects_that_a_vehicle_would_move_are_refused():
    with pytest.raises(
        JounceError, match=r"terrain obstacles: object .*: it breaks off or leaves its path; expected objects that no vehicle moves"
    ):
        Fleet("hmmwv", "obstacles", n=1)
