"""Command `jounce compare`: compare runs and tables, or tabulate vehicles and maneuvers; writes a page and a JSON file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError, JounceError
from simulator.base.json_output import json_text
from simulator.base.output_target import is_stream, output_path
from simulator.report.html_page import Page
from simulator.run.folder import RunFolder
from simulator.telemetry.atomic_files import write_text
from simulator.validation.compare.bands import bands_of, evaluate_band
from simulator.validation.compare.comparison_file import Comparison, comparison_from_arguments
from simulator.validation.compare.differences import channels_of, differences, metric_rows
from simulator.validation.compare.page import BandResult, ComparisonResult, compare_page, outcome, to_dict, to_text
from simulator.validation.compare.record import Record, known_units, read_record, with_unique_names, written_channel
from simulator.validation.compare.vehicle_maneuver_matrix import matrix_of, read_entries
from simulator.validation.compare.vehicle_maneuver_page import matrix_object, matrix_page, matrix_text

PAGE, MATRIX = "comparison.html", "matrix.html"


MAX_ROWS = 1 << 17
"""Maximum number of rows of the common time grid."""
FINEST = 0.001
"""Minimum step of the common time grid in s."""
MIN_OVERLAP = 0.5
"""Minimum overlap as a fraction of the shorter record. Short overlaps correlate by chance."""


def shift_of(reference: Record, other: Record, channel: str) -> float:
    """Return the seconds to add to the times of `other` for the best correlation, to a fraction of a step. Raises ConfigError."""
    for one in (reference, other):
        if channel not in one.columns:
            raise ConfigError(one.place, "--align", channel, "a channel of both records")
    spans = [float(one.time[-1] - one.time[0]) for one in (reference, other)]
    steps = [span / (len(one.time) - 1) for span, one in zip(spans, (reference, other), strict=True)]
    h = max(FINEST, min(steps), max(spans) / MAX_ROWS)
    a, b = (_resampled(one, channel, h) for one in (reference, other))
    if np.ptp(a) == 0.0 or np.ptp(b) == 0.0:
        raise ConfigError(other.place, "--align", channel, "a channel that varies in both records")
    lags, likeness = correlation(a, b)
    best = int(np.argmax(likeness))
    return float(reference.time[0] - other.time[0]) + h * (float(lags[best]) + _peak(likeness, best))


def correlation(a: Array, b: Array) -> tuple[NDArray[np.int64], Array]:
    """Return (lags, correlation coefficients of a[i] and b[i - lag]) for overlaps of at least MIN_OVERLAP, by the fast Fourier
    transform."""
    from scipy.signal import correlate, correlation_lags

    def sums(one: Array, other: Array) -> Array:
        return np.asarray(correlate(one, other, method="fft"))

    a, b = a - a.mean(), b - b.mean()
    all_a, all_b = np.ones_like(a), np.ones_like(b)
    lags = correlation_lags(len(a), len(b))
    count = np.rint(sums(all_a, all_b))
    valid = count >= max(2.0, MIN_OVERLAP * min(len(a), len(b)))
    count = np.where(valid, count, 1.0)
    mean_a, mean_b = sums(a, all_b) / count, sums(all_a, b) / count
    covariance = sums(a, b) / count - mean_a * mean_b
    variance = (sums(a * a, all_b) / count - mean_a**2) * (sums(all_a, b * b) / count - mean_b**2)
    floor = 1e-12 * float(np.mean(a * a) * np.mean(b * b))
    return lags[valid], (covariance / np.sqrt(np.maximum(variance, floor)))[valid]


def _resampled(one: Record, channel: str, h: float) -> Array:
    values = np.asarray(one.columns[channel], dtype=float)
    sound = np.isfinite(values)
    if not sound.any():
        raise ConfigError(one.place, "--align", channel, "a channel with numbers")
    return np.interp(np.arange(one.time[0], one.time[-1], h), one.time[sound], values[sound])


def _peak(values: Array, best: int) -> float:
    """Return the position of the vertex of a parabola through the maximum and its neighbors, in steps from the maximum."""
    if not 0 < best < len(values) - 1:
        return 0.0
    before, at, after = values[best - 1 : best + 2].tolist()
    bend = before - 2.0 * at + after
    return 0.5 * (before - after) / bend if bend < 0.0 else 0.0


def main_compare(arguments: Any) -> int:
    """Run `jounce compare`. Return exit code 1 if a band is violated, or if a run of a table did not pass. Raises JounceError."""
    if arguments.matrix:
        return _main_matrix(arguments)
    if len(arguments.runs) < 2:
        raise JounceError(f"compare: too few runs; expected two or more, or --matrix; got {len(arguments.runs)}")
    options = comparison_from_arguments(arguments.map, arguments.band, arguments.align, arguments.channels, arguments.min_compared)
    comparison = compare(arguments.runs, options)
    given = to_dict(comparison)
    file = _write(arguments, PAGE, lambda place: compare_page(comparison, place), given)
    if arguments.json:
        print(json_text({"page": str(file), "result": given}))
    else:
        print("\n".join(to_text(comparison)))
        print(f"{outcome(comparison).text}; {file}")
    return 1 if comparison.satisfied is False else 0


def compare(places: list[str], options: Comparison) -> ComparisonResult:
    """Return the comparison of runs and tables with the first one. Raises ConfigError."""
    read = with_unique_names([read_record(place, options) for place in places])
    records = aligned(read, options)
    units = known_units() | {name: unit for one in records for name, unit in one.units.items()}
    bands = [BandResult(band, *evaluate_band(records, band)) for band in bands_of(options, units)]
    channels = channels_of(records, options)
    title = options.title or f"{records[0].name} compared with {', '.join(one.name for one in records[1:])}"
    return ComparisonResult(title, records, channels, differences(records, channels), metric_rows(records), bands)


def aligned(records: list[Record], options: Comparison) -> list[Record]:
    """Return the records with shifted times if requested. The first record stays unchanged. Raises ConfigError."""
    if not options.align:
        return [records[0], *(one.shifted(options.offset) if options.offset else one for one in records[1:])]
    units = {name: unit for one in records for name, unit in one.units.items()}
    channel = written_channel(options.align, units, options.file, "align")[0]
    return [records[0], *(one.shifted(shift_of(records[0], one, channel)) for one in records[1:])]


def _main_matrix(arguments: Any) -> int:
    entries = read_entries(arguments.runs)
    names = tuple(name for given in arguments.metrics for name in given.split(",") if name)
    matrix = replace(matrix_of(entries), wanted=names)
    given = matrix_object(matrix)
    file = _write(arguments, MATRIX, lambda place: matrix_page(matrix, place), given)
    print(json_text({"page": str(file), "result": given}) if arguments.json else f"{matrix_text(matrix)}\n{file}")
    return 1 if any(entry.passed is False for entry in entries) else 0


def _write(arguments: Any, name: str, make: Any, given: dict[str, Any]) -> Path:
    """Write the page and the object: to --html, into the folder of --out, or into a new folder under ``runs``. Raises OutputError."""
    if arguments.html is not None:
        file = output_path(arguments.html)
        return _written(file, make(file), given)
    folder = RunFolder(Path(arguments.out) if arguments.out else None)
    try:
        file = _written(folder.path / name, make(folder.path / name), given)
        folder.began()
        return file
    finally:
        folder.abandon()
        folder.release()


def _written(file: Path, page: Page, given: dict[str, Any]) -> Path:
    write_text(file, page.html())
    if not is_stream(file):  # a device or a pipe has no file next to it
        write_text(file.with_suffix(".json"), json_text({"result": given}, indent=1) + "\n")
    return file
