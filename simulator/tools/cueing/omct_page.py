"""The page of the objective test, and its table on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simulator.report.html_page import Column, Page
from simulator.report.svg_plot import Axis, Curve, Panel
from simulator.tools.cueing.omct import ANGLE, AXES, FIDELITY, FORCE, RATE, SINACORI, Array, Complex, Response, fidelity
from simulator.tools.cueing.step_response import LASTS, SIZE, TURNS, Push

SMALLEST = 0.02
"""1. Gain below which the answer of an axis to another one is not drawn: nobody feels it."""
FLOOR = 1e-3
"""1. Least gain of the plots."""


@dataclass(frozen=True)
class Tested:
    """A washout on a platform, and its tests."""

    label: str
    washout: str
    platform: str
    tests: Sequence[Response]
    pushes: Sequence[Push]


def least_in_phase(test: Response, axis: str) -> tuple[float, float]:
    """The least share in phase of an axis by itself, and the frequency [rad/s] at which it is."""
    direct = test.direct(axis).real
    k = int(direct.argmin())
    return float(direct[k]), float(test.frequencies[k])


def words_of(point: complex) -> str:
    """Gain and phase."""
    return f"{abs(point):.2f} {np.degrees(np.angle(point)):+.0f}°"


def summary_rows(tested: Sequence[Tested]) -> list[list[str]]:
    """Washout, size of the sines, and by axis gain and phase at 1 rad/s and the least share in phase."""
    rows = []
    for one in tested:
        for test in one.tests:
            cells = []
            for axis in AXES:
                total = test.at(SINACORI, axis)[0]
                cells += [words_of(total), f"{least_in_phase(test, axis)[0]:+.2f}"]
            rows.append([one.label, f"{test.amplitude:g}", *cells])
    return rows


def omct_page(tested: Sequence[Tested], command: str) -> Page:
    """The page; `command` is what was typed."""
    page = Page(f"Objective test: {', '.join(one.label for one in tested)}", f"Made by `{command}`.")
    _overview(page, tested)
    _sinacori(page, tested)
    page.heading("Every axis by itself")
    _bode(page, tested)
    _tables(page, tested)
    page.heading("Every axis by the others")
    _crossed(page, tested)
    page.heading("A push that lasts")
    _pushes(page, tested)
    page.heading("How it is measured")
    _method(page, tested[0].tests[0])
    return page


def _overview(page: Page, tested: Sequence[Tested]) -> None:
    page.heading("In short")
    page.text(
        "Gain and phase are those of the force less gravity and of the rate at the head, by what the car does along the same axis; 1 is the car, "
        "the washout's scale is not divided out. In phase: the real part; below zero the platform moves against the car."
    )
    columns = [Column("washout", words=True), Column("size", words=True)]
    columns += [column for axis in AXES for column in (Column(axis, "at 1 rad/s"), Column("in phase", "least"))]
    page.table(columns, summary_rows(tested), "Size: of the sines, times the amplitudes that are listed at the end.")


def _sinacori(page: Page, tested: Sequence[Tested]) -> None:
    page.heading("Sinacori and Schroeder, 1 rad/s")
    rows: list[list[str | float]] = []
    for one in tested:
        for test in one.tests:
            for axis in AXES:
                total, motion = test.at(SINACORI, axis)
                cells: list[str | float] = [one.label, f"{test.amplitude:g}", axis]
                for point in (motion, total):
                    cells += [abs(point), float(np.degrees(np.angle(point))), fidelity(point)]
                rows.append(cells)
    three = [Column("gain"), Column("phase", "deg"), Column("fidelity", words=True)]
    columns = [Column("washout", words=True), Column("size", words=True), Column("axis", words=True)]
    page.table(
        [*columns, *three, *three],
        rows,
        "First the motion alone, without what tilt shows, which these regions are meant for; then all that is felt.",
    )
    panels = [_regions(one, which) for one in tested for which in (1, 0)]
    page.figure(panels, f"Of the sines x {tested[0].tests[0].amplitude:g}. The regions are as remembered, rough.")


def _regions(one: Tested, which: int) -> Panel:
    """Points of every axis of a washout, of the motion alone (1) or of all that is felt (0)."""
    curves = [
        Curve(f"{name} fidelity", np.array([0.0, phase, phase]), np.array([gain, gain, 1.2]), 0, dash)
        for (name, gain, phase), dash in zip(FIDELITY, ("", "6 3"), strict=True)
    ]
    for k, axis in enumerate(AXES):
        point = np.array([one.tests[0].at(SINACORI, axis)[which]])
        curves.append(Curve(axis, np.abs(np.degrees(np.angle(point))), np.abs(point), k + 1, points=True))
    title = f"{one.label}: {'the motion alone' if which == 1 else 'all that is felt'}"
    return Panel(
        title, Axis("phase at 1 rad/s, either way", "deg", least=0.0, most=180.0), Axis("gain at 1 rad/s", least=0.0, most=1.2), curves
    )


def _name(one: Tested, test: Response, tested: Sequence[Tested]) -> str:
    """Of a curve."""
    return f"{one.label}, x {test.amplitude:g}" if any(len(other.tests) > 1 for other in tested) else one.label


def _curves(tested: Sequence[Tested], read: str, into: int, out: int) -> list[Curve]:
    """Gain, phase or share in phase of an output by an input, of every test."""
    curves = []
    for n, one in enumerate(tested):
        for k, test in enumerate(one.tests):
            answer: Complex = test.response[:, into, out]
            numbers = {"gain": np.maximum(np.abs(answer), FLOOR), "phase": np.degrees(np.angle(answer)), "in phase": answer.real}[read]
            w = test.frequencies
            if read == "phase":
                w, numbers = _cut(w, numbers)
            curves.append(Curve(_name(one, test, tested), w, numbers, n + 1, ("", "5 3", "2 3")[k % 3], points=True))
    return curves


def _cut(w: Array, degrees: Array) -> tuple[Array, Array]:
    """A phase with a gap where it goes round, instead of a line across the plot."""
    around = np.flatnonzero(np.abs(np.diff(degrees)) > 180.0) + 1
    return np.insert(w, around, w[around]), np.insert(degrees, around, np.nan)


def _bode(page: Page, tested: Sequence[Tested]) -> None:
    w = Axis("frequency", "rad/s", log=True)
    panels = []
    for k, axis in enumerate(AXES):
        panels.append(Panel(f"{axis} by {axis}: gain", w, Axis("gain", log=True, least=0.005, most=2.0), _curves(tested, "gain", k, k)))
        panels.append(Panel(f"{axis} by {axis}: phase", w, Axis("phase", "deg", least=-180.0, most=180.0), _curves(tested, "phase", k, k)))
    page.figure(panels, "Bode plots. A platform that moves as the car does lies at gain 1 and phase 0.")
    page.figure(
        [Panel(f"{axis}: in phase", w, Axis("share in phase"), _curves(tested, "in phase", k, k)) for k, axis in enumerate(AXES)],
        "Share that is in phase with the car: what is below zero moves against it.",
    )


def _tables(page: Page, tested: Sequence[Tested]) -> None:
    for one in tested:
        for test in one.tests:
            columns = [Column("frequency", "rad/s"), *(column for axis in AXES for column in (Column(axis, "gain"), Column("", "deg")))]
            rows = [
                [float(w), *(number for axis in AXES for number in _polar(test.direct(axis)[i]))] for i, w in enumerate(test.frequencies)
            ]
            limited = float(np.nanmax(test.limited))
            residue = float(np.nanmax(test.residue))
            page.table(
                columns,
                rows,
                f"{one.label}, sines x {test.amplitude:g}. The limiter acted in {100.0 * limited:.2g} % of the ticks at worst; what was no sine "
                f"of the frequency came to {100.0 * residue:.2g} % of what was.",
            )


def _polar(point: complex) -> tuple[float, float]:
    return abs(point), float(np.degrees(np.angle(point)))


def _crossed(page: Page, tested: Sequence[Tested]) -> None:
    page.text(
        "Force by force and rate by rate as above. Angle by force: 1 is the angle whose share of gravity is that force. Force by angle: 1 is the "
        f"share of gravity that goes with that angle. Drawn is what exceeds {SMALLEST:g} somewhere; the file for programs has every one."
    )
    w = Axis("frequency", "rad/s", log=True)
    panels = []
    for into, axis in enumerate(AXES):
        for out, other in enumerate(AXES):
            largest = max(np.nanmax(np.abs(test.response[:, into, out])) for one in tested for test in one.tests)
            if into == out or not largest > SMALLEST:
                continue
            gain, phase = Axis("gain", log=True, least=FLOOR, most=2.0), Axis("phase", "deg", least=-180.0, most=180.0)
            panels.append(Panel(f"{other} by {axis}: gain", w, gain, _curves(tested, "gain", into, out)))
            panels.append(Panel(f"{other} by {axis}: phase", w, phase, _curves(tested, "phase", into, out)))
    if panels:
        page.figure(panels)


def _pushes(page: Page, tested: Sequence[Tested]) -> None:
    columns = [Column("washout", words=True), Column("axis", words=True), Column("wanted", "m/s²"), Column("tilt", "deg")]
    columns += [Column("asin(wanted / g)", "deg"), Column("fastest tilt", "deg/s"), Column("least", "m/s²"), Column("most", "m/s²")]
    columns += [Column("false cue after", "m/s²")]
    rows: list[list[str | float]] = []
    for one in tested:
        for push in one.pushes:
            said = push.to_dict()
            degrees = [float(np.degrees(said[key])) for key in ("tilt", "tilt_wanted", "tilt_rate")]
            forces = [said[key] for key in ("least_while_it_lasts", "most_while_it_lasts", "false_cue_after")]
            rows.append([one.label, push.axis, said["wanted"], *degrees, *forces])
    page.table(
        columns,
        rows,
        f"{SIZE:g} m/s² for {LASTS:g} s. Least and most force while it lasts; after it ends, the force against nothing that is left.",
    )
    time = Axis("time", "s")
    panels = []
    for k, axis in enumerate(TURNS):
        wanted = {float(one.pushes[k].wanted.max()): one.pushes[k] for one in tested}
        force = [Curve(f"wanted {most:.3g}", push.times, push.wanted, 0) for most, push in wanted.items()]
        force += [Curve(one.label, one.pushes[k].times, one.pushes[k].force, n) for n, one in enumerate(tested, 1)]
        tilt = [Curve(one.label, one.pushes[k].times, np.degrees(one.pushes[k].tilt), n) for n, one in enumerate(tested, 1)]
        panels += [
            Panel(f"{axis}: force at the head", time, Axis("force", "m/s²"), force),
            Panel(f"{axis}: tilt", time, Axis("angle", "deg"), tilt),
        ]
    page.figure(panels)


def _method(page: Page, test: Response) -> None:
    gravity = "with" if test.attendant else "without"
    page.text(
        f"The platform has risen and follows. Then the car swings along one axis: {FORCE:g} m/s² of surge, sway or heave, or roll, pitch or yaw "
        f"by {np.degrees(ANGLE):g} degrees or {np.degrees(RATE):g} deg/s, whichever is less, each times the size of the test; roll and pitch {gravity} "
        "their share of gravity. What is measured is the first harmonic at the head, behind washout, procedure, limiter and actuators, by least "
        "squares over the last periods. Frequencies are those of ICAO Doc 9625, attachment F; amplitudes and boundaries are as remembered, and "
        "nothing here is compliance with it."
    )
    page.table(
        [Column("frequency", "rad/s"), Column("force", "m/s²"), Column("angle", "deg")],
        [[float(w), FORCE, float(np.degrees(min(ANGLE, RATE / w)))] for w in test.frequencies],
        "Amplitudes of size 1.",
    )
