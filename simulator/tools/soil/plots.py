"""Plots of a soil on one page: pressure and shear, and a wheel over slip, load and slip angle."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from simulator.base.arrays import Array
from simulator.report.plot import BLUE, Axis, Curve, Panel, Plot, ReferenceLine
from simulator.report.png_renderer import png
from simulator.telemetry.atomic_files import write_bytes
from simulator.tools.soil.characteristics import ANGLES, FINE_SLIPS, LOADS, OVER_LOAD, SIDE_SLIP, SoilSheet, pressure, shear_stress

WIDTHS = (0.05, 0.1, 0.2, 0.3, 0.5)
"""m, widths of the plates."""
MAX_SINKAGE, MAX_PRESSURE = 0.2, 500e3
"""m and Pa: maximum sinkage and pressure of the plate curves."""
PRESSURES = (20e3, 50e3, 100e3, 200e3)
"""Pa, normal pressures of the shear curves."""
SINKAGE, PULL, RESISTANCE, TORQUE, SIDE = 0, 1, 3, 4, 5
"""Indices into `soil_bin.OUTPUTS`."""
WHEEL = (
    (SINKAGE, Axis("sinkage", "mm"), 1e3),
    (PULL, Axis("drawbar pull", "kN"), 1e-3),
    (RESISTANCE, Axis("resistance", "kN"), 1e-3),
    (TORQUE, Axis("torque", "kN m"), 1e-3),
)
SMALL_LOAD = 500.0
"""N. Below this load the plots show forces in N."""


def draw(sheet: SoilSheet, file: Path) -> None:
    """Draw the plots and write a PNG file. Raises OutputError."""
    write_bytes(file, png(plot_of(sheet)))


def plot_of(sheet: SoilSheet) -> Plot:
    """Return the plots of a soil."""
    panels = [_pressed(sheet), _sheared(sheet), _sideways(sheet), _efficient(sheet)]
    for place, up, factor in WHEEL:
        over_slip = zip(map(_load, sheet.loads), (one[:, place] for one in sheet.over_slip), strict=True)
        panels.append(_panel(f"{up.label} over slip", Axis("slip"), up, FINE_SLIPS, over_slip, factor, sheet))
    loads, unit = (sheet.loads[1] * LOADS, "N") if sheet.loads[1] < SMALL_LOAD else (1e-3 * sheet.loads[1] * LOADS, "kN")
    for place, up, factor in WHEEL:
        slips = ((f"slip {slip:g}", one[:, place]) for slip, one in zip(OVER_LOAD, sheet.over_load, strict=True))
        panels.append(_panel(f"{up.label} over load", Axis("load", unit), up, loads, slips, factor, sheet))
    return Plot(f"{sheet.wheel.soil_name} under {sheet.wheel.tire_name}", panels, columns=4)


def _load(load: float) -> str:
    return f"{load / 1e3:.3g} kN" if load >= SMALL_LOAD else f"{load:.3g} N"


def _panel(title: str, across: Axis, up: Axis, x: Array, curves: Iterable[tuple[str, Array]], factor: float, sheet: SoilSheet) -> Panel:
    """Return curves over a common x; forces and torques of a small wheel in N and N m."""
    if sheet.loads[1] < SMALL_LOAD and up.unit.startswith("kN"):
        up, factor = Axis(up.label, up.unit[1:]), 1e3 * factor
    drawn = [Curve(name, x, factor * y, n) for n, (name, y) in enumerate(curves, BLUE)]
    return Panel(title, across, up, drawn, lines=[ReferenceLine(0.0)])


def _pressed(sheet: SoilSheet) -> Panel:
    """Return pressure over sinkage for plates of several widths."""
    z = np.linspace(0.0, MAX_SINKAGE, 201)
    pressures = ((f"{100.0 * width:g} cm", pressure(sheet.wheel.soil, width, z)) for width in WIDTHS)
    curves = ((name, np.where(p <= MAX_PRESSURE, p, np.nan)) for name, p in pressures)
    return _panel("plates of several widths", Axis("sinkage", "mm"), Axis("pressure", "kPa", least=0.0), 1e3 * z, curves, 1e-3, sheet)


def _sheared(sheet: SoilSheet) -> Panel:
    """Return shear stress over displacement for several normal pressures."""
    j = np.linspace(0.0, max(5.0 * float(sheet.wheel.soil[0]["shear_modulus"]), 0.01), 201)
    curves = ((f"{normal / 1e3:g} kPa", shear_stress(sheet.wheel.soil, normal, j)) for normal in PRESSURES)
    return _panel("shear at normal pressures", Axis("shear displacement", "mm"), Axis("shear stress", "kPa"), 1e3 * j, curves, 1e-3, sheet)


def _sideways(sheet: SoilSheet) -> Panel:
    """Return side force over slip angle."""
    curves = ((_load(load), -one[:, SIDE]) for load, one in zip(sheet.loads, sheet.over_angle, strict=True))
    title = f"side force at a slip of {SIDE_SLIP:g}"
    return _panel(title, Axis("slip angle", "deg"), Axis("side force", "kN"), np.degrees(ANGLES), curves, 1e-3, sheet)


def _efficient(sheet: SoilSheet) -> Panel:
    """Return the tractive efficiency: pull over torque times V / omega = R (1 - s)."""
    driving = FINE_SLIPS > 0.0
    R = float(sheet.wheel.tire.shared[0]["radius"])
    curves = []
    for load, one in zip(sheet.loads, sheet.over_slip, strict=True):
        torque = np.where(one[driving, TORQUE] > 0.0, one[driving, TORQUE], np.nan)
        curves.append((_load(load), one[driving, PULL] * R * (1.0 - FINE_SLIPS[driving]) / torque))
    return _panel(
        "tractive efficiency", Axis("slip"), Axis("tractive efficiency", least=0.0, most=1.0), FINE_SLIPS[driving], curves, 1.0, sheet
    )
