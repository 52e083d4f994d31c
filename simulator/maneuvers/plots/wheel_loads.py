"""What the wheels carried."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simulator.maneuvers.plots.axes import LEGEND, keyed, line, time_panels
from simulator.maneuvers.plots.contract import Plot, Run
from simulator.report.plot_style import AMBER, BLUE, RED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIDES = {"L": ("left", BLUE), "R": ("right", AMBER), "M": ("middle", BLUE)}
AXLES = {"F": "front", "R": "rear", "M": "middle"}


def _wheel_loads(figure: Figure, run: Run) -> None:
    """A panel for each axle, all with one scale; red at the bottom where a wheel lifts."""
    loads = run.corners("F_C", "_z")
    axles = list(dict.fromkeys(corner[:-1] for corner in loads))
    figure.set_size_inches(9.0, max(4.5, 1.3 + 1.7 * len(axles)))
    rows = time_panels(figure, run, "wheel loads", [f"{AXLES.get(axle, axle)} axle [kN]" for axle in axles], above=LEGEND)
    most = max(float(load.max()) for load in loads.values())
    lifted = False
    for axes, axle in zip(rows, axles, strict=True):
        for corner, load in loads.items():
            if corner[:-1] != axle:
                continue
            side, color = SIDES.get(corner[-1], (corner[-1], BLUE))
            line(axes, run.time, 0.001 * load, color, side)
            off = load <= 0.0
            if off.any():
                lifted = True
                axes.fill_between(run.time, -0.045 * 0.001 * most, 0.0, where=_wide(off), color=RED, linewidth=0.0)
        axes.set_ylim(-0.05e-3 * most, 1.08e-3 * max(most, 1.0))
    if lifted:
        rows[0].fill_between([], [], color=RED, label="a wheel is off the ground")
    keyed(rows[0], second=True)


def _wide(off: np.ndarray) -> np.ndarray:
    """Rows (n,) as they are and one more behind each, so that a single row has a width."""
    return off | np.concatenate(([False], off[:-1]))


PLOTS = (Plot("wheel_loads", "normal force of every wheel over time, lift-off marked", _wheel_loads),)
