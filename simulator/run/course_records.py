"""Results of a course before and after a drive: new ones are added to the table of the user, and the best lap becomes the ghost of further drives.

The ghost is in a folder for each version of the course, next to the table.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.errors import ConfigError, OutputError
from simulator.base.json_output import json_text
from simulator.base.machine import version
from simulator.builder.session_parts import SessionParts
from simulator.driver.make_driver import PERSON
from simulator.run.course_results import FILE, NUMBERS, read_results, results_folder, score
from simulator.run.recording import Recording
from simulator.run.run_configuration import FINGERPRINT, hashes_of
from simulator.session_course import SessionCourse
from simulator.telemetry.atomic_files import create_folder, write_text
from simulator.view.ghost import FIELDS, GhostTrack
from simulator.view.ghost import FILE as GHOST

MAX_RESULTS = 200
"""Results of a course that are kept: the newest ones, and always the best one."""
SAME_LAP = 0.03
"""s. Difference of the starts of a lap in two columns of the log, which are written at different calls of the driver."""


def fingerprint_of(parts: SessionParts) -> str:
    """Return a digest of the terrain and the course: times on different courses are not compared."""
    assert parts.maneuver is not None and parts.maneuver.timed_course is not None and parts.maneuver.placed_course is not None
    course = parts.maneuver.placed_course
    lines = np.round(np.column_stack((course.centers, course.headings, course.widths)), 6).tolist()
    about = [hashes_of(parts.configuration.complete())["terrain"], asdict(parts.maneuver.timed_course), lines]
    return hashlib.sha256(json_text(about, in_order=True).encode()).hexdigest()[:FINGERPRINT]


class CourseRecords:
    """Results of a course before and after a drive.

    Parameters
    ----------
    parts : of the drive, whose maneuver has a timed course
    say : called with one line for each failure
    """

    def __init__(self, parts: SessionParts, say: Callable[[str], None]) -> None:
        assert parts.maneuver is not None
        self._digest, self._say, self._vehicle = fingerprint_of(parts), say, Path(parts.configuration.name("vehicle")).stem
        folder = results_folder()
        self._folder = None if folder is None else folder / parts.maneuver.name.replace("/", "_")
        self._rows = [] if self._folder is None else read_results(self._folder / FILE, say)

    @property
    def best_lap(self) -> float | None:
        """Best lap on this version of the course [s]."""
        return min(
            (row["best_lap_s"] for row in self._rows if row["course_digest"] == self._digest and row["best_lap_s"] is not None),
            default=None,
        )

    def ghost(self) -> GhostTrack | None:
        """Return the ghost of the best lap; None without one."""
        if self._folder is None:
            return None
        folder = self._folder / self._digest
        try:
            return GhostTrack.load(folder)
        except (ValueError, KeyError, IndexError, zipfile.BadZipFile):
            with contextlib.suppress(OSError):
                os.replace(folder / GHOST, folder / f"{GHOST}.damaged")
            self._say(f"{folder / GHOST}: damaged; this drive has no ghost; the file is kept as {GHOST}.damaged")
            return None

    def add(self, course: SessionCourse, run: Path) -> list[str]:
        """Write the results of a drive, and the ghost of a new best lap; return lines for the user. Raises JounceError: a file cannot be read or
        written."""
        attempts = course.attempts
        if not attempts:
            return []
        if self._folder is None:
            raise OutputError("the user has no home folder for the results; hint: set HOME")
        self._rows = read_results(self._folder / FILE, self._say, must_read=True)  # another drive may have added some since
        before = self.best_lap
        best_before = min((row for row in self._rows if row["course_digest"] == self._digest and row["finished"]), key=score, default=None)
        new = [self._row(one) for one in attempts]
        rows = sorted([*self._rows, *new], key=lambda row: row["date"])
        best = min(rows, key=score)
        self._rows = rows if len(rows) <= MAX_RESULTS else [*([] if best in rows[-MAX_RESULTS:] else [best]), *rows[-MAX_RESULTS:]]
        create_folder(self._folder)
        write_text(self._folder / FILE, json_text(self._rows, indent=1) + "\n")
        lines = []
        finished = [row for row in new if row["finished"]]
        if finished and (best_before is None or score(min(finished, key=score)) < score(best_before)):
            lines.append("this is the best result on this course")
        laps = [lap for one in attempts for lap in one["laps"] if lap["clean"]]
        fastest = min(laps, key=lambda lap: lap["time_s"], default=None)
        if fastest is not None and (before is None or fastest["time_s"] < before):
            self._save_ghost(run, fastest)
        return lines

    def _row(self, attempt: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "date": time.strftime("%Y-%m-%d %H:%M:%S"),
            "vehicle": self._vehicle,
            "person": attempt["drivers"] == [PERSON],
            "finished": attempt["finished"],
            **{key: attempt.get(key) for key in NUMBERS},
            "cones": attempt["cones"],
            "leavings": attempt["leavings"],
            "course_digest": self._digest,
            "version": version(),
        }

    def _save_ghost(self, run: Path, lap: Mapping[str, Any]) -> None:
        """Save a lap of a run as the ghost of further drives. Raises JounceError: the log lacks columns."""
        assert self._folder is not None
        folder = self._folder / self._digest
        create_folder(folder)
        try:
            _lap_track(Recording(run, lambda _: None), lap).save(folder)
        except OSError as error:
            raise OutputError(f"{folder}: cannot be written: {error.strerror}") from None


def _lap_track(recording: Recording, lap: Mapping[str, Any]) -> GhostTrack:
    """Return a lap of a recording. Raises ConfigError: the log has not all columns."""
    columns = recording.columns("course_lap_time")
    began, end, now = lap["began_s"], lap["began_s"] + lap["time_s"], recording.times
    rows = np.flatnonzero((np.abs(now - columns["course_lap_time"] - began) < SAME_LAP) & (now >= began) & (now <= end + 0.02))
    rows = rows[np.unique(now[rows], return_index=True)[1]]
    if len(rows) < 2:
        raise ConfigError(recording.file, "course_lap_time", len(rows), "a log with the rows of the lap, for its ghost")
    times, cuts = now[rows] - began, np.zeros(len(rows), bool)
    return GhostTrack(times, cuts, recording.fields(FIELDS, rows), recording.geometry, 0.0, waits_for_motion=False, by_lap=True)
