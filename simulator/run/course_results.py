"""Results of the user on timed courses: a table for each course in the configuration folder of the user, courses/NAME/results.json."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from simulator.base.errors import JounceError
from simulator.base.user_folders import config_home
from simulator.maneuvers.course_timing import clock

FILE = "results.json"
NUMBERS = ("time_s", "penalty_s", "total_s", "best_lap_s", "mean_deviation_m", "near")
"""Numbers of a result; null without a value."""
MAX_TIME = 1e7
"""s. Largest plausible number."""


def results_folder() -> Path | None:
    """Return the folder of all courses, which need not exist; None for a user without a home folder."""
    base = config_home()
    return None if base is None else base / "jounce" / "courses"


def read_results(file: Path, say: Callable[[str], None] | None, *, must_read: bool = False) -> list[dict[str, Any]]:
    """Return the results in a file; none without one. A damaged file is renamed, and reported in one line; without `say` it is ignored.

    Raises JounceError, with `must_read`: there is a file that cannot be read, so that writing it would lose its results.
    """
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(rows, list) or not all(map(_is_result, rows)):
            raise ValueError
        return [dict.fromkeys(NUMBERS) | row for row in rows]
    except FileNotFoundError:
        return []
    except OSError as error:
        if must_read:
            raise JounceError(f"{file}: cannot be read: {error.strerror}; the results of this drive are not added") from None
        if say is not None:
            say(f"{file}: cannot be read: {error.strerror}; there are no earlier results")
    except (ValueError, RecursionError):
        if say is None:
            return []
        say(f"{file}: damaged; expected a list of results; {_put_aside(file, must_read)}")
    return []


def _put_aside(file: Path, must_move: bool) -> str:
    """Rename a damaged file to a name that no file has; return what has happened. Raises JounceError, with `must_move`: it cannot be renamed."""
    names = (file.with_name(f"{FILE}.damaged{n or ''}") for n in count())
    aside = next(one for one in names if not one.exists())
    try:
        os.rename(file, aside)
    except OSError as error:
        if must_move:
            raise JounceError(
                f"{file}: damaged, and cannot be renamed: {error.strerror}; the results of this drive are not added"
            ) from None
        return f"it cannot be renamed: {error.strerror}"
    return f"it is kept as {aside.name}"


def _is_result(row: Any) -> bool:
    return (
        isinstance(row, dict)
        and all(isinstance(row.get(key), str) for key in ("date", "vehicle", "course_digest"))
        and all(isinstance(row.get(key), bool) for key in ("person", "finished"))
        and all(row.get(key) is None or (isinstance(row[key], int | float) and 0.0 <= row[key] <= MAX_TIME) for key in NUMBERS)
    )


def score(row: Mapping[str, Any]) -> tuple[bool, float]:
    """Return what sorts results, the best one first: distance from the leader, else the time with penalties; then unfinished ones by their lap."""
    value = row.get("total_s") if row.get("mean_deviation_m") is None else row["mean_deviation_m"]
    if not row["finished"] or value is None:
        return True, math.inf if row.get("best_lap_s") is None else row["best_lap_s"]
    return False, value


def result_text(row: Mapping[str, Any]) -> str:
    """Return the score of a finished result."""
    return clock(row["total_s"]) if row.get("mean_deviation_m") is None else f"{row['mean_deviation_m']:.2f} m off the track"


def all_results(say: Callable[[str], None] | None = None, names: Sequence[str] = ()) -> dict[str, list[dict[str, Any]]]:
    """Return the results by course, the best ones first. Raises JounceError: there is no such course."""
    folder = results_folder()
    courses = sorted(one.name for one in folder.iterdir() if one.is_dir()) if folder is not None and folder.is_dir() else []
    for name in names:
        if name not in courses:
            problem = f"results: no results of a course {name}"
            raise JounceError(f"{problem}; expected one of: {', '.join(courses)}" if courses else f"{problem}; there are no results yet")
    return {} if folder is None else {name: sorted(read_results(folder / name / FILE, say), key=score) for name in names or courses}
