"""Can drivers take over from each other during a drive without a step, and does a rerun repeat it to the same bits?"""

from __future__ import annotations

import numpy as np
import pytest
from test_failing_parts import Drive
from test_rerun_with_events import again, events_in, script

from simulator.autonomy import goal_driver
from simulator.autonomy.stage import Stage
from simulator.base.records import record
from simulator.driver.hand_over import HandOver, TakeoverWatch
from simulator.driver.input_devices import human_driver
from simulator.driver.input_devices.contract import CONTRACT, InputSourceKind
from simulator.driver.input_devices.kinds import INPUT_SOURCE_KINDS, register
from simulator.run.rerun import differences
from vehicles.command import COMMAND
from vehicles.readout import READOUT

ASKED, MOVES, BACK, BRAKES, END = 2.0, 2.6, 4.0, 6.0, 8.0
"""s of the drive."""
LARGEST_STEP = 0.06
"""1 per row of 10 ms: larger than the movement by which a person takes over, and than what a transition adds."""


class Hands:
    """Person who moves the wheel when asked to, lets it go, and brakes unasked."""

    def __init__(self, *_):
        self.used, self.connected, self.events = False, True, []

    def read(self, t, speed, out):
        c = out[0]
        c["selector"], self.used = 1, MOVES < t < BACK or t > BRAKES
        turned = np.interp(t, [MOVES, MOVES + 0.5, BACK, BACK + 0.3], [0.0, 0.1, 0.1, 0.0])
        c["steering"], c["throttle"] = turned, 0.25 * (MOVES < t < BACK)
        c["brake"] = np.interp(t, [BRAKES, BRAKES + 0.4], [0.0, 0.6])


@pytest.fixture
def drive(tmp_path, monkeypatch):
    if "hands_for_takeover" not in INPUT_SOURCE_KINDS.names():
        register(InputSourceKind("hands_for_takeover", Hands, CONTRACT))
    # read in the thread of the ticks, as keyboard and wheel are: the drive does not wait, and would overtake a thread of a plugin
    monkeypatch.setattr(human_driver, "make_source", lambda kind, context, said, builtin: kind.make(context, said))
    drive = Drive(tmp_path, monkeypatch, seconds=60.0)
    drive.change("takeover", ["hands_for_takeover"])
    return drive


def test_a_person_takes_over_when_asked_and_by_braking_and_hands_back(drive, tmp_path):
    drive.host.options.script = script((ASKED, "driver", "person"), (BACK, "driver", None), (END, "quit", None))
    assert drive.run() == 0, drive.lines
    columns, repeated = again(drive, tmp_path)
    driver = columns["driver"]
    rows = np.flatnonzero(np.diff(driver))
    changes = rows / 100.0
    assert len(changes) == 3
    assert MOVES < changes[0] < MOVES + 0.5, "not before a control moves"
    assert changes[1] == pytest.approx(BACK, abs=0.02)
    assert BRAKES < changes[2] < BRAKES + 0.5
    for name in ("steering", "throttle", "brake"):
        steps = np.abs(np.diff(columns[f"command_{name}"]))
        assert max(steps[row : row + 100].max() for row in rows) < LARGEST_STEP, name
    assert set(columns["command_selector"][10:].tolist()) == {1}
    assert columns["v_WB_B_x"][-1] < columns["v_WB_B_x"][round(100 * BRAKES)] - 5.0, "the person brakes"
    events = [(event.kind, event.value, str(event.origin)) for event in events_in(drive.folder)]
    assert events == [
        ("driver_asked", "person", "script"),
        ("driver", "person", "device"),
        ("driver", "scripted", "script"),
        ("driver", "person", "device"),
        ("quit", None, "script"),
    ]
    assert differences(columns, repeated) == []
    assert events_in(drive.folder) == events_in(tmp_path / "again")


def command(**values):
    out = record(COMMAND)
    for name, value in values.items():
        out[0][name] = value
    return out


def test_a_transition_begins_with_the_old_command_and_ends_with_the_new_one():
    readout = record(READOUT)
    readout[0]["v_WB_B"][0] = 10.0
    change = HandOver(command(steering=0.4, throttle=0.6, selector=1, low_range=1), readout)
    rows = []
    for n in range(120):
        new = command(steering=-0.2, brake=0.3, selector=-1)
        readout[0]["v_WB_B"][0] = max(0.0, 10.0 - 0.1 * n)
        change.apply(5.0 + 0.01 * n, readout, new)
        rows.append(new[0].copy())
    steering, throttle, brake = (np.array([row[name] for row in rows]) for name in ("steering", "throttle", "brake"))
    assert (steering[0], steering[-1]) == pytest.approx((0.4, -0.2)) and np.abs(np.diff(steering)).max() < 0.007
    assert (throttle[0], throttle[45]) == (0.6, 0.0) and np.abs(np.diff(throttle)).max() < 0.016
    assert (brake[0], brake[45]) == (0.0, 0.3), "the selector is against the direction of travel: the vehicle brakes"
    assert {int(row["selector"]) for row in rows[:80]} == {1} and rows[-1]["selector"] == -1
    assert rows[50]["low_range"] == 1 and rows[-1]["low_range"] == 0 and change.over(6.2)


@pytest.mark.parametrize(
    ("first", "second", "asked", "moves"),
    [
        ({}, {"steering": 0.06}, False, True),
        ({}, {"steering": 0.04}, False, False),
        ({}, {"steering": 0.04}, True, True),
        ({}, {"throttle": 0.9}, False, False),
        ({}, {"throttle": 0.1}, True, True),
        ({}, {"brake": 0.1}, False, True),
        ({"steering": 0.5, "brake": 0.8}, {}, False, False),  # they let go
        ({"steering": 0.5}, {"steering": 0.6}, False, True),
        ({"steering": 0.02}, {"steering": -0.06}, False, True),
    ],
)
def test_a_movement_of_a_control_takes_over(first, second, asked, moves):
    watch = TakeoverWatch()
    assert not watch.moved(command(**first), asked)
    assert watch.moved(command(**second), asked) is moves


def test_a_driver_who_is_not_there_is_refused(drive):
    refused = []
    drive.host.events._refused = lambda event, reason: refused.append(reason)
    drive.host.options.script = script((0.5, "driver", "planner"), (1.0, "quit", None))
    assert drive.run() == 0
    assert refused == ["event: driver: invalid value; expected a driver of this drive: scripted, person; got 'planner'"]
    assert [event.kind for event in events_in(drive.folder)] == ["quit"]


def test_a_safety_driver_takes_over_from_a_planner_and_hands_back(drive, tmp_path, monkeypatch):
    # the drive does not wait for the clock: it waits for mapper and planner instead
    monkeypatch.setattr(goal_driver, "Stage", lambda *given, **words: Stage(*given, **{**words, "in_thread": False, "paced": False}))
    drive.change("maneuver", None)
    drive.change("terrain", "flat")
    drive.change("driver", {"type": "planner", "goal": {"position_m": [200, 0]}, "planner": {"type": "arc", "speed_mps": 6}})
    drive.host.options.script = script((BACK + 0.5, "driver", "planner"), (BRAKES + 2.0, "driver", "planner"), (15.0, "quit", None))
    drive.run()
    columns, repeated = again(drive, tmp_path)
    at = np.flatnonzero(np.diff(columns["driver"])) / 100.0
    assert len(at) == 4 and MOVES < at[0] < MOVES + 0.6, "by steering"
    assert BRAKES < at[2] < BRAKES + 0.5, "by braking"
    assert at[1::2] == pytest.approx([BACK + 0.5, BRAKES + 2.0], abs=0.02)
    before, braked, last = (columns["v_WB_B_x"][round(100 * t)] for t in (BRAKES, BRAKES + 2.0, 14.9))
    assert before > 2.5 and braked < 0.5 * before and last > braked + 0.5
    steps = {name: np.abs(np.diff(columns[f"command_{name}"])) for name in ("steering", "throttle", "brake")}
    assert max(step[round(100 * t) : round(100 * t) + 3].max() for step in steps.values() for t in at) < LARGEST_STEP
    assert all(name.startswith("planner_") for name in differences(columns, repeated)), "the planner is repeated by its commands"
    assert columns["command_steering"].tobytes() == repeated["command_steering"].tobytes()
