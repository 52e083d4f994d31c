"""Measured wheels in snow of limited depth compared with the soil bin: a freely rolling wheel of a truck and of the HMMWV."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from simulator.base.arrays import Array
from simulator.builder.builder import build_soil, build_tire
from simulator.configuration.overrides import option
from simulator.report.plot import GRAY, Axis, Curve, Panel
from simulator.tools.soil.soil_bin import OUTPUTS, SoilBin
from simulator.validation.suite.result import Finding, PageFigure, Part, ReferenceData, Row
from vehicles.tires.tire_file import TireFile

LOAD = 6800.0
"""N, load of the measured wheel."""
SOILS = {110: "fresh_snow", 160: "settled_snow", 170: "settled_snow", 220: "dense_snow"}
"""Shipped snow by density [kg/m3]."""
SKIDS = (-0.5, 0.1)
"""Slips between which a wheel rolls freely."""
MAX_RESISTANCE, MAX_SINKAGE = 0.02, 0.1
"""RMS tolerances: resistance over load; sinkage over depth."""
HMMWV = ((110, 0.14, 286.0), (220, 0.22, 926.0))
"""Density [kg/m3], depth [m] and resistance [N] of a leading wheel of the HMMWV by R = 13.3 (density width arc)^1.26."""
HMMWV_LOAD = 6400.0
PLACE = {name: n for n, (name, *_) in enumerate(OUTPUTS)}


class Wheel(NamedTuple):
    """A freely rolling wheel: slip, sinkage [m], towing resistance over load."""

    slip: float
    sinkage: float
    resistance: float


def snow(source: ReferenceData) -> Finding:
    """Roll the measured wheel at the measured depths, and a wheel of the HMMWV."""
    table = read_snow(source.data / "soil" / "snow_wheel.csv")
    tire = build_tire(str(source.data / "soil" / "wheel_crrel.yaml"))
    source.progress("snow")
    wheels = [rolling(tire, int(density), depth, LOAD) for density, depth, *_ in table]
    sinkage, resistance = np.array([w.sinkage for w in wheels]), np.array([w.resistance for w in wheels])
    rows, plots = [], []
    for name in dict.fromkeys(SOILS.values()):
        here = np.array([SOILS[int(density)] == name for density in table[:, 0]])
        rows.append(_row(f"{name}: resistance over load", resistance[here], table[here, 3], MAX_RESISTANCE))
        rows.append(_row(f"{name}: sinkage over depth", sinkage[here] / table[here, 1], table[here, 2] / table[here, 1], MAX_SINKAGE))
        if here.sum() > 1:
            plots.append(_panel(name, table[here], resistance[here]))
    hmmwv = build_tire("tmeasy_hmmwv")
    for density, depth, expected in HMMWV:
        found = rolling(hmmwv, density, depth, HMMWV_LOAD).resistance
        rows.append(
            _row(f"HMMWV, {density} kg/m3, {depth:g} m: resistance over load", np.array([found]), np.array([expected / HMMWV_LOAD]), 0.016)
        )
    return Finding(rows, [PageFigure("soil_snow", "resistance of a freely rolling wheel over the depth of the snow", plots)])


def read_snow(file: Path) -> Array:
    """Return the rows (n, 4): density [kg/m3], depth [m], sinkage [m], resistance over load."""
    with file.open(encoding="utf-8") as lines:
        return np.array(
            [[float(cell) for cell in row.values()] for row in csv.DictReader(line for line in lines if not line.startswith("#"))]
        )


def rolling(tire: TireFile, density: int, depth: float, load: float) -> Wheel:
    """Return the freely rolling wheel in shipped snow of a density, `depth` [m] deep."""
    bin_ = SoilBin(tire, build_soil(SOILS[density], option("depth", "depth", depth)))
    slip = brentq(lambda slip: bin_.drive(slip, load)[0, PLACE["torque"]], *SKIDS, xtol=1e-4)
    found = bin_.drive(slip, load)[0]
    return Wheel(float(slip), float(found[PLACE["sinkage"]]), -float(found[PLACE["drawbar_pull"]]) / load)


def _row(what: str, here: Array, there: Array, limit: float) -> Row:
    rms = math.sqrt(float(np.mean((here - there) ** 2)))
    return Row(what, f"{here.mean():.3f} (mean)", f"{there.mean():.3f} (mean)", f"{rms:.3f} rms", f"{limit:g}", rms <= limit)


def _panel(title: str, rows: Array, resistance: Array) -> Panel:
    order = np.argsort(rows[:, 1])
    depth = rows[order, 1]
    curves = [Curve("measured", depth, rows[order, 3], GRAY, points=True, line=False), Curve("Jounce", depth, resistance[order])]
    return Panel(title, Axis("depth", "m"), Axis("resistance over load"), curves)


PARTS = (
    Part(
        "soil_snow",
        "A truck wheel in snow on firm ground",
        "The front wheel of a vehicle rolls freely in undisturbed snow. `k_phi` and `compaction` of the three shipped snows are fitted to the "
        "mean of their rows; the rows are at several depths. The rows of the HMMWV are calculated with the formula of the report for the "
        "resistance, R = 13.3 (density width arc)^1.26 N, whose own error is 0.016 of the load.",
        "CRREL, TR-01-16, table 11: tire of 0.38 m radius, 6.8 kN, `tests/data/soil/snow_wheel.csv`; the width of the tire is assumed.",
        "RMS: 0.02 of the load, since measured rows at one depth and density differ by up to 0.03, and 0.1 of the depth.",
        snow,
    ),
)
