"""Tires and wheels on soil compared with other programs, and with measurements of a wheel on sand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from simulator.base.arrays import Array
from simulator.base.records import Record, record
from simulator.configuration.file_lookup import data_folder
from simulator.report.plot import BLUE, Axis, Curve, Panel
from simulator.validation.reference.tire_rows import Numbers, compare_tire, read_rows
from simulator.validation.suite.result import Finding, PageFigure, ReferenceData, Row, near, of_comparison, within
from terrain.soil import FIRM, SOIL
from vehicles.tires.wheel_on_soil import soil_wheel

MAGIC_FORMULA = ("synth_A_61_si", "synth_B_52_si")
"""Tire files next to the rows; the tire of the HMMWV is shipped."""
SHIPPED = "hmmwv_pac02.tir"
TABLE_SHARE = 0.005
"""Relative tolerance of the rows of the driven wheel; the Jounce quadrature has 16 nodes."""
FORCE_SHARE, SINKAGE_SHARE = 0.1, 0.3
"""Relative tolerances of the measurements: forces over load, and sinkage."""
BRAKED = -0.25
"""Slip below which the rows of a wheel are labeled as braked."""
SAND = {
    "k_c": 0.0, "k_phi": 8e6, "cohesion": 1000.0, "friction_angle": math.radians(29.0), "shear_modulus": 0.021, "unit_weight": 1330.0 * 9.81,
    "c1": 0.4045, "c2": 0.4198, "exit_ratio": -0.5,
}  # fmt: skip
"""Parameters of the sand as identified by the authors of the measurements; the exponent is 1.46 + 0.01 slip."""
WHEEL = (0.058, 0.05)
"""Radius and width of the smooth wheel in m."""
ANGLES = (0, 15, 30)
"""Angles in deg between heading and direction of motion."""
LOAD = 4
"""Index of the column of the load."""
SLIPS = (-0.5, 0.9)
"""Range of compared slips; with stronger braking the wheel sinks deeper than half its radius."""


def tires(source: ReferenceData) -> Finding:
    """Evaluate tires on hard ground."""
    folder = source.data / "tires"
    shipped = data_folder("configs") / "tires" / SHIPPED
    rows = [
        of_comparison(f"Magic Formula, {name}", compare_tire(str(folder / "mf_shared.csv"), str(folder / f"{name}.tir")))
        for name in MAGIC_FORMULA
    ]
    rows += [
        of_comparison("Magic Formula, tire of the HMMWV", compare_tire(str(folder / "mf_shared.csv"), str(shipped))),
        of_comparison("relaxation lengths of PAC2002", compare_tire(str(folder / "relaxation_pac2002.csv"), str(shipped))),
        of_comparison("TMeasy and Fiala", compare_tire(str(folder / "tyres.csv"), str(folder / "tyre_params.json"))),
    ]
    return Finding(rows)


def soils(source: ReferenceData) -> Finding:
    """Evaluate wheels on soil."""
    table = read_rows(str(source.data / "soil" / "driven_wheel.csv"))
    rows = [row for n in range(len(table.rows)) for row in _driven_wheel_rows(table, n)]
    measured = read_rows(str(source.data / "soil" / "single_wheel_sand.csv")).where("wheel", "smooth")
    curves = [(angle, _measured(measured, angle)) for angle in ANGLES]
    rows += [row for angle, (sand, computed) in curves for row in _rows(angle, sand, computed)]
    return Finding(rows, [_page_figure(curves)])


class WheelEquilibrium(NamedTuple):
    """A wheel in vertical equilibrium."""

    sinkage: float
    pull: float
    thrust: float
    resistance: float
    torque: float
    side: float


def soil_of(values: Mapping[str, float]) -> Record:
    """Return a record of SOIL with these numbers."""
    out = record(SOIL)
    for name, value in {**FIRM, "friction": 0.8, "hardness": 0.0, **values}.items():
        out[0][name] = value
    return out


def carry(soil: Record, wheel: tuple[float, float, float], slip: tuple[float, float]) -> WheelEquilibrium:
    """Return the equilibrium of a rigid wheel (radius, width, load) at a longitudinal and lateral slip."""
    from scipy.optimize import brentq

    r, b, load = wheel
    s_x, s_y = slip
    motion = (1.0, s_x, s_y, s_x if s_x >= 0.0 else s_x / (s_x - 1.0))
    z = brentq(lambda z: sum(soil_wheel(soil, r, b, z, motion)[:2]) - load, 1e-6, 0.99 * r, xtol=1e-15)
    _, _, R, H, S, side, *_ = soil_wheel(soil, r, b, z, motion)
    return WheelEquilibrium(z, H - R, H, R, S * r, side)


def _driven_wheel_rows(table: Numbers, n: int) -> list[Row]:
    """Return rows of sinkage, pull and torque of a row of the driven wheel."""
    values_of_row = {name: float(value) for name, value in table.rows[n].items() if name != "id"}
    soil = soil_of(
        {
            **{name: values_of_row[name] for name in ("k_c", "k_phi", "n", "c1", "c2", "exit_ratio")},
            "cohesion": values_of_row["c"],
            "friction_angle": math.radians(values_of_row["phi_deg"]),
            "shear_modulus": values_of_row["K"],
            "unit_weight": 0.0,
        }
    )
    computed = carry(soil, (values_of_row["r"], values_of_row["b"], values_of_row["W"]), (values_of_row["s"], 0.0))
    name = f"{table.rows[n]['id'].removeprefix('drv_')}"
    return [
        within(f"driven wheel {name}: sinkage", 1e3 * computed.sinkage, values_of_row["z_mm"], "mm", TABLE_SHARE),
        within(f"driven wheel {name}: pull", computed.pull, values_of_row["DP_N"], "N", TABLE_SHARE, 0.002 * values_of_row["W"]),
        within(f"driven wheel {name}: torque", computed.torque, values_of_row["T_Nm"], "N m", TABLE_SHARE),
    ]


def _measured(table: Numbers, angle: int) -> tuple[Array, Array]:
    """Return (n, 5) slip, pull, side force, sinkage and load [1, N, N, m, N] measured at an angle (deg), and (n, 4) computed values."""
    rows = [row for row in table.rows if float(row["beta_deg"]) == angle and SLIPS[0] <= float(row["slip"]) <= SLIPS[1]]
    there = np.array([[float(row[name]) for name in ("slip", "DP_N", "Fy_N", "z_mm", "W_N")] for row in rows])
    there[:, 3] *= 1e-3
    tangent = math.tan(math.radians(angle))
    computed = []
    for s, load in there[:, (0, LOAD)]:
        slip = (s, (1.0 - s) * tangent) if s >= 0.0 else (s / (1.0 + s), tangent / (1.0 + s))  # relative to the travel of the tread
        forces = carry(soil_of({**SAND, "n": 1.46 + 0.01 * s}), (*WHEEL, load), slip)
        computed.append((s, forces.pull, forces.side, forces.sinkage))
    return there, np.array(computed)


def _rows(angle: int, sand: Array, computed: Array) -> list[Row]:
    """Return the rows of the largest errors at an angle, for the braked wheel and for the others."""
    rows = []
    for name, those in (("braked", sand[:, 0] < BRAKED), ("rolling", sand[:, 0] >= BRAKED)):
        there, here = sand[those], computed[those]
        for column, what in ((1, "pull"), (2, "side force")):
            worst = int(np.abs(here[:, column] - there[:, column]).argmax())
            row = near(
                f"measured, {angle} deg, {name}: {what}", here[worst, column], there[worst, column], "N", FORCE_SHARE * there[worst, LOAD]
            )
            rows.append(_at(row, there[worst, 0]))
        worst = int(np.abs(here[:, 3] / there[:, 3] - 1.0).argmax())
        row = within(f"measured, {angle} deg, {name}: sinkage", 1e3 * here[worst, 3], 1e3 * there[worst, 3], "mm", SINKAGE_SHARE)
        rows.append(_at(row, there[worst, 0]))
    return rows


def _at(row: Row, slip: float) -> Row:
    """Return the row with the slip of the largest error."""
    return replace(
        row,
        reference=f"{row.reference} (slip {slip:g})",
        tolerance=f"{100.0 * FORCE_SHARE:g} % of load" if row.tolerance.endswith("N") else row.tolerance,
    )


def _page_figure(angle_curves: list[tuple[int, tuple[Array, Array]]]) -> PageFigure:
    panels = []
    for column, title, unit in ((1, "Drawbar pull", "N"), (2, "Side force", "N"), (3, "Sinkage", "m")):
        curves = []
        for color, (angle, (sand, computed)) in enumerate(angle_curves, BLUE):
            curves += [
                Curve(f"measured, {angle} deg", sand[:, 0], sand[:, column], color, points=True, line=False),
                Curve(f"Jounce, {angle} deg", computed[:, 0], computed[:, column], color),
            ]
        panels.append(Panel(title, Axis("slip"), Axis(title, unit), curves))
    return PageFigure(
        "soil",
        "smooth wheel on sand at its measured load: measured (dots) and computed with the sand parameters, without a fit",
        panels,
    )
