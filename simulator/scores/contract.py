"""Contract of a benchmark: it lists tasks, drives one of them, and summarizes the rows.

A task is plain data, so that any process can drive it. Files of a task, for example its terrain, are written once to the folder of the
results, and are named relative to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Row = dict[str, Any]
"""Result of a task by column: numbers, texts, or None for a missing value."""
OUTCOME, REASON = "outcome", "reason"
"""Columns of every benchmark."""
ERROR = "error"
"""Outcome of a task that cannot start, or whose drive fails."""


@dataclass(frozen=True)
class ScoreTask:
    """One task.

    Attributes
    ----------
    benchmark : name of the benchmark
    name : name of the task, unique in a score
    values : plain values in JSON types: all that the drive needs, and the seed
    known : columns of its row that are known before the drive
    files : names of the files that the drive reads, relative to the folder of the results
    """

    benchmark: str
    name: str
    values: Mapping[str, Any]
    known: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class ScoreOptions:
    """Options of `jounce score`; None or empty = default of the benchmark."""

    folder: Path
    worlds: tuple[int, ...] = ()
    tasks: tuple[int, ...] = ()
    variant: str | None = None
    vehicle: str | None = None
    planner: Any = None
    """Name, or mapping as the section `planner` of a maneuver."""
    map: str | None = None
    """truth or lidar."""
    speed: float | None = None
    """m/s"""
    limit: float | None = None
    """s"""
    seed: int = 1


@dataclass(frozen=True)
class ScorePlan:
    """Tasks of a score, with the settings that they share.

    Attributes
    ----------
    tasks : in the order of the table
    settings : plain values for the summary
    files : contents by name, relative to the folder of the results
    """

    tasks: Sequence[ScoreTask]
    settings: Mapping[str, Any]
    files: Mapping[str, bytes | str] = field(default_factory=dict)


@dataclass(frozen=True)
class Benchmark:
    """A benchmark.

    Attributes
    ----------
    name, title : title for the console
    columns : columns of the table in order; `outcome` and `reason` are among them
    groups : columns by whose values the summary counts
    means : columns with means over the reached tasks in the summary
    flags : columns of 0 and 1 that the summary counts over the reached tasks
    scores : columns with means over all tasks, a missing value counts as 0
    plan : returns the tasks of a folder; raises ConfigError with all mistakes, one line each
    drive : drives one task, with the folder of the results; returns its row. A JounceError becomes a row with the outcome `error`
    """

    name: str
    title: str
    columns: tuple[str, ...]
    groups: tuple[str, ...]
    means: tuple[str, ...]
    plan: Callable[[ScoreOptions], ScorePlan]
    drive: Callable[[ScoreTask, Path], Row]
    flags: tuple[str, ...] = ()
    scores: tuple[str, ...] = ()
