"""Scans of a moving lidar compared with reference scans."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from simulator.sensors.lidar.scan import beams_of_history, scan
from simulator.validation.reference.scan_files import ScanFile, read_scan, scan_files
from simulator.validation.suite.result import Row
from terrain.rays.caster import RayCaster

TIME, RANGE, POINTS = 1e-6, 1e-3, 2e-3
"""s, m, m. Tolerances of firings, ranges and points."""
PER_ERROR = 1.5
"""m of range per m of error of the heights of sampled hills, at vertical incidence."""
OTHER_OBJECTS = 0.002
"""Fraction of the beams that may meet another object on sampled hills."""
SHOWN_ERROR = 1e-5
"""m. Smaller errors are those of the single precision of the reference."""


def scans(folder: Path) -> list[Row]:
    """Return one row for each scan."""
    return [_scan_row(read_scan(file)) for file in scan_files(folder)]


def _scan_row(one: ScanFile) -> Row:
    """Return the row of a scan, whose poses are interpolated between ticks as in a drive."""
    beams = beams_of_history(one.fired, one.history(), 0.0, np.zeros(3), np.eye(3))
    returns = scan(one.fired, beams, RayCaster(one.scene.ground, one.scene.objects).cast, one.max_range)
    wrong = int((one.fair & (returns.object != one.object)).sum())
    both = one.fair & (returns.object == one.object) & (one.object >= 0)
    late = float(np.abs(returns.time - one.time).max())
    ranges = np.abs(returns.range[both] - one.range[both])
    points = np.maximum(np.abs(returns.points - one.raw)[both], np.abs(returns.deskewed - one.deskewed)[both]).max(axis=1)
    more = PER_ERROR * one.scene.height_error / returns.incidence[both]
    passed = late <= TIME and bool((ranges <= RANGE + more).all() and (points <= POINTS + more).all())
    passed = passed and (returns.ring == one.ring).all() and wrong <= (OTHER_OBJECTS * len(both) if one.scene.height_error else 0)
    worst = max(float(ranges.max(initial=0.0)), float(points.max(initial=0.0)))
    return Row(
        f"scan {one.name}",
        f"{wrong} of {len(both)} beams meet another object",
        f"{int(one.fair.sum())} fair beams",
        f"time {'< 1e-09' if late < 1e-9 else format(late, '.0e')} s, "
        + (f"range and points {worst:.1g} m" if worst >= SHOWN_ERROR else f"range and points < {SHOWN_ERROR:g} m"),
        f"time {TIME:g} s, range {RANGE:g} m, points {POINTS:g} m",
        bool(passed),
    )
