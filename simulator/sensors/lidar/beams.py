"""Beams of scanning lidars: presets of common units, and files of other units.

A unit turns about its z axis. In each column, all lasers fire once, each at its own time. Rings are numbered as the driver of the unit numbers
them: Velodyne from the lowest laser, Ouster and Hesai from the first one, the top one.

    t = c period / columns + time of the laser                       column c = 0, 1, ...
    azimuth = start + turn field t / period + azimuth of the laser   turn -1: clockwise from above

Azimuth is counterclockwise from x, elevation is up from the x-y plane, both in sensor axes.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simulator.base.arrays import Array
from simulator.base.errors import NOTHING, ConfigError, ErrorCollector, UnreadableError
from simulator.base.inputfile import read_bytes
from simulator.base.suggestions import did_you_mean
from simulator.base.table_text import TableRows

COLUMNS = ("elevation_deg", "azimuth_offset_deg", "time_offset_us")
"""Columns of a table of beams; the last two are optional."""
LIMITS = {COLUMNS[0]: (-89.9, 89.9), COLUMNS[1]: (-360.0, 360.0), COLUMNS[2]: (0.0, 1e6)}
HESAI = ("laser id", "elevation", "azimuth")
"""Columns of an angle correction file of Hesai, in deg."""
OUSTER = ("beam_altitude_angles", "beam_azimuth_angles")
"""Keys of the JSON of an Ouster unit, in deg; at its top level or in `beam_intrinsics`."""
MAX_BEAMS = 256
MAX_BYTES = 1 << 20
STEEPEST = math.radians(89.9)
"""rad. Maximum elevation."""


class BeamTable(NamedTuple):
    """Lasers of a unit in the order of rings."""

    elevation: Array
    """(rings,) rad"""
    azimuth: Array
    """(rings,) rad, offset from the azimuth of the column"""
    time: Array
    """(rings,) s, time of firing after the start of the column"""


class Firings(NamedTuple):
    """All firings of a revolution, column by column: index = column * rings + ring."""

    time: Array
    """(n,) s after the start of the scan"""
    azimuth: Array
    """(n,) rad"""
    ring: NDArray[np.uint16]
    """(n,)"""
    direction: Array
    """(n, 3) unit vectors in sensor axes S at the time of firing"""
    period: float
    """s"""
    columns: int


@dataclass(frozen=True)
class LidarPreset:
    """Data of a unit."""

    beams: BeamTable
    rate: float
    """Hz"""
    columns_per_second: float
    min_range: float
    """m"""
    max_range: float
    """m, no return from farther"""
    range_at_10_percent: float
    """m, maximum range of a surface with the reflectance 0.1, perpendicular, in clear air"""
    range_noise: float
    """m, standard deviation for a strong return"""
    range_step: float
    """m, resolution"""
    divergence: float
    """rad, full angle"""
    wavelength: float
    """m"""


def beam_table(elevation: Array, azimuth: ArrayLike = 0.0, time: ArrayLike = 0.0, is_ordered: bool = False) -> BeamTable:
    """Return the table of lasers: elevation [rad], azimuth offset [rad], time offset [s]. Rings count from the lowest laser, or as the lasers
    are given if `is_ordered`."""
    order = np.arange(len(elevation)) if is_ordered else np.argsort(elevation, kind="stable")
    return BeamTable(*((np.asarray(part, float) + np.zeros(len(elevation)))[order] for part in (elevation, azimuth, time)))


def _vlp_16() -> LidarPreset:
    """Velodyne VLP-16, user manual 63-9243: 16 lasers, 2.304 us apart, a cycle of 55.296 us. Range at reflectance 0.1: assumed."""
    low = np.arange(-15.0, 0.0, 2.0)
    elevation = np.column_stack((low, low + 16.0)).ravel()
    beams = beam_table(np.radians(elevation), 0.0, 2.304e-6 * np.arange(16))
    return LidarPreset(beams, 10.0, 1.0 / 55.296e-6, 0.5, 100.0, 50.0, 0.01, 0.002, 0.003, 903e-9)


def _hdl_32e() -> LidarPreset:
    """Velodyne HDL-32E, user manual 63-9113: 32 lasers, 1.152 us apart, a cycle of 46.08 us. Range at reflectance 0.1: assumed."""
    rings = np.linspace(-30.67, 10.67, 32).round(4)
    elevation = np.column_stack((rings[:16], rings[16:])).ravel()
    beams = beam_table(np.radians(elevation), 0.0, 1.152e-6 * np.arange(32))
    return LidarPreset(beams, 10.0, 1.0 / 46.08e-6, 1.0, 100.0, 50.0, 0.0067, 0.002, 0.003, 903e-9)


def _os1_64() -> LidarPreset:
    """Ouster OS1-64, data sheet of the first generation: 64 lasers that fire together, 1024 columns at 10 Hz, 120 m at reflectance 0.8, 40 m at 0.1."""
    offset = np.tile((-3.164, -1.055, 1.055, 3.164), 16)  # ring 0 is the top laser
    beams = beam_table(np.radians(np.linspace(15.8, -15.8, 64).round(4)), np.radians(offset), is_ordered=True)
    return LidarPreset(beams, 10.0, 10240.0, 0.5, 120.0, 40.0, 0.015, 0.003, math.radians(0.18), 850e-9)


PRESETS = {"vlp_16": _vlp_16(), "hdl_32e": _hdl_32e(), "os1_64": _os1_64()}


def firings(beams: BeamTable, columns: int, period: float, start: float = math.pi, turn: int = -1, field: float = math.tau) -> Firings:
    """Return the firings of a scan of `period` [s].

    Parameters
    ----------
    columns : number of columns of a scan
    start : azimuth of the start of the scan [rad]; default: to the rear, so that the view ahead has no seam
    turn : -1 = clockwise from above, 1 = counterclockwise
    field : azimuth that a scan covers [rad]
    """
    time = (np.arange(columns) * (period / columns))[:, None] + beams.time
    azimuth = start + turn * field * time / period + beams.azimuth
    up = np.broadcast_to(beams.elevation, azimuth.shape)
    direction = np.stack((np.cos(up) * np.cos(azimuth), np.cos(up) * np.sin(azimuth), np.sin(up)), axis=-1)
    ring = np.tile(np.arange(len(beams.time), dtype=np.uint16), columns)
    return Firings(time.ravel(), azimuth.ravel(), ring, np.ascontiguousarray(direction.reshape(-1, 3)), period, columns)


def read_beams(path: Path) -> BeamTable:
    """Return the lasers of a file: a CSV file with one laser per row, an angle correction file of Hesai (.csv), or the JSON of an Ouster unit.

    The rings of a table of Jounce count from the lowest laser, those of the others as their drivers number the channels.

    Raises ConfigError for all rows that cannot be used.
    """
    if path.suffix.lower() == ".json":
        return _of_ouster(path)
    rows = TableRows(path, "a CSV table of beams", MAX_BYTES)
    if sorted(name.lower() for name in rows.names) == sorted(HESAI):
        return _of_hesai(path, rows)
    names = rows.names
    for name in names:
        if name not in COLUMNS or names.count(name) > 1:
            expected = f"one of the columns {', '.join(COLUMNS)}, once; or Laser id, Elevation, Azimuth (Hesai)"
            raise ConfigError(path, name, name, f"{expected}{did_you_mean(name, COLUMNS)}")
    if COLUMNS[0] not in names:
        raise ConfigError(path, COLUMNS[0], NOTHING, f"a column {COLUMNS[0]}")
    elevation, azimuth, time = _lasers(path, rows, [(name, name if name in names else "", *LIMITS[name]) for name in COLUMNS]).T
    return beam_table(np.radians(elevation), np.radians(azimuth), 1e-6 * time)


def _of_hesai(path: Path, rows: TableRows) -> BeamTable:
    """Return the lasers of an angle correction file of Hesai: ring 0 is the first laser, azimuths are clockwise from above."""
    written = {name.lower(): name for name in rows.names}
    limits = ((0.0, MAX_BEAMS), LIMITS[COLUMNS[0]], LIMITS[COLUMNS[1]])
    number, elevation, azimuth = _lasers(path, rows, [(written[name], written[name], *limits[n]) for n, name in enumerate(HESAI)]).T
    order = np.argsort(number, kind="stable")
    first = number[order[0]]
    if first not in (0.0, 1.0) or (number[order] != first + np.arange(len(number))).any():
        raise ConfigError(path, written[HESAI[0]], [f"{one:g}" for one in number[:8]], "each number from 1 to the number of lasers, once")
    return beam_table(np.radians(elevation[order]), -np.radians(azimuth[order]), is_ordered=True)


def _of_ouster(path: Path) -> BeamTable:
    """Return the lasers of the JSON of an Ouster unit: ring 0 is the first laser, the top one; azimuths are clockwise from above."""
    try:
        content = json.loads(read_bytes(path, "the JSON of a lidar", MAX_BYTES))
    except (ValueError, RecursionError) as error:
        raise UnreadableError(path, "", str(error), "the JSON of a lidar, with beam_altitude_angles") from None
    while isinstance(content, dict) and OUSTER[0] not in content and isinstance(content.get("beam_intrinsics"), dict):
        content = content["beam_intrinsics"]
    if not isinstance(content, dict):
        raise ConfigError(path, "", type(content).__name__, f"an object with {' and '.join(OUSTER)}")
    angles = []
    for name, limits in zip(OUSTER, (LIMITS[COLUMNS[0]], LIMITS[COLUMNS[1]]), strict=True):
        given = content.get(name)
        if not isinstance(given, list) or not 1 <= len(given) <= MAX_BEAMS:
            got = NOTHING if given is None else f"{len(given)} entries" if isinstance(given, list) else given
            raise ConfigError(path, name, got, f"a list of 1 to {MAX_BEAMS} angles in degrees, one for each laser")
        for n, one in enumerate(given):
            if isinstance(one, bool) or not isinstance(one, int | float) or not limits[0] <= one <= limits[1]:
                raise ConfigError(path, f"{name}[{n}]", one, f"a number from {limits[0]:g} to {limits[1]:g}")
        angles.append(np.radians(np.array(given, float)))
    if len(angles[0]) != len(angles[1]):
        raise ConfigError(path, OUSTER[1], f"{len(angles[1])} angles", f"{len(angles[0])} angles, as in {OUSTER[0]}")
    return beam_table(angles[0], -angles[1], is_ordered=True)


def _lasers(path: Path, rows: TableRows, columns: list[tuple[str, str, float, float]]) -> Array:
    """Return the numbers (rows, columns) of a table; a column is its name, its heading (empty: zeros), and the limits of its numbers."""
    lasers: list[list[float]] = []
    with ErrorCollector() as faults:
        for row in rows:
            with faults.part():
                lasers.append(
                    [_number(path, rows.line, name, row[heading] if heading else "0", *limits) for name, heading, *limits in columns]
                )
            if len(lasers) > MAX_BEAMS:
                break
    if not 1 <= len(lasers) <= MAX_BEAMS:
        raise ConfigError(path, "", NOTHING if not lasers else f"more than {MAX_BEAMS} rows", f"1 to {MAX_BEAMS} rows, one for each laser")
    return np.array(lasers)


def _number(path: Path, line: int, name: str, text: str, low: float, high: float) -> float:
    """Return the number of a cell. Raises ConfigError."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        raise ConfigError(
            path, f"line {line}: {name}", text or NOTHING if math.isnan(value) else value, f"a number from {low:g} to {high:g}"
        )
    return value
