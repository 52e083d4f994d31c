"""Driver that drives to a goal: a mapper and a planner at their periods, and a follower of the last plan.

    mapper -> obstacle map -> planner -> plan -> follower -> command

The last plan is followed until the next one is there. A plan that new maps show to be blocked is driven only as far as it is clear. If the
planner says that the way is blocked, the vehicle brakes and waits; if it waits, cannot move or has driven in a circle, the planner is told that
the vehicle is stuck.
If the mapper or the planner fails, the vehicle brakes to rest on its last plan, and the drive ends with the outcome `error`.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from simulator.autonomy.contract import (
    Blocked,
    Goal,
    Mapper,
    MapperInput,
    MapperSettings,
    ObstacleMap,
    Plan,
    PlanError,
    Planner,
    PlannerInput,
    PlannerSettings,
    Pose,
    PoseTable,
)
from simulator.autonomy.distance_map import distances
from simulator.autonomy.goal_section import GoalTask
from simulator.autonomy.guidance import NARROWEST
from simulator.autonomy.lane_way import LaneWay
from simulator.autonomy.mappers.kinds import MAPPER_KINDS
from simulator.autonomy.object_clearance import ObjectClearance
from simulator.autonomy.outcome import ERROR, OUTCOMES, REACHED, STUCK, Judge, Outcome
from simulator.autonomy.path_check import check_path
from simulator.autonomy.plan_follower import MAX_STOP_FACTOR, Course, PlanFollower
from simulator.autonomy.planners.kinds import PLANNER_KINDS
from simulator.autonomy.pose_check import TOUCHES, outline_of
from simulator.autonomy.result_checks import checked_map, checked_plan
from simulator.autonomy.right_of_way import RightOfWay
from simulator.autonomy.shortest_way import shortest_way
from simulator.autonomy.snapshot import Snapshot
from simulator.autonomy.stage import Stage
from simulator.autonomy.vehicle_traits import VehicleTraits, vehicle_traits
from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError, JounceError
from simulator.base.records import Record, record
from simulator.base.registry import making
from simulator.driver.contract import DriverSettings
from simulator.driver.seen_vehicle import SeenVehicle
from simulator.driver.speed import SpeedGains
from simulator.driver.steering.observation import SEEN, notice, sideslip_at
from simulator.sensors.measurement import Measurement
from terrain.ground import Ground
from terrain.objects.object_set import NO_OBJECTS, ObjectSet
from terrain.objects.records import PATH
from terrain.outlines import Outline, outlines
from terrain.roads.route import center_line
from vehicles.readout import READOUT

NO_WAY = "blocked: "
"""Beginning of the reason of a vehicle that waits because the planner has found no path."""
DONE = "done"
"""Value of `GoalDriver.ended` after the goal was reached."""
WAITING, DRIVING, REVERSING, BLOCKED, ENDED, FAILED = range(6)
"""States of the driver."""
PLANNED = (
    # name           shape unit  meaning
    ("state", (), "1", "0 = waits for the first plan, 1 = drives, 2 = drives backward, 3 = blocked, 4 = ended, 5 = failed", "i8"),
    ("plan", (), "1", "number of the plan that is followed, from 1; 0 = none", "i8"),
    ("goal_distance", (), "m", "distance of the reference point from the goal"),
    ("clearance", (), "m", "distance of the outline from the nearest object, seen from above; at most 20 m"),
    ("target_speed", (), "m/s", "target of the speed control"),
    ("stuck", (), "1", "how often the vehicle got stuck since its last progress", "i8"),
    ("outcome", (), "1", f"outcome: {', '.join(f'{n} = {word}' for n, word in enumerate(OUTCOMES))}; -1 = none so far", "i8"),
    ("shortest", (), "m", "length of the shortest way from the start to the goal on the true map; NaN = no way"),
)
"""Log columns; their names begin with planner_."""
NO_MOTION, PUSHING = 0.2, 0.5
"""m/s. A vehicle below the first speed with a target above the second one does not move."""
PATIENCE = 1.5
"""s without motion after which the vehicle is stuck."""
BLOCKED_PATIENCE = 2.0
"""s at rest without a plan after which the vehicle is stuck."""
PROGRESS = 4.0
"""m from the place where the vehicle was stuck after which it is not stuck any more."""
GAP = 0.7
"""m. Distance from an obstacle on the plan at which the vehicle stops."""
CLEARANCE_CALLS = 5
"""Calls between two evaluations of the logged clearance."""
MAP_PERIOD, MAX_MAPS = 2.0, 200
"""s between two maps that are kept for a picture, and their number."""
HISTORY = 200
"""Number of poses, one for each call, that a mapper gets."""
RESUME_DISTANCE = 1.5
"""m. Distance from the last plan up to which a driver who resumes follows the plan."""
LONGEST_STOP = 20.0
"""s. Time after a failure within which the vehicle comes to rest."""


CELL, MAX_CELLS = 0.25, 400
"""m, 1. Side length of a cell, and cells along a side of the checked area, at most."""


def way_of(names: Sequence[str], ground: Ground, vehicle: VehicleTraits) -> LaneWay:
    """Return the way along the lanes from the start of a ground through places and lanes. Raises JounceError."""
    if ground.lanes is None:
        raise ConfigError("maneuver", "goal.route", list(names), f"a terrain with lanes; {ground.name} has none")
    try:
        return LaneWay.of_route(center_line(ground.lanes, ground.spawn, names, ground.places), vehicle)
    except JounceError as error:
        raise JounceError(f"maneuver: goal.route: {error}") from None


def check_on_map(goal: Goal, ground: Ground) -> None:
    """Raise ConfigError for a goal beyond the edge of a height map, where the ground is a mirror image of the map."""
    x0, x1, y0, y1 = ground.bounds
    if ground.p[0]["mirrored"] and not (x0 <= goal.x <= x1 and y0 <= goal.y <= y1):
        place = f"x {goal.x:.6g}, y {goal.y:.6g} m"
        expected = f"a place on the height map: x {x0:g} to {x1:g}, y {y0:g} to {y1:g} m"
        raise ConfigError("maneuver", "goal.position", place, expected)


def obstructed_by(goal: Goal, ground: Ground, vehicle: VehicleTraits) -> str:
    """Return why no place of the goal can be reached because of objects at rest; empty if there is one, or no object."""
    objects = ground.objects
    rows = np.flatnonzero(objects.records["motion"] != PATH) if len(objects) else np.zeros(0, np.int64)
    rows = rows[objects.records["present"][rows] != 0] if len(rows) else rows
    reach = goal.radius + 0.5 * vehicle.width + NARROWEST
    limits, near = vehicle.limits(CELL), []
    for row, one in zip(rows, outlines(objects, rows=rows) if len(rows) else (), strict=True):
        low, high = one.reach()
        meets = (low < np.array((goal.x, goal.y)) + reach).all() and (high > np.array((goal.x, goal.y)) - reach).all()
        base = ground.height(*one.points.mean(axis=0)) if meets else 0.0
        if meets and one.bottom - base < limits.vehicle_height and one.top - base > limits.object_height:
            near.append((int(row), one))
    return _reason(goal, near, [objects.objects[row].name for row, _ in near], vehicle, reach) if near else ""


def _reason(goal: Goal, near: list[tuple[int, Outline]], names: list[str], vehicle: VehicleTraits, reach: float) -> str:
    """Return why no place of the goal is free of these objects; empty if one is."""
    cell = max(CELL, 2.0 * reach / MAX_CELLS)
    count = 2 * math.ceil(reach / cell) + 1
    along = (np.arange(count) - count // 2) * cell
    x, y = np.meshgrid(goal.x + along, goal.y + along)
    solid = np.any([one.covers(x, y, cell) for _, one in near], axis=0)
    free = (distances(solid, cell) >= 0.5 * vehicle.width + NARROWEST) & (np.hypot(x - goal.x, y - goal.y) <= goal.radius)
    if free.any():
        return ""
    inside = [name for name, (_, one) in zip(names, near, strict=True) if one.covers(np.array(goal.x), np.array(goal.y), 1e-6)]
    return f"the goal is inside object {inside[0]}" if inside else f"the goal is closer to object {names[0]} than the vehicle can come"


class GoalDriver:
    """Driver to a goal.

    Parameters
    ----------
    task : goal, mapper, planner and endings
    settings : ground, vehicle and internal model
    pedals, steering : gains of the speed control and steering controller, as of a maneuver

    Attributes
    ----------
    ended : reason of the end of the drive; empty while it goes on, DONE after the goal was reached
    outcome : outcome of the drive; None while it goes on
    map, plan, maps : last map and plan, and maps of the drive, for pictures
    vehicle : traits of the vehicle
    watchers : called with a Snapshot after each new map and plan, and at the end; they must return at once
    """

    label = "planner driver"
    """Name of the driver in messages."""
    overrides_assistance = False
    """Its throttle keeps a speed, and overrides no driver assistance."""
    rests = False
    """True while the vehicle has no goal: it brakes, and the mapper goes on."""

    def __init__(self, task: GoalTask, settings: DriverSettings, pedals: SpeedGains, steering: Mapping[str, Any]) -> None:
        if settings.vehicle is None:
            raise JounceError("a drive to a goal needs the vehicle")
        self.ended = ""
        self.outcome: Outcome | None = None
        self.map: ObstacleMap | None = None
        self.maps: deque[ObstacleMap] = deque(maxlen=MAX_MAPS)
        self.plan: Plan | None = None
        self.watchers: list[Callable[[Snapshot], None]] = []
        self._task, self._traits = task, settings.traits
        reduction = settings.vehicle.low_range_reduction if task.goal.low_range else 1.0
        self.vehicle = vehicle_traits(settings.vehicle.description, settings.vehicle.tires, settings.traits, reduction)
        self._way = way_of(task.route, settings.ground, self.vehicle) if task.route else None
        self._others = None if self._way is None else RightOfWay(self._way, self.vehicle, settings.traits)
        x, y = task.goal_from(settings.ground.spawn) if self._way is None else self._way.points[-1].tolist()
        self.goal = self._planned_for = self._plan_goal = Goal(x, y, float(task.goal.radius))
        check_on_map(self.goal, settings.ground)
        self._obstruction = obstructed_by(self.goal, settings.ground, self.vehicle)
        self._outline, self._clearance = outline_of(self.vehicle), ObjectClearance(self.vehicle, settings.ground)
        self._follower = PlanFollower(self.vehicle, settings.traits, pedals, steering, settings.seed)
        self._objects: ObjectSet = NO_OBJECTS
        self._history: deque[tuple[float, Vector, Vector]] = deque(maxlen=HISTORY)
        self._collisions: Sequence[Any] = ()
        self._reason, self._gives_way = "", False
        self._stop = math.inf
        self._stuck, self._stuck_at = 0, (math.nan, math.nan)
        self._still_since: float | None = None
        self._failed_at: float | None = None
        self._number = self._calls = 0
        self._has_news = False
        self._mapper, self._planner = self._stages(settings)
        self._logged = record(PLANNED)
        self._logged[0]["outcome"], self._logged[0]["clearance"] = -1, math.nan
        start = Pose(*settings.ground.spawn)
        shortest = shortest_way(start, self.goal, settings.ground, self.vehicle) if self._way is None else self._way.left
        self._logged[0]["shortest"] = shortest
        self._judge = Judge(self.goal, task.endings, task.goal.height, has_way=not math.isnan(shortest))

    def _stages(self, settings: DriverSettings) -> tuple[Stage, Stage]:
        """Create mapper and planner. Raises JounceError."""
        given, planner_choice = self._task.mapper, self._task.planner
        map_kind, plan_kind = MAPPER_KINDS.need(given["type"]), PLANNER_KINDS.need(planner_choice["type"])
        seeds = [np.random.default_rng((settings.seed, n)) for n in (1, 2)]
        with making(f"mapper {map_kind.name}"):
            mapper = map_kind.make(MapperSettings(given, self.vehicle, settings.ground, seeds[0], settings.mounts))
        with making(f"planner {plan_kind.name}"):
            planner = plan_kind.make(PlannerSettings(planner_choice, self.vehicle, seeds[1]))
        if settings.paced and MAPPER_KINDS.is_builtin(map_kind.name) and PLANNER_KINDS.is_builtin(plan_kind.name):
            self._warm(mapper, planner, settings)
        return tuple(  # type: ignore[return-value]
            Stage(
                f"{noun} {kind.name}",
                function,
                check,
                period=values.get("period") or kind.period,
                in_thread=settings.paced or not registry.is_builtin(kind.name),
                paced=settings.paced,
            )
            for noun, kind, function, check, values, registry in (
                ("mapper", map_kind, mapper.update, _map_of, given, MAPPER_KINDS),
                ("planner", plan_kind, planner.plan, checked_plan, planner_choice, PLANNER_KINDS),
            )
        )

    def _warm(self, mapper: Mapper, planner: Planner, settings: DriverSettings) -> None:
        """Compile or load the kernels, so that no tick waits for them in real time."""
        start, spawn = record(READOUT), Pose(*settings.ground.spawn)
        start[0]["p_WB"][:2], start[0]["yaw"] = spawn[:2], spawn.yaw
        first_map = mapper.update(MapperInput(0.0, start, {}, settings.ground.objects))
        check_path(first_map, self._outline, [spawn[:2]], [spawn.yaw], [1])
        seen, aside = self._input(0.0, first_map, spawn, 0.0, 0.0), 0.7 * self.vehicle.min_turning_radius
        beside = Goal(spawn.x - aside * math.sin(spawn.yaw), spawn.y + aside * math.cos(spawn.yaw), self.goal.radius)
        for goal in (beside, self.goal):  # planners have another search for a goal within the turning circle
            planner.plan(replace(seen, goal=goal))

    @property
    def logged(self) -> list[tuple[str, Any, Record]]:
        """Records that the driver adds to the log."""
        return [("planner_", PLANNED, self._logged)]

    @property
    def course(self) -> Course | None:
        """What the vehicle follows forward; None without a plan."""
        stops = not self._is_under_way or bool(self._reason)
        return self._follower.course(0.0 if stops else self._stop)

    def see(self, objects: ObjectSet, collisions: Sequence[Any]) -> None:
        """Receive the objects of the session as they are now, and its collisions, before each `read`."""
        self._objects, self._collisions = objects, collisions

    def see_vehicles(self, vehicles: Sequence[SeenVehicle]) -> None:
        """Receive all vehicles of the session; a driver on a route keeps the distance from them."""
        if self._others is not None:
            self._others.gap.vehicles = vehicles

    def close(self) -> None:
        """End the threads of mapper and planner."""
        self._mapper.close()
        self._planner.close()

    def resume(self, t: float, readout: Record, command: Record) -> None:
        """Drive again after another driver. A plan forward that passes here is followed until the next one is there; else the vehicle brakes."""
        if self._failed_at is None and self.outcome is None:
            try:
                self._mapper.result(), self._planner.result()  # out of date
            except PlanError as error:
                self._fail(t, str(error))
        here, kept = readout[0]["p_WB"][:2], None
        if self.plan is not None and not self._reason and (self.plan.directions is None or np.all(self.plan.directions > 0)):
            away = np.hypot(*(self.plan.points - here).T).min()
            kept = self.plan if away < RESUME_DISTANCE else None
        self.plan = kept
        self._follower.resume(kept, int(command[0]["selector"]))
        self._stop, self._stuck, self._still_since = math.inf, 0, None
        self._judge.resume()

    def read(self, t: float, readout: Record, command: Record, sensors: Mapping[str, Measurement]) -> None:
        """Fill the COMMAND record at time t (s). While the readout is not finite, the command stays unchanged."""
        now = readout[0]
        pose = Pose(float(now["p_WB"][0]), float(now["p_WB"][1]), float(now["yaw"]))
        speed = float(now["v_WB_B"][0])
        if not math.isfinite(sum(pose) + speed + float(now["roll"]) + float(now["pitch"])):
            return
        self._history.append((t, np.array(now["p_WB"]), np.array(now["q_WB"])))
        if self._obstruction:
            self._end(Outcome(STUCK, self._obstruction))
        if self._is_under_way:
            before = self._judge.circles
            if self._way is not None:
                self._way.advance(pose.x, pose.y)
            arrives = self._way is None or self._way.left <= 2.0 * self.goal.radius
            self._end(self._judge.outcome(t, readout, self._collisions, self._reason, arrives, self._gives_way))
            if self._judge.circles > before:
                self._stuck, self._stuck_at = self._stuck + 1, pose[:2]
        if self._failed_at is None and (self.rests or self.outcome is None):
            try:
                self._see(t, readout, pose, sensors)
                if self._is_under_way:
                    self._think(t, readout, pose, speed)
            except PlanError as error:
                self._fail(t, str(error))
        stops = not self._is_under_way or bool(self._reason)
        self._follower.read(t, readout, command, 0.0 if stops else self._stop)
        limit = None
        if self._others is not None and self._follower.target > 0.0 and self._follower.direction > 0:
            limit = self._others.limit(t, pose, speed, self._objects)
            if limit is not None:
                self._others.gap.press(t, readout, command, limit, self._follower.target)
        command[0]["low_range"] = self._task.goal.low_range
        if self._failed_at is not None and (abs(speed) < 0.05 or t - self._failed_at > LONGEST_STOP):
            self._end(Outcome(ERROR, self._reason))
        self._gives_way = limit is not None
        self._note_stuck(t, pose, speed)
        self._log(t, pose)
        if self._has_news and self.map is not None:
            self._has_news = False
            plan = None if self._reason.startswith(NO_WAY) else self.plan
            for watcher in self.watchers:
                watcher(Snapshot(t, pose, self.map, plan, self.goal, self.vehicle, self._reason))

    @property
    def _is_under_way(self) -> bool:
        """Whether the vehicle drives to the goal."""
        return self.outcome is None and self._failed_at is None and not self.rests

    def _see(self, t: float, readout: Record, pose: Pose, sensors: Mapping[str, Measurement]) -> None:
        """Take the result of the mapper, and begin its next call. Raises PlanError."""
        result = self._mapper.result()
        if result is not None:
            self.map, self._has_news = result, True
            if not self.maps or result.time - self.maps[-1].time >= MAP_PERIOD - 1e-9:
                self.maps.append(result)
            self._check_plan(pose)
        if self._mapper.is_due(t):
            objects = self._objects.snapshot() if self._mapper.in_thread and len(self._objects) else self._objects
            self._mapper.submit(t, MapperInput(t, readout.copy(), dict(sensors), objects, self._poses()))

    def _think(self, t: float, readout: Record, pose: Pose, speed: float) -> None:
        """Take the result of the planner, and begin its next call. Raises PlanError."""
        planned = self._planner.result()
        if planned is not None and self._planned_for == self.goal:
            self._take(planned, pose)
        if self.map is not None and self._planner.is_due(t) and not self._keeps_plan(speed):
            self._planned_for = self.goal
            self._planner.submit(t, self._planner_input(t, readout, pose, speed))

    def _poses(self) -> PoseTable:
        """Return the last poses of the vehicle."""
        time, p_WB, q_WB = zip(*self._history, strict=True)
        return PoseTable(np.array(time), np.array(p_WB), np.array(q_WB))

    def _planner_input(self, t: float, readout: Record, pose: Pose, speed: float) -> PlannerInput:
        assert self.map is not None
        curvature = self._traits.road_wheel_angle(float(readout[0]["steering"])) / self._traits.turning_length
        return self._input(t, self.map, moving_pose(pose, readout, self.vehicle.rear_axle), speed, curvature)

    def _input(self, t: float, obstacle_map: ObstacleMap, pose: Pose, speed: float, curvature: float) -> PlannerInput:
        planner = self._task.planner
        speed_limit = planner.get("speed") or PLANNER_KINDS.need(planner["type"]).speed
        return PlannerInput(
            t,
            obstacle_map,
            pose,
            speed,
            curvature,
            self.goal,
            self.vehicle,
            float(speed_limit),
            float(planner["margin"]),
            self._stuck,
            self.plan if self._plan_goal == self.goal else None,
            None if self._way is None else replace(self._way),
        )

    def _keeps_plan(self, speed: float) -> bool:
        """Return whether the vehicle first has to complete a change of its direction."""
        return (
            self._follower.turns_back
            and not self._follower.has_arrived(speed)
            and not self._reason
            and self._stop == math.inf
            and self._still_since is None
            and self._plan_goal == self.goal
        )

    def _take(self, planned: Plan | Blocked, pose: Pose) -> None:
        """Follow a plan, or stop because there is none."""
        self._has_news = True
        if isinstance(planned, Blocked):
            self._reason = NO_WAY + planned.reason
            return
        self.plan, self._reason, self._number, self._plan_goal = planned, "", self._number + 1, self.goal
        self._follower.start(planned)
        self._check_plan(pose)

    def _check_plan(self, pose: Pose) -> None:
        """Find the first point ahead at which the plan is not clear on the last map."""
        self._stop = math.inf
        if self.plan is None or self.map is None:
            return
        plan, (first, station) = self.plan, self._follower.station()
        steps = np.hypot(*np.diff(plan.points[first:], axis=0).T)
        along = np.concatenate(([0.0], np.cumsum(steps)))
        if self._way is not None and station == 0.0:  # a new plan, which begins behind the vehicle
            station = along[np.argmin(np.hypot(*(plan.points[first:] - pose[:2]).T))]
        along -= station
        ahead = along > 0.0
        checked = check_path(self.map, self._outline, plan.points[first:], plan.headings[first:], plan.directions[first:])  # type: ignore[index]
        here = check_path(self.map, self._outline, [pose[:2]], [pose.yaw], [1]).clearance[0]
        least = min(0.3 * float(self._task.planner["margin"]), here - 0.05)
        blocked = np.flatnonzero(ahead & ((checked.clearance < least) | (checked.clearance == TOUCHES)))
        if len(blocked):
            self._stop = max(float(along[blocked[0]]) - GAP, 0.0)

    def _note_stuck(self, t: float, pose: Pose, speed: float) -> None:
        """Notice that the vehicle does not move although it should, and that it moves again."""
        waits = bool(self._reason) or self._stop < MAX_STOP_FACTOR
        if abs(speed) > NO_MOTION or self._gives_way or not (waits or self._follower.target > PUSHING):
            self._still_since = None
        elif self._still_since is None:
            self._still_since = t
        elif t - self._still_since > (BLOCKED_PATIENCE if waits else PATIENCE):
            self._stuck, self._stuck_at, self._still_since = self._stuck + 1, pose[:2], None
        if self._stuck and math.hypot(pose.x - self._stuck_at[0], pose.y - self._stuck_at[1]) > PROGRESS:
            self._stuck = 0

    def _fail(self, t: float, reason: str) -> None:
        """Brake to rest because mapper or planner failed."""
        self._failed_at, self._reason = t, reason
        self.close()

    def _end(self, outcome: Outcome | None) -> None:
        """End the drive."""
        if outcome is not None and self.outcome is None:
            self.outcome = outcome
            self.ended = DONE if outcome.word == REACHED else outcome.message
            self._reason, self._has_news = self._reason or outcome.message, True
            self.close()

    def _log(self, t: float, pose: Pose) -> None:
        out = self._logged[0]
        out["plan"], out["stuck"], out["target_speed"] = self._number, self._stuck, self._follower.target
        out["goal_distance"] = math.hypot(pose.x - self.goal.x, pose.y - self.goal.y)
        if self.outcome is not None:
            out["outcome"] = OUTCOMES.index(self.outcome.word)
        self._calls += 1
        if self._calls % CLEARANCE_CALLS == 0:
            out["clearance"] = self._clearance.at(self._objects, t, pose)
        out["state"] = self._state()

    def _state(self) -> int:
        if self._failed_at is not None:
            return FAILED
        if self.outcome is not None:
            return ENDED
        if self._reason:
            return BLOCKED
        return WAITING if self.plan is None else DRIVING if self._follower.direction > 0 else REVERSING


def _map_of(result: Any, seen: MapperInput) -> ObstacleMap:
    """Return the checked map of a mapper."""
    return checked_map(result)


def moving_pose(pose: Pose, readout: Record, rear_axle: float) -> Pose:
    """Return the pose in which the point without sideslip is where it is, and its course is the heading.

    On a side slope or with sliding wheels a vehicle does not move where it points to. A plan that began with its heading would ask the
    follower to turn the vehicle, and the next plan would begin with the heading after this turn.
    """
    seen = record(SEEN)
    notice(readout, seen)
    course = pose.yaw + sideslip_at(seen[0], -rear_axle)
    x = pose.x + rear_axle * (math.cos(course) - math.cos(pose.yaw))
    y = pose.y + rear_axle * (math.sin(course) - math.sin(pose.yaw))
    return Pose(x, y, course)
