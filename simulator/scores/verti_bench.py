"""Benchmark Verti-Bench: tasks of its worlds, their drives by its rules, and its columns.

Xu, Pan, Rao, Datar, Pokhrel, Lu, Xiao, "Verti-Bench", RSS 2025 (arXiv 2502.11426). The vehicle is dropped at the start. A task is reached
within 8 m of the goal in space; slower than 2 m/s for 10 s is stuck; contacts and rolling end nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from simulator.api.loading import load_vehicle
from simulator.autonomy.goal_section import Endings, GoalSection, goal_task
from simulator.autonomy.outcome import REACHED, ROLLED, STUCK, TIMEOUT
from simulator.base.algebra.path_length import path_length
from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.json_output import json_text
from simulator.scores.contract import Benchmark, Row, ScoreOptions, ScorePlan, ScoreTask
from simulator.scores.goal_drive import GoalDrive, drive_to_goal
from simulator.tools.terrain.benchmarks.command import license_text
from simulator.tools.terrain.benchmarks.tasks import Task
from simulator.tools.terrain.benchmarks.verti_bench_terrain import SPACING, VARIANTS, soil_files, tasks, world_files
from simulator.tools.terrain.benchmarks.verti_bench_world import HALF, VertiBenchWorld, numbers_of_worlds, read_world

NAME = "verti_bench"
VEHICLES = {"rigid": "hmmwv_verti_bench", "deformable": "hmmwv_verti_bench_soft", "mixed": "hmmwv_locked"}
"""Default vehicle by the terrain type of the world: nothing but the wheels of the benchmark's vehicle touches soft ground."""
PLANNER, BLIND = "hybrid_a_star", "pid"
"""Default planner, and the planner of the benchmark."""
SPEEDS = {BLIND: 4.0}
"""m/s. Requested speed by planner."""
FREE_SPEED = 8.0
"""m/s. Requested speed of the other planners, which choose lower ones themselves."""
DROP = 1.0
"""m. Height of the reference point above the ground at the start."""
STUCK_SPEED, STUCK_TIME = 2.0, 10.0
"""m/s, s."""
ROLL = math.radians(30.0)
"""Roll or pitch of a failed drive beyond which it counts as rolled."""
TRUTH = {"type": "truth", "extent_m": 250.0, "cell_m": 0.5, "period_s": 1.0, "bounded": True}
"""Map of the complete world, as the planners of the benchmark have it."""
NO_LIMITS = {"max_slope_deg": 85.0, "max_step_m": 5.0}
"""Keys of the map: the planners check slopes by the poses of the vehicle."""
LIDAR = {"type": "lidar", "name": "roof", "mount": {"position": [0.0, 0.0, 1.6]}}
"""Sensor of the map `lidar`."""
SEEN_OVER = 12.0
"""m. Distance between two returns up to which the ground between them is known: uneven ground hides a large part of itself."""
DENSITIES = {10: "sparse", 20: "medium"}
"""Density by the largest number of rocks; more rocks are dense."""
MAX_LISTED = 20
"""Numbers of worlds in a message."""
COLUMNS = (
    "world", "task", "class", "terrain", "density", "outcome", "time_s", "path_m", "mean_abs_roll_deg", "mean_abs_pitch_deg",
    "max_abs_roll_deg", "max_abs_pitch_deg", "rolled_over_30", "contact_s", "distance_m", "reason",
)  # fmt: skip


def plan(options: ScoreOptions) -> ScorePlan:
    """Return the tasks of the worlds of a folder. Raises ConfigError with all mistakes."""
    variant = options.variant or VARIANTS[0]
    known = numbers_of_worlds(options.folder)
    chosen = options.worlds or known
    maneuver: dict[str, Any] = {}
    out: list[ScoreTask] = []
    files: dict[str, bytes | str] = {"worlds/LICENSE_verti_bench.txt": license_text(NAME)}
    with ErrorCollector() as faults:
        with faults.part():
            if variant not in VARIANTS:
                raise ConfigError("--variant", "", variant, f"one of {', '.join(VARIANTS)}")
        with faults.part():
            if not known:
                raise ConfigError("verti_bench", "", str(options.folder), "a folder with worlds: configN_CLASS.yaml and N.bmp")
            missing = [number for number in chosen if number not in known]
            if missing:
                raise ConfigError("--worlds", "", ",".join(map(str, missing)), f"worlds in {options.folder}: {_listed(known)}")
        with faults.part():
            maneuver = _maneuver(options)
        for number in chosen if not faults.errors else ():
            try:
                for task, texts in _tasks(read_world(options.folder, number), variant, maneuver, options):
                    out.append(task)
                    files |= texts
            except ConfigError as error:  # of every world, although all have the same key
                for one in error.errors:
                    faults.add(one)
    about = {
        "variant": variant,
        "vehicle": maneuver.get("vehicle", VEHICLES),
        "planner": maneuver["planner"],
        "map": options.map or "truth",
    }
    return ScorePlan(out, {**about, "limit_s": maneuver["duration_s"], "seed": options.seed}, files)


def _listed(numbers: tuple[int, ...]) -> str:
    """Return the first numbers as text."""
    return ", ".join(map(str, numbers[:MAX_LISTED])) + (" ..." if len(numbers) > MAX_LISTED else "")


def _maneuver(options: ScoreOptions) -> dict[str, Any]:
    """Return the keys of a maneuver that all tasks share. Raises ConfigError."""
    given = options.planner or PLANNER
    planner = {"type": given} if isinstance(given, str) else dict(given) if isinstance(given, Mapping) else None
    if planner is None:
        raise ConfigError("--planner", "", given, "the name of a planner, or its keys in braces")
    usual = SPEEDS.get(str(planner.get("type")), FREE_SPEED)
    if options.speed is not None or not planner.keys() & {"speed_mps", "speed_kph", "speed"}:
        planner["speed_mps"] = usual if options.speed is None else options.speed
    vehicle, mapper = options.vehicle, _mapper(options.map or "truth")
    with ErrorCollector() as faults:
        with faults.part():
            load_vehicle(vehicle or VEHICLES["rigid"])
        with faults.part():
            goal_task(GoalSection((0.0, 0.0)), mapper, planner, Endings(), file="--planner")
    if vehicle and Path(vehicle).is_file():
        vehicle = str(Path(vehicle).resolve())
    return {
        **({"vehicle": vehicle} if vehicle else {}),
        "mapper": mapper,
        "planner": planner,
        "duration_s": options.limit or 60.0,
        "endings": {"collision": False, "stuck_speed_mps": STUCK_SPEED, "stuck_time_s": STUCK_TIME, "stuck_area_m": 0.0, "roll_deg": 180.0},
    }


def _mapper(name: str) -> dict[str, Any]:
    """Return the section `mapper` of a map."""
    if name != "lidar":
        return {**TRUTH, **NO_LIMITS}
    return {"type": "lidar", "sensor": LIDAR["name"], "gap_m": SEEN_OVER, "max_slope_deg": 50.0, "max_step_m": 0.5}


def _tasks(
    world: VertiBenchWorld, variant: str, maneuver: Mapping[str, Any], options: ScoreOptions
) -> Iterator[tuple[ScoreTask, dict[str, bytes | str]]]:
    """Yield the tasks of a world with their files. Raises ConfigError."""
    every = tasks(world)
    wrong = [k for k in options.tasks if k >= len(every)]
    if wrong:
        raise ConfigError("--tasks", f"world {world.number}", wrong[0] if len(wrong) == 1 else list(wrong), f"0 to {len(every) - 1}")
    terrain = Path(f"worlds/{NAME}_{world.number}_{variant}.yaml")
    command = f"jounce score verti_bench, world {world.number}, {variant}"
    ground = {path.as_posix(): text for path, text in world_files(world, terrain, variant, SPACING, command).items()}
    ground |= {path.as_posix(): text for path, text in soil_files(world, terrain.parent).items()}
    usual = {"vehicle": VEHICLES[world.kind]}
    rocks = sum(one.kind == "rock" for one in world.obstacles)
    density = next((name for most, name in DENSITIES.items() if rocks <= most), "dense")
    for k in options.tasks or range(len(every)):
        file = f"tasks/{world.number}_{k}.yaml"
        own = {file: _maneuver_text(world, k, every, {**usual, **maneuver, "terrain": f"../{terrain.as_posix()}", "seed": options.seed})}
        values = {"maneuver": file, "goal": list(every[k].goal), "lidar": maneuver["mapper"]["type"] == "lidar", "seed": options.seed}
        known = {"world": world.number, "task": k, "class": world.label, "terrain": world.kind, "density": density}
        yield ScoreTask(NAME, f"{world.number}/{k}", values, known, (*ground, file)), {**ground, **own}


def _maneuver_text(world: VertiBenchWorld, k: int, every: list[Task], shared: Mapping[str, Any]) -> str:
    """Return the maneuver file of a task. The terrain begins at the first task, and positions are relative to that."""
    task, origin = every[k], every[0]
    turned = math.remainder(task.yaw - origin.yaw, math.tau)
    content = {
        "name": f"verti_bench_{world.number}_{k}",
        "title": f"Verti-Bench world {world.number}, task {k}",
        **shared,
        "start": {"position_m": _seen_from(origin, task.start), "heading_deg": math.degrees(turned), "drop_m": DROP},
        "goal": {"position_m": _seen_from(origin, task.goal), "radius_m": task.radius, "height_m": task.goal[2], "low_range": True},
    }
    return "".join(f"{key}: {json_text(value)}\n" for key, value in content.items())  # JSON is YAML


def _seen_from(origin: Task, point: tuple[float, float, float]) -> list[float]:
    """Return a point ahead of and to the left of the start of a task [m]."""
    x, y = point[0] - origin.start[0], point[1] - origin.start[1]
    c, s = math.cos(origin.yaw), math.sin(origin.yaw)
    return [c * x + s * y, c * y - s * x]


def drive(task: ScoreTask, folder: Path) -> Row:
    """Drive a task and return its row."""
    sensors = [LIDAR] if task.values["lidar"] else []
    goal_drive = drive_to_goal(folder / task.values["maneuver"], sensors, task.values["seed"])
    return row_of(goal_drive, np.array(task.values["goal"], float))


def row_of(drive: GoalDrive, goal: np.ndarray) -> Row:
    """Return the columns of a drive to a goal (3,) [m]."""
    roll, pitch = np.abs(drive.roll), np.abs(drive.pitch)
    rolled = bool(max(roll.max(), pitch.max()) > ROLL)
    outcome, reason = drive.outcome
    outside = np.flatnonzero(np.abs(drive.p_WB[:, :2]).max(axis=1) > HALF)
    if len(outside) and outcome == REACHED:
        outcome, reason = STUCK, f"left the ground of the world after {drive.time[outside[0]]:.1f} s"
    if outcome in (STUCK, TIMEOUT) and rolled:
        outcome, reason = ROLLED, f"{drive.outcome.word}, and more than 30 deg of roll or pitch"
    mean, most = (np.degrees([getattr(one, name)() for one in (roll, pitch)]) for name in ("mean", "max"))
    return {
        "outcome": outcome,
        "time_s": float(drive.time[-1]),
        "path_m": float(path_length(drive.p_WB[:, 0], drive.p_WB[:, 1])[-1]),
        "mean_abs_roll_deg": float(mean[0]),
        "mean_abs_pitch_deg": float(mean[1]),
        "max_abs_roll_deg": float(most[0]),
        "max_abs_pitch_deg": float(most[1]),
        "rolled_over_30": int(rolled),
        "contact_s": min((one.time for one in drive.collisions), default=None),
        "distance_m": float(np.linalg.norm(drive.p_WB - goal, axis=1).min()),
        "reason": reason,
    }


BENCHMARK = Benchmark(
    NAME,
    "Verti-Bench",
    COLUMNS,
    groups=("class", "terrain", "density"),
    means=("time_s", "mean_abs_roll_deg", "mean_abs_pitch_deg"),
    plan=plan,
    drive=drive,
    flags=("rolled_over_30",),
)
