"""The page of drives through washouts side by side, and its table on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.report.html_page import Column, Page
from simulator.report.svg_plot import Axis, Curve, Panel
from simulator.tools.cueing.recorded_drives import LEAST_RATE, CueingResult, Drive
from simulator.tools.cueing.scores import FORCES, HIGHEST, RATES, mean_scores, up_to
from washout.vestibular import FORCE_THRESHOLDS, MODELS, RATE_THRESHOLDS

Array = NDArray[np.float64]

SHOWN = MODELS[2]
"""Model of what is perceived in the plots and in the short table; the tables of the page have all of them."""

AXES = (*FORCES, *RATES)


@dataclass(frozen=True)
class CueingComparison:
    """A washout on a platform, and every drive through it."""

    label: str
    washout: str
    platform: str
    ridden: Sequence[CueingResult]


SUMMARY = (
    # title, unit, key path in the scores
    ("error", "", ("force_error",)),
    ("of all 3", "", ("force_error_with_heave",)),
    ("surge", "", ("axes", "surge", "error")),
    ("sway", "", ("axes", "sway", "error")),
    ("heave", "", ("axes", "heave", "error")),
    ("yaw corr.", "", ("perceived", SHOWN.name, "yaw", "correlation")),
    ("yaw gain", "", ("perceived", SHOWN.name, "yaw", "gain")),
    ("stroke", "", ("used", "stroke")),
    ("limited", "%", ("used", "limited_share")),
)
"""Columns of the short table."""


def at(scores: Mapping[str, Any], path: Sequence[str]) -> float:
    """A number of nested scores."""
    found: Any = scores
    for key in path:
        found = found[key]
    return float(found)


def summary_rows(drives: Sequence[Drive], compared: Sequence[CueingComparison]) -> list[list[str | float]]:
    """Drive, washout, K of surge and sway, and the numbers of SUMMARY; the mean over the drives at the end, when there are several."""
    rows: list[list[str | float]] = []
    for n, drive in enumerate(drives):
        rows += [[drive.name, one.label, scale(one.ridden[n]), *_numbers(one.ridden[n].scores)] for one in compared]
    if len(drives) > 1:
        rows += [["mean", one.label, scale(one.ridden[0]), *_numbers(mean_of(one))] for one in compared]
    return rows


def mean_of(one: CueingComparison) -> dict[str, Any]:
    """The mean of every score over the drives."""
    return mean_scores([ridden.scores for ridden in one.ridden])


def _numbers(scores: Mapping[str, Any]) -> list[float]:
    return [at(scores, path) * (100.0 if unit == "%" else 1.0) for _, unit, path in SUMMARY]


def scale(ridden: CueingResult) -> str:
    """K of surge and sway in words."""
    surge, sway = ridden.aims[0][:2]
    return f"{surge:.3g}" if surge == sway else f"{surge:.3g}, {sway:.3g}"


def drive_page(drives: Sequence[Drive], compared: Sequence[CueingComparison], command: str) -> Page:
    """The page; `command` is what was typed."""
    names = ", ".join(dict.fromkeys(drive.name for drive in drives))
    page = Page(f"What the head feels: {names}", f"Made by `{command}`.")
    page.heading("Scores")
    page.text(
        f"What the head feels on the platform, behind procedure, limiter and actuators, beside what the driver's head felt in the car. Error: "
        f"rms(f - K f_car) / rms(K f_car) of the force less gravity, 0 to {HIGHEST:g} Hz, surge and sway together, and of all three; K is the "
        f"scale that the washout aims at. Of yaw: correlation and gain (K not divided out) of what is perceived after {SHOWN.title}. Stroke: share of the half "
        "stroke that the worst leg used. Limited: ticks in which the limiter acted."
    )
    page.table(
        [Column("drive", words=True), Column("washout", words=True), Column("K"), *(Column(title, unit) for title, unit, _ in SUMMARY)],
        summary_rows(drives, compared),
    )
    for drive in drives:
        if drive.coarse:
            page.text(f"{drive.name}: {coarse_words(drive)}")
    for n, drive in enumerate(drives):
        _one_drive(page, drive, [(one, one.ridden[n]) for one in compared])
    page.heading("How it is measured")
    _method(page)
    return page


def coarse_words(drive: Drive) -> str:
    """Of a drive whose log had too few rows."""
    return (
        f"its log has {drive.recorded:.3g} rows a second; jolts between them are lost, and {LEAST_RATE + 1:g} are needed (jounce run --log-rate "
        "1000 --channels time,f_H_B,w_WB_B)"
    )


def _one_drive(page: Page, drive: Drive, shown: Sequence[tuple[CueingComparison, CueingResult]]) -> None:
    page.heading(f"{drive.name}, {drive.times[-1]:.1f} s")
    _axis_table(page, shown)
    _felt_figures(page, drive, shown)
    page.subheading("Perceived")
    _perceived_table(page, shown)
    _perceived_figure(page, drive, shown)
    page.subheading("The platform")
    _used_table(page, shown)
    _pose_figure(page, drive, shown)


def _axis_table(page: Page, shown: Sequence[tuple[CueingComparison, CueingResult]]) -> None:
    columns = [Column("axis", words=True), Column("washout", words=True), Column("error"), Column("correlation"), Column("gain")]
    columns += [
        Column("false cues", "m/s², deg/s"),
        Column("delay", "s"),
        Column("rms, car", "m/s², deg/s"),
        Column("rms, platform", "m/s², deg/s"),
    ]
    rows = []
    for axis in AXES:
        turn = _turn(axis)
        for one, ridden in shown:
            s = ridden.scores["axes"][axis]
            numbers = [s["error"], s["correlation"], s["gain"], turn * s["false_cue"], s["delay"], turn * s["car_rms"], turn * s["cab_rms"]]
            rows.append([axis, one.label, *numbers])
    page.table(columns, rows, "Force and rate at the head. Where the car does next to nothing along an axis there is no number.")


def _turn(axis: str) -> float:
    """From SI to what is shown: degrees for angles."""
    return float(np.degrees(1.0)) if axis in RATES else 1.0


def _beside(signals: Sequence[tuple[str, Array, Array, Array]], times: Array, axis: str) -> list[Curve]:
    """Curves of one axis, of (washout, wanted (n, 3), given (n, 3), K (3,)): what is wanted, once for all that want the same, and what each gives."""
    j = AXES.index(axis) % 3
    wanted: dict[str, Curve] = {}
    for _, one, _, aim in signals:
        name, dash = f"car x {aim[j]:.3g}", ("", "6 3", "2 3")[len(wanted) % 3]
        wanted.setdefault(name, Curve(name, times, _turn(axis) * one[:, j], 0, dash, 1.2))
    given = [Curve(label, times, _turn(axis) * one[:, j], n) for n, (label, _, one, _) in enumerate(signals, 1)]
    return [*wanted.values(), *given]


def _panels(
    drive: Drive,
    shown: Sequence[tuple[CueingComparison, CueingResult]],
    axes: Sequence[str],
    label: str,
    sense: Callable[[Array, float], Array],
) -> list[Panel]:
    """Of the three forces or rates, as `sense` makes them out of the signals (n, 3) and their step."""
    turns = axes == RATES
    signals = []
    for one, ridden in shown:
        aim = ridden.aims[1 if turns else 0]
        car = drive.rate if turns else drive.force - [0.0, 0.0, drive.gravity]
        cab = ridden.felt.rate if turns else ridden.felt.force
        signals.append((one.label, sense(aim * car, drive.h), sense(cab, drive.h), aim))
    unit = "deg/s" if turns else "m/s²"
    return [Panel(axis, Axis("time", "s"), Axis(label, unit), _beside(signals, drive.times, axis)) for axis in axes]


def _felt_figures(page: Page, drive: Drive, shown: Sequence[tuple[CueingComparison, CueingResult]]) -> None:
    page.figure(_panels(drive, shown, FORCES, "force less gravity", up_to), f"Force at the head, 0 to {HIGHEST:g} Hz.")
    page.figure(
        _panels(drive, shown, RATES, "rate", up_to),
        f"Angular velocity, 0 to {HIGHEST:g} Hz. Roll and pitch of a platform are also what tilt needs.",
    )


def _perceived_figure(page: Page, drive: Drive, shown: Sequence[tuple[CueingComparison, CueingResult]]) -> None:
    panels = [*_panels(drive, shown, FORCES, "perceived", SHOWN.forces), *_panels(drive, shown, RATES, "perceived", SHOWN.rates)]
    page.figure(panels, f"What is perceived after {SHOWN.title}.")


def _perceived_table(page: Page, shown: Sequence[tuple[CueingComparison, CueingResult]]) -> None:
    columns = [Column("axis", words=True), Column("washout", words=True)]
    columns += [Column(word, model.name) for model in MODELS for word in ("error", "correlation", "gain", "noticed")]
    rows: list[list[str | float]] = []
    for axis in AXES:
        for one, ridden in shown:
            numbers = [
                ridden.scores["perceived"][model.name][axis][key] * (100.0 if key == "noticed_share" else 1.0)
                for model in MODELS
                for key in ("error", "correlation", "gain", "noticed_share")
            ]
            rows.append([axis, one.label, *numbers])
    page.table(
        columns, rows, "What is perceived, by model. Noticed: share of the time [%] in which what is missed is beyond its threshold."
    )


def _used_table(page: Page, shown: Sequence[tuple[CueingComparison, CueingResult]]) -> None:
    columns = [Column("washout", words=True), Column("stroke"), Column("leg speed"), Column("leg acceleration"), Column("limited", "%")]
    columns += [Column("drawn in", "%"), *(Column(axis, "m") for axis in FORCES), *(Column(axis, "deg") for axis in RATES)]
    columns += [Column("tilt rate", "deg/s")]
    rows: list[list[str | float]] = []
    for one, ridden in shown:
        used = ridden.scores["used"]
        ways = [f"{_turn(axis) * used['least'][axis]:+.3g} {_turn(axis) * used['most'][axis]:+.3g}" for axis in AXES]
        numbers = [
            used["stroke"],
            used["leg_speed"],
            used["leg_acceleration"],
            100.0 * used["limited_share"],
            100.0 * used["drawn_in_share"],
        ]
        rows.append([one.label, *numbers, *ways, float(np.degrees(max(used["fastest"]["roll"], used["fastest"]["pitch"])))])
    page.table(
        columns,
        rows,
        "Shares of what the platform has, by the worst leg; least and most of each axis; fastest roll or pitch. Drawn in: ticks in which the pose "
        "was made smaller because the stroke came to its end.",
    )


def _pose_figure(page: Page, drive: Drive, shown: Sequence[tuple[CueingComparison, CueingResult]]) -> None:
    panels = []
    for j, axis in enumerate(AXES):
        curves = [Curve(one.label, drive.times, _turn(axis) * ridden.ride.pose[:, j], n + 1) for n, (one, ridden) in enumerate(shown)]
        panels.append(Panel(axis, Axis("time", "s"), Axis("platform", "deg" if axis in RATES else "m"), curves))
    if any(ridden.ride.limited.any() for _, ridden in shown):
        curves = [Curve(one.label, drive.times, ridden.ride.limited.astype(float), n + 1) for n, (one, ridden) in enumerate(shown)]
        panels.append(Panel("limiter", Axis("time", "s"), Axis("0 free, 1 on the way, 2 braking", least=-0.1, most=2.2), curves))
    page.figure(panels, "Where the platform's reference point is, from neutral.")
    inner = [(one, ridden.ride.inner) for one, ridden in shown if ridden.ride.inner]
    for one, columns in inner:
        page.figure(_inner_panels(drive, columns), f"What {one.label} adapts.")


def _inner_panels(drive: Drive, columns: Mapping[str, Array]) -> list[Panel]:
    """A panel for every field that a washout has for a log."""
    fields: dict[str, list[str]] = {}
    for name in columns:
        fields.setdefault(name.rstrip("0123456789").rstrip("_"), []).append(name)
    times = {name: np.linspace(drive.times[0], drive.times[-1], len(columns[name])) for name in columns}
    return [
        Panel(field, Axis("time", "s"), Axis("value"), [Curve(name, times[name], columns[name], n) for n, name in enumerate(names, 1)])
        for field, names in fields.items()
    ]


def _method(page: Page) -> None:
    page.text(
        "The platform has risen and follows before the drive begins; until then it stands under the first row of it. Force and rate are those of "
        "the pose behind the actuators, differentiated at the head. Correlation and gain are those with the car; false cues are the rms of what "
        "opposes the sign of the car; the delay is the shift at which both are most alike, within a second."
    )
    for model in MODELS:
        page.text(f"{model.name}: {model.source}.")
    rates = ", ".join(f"{np.degrees(one):.2g}" for one in RATE_THRESHOLDS)
    forces = ", ".join(f"{one:.2g}" for one in FORCE_THRESHOLDS)
    page.text(
        f"Thresholds: {forces} m/s² of surge, sway, heave; {rates} deg/s of roll, pitch, yaw (Zacharias 1978, from memory). What is perceived is "
        "divided by the largest gain that a model has at any frequency, so that it has the unit of what is there."
    )
