"""Measured wheels on sand compared with the soil bin: the soil is fitted to one series and predicts the others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.records import Record
from simulator.builder.builder import build_soil, build_tire
from simulator.fitting.soil_file_writer import interval_words
from simulator.fitting.soil_fit import FittedSoil, error_over_range, fit_soil, predicted
from simulator.fitting.soil_measurements import WheelTests, read_tests
from simulator.report.plot import GRAY, Axis, Curve, Panel
from simulator.tools.soil.soil_bin import SoilBin
from simulator.validation.suite.result import Finding, PageFigure, Part, ReferenceData, Row
from vehicles.tires.tire_file import TireFile

START = "silica_sand"
"""Soil at the start of the searches."""
MAX_ERROR = {"drawbar_pull": 25.0, "side_force": 35.0, "sinkage": 25.0}
"""Tolerances in %: RMS difference over the range of the measurement."""
SHOWN_FORCES = {"drawbar_pull": ("pull", "N", 1.0), "side_force": ("side force", "N", 1.0), "sinkage": ("sinkage", "mm", 1e3)}
WHEELS = {"smooth": "wheel_smooth.yaml", "grouser5mm": "wheel_grouser.yaml"}
ANGLES = (0, 15, 30, 45, 60, 75, 90)
"""Slip angles in deg."""
MODERATE = 45
"""Slip angle in deg up to which rows are evaluated separately; beyond, the wheel pushes sand like a plow."""
SIGNS = (0.2, 0.9)
"""Range of slip in which the sign of the pull must be right."""
FREE = ("k_phi", "n", "cohesion", "friction_angle", "shear_modulus", "c1", "c2", "exit_ratio")
FREE_OF_PULLS = ("k_phi", "friction_angle", "shear_modulus")
"""Free parameters if only the pull was measured."""
FOLDS = 3
"""Number of folds of the cross-validation of the rover points."""
ROVER = {"TREC_single_wheel_GRC3": "single wheel, GRC-3", "MGRU3_2021_rover_GRC1": "rover on slopes, GRC-1"}


class Series(NamedTuple):
    """Rows of a wheel at an angle, and the results of the soil bin."""

    tests: WheelTests
    found: Array


def sand(source: ReferenceData) -> Finding:
    """Fit the soil to the smooth wheel straight ahead and predict all other series."""
    file = str(source.data / "soil" / "single_wheel_sand.csv")
    tires = {wheel: build_tire(str(source.data / "soil" / name)) for wheel, name in WHEELS.items()}
    source.progress("sand: fit")
    fitted = fit_soil(read_tests(file, ["wheel=smooth", "beta_deg=0"]), tires["smooth"], build_soil(START), FREE, source.progress)
    series = {(wheel, angle): _simulated(file, wheel, angle, tires[wheel], fitted.soil) for wheel in WHEELS for angle in ANGLES}
    rows = _rows("smooth, 0 deg, fitted", [series["smooth", 0]])
    for wheel in WHEELS:
        those = [angle for angle in ANGLES if (wheel, angle) != ("smooth", 0)]
        rows += _rows(f"{wheel}, to {MODERATE} deg", [series[wheel, angle] for angle in those if angle <= MODERATE])
        rows += _rows(f"{wheel}, all angles", [series[wheel, angle] for angle in those])
        rows.append(_signs(f"{wheel}, 0 deg: sign of the pull", [series[wheel, 0]]))
        rows.append(_signs(f"{wheel}, 15 to 90 deg: sign of the pull", [series[wheel, angle] for angle in ANGLES[1:]]))
    figures = [one for wheel in WHEELS for one in _page_figures(wheel, {angle: series[wheel, angle] for angle in ANGLES})]
    return Finding(
        rows, figures, [_numbers_note("The fitted sand", fitted), _digging_note({angle: series["smooth", angle] for angle in ANGLES})]
    )


def rover(source: ReferenceData) -> Finding:
    """Fit the soil to two thirds of the points and predict the others, in turns."""
    file, tire = str(source.data / "soil" / "rover_wheel.csv"), build_tire(str(source.data / "soil" / "wheel_viper.yaml"))
    rows, plots, notes = [], [], []
    for name, title in ROVER.items():
        tests = read_tests(file, [f"test={name}"])
        predictions = np.empty(len(tests))
        for fold in range(FOLDS):
            source.progress(f"{title}: fit {fold + 1} of {FOLDS}")
            left_out = np.arange(len(tests)) % FOLDS == fold
            fitted = fit_soil(_some(tests, ~left_out), tire, build_soil(START), FREE_OF_PULLS, source.progress)
            predictions[left_out] = _pulls(tire, fitted.soil, _some(tests, left_out))
        notes.append(_numbers_note(title, fit_soil(tests, tire, build_soil(START), FREE_OF_PULLS, source.progress)))
        measured = tests.measured["drawbar_pull"]
        rows.append(_row(f"{title}: pull", "drawbar_pull", predictions, measured))
        positive = (tests.slip >= SIGNS[0]) & (tests.slip <= SIGNS[1])
        rows.append(_sign_row(f"{title}: sign of the pull", predictions[positive], measured[positive]))
        order = np.argsort(tests.slip)
        plots.append(
            _panel(title, "predicted", tests.slip[order], Axis("pull over load"), measured[order] / tests.load[order],
                   predictions[order] / tests.load[order])
        )  # fmt: skip
    return Finding(rows, [PageFigure("soil_rover", "each point predicted with a soil fitted to other points", plots)], notes)


def _simulated(file: str, wheel: str, angle: int, tire: TireFile, soil: Record) -> Series:
    tests = read_tests(file, [f"wheel={wheel}", f"beta_deg={angle}"])
    return Series(tests, SoilBin(tire, soil, file).drive(tests.slip, tests.load, tests.slip_angle))


def _pulls(tire: TireFile, soil: Record, tests: WheelTests) -> Array:
    return predicted(SoilBin(tire, soil).drive(tests.slip, tests.load, tests.slip_angle), "drawbar_pull", tests.slip_angle)


def _some(tests: WheelTests, rows: NDArray[np.bool_]) -> WheelTests:
    measured = {name: values[rows] for name, values in tests.measured.items()}
    return WheelTests(tests.file, tests.slip[rows], tests.load[rows], tests.slip_angle[rows], measured)


def _rows(what: str, series: Sequence[Series]) -> list[Row]:
    """Return rows of all quantities over several series together."""
    rows = []
    for name in MAX_ERROR:
        here = np.concatenate([predicted(one.found, name, one.tests.slip_angle) for one in series])
        there = np.concatenate([one.tests.measured[name] for one in series])
        if np.isfinite(there).any():
            rows.append(_row(f"{what}: {SHOWN_FORCES[name][0]}", name, here, there))
    return rows


def _row(what: str, name: str, here: Array, there: Array) -> Row:
    good = np.isfinite(there)
    here, there = here[good], there[good]
    _, unit, factor = SHOWN_FORCES[name]
    rms = factor * math.sqrt(float(np.mean((here - there) ** 2)))
    size = factor * math.sqrt(float(np.mean(there**2)))
    share = 100.0 * error_over_range(here, there)
    more = {"rms": f"{rms:.3g} {unit}", "over rms measured": f"{100.0 * rms / size:.1f} %"}
    span = f"{factor * there.min():.3g} to {factor * there.max():.3g} {unit}"
    return Row(what, f"{len(there)} rows", span, f"{share:.1f} %", f"{MAX_ERROR[name]:g} %", share <= MAX_ERROR[name], more)


def _signs(what: str, series: Sequence[Series]) -> Row:
    """Return the row of the sign of the pull, at the slips of SIGNS."""
    here, there = [], []
    for one in series:
        rows = (one.tests.slip >= SIGNS[0]) & (one.tests.slip <= SIGNS[1])
        here.append(predicted(one.found, "drawbar_pull", one.tests.slip_angle)[rows])
        there.append(one.tests.measured["drawbar_pull"][rows])
    return _sign_row(what, np.concatenate(here), np.concatenate(there))


def _sign_row(what: str, here: Array, there: Array) -> Row:
    wrong = np.sign(here) != np.sign(there)
    least = float(np.abs(there[wrong]).max()) if wrong.any() else 0.0
    more = {"rms": "", "over rms measured": ""}
    difference = f"{int(wrong.sum())} wrong" + (f", up to {least:.2g} N" if wrong.any() else "")
    return Row(what, f"{int((~wrong).sum())} right", f"{len(there)} rows", difference, "all right", not wrong.any(), more)


def _numbers_note(what: str, fitted: FittedSoil) -> str:
    """Return a note with the fitted parameters, their intervals, and the unidentifiable ones."""
    parameters = []
    for name, one in fitted.estimates.items():
        degrees = one.unit == "rad"
        unit = "deg" if degrees else "" if one.unit == "1" else one.unit
        value = math.degrees(one.value) if degrees else one.value
        parameters.append(f"`{name}` {value:.4g} {unit} ({interval_words(one, degrees)})".replace("  ", " "))
    weak = "".join(f" {weak.words[:1].upper()}{weak.words[1:]}." for weak in fitted.weak)
    return f"{what}, 95 % intervals in brackets: {', '.join(parameters)}.{weak}"


def _digging_note(series: Mapping[int, Series]) -> str:
    """Return a note on a wheel that rolls at an angle, with its sinkages at the slip nearest to 0."""
    there, here = [], []
    for one in series.values():
        rolling = int(np.argmin(np.abs(one.tests.slip)))
        there.append(f"{1e3 * one.tests.measured['sinkage'][rolling]:.0f}")
        here.append(f"{1e3 * predicted(one.found, 'sinkage', one.tests.slip_angle)[rolling]:.0f}")
    return (
        f"The plots show: rolling without slip at {', '.join(map(str, series))} degrees the smooth wheel has a sinkage of "
        f"{', '.join(there)} mm, in the model {', '.join(here)} mm. Sideways sliding digs the wheel in, slip straight ahead does not. "
        "The sand is fitted to tests straight ahead, which identify no parameter for this effect. Side force and resistance depend on "
        "the depth of the wheel, so they are too small where the depth is too small: slightly up to 45 degrees, by 50 % or more at 75 "
        "and 90 degrees. A parameter for this effect would have to be fitted to the rows that are to be predicted."
    )


def _page_figures(wheel: str, series: Mapping[int, Series]) -> list[PageFigure]:
    """Return a figure for each quantity with a plot for each angle."""
    out = []
    for name, (title, unit, factor) in SHOWN_FORCES.items():
        panels = []
        for angle, one in series.items():
            order, there = np.argsort(one.tests.slip), one.tests.measured[name]
            if np.isfinite(there).any():
                here = predicted(one.found, name, one.tests.slip_angle)
                up = Axis(title, unit)
                panels.append(_panel(f"{angle} deg", "Jounce", one.tests.slip[order], up, factor * there[order], factor * here[order]))
        caption = f"{title} of the wheel {wheel} at slip angles; the sand is fitted to the smooth wheel at 0 deg"
        out.append(PageFigure(f"soil_sand_{wheel}_{name}", caption, panels))
    return out


def _panel(title: str, name: str, slip: Array, up: Axis, measured: Array, computed: Array) -> Panel:
    curves = [Curve("measured", slip, measured, GRAY, points=True, line=False), Curve(name, slip, computed)]
    return Panel(title, Axis("slip"), up, curves)


PARTS = (
    Part(
        "soil_sand",
        "A wheel on sand at slip angles up to 90 degrees",
        "The parameters of the soil are fitted to pull and sinkage of the smooth wheel that runs straight ahead, from locked to a slip "
        "of 0.9. With these parameters the soil bin predicts this wheel at slip angles and a wheel with grousers. Slip is the slip of "
        "the tread relative to the carriage, as in the tests.",
        "C. Pavlov, Carnegie Mellon University 2022, robomechanics/3d-terramechanics (MIT license), "
        "`tests/data/soil/single_wheel_sand.csv`: wheel of 58 mm, 50 mm wide, about 24 N; means of three trials.",
        "RMS difference over the range of the measurements: pull 25 %, side force 35 %, sinkage 25 %, set before this comparison. A "
        "further column has the RMS difference over the RMS of the measurements, which is stricter. The sign of the pull must be right "
        "at all slips of 0.2 to 0.9.",
        sand,
    ),
    Part(
        "soil_rover",
        "A rover wheel in lunar simulants",
        "Pull over load, cross-validation: three parameters are fitted to two thirds of the points and predict the last third, in turns.",
        "NASA, wheel of the VIPER rover, points digitized from plots by third parties, `tests/data/soil/rover_wheel.csv`. The load of "
        "the rover wheels is unknown; the load of the single wheel, 171.7 N, is used.",
        "25 % as above. At one slip the points scatter by up to 0.07 of the load.",
        rover,
    ),
)
