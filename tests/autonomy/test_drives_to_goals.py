"""Does a vehicle reach its goal around obstacles, with the same bits each time, and does every failure end with its outcome, at rest?"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simulator.api.simulation import Simulation
from simulator.autonomy.contract import CONTRACT, Blocked, Goal, ObstacleMap, Plan, PlanError, PlannerInput, PlannerKind, PlannerSettings
from simulator.autonomy.goal_section import Endings
from simulator.autonomy.outcome import OUTCOMES, Judge, Outcome, outcome_of
from simulator.autonomy.planners.arc import KIND as ARC
from simulator.autonomy.planners.kinds import register
from simulator.autonomy.result_checks import checked_map, checked_plan
from simulator.base.errors import ConfigError, JounceError
from simulator.base.fields import read
from simulator.base.records import record
from simulator.builder.builder import build_maneuver
from simulator.maneuvers.maneuver_file import load_maneuver
from simulator.sensors.contract import SensorInput, SensorSettings
from simulator.sensors.kinds import SENSOR_KINDS
from simulator.sensors.kinds import register as register_sensor
from simulator.sensors.lidar.sensor import KIND as LIDAR
from vehicles.readout import READOUT

WALL = {"shape": "box", "size": [0.5, 14, 2], "position": [16, 3], "label": "building", "name": "wall"}
FAILS_AT = 2.0


def drive(objects: list[dict] | None = None, goal: tuple[float, float] = (30.0, 0.0), **changes: Any) -> Simulation:
    """Return a finished drive of the HMMWV over a plane."""
    keys = {"maneuver.goal": {"position_m": list(goal)}, "maneuver.duration_s": 30, **changes}
    if objects:
        keys["maneuver.objects"] = objects
    sim = Simulation(maneuver="goal_obstacles", terrain="flat", changes=keys)
    sim.run()
    return sim


def outcome(sim: Simulation) -> Outcome:
    found = outcome_of(sim._session.driver)
    assert found is not None
    return found


@pytest.mark.parametrize("planner", ["arc", "a_star", "hybrid_a_star", "mppi"])
def test_the_goal_behind_a_wall_is_reached_without_a_touch_and_with_the_same_bits(planner: str) -> None:
    first, second = (drive([WALL], **{"maneuver.planner": planner}) for _ in range(2))
    assert outcome(first).word == "reached" and not first.collisions
    log = first.log
    assert math.hypot(first["p_WB_x"] - 30.0, first["p_WB_y"]) <= 3.0
    assert np.nanmin(log["planner_clearance"]) > 0.2
    for name in ("p_WB_x", "p_WB_y", "yaw", "steering", "planner_clearance", "planner_plan"):
        np.testing.assert_array_equal(log[name], second.log[name])


def test_the_metrics_tell_the_way_and_its_efficiency() -> None:
    sim = Simulation(maneuver="goal_obstacles", terrain="flat", changes={"maneuver.goal": {"position_m": [30, 0]}})
    metrics = sim.run().metrics
    assert metrics["reached"] == 1.0 and metrics["way_driven_m"] == pytest.approx(27.0, abs=0.6)
    assert metrics["way_shortest_m"] == pytest.approx(27.0, abs=0.8) and metrics["spl"] == pytest.approx(1.0, abs=0.03)
    assert metrics["goal_time_s"] == pytest.approx(sim.time, abs=0.03) and metrics["engine_energy"] > 1e4


def failing(name: str, result: Callable[[PlannerInput], Any]) -> None:
    """Register a planner that plans arcs, and from FAILS_AT on returns another result."""

    class Failing:
        def __init__(self, settings: PlannerSettings) -> None:
            self._arcs = ARC.make(replace(settings, values=read(ARC.parameters, {}, "test")))

        def plan(self, seen: PlannerInput) -> Plan | Blocked:
            return result(seen) if seen.time >= FAILS_AT else self._arcs.plan(seen)

    register(PlannerKind(name, Failing, CONTRACT, meaning="fails"))


def raising(seen: PlannerInput) -> Plan:
    raise ValueError("no memory of the way")


class Evil(Plan):
    """Plan that raises when it is read."""

    def __getattribute__(self, name: str) -> Any:
        if name == "headings":
            raise RuntimeError("read me")
        return super().__getattribute__(name)


POINTS = np.column_stack((np.arange(5.0), np.zeros(5)))
FAILURES: dict[str, tuple[Callable[[PlannerInput], Any], str]] = {
    "raises": (raising, "ValueError: no memory of the way"),
    "nan": (lambda seen: Plan(POINTS * math.nan, np.zeros(5), np.ones(5)), "not finite"),
    "empty": (lambda seen: Plan(np.zeros((0, 2)), np.zeros(0), np.zeros(0)), "2 to 100000 points; got 0"),
    "outside": (lambda seen: Plan(POINTS * 1e3, np.zeros(5), np.ones(5)), "outside the map"),
    "none": (lambda seen: None, "got NoneType"),
    "texts": (lambda seen: Plan(np.full((5, 2), "a"), np.zeros(5), np.ones(5)), "points: expected numbers"),
    "ragged": (lambda seen: Plan([[0.0], [1.0, 2.0]], np.zeros(2), np.ones(2)), "points: expected numbers"),  # type: ignore[arg-type]
    "candidates": (lambda seen: Plan(POINTS, np.zeros(5), np.ones(5), candidates=None), "candidates"),  # type: ignore[arg-type]
    "long": (lambda seen: Plan(POINTS * (1.0, 0.0) * 3.0, np.zeros(5), np.ones(5)), "3 m apart"),
    "property": (lambda seen: Evil(POINTS, np.zeros(5), np.ones(5)), "invalid result: RuntimeError: read me"),
    "hangs": (lambda seen: time.sleep(4.0), "no result within 1 s"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_planner_that_fails_ends_the_drive_at_rest_with_the_reason(name: str) -> None:
    result, words = FAILURES[name]
    failing(f"failing_{name}", result)
    sim = drive(**{"maneuver.planner": f"failing_{name}"})
    found = outcome(sim)
    assert found.word == "error" and f"planner failing_{name}" in found.reason and words in found.reason
    assert abs(sim["v_WB_B_x"]) < 0.05 and FAILS_AT < sim.time < FAILS_AT + 4.0
    log = sim.log
    late = log["time"] > FAILS_AT + 0.5
    assert np.abs(log["a_WG_B_x"]).max() < 6.0 and (log["planner_state"][late] == 5).all()  # brakes within its limits


def test_a_plan_that_its_planner_changes_later_stays_as_it_was() -> None:
    kept: list[Plan] = []

    class Changing:
        def __init__(self, settings: PlannerSettings) -> None:
            self._arcs = ARC.make(replace(settings, values=read(ARC.parameters, {}, "test")))

        def plan(self, seen: PlannerInput) -> Plan | Blocked:
            for plan in kept:
                plan.points[:] = plan.speeds[:] = math.nan
            if seen.previous is not None:
                with pytest.raises(ValueError, match="read-only"):
                    seen.previous.points[:] = math.nan
            found = self._arcs.plan(seen)
            kept.extend([found] if isinstance(found, Plan) else [])
            return found

    register(PlannerKind("changing", Changing, CONTRACT, meaning="changes its plans"))
    sim = drive(**{"maneuver.planner": "changing"})
    assert outcome(sim).word == "reached" and len(kept) > 5


@pytest.mark.parametrize(
    ("layer", "content", "words"),
    [
        ("state", 7, "expected a state"),
        ("state", "free", "expected a state"),
        ("elevation", math.inf, "elevation is infinite"),
        ("cost", "a", "cost: expected numbers"),
        ("time", "now", "time: expected numbers"),
        ("origin", None, "origin: expected numbers"),
        ("cell", 0.0, "positive size"),
    ],
)
def test_a_map_with_impossible_contents_is_refused(layer: str, content: Any, words: str) -> None:
    shape = (4, 5)
    good = ObstacleMap(0.0, (0.0, 0.0), 0.5, *(np.zeros(shape) for _ in range(6)), np.zeros(shape, np.uint8))
    assert checked_map(good).shape == shape
    bad = content if layer in ("time", "origin", "cell") else np.full(shape, content)
    with pytest.raises(PlanError, match=words):
        checked_map(replace(good, **{layer: bad}))


def test_a_reason_of_any_characters_is_one_line_of_text() -> None:
    for reason in ("one\ntwo", "\ud800", None, 5, "x" * 10_000):
        found = checked_plan(Blocked(reason), None)  # type: ignore[arg-type]
        assert isinstance(found, Blocked) and found.reason.isprintable() and len(found.reason) <= 300
        found.reason.encode()


def test_a_vehicle_that_comes_no_closer_to_a_goal_without_a_way_is_stuck() -> None:
    judges = [Judge(Goal(50.0, 0.0, 3.0), Endings(), has_way=has_way) for has_way in (True, False)]
    readout, words = record(READOUT), [None, None]
    for n in range(900):  # circles of 20 m radius at 5 m/s
        readout[0]["p_WB"][:2] = 20.0 * math.cos(0.025 * n), 20.0 * math.sin(0.025 * n)
        readout[0]["v_WB_B"][0] = 5.0
        found = [judge.outcome(0.1 * n, readout, [], "") for judge in judges]
        words = [word or (one and one.word) for word, one in zip(words, found, strict=True)]
    assert words == [None, "stuck"]


@pytest.mark.parametrize("vehicle", ["hmmwv", "sedan"])
@pytest.mark.parametrize(
    "planner", ["a_star", "arc", {"type": "arc", "guidance": "goal"}, "hybrid_a_star", {"type": "hybrid_a_star", "reverse": False}], ids=str
)
def test_a_goal_within_the_turning_circle_is_reached(planner: Any, vehicle: str) -> None:
    for goal in ((0.0, 5.0), (-5.7, -5.7), (0.0, 8.0)):
        keys = {"maneuver.planner": planner, "maneuver.goal": {"position_m": list(goal), "radius_m": 1}, "maneuver.vehicle": vehicle}
        sim = drive(**keys, **{"maneuver.duration_s": 60})
        assert outcome(sim).word == "reached" and sim.log["planner_stuck"].max() == 0
        assert np.hypot(*np.diff([sim.log["p_WB_x"], sim.log["p_WB_y"]])).sum() < 80.0  # 1.5 full turns at most


def test_a_vehicle_that_its_planner_drives_in_circles_is_stuck() -> None:
    told: list[int] = []

    class Turning:
        def __init__(self, settings: PlannerSettings) -> None:
            pass

        def plan(self, seen: PlannerInput) -> Plan:
            told.append(seen.stuck)
            bearing = math.atan2(seen.pose.y - seen.goal.y, seen.pose.x - seen.goal.x) + 0.05 * np.arange(60.0)
            points = np.array(seen.goal[:2]) + 9.0 * np.column_stack((np.cos(bearing), np.sin(bearing)))
            return Plan(points, bearing + 0.5 * math.pi, np.full(60, 4.0))

    register(PlannerKind("turning", Turning, CONTRACT, meaning="turns left"))
    goal = {"position_m": [0.0, 9.0], "radius_m": 1}
    sim = drive(**{"maneuver.planner": "turning", "maneuver.goal": goal, "maneuver.duration_s": 60})
    found = outcome(sim)
    assert found.word == "stuck" and "drives in circles" in found.reason and max(told) >= 1
    assert 2.0 * math.tau < np.ptp(np.unwrap(sim.log["yaw"])) < 3.5 * math.tau


def test_turns_on_a_ramp_and_turns_that_lead_elsewhere_are_no_circles() -> None:
    def word(rise: float, drift: float, swing: bool = False) -> str | None:
        one = Judge(Goal(500.0, 0.0, 3.0), Endings())
        for n in range(1600):
            yaw = 0.05 * n if not swing else 4.0 * math.sin(0.02 * n)
            turns = yaw / math.tau
            place = -drift * turns + 12.0 * math.sin(yaw), -12.0 * math.cos(yaw), rise * turns
            found = one.outcome(0.05 * n, readout(p_WB=place, yaw=yaw, v_WB_B=(12.0, 0.0, 0.0)), [], "")
            if found is not None:
                return found.word
        return None

    assert word(0.0, 0.0) == "stuck" and word(0.2, 3.0) == "stuck"
    assert word(3.0, 0.0) is None and word(0.0, 20.0) is None and word(0.0, 0.0, swing=True) is None


def test_a_blocked_way_is_noticed_answered_and_reported() -> None:
    box = [
        {"shape": "box", "size": size, "position": place, "label": "building", "name": name}
        for name, size, place in (
            ("front", [0.5, 12, 2], [9, 0]),
            ("back", [0.5, 12, 2], [-9, 0]),
            ("left", [18, 0.5, 2], [0, 6]),
            ("right", [18, 0.5, 2], [0, -6]),
        )
    ]
    sim = drive(box, **{"maneuver.endings": {"stuck_time_s": 8}})
    assert outcome(sim).word == "stuck" and "no way to the goal" in outcome(sim).reason
    assert sim.log["planner_stuck"].max() >= 1 and not sim.collisions


@pytest.mark.parametrize(
    ("size", "position", "words"),
    [
        ([8, 8, 2], [30, 0], "the goal is inside object wall"),
        ([20, 20, 12], [34, 4], "the goal is inside object wall"),  # the goal is below its roof
        ([8, 0.5, 2], [30, 0.6], "the goal is closer to object wall than the vehicle can come"),
    ],
)
def test_a_goal_that_objects_obstruct_ends_the_drive_at_once(size: list[float], position: list[float], words: str) -> None:
    goal = {"position_m": [30, 0], "radius_m": 3 if max(size) > 8 or size[1] == 8 else 0.5}
    sim = drive([{**WALL, "size": size, "position": position}], **{"maneuver.goal": goal})
    assert outcome(sim) == Outcome("stuck", words)
    assert sim.time < 0.1 and math.isnan(sim.log["planner_shortest"][0])


def test_a_goal_with_a_thin_post_in_its_middle_is_reached() -> None:
    post = {"shape": "cylinder", "radius": 0.1, "height": 2, "position": [30, 0], "label": "post", "name": "post"}
    assert outcome(drive([post])).word == "reached"


def test_a_goal_beyond_the_height_map_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"goal.position.*a place on the height map"):
        Simulation(maneuver="goal_obstacles", terrain="jacksboro", changes={"maneuver.goal": {"position_m": [90_000, 0]}})


def test_a_goal_outside_the_map_of_the_planner_is_reached() -> None:
    sim = drive(goal=(60.0, 0.0), **{"maneuver.mapper": {"type": "truth", "extent_m": 40}})
    assert outcome(sim).word == "reached"


class FailingLidar:
    """Lidar that raises from FAILS_AT on."""

    def __init__(self, settings: SensorSettings) -> None:
        self._lidar = LIDAR.make(settings)

    def step(self, seen: SensorInput, out: Any) -> Any:
        if seen.time >= FAILS_AT:
            raise ValueError("the motor stands still")
        return self._lidar.step(seen, out)


@pytest.mark.parametrize(
    ("keys", "words"), [({"type": "failing_lidar"}, "the motor stands still"), ({"min_range": 0.0, "max_range": 0.5}, "no returns for")]
)
def test_a_lidar_that_fails_ends_the_drive_at_rest_with_the_reason(keys: dict[str, Any], words: str) -> None:
    if "failing_lidar" not in SENSOR_KINDS.names():
        register_sensor(replace(LIDAR, name="failing_lidar", make=FailingLidar, in_thread=False))
    sensor = {"type": "lidar", "name": "roof", "mount": {"position": [0, 0, 1.6]}, **keys}
    changes = {"maneuver.goal": {"position_m": [60, 0]}, "maneuver.mapper": {"type": "lidar", "sensor": "roof"}}
    sim = Simulation(maneuver="goal_obstacles", terrain="flat", sensors=[sensor], changes=changes)
    if "type" in keys:
        with pytest.raises(JounceError, match=words):  # that of the sensor; the drive goes on
            sim.run()
        sim.advance(4.0)
    else:
        sim.run()
    assert outcome(sim).word == "error" and "roof" in outcome(sim).reason and words in outcome(sim).reason
    assert abs(sim["v_WB_B_x"]) < 0.1 and sim.time < FAILS_AT + 5.0
    if "type" in keys:
        assert sim.log["v_WB_B_x"].max() > 0.5  # it was driving


def test_time_runs_out() -> None:
    sim = drive(goal=(200.0, 0.0), **{"maneuver.duration_s": 3})
    assert outcome(sim).word == "timeout"


def readout(**values: Any) -> Any:
    out = record(READOUT)
    for name, value in values.items():
        out[0][name] = value
    return out


class Touch:
    name = "post"


def test_the_judge_finds_each_outcome_of_the_motion() -> None:
    def judge(**endings: Any) -> Judge:
        return Judge(Goal(10.0, 0.0, 3.0), replace(Endings(), **endings))

    moving = readout(v_WB_B=(3.0, 0.0, 0.0))
    assert judge().outcome(0.0, moving, [], "") is None
    assert judge().outcome(0.0, readout(p_WB=(7.5, 0.5, 0.0)), [], "") == Outcome("reached")
    one = judge()
    assert one.outcome(0.0, moving, [], "") is None and one.outcome(0.1, moving, [Touch()], "").word == "collision"  # type: ignore[union-attr]
    one = judge(collision=False)
    assert one.outcome(0.0, moving, [], "") is None and one.outcome(0.1, moving, [Touch()], "") is None
    assert judge().outcome(0.0, readout(roll=math.radians(-61.0)), [], "").word == "rolled"  # type: ignore[union-attr]
    one = judge(stuck_time=4.0)
    assert [one.outcome(t, readout(), [], "why") is None for t in (0.0, 3.9, 4.0)] == [True, True, False]
    assert one.outcome(4.0, readout(), [], "why").message.endswith("for 4 s: why")  # type: ignore[union-attr]
    one, t = judge(stuck_time=4.0), 0.0
    while (found := one.outcome(t, readout(p_WB=(3.0 * math.sin(t), 0.0, 0.0), v_WB_B=(3.0, 0.0, 0.0)), [], "")) is None and t < 20.0:
        t += 0.5
    assert found is not None and found.word == "stuck" and t == pytest.approx(8.0)
    one = judge(stuck_time=4.0, stuck_area=0.0)
    assert all(one.outcome(t, readout(p_WB=(0.0, 0.0, 0.0), v_WB_B=(3.0, 0.0, 0.0)), [], "") is None for t in (0.0, 8.0, 60.0))
    above = Judge(Goal(10.0, 0.0, 3.0), Endings(), height=4.0)  # 3.3 m away in space, 2.5 m over ground
    assert above.outcome(0.0, readout(p_WB=(7.5, 0.0, 1.8)), [], "") is None
    assert above.outcome(0.0, readout(p_WB=(7.5, 0.0, 2.5)), [], "") == Outcome("reached")
    assert OUTCOMES == ("reached", "collision", "stuck", "rolled", "timeout", "error")


def test_files_with_a_goal_are_checked() -> None:
    good = {"name": "a", "vehicle": "hmmwv", "terrain": "flat", "duration_s": 5, "goal": {"position_m": [5, 0]}, "body": BODY}
    assert load_maneuver(good, "a.yaml").task is not None
    for wrong, words in (
        ({"speed": [{"speed_mps": 3, "acceleration_mps2": 1, "at_s": 0}]}, "either goal or speed"),
        ({"planner": "no_such"}, "planner"),
        ({"planner": {"type": "arc", "arcs": 1000}}, "arcs"),
        ({"mapper": {"type": "truth", "cell_m": -1}}, "cell"),
        ({"goal": {"position_m": [5]}}, "goal.position"),
        ({"endings": {"stuck_time_s": "long"}}, "stuck_time"),
    ):
        with pytest.raises(ConfigError, match=words):
            load_maneuver({**good, **wrong}, "a.yaml")
    with pytest.raises(JounceError, match="needs ground and vehicle"):
        build_maneuver("goal_obstacles").driver((0.0, 0.0, 0.0))


BODY = {"length_m": 4.5, "width_m": 2.0, "front_m": 2.0}
