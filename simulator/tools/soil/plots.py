"""Plots of a soil on one page: pressure and shear, and a wheel over slip, load and slip angle."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from simulator.maneuvers.plots.axes import name_axes, panels
from simulator.report.plot_style import COLORS, QUIET, STYLE
from simulator.telemetry.atomic_files import write_whole
from simulator.tools.soil.characteristics import ANGLES, FINE, LOADS, OVER_LOAD, SIDE_SLIP, Array, SoilSheet, pressure, shear_stress

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = (17.0, 12.2)
"""in, size of the figure."""
WIDTHS = (0.05, 0.1, 0.2, 0.3, 0.5)
"""m, widths of the plates."""
MAX_SINKAGE, MAX_PRESSURE = 0.2, 500e3
"""m and Pa: maximum sinkage and pressure of the plate curves."""
PRESSURES = (20e3, 50e3, 100e3, 200e3)
"""Pa, normal pressures of the shear curves."""
SINKAGE, PULL, RESISTANCE, TORQUE, SIDE = 0, 1, 3, 4, 5
"""Indices into `soil_bin.OUTPUTS`."""
WHEEL = (
    (SINKAGE, "sinkage [mm]", 1e3),
    (PULL, "drawbar pull [kN]", 1e-3),
    (RESISTANCE, "resistance [kN]", 1e-3),
    (TORQUE, "torque [kN m]", 1e-3),
)
SMALL = 500.0
"""N. Below this load the plots show forces in N."""


def draw(sheet: SoilSheet, file: Path) -> None:
    """Draw the plots and write a PNG file. Raises OutputError."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=SIZE, dpi=90)
        FigureCanvasAgg(figure)
        title = f"{sheet.wheel.soil_name} under {sheet.wheel.tire_name}"
        grid = panels(figure, title, 3, 4, share=False, between=1.05, above=0.3)
        _pressed(grid[0, 0], sheet)
        _sheared(grid[0, 1], sheet)
        _sideways(grid[0, 2], sheet)
        _efficient(grid[0, 3], sheet)
        for axes, (place, label, factor) in zip(grid[1], WHEEL, strict=True):
            curves = zip(sheet.loads, sheet.over_slip, strict=True)
            _curves(axes, FINE, ((_load(load), one[:, place]) for load, one in curves), "slip", label, factor, sheet)
        for axes, (place, label, factor) in zip(grid[2], WHEEL, strict=True):
            slips = zip(OVER_LOAD, sheet.over_load, strict=True)
            loads, unit = (sheet.loads[1] * LOADS, "N") if sheet.loads[1] < SMALL else (1e-3 * sheet.loads[1] * LOADS, "kN")
            _curves(axes, loads, ((f"slip {slip:g}", one[:, place]) for slip, one in slips), f"load [{unit}]", label, factor, sheet)
        for axes in grid.ravel():
            axes.axhline(0.0, color=QUIET, linewidth=0.8, zorder=1)
            axes.legend(
                fontsize=8, loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncols=5, handlelength=1.1, columnspacing=0.9, borderpad=0.2
            )
        write_whole(file, lambda path: figure.savefig(path, format="png", metadata={"Software": None}))


def _load(load: float) -> str:
    return f"{load / 1e3:.3g} kN" if load >= SMALL else f"{load:.3g} N"


def _curves(axes: Axes, x: Array, curves: Iterable[tuple[str, Array]], across: str, up: str, factor: float, sheet: SoilSheet) -> None:
    """Draw curves over a common x; forces and torques of a small wheel in N and N m."""
    if sheet.loads[1] < SMALL and "[k" in up:
        up, factor = up.replace("[k", "["), 1e3 * factor
    for (name, y), color in zip(curves, COLORS, strict=False):
        axes.plot(x, factor * y, color=color, label=name)
    name_axes(axes, across, up)


def _pressed(axes: Axes, sheet: SoilSheet) -> None:
    """Draw pressure over sinkage for plates of several widths."""
    z = np.linspace(0.0, MAX_SINKAGE, 201)
    for width, color in zip(WIDTHS, COLORS, strict=False):
        p = pressure(sheet.wheel.soil, width, z)
        axes.plot(1e3 * z, 1e-3 * np.where(p <= MAX_PRESSURE, p, np.nan), color=color, label=f"{100.0 * width:g} cm")
    axes.set_ylim(bottom=0.0)
    name_axes(axes, "sinkage of a plate of this width [mm]", "pressure [kPa]")


def _sheared(axes: Axes, sheet: SoilSheet) -> None:
    """Draw shear stress over displacement for several normal pressures."""
    j = np.linspace(0.0, max(5.0 * float(sheet.wheel.soil[0]["shear_modulus"]), 0.01), 201)
    for normal, color in zip(PRESSURES, COLORS, strict=False):
        axes.plot(1e3 * j, 1e-3 * shear_stress(sheet.wheel.soil, normal, j), color=color, label=f"{normal / 1e3:g} kPa")
    name_axes(axes, "shear displacement [mm]", "shear stress [kPa]")


def _sideways(axes: Axes, sheet: SoilSheet) -> None:
    """Draw side force over slip angle."""
    curves = ((_load(load), -one[:, SIDE]) for load, one in zip(sheet.loads, sheet.over_angle, strict=True))
    _curves(axes, np.degrees(ANGLES), curves, f"slip angle at a slip of {SIDE_SLIP:g} [deg]", "side force [kN]", 1e-3, sheet)


def _efficient(axes: Axes, sheet: SoilSheet) -> None:
    """Draw the tractive efficiency: pull over torque times V / omega = R (1 - s)."""
    driving = FINE > 0.0
    R = float(sheet.wheel.tire.shared[0]["radius"])
    for load, one, color in zip(sheet.loads, sheet.over_slip, COLORS, strict=False):
        with np.errstate(divide="ignore", invalid="ignore"):
            share = one[driving, PULL] * R * (1.0 - FINE[driving]) / one[driving, TORQUE]
        axes.plot(FINE[driving], np.where(one[driving, TORQUE] > 0.0, share, np.nan), color=color, label=_load(load))
    axes.set_ylim(0.0, 1.0)
    name_axes(axes, "slip", "tractive efficiency")
