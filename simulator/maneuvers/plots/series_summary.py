"""Plot of a series or a search: metrics over the parameter that changes from run to run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from simulator.base.units import SHOWN, is_suffix
from simulator.maneuvers.plots.axes import panels
from simulator.report.plot_style import COLORS, INK, QUIET, RED
from simulator.telemetry.atomic_files import write_bytes

FILE = "series.png"
MOST_PANELS = 6
FEWEST_VALUES = 3
"""Minimum number of values of a parameter for a plot."""
PANEL = (4.6, 2.4)
"""Width and height of a panel [in]."""


class Plot(NamedTuple):
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
    from simulator.telemetry.figures import one_after_the_other

    columns = 1 if len(plots) == 1 else 2
    rows = -(-len(plots) // columns)
    with one_after_the_other() as canvas:
        figure = canvas.empty((columns * PANEL[0] + 0.8, rows * PANEL[1] + 0.9))
        grid = panels(figure, title, rows, columns, between=0.75, share=False).ravel()
        for axes, plot in zip(grid, plots, strict=False):
            _draw(axes, plot)
        for axes in grid[len(plots) :]:
            axes.set_visible(False)
        write_bytes(folder / FILE, canvas.png())
    return folder / FILE


def plots_of(runs: Sequence[Mapping[str, Any]]) -> list[Plot]:
    """Return up to MOST_PANELS plots: for each maneuver its metrics with limits, else its shown metrics, over the parameter with the most
    values."""
    out: list[Plot] = []
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
                out.append(Plot(maneuver, parameter, metric, lines, bounds))
    return out[:MOST_PANELS]


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


def _draw(axes: Any, plot: Plot) -> None:
    for n, (name, points) in enumerate(plot.lines.items()):
        at, values = [point[0] for point in points], [point[1] for point in points]
        axes.plot(at, values, color=COLORS[n % len(COLORS)], lw=1.0, label=name or None)
        for verdict, mark in ((False, "x"), (True, "o"), (None, ".")):
            selected = [point for point in points if point[2] is verdict]
            color = RED if verdict is False else INK
            axes.plot([point[0] for point in selected], [point[1] for point in selected], mark, color=color, ms=5)
    for limit in plot.limits:
        axes.axhline(limit, color=QUIET, lw=0.8, ls="--")
    axes.set_xlabel(f"{_label(plot.parameter)} ({plot.maneuver})", fontsize=8)
    axes.set_ylabel(_label(plot.metric), fontsize=8)
    if any(plot.lines):
        axes.legend(fontsize=7, loc="best")


def _label(written: str) -> str:
    """Return a name with its unit suffix as a label."""
    name, _, suffix = written.rpartition("_")
    return f"{name.replace('_', ' ')} [{SHOWN.get(suffix, suffix)}]" if name and is_suffix(suffix) else written.replace("_", " ")
