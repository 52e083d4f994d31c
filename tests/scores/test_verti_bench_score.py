"""Does a score list the tasks of a benchmark, drive them with the same bits in any number of processes, continue, and tell every failure?"""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simulator.api.loading import load_vehicle
from simulator.base.errors import ConfigError, OutputError
from simulator.builder.builder import data_folder
from simulator.cli.main import main
from simulator.scores import run_score as runner
from simulator.scores.contract import ScoreOptions
from simulator.scores.run_score import run_score
from simulator.scores.verti_bench import BENCHMARK, COLUMNS, VEHICLES, _maneuver, _tasks, plan
from simulator.tools.terrain.benchmarks.verti_bench_world import read_world

WORLDS = data_folder("assets") / "benchmarks" / "verti_bench"


def options(**values: object) -> ScoreOptions:
    return ScoreOptions(**{"folder": WORLDS, "planner": "pid", "limit": 1.5, "tasks": (0, 4), **values})  # type: ignore[arg-type]


def test_scores_are_the_same_bits_with_one_and_two_workers_and_continue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = plan(options())
    for workers in (1, 2):
        summary = run_score(BENCHMARK, wanted, tmp_path / str(workers), workers=workers)
        assert summary["all"]["tasks"] == summary["all"]["timeout"] == 2
    for name in ("results.csv", "summary.json"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()
    written = (tmp_path / "1" / "results.csv").read_bytes()
    rows = list(csv.DictReader(written.decode().splitlines()))
    assert written.count(b"\r\n") == 3 and tuple(rows[0]) == COLUMNS
    assert [(row["world"], row["task"], row["class"], row["terrain"], row["density"]) for row in rows] == [
        ("3", task, "mid", "rigid", "sparse") for task in ("0", "4")
    ]
    assert all(float(row["distance_m"]) > 115.0 and row["contact_s"] == "" for row in rows)

    # a finished score drives nothing again; with another limit the files of the tasks differ
    monkeypatch.setattr(runner, "WORKER", "no.such.module")
    (tmp_path / "1" / "results.csv").unlink()
    run_score(BENCHMARK, wanted, tmp_path / "1", workers=1)
    assert (tmp_path / "1" / "results.csv").read_bytes() == written
    with pytest.raises(OutputError, match="other content"):
        run_score(BENCHMARK, plan(options(limit=2.0)), tmp_path / "1", workers=1)


def test_tasks_start_and_end_where_the_benchmark_says(tmp_path: Path) -> None:
    world = read_world(WORLDS, 3)
    for task in plan(options(tasks=())).tasks:
        k = task.known["task"]
        assert task.values["goal"][:2] == pytest.approx(world.tasks[k, 1, :2])
    wanted = plan(options(tasks=(4,)))
    (file,) = [text for name, text in wanted.files.items() if name == "tasks/3_4.yaml"]
    keys = dict(line.split(": ", 1) for line in str(file).splitlines())
    start, goal = json.loads(keys["start"]), json.loads(keys["goal"])
    away = np.subtract(goal["position_m"], start["position_m"])
    assert math.hypot(*away) == pytest.approx(120.0, abs=1e-3)
    assert math.degrees(math.atan2(away[1], away[0])) == pytest.approx(start["heading_deg"], abs=1e-6)
    assert start["drop_m"] == 1.0 and goal["radius_m"] == 8.0 and json.loads(keys["endings"])["stuck_speed_mps"] == 2.0


def test_the_body_is_that_of_the_benchmark_unless_another_vehicle_is_given() -> None:
    """One box between the axles on hard ground; in worlds of soft ground nothing but the wheels touches it."""
    world = read_world(WORLDS, 3)
    for kind, given, name in (*((kind, None, name) for kind, name in VEHICLES.items()), ("deformable", "hmmwv", "hmmwv")):
        ((task, files),) = _tasks(replace(world, kind=kind), "as_simulated", _maneuver(options(vehicle=given)), options(tasks=(4,)))
        assert f'vehicle: "{name}"' in str(files[task.values["maneuver"]])
    box, roof, whole = (load_vehicle(one).description.body_contact[0] for one in VEHICLES.values())
    points = box["points"][: box["count"]]
    assert (np.ptp(points, axis=0) == (2.0, 1.0, 0.2)).all() and points[:, 2].min() == 0.0
    assert roof["points"][: roof["count"], 2].min() > 1.0 and whole["points"][: whole["count"], 2].min() < 0.0


@pytest.mark.parametrize("planner", ["pid", "arc", "a_star"])
def test_planners_reach_a_goal_over_rough_ground_with_locked_differentials(planner: str, tmp_path: Path) -> None:
    """Slopes and locked differentials let the wheels slide: plans that begin with the heading would turn the vehicle off its way."""
    summary = run_score(BENCHMARK, plan(options(planner=planner, tasks=(1,), limit=45.0)), tmp_path, workers=1)
    assert summary["all"]["reached"] == 1


def test_all_mistakes_are_reported_at_once_before_any_drive(capsys: pytest.CaptureFixture, tmp_path: Path) -> None:
    arguments = ["score", "verti_bench", str(WORLDS), "--planner", "pidd", "--vehicle", "hmmvw", "--out", str(tmp_path / "out")]
    assert main(arguments) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2 and "hmmvw" in lines[0] and "pid" in lines[1] and not (tmp_path / "out").exists()
    with pytest.raises(ConfigError) as caught:
        plan(options(worlds=(3, 4, 77)))
    assert "4" in str(caught.value) and "77" in str(caught.value)
    with pytest.raises(ConfigError, match="expected 0 to 9"):
        plan(options(tasks=(10,)))
    with pytest.raises(ConfigError, match="a folder with worlds"):
        plan(options(folder=tmp_path))
