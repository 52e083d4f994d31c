"""Wheels that were measured on sand beside the soil bin: one series is fitted, the others are foretold with the same soil."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record
from simulator.builder.builder import build_soil, build_tire
from simulator.fitting.soil_file_writer import interval_words
from simulator.fitting.soil_fit import FittedSoil, error_over_range, fit_soil, predicted
from simulator.fitting.soil_measurements import WheelTests, read_tests
from simulator.tools.soil.soil_bin import SoilBin
from simulator.validation.suite.result import Array, Curve, Finding, PageFigure, Part, Plot, ReferenceData, Row
from vehicles.tires.tire_file import TireFile

START = "silica_sand"
"""Soil where the searches begin."""
MOST = {"drawbar_pull": 25.0, "side_force": 35.0, "sinkage": 25.0}
"""%. Of the root of the mean square of the difference over the range of what was measured."""
SHOWN = {"drawbar_pull": ("pull", "N", 1.0), "side_force": ("side force", "N", 1.0), "sinkage": ("sinkage", "mm", 1e3)}
WHEELS = {"smooth": "wheel_smooth.yaml", "grouser5mm": "wheel_grouser.yaml"}
ANGLES = (0, 15, 30, 45, 60, 75, 90)
"""deg"""
MODERATE = 45
"""deg, up to which rows are told apart from the others: beyond, the wheel is a plough."""
SIGNS = (0.2, 0.9)
"""Slips between which the sign of the pull is to be right."""
FREE = ("k_phi", "n", "cohesion", "friction_angle", "shear_modulus", "c1", "c2", "exit_ratio")
FREE_OF_PULLS = ("k_phi", "friction_angle", "shear_modulus")
"""Where the pull alone was measured."""
FOLDS = 3
"""Parts of the points of a rover, each foretold by the others."""
ROVER = {"TREC_single_wheel_GRC3": "single wheel, GRC-3", "MGRU3_2021_rover_GRC1": "rover on slopes, GRC-1"}


class Series(NamedTuple):
    """Rows of a wheel at an angle, and the soil bin's."""

    tests: WheelTests
    found: Array


def sand(source: ReferenceData) -> Finding:
    """The smooth wheel straight ahead is fitted, everything else foretold."""
    file = str(source.data / "soil" / "single_wheel_sand.csv")
    tires = {wheel: build_tire(str(source.data / "soil" / name)) for wheel, name in WHEELS.items()}
    source.told("sand: fit")
    fitted = fit_soil(read_tests(file, ["wheel=smooth", "beta_deg=0"]), tires["smooth"], build_soil(START), FREE, source.told)
    found = {(wheel, angle): _driven(file, wheel, angle, tires[wheel], fitted.soil) for wheel in WHEELS for angle in ANGLES}
    rows = _judged("smooth, 0 deg, fitted", [found["smooth", 0]])
    for wheel in WHEELS:
        those = [angle for angle in ANGLES if (wheel, angle) != ("smooth", 0)]
        rows += _judged(f"{wheel}, to {MODERATE} deg", [found[wheel, angle] for angle in those if angle <= MODERATE])
        rows += _judged(f"{wheel}, all angles", [found[wheel, angle] for angle in those])
        rows.append(_signs(f"{wheel}, 0 deg: sign of the pull", [found[wheel, 0]]))
        rows.append(_signs(f"{wheel}, 15 to 90 deg: sign of the pull", [found[wheel, angle] for angle in ANGLES[1:]]))
    pictures = [one for wheel in WHEELS for one in _pictures(wheel, {angle: found[wheel, angle] for angle in ANGLES})]
    return Finding(
        rows, pictures, [_numbers_note("The fitted sand", fitted), _ploughing_note({angle: found["smooth", angle] for angle in ANGLES})]
    )


def rover(source: ReferenceData) -> Finding:
    """Two thirds of the points are fitted and the others foretold, in turns."""
    file, tire = str(source.data / "soil" / "rover_wheel.csv"), build_tire(str(source.data / "soil" / "wheel_viper.yaml"))
    rows, plots, notes = [], [], []
    for name, title in ROVER.items():
        tests = read_tests(file, [f"test={name}"])
        foretold = np.empty(len(tests))
        for fold in range(FOLDS):
            source.told(f"{title}: fit {fold + 1} of {FOLDS}")
            left_out = np.arange(len(tests)) % FOLDS == fold
            fitted = fit_soil(_some(tests, ~left_out), tire, build_soil(START), FREE_OF_PULLS, source.told)
            foretold[left_out] = _pulls(tire, fitted.soil, _some(tests, left_out))
        notes.append(_numbers_note(title, fit_soil(tests, tire, build_soil(START), FREE_OF_PULLS, source.told)))
        measured = tests.measured["drawbar_pull"]
        rows.append(_row(f"{title}: pull", "drawbar_pull", foretold, measured))
        positive = (tests.slip >= SIGNS[0]) & (tests.slip <= SIGNS[1])
        rows.append(_sign_row(f"{title}: sign of the pull", foretold[positive], measured[positive]))
        order = np.argsort(tests.slip)
        plots.append(
            Plot(title, "slip", "pull over load", [Curve("measured", tests.slip[order], measured[order] / tests.load[order], True),
                                                   Curve("foretold", tests.slip[order], foretold[order] / tests.load[order])])
        )  # fmt: skip
    return Finding(rows, [PageFigure("soil_rover", "each point foretold with a soil that was fitted to others", plots)], notes)


def _driven(file: str, wheel: str, angle: int, tire: TireFile, soil: Record) -> Series:
    tests = read_tests(file, [f"wheel={wheel}", f"beta_deg={angle}"])
    return Series(tests, SoilBin(tire, soil, file).drive(tests.slip, tests.load, tests.slip_angle))


def _pulls(tire: TireFile, soil: Record, tests: WheelTests) -> Array:
    return predicted(SoilBin(tire, soil).drive(tests.slip, tests.load, tests.slip_angle), "drawbar_pull", tests.slip_angle)


def _some(tests: WheelTests, rows: NDArray[np.bool_]) -> WheelTests:
    measured = {name: values[rows] for name, values in tests.measured.items()}
    return WheelTests(tests.file, tests.slip[rows], tests.load[rows], tests.slip_angle[rows], measured)


def _judged(what: str, series: Sequence[Series]) -> list[Row]:
    """Every quantity over several series together."""
    rows = []
    for name in MOST:
        here = np.concatenate([predicted(one.found, name, one.tests.slip_angle) for one in series])
        there = np.concatenate([one.tests.measured[name] for one in series])
        if np.isfinite(there).any():
            rows.append(_row(f"{what}: {SHOWN[name][0]}", name, here, there))
    return rows


def _row(what: str, name: str, here: Array, there: Array) -> Row:
    good = np.isfinite(there)
    here, there = here[good], there[good]
    _, unit, factor = SHOWN[name]
    rms = factor * math.sqrt(float(np.mean((here - there) ** 2)))
    size = factor * math.sqrt(float(np.mean(there**2)))
    share = 100.0 * error_over_range(here, there)
    more = {"rms": f"{rms:.3g} {unit}", "over rms measured": f"{100.0 * rms / size:.1f} %"}
    span = f"{factor * there.min():.3g} to {factor * there.max():.3g} {unit}"
    return Row(what, f"{len(there)} rows", span, f"{share:.1f} %", f"{MOST[name]:g} %", share <= MOST[name], more)


def _signs(what: str, series: Sequence[Series]) -> Row:
    """Of the pull, at the slips of SIGNS."""
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
    told = f"{int(wrong.sum())} wrong" + (f", up to {least:.2g} N" if wrong.any() else "")
    return Row(what, f"{int((~wrong).sum())} right", f"{len(there)} rows", told, "all right", not wrong.any(), more)


def _numbers_note(what: str, fitted: FittedSoil) -> str:
    """Fitted numbers with their intervals, and what they do not tell apart."""
    told = []
    for name, one in fitted.estimates.items():
        degrees = one.unit == "rad"
        unit = "deg" if degrees else "" if one.unit == "1" else one.unit
        value = math.degrees(one.value) if degrees else one.value
        told.append(f"`{name}` {value:.4g} {unit} ({interval_words(one, degrees)})".replace("  ", " "))
    weak = "".join(f" {weak.words[:1].upper()}{weak.words[1:]}." for weak in fitted.weak)
    return f"{what}, in brackets intervals of 95 %: {', '.join(told)}.{weak}"


def _ploughing_note(found: Mapping[int, Series]) -> str:
    """What the pictures show of a wheel that rolls at an angle, told by its sinkages at the slip nearest to 0."""
    there, here = [], []
    for one in found.values():
        rolling = int(np.argmin(np.abs(one.tests.slip)))
        there.append(f"{1e3 * one.tests.measured['sinkage'][rolling]:.0f}")
        here.append(f"{1e3 * predicted(one.found, 'sinkage', one.tests.slip_angle)[rolling]:.0f}")
    return (
        f"What the pictures show: rolling without slip at {', '.join(map(str, found))} degrees the smooth wheel sinks in {', '.join(there)} mm, here "
        f"{', '.join(here)} mm. Sliding sideways ploughs it in as slipping straight ahead does not, and to that the sand is fitted: no number of the law is found there "
        "that could tell it. Side force and resistance are of sand as high as the wheel is deep, so they are too small where the depth is: little to 45 degrees, "
        "by half and more at 75 and 90. A number for it would have to be fitted to the very rows that are to be foretold."
    )


def _pictures(wheel: str, found: Mapping[int, Series]) -> list[PageFigure]:
    """One of each quantity, a plot for each angle."""
    out = []
    for name, (title, unit, factor) in SHOWN.items():
        plots = []
        for angle, one in found.items():
            order, there = np.argsort(one.tests.slip), one.tests.measured[name]
            if np.isfinite(there).any():
                here = predicted(one.found, name, one.tests.slip_angle)
                curves = [
                    Curve("measured", one.tests.slip[order], factor * there[order], True),
                    Curve("Jounce", one.tests.slip[order], factor * here[order]),
                ]
                plots.append(Plot(f"{angle} deg", "slip", f"{title} [{unit}]", curves))
        caption = f"{title} of the wheel {wheel} at slip angles; the sand is fitted to the wheel smooth at 0 deg"
        out.append(PageFigure(f"soil_sand_{wheel}_{name}", caption, plots))
    return out


PARTS = (
    Part(
        "soil_sand",
        "A wheel on sand at slip angles up to 90 degrees",
        "The soil's numbers are fitted to the smooth wheel that runs straight ahead, from locked to a slip of 0.9: pull and sinkage. With them, and nothing else "
        "changed, the soil bin foretells the same wheel at slip angles and a wheel with grousers. Slip is of the tread against the way of the carriage, as it was "
        "set there.",
        "C. Pavlov, Carnegie Mellon University 2022, robomechanics/3d-terramechanics (MIT license), `tests/data/soil/single_wheel_sand.csv`: wheel of 58 mm, 50 mm "
        "wide, about 24 N; means of three trials.",
        "Root of the mean square of the difference over the range of what was measured: pull 25 %, side force 35 %, sinkage 25 %, the aims set for this comparison "
        "before it was made. Beside it the same over the root of the mean square of what was measured, which is stricter. The sign of the pull: at all slips of 0.2 "
        "to 0.9.",
        sand,
    ),
    Part(
        "soil_rover",
        "A rover's wheel in lunar simulants",
        "Pull over load. Three numbers are fitted to two thirds of the points and the others foretold, in turns, so that each point is foretold by others.",
        "NASA, wheel of the VIPER rover, points read out of plots by others, `tests/data/soil/rover_wheel.csv`. The load of the rover's wheels is not known: that of "
        "the single wheel, 171.7 N, is taken.",
        "25 % as above. The points scatter by as much as 0.07 of the load at one slip.",
        rover,
    ),
)
