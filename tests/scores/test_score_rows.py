"""Do the rows of a score follow the rules of the benchmark, and does the table tell them and every failure?"""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest

from simulator.autonomy.outcome import Outcome
from simulator.base.errors import ConfigError
from simulator.collision import Collision
from simulator.scores.contract import ScoreTask
from simulator.scores.goal_drive import GoalDrive
from simulator.scores.run_score import table_text
from simulator.scores.score_command import numbers
from simulator.scores.score_worker import drive_task
from simulator.scores.summary import summary_of
from simulator.scores.verti_bench import BENCHMARK, COLUMNS, row_of


def test_a_task_that_cannot_start_is_a_row_with_the_reason(tmp_path: Path) -> None:
    values = {"maneuver": "tasks/3_0.yaml", "goal": [0, 0, 0], "lidar": False, "seed": 1}
    task = ScoreTask("verti_bench", "3/0", values, {"world": 3, "task": 0, "class": "mid"})
    row = drive_task(task, tmp_path, [])  # the files of the task are missing
    assert row["outcome"] == "error" and "3_0.yaml" in row["reason"] and row["world"] == 3
    text = table_text(COLUMNS, [row])
    assert next(csv.DictReader(text.splitlines()))["reason"] == row["reason"]
    summary = summary_of(BENCHMARK, [row])
    assert summary["all"]["error"] == summary["groups"]["class"]["mid"]["error"] == 1


OUTLINE = 2.2, 2.4, 2.2


def driven(word: str, roll_deg: float, *, x: float = 0.0) -> GoalDrive:
    n = 11
    p = np.column_stack((np.linspace(-10.0, x, n), np.zeros(n), np.ones(n)))
    touch = Collision(1, 0.7, 0, "rock_1", "rock", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 1.0, (0.0, 0.0, 0.0), 1.0, 0.1)
    return GoalDrive(
        Outcome(word),
        np.linspace(0.0, 1.0, n),
        p,
        np.full(n, math.radians(roll_deg)),
        np.zeros(n),
        [touch],
        np.zeros(n),
        np.ones(n),
        OUTLINE,
    )


@pytest.mark.parametrize(
    ("word", "roll", "x", "expected"),
    [
        ("stuck", 29.0, 0.0, "stuck"),
        ("stuck", 31.0, 0.0, "rolled"),
        ("timeout", -31.0, 0.0, "rolled"),
        ("reached", 31.0, 0.0, "reached"),
        ("reached", 0.0, 65.0, "stuck"),  # outside the ground of the world
    ],
)
def test_outcomes_follow_the_rules_of_the_benchmark(word: str, roll: float, x: float, expected: str) -> None:
    row = row_of(driven(word, roll, x=x), np.array([3.0, 4.0, 1.0]))
    assert row["outcome"] == expected and row["rolled_over_30"] == (abs(roll) > 30.0) and row["contact_s"] == 0.7
    assert row["mean_abs_roll_deg"] == pytest.approx(abs(roll))
    if x == 0.0:
        assert row["distance_m"] == pytest.approx(5.0) and row["path_m"] == pytest.approx(10.0)


def test_drives_that_reach_the_goal_after_they_rolled_are_counted() -> None:
    rows = [row_of(driven("reached", roll), np.array([0.0, 0.0, 1.0])) for roll in (5.0, 31.0, -40.0)]
    rows.append(row_of(driven("stuck", 31.0), np.array([0.0, 0.0, 1.0])))
    counts = summary_of(BENCHMARK, rows)["all"]
    assert (counts["reached"], counts["rolled"], counts["reached_rolled_over_30"]) == (3, 1, 2)
    assert counts["success_rate"] == 0.75


def test_lists_of_numbers() -> None:
    assert numbers("5, 61,1-3,2", "--worlds") == (5, 61, 1, 2, 3) and numbers(None, "--worlds") == ()
    for wrong in ("", "a", "3-1", "1,,2", "-1"):
        with pytest.raises(ConfigError, match="--worlds"):
            numbers(wrong, "--worlds")
