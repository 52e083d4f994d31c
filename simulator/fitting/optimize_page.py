"""Report page of an optimization: the best set compared with the start, the course of the search, and all candidates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.fitting.fit_page import keys_words
from simulator.fitting.optimize import Search, notes
from simulator.report.html_page import Column, Page
from simulator.report.plot import Axis, Curve, Panel

BEST, SOUND, BEYOND = "best so far", "satisfies all limits", "exceeds a limit"


def page_of_optimization(found: Search, given: Mapping[str, Any], command: str, applied: str) -> Page:
    """Return the page. `given` is the result as plain data, `command` the command line, `applied` the options that set the best values."""
    page = Page(f"Optimization: {given['title']}", f"Created by `{command}`.")
    page.heading("Best set")
    for line in notes(found):
        page.text(f"Note: {line}.")
    goal = given["goal"]
    page.text(f"{goal_words(found)} {'falls' if found.file.sign > 0 else 'rises'} from {goal['start']:.6g} to {goal['best']:.6g}.")
    columns = [
        Column("parameter", words=True), Column("best"), Column("start"), Column("range"), Column("last generation", "standard deviation"),
        Column("key", words=True),
    ]  # fmt: skip
    page.table(columns, parameter_rows(given), "Values are in the units of their keys; factors multiply the original values.")
    page.text(f"To use the best values: jounce run MANEUVER --session optimized.yaml, or {applied}")
    page.heading("Metrics")
    _metrics(page, found, given)
    page.heading("Search")
    page.text(f"{given['search']['runs']} runs, seed {given['search']['seed']}; end of the search: {given['search']['why']}.")
    _history(page, found)
    page.heading("Effect of each parameter")
    _scatter(page, found)
    page.heading("Method")
    page.text(
        "CMA-ES: each generation is drawn from a normal distribution over the ranges. Its mean, size and directions follow from the "
        f"better half of the previous generation. Each generation is one sweep. Exceeding a limit by 100 % costs {found.penalty:.4g}. "
        "The same seed and files give the same search. The result is the best of the evaluated sets, not a proven optimum: another seed "
        "or a wider spread may give a better one."
    )
    return page


def goal_words(found: Search) -> str:
    """Return the goal as text."""
    parts = [name if counts == 1.0 else f"{counts:g} {name}" for name, counts in found.file.goal.items()]
    return " + ".join(parts) + (" summed over all drives" if len(found.bases) > 1 else "")


def parameter_rows(given: Mapping[str, Any]) -> list[list[str | float]]:
    """Return name, best value, start, range, spread and keys of every parameter."""
    return [
        [
            one["name"], f"{one['value']:.6g}", f"{one['start']:.6g}", f"{one['least']:.6g} to {one['most']:.6g}", one["spread"],
            keys_words(one["keys"], one["as"]),
        ]
        for one in given["parameters"]
    ]  # fmt: skip


def _metrics(page: Page, found: Search, given: Mapping[str, Any]) -> None:
    """Write the metrics of each drive: those of the goal and the limits, and the others."""
    counts = [*found.file.goal, *(name for name in found.file.limits if name not in found.file.goal)]
    for drive in given["drives"]:
        rows: list[list[Any]] = []
        for name in counts:
            limit = given["limits"].get(name, {})
            rows.append([name, drive["start"].get(name), drive["best"].get(name), limit.get("min"), limit.get("max")])
        columns = [Column("metric", words=True), Column("start"), Column("best"), Column("min"), Column("max")]
        page.table(
            columns,
            rows,
            f"{drive['maneuver']}, {drive['vehicle']}" + (f", weight {drive['weight']:g}" if len(given["drives"]) > 1 else ""),
        )
    for drive in given["drives"]:
        others = [
            (name, drive["start"].get(name), value) for name, value in drive["best"].items() if name not in counts and value is not None
        ]
        page.table([Column(f"other metrics of {drive['maneuver']}", words=True), Column("start"), Column("best")], others)


def _history(page: Page, found: Search) -> None:
    runs = Axis("set")
    sound = np.array([one.goal if one.sound else np.nan for one in found.tried])
    beyond = np.array([one.goal if one.beyond else np.nan for one in found.tried])
    number = np.arange(1.0, len(found.tried) + 1.0)
    better = np.fmin if found.file.sign > 0 else np.fmax
    label = goal_words(found)
    curves = [Curve(SOUND, number, sound, 1, width=0.0, points=True), Curve(BEST, number, better.accumulate(sound), 3, width=2.0)]
    if np.isfinite(beyond).any():
        curves.insert(1, Curve(BEYOND, number, beyond, 5, width=0.0, points=True))
    spread = _spreads(found)
    page.figure(
        [
            Panel("Goal", runs, Axis(label), curves),
            Panel("Spread of the generations", runs, Axis("fraction of the range", log=True), spread),
        ]
    )


def _spreads(found: Search) -> list[Curve]:
    """Return the standard deviation of the sets of each generation for each parameter, at the number of the last set."""
    generations = np.array([one.generation for one in found.tried])
    shares = np.array([one.u for one in found.tried])
    known = [n for n in np.unique(generations) if np.count_nonzero(generations == n) > 1]
    last = np.array([np.flatnonzero(generations == n)[-1] + 1.0 for n in known])
    return [
        Curve(one.name, last, np.array([shares[generations == n, k].std() for n in known]), k + 1)
        for k, one in enumerate(found.file.parameters)
    ]


def _scatter(page: Page, found: Search) -> None:
    """Plot the goal over each parameter."""
    label = goal_words(found)
    panels = []
    for k, one in enumerate(found.file.parameters):
        values = np.array([found.values(tried.u)[k] for tried in found.tried])
        curves = [
            Curve(name, values, np.array([tried.goal if keep(tried) else np.nan for tried in found.tried]), color, width=0.0, points=True)
            for name, color, keep in ((SOUND, 1, lambda tried: tried.sound), (BEYOND, 5, lambda tried: bool(tried.beyond)))
        ]
        axis = Axis(one.name, "", one.log, one.least, one.most)
        panels.append(Panel(one.name, axis, Axis(label), [curve for curve in curves if np.isfinite(curve.y).any()]))
    for n in range(0, len(panels), 2):
        page.figure(panels[n : n + 2])
