"""Curves of a tire on one page: forces and moments over slip at several loads, camber, and combined slip."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from simulator.maneuvers.plots.axes import name_axes, panels
from simulator.report.plot_style import COLORS, QUIET, STYLE
from simulator.telemetry.atomic_files import write_whole
from simulator.tools.tires.characteristics import Sheet
from vehicles.tires.steady_state import steady

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = (13.5, 8.2)
"""in, size of the figure."""
SLIPS = np.concatenate([-np.geomspace(1.0, 0.002, 100), [0.0], np.geomspace(0.002, 1.0, 100)])
ANGLES = np.linspace(-20.0, 20.0, 161)
"""deg, slip angles of the curves."""
CAMBERS = (-6.0, -3.0, 0.0, 3.0, 6.0)
SLIP_ANGLES = (0.0, 1.0, 2.0, 4.0, 8.0)
"""deg, slip angles of the combined-slip curves."""

OVER_LOAD = {
    "friction_braking": "peak Fx",
    "friction_locked": "locked",
    "friction_side": "peak Fy",
    "relaxation_along": "relax. x",
    "relaxation_across": "relax. y",
}
"""Quantities plotted over the load, with their short names."""


def draw(sheet: Sheet, file: Path) -> None:
    """Draw the curves and write a PNG file. Raises OutputError."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=SIZE, dpi=110)
        FigureCanvasAgg(figure)
        grid = panels(figure, f"{sheet.name}: {sheet.law}", 2, 3, share=False, between=1.05, above=0.3)
        nominal = sheet.loads[2]
        _over_loads(grid[0, 0], sheet, 0, "longitudinal slip", "longitudinal force [kN]", 1e-3)
        _over_loads(grid[0, 1], sheet, 1, "slip angle [deg]", "lateral force [kN]", 1e-3)
        _over_loads(grid[0, 2], sheet, 4, "slip angle [deg]", "aligning moment [N m]", 1.0)
        _combined_slip(grid[1, 0], sheet, nominal)
        _cambered(grid[1, 1], sheet, nominal)
        _over_load(grid[1, 2], sheet)
        for axes in grid.ravel():
            axes.axhline(0.0, color=QUIET, linewidth=0.8, zorder=1)
            axes.legend(
                fontsize=8, loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncols=5, handlelength=1.1, columnspacing=0.9, borderpad=0.2
            )
        write_whole(file, lambda path: figure.savefig(path, format="png", metadata={"Software": None}))


def _over_loads(axes: Axes, sheet: Sheet, which: int, x: str, y: str, factor: float) -> None:
    """Draw one output over its slip, one curve for each load."""
    slips = SLIPS if which == 0 else ANGLES
    for load, color in zip(sheet.loads, COLORS, strict=False):
        at = (slips, 0.0) if which == 0 else (0.0, np.radians(slips))
        axes.plot(slips, factor * steady(sheet.tire, load, *at)[:, which], color=color, label=f"{load / 1e3:.3g} kN")
    name_axes(axes, x, y)


def _combined_slip(axes: Axes, sheet: Sheet, load: float) -> None:
    """Draw lateral over longitudinal force, from locked to spinning, at a few slip angles."""
    for angle, color in zip(SLIP_ANGLES, COLORS, strict=False):
        F = 1e-3 * steady(sheet.tire, load, SLIPS, -np.radians(angle))
        axes.plot(F[:, 0], F[:, 1], color=color, label=f"slip angle {angle:g}°" if angle == SLIP_ANGLES[0] else f"{angle:g}°")
    name_axes(axes, f"longitudinal force at {load / 1e3:.3g} kN [kN]", "lateral force [kN]")


def _cambered(axes: Axes, sheet: Sheet, load: float) -> None:
    """Draw lateral force over slip angle at a few camber angles."""
    near: NDArray[np.float64] = ANGLES[np.abs(ANGLES) <= 10.0]
    for camber, color in zip(CAMBERS, COLORS, strict=False):
        axes.plot(
            near,
            1e-3 * steady(sheet.tire, load, 0.0, np.radians(near), np.radians(camber))[:, 1],
            color=color,
            label=f"camber {camber:g}°" if camber == CAMBERS[0] else f"{camber:g}°",
        )
    name_axes(axes, f"slip angle at {load / 1e3:.3g} kN [deg]", "lateral force [kN]")


def _over_load(axes: Axes, sheet: Sheet) -> None:
    """Draw peak friction and relaxation lengths over the load."""
    loads = [1e-3 * row["load"] for row in sheet.rows]
    for (name, label), color in zip(OVER_LOAD.items(), COLORS, strict=False):
        dashes = "--" if name.startswith("relaxation") else "-"
        axes.plot(loads, [row[name] for row in sheet.rows], dashes, marker="o", markersize=4, color=color, label=label)
    axes.set_ylim(bottom=0.0)
    name_axes(axes, "load [kN]", "friction, relaxation length [m]")
