"""Conformance of terrain types and of formats of elevation data."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.errors import JounceError
from simulator.base.values import Values
from simulator.builder.builder import data_folder
from simulator.conformance.findings import Check, Findings
from simulator.conformance.parameters import EXAMPLE, check_parameters, limits, parameter_values
from terrain.ground import Ground
from terrain.kinds import TerrainFile, TerrainKind
from terrain.readers.contract import LOCAL, LONLAT, MAP, PIXELS, ElevationSource
from terrain.readers.kinds import FIELDS, ElevationFormatKind
from terrain.readers.request import ReadRequest

GRIDS = ("heights", "hardness", "soil_ids")
"""Arrays of a ground with one number per node."""
GARBAGE = {"empty": b"", "with random bytes": bytes(range(256)) * 16, "with text": b"not elevation data\n" * 40}
"""Contents of files that are no elevation data."""
BUDGET = 60.0
"""s. Time to read a file, at the start of a program."""


def check_terrain_type(kind: TerrainKind, findings: Findings, example: Mapping[str, Any]) -> None:
    """Check a terrain type. A type without a table, or with required keys that are no numbers, needs an example."""
    if kind.table is not None:
        check_parameters(findings, kind.table, numbers_only=False)
    if findings.failed:
        return
    ground = findings.created(lambda: _read(kind, _values(kind, example)), bool(example))
    if ground is None:
        return
    with findings.check("ground") as check:
        _check_ground(check, ground)
    if findings.failed:
        return
    with findings.check("determinism") as check:
        again = _read(kind, _values(kind, example))
        same = all(getattr(ground, name).tobytes() == getattr(again, name).tobytes() for name in (*GRIDS, "p", "soils"))
        check.need(same, "reading the same file again gives another ground; take random numbers from a seed in the file")
    with findings.check("content of the file") as check:
        values = _values(kind, example)
        before = repr(values)
        _read(kind, values)
        check.need(repr(values) == before, "changes the content of the file; copy what must change")
    _check_limits(kind, _values(kind, example), findings)
    findings.median_time(lambda: _read(kind, _values(kind, example)), BUDGET, "the start of a drive")


def _values(kind: TerrainKind, example: Mapping[str, Any]) -> Any:
    """Return the content of a terrain file as its reader receives it."""
    return dict(example) if kind.table is None else parameter_values(kind.table, example)


def _read(kind: TerrainKind, values: Any) -> Ground:
    return kind.read(TerrainFile(values, EXAMPLE, EXAMPLE, data_folder("assets"), {}))


def _check_ground(check: Check, ground: Ground, prefix: str = "") -> None:
    """Check type, shapes, ranges and numbers of a ground."""
    if not isinstance(ground, Ground):
        check.fail(f"{prefix}returns {type(ground).__name__}; expected a Ground, for example from terrain.load_terrain.uniform")
        return
    shape = np.shape(ground.heights)
    check.need(len(shape) == 2 and min(shape) >= 4, f"{prefix}heights of the shape {shape}; expected at least 4 rows and 4 columns")
    for name in GRIDS:
        check.need(np.shape(getattr(ground, name)) == shape, f"{prefix}{name}: expected the shape of the heights, {shape}")
    for name in ("heights", "hardness", "spawn"):
        check.need(bool(np.isfinite(getattr(ground, name)).all()), f"{prefix}{name}: NaN or infinite; expected finite numbers")
    check.need(bool((ground.p[0]["spacing"] > 0.0).all()), f"{prefix}spacing of the grid: expected distances above 0 m")
    check.need(bool((ground.hardness >= 0.0).all() and (ground.hardness <= 1.0).all()), f"{prefix}hardness: expected 0 to 1")
    check.need(int(ground.soil_ids.max(initial=0)) < len(ground.soils), f"{prefix}soil_ids: expected rows of soils")
    check.need(len(ground.soil_names) == len(ground.soils), f"{prefix}soil_names: expected one name for each row of soils")


def _check_limits(kind: TerrainKind, values: Values, findings: Findings) -> None:
    """Check the ground with each number of the table at the limits of its range."""
    if kind.table is None:
        return
    with findings.check("limits of the keys") as check:
        for description, extreme in limits(kind.table, values):
            given = _values(kind, extreme)
            try:
                _check_ground(check, _read(kind, given), f"{description}: ")
            except JounceError:
                continue  # the reader rejects the combination with the other values
            except MemoryError:
                check.warn(f"{description}: not enough memory; narrow the range, or limit the number of nodes")


def check_elevation_format(kind: ElevationFormatKind, findings: Findings, example: Mapping[str, Any]) -> None:
    """Check a format of elevation data; the example has the key `file` and the options of the format."""
    with findings.check("keys") as check:
        known = {field.name for field in FIELDS} - {"file", "format"}
        for key in sorted(set(kind.keys) - known):
            check.fail(f"unknown key {key}; expected keys of terrain.readers.kinds.FIELDS")
        for key in sorted({key for keys in kind.needs for key in keys} - set(kind.keys)):
            check.fail(f"required key {key}; add it to the keys of the format")
    with findings.check("suffixes") as check:
        for suffix in kind.suffixes:
            check.need(suffix.startswith(".") and suffix == suffix.lower(), f"{suffix!r}; expected a dot and lower-case letters")
    if not findings.failed:
        _check_garbage(kind, findings)
        _check_example(kind, findings, example)


def _check_garbage(kind: ElevationFormatKind, findings: Findings) -> None:
    """Check that files that are no elevation data are rejected with a message for the user."""
    with findings.check("files that are no elevation data") as check, tempfile.TemporaryDirectory() as folder:
        for description, content in GARBAGE.items():
            path = Path(folder) / f"data{kind.suffixes[0] if kind.suffixes else '.dat'}"
            path.write_bytes(content)
            try:
                kind.read(ReadRequest(path, {}, EXAMPLE, assumed=[]))
            except JounceError:
                continue
            except Exception as error:
                check.fail(f"a file {description}: raises {type(error).__name__}; raise a ConfigError with the problem of the file")


def _check_example(kind: ElevationFormatKind, findings: Findings, example: Mapping[str, Any]) -> None:
    """Check the heights of an example file."""
    if "file" not in example:
        with findings.check("heights") as check:
            check.warn("not checked, since there is no file; give an example with the key `file`")
        return
    options = parameter_values(tuple(field for field in FIELDS if field.name in (*kind.keys, "file")), example)
    path = Path(options.pop("file"))
    source = findings.created(lambda: kind.read(ReadRequest(path, options, EXAMPLE, assumed=[])), True)
    if source is None:
        return
    with findings.check("heights") as check:
        _check_source(check, source)
    if not findings.failed:
        findings.median_time(lambda: kind.read(ReadRequest(path, options, EXAMPLE, assumed=[])), BUDGET, "the start of a drive")


def _check_source(check: Check, source: ElevationSource) -> None:
    """Check the properties of a source, and its heights at points inside, outside and at no points."""
    check.need(source.kind in (LONLAT, LOCAL, PIXELS, MAP), f"kind {source.kind!r}; expected lonlat, local, pixels or map")
    x0, x1, y0, y1 = source.bounds
    check.need(
        bool(np.isfinite(source.bounds).all()) and x0 < x1 and y0 < y1, f"bounds {source.bounds}; expected x_min, x_max, y_min, y_max"
    )
    check.need(all(step > 0.0 for step in source.step), f"step {source.step}; expected distances above 0")
    x, y = (grid.ravel() for grid in np.meshgrid(np.linspace(x0, x1, 17), np.linspace(y0, y1, 13)))
    before, inside = (x.tobytes(), y.tobytes()), source.inside(x, y)
    for name, heights in (("heights", source.heights), ("smooth", source.smooth)):
        result = heights(x, y)
        check.need(np.shape(result) == x.shape, f"{name}: result of the shape {np.shape(result)} for points of the shape {x.shape}")
        check.need(not np.isinf(result).any(), f"{name}: infinite; expected heights in m, or NaN at points without data")
        check.need(result.tobytes() == heights(x, y).tobytes(), f"{name}: a second call gives other heights")
        check.need(np.shape(heights(x[:0], y[:0])) == (0,), f"{name}: expected an empty result for no points")
    check.need(np.shape(inside) == x.shape and np.asarray(inside).dtype == bool, "inside: expected one bool for each point")
    far = np.array([x1 + 1e3 * (x1 - x0)]), np.array([y1 + 1e3 * (y1 - y0)])
    check.need(not source.inside(*far).any(), "inside: True for a point far outside of the bounds")
    check.need((x.tobytes(), y.tobytes()) == before, "changes the coordinates of the points; copy what must change")
    check.need(isinstance(source.about(), dict), "about: expected a dict")
