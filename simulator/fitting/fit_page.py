"""Report page of a fit: values with intervals, identifiability, measured and fitted channels, and residuals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from simulator.fitting.fit import Fitted, notes
from simulator.fitting.residuals import Trace
from simulator.fitting.run_request import Log
from simulator.report.html_page import Column, Page
from simulator.report.plot import Axis, Curve, Panel

MEASURED, START, FITTED, LEFT = "measured", "at the start", "fitted", "residual"
COLORS = {MEASURED: 0, START: 5, FITTED: 1, LEFT: 2}


def fit_page(fitted: Fitted, given: Mapping[str, Any], command: str, applied: str) -> Page:
    """Return the page. `given` is the result as plain data, `command` the command line, `applied` the options that set the fitted values."""
    page = Page(f"Fit: {given['title']}", f"Created by `{command}`.")
    page.heading("Parameters")
    for line in notes(fitted):
        page.text(f"Note: {line}.")
    _parameters(page, given)
    page.text(f"To use the fitted values: jounce run MANEUVER --session fitted.yaml, or {applied}")
    page.heading("Identifiability")
    _identifiability(page, given)
    page.heading("Measured and fitted")
    _channels(page, given)
    for number, drive in enumerate(fitted.model.drives):
        page.subheading(drive.label)
        for panels in _figures(fitted, number):
            page.figure(panels)
    page.heading("Search")
    _search(page, given)
    page.heading("Method")
    _method(page, fitted)
    return page


def interval_words(ends: Sequence[float | None] | None) -> str:
    """Return an interval as text."""
    if ends is None:
        return "none: at a bound"
    low, high = ("-inf" if ends[0] is None else f"{ends[0]:.6g}"), ("inf" if ends[1] is None else f"{ends[1]:.6g}")
    return "unknown" if ends == [None, None] else f"{low} to {high}"


def keys_words(keys: Sequence[str], how: str) -> str:
    """Return the first key of a parameter, and the number of further keys."""
    more = f" and {len(keys) - 1} more" if len(keys) > 1 else ""
    return "".join(keys[:1]) + more + (" (factor)" if how == "factor" else "")


def _digits(value: Any) -> str | None:
    """Return text unchanged, and numbers with four digits."""
    return value if value is None or isinstance(value, str) else f"{value:.4g}"


def parameter_rows(given: Mapping[str, Any]) -> list[list[str | float]]:
    """Return name, value, single interval, simultaneous interval, start and range of every parameter and offset."""
    return [
        [
            one["name"],
            f"{one['value']:.6g}",
            interval_words(one["interval"]),
            interval_words(one["interval_together"]),
            f"{one['start']:.6g}",
            f"{one['least']:.6g} to {one['most']:.6g}",
        ]
        for one in (*given["parameters"], *given["offsets"])
    ]


def _parameters(page: Page, given: Mapping[str, Any]) -> None:
    percent = f"{100.0 * given['level']:.3g} %"
    columns = [
        Column("parameter", words=True), Column("value"), Column(f"interval, {percent}", "single"), Column("interval", "simultaneous"),
        Column("start"), Column("range"),
    ]  # fmt: skip
    page.table(
        columns,
        parameter_rows(given),
        "Values and ranges are in the units of their keys; factors multiply the original values; offsets are in s.",
    )
    keys = [[one["name"], keys_words(one["keys"], one["as"])] for one in given["parameters"]]
    page.table([Column("parameter", words=True), Column("key", words=True)], keys)


def _identifiability(page: Page, given: Mapping[str, Any]) -> None:
    if given["untold"]:
        for one in given["untold"]:
            page.text(f"{one['words']} (singular value {one['singular_value']:.2g}).")
    else:
        page.text("The data identify all parameters.")
    names, matrix = given["correlation"]["names"], given["correlation"]["matrix"]
    if len(names) > 1:
        rows = [[name, *(one if one is not None else None for one in row)] for name, row in zip(names, matrix, strict=True)]
        page.table([Column("correlation", words=True), *(Column(name) for name in names)], rows)


def _channels(page: Page, given: Mapping[str, Any]) -> None:
    columns = [
        Column("drive", words=True), Column("channel", words=True), Column("unit", words=True), Column("rows"), Column("effective rows"),
        Column("at the start", "rms"), Column("fitted", "rms"), Column("given noise"),
    ]  # fmt: skip
    keys = ("drive", "channel", "unit", "rows", "effective_rows", "rms_at_start", "rms", "noise")
    page.table(columns, [[_digits(one[key]) for key in keys] for one in given["channels"]])


def _figures(fitted: Fitted, number: int) -> Iterator[list[Panel]]:
    """Yield the plots of each channel of a drive: curves and residuals."""
    model, drive = fitted.model, fitted.model.drives[number]
    residuals = model.differences(fitted.u, fitted.logs["fitted"])
    time = Axis("time", "s")
    for trace, left in zip(model.traces, residuals, strict=True):
        if trace.drive != drive.label:
            continue
        times, measured = model.compared(number, trace.channel)
        logs = {START: (fitted.logs["start"][number], model.start), FITTED: (fitted.logs["fitted"][number], fitted.u)}
        few = len(times) <= MAX_DOTS
        curves = [Curve(MEASURED, times, measured, COLORS[MEASURED], width=0.0 if few else 1.0, points=few)]
        curves += [_simulated(name, log, trace, times, model.offsets(u)[number]) for name, (log, u) in logs.items()]
        yield [
            Panel(trace.channel, time, Axis(trace.channel, trace.unit), curves),
            Panel(
                f"{trace.channel}, simulated minus measured", time, Axis("residual", trace.unit), [Curve(LEFT, times, left, COLORS[LEFT])]
            ),
        ]


MAX_DOTS = 400
"""Maximum number of rows drawn as dots."""


def _simulated(name: str, log: Log, trace: Trace, times: Any, offset: float) -> Curve:
    """Return the curve of a simulated channel over the times of the data."""
    inside = (log["time"] >= times[0] + offset - 1e-9) & (log["time"] <= times[-1] + offset + 1e-9)
    values = np.asarray(log[trace.channel][inside], dtype=float)
    return Curve(name, log["time"][inside] - offset, values, COLORS[name], "5 3" * (name == START), 2.0)


def _search(page: Page, given: Mapping[str, Any]) -> None:
    search = given["search"]
    page.text(f"{len(search['rounds'])} iterations, {search['runs']} runs; end of the search: {search['why']}.")
    names = [one["name"] for one in (*given["parameters"], *given["offsets"])]
    rows = [[str(n), one["cost"], *(one[name] for name in names)] for n, one in enumerate(search["rounds"], 1)]
    page.table([Column("iteration"), Column("half the sum of squares"), *map(Column, names)], rows)


def _method(page: Page, fitted: Fitted) -> None:
    difference = fitted.model.fit.difference
    page.text(
        "Least squares of the residuals. A residual is divided by the noise of its channel (default: the standard deviation of the "
        "channel) and multiplied by its weight. Every iteration is one sweep: a run at the point, and a run for each parameter "
        f"displaced by {100.0 * difference:.3g} % of its range. These runs give the Jacobian J. An interval is t standard errors to both "
        "sides. The standard errors follow from (J'J)^-1 J'SJ (J'J)^-1. S is estimated from the residuals of each channel: their "
        "variance, and an autoregression for the correlation of neighboring rows (effective rows). Simultaneous intervals contain all "
        "parameters at that level (Bonferroni)."
    )
    page.text(
        "Identifiability follows from the singular values of J with columns of length 1. The method is linear about the fitted values: "
        "intervals are approximate if the model is strongly nonlinear within them. The intervals describe the effect of noise. Effects "
        "missing in the model appear as correlated residuals, not as wider intervals."
    )
