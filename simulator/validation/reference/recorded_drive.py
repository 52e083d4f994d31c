"""Recorded drives: a table of samples (`NAME.csv.gz` or `NAME.csv`) with a description (`NAME.json`)."""

from __future__ import annotations

import gzip
import io
import math
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError, UnreadableError
from simulator.base.inputfile import read_bytes
from simulator.base.npy_reader import read_json
from simulator.base.records import numbers
from terrain.ground import Ground
from terrain.load_terrain import load_terrain

INPUTS = {"steering": (-1.0, 1.0), "throttle": (0.0, 1.0), "braking": (0.0, 1.0)}
"""Input columns and their ranges."""

GRAVITY = 9.81
"""Default gravity of a recording in m/s2, as used by other vehicle codes."""

GROUNDS = ("flat", "bump")
"""Ground types of recordings; their other keys are those of a terrain file."""

FORMS = ("type", "shape", "profile", "form")
"""Keys of a ground with meaningful text; other texts are remarks."""

CONTACT_MODELS = {"SINGLE_POINT": r"single[ _-]?point", "FOUR_POINTS": r"four[ _-]?points?", "ENVELOPE": r"envelop(?:e|ing)"}
"""Contact models of tires (collision types of Project Chrono), with their spellings."""

MAX_BYTES = 1 << 26
"""Maximum size of a table in bytes, also unpacked."""

GAP = 1.0
"""Maximum time between two samples in s."""

BEFORE = 1.0
"""Time in s before the maneuver at which the comparison starts."""


class Recording:
    """Checked samples and description of a recording.

    Parameters
    ----------
    file : name of the table

    Raises
    ------
    ConfigError : table or description cannot be read, a cell is not a finite number, time does not increase, or an input is out of range
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.names, self.rows = _table(file)
        self.sidecar = str(_description_file(Path(file)))
        self.about = _description(self.sidecar)
        self.time = self.column("t")
        self.steering, self.throttle, self.braking = (self._input(name, *INPUTS[name]) for name in INPUTS)
        self._check_time()
        start = self.about.get("initial_conditions")
        if not isinstance(start, dict):
            raise ConfigError(self.sidecar, "initial_conditions", start, "a mapping with chassis_ref_pos, quaternion_wxyz and velocity")
        inside = "initial_conditions."
        self.p_WB = numbers(start.get("chassis_ref_pos"), (3,), self.sidecar, inside + "chassis_ref_pos", "m")
        self.q_WB = numbers(start.get("quaternion_wxyz"), (4,), self.sidecar, inside + "quaternion_wxyz")
        if abs(float(np.linalg.norm(self.q_WB)) - 1.0) > 1e-6:
            raise ConfigError(self.sidecar, inside + "quaternion_wxyz", self.q_WB.tolist(), "a unit quaternion")
        velocity = start.get("velocity", 0.0)
        shape = (3,) if isinstance(velocity, list) else ()
        self.v_WB_B = np.zeros(3)
        self.v_WB_B[: 3 if shape else 1] = numbers(velocity, shape, self.sidecar, inside + "velocity", "m/s")

    def ground(self) -> Ground:
        """Return the rigid ground of the recording with the recorded friction. Raises ConfigError."""
        terrain = self.about.get("terrain")
        if not isinstance(terrain, dict) or terrain.get("type") not in GROUNDS:
            raise ConfigError(self.sidecar, "terrain", terrain, "a mapping whose type is one of " + ", ".join(GROUNDS))
        friction = float(numbers(self.about.get("friction_mu_road"), (), self.sidecar, "friction_mu_road"))
        gravity = float(numbers(self.about.get("gravity", GRAVITY), (), self.sidecar, "gravity"))
        remarks = {name for name, value in terrain.items() if isinstance(value, str | bool) and name not in FORMS}
        measures = {name: value for name, value in terrain.items() if name not in remarks}
        return load_terrain({"friction": friction, "gravity": gravity, **measures}, self.sidecar, Path(self.sidecar).parent, {})

    @property
    def settled_row(self) -> int:
        """First compared row: `BEFORE` the maneuver, or the first. Raises ConfigError."""
        if self.about.get("maneuver_t0") is None:
            return 0
        t0 = float(numbers(self.about["maneuver_t0"], (), self.sidecar, "maneuver_t0", "s"))
        if not self.time[0] <= t0 < self.time[-1]:
            raise ConfigError(self.sidecar, "maneuver_t0", t0, f"a time of the recording, {self.time[0]:g} to {self.time[-1]:g} s")
        return int(np.argmin(np.abs(self.time - max(t0 - BEFORE, self.time[0]))))

    def row(self, time: float) -> int:
        """Return the row nearest to a time [s] that is followed by another row. Raises ConfigError."""
        if not self.time[0] <= time < self.time[-1]:
            raise ConfigError(self.file, "--from", time, f"a time from {self.time[0]:g} s to before {self.time[-1]:g} s")
        return min(int(np.argmin(np.abs(self.time - time))), len(self.time) - 2)

    def last_row(self, time: float | None, first: int) -> int:
        """Return the row nearest to a time [s], `first` or later; without a time, the last row. Raises ConfigError."""
        if time is None:
            return len(self.time) - 1
        if not self.time[first] <= time <= self.time[-1]:
            raise ConfigError(self.file, "--to", time, f"a time from {self.time[first]:g} s to {self.time[-1]:g} s")
        return max(int(np.argmin(np.abs(self.time - time))), first)

    @property
    def contact_model(self) -> str | None:
        """Contact model of the recorded tires, from the texts about tire, contact or collision in the description: one of
        CONTACT_MODELS, or None."""
        for key, text in _texts(self.about):
            found = re.search("|".join(CONTACT_MODELS.values()), text, re.IGNORECASE) if re.search("tire|contact|collision", key) else None
            if found:
                return next(name for name, words in CONTACT_MODELS.items() if re.fullmatch(words, found.group(), re.IGNORECASE))
        return None

    @property
    def is_of_chrono(self) -> bool:
        """True if the description names Project Chrono as the source."""
        return any("chrono" in str(self.about.get(key, "")).lower() for key in ("source", "vehicle_model", "tire_model"))

    def has(self, name: str) -> bool:
        """Return whether a column exists."""
        return name in self.names

    def column(self, name: str) -> Array:
        """Return a column. Raises ConfigError: it is missing, or contains other than finite numbers."""
        return self.values(name, range(len(self.rows)))

    def values(self, name: str, rows: Iterable[int]) -> Array:
        """Return the numbers of a column in some rows; the other rows are not checked. Raises ConfigError as `column`."""
        if name not in self.names:
            raise ConfigError(self.file, "columns", "no " + name, f"a column {name}")
        place = self.names.index(name)
        values = []
        for n in rows:
            text = self.rows[n][place]
            try:
                values.append(float(text))
            except ValueError:
                raise ConfigError(self.file, f"row {n + 1}, column {name}", text, "a number") from None
            if not math.isfinite(values[-1]):
                raise ConfigError(self.file, f"row {n + 1}, column {name}", text, "a finite number")
        return np.array(values)

    def _input(self, name: str, low: float, high: float) -> Array:
        values = self.column(name)
        bad = np.flatnonzero((values < low - 1e-6) | (values > high + 1e-6))
        if len(bad):
            raise ConfigError(self.file, f"row {bad[0] + 1}, column {name}", float(values[bad[0]]), f"an input from {low:g} to {high:g}")
        return np.clip(values, low, high)

    def _check_time(self) -> None:
        spans = np.diff(self.time)
        bad = np.flatnonzero((spans <= 0.0) | (spans > GAP))
        if len(bad):
            raise ConfigError(
                self.file, f"row {bad[0] + 2}, column t", float(self.time[bad[0] + 1]), f"increasing times with steps of at most {GAP:g} s"
            )


def _table(file: str) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of cells."""
    expected = "a (gzipped) CSV file in UTF-8"
    raw = read_bytes(file, expected, MAX_BYTES)
    try:
        if Path(file).suffix == ".gz":
            with gzip.GzipFile(fileobj=io.BytesIO(raw)) as stream:
                raw = stream.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            raise ConfigError(file, "", f"more than {MAX_BYTES} bytes unpacked", expected)
        lines = raw.decode("utf-8-sig").splitlines()
    except (EOFError, zlib.error, UnicodeDecodeError, OSError) as error:
        raise UnreadableError(file, "", str(error) or "an unfinished file", expected) from None
    rows = [line.split(",") for line in lines if line.strip()]
    if len(rows) < 3:
        raise ConfigError(file, "", f"{max(len(rows) - 1, 0)} samples", "a header line and at least two samples")
    names = [name.strip() for name in rows[0]]
    for n, row in enumerate(rows[1:]):
        if len(row) != len(names):
            raise ConfigError(file, f"row {n + 1}", f"{len(row)} cells", f"{len(names)} cells, as in the header")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ConfigError(file, "columns", twice, "unique column names")
    return names, rows[1:]


def _texts(about: dict[str, Any], inside: str = "") -> Iterator[tuple[str, str]]:
    """Yield all texts of a description with their key paths, except for the descriptions of columns."""
    for key, value in about.items():
        path = f"{inside}.{key}".lower()
        if isinstance(value, str):
            yield path, value
        elif isinstance(value, dict) and key != "columns":
            yield from _texts(value, path)


def _description_file(path: Path) -> Path:
    name = path.name.removesuffix(".gz").removesuffix(".csv")
    return path.with_name(name + ".json")


def _description(sidecar: str) -> dict[str, Any]:
    about = read_json(sidecar, "a JSON file that describes the recording")
    if not isinstance(about, dict):
        raise ConfigError(sidecar, "", about, "a mapping")
    return about
