"""The page of a fit: values with intervals, what the data do not tell, measured beside fitted, and what is left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from simulator.fitting.fit import Fitted, notes
from simulator.fitting.residuals import Trace
from simulator.fitting.run_request import Log
from simulator.report.html_page import Column, Page
from simulator.report.svg_plot import Axis, Curve, Panel

MEASURED, START, FITTED, LEFT = "measured", "at the start", "fitted", "left over"
COLORS = {MEASURED: 0, START: 5, FITTED: 1, LEFT: 2}


def fit_page(fitted: Fitted, said: Mapping[str, Any], command: str, applied: str) -> Page:
    """The page; `said` is the result as plain data, `command` what was typed, `applied` the words that set the fitted values."""
    page = Page(f"Fit: {said['title']}", f"Made by `{command}`.")
    page.heading("Parameters")
    for line in notes(fitted):
        page.text(f"Mind: {line}.")
    _parameters(page, said)
    page.text(f"To drive with them: jounce run MANEUVER --session fitted.yaml, or {applied}")
    page.heading("What the data tell apart")
    _told(page, said)
    page.heading("Measured and fitted")
    _channels(page, said)
    for number, drive in enumerate(fitted.model.drives):
        page.subheading(drive.label)
        for panels in _figures(fitted, number):
            page.figure(panels)
    page.heading("The search")
    _search(page, said)
    page.heading("How it is found")
    _method(page, fitted)
    return page


def interval_words(ends: Sequence[float | None] | None) -> str:
    """An interval in words; a dash where there is none."""
    if ends is None:
        return "none: at a bound"
    low, high = ("-inf" if ends[0] is None else f"{ends[0]:.6g}"), ("inf" if ends[1] is None else f"{ends[1]:.6g}")
    return "unknown" if ends == [None, None] else f"{low} to {high}"


def keys_words(keys: Sequence[str], how: str) -> str:
    """Which keys a parameter stands for: the first of them."""
    more = f" and {len(keys) - 1} more" if len(keys) > 1 else ""
    return "".join(keys[:1]) + more + (" (factor)" if how == "factor" else "")


def _digits(value: Any) -> str | None:
    """Words as they are, numbers in four digits."""
    return value if value is None or isinstance(value, str) else f"{value:.4g}"


def parameter_rows(said: Mapping[str, Any]) -> list[list[str | float]]:
    """Name, value, interval alone and together, start, range of every parameter and offset."""
    return [
        [
            one["name"],
            f"{one['value']:.6g}",
            interval_words(one["interval"]),
            interval_words(one["interval_together"]),
            f"{one['start']:.6g}",
            f"{one['least']:.6g} to {one['most']:.6g}",
        ]
        for one in (*said["parameters"], *said["offsets"])
    ]


def _parameters(page: Page, said: Mapping[str, Any]) -> None:
    percent = f"{100.0 * said['level']:.3g} %"
    columns = [
        Column("parameter", words=True), Column("value"), Column(f"interval, {percent}", "each alone"), Column("interval", "all at once"),
        Column("start"), Column("range"),
    ]  # fmt: skip
    page.table(
        columns,
        parameter_rows(said),
        "Values and ranges are in the units of their keys; factors multiply what stands there; offsets are in s.",
    )
    keys = [[one["name"], keys_words(one["keys"], one["as"])] for one in said["parameters"]]
    page.table([Column("parameter", words=True), Column("key", words=True)], keys)


def _told(page: Page, said: Mapping[str, Any]) -> None:
    if said["untold"]:
        for one in said["untold"]:
            page.text(f"{one['words']} (singular value {one['singular_value']:.2g}).")
    else:
        page.text("The data tell all of them apart.")
    names, matrix = said["correlation"]["names"], said["correlation"]["matrix"]
    if len(names) > 1:
        rows = [[name, *(one if one is not None else None for one in row)] for name, row in zip(names, matrix, strict=True)]
        page.table([Column("correlation", words=True), *(Column(name) for name in names)], rows)


def _channels(page: Page, said: Mapping[str, Any]) -> None:
    columns = [
        Column("drive", words=True), Column("channel", words=True), Column("unit", words=True), Column("rows"), Column("rows that count"),
        Column("left at the start", "rms"), Column("left", "rms"), Column("noise given"),
    ]  # fmt: skip
    keys = ("drive", "channel", "unit", "rows", "effective_rows", "rms_at_start", "rms", "noise")
    page.table(columns, [[_digits(one[key]) for key in keys] for one in said["channels"]])


def _figures(fitted: Fitted, number: int) -> Iterator[list[Panel]]:
    """For each channel of a drive the curves, and what is left."""
    model, drive = fitted.model, fitted.model.drives[number]
    apart = model.apart(fitted.u, fitted.logs["fitted"])
    time = Axis("time", "s")
    for trace, left in zip(model.traces, apart, strict=True):
        if trace.drive != drive.label:
            continue
        times, measured = model.compared(number, trace.channel)
        logs = {START: (fitted.logs["start"][number], model.start), FITTED: (fitted.logs["fitted"][number], fitted.u)}
        few = len(times) <= FEW_POINTS
        curves = [Curve(MEASURED, times, measured, COLORS[MEASURED], width=0.0 if few else 1.0, points=few)]
        curves += [_simulated(name, log, trace, times, model.offsets(u)[number]) for name, (log, u) in logs.items()]
        yield [
            Panel(trace.channel, time, Axis(trace.channel, trace.unit), curves),
            Panel(f"{trace.channel}, simulated less measured", time, Axis("left", trace.unit), [Curve(LEFT, times, left, COLORS[LEFT])]),
        ]


FEW_POINTS = 400
"""Up to which every row that was measured is a dot."""


def _simulated(name: str, log: Log, trace: Trace, times: Any, offset: float) -> Curve:
    """A simulated channel over the times of the data."""
    inside = (log["time"] >= times[0] + offset - 1e-9) & (log["time"] <= times[-1] + offset + 1e-9)
    values = np.asarray(log[trace.channel][inside], dtype=float)
    return Curve(name, log["time"][inside] - offset, values, COLORS[name], "5 3" * (name == START), 2.0)


def _search(page: Page, said: Mapping[str, Any]) -> None:
    search = said["search"]
    page.text(f"{len(search['rounds'])} rounds, {search['runs']} runs; ended because {search['why']}.")
    names = [one["name"] for one in (*said["parameters"], *said["offsets"])]
    rows = [[str(n), one["cost"], *(one[name] for name in names)] for n, one in enumerate(search["rounds"], 1)]
    page.table([Column("round"), Column("half the sum of squares"), *map(Column, names)], rows)


def _method(page: Page, fitted: Fitted) -> None:
    difference = fitted.model.fit.difference
    page.text(
        "Least squares of the residuals, each divided by the noise of its channel (by the deviation of the channel where no noise is given) and "
        f"multiplied by its weight. Every round is one sweep: a run at the point and one for each parameter beside it, {100.0 * difference:.3g} % of "
        "its range away, from which the Jacobian J is taken. An interval is t standard errors to both sides; the standard errors are from "
        "(J'J)^-1 J'SJ (J'J)^-1 with S as the residuals show it, channel by channel: their variance, and an autoregression for how far "
        "neighbouring rows hang together (rows that count). Intervals of all at once hold all parameters together at that level (Bonferroni)."
    )
    page.text(
        "What cannot be told apart is read off the singular values of J with columns of length 1. All of that is linear, about the values found: "
        "where a model bends much inside an interval, the interval is not to be trusted to its last digit. And it is about noise: what the model "
        "leaves out shows as residuals that hang together, not as an error of a value."
    )
