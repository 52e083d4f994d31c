"""Does the score of BARN count time, gaps and contacts by its rules, and does a drive of a shipped world reach its goal?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simulator.autonomy.outcome import Outcome
from simulator.base.errors import ConfigError
from simulator.scores.barn import BENCHMARK, VARIANTS, least_gap, row_of, score
from simulator.scores.contract import ScoreOptions
from simulator.scores.goal_drive import GoalDrive
from simulator.scores.run_score import run_score
from simulator.scores.summary import summary_of
from simulator.tools.terrain.benchmarks.barn_world import numbers_of_worlds

WORLDS = Path("assets/benchmarks/barn")
OUTLINE = 2.0, 3.0, 2.0


def driven(word: str, seconds: float, rest: float = 0.0) -> GoalDrive:
    """Return a straight drive of 10 m along y, after some seconds at rest."""
    time = np.linspace(0.0, rest + seconds, 1001)
    p = np.column_stack((np.zeros(1001), np.clip((time - rest) / seconds, 0.0, 1.0) * 10.0, np.zeros(1001)))
    speed = np.where(time < rest, 0.0, 10.0 / seconds)
    return GoalDrive(Outcome(word), time, p, np.zeros(1001), np.zeros(1001), [], np.full(1001, 0.5 * np.pi), speed, OUTLINE)


@pytest.mark.parametrize(("time", "expected"), [(1.0, 0.5), (20.0, 0.5), (40.0, 0.25), (80.0, 0.125), (99.0, 0.125)])
def test_the_score_depends_on_the_time(time: float, expected: float) -> None:
    assert score(time, 10.0) == pytest.approx(expected)


def test_time_counts_from_the_first_motion() -> None:
    values = {"moved": 0.5, "reference_time": 10.0, "limit": 100.0, "cylinders": [[4.0, 5.0, 0.5]]}
    row = row_of(driven("reached", 50.0, rest=30.0), values)
    assert row["time_s"] == pytest.approx(47.5, abs=0.1) and row["score"] == pytest.approx(10.0 / 47.5, rel=0.01)
    assert row["least_gap_m"] == pytest.approx(4.0 - 0.5 - 1.0) and row["reversals"] == 0
    late = row_of(driven("reached", 110.0, rest=5.0), values)
    assert late["outcome"] == "timeout" and late["score"] == 0.0 and late["time_s"] == 100.0
    touch = row_of(driven("collision", 20.0), values)
    assert touch["score"] == 0.0
    summary = summary_of(BENCHMARK, [row, touch])["all"]
    assert summary["mean_score"] == pytest.approx(0.5 * row["score"]) and summary["mean_time_s"] == pytest.approx(row["time_s"])


def test_gaps_are_those_of_the_outline() -> None:
    one = driven("reached", 10.0)
    at_rest = one._replace(p_WB=np.zeros((1001, 3)))  # heads along y
    for x, y, expected in ((3.0, 0.0, 1.5), (0.0, 4.0, 1.5), (0.0, -4.0, 0.5), (4.0, 6.0, 4.5), (1.2, 0.0, -0.3), (0.0, 0.0, -0.5)):
        assert least_gap(at_rest, np.array([[x, y, 0.5]])) == pytest.approx(expected)


def test_reversals_are_counted() -> None:
    one = driven("reached", 10.0)
    speed = np.concatenate((np.full(200, 2.0), np.full(100, -0.05), np.full(200, -1.0), np.full(201, 1.0), np.full(300, -1.0)))
    assert one._replace(speed=speed).reversals == 2


def test_tasks_have_the_lengths_of_their_variant() -> None:
    for name, variant in VARIANTS.items():
        plan = BENCHMARK.plan(ScoreOptions(WORLDS, variant=name))
        assert [task.known["world"] for task in plan.tasks] == list(numbers_of_worlds(WORLDS))
        one = plan.tasks[0]
        assert one.values["moved"] == pytest.approx(0.1 * variant.scale)
        assert min(row[2] for row in one.values["cylinders"]) == pytest.approx(0.075 * variant.scale)
        assert 10.0 * variant.scale / 5.0 < one.values["reference_time"] < 14.0 * variant.scale / 5.0
        assert ('"reverse": false' in plan.files[one.values["maneuver"]].replace(":false", ": false")) is not variant.reverse  # type: ignore[union-attr]


def test_mistakes_are_told() -> None:
    for options, words in (
        (ScoreOptions(WORLDS, variant="as_written"), "x8_forward"),
        (ScoreOptions(WORLDS, worlds=(7,)), "world: invalid value"),
        (ScoreOptions(WORLDS, tasks=(1,)), "one task"),
        (ScoreOptions(WORLDS / "missing"), "cylinders.csv"),
    ):
        with pytest.raises(ConfigError, match=words):
            BENCHMARK.plan(options)


def test_a_shipped_world_is_driven(tmp_path: Path) -> None:
    plan = BENCHMARK.plan(ScoreOptions(WORLDS, variant="x5_reversing", worlds=numbers_of_worlds(WORLDS)[:1]))
    summary = run_score(BENCHMARK, plan, tmp_path, workers=1)
    assert summary["all"]["reached"] == 1 and summary["all"]["mean_score"] > 0.3
    assert "reached" in (tmp_path / "results.csv").read_text()
