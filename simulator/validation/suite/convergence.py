"""Convergence of the metrics of maneuvers with the time step.

The order is log2 of the ratio of the differences of 1 and 0.5 ms, and of 0.5 and 0.25 ms. The scheme of the vehicle is of first order
(docs/theory/integrators.md). The order is meaningless near rounding, and for metrics that are read off at samples.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from simulator.api.simulation import Simulation
from simulator.report.plot import Axis, Curve, Panel, style_of
from simulator.validation.suite.result import Finding, PageFigure, ReferenceData, Row, number, within

STEPS = (2.0, 1.0, 0.5, 0.25)
"""Time steps in ms."""
USUAL_STEP = 1.0
"""Time step of the shipped maneuvers in ms, which must satisfy the tolerance."""
MANEUVERS = ("avtp_lane_change", "braking_straight")
SHARE = 0.01
"""Relative tolerance of a metric at USUAL_STEP, compared with the smallest step."""
FLOORS = {"m": 0.005, "m/s": 0.005, "m/s2": 0.03, "rad": 5e-4, "rad/s": 1e-3, "s": 0.01, "N": 20.0, "1": 1e-3}
"""Absolute tolerances by unit, for small numbers."""
SUFFIXES = {"_m": "m", "_mps": "m/s", "_mps2": "m/s2", "_rad": "rad", "_radps": "rad/s", "_s": "s", "_N": "N"}
DOUBLES = ("_kph", "_deg", "_degps")
"""Suffixes of metrics that also exist in SI units."""


def convergence(source: ReferenceData) -> Finding:
    """Evaluate the convergence of all metrics."""
    rows: list[Row] = []
    curves: dict[str, list[Curve]] = {}
    for name in MANEUVERS:
        metrics = []
        for step in STEPS:
            source.progress(f"{name} at {step:g} ms")
            metrics.append(Simulation("hmmwv", maneuver=name, changes={"maneuver.step_ms": step}, channels=("time",)).run().metrics)
        rows += rows_of(name, metrics)
        curves[name] = _curves(metrics)
    panels = [Panel(name, Axis("step", "ms", log=True), Axis("change", log=True), some) for name, some in curves.items()]
    caption = f"relative difference from {STEPS[-1]:g} ms, for every metric that changes by more than 1e-5; slope 1 is first order"
    return Finding(rows, [PageFigure("convergence", caption, panels)])


def rows_of(maneuver: str, metrics: Sequence[Mapping[str, float | None]]) -> list[Row]:
    """Return a row for each metric that has a number at every step."""
    rows = []
    for metric in metrics[0]:
        values = [one.get(metric) for one in metrics]
        if metric.endswith(DOUBLES) or any(value is None for value in values):
            continue
        numbers = [float(value) for value in values if value is not None]
        unit = unit_of(metric)
        row = within(
            f"{maneuver}: {metric}", numbers[STEPS.index(USUAL_STEP)], numbers[-1], "" if unit == "1" else unit, SHARE, FLOORS[unit]
        )
        more = {f"{step:g} ms": number(value) for step, value in zip(STEPS, numbers, strict=True) if step not in (USUAL_STEP, STEPS[-1])}
        rows.append(Row(row.what, row.here, row.reference, row.difference, row.tolerance, row.passed, {**more, "order": order(numbers)}))
    return rows


def unit_of(metric: str) -> str:
    """Return the SI unit from the suffix of the name of a metric."""
    return next((unit for end, unit in sorted(SUFFIXES.items(), key=lambda one: -len(one[0])) if metric.endswith(end)), "1")


def order(numbers: Sequence[float]) -> str:
    """Return the order from the last three numbers, each with half the step of the previous one; empty if the differences are rounding."""
    coarse, fine = abs(numbers[-3] - numbers[-2]), abs(numbers[-2] - numbers[-1])
    if min(coarse, fine) <= 1e-9 * max(1.0, abs(numbers[-1])):
        return ""
    return f"{math.log2(coarse / fine):.1f}"


def _curves(metrics: Sequence[Mapping[str, float | None]]) -> list[Curve]:
    """Return the relative differences from the smallest step, for metrics that change."""
    curves: list[Curve] = []
    for metric in metrics[0]:
        values = [one.get(metric) for one in metrics]
        if metric.endswith(DOUBLES) or any(value is None for value in values) or not values[-1]:
            continue
        numbers = np.array(values, float)
        share = np.abs(numbers[:-1] / numbers[-1] - 1.0)
        if share.max() > 1e-5 and share.min() > 0.0:
            curves.append(Curve(metric, np.array(STEPS[:-1]), share, *style_of(len(curves))))
    return curves
