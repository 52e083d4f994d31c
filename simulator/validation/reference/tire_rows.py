"""Comparison of tire forces and moments with rows of a CSV file (`jounce validate tire ROWS.csv FILE`).

The columns determine the kind of rows. Errors are relative to the load, those of moments to load times radius:

- `kappa`, `alpha`, `gamma`, `Fz` (`p`, `Vx`, `mount`, `file`): Magic Formula. Columns ending in `_lin` use angles, columns ending in
  `_tan` their tangents. One reading counts for a complete file: the given one, or the one with the smaller error.
- `a`, `b`, `mu_ratio`, `Fz`, `tyre`: TMeasy (a, b slips of the tread) and Fiala (a slip, b slip angle), with tire data in a .json file
  by name.
- `Fz`, `gamma`, `sigma_kappa_m`, `sigma_alpha_m`: relaxation lengths.

Axes are those of `vehicles.tires.contract`; `mount` mirror: the tire is mounted on the other side.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError, UnreadableError
from simulator.base.npy_reader import read_json
from simulator.base.records import Record
from simulator.base.table_text import read_table_text
from simulator.builder.builder import build_tire
from simulator.validation.reference.result import Comparison
from vehicles.tires.magic_formula.formulas import magic_formula
from vehicles.tires.magic_formula.model import KIND as MAGIC
from vehicles.tires.magic_formula.model import relaxation
from vehicles.tires.magic_formula.tir_file import read_tir
from vehicles.tires.magic_formula.tir_tire import READINGS, magic_record
from vehicles.tires.steady_state import SPEED, conditions, steady, steady_at
from vehicles.tires.tire_file import TireFile, tire

LIMIT = 1e-6
RELAXATION_LIMIT = 1e-4
"""Relative limit of relaxation lengths, whose rows have six digits."""
MAX_BYTES = 1 << 26

FORCES, MOMENTS = ("Fx", "Fy"), ("Mx", "My", "Mz")
STIFFNESSES = ("Kxk", "Kya")
SUFFIXES = dict(zip(READINGS, ("_lin", "_tan"), strict=True))

PREFIXES = {"tmeasy": "tm", "fiala": "fi"}
"""Name prefixes of the tires of a model in such rows."""

FAST_SPEED = 1e3
"""Tread speed in m/s for the rows of a TMeasy tire, high enough to exclude its rules for standstill."""

Row = Mapping[str, str]


class Numbers(NamedTuple):
    """Rows of a CSV file."""

    file: str
    rows: Sequence[Row]

    def column(self, name: str, default: float | None = None) -> NDArray[np.float64]:
        """Return the (n,) numbers of a column. Raises ConfigError."""
        return np.array([self._cell(n, name, default) for n in range(len(self.rows))])

    def has(self, name: str) -> bool:
        """Return whether a column exists."""
        return name in self.rows[0]

    def _cell(self, n: int, name: str, default: float | None) -> float:
        text = self.rows[n].get(name)
        if text is None and default is not None:
            return default
        try:
            value = float("nan" if text is None else text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise ConfigError(self.file, f"row {n + 1}.{name}", "nothing" if text is None else text, "a number")
        return value

    def where(self, name: str, value: str) -> Numbers:
        """Return the rows with a value in a column."""
        return Numbers(self.file, [row for row in self.rows if row.get(name) == value])


def compare_tire(rows: str, file: str, reading: str | None = None) -> Comparison:
    """Compare the computed forces with the rows.

    Parameters
    ----------
    rows : CSV file
    file : tire property file (.tir), tire file (.yaml), tire data by name (.json), or a folder of .tir files that the rows name
    reading : reading of the Magic Formula, one of READINGS; default: the better one

    Raises
    ------
    ConfigError : a file cannot be read, or has no data to compare
    """
    table = read_rows(rows)
    if table.has("tyre"):
        return _compare_named(table, file)
    if table.has("file") and Path(file).is_dir():
        return _compare_folder(table, Path(file), reading)
    one, notes = _of_file(table, Path(file))
    return _compare_one(one, file, reading, notes)


def read_rows(file: str) -> Numbers:
    """Return the rows of a CSV file with a header line. Raises ConfigError."""
    try:
        rows = list(csv.DictReader(read_table_text(file, "a CSV file", MAX_BYTES).splitlines()))
    except csv.Error as error:
        raise UnreadableError(file, "", str(error), "a CSV file") from None
    if not rows:
        raise ConfigError(file, "", "no rows", "a header line and at least one row")
    for n, row in enumerate(rows):
        if None in row or None in row.values():
            raise ConfigError(file, f"row {n + 1}", "a different number of cells", "the number of cells of the header line")
    return Numbers(file, rows)


def _of_file(table: Numbers, file: Path) -> tuple[Numbers, tuple[str, ...]]:
    """Return the rows of a file by its name, and notes on the others. Raises ConfigError: there are none."""
    if not table.has("file"):
        return table, ()
    names = list(dict.fromkeys(row["file"] for row in table.rows))
    name = next((name for name in names if name.lower() == file.stem.lower()), names[0] if len(names) == 1 else None)
    if name is None:
        raise ConfigError(table.file, "file", file.stem, f"one of the files in the rows: {', '.join(names)}")
    left = [f"{sum(row['file'] == other for row in table.rows)} of {other}" for other in names if other != name]
    return table.where("file", name), ((f"rows of other tires, not compared: {', '.join(left)}",) if left else ())


def _compare_folder(table: Numbers, folder: Path, reading: str | None) -> Comparison:
    """Compare all rows whose tires are in a folder; a tire that cannot be compared fails. Raises ConfigError: no tire of the rows is there."""
    errors: dict[str, float] = {}
    notes: list[str] = []
    count, limit = 0, LIMIT
    for name in dict.fromkeys(row["file"] for row in table.rows):
        one, file = table.where("file", name), folder / f"{name}.tir"
        if not file.is_file():
            notes.append(f"skipped: {len(one.rows)} rows of {name}, file {file.name} not found")
            continue
        try:
            comparison = _compare_one(one, str(file), reading, ())
        except ConfigError as error:
            errors[name] = math.inf
            notes.append(f"not compared: {len(one.rows)} rows of {name}; {str(error).splitlines()[0]}")
            continue
        count, limit = count + comparison.states, comparison.limit
        errors |= {f"{name} {quantity}": error for quantity, error in comparison.errors.items()}
        notes += [f"{name}: {note}" for note in comparison.notes]
    if not errors:
        raise ConfigError(table.file, "file", str(folder), "a folder with a .tir file that the rows name")
    return Comparison(table.file, "tires", count, errors, limit, tuple(notes))


def _compare_one(table: Numbers, file: str, reading: str | None, notes: tuple[str, ...]) -> Comparison:
    """Compare the rows of one tire."""
    if table.has("sigma_kappa_m"):
        return _compare_relaxation(table, file, notes)
    known = any(table.has(name + suffix) for name in (*FORCES, *MOMENTS) for suffix in ("", *SUFFIXES.values()))
    if not known:
        raise ConfigError(table.file, "", sorted(table.rows[0]), "at least one column to compare, such as Fx or Fy_lin")
    if not file.lower().endswith(".tir"):
        tire = build_tire(file)
        if tire.law.name != MAGIC.name:
            return _compare_generic(table, tire, file, notes)
        own = tire.own
    else:
        own = magic_record(read_tir(file))
    best: dict[str, float] = {}
    given: tuple[str, ...] = ()
    for name in READINGS if reading is None else (reading,):
        errors, which = _errors_of_formula(table, own, name)
        if not best or max(errors.values()) < max(best.values()):
            best, given = errors, (f"reading: {name}{which}",)
    return Comparison(table.file, f"Magic Formula of {Path(file).name}", len(table.rows), best, LIMIT, (*given, *notes))


def _errors_of_formula(table: Numbers, own: Record, reading: str) -> tuple[dict[str, float], str]:
    """Return the errors of the Magic Formula in a reading, and the used column of M_z."""
    p = own.copy()[0]
    p["linear"] = READINGS[0] == reading
    load, pressure, speed = table.column("Fz"), table.column("p", float(p["p"])), table.column("Vx", float(p["V0"]))
    side = np.array([-1.0 if row.get("mount", "file") == "mirror" else 1.0 for row in table.rows])
    slips = (table.column("kappa"), side * table.column("alpha"), side * table.column("gamma", 0.0))
    at = np.stack([load, *slips, pressure, speed, np.ones(len(load))], axis=1)
    F = np.array([magic_formula(p, *row) for row in at.tolist()])
    F[:, [1, 2, 4]] *= side[:, None]
    ours = dict(zip((*FORCES, *MOMENTS, *STIFFNESSES), F.T, strict=True))
    suffix = SUFFIXES[reading]
    errors, which = {}, ""
    for name, values in ours.items():
        columns = [column for column in (name + suffix, name, f"{name}{suffix}_nolf") if table.has(column)]
        if name in STIFFNESSES:
            columns = [column for column in columns if reading == READINGS[0] or name != STIFFNESSES[1]]
        formula_errors = {column: _error(values, table.column(column), load, name, float(p["R0"])) for column in columns}
        if formula_errors:
            least = min(formula_errors, key=lambda column: formula_errors[column])
            errors[name] = formula_errors[least]
            which = f", M_z of column {least}" if name == "Mz" and len(formula_errors) > 1 else which
    return errors, which


def _error(ours: NDArray[np.float64], expected: NDArray[np.float64], load: NDArray[np.float64], name: str, radius: float) -> float:
    """Return the largest error over the load, of a moment over load times radius, of a stiffness over the stiffness or the load if
    larger."""
    over = load * radius if name in MOMENTS else np.maximum(load, np.abs(expected)) if name in STIFFNESSES else load
    error = np.abs(ours - expected) / over
    return float(error.max()) if np.isfinite(error).all() else math.inf


def _compare_generic(table: Numbers, tire_: TireFile, file: str, notes: tuple[str, ...]) -> Comparison:
    """Compare rows over slip, slip angle and camber of a tire with another tire model."""
    load, radius = table.column("Fz"), float(tire_.shared[0]["radius"])
    F = steady(tire_, load, table.column("kappa", 0.0), table.column("alpha", 0.0), table.column("gamma", 0.0))
    errors = {
        name: _error(F[:, n], table.column(name), load, name, radius) for n, name in enumerate((*FORCES, *MOMENTS)) if table.has(name)
    }
    if not errors:
        raise ConfigError(table.file, "", sorted(table.rows[0]), "at least one column out of Fx, Fy, Mx, My, Mz")
    return Comparison(table.file, f"{tire_.law.name} of {Path(file).name}", len(table.rows), errors, LIMIT, notes)


def _compare_relaxation(table: Numbers, file: str, notes: tuple[str, ...]) -> Comparison:
    """Compare relaxation lengths of a Magic Formula tire."""
    own = magic_record(read_tir(file)) if file.lower().endswith(".tir") else build_tire(file).own
    p = own[0]
    at = zip(table.column("Fz"), table.column("gamma", 0.0), table.column("p", float(p["p"])), strict=True)
    ours = np.array([relaxation(p, *map(float, row)) for row in at])
    errors = {name: float(np.abs(ours[:, n] / table.column(name) - 1.0).max()) for n, name in enumerate(("sigma_kappa_m", "sigma_alpha_m"))}
    return Comparison(table.file, f"relaxation of {Path(file).name}", len(table.rows), errors, RELAXATION_LIMIT, notes)


def _compare_named(table: Numbers, file: str) -> Comparison:
    """Compare rows of TMeasy and Fiala tires by name. Raises ConfigError."""
    tires = tires_of_json(file) if file.lower().endswith(".json") else {"": build_tire(file)}
    errors: dict[str, float] = {}
    notes: list[str] = []
    count = 0
    for name in dict.fromkeys(row["tyre"] for row in table.rows):
        one = table.where("tyre", name)
        tire = tires.get(name) or tires.get("")
        if tire is None or ("" in tires and not name.startswith(PREFIXES.get(tire.law.name, ()))):
            notes.append(f"skipped: {len(one.rows)} rows of {name}, tire not found in {file}")
            continue
        load, radius, mu = (
            one.column("Fz"),
            float(tire.shared[0]["radius"]),
            one.column("mu_ratio", 1.0) * float(tire.shared[0]["friction"]),
        )
        a, b = one.column("a"), one.column("b")
        if tire.law.name == "tmeasy":
            at: Mapping[str, Any] = {
                "load": load,
                "v_x": FAST_SPEED * (1.0 - a),
                "tread": FAST_SPEED,
                "v_y": -FAST_SPEED * b,
                "camber": 0.0,
                "friction": mu,
            }
        else:
            at = {**conditions(tire, load, a, b), "friction": mu}
        F = steady_at(tire, at)
        for quantity, column in (("Fx", 0), ("Fy", 1), ("Mz", 4)):
            if one.has(quantity):
                errors[f"{name} {quantity}"] = _error(F[:, column], one.column(quantity), load, quantity, radius)
        count += len(one.rows)
    if not errors:
        raise ConfigError(table.file, "tyre", sorted({row["tyre"] for row in table.rows}), f"a tire of {file}, and a column Fx, Fy or Mz")
    return Comparison(table.file, f"tires of {Path(file).name}, at {SPEED:g} m/s", count, errors, LIMIT, tuple(notes))


def tires_of_json(file: str) -> dict[str, TireFile]:
    """Return the tires by name from a .json file with data of TMeasy (`pn` ...) or Fiala (`c_slip` ...) tires. Raises ConfigError."""
    content = read_json(file, "numbers of tires by name")
    if not isinstance(content, Mapping):
        raise ConfigError(file, "", content, "a mapping of names to the numbers of tires")
    return {str(name): _named_tire(values, file, str(name)) for name, values in content.items()}


SAME = ("dfx0", "fxm", "fxs", "dfy0", "fym", "fys", "sxm", "sxs", "sym", "sys", "sq0", "sqe")
USUAL = {
    "width": 0.3, "stiffness_growth": 0.0, "damping": 1e3, "bottoming_stiffness": 0.0, "friction": 1.0, "rolling_resistance": 0.0,
    "torque_radius": 1.0, "bulldozing": 0.0,
}  # fmt: skip
"""Data without effect on a tire in steady rolling."""


def _named_tire(values: Any, file: str, name: str) -> TireFile:
    """Return one of the tires. Raises ConfigError."""
    if not isinstance(values, Mapping):
        raise ConfigError(file, name, values, "the numbers of a tire")
    given = dict(values)
    try:
        if "pn" in given:
            law = {"type": "tmeasy", "load": given["pn"], "nl0": given["nL0"], **{key: given[key] for key in SAME}}
            law |= {"tread_stiffness": [1e5, 1e5], "tread_damping": [1e3, 1e3]}
            radial = {"radius": given["R0"], "stiffness": given["d1"], "load_max": given.get("pn_max", 3.5 * float(given["pn"]))}
        else:
            law = {"type": "fiala", "slip_stiffness": given["c_slip"], "cornering_stiffness": given["c_alpha"], "relaxation": [1.0, 1.0]}
            law |= {"friction_max": given["u_max"], "friction_min": given["u_min"], "moment_width": given["width"]}
            radial = {"radius": given.get("R0", 1.0), "stiffness": 1e6, "load_max": 1e6}
        radial["bottoming_radius"] = 0.5 * float(radial["radius"])
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigError(file, name, str(error), "all numbers of a TMeasy (pn ...) or Fiala (c_slip ...) tire") from None
    return tire({**USUAL, **radial, **law}, file, name)
