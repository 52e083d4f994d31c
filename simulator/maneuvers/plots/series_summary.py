"""The picture of a series or a search: what was measured over the parameter that went from run to run."""

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
"""Of a parameter, for there to be something to see."""
PANEL = (4.6, 2.4)
"""in, width and height of a panel."""


class Plot(NamedTuple):
    """A metric of one maneuver over one of its parameters.

    Attributes
    ----------
    lines : by the words of the other parameters, points (parameter, value, verdict)
    limits : of the metric
    """

    maneuver: str
    parameter: str
    metric: str
    lines: Mapping[str, list[tuple[float, float, bool | None]]]
    limits: tuple[float, ...]


def draw_summary(folder: Path, title: str, runs: Sequence[Mapping[str, Any]]) -> Path | None:
    """Write series.png; None, and nothing is written, where no number goes from run to run. Raises OutputError."""
    plots = plots_of(runs)
    if not plots:
        return None
    from simulator.telemetry.figures import one_after_the_other

    columns = 1 if len(plots) == 1 else 2
    rows = -(-len(plots) // columns)
    with one_after_the_other() as sheet:
        figure = sheet.empty((columns * PANEL[0] + 0.8, rows * PANEL[1] + 0.9))
        grid = panels(figure, title, rows, columns, between=0.75, share=False).ravel()
        for axes, plot in zip(grid, plots, strict=False):
            _draw(axes, plot)
        for axes in grid[len(plots) :]:
            axes.set_visible(False)
        write_bytes(folder / FILE, sheet.png())
    return folder / FILE


def plots_of(runs: Sequence[Mapping[str, Any]]) -> list[Plot]:
    """What there is to draw, MOST_PANELS of it: per maneuver its metrics with limits, else those that it tells, over the parameter that has
    the most values."""
    out: list[Plot] = []
    for maneuver in dict.fromkeys(run["maneuver"] for run in runs):
        own = [run for run in runs if run["maneuver"] == maneuver]
        parameter = _parameter(own)
        if parameter is None:
            continue
        limits = {check["metric"]: check for run in own for check in run["checks"]}
        for metric in limits or dict.fromkeys(metric for run in own for metric in run["shown"]):
            bounds = tuple(limits[metric][end] for end in ("min", "max") if limits[metric][end] is not None) if limits else ()
            lines = _lines(own, parameter, metric)
            if any(len(points) > 1 for points in lines.values()):
                out.append(Plot(maneuver, parameter, metric, lines, bounds))
    return out[:MOST_PANELS]


def _parameter(runs: Sequence[Mapping[str, Any]]) -> str | None:
    """The number that has most values."""
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
        others = ", ".join(f"{name} {_said(run['parameters'].get(name))}" for name in changing)
        lines.setdefault(others, []).append((float(at), float(value), run["pass"]))
    return {name: sorted(points, key=lambda point: point[0]) for name, points in lines.items()}


def _said(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def _draw(axes: Any, plot: Plot) -> None:
    for n, (name, points) in enumerate(plot.lines.items()):
        at, values = [point[0] for point in points], [point[1] for point in points]
        axes.plot(at, values, color=COLORS[n % len(COLORS)], lw=1.0, label=name or None)
        for verdict, mark in ((False, "x"), (True, "o"), (None, ".")):
            chosen = [point for point in points if point[2] is verdict]
            color = RED if verdict is False else INK
            axes.plot([point[0] for point in chosen], [point[1] for point in chosen], mark, color=color, ms=5)
    for limit in plot.limits:
        axes.axhline(limit, color=QUIET, lw=0.8, ls="--")
    axes.set_xlabel(f"{_words(plot.parameter)} ({plot.maneuver})", fontsize=8)
    axes.set_ylabel(_words(plot.metric), fontsize=8)
    if any(plot.lines):
        axes.legend(fontsize=7, loc="best")


def _words(written: str) -> str:
    """A name with a unit behind it, for people."""
    name, _, suffix = written.rpartition("_")
    return f"{name.replace('_', ' ')} [{SHOWN.get(suffix, suffix)}]" if name and is_suffix(suffix) else written.replace("_", " ")
