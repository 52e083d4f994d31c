"""The page of a comparison, and the same as an object for programs and as a table on a terminal."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from simulator.maneuvers.source_marks import explained
from simulator.report import svg_plot
from simulator.report.html_page import MISSING, Cell, Column, Link, Page, Verdict
from simulator.report.svg_plot import Axis, Panel
from simulator.validation.compare.bands import Band, BandVerdict, Curves
from simulator.validation.compare.differences import Channel, Difference, values_of
from simulator.validation.compare.record import Record

TOLD = ("maneuver", "vehicle", "terrain", "settings", "version", "configuration", "columns")
"""What is known of records, in the order of the page."""
DASHES = ("", "7 3", "2 3")
"""Of records, for eyes that do not tell colors apart, and where there are more records than colors."""


@dataclass(frozen=True)
class BandShown:
    """A band, and how the others keep it."""

    band: Band
    curves: Curves | None
    judged: Sequence[BandVerdict]


@dataclass(frozen=True)
class ComparisonResult:
    """All that was found."""

    title: str
    records: Sequence[Record]
    """The first is the reference."""
    channels: Sequence[Channel]
    differences: Sequence[Difference]
    metrics: Sequence[dict[str, Any]]
    bands: Sequence[BandShown]

    @property
    def kept(self) -> bool | None:
        """Whether every band is kept; None without bands."""
        return all(one.kept for shown in self.bands for one in shown.judged) if self.bands else None


# ---- for programs ----


def to_dict(compared: ComparisonResult) -> dict[str, Any]:
    """Ready for JSON, all numbers in SI."""
    return {
        "reference": compared.records[0].name,
        "records": [
            {"name": one.name, "place": str(one.place), "rows": len(one.time), "shift_s": one.shift, **one.told} for one in compared.records
        ],
        "differences": [_difference_object(one) for one in compared.differences],
        "metrics": list(compared.metrics),
        "bands": [_judged_object(one) for shown in compared.bands for one in shown.judged],
        "pass": compared.kept,
    }


def _difference_object(one: Difference) -> dict[str, Any]:
    numbers = {"max": one.largest, "at_s": one.at, "rms": one.rms, "mean": one.mean, "rms_of_range": one.share}
    return {"channel": one.channel.name, "unit": one.channel.unit, "record": one.record, "rows": len(one.values), **numbers}


def _judged_object(one: BandVerdict) -> dict[str, Any]:
    said = one.band.said
    numbers = {"inside": one.inside, "worst": one.worst, "at": one.at}
    over = one.band.over.name if one.band.over is not None else "time"
    return {
        "channel": one.band.channel.name,
        "over": over,
        "record": one.record,
        "pass": one.kept,
        **numbers,
        "mark": said.mark,
        "remark": one.remark,
    }


# ---- for people ----


def compare_page(compared: ComparisonResult, page_file: Path) -> Page:
    """The page; `page_file` is where it will lie, so that it leads to the pages of its runs."""
    page = Page(compared.title, f"Everything is held against {compared.records[0].name}.")
    page.verdict(outcome(compared))
    page.heading("What is compared")
    _records(page, compared.records, page_file)
    if compared.bands:
        page.heading("Bands")
        _bands(page, compared)
    page.heading("Differences")
    page.table(*_difference_table(compared))
    if compared.metrics:
        page.heading("Metrics")
        _metrics(page, compared)
    page.heading("Over time")
    page.figure([panel for channel in compared.channels for panel in _channel_panels(compared, channel)], "Right: less the reference.")
    page.heading("How it is done")
    page.text(
        "Times are those of the reference where the others overlap them, values between two rows lie on the line between these. What has a time "
        "of its own shifted says so above. Of angles, whole turns are no difference. Bands over time: every row must lie inside. Bands over a "
        "channel: means of steady rows (lateral acceleration and speed change little for a second) in steps of that channel must lie within "
        "ellipses around those of the reference, after ISO 19364."
    )
    return page


def outcome(compared: ComparisonResult) -> Verdict:
    """How it went, in a line."""
    verdicts = [one for shown in compared.bands for one in shown.judged]
    left = list(dict.fromkeys(f"{one.band.channel.plain} of {one.record}" for one in verdicts if not one.kept))
    if not verdicts:
        return Verdict("no bands given: nothing to judge", None)
    if left:
        return Verdict(f"{len(left)} of {len(verdicts)} bands left: {'; '.join(left)}", False)
    return Verdict(f"all {len(verdicts)} bands are kept" if len(verdicts) > 1 else "the band is kept", True)


def _records(page: Page, records: Sequence[Record], page_file: Path) -> None:
    """A column for each, a row for what is known of them."""
    columns = [Column("", words=True)]
    rows: list[list[Cell]] = [[""]]
    for one in records:
        columns.append(Column(one.name, words=True, long=True))
        rows[0].append("no page" if one.report is None else Link("page of the run", link(one.report, page_file)))
    for key in TOLD:
        if any(key in one.told for one in records):
            rows.append([key, *(one.told.get(key, MISSING) for one in records)])
    rows.append(["rows", *(f"{len(one.time)}, {one.time[0]:.4g} to {one.time[-1]:.4g} s" for one in records)])
    if any(one.shift for one in records):
        rows.append(["time shifted by", *(f"{one.shift:.4f} s" if one.shift else MISSING for one in records)])
    rows.append(["log", *(str(one.place) for one in records)])
    page.table(columns, rows)


def link(target: Path, page_file: Path) -> str:
    """How a page says where another file lies, from beside it."""
    from urllib.parse import quote

    return quote(Path(os.path.relpath(target.resolve(), page_file.resolve().parent)).as_posix())


def _bands(page: Page, compared: ComparisonResult) -> None:
    columns = [Column("channel", words=True), Column("over", words=True), Column("band around the reference", words=True, long=True)]
    columns += [
        Column("run", words=True),
        Column("verdict", words=True),
        Column("inside", "%"),
        Column("furthest out"),
        Column("", words=True),
    ]
    columns += [Column("at"), Column("", words=True), Column("numbers from", words=True, long=True)]
    page.table(columns, [_band_row(one) for shown in compared.bands for one in shown.judged])
    marks = explained(shown.band.said.mark for shown in compared.bands)
    if marks:
        page.points(marks)
    panels = [_band_panel(compared, shown) for shown in compared.bands if shown.curves is not None and shown.band.over is not None]
    if panels:
        page.figure(panels, "Points: means of steady rows. The band is what lies within its widths of the reference in both directions.")


def _band_row(one: BandVerdict) -> list[Cell]:
    unit, factor = one.band.channel.shown
    over_unit, over_factor = one.band.over.shown if one.band.over is not None else ("s", 1.0)
    verdict = Verdict("inside", True) if one.kept else Verdict(one.remark if np.isnan(one.inside) else "LEFT", False)
    far: list[Cell] = [None, ""]
    if not one.kept and np.isfinite(one.worst):
        far = [one.worst * factor, unit] if one.band.over is None else [one.worst, "half widths"]
    at: list[Cell] = [one.at * over_factor, over_unit] if np.isfinite(one.at) else [None, ""]
    over = "time" if one.band.over is None else one.band.over.plain
    said = "; ".join(part for part in (one.band.said.mark, "" if np.isnan(one.inside) else one.remark) if part)
    title = one.band.channel.plain
    return [title, over, one.band.words, one.record, verdict, 100.0 * one.inside, *far, *at, said]


def _curve(n: int, name: str, x: Any, y: Any, points: bool = False) -> svg_plot.Curve:
    """Of the n-th record, the reference being the first."""
    return svg_plot.Curve(name, x, y, n % len(svg_plot.COLORS), DASHES[n // 2 % len(DASHES)], 1.3, points=points)


def _band_panel(compared: ComparisonResult, shown: BandShown) -> Panel:
    band, curves = shown.band, shown.curves
    assert curves is not None and band.over is not None
    (unit, factor), (over_unit, over_factor) = band.channel.shown, band.over.shown
    area = svg_plot.Band(
        f"band around {compared.records[0].name}", over_factor * curves.edge_x, factor * curves.low, factor * curves.high, 0
    )
    drawn = [_curve(0, compared.records[0].name, over_factor * curves.x, factor * curves.y)]
    for n, one in enumerate(shown.judged, 1):
        if len(one.x):
            drawn.append(_curve(n, one.record, over_factor * one.x, factor * one.y, points=True))
    x, y = Axis(band.over.title, over_unit), Axis(band.channel.plain, unit)
    return Panel(band.channel.title, x, y, drawn, bands=[area])


def _channel_panels(compared: ComparisonResult, channel: Channel) -> list[Panel]:
    """The channel of every record, with its band, and the differences."""
    unit, factor = channel.shown
    time = Axis(
        "time", "s", least=min(float(one.time[0]) for one in compared.records), most=max(float(one.time[-1]) for one in compared.records)
    )
    drawn = [
        _curve(n, one.name, np.asarray(one.time), factor * values_of(one, channel))
        for n, one in enumerate(compared.records)
        if channel.name in one.columns
    ]
    numbers = {one.name: n for n, one in enumerate(compared.records)}
    apart = [
        _curve(numbers[one.record], one.record, one.time, factor * one.values) for one in compared.differences if one.channel == channel
    ]
    areas = [
        svg_plot.Band(
            f"band around {compared.records[0].name}", shown.curves.edge_x, factor * shown.curves.low, factor * shown.curves.high, 0
        )
        for shown in compared.bands
        if shown.band.channel == channel and shown.band.over is None and shown.curves is not None
    ]
    title = channel.plain
    return [
        Panel(channel.title, time, Axis(title, unit), drawn, bands=areas),
        Panel(f"difference: {title}", time, Axis("difference", unit), apart),
    ]


def _difference_table(compared: ComparisonResult) -> tuple[list[Column], list[list[Cell]], str]:
    columns = [Column("channel", words=True), Column("unit", words=True), Column("run", words=True), Column("largest"), Column("at", "s")]
    columns += [Column("rms"), Column("mean"), Column("rms / range", "%")]
    rows: list[list[Cell]] = []
    for one in compared.differences:
        unit, factor = one.channel.shown
        title = one.channel.plain
        rows.append([title, unit, one.record, factor * one.largest, one.at, factor * one.rms, factor * one.mean, 100.0 * one.share])
    return columns, rows, "Less the reference; range: from the least to the most of the reference where both are."


def _metrics(page: Page, compared: ComparisonResult) -> None:
    names = [one.name for one in compared.records if one.metrics]
    columns = [Column("metric", words=True), Column("unit", words=True), *(Column(name) for name in names)]
    columns += [Column(name, "less the reference") for name in names[1:]]
    rows: list[list[Cell]] = []
    for row in compared.metrics:
        numbers = [row["values"].get(name) for name in names] + [row["differences"].get(name) for name in names[1:]]
        rows.append([row["metric"], "" if row["unit"] == "1" else row["unit"], *numbers])
    page.table(columns, rows)


def to_text(compared: ComparisonResult) -> list[str]:
    """Lines for a terminal."""
    lines = [f"{'channel':<28}{'':<22}{'largest':>10}{'rms':>10}  unit"]
    for one in compared.differences:
        unit, factor = one.channel.shown
        lines.append(f"{one.channel.name:<28}{one.record[:20]:<22}{factor * one.largest:>10.4g}{factor * one.rms:>10.4g}  {unit}")
    for shown in compared.bands:
        for judged in shown.judged:
            verdict = "inside" if judged.kept else f"LEFT{f' ({judged.remark})' if judged.remark else ''}"
            lines.append(f"band of {judged.band.channel.name}, {judged.band.words}: {judged.record} {verdict}")
    lines += [f"{record.name}: its time was shifted by {record.shift:.4f} s" for record in compared.records if record.shift]
    return lines
