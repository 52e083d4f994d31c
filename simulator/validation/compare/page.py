"""Page of a comparison, its JSON object and its text for the terminal."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from simulator.maneuvers.source_marks import explained
from simulator.report import plot
from simulator.report.html_page import MISSING, Cell, Column, Link, Page, Verdict
from simulator.report.plot import COLORS, DASHES, REFERENCE_WIDTH, Axis, Panel
from simulator.validation.compare.bands import Band, BandVerdict, Curves
from simulator.validation.compare.coverage import share_text
from simulator.validation.compare.differences import Channel, Difference, values_of
from simulator.validation.compare.record import Record

RUN_FACTS = ("maneuver", "vehicle", "terrain", "settings", "version", "configuration", "columns")
"""Facts about records in the order of the page."""


@dataclass(frozen=True)
class BandResult:
    """A band with the verdicts of the other records."""

    band: Band
    curves: Curves | None
    verdicts: Sequence[BandVerdict]


@dataclass(frozen=True)
class ComparisonResult:
    """Result of a comparison."""

    title: str
    records: Sequence[Record]
    """Records; the first is the reference."""
    channels: Sequence[Channel]
    differences: Sequence[Difference]
    metrics: Sequence[dict[str, Any]]
    bands: Sequence[BandResult]

    @property
    def satisfied(self) -> bool | None:
        """True if all records lie inside all bands; None without bands."""
        return all(one.satisfied for shown in self.bands for one in shown.verdicts) if self.bands else None


# ---- for programs ----


def to_dict(comparison: ComparisonResult) -> dict[str, Any]:
    """Return the result for JSON, with all numbers in SI units."""
    return {
        "reference": comparison.records[0].name,
        "records": [
            {"name": one.name, "place": str(one.place), "rows": len(one.time), "shift_s": one.shift, **one.facts}
            for one in comparison.records
        ],
        "differences": [_difference_object(one) for one in comparison.differences],
        "metrics": list(comparison.metrics),
        "bands": [_verdict_object(one) for shown in comparison.bands for one in shown.verdicts],
        "pass": comparison.satisfied,
    }


def _difference_object(one: Difference) -> dict[str, Any]:
    numbers = {"max": one.largest, "at_s": one.at, "rms": one.rms, "mean": one.mean, "rms_of_range": one.share, "compared": one.compared}
    return {"channel": one.channel.name, "unit": one.channel.unit, "record": one.record, "rows": len(one.values), **numbers}


def _verdict_object(one: BandVerdict) -> dict[str, Any]:
    given = one.band.given
    numbers = {"compared": one.compared, "inside": one.inside, "worst": one.worst, "at": one.at}
    over = one.band.over.name if one.band.over is not None else "time"
    return {
        "channel": one.band.channel.name,
        "over": over,
        "record": one.record,
        "pass": one.satisfied,
        **numbers,
        "mark": given.mark,
        "remark": one.remark,
    }


# ---- for people ----


def compare_page(comparison: ComparisonResult, page_file: Path) -> Page:
    """Return the page. `page_file` is the path of the page, for relative links to the pages of the runs."""
    page = Page(comparison.title, f"Reference: {comparison.records[0].name}.")
    page.verdict(outcome(comparison))
    page.heading("Records")
    _records(page, comparison.records, page_file)
    if comparison.bands:
        page.heading("Bands")
        _bands(page, comparison)
    page.heading("Differences")
    page.table(*_difference_table(comparison))
    if comparison.metrics:
        page.heading("Metrics")
        _metrics(page, comparison)
    page.heading("Over time")
    page.figure(
        [panel for channel in comparison.channels for panel in _channel_panels(comparison, channel)],
        "Right: difference from the reference.",
    )
    page.heading("Method")
    page.text(
        "Records are compared at the times of the reference where they overlap, with linear interpolation between rows. Time shifts are "
        "listed above. Full turns of headings are removed, those of other angles are not. Compared: share of the time of the reference in which "
        "both records have values; a row stands for the time to the middle between it and its neighbors. A band is satisfied only if enough "
        "of the reference is compared (key min_compared). Bands over time: every row must lie inside. Bands over a channel: means of "
        "steady rows (lateral acceleration and speed nearly constant for a second), in steps of this channel, must lie within ellipses "
        "around the values of the reference, after ISO 19364."
    )
    return page


def outcome(comparison: ComparisonResult) -> Verdict:
    """Return the result in a line."""
    verdicts = [one for shown in comparison.bands for one in shown.verdicts]
    left = list(dict.fromkeys(f"{one.band.channel.plain} of {one.record}" for one in verdicts if not one.satisfied))
    if not verdicts:
        return Verdict("no bands given, no verdict", None)
    if left:
        return Verdict(f"{len(left)} of {len(verdicts)} bands violated: {'; '.join(left)}", False)
    least = share_text(min(one.compared for one in verdicts))
    if len(verdicts) == 1:
        return Verdict(f"band satisfied, {least} compared", True)
    return Verdict(f"all {len(verdicts)} bands satisfied, at least {least} compared", True)


def _records(page: Page, records: Sequence[Record], page_file: Path) -> None:
    """Write a table with a column for each record and a row for each fact."""
    columns = [Column("", words=True)]
    rows: list[list[Cell]] = [[""]]
    for one in records:
        columns.append(Column(one.name, words=True, long=True))
        rows[0].append("no page" if one.report is None else Link("page of the run", link(one.report, page_file)))
    for key in RUN_FACTS:
        if any(key in one.facts for one in records):
            rows.append([key, *(one.facts.get(key, MISSING) for one in records)])
    rows.append(["rows", *(f"{len(one.time)}, {one.time[0]:.4g} to {one.time[-1]:.4g} s" for one in records)])
    if any(one.shift for one in records):
        rows.append(["time shifted by", *(f"{one.shift:.4f} s" if one.shift else MISSING for one in records)])
    rows.append(["log", *(str(one.place) for one in records)])
    page.table(columns, rows)


def link(target: Path, page_file: Path) -> str:
    """Return the link from a page to another file, as a relative URL."""
    from urllib.parse import quote

    return quote(Path(os.path.relpath(target.resolve(), page_file.resolve().parent)).as_posix())


def _bands(page: Page, comparison: ComparisonResult) -> None:
    columns = [Column("channel", words=True), Column("over", words=True), Column("band around the reference", words=True, long=True)]
    columns += [
        Column("run", words=True),
        Column("verdict", words=True),
        Column("compared", "%"),
        Column("inside", "%"),
        Column("max distance"),
        Column("", words=True),
    ]
    columns += [Column("at"), Column("", words=True), Column("source of the numbers", words=True, long=True)]
    page.table(columns, [_band_row(one) for shown in comparison.bands for one in shown.verdicts])
    marks = explained(shown.band.given.mark for shown in comparison.bands)
    if marks:
        page.points(marks)
    panels = [_band_panel(comparison, shown) for shown in comparison.bands if shown.curves is not None and shown.band.over is not None]
    if panels:
        page.figure(
            panels, "Points: means of steady rows. The band contains all points within its widths of the reference in both directions."
        )


def _band_row(one: BandVerdict) -> list[Cell]:
    unit, factor = one.band.channel.shown
    over_unit, over_factor = one.band.over.shown if one.band.over is not None else ("s", 1.0)
    verdict = Verdict(verdict_text(one), one.satisfied)
    far: list[Cell] = [None, ""]
    if not one.satisfied and np.isfinite(one.worst):
        far = [one.worst * factor, unit] if one.band.over is None else [one.worst, "half widths"]
    at: list[Cell] = [one.at * over_factor, over_unit] if np.isfinite(one.at) else [None, ""]
    over = "time" if one.band.over is None else one.band.over.plain
    given = "; ".join(part for part in (one.band.given.mark, "" if verdict_text(one) == one.remark else one.remark) if part)
    title = one.band.channel.plain
    return [title, over, one.band.words, one.record, verdict, 100.0 * one.compared, 100.0 * one.inside, *far, *at, given]


def verdict_text(one: BandVerdict) -> str:
    """Return the verdict on a record and a band as text."""
    if one.satisfied:
        return "inside"
    return "OUTSIDE" if one.inside < 1.0 else one.remark


def _curve(n: int, name: str, x: Any, y: Any, points: bool = False) -> plot.Curve:
    """Return the curve of the n-th record; record 0 is the reference."""
    return plot.Curve(name, x, y, n % len(COLORS), DASHES[n // 2 % len(DASHES)], 1.3 if n else REFERENCE_WIDTH, points=points)


def _band_panel(comparison: ComparisonResult, shown: BandResult) -> Panel:
    band, curves = shown.band, shown.curves
    assert curves is not None and band.over is not None
    (unit, factor), (over_unit, over_factor) = band.channel.shown, band.over.shown
    area = plot.Band(f"band around {comparison.records[0].name}", over_factor * curves.edge_x, factor * curves.low, factor * curves.high, 0)
    drawn = [_curve(0, comparison.records[0].name, over_factor * curves.x, factor * curves.y)]
    for n, one in enumerate(shown.verdicts, 1):
        if len(one.x):
            drawn.append(_curve(n, one.record, over_factor * one.x, factor * one.y, points=True))
    x, y = Axis(band.over.title, over_unit), Axis(band.channel.plain, unit)
    return Panel(band.channel.title, x, y, drawn, bands=[area])


def _channel_panels(comparison: ComparisonResult, channel: Channel) -> list[Panel]:
    """Return the plots of a channel: all records with the band, and the differences."""
    unit, factor = channel.shown
    time = Axis(
        "time",
        "s",
        least=min(float(one.time[0]) for one in comparison.records),
        most=max(float(one.time[-1]) for one in comparison.records),
    )
    drawn = [
        _curve(n, one.name, np.asarray(one.time), factor * values_of(one, channel))
        for n, one in enumerate(comparison.records)
        if channel.name in one.columns
    ]
    numbers = {one.name: n for n, one in enumerate(comparison.records)}
    difference_curves = [
        _curve(numbers[one.record], one.record, one.time, factor * one.values) for one in comparison.differences if one.channel == channel
    ]
    areas = [
        plot.Band(
            f"band around {comparison.records[0].name}", shown.curves.edge_x, factor * shown.curves.low, factor * shown.curves.high, 0
        )
        for shown in comparison.bands
        if shown.band.channel == channel and shown.band.over is None and shown.curves is not None
    ]
    title = channel.plain
    return [
        Panel(channel.title, time, Axis(title, unit), drawn, bands=areas),
        Panel(f"difference: {title}", time, Axis("difference", unit), difference_curves),
    ]


def _difference_table(comparison: ComparisonResult) -> tuple[list[Column], list[list[Cell]], str]:
    columns = [Column("channel", words=True), Column("unit", words=True), Column("run", words=True), Column("largest"), Column("at", "s")]
    columns += [Column("rms"), Column("mean"), Column("rms / range", "%"), Column("compared", "%")]
    rows: list[list[Cell]] = []
    for one in comparison.differences:
        unit, factor = one.channel.shown
        title = one.channel.plain
        numbers = [factor * one.largest, one.at, factor * one.rms, factor * one.mean, 100.0 * one.share, 100.0 * one.compared]
        rows.append([title, unit, one.record, *numbers])
    return columns, rows, "Differences from the reference. Range: from the minimum to the maximum of the reference in the overlap."


def _metrics(page: Page, comparison: ComparisonResult) -> None:
    names = [one.name for one in comparison.records if one.metrics]
    columns = [Column("metric", words=True), Column("unit", words=True), *(Column(name) for name in names)]
    columns += [Column(name, "difference") for name in names[1:]]
    rows: list[list[Cell]] = []
    for row in comparison.metrics:
        numbers = [row["values"].get(name) for name in names] + [row["differences"].get(name) for name in names[1:]]
        rows.append([row["metric"], "" if row["unit"] == "1" else row["unit"], *numbers])
    page.table(columns, rows)


def to_text(comparison: ComparisonResult) -> list[str]:
    """Return the lines for a terminal."""
    lines = [f"{'channel':<28}{'':<22}{'largest':>10}{'rms':>10}  {'unit':<8}{'compared':>9}"]
    for one in comparison.differences:
        unit, factor = one.channel.shown
        lines.append(
            f"{one.channel.name:<28}{one.record[:20]:<22}{factor * one.largest:>10.4g}{factor * one.rms:>10.4g}  {unit:<8}{share_text(one.compared):>9}"
        )
    for shown in comparison.bands:
        for verdict in shown.verdicts:
            text = verdict_text(verdict)
            text += f", {verdict.remark}" if verdict.remark and text != verdict.remark else ""
            text += "" if "compared" in verdict.remark else f", {share_text(verdict.compared)} compared"
            lines.append(f"band of {verdict.band.channel.name}, {verdict.band.words}: {verdict.record} {text}")
    lines += [f"{record.name}: time shifted by {record.shift:.4f} s" for record in comparison.records if record.shift]
    return lines
