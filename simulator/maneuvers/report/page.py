"""Builds the page of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.maneuvers.plots.contract import Run
from simulator.maneuvers.report.cross_plots import curve_figure, steady_figure
from simulator.maneuvers.report.path import course_figure
from simulator.maneuvers.report.time_series import GROUPS, group_figure, phase_words
from simulator.maneuvers.source_marks import explained
from simulator.report.html_page import Cell, Column, Page, Verdict
from simulator.report.svg_plot import Panel

FILE = "report.html"

VERDICTS: dict[str, Cell] = {"pass": Verdict("pass", True), "fail": Verdict("FAIL", False), "info": ""}


@dataclass(frozen=True)
class RunInfo:
    """What the page of a run says besides what follows from its telemetry."""

    facts: Sequence[tuple[str, str]] = ()
    """Of its making: words with what is told of each."""
    configuration: str = ""
    """All that it was made of, as text."""
    dropped: Sequence[str] = ()
    """What was dropped from outside, a line each."""
    frames: Sequence[tuple[bytes, str]] = ()
    """Pictures of the drive (JPEG), each with a line."""


@dataclass(frozen=True)
class Figure:
    """Panels of a page with the words below them."""

    panels: Sequence[Panel]
    caption: str = ""


def run_page(result: Mapping[str, Any], told: RunInfo, run: Run | None) -> Page:
    """The page; `result` is as in metrics.json, and without a `run` there is nothing to plot."""
    page = Page(str(result["title"]), " · ".join(str(result[key]) for key in ("maneuver", "vehicle", "terrain") if result.get(key)))
    page.verdict(outcome(result))
    page.points(remarks(result, told)) if remarks(result, told) else None
    page.facts(told.facts)
    page.heading("Metrics")
    _metrics(page, result["table"])
    _gates(page, result.get("gates", ()))
    if told.frames:
        page.heading("The drive")
        page.pictures(told.frames)
    if run is not None:
        _plots(page, run)
    if told.configuration:
        page.heading("Configuration")
        page.details("All that this run was made of (configuration.yaml)", told.configuration)
    return page


def outcome(result: Mapping[str, Any]) -> Verdict:
    """How a run went, in a line."""
    checks = result["checks"]
    early = f"ended early, at {result['ended_early']['time_s']:.4g} s: {result['ended_early']['reason']}" if "ended_early" in result else ""
    failed = [check["metric"] for check in checks if not check["pass"]]
    if result["pass"] is None:
        return Verdict(early or "no limits given: nothing to pass or fail", False if early else None)
    words = f"passed: all {len(checks)} limits are kept" if len(checks) > 1 else "passed: its limit is kept"
    if result["pass"] is False:
        words = f"FAILED: {len(failed)} of {len(checks)} limits not kept ({', '.join(failed)})" if failed else "FAILED"
    return Verdict("; ".join(part for part in (words, early) if part), result["pass"])


def remarks(result: Mapping[str, Any], told: RunInfo) -> list[str]:
    """Lines that a reader must know before the numbers."""
    lines = [str(remark) for remark in result.get("remarks", ())]
    lines += [f"dropped: {line}" for line in told.dropped]
    return lines + [f"no picture of {line}" for line in result.get("pictures_left_out", ())]


def _metrics(page: Page, rows: Sequence[Mapping[str, Any]]) -> None:
    """Those with limits first, then those that the maneuver asks for."""
    if not rows:
        page.text("There are too few rows of telemetry to evaluate.")
        return
    limits, marks = any(row["verdict"] != "info" for row in rows), any(row["mark"] for row in rows)
    columns = [Column("metric", words=True), Column("value"), Column("unit", words=True)]
    columns += [Column("least"), Column("most"), Column("margin"), Column("verdict", words=True)] if limits else []
    columns += [Column("meaning", words=True, long=True), *([Column("definition", words=True)] if marks else [])]
    ordered = sorted(rows, key=lambda row: (row["verdict"] == "info", not row["mark"]))
    caption = "Margin: how far the value is from the nearest limit; below 0 it is not kept." if limits else ""
    page.table(columns, [_metric_row(row, limits, marks) for row in ordered], caption)
    lines = explained(row["mark"] for row in rows)
    if lines:
        page.points(lines)


def _metric_row(row: Mapping[str, Any], limits: bool, mark: bool) -> list[Cell]:
    """Cells of a metric, with its limits and its mark where the table has columns for them."""
    cells: list[Cell] = [row["metric"], row["value"], "" if row["unit"] == "1" else row["unit"]]
    if limits:
        cells += ["" if row[key] is None else row[key] for key in ("min", "max", "margin")]
        cells.append(VERDICTS[row["verdict"]])
    cells.append(row["meaning"])
    return [*cells, row["mark"]] if mark else cells


def _gates(page: Page, gates: Sequence[Mapping[str, Any]]) -> None:
    if not gates:
        return
    rows = []
    for n, gate in enumerate(gates, 1):
        speed = gate["speed_mps"]
        verdict = Verdict("clean", True) if gate["clean"] else Verdict("not clean", False)
        rows.append([f"gate {n}", None if speed is None else 3.6 * speed, gate["margin_m"], float(gate["cones_hit"]), verdict])
    columns = [Column("gate", words=True), Column("speed", "km/h"), Column("room to the limits", "m"), Column("cones touched")]
    page.table([*columns, Column("", words=True)], rows)


def _plots(page: Page, run: Run) -> None:
    parts: list[tuple[str, Callable[[Run], Figure | None]]] = [("Course", lambda run: Figure(*course_figure(run)))]
    parts += [("Steady turns", steady_figure_of), ("Curves of the analyses", curve_figure_of)]
    for title, make in parts:
        figure = make(run)
        if figure is not None:
            page.heading(title)
            page.figure(figure.panels, figure.caption)
    page.heading("Over time")
    if phase_words(run):
        page.text(phase_words(run))
    for title, names in GROUPS:
        panels, missing = group_figure(run, names)
        page.subheading(title)
        if panels:
            page.figure(panels)
        if missing:
            page.text(f"Not in this log: {', '.join(missing)}.")


def steady_figure_of(run: Run) -> Figure | None:
    """Over lateral acceleration, where there are steady turns."""
    panels = steady_figure(run)
    return (
        Figure(panels, "Rows of steady turns only: lateral acceleration and speed change little for at least a second.") if panels else None
    )


def curve_figure_of(run: Run) -> Figure | None:
    """What the analyses found, where they found curves."""
    panels = curve_figure(run)
    return Figure(panels) if panels else None
