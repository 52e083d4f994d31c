"""Report page of a run."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from simulator.autonomy.outcome import KEY, REACHED, Outcome
from simulator.maneuvers.plots.contract import EmptyPlotError, Run
from simulator.maneuvers.plots.cross_plots import handling_curves
from simulator.maneuvers.plots.kinds import PLOT_KINDS
from simulator.maneuvers.plots.quantities import QUANTITIES
from simulator.maneuvers.plots.time_series import panels_of, phase_spans
from simulator.maneuvers.source_marks import explained
from simulator.report.html_page import Cell, Column, Page, Verdict
from simulator.report.plot import Panel, Plot

FILE = "report.html"

GROUPS = (
    ("The driver", ("steering_wheel", "steering_torque", "pedals", "gear", "engine")),
    (
        "The vehicle",
        ("speed", "distance", "acceleration", "lateral_acceleration", "yaw_rate", "sideslip", "roll", "pitch", "yaw", "head", "path_error"),
    ),
    ("The wheels", ("wheel_loads", "slip_angles", "slips")),
)
"""Groups of quantities over time in the order of the page."""

NO_PLOTS: Mapping[str, Plot] = MappingProxyType({})

MAP_CAPTION = "Cells: light = free, brown = close to a limit of the vehicle, dark = obstacle, gray = unknown."
VERDICTS: dict[str, Cell] = {"pass": Verdict("pass", True), "fail": Verdict("FAIL", False), "info": ""}


@dataclass(frozen=True)
class RunInfo:
    """Content of the page that does not follow from the telemetry."""

    facts: Sequence[tuple[str, str]] = ()
    """Facts about the run: label and value."""
    configuration: str = ""
    """Complete configuration as text."""
    dropped: Sequence[str] = ()
    """Plugins that were stopped, one line each."""
    frames: Sequence[tuple[bytes, str]] = ()
    """Rendered images of the run (JPEG) with captions."""
    obstacle_map: Path | None = None
    """Picture (PNG) of the obstacle map of a drive to a goal."""


def columns_shown() -> tuple[str, ...]:
    """Return the telemetry names, fields or patterns that the page needs in addition to the columns of the metrics."""
    return tuple(dict.fromkeys(column for one in QUANTITIES.values() for column in one.columns))


def run_page(result: Mapping[str, Any], info: RunInfo, run: Run | None, plots: Mapping[str, Plot] = NO_PLOTS) -> Page:
    """Return the page; `result` is as in metrics.json, `plots` are those that the maneuver selects, by name. Without a `run`, the page has
    no plots.
    """
    page = Page(str(result["title"]), " · ".join(str(result[key]) for key in ("maneuver", "vehicle", "terrain") if result.get(key)))
    page.verdict(outcome(result))
    if KEY in result:
        page.verdict(Verdict(f"outcome: {Outcome(**result[KEY]).message}", result[KEY]["word"] == REACHED))
    page.points(remarks(result, info)) if remarks(result, info) else None
    page.facts(info.facts)
    page.heading("Metrics")
    _metrics(page, result["table"])
    _gates(page, result.get("gates", ()))
    if info.obstacle_map is not None:
        page.heading("Obstacle map")
        page.pictures([(info.obstacle_map.read_bytes(), MAP_CAPTION)], "png")
    if info.frames:
        page.heading("Images of the run")
        page.pictures(info.frames)
    if run is not None:
        _plots(page, run, plots)
    if info.configuration:
        page.heading("Configuration")
        page.details("Complete configuration of this run (configuration.yaml)", info.configuration)
    return page


def outcome(result: Mapping[str, Any]) -> Verdict:
    """Return the verdict of a run in one line."""
    checks = result["checks"]
    early_end = (
        f"ended early, at {result['ended_early']['time_s']:.4g} s: {result['ended_early']['reason']}" if "ended_early" in result else ""
    )
    failed = [violation(check) for check in checks if not check["pass"]]
    if result["pass"] is None:
        return Verdict(early_end or "no limits given, so no pass or fail", False if early_end else None)
    text = f"passed: all {len(checks)} limits satisfied" if len(checks) > 1 else "passed: limit satisfied"
    if result["pass"] is False:
        text = f"FAILED: {len(failed)} of {len(checks)} limits violated ({', '.join(failed)})" if failed else "FAILED"
    return Verdict("; ".join(part for part in (text, early_end) if part), result["pass"])


def violation(check: Mapping[str, Any]) -> str:
    """Return a violated limit: the metric, and the reason if it has no value."""
    return f"{check['metric']}: no value, {check['reason']}" if "reason" in check else str(check["metric"])


def remarks(result: Mapping[str, Any], info: RunInfo) -> list[str]:
    """Return lines to read before the numbers."""
    lines = [str(remark) for remark in result.get("remarks", ())]
    lines += [f"course: {result['course_limit']}"] if result.get("course_limit") else []
    lines += [f"stopped: {line}" for line in info.dropped]
    return lines + [f"no plot {line}" for line in result.get("pictures_left_out", ())]


def _metrics(page: Page, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write the metrics table: metrics with limits first, then the metrics of the analyses."""
    if not rows:
        page.text("The telemetry has too few rows for an evaluation.")
        return
    limits, marks = any(row["verdict"] != "info" for row in rows), any(row["mark"] for row in rows)
    columns = [Column("metric", words=True), Column("value"), Column("unit", words=True)]
    columns += [Column("min"), Column("max"), Column("margin"), Column("verdict", words=True)] if limits else []
    columns += [Column("meaning", words=True, long=True), *([Column("definition", words=True)] if marks else [])]
    ordered = sorted(rows, key=lambda row: (row["verdict"] == "info", not row["mark"]))
    caption = "Margin: distance of the value from the nearest limit; negative if the limit is violated." if limits else ""
    page.table(columns, [_metric_row(row, limits, marks) for row in ordered], caption)
    lines = explained(row["mark"] for row in rows)
    if lines:
        page.points(lines)


def _metric_row(row: Mapping[str, Any], limits: bool, mark: bool) -> list[Cell]:
    """Return the cells of a metric, with limits and mark if the table has these columns."""
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
    columns = [Column("gate", words=True), Column("speed", "km/h"), Column("margin to the limits", "m"), Column("cones touched")]
    page.table([*columns, Column("", words=True)], rows)


def _plots(page: Page, run: Run, plots: Mapping[str, Plot]) -> None:
    headings = {"path": "Course", "steady_turns": "Steady turns", "curves": "Curves of the analyses"}
    if not (handling_curves(run) or {"steady_turns", "handling"} & set(run.maneuver.pictures)):
        del headings["steady_turns"]
    for name, heading in headings.items():
        with contextlib.suppress(EmptyPlotError):
            plot = plots[name] if name in plots else PLOT_KINDS.need(name).draw(run)
            page.heading(heading)
            page.figure(plot.panels, plot.caption)
    for name, plot in plots.items():
        if PLOT_KINDS.need(name).on_page:
            page.heading(plot.title[:1].upper() + plot.title[1:])
            page.figure(plot.panels, plot.caption)
    page.heading("Over time")
    spans = phase_spans(run)
    if spans:
        page.text("Phases: " + ", ".join(f"{name} {begin:.4g} to {end:.4g} s" for begin, end, name in spans) + ".")
    for title, names in GROUPS:
        panels: list[Panel] = []
        missing = []
        for name in names:
            try:
                panels += panels_of(run, name)
            except EmptyPlotError:
                missing.append(QUANTITIES[name].title)
        page.subheading(title)
        if panels:
            page.figure(panels)
        if missing:
            page.text(f"Not in this log: {', '.join(missing)}.")
