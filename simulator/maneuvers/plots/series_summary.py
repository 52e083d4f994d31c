"""Plot of a series or a search: metrics over the parameter that changes from run to run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from simulator.base.units import SHOWN, is_suffix
from simulator.report.plot import GRAY, RED, Axis, Curve, Panel, Plot, ReferenceLine, style_of
from simulator.report.png_renderer import png
from simulator.telemetry.atomic_files import write_bytes

FILE = "series.png"
MAX_PANELS = 6
FEWEST_VALUES = 3
"""Minimum number of values of a parameter for a plot."""


class MetricPlot(NamedTuple):
    """Metric of one maneuver over one of its parameters.

    Attributes
    ----------
    lines : points (parameter, value, verdict) by the text of the other parameters
    limits : limits of the metric
    """

    maneuver: str
    parameter: str
    metric: str
    lines: Mapping[str, list[tuple[float, float, bool | None]]]
    limits: tuple[float, ...]


def draw_summary(folder: Path, title: str, runs: Sequence[Mapping[str, Any]]) -> Path | None:
    """Write series.png; return None without writing if no number changes from run to run. Raises OutputError."""
    plots = plots_of(runs)
    if not plots:
        return None
    write_bytes(folder / FILE, png(Plot(title, [_panel(plot) for plot in plots], columns=2)))
    return folder / FILE


def plots_of(runs: Sequence[Mapping[str, Any]]) -> list[MetricPlot]:
    """Return up to MAX_PANELS plots: for each maneuver its metrics with limits, else its shown metrics, over the parameter with the most
    values."""
    out: list[MetricPlot] = []
    for maneuver in dict.fromkeys(run["maneuver"] for run in runs):
        maneuver_runs = [run for run in runs if run["maneuver"] == maneuver]
        parameter = _parameter(maneuver_runs)
        if parameter is None:
            continue
        limits = {check["metric"]: check for run in maneuver_runs for check in run["checks"]}
        for metric in limits or dict.fromkeys(metric for run in maneuver_runs for metric in run["shown"]):
            bounds = tuple(limits[metric][end] for end in ("min", "max") if limits[metric][end] is not None) if limits else ()
            lines = _lines(maneuver_runs, parameter, metric)
            if any(len(points) > 1 for points in lines.values()):
                out.append(MetricPlot(maneuver, parameter, metric, lines, bounds))
    return out[:MAX_PANELS]


def _parameter(runs: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the numeric parameter with the most values."""
    names = dict.fromkeys(name for run in runs for name, value in run["parameters"].items() if not isinstance(value, str))
    counts = {name: len({run["parameters"].get(name) for run in runs}) for name in names}
    best = max(counts, key=lambda name: counts[name], default=None)
    return best if best is not None and counts[best] >= FEWEST_VALUES else None


def _lines(runs: Sequence[Mapping[str, Any]], parameter: str, metric: str) -> dict[str, list[tuple[float, float, bool | None]]]:
    lines: dict[str, list[tuple[float, float, bool | None]]] = {}
    names = dict.fromkeys(name for run in runs for name in run["parameters"])
    changing = [name for name in names if name != parameter and len({run["parameters"].get(name) for run in runs}) > 1]
    for run in runs:
        value, at = run.get("metrics", {}).get(metric), run["parameters"].get(parameter)
        if value is None or at is None:
            continue
        others = ", ".join(f"{name} {_value_text(run['parameters'].get(name))}" for name in changing)
        lines.setdefault(others, []).append((float(at), float(value), run["pass"]))
    return {name: sorted(points, key=lambda point: point[0]) for name, points in lines.items()}


def _value_text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def _panel(plot: MetricPlot) -> Panel:
    curves = []
    for n, (name, points) in enumerate(plot.lines.items()):
        x, y = np.array([point[:2] for point in points]).T
        curves.append(Curve(name, x, y, *style_of(n), points=True))
    failed = np.array([point[:2] for points in plot.lines.values() for point in points if point[2] is False]).reshape(-1, 2)
    if len(failed):
        curves.append(Curve("not passed", failed[:, 0], failed[:, 1], RED, points=True, line=False))
    limits = [ReferenceLine(limit, "limit", color=GRAY, dash="6 3") for limit in plot.limits]
    return Panel(plot.maneuver, _axis(plot.parameter), _axis(plot.metric), curves, lines=limits)


def _axis(written: str) -> Axis:
    """Return the axis of a name with a unit suffix."""
    name, _, suffix = written.rpartition("_")
    return Axis(name.replace("_", " "), SHOWN.get(suffix, suffix)) if name and is_suffix(suffix) else Axis(written.replace("_", " "))
