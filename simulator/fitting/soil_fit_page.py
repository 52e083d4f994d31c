"""Report page of a fitted soil: values with intervals, identifiability, and measured and fitted quantities."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from simulator.base.arrays import Array
from simulator.fitting.soil_file_writer import interval_words
from simulator.fitting.soil_fit import (
    MISSED_FORCE,
    MISSED_SINKAGE,
    MISSED_SIZE,
    PARAMETERS,
    Estimate,
    FittedSoil,
    error_over_range,
    predicted,
)
from simulator.fitting.soil_measurements import MEASURED, WheelTests
from simulator.report.html_page import Column, Page
from simulator.report.plot import Axis, Curve, Panel
from simulator.tools.soil.soil_bin import SoilBin

SHOWN = {"m": ("mm", 1e3), "N": ("N", 1.0), "N m": ("N m", 1.0), "rad": ("deg", 180.0 / math.pi)}
CURVE = np.linspace(-1.0, 0.95, 79)
"""Slip values of the curves."""
MAX_ANGLES = 6
"""Maximum number of curves in a plot; of more angles, an even selection is drawn."""


def parameter_rows(fitted: FittedSoil) -> list[list[str]]:
    """Return name, unit, value, interval and range of the search for each parameter."""
    rows = []
    for name, one in fitted.estimates.items():
        unit, factor = SHOWN.get(one.unit, (one.unit, 1.0)) if one.unit == "rad" else (one.unit, 1.0)
        least, most, _ = PARAMETERS[name]
        shown = Estimate(factor * one.value, factor * one.low, factor * one.high, unit)
        rows.append(
            [name, "" if unit == "1" else unit, f"{shown.value:.5g}", interval_words(shown), f"{factor * least:.4g} to {factor * most:.4g}"]
        )
    return rows


def quality_rows(fitted: FittedSoil, tests: WheelTests) -> list[list[str | float]]:
    """Return quantity, unit, number of rows, root mean square of the error, and its percentage of the measured range."""
    rows: list[list[str | float]] = []
    for name, values in tests.measured.items():
        good = np.isfinite(values)
        if good.any():
            unit, factor = SHOWN[MEASURED[name][0]]
            found = predicted(fitted.found, name, tests.slip_angle)
            rms = float(np.sqrt(np.mean((found[good] - values[good]) ** 2)))
            rows.append([name.replace("_", " "), unit, float(good.sum()), factor * rms, 100.0 * error_over_range(found, values)])
    return rows


def soil_page(fitted: FittedSoil, tests: WheelTests, rig: SoilBin, title: str, command: str) -> Page:
    """Return the page. `rig` has the tire of the tests, `command` is the command line."""
    page = Page(f"Soil fitted: {title}", f"Created by `{command}`.")
    page.heading("Parameters")
    page.table(
        [
            Column("parameter", words=True),
            Column("unit", words=True),
            Column("value"),
            Column("interval of 95 %"),
            Column("range of the search"),
        ],
        parameter_rows(fitted),
    )
    page.text("Intervals are for single parameters and follow from the residuals. A parameter at the end of its range has no interval.")
    page.points([f"{weak.words}." for weak in fitted.weak] or ["The tests identify all parameters."])
    page.heading("Measured and fitted")
    columns = [
        Column("quantity", words=True),
        Column("unit", words=True),
        Column("rows"),
        Column("residual", "rms"),
        Column("of range", "%"),
    ]
    page.table(columns, quality_rows(fitted, tests))
    page.figure(list(_panels(fitted, tests, rig)), "Dots: measured. Lines: the fitted soil, at the mean load.")
    page.heading("Method")
    page.text(
        "Least squares of the errors of the soil bin at each row, as in `jounce soilbin`. The divisor of a force error is "
        f"{MISSED_FORCE:g} of the load plus {MISSED_SIZE:g} of the force; for the sinkage, {MISSED_SINKAGE:g} of the mean plus "
        f"{MISSED_SIZE:g} of the sinkage. End of the search: {fitted.solution.why}."
    )
    return page


def _panels(fitted: FittedSoil, tests: WheelTests, rig: SoilBin) -> Iterator[Panel]:
    rig.fill(fitted.soil)
    angles = _some(np.unique(tests.slip_angle))
    load = float(tests.load.mean())
    curves = {angle: rig.drive(CURVE, load, angle) for angle in angles}
    for name, values in tests.measured.items():
        if not np.isfinite(values).any():
            continue
        unit, factor = SHOWN[MEASURED[name][0]]
        drawn = []
        for color, (angle, found) in enumerate(curves.items(), 1):
            rows = tests.slip_angle == angle
            label = f"{math.degrees(angle):.3g}°"
            drawn.append(Curve(label, tests.slip[rows], factor * values[rows], color, points=True, line=False))
            drawn.append(Curve(label, CURVE, factor * predicted(found, name, np.full(len(CURVE), angle)), color))
        yield Panel(name.replace("_", " "), Axis("slip"), Axis(name.replace("_", " "), unit), drawn)


def _some(angles: Array) -> Sequence[float]:
    chosen = angles if len(angles) <= MAX_ANGLES else angles[np.linspace(0, len(angles) - 1, MAX_ANGLES).round().astype(int)]
    return [float(angle) for angle in chosen]
