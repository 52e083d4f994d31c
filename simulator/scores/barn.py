"""Benchmark BARN: worlds of narrow passages at two scales for a car, their drives, and the score of the benchmark.

Perille, Truong, Xiao, Stone, "Benchmarking Metric Ground Navigation", SSRR 2020. The robot of the benchmark is 0.43 m wide and turns on the
spot. For a car, all lengths are multiplied by a scale: at 8, every world has a path forward; at 5.02, gaps have the same ratio to the
width as for the robot, and most worlds need a car to reverse. Contact ends a drive.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.api.loading import load_vehicle
from simulator.autonomy.goal_section import Endings, GoalSection, goal_task
from simulator.autonomy.outcome import REACHED, TIMEOUT
from simulator.autonomy.planners.kinds import planner_fields
from simulator.base.algebra.path_length import path_length
from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.json_output import json_text
from simulator.scores.contract import Benchmark, Row, ScoreOptions, ScorePlan, ScoreTask
from simulator.scores.goal_drive import GoalDrive, drive_to_goal
from simulator.tools.terrain.benchmarks.barn_terrain import GOAL_RADIUS, TIME_LIMIT, world_files
from simulator.tools.terrain.benchmarks.barn_world import GOAL, START, BarnWorld, numbers_of_worlds, read_world
from simulator.tools.terrain.benchmarks.command import license_text

NAME = "barn"
VEHICLE, PLANNER, SURFACE = "hmmwv", "hybrid_a_star", "asphalt"
"""Defaults, and the ground."""
SPEED = 5.0
"""m/s. Requested speed, and that of the time with which the score compares."""
START_DISTANCE = 0.1
"""m (unscaled). Way after which time counts."""
QUICKEST, SLOWEST = 2.0, 8.0
"""Times between which the score depends on the time, over that of the reference path at SPEED."""
STUCK_TIME = 20.0
"""s below 0.5 m/s after which a drive ends."""
CELL = 0.25
"""m. Cells of the map."""
LENGTH_BEYOND = 10.0
"""m. Length of the map beyond the goal, seen from the start."""
LIDAR = {"type": "lidar", "name": "roof", "mount": {"position": [0.0, 0.0, 1.6]}}
"""Sensor of the map `lidar`."""
COLUMNS = (
    "world", "variant", "scale", "map", "planner", "outcome", "time_s", "score", "path_m", "least_gap_m", "reversals", "collision_s", "reason",
)  # fmt: skip


class Variant(NamedTuple):
    """Variant for a car."""

    scale: float
    reverse: bool


VARIANTS = {"x8_forward": Variant(8.0, False), "x5_reversing": Variant(5.02, True)}


def plan(options: ScoreOptions) -> ScorePlan:
    """Return the tasks of the worlds of a folder. Raises ConfigError with all mistakes."""
    name = options.variant or next(iter(VARIANTS))
    chosen = options.worlds or numbers_of_worlds(options.folder)
    maneuver: dict[str, Any] = {}
    tasks: list[ScoreTask] = []
    files: dict[str, bytes | str] = {"worlds/LICENSE_barn.txt": license_text(NAME)}
    with ErrorCollector() as faults:
        with faults.part():
            if name not in VARIANTS:
                raise ConfigError("--variant", "", name, f"one of {', '.join(VARIANTS)}")
            maneuver = _maneuver(options, VARIANTS[name])
        with faults.part():
            if options.tasks and set(options.tasks) != {0}:
                raise ConfigError("--tasks", "", list(options.tasks), "0: every world has one task")
        with faults.part():
            if not chosen:
                raise ConfigError(
                    NAME, "", str(options.folder), "a folder with cylinders.csv, or with world_N.world files in it or below it"
                )
        for number in chosen if not faults.errors else ():
            with faults.part():
                task, own = _task(read_world(options.folder, number), name, maneuver, options)
                tasks.append(task)
                files |= own
    settings = {"variant": name, **VARIANTS[name]._asdict(), **{key: maneuver[key] for key in ("vehicle", "planner", "mapper")}}
    limits = {"limit_s": options.limit or TIME_LIMIT, "reference_speed_mps": SPEED, "seed": options.seed}
    return ScorePlan(tasks, {**settings, "map": options.map or "truth", **limits}, files)


def _maneuver(options: ScoreOptions, variant: Variant) -> dict[str, Any]:
    """Return the keys of a maneuver that all tasks share. Raises ConfigError."""
    given = options.planner or PLANNER
    planner = {"type": given} if isinstance(given, str) else dict(given) if isinstance(given, Mapping) else None
    if planner is None:
        raise ConfigError("--planner", "", given, "the name of a planner, or its keys in braces")
    if options.speed is not None or not planner.keys() & {"speed_mps", "speed_kph", "speed"}:
        planner["speed_mps"] = SPEED if options.speed is None else options.speed
    vehicle = options.vehicle or VEHICLE
    extent = 2.0 * (variant.scale * math.dist(START, GOAL) + LENGTH_BEYOND)
    mapper: dict[str, Any] = {"extent_m": round(extent, 3), "cell_m": CELL}
    mapper |= {"type": "truth"} if options.map != "lidar" else {"type": "lidar", "sensor": LIDAR["name"]}
    with ErrorCollector() as faults:
        with faults.part():
            load_vehicle(vehicle)
        with faults.part():
            goal_task(GoalSection((0.0, 0.0)), mapper, planner, Endings(), file="--planner")
            if not variant.reverse and any(field.name == "reverse" for field in planner_fields(planner.get("type", PLANNER))):
                planner.setdefault("reverse", False)
    if Path(vehicle).is_file():
        vehicle = str(Path(vehicle).resolve())
    return {
        "vehicle": vehicle,
        "mapper": mapper,
        "planner": planner,
        "duration_s": (options.limit or TIME_LIMIT) + STUCK_TIME,  # the limit counts from the first motion
        "endings": {"collision": True, "stuck_time_s": STUCK_TIME, "stuck_area_m": 0.0},
    }


def _task(world: BarnWorld, variant: str, maneuver: Mapping[str, Any], options: ScoreOptions) -> tuple[ScoreTask, dict[str, bytes | str]]:
    """Return the task of a world and its files. Raises ConfigError."""
    if not len(world.path):
        raise ConfigError(NAME, f"world {world.number}", "no reference path", f"a file path_{world.number}.npy: the score needs its length")
    scale = VARIANTS[variant].scale
    terrain, file = Path(f"worlds/barn_{world.number}_{variant}.yaml"), f"tasks/{variant}_{world.number}.yaml"
    command = f"jounce score barn, world {world.number}, {variant}"
    files = {path.as_posix(): text for path, text in world_files(world, terrain, scale, SURFACE, command).items()}
    content = {
        "name": f"barn_{world.number}_{variant}",
        "title": f"BARN world {world.number}, {variant}",
        **maneuver,
        "terrain": f"../{terrain.as_posix()}",
        "seed": options.seed,
        "goal": {"position_m": [scale * math.dist(START, GOAL), 0.0], "radius_m": scale * GOAL_RADIUS},
    }
    files[file] = "".join(f"{key}: {json_text(value)}\n" for key, value in content.items())  # JSON is YAML
    values = {
        "maneuver": file,
        "cylinders": (scale * world.cylinders[:, :3]).tolist(),
        "moved": scale * START_DISTANCE,
        "reference_time": scale * world.path_length / SPEED,
        "limit": options.limit or TIME_LIMIT,
        "lidar": options.map == "lidar",
        "seed": options.seed,
    }
    known = {
        "world": world.number,
        "variant": variant,
        "scale": scale,
        "map": options.map or "truth",
        "planner": maneuver["planner"]["type"],
    }
    return ScoreTask(NAME, f"{variant}/{world.number}", values, known, tuple(files)), files


def drive(task: ScoreTask, folder: Path) -> Row:
    """Drive a task and return its row."""
    sensors = [LIDAR] if task.values["lidar"] else []
    return row_of(drive_to_goal(folder / task.values["maneuver"], sensors, task.values["seed"]), task.values)


def row_of(drive: GoalDrive, values: Mapping[str, Any]) -> Row:
    """Return the columns of a drive, for the values of its task."""
    outcome, reason = drive.outcome
    away = np.hypot(*(drive.p_WB[:, :2] - drive.p_WB[0, :2]).T)
    begun = np.flatnonzero(away > values["moved"])
    took = float(drive.time[-1] - drive.time[begun[0]]) if len(begun) else 0.0
    if took > values["limit"]:
        outcome, reason, took = TIMEOUT, "", values["limit"]
    return {
        "outcome": outcome,
        "time_s": took,
        "score": score(took, values["reference_time"]) if outcome == REACHED else 0.0,
        "path_m": float(path_length(drive.p_WB[:, 0], drive.p_WB[:, 1])[-1]),
        "least_gap_m": least_gap(drive, np.array(values["cylinders"], float)),
        "reversals": drive.reversals,
        "collision_s": min((one.time for one in drive.collisions), default=None),
        "reason": reason,
    }


def score(time: float, reference_time: float) -> float:
    """Return the score of a reached goal: 0.5 within twice the reference time [s], 0.125 from eight times that on."""
    return reference_time / min(max(time, QUICKEST * reference_time), SLOWEST * reference_time)


def least_gap(drive: GoalDrive, cylinders: NDArray[np.float64]) -> float:
    """Return the least distance [m] of the outline, a rectangle, from cylinders (n, 3) x, y, radius [m]; a touch of the rectangle: at most 0."""
    front, rear, width = drive.outline
    least = math.inf
    for (x, y), yaw in zip(drive.p_WB[:, :2], drive.yaw, strict=True):
        dx, dy, c, s = cylinders[:, 0] - x, cylinders[:, 1] - y, math.cos(yaw), math.sin(yaw)
        ahead, aside = c * dx + s * dy, np.abs(c * dy - s * dx)
        out = np.hypot(np.maximum(np.maximum(ahead - front, -rear - ahead), 0.0), np.maximum(aside - 0.5 * width, 0.0))
        least = min(least, float((out - cylinders[:, 2]).min()))
    return least


BENCHMARK = Benchmark(
    NAME,
    "BARN, scaled for a car",
    COLUMNS,
    groups=(),
    means=("time_s", "path_m", "least_gap_m", "reversals"),
    plan=plan,
    drive=drive,
    scores=("score",),
)
