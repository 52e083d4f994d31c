"""Plot of the wheel loads."""

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
    """Draw a panel for each axle, all with one scale; lifted wheels are marked red at the bottom."""
    loads = run.corners("F_C", "_z")
    axles = list(dict.fromkeys(corner[:-1] for corner in loads))
    figure.set_size_inches(9.0, max(4.5, 1.3 + 1.7 * len(axles)))
    rows = time_panels(figure, run, "wheel loads", [f"{AXLES.get(axle, axle)} axle [kN]" for axle in axles], above=LEGEND)
    highest = max(float(load.max()) for load in loads.values())
    lifted = False
    for axes, axle in zip(rows, axles, strict=True):
        for corner, load in loads.items():
            if corner[:-1] != axle:
                continue
            side, color = SIDES.get(corner[-1], (corner[-1], BLUE))
            line(axes, run.time, 0.001 * load, color, side)
            is_lifted = load <= 0.0
            if is_lifted.any():
                lifted = True
                axes.fill_between(run.time, -0.045 * 0.001 * highest, 0.0, where=_wide(is_lifted), color=RED, linewidth=0.0)
        axes.set_ylim(-0.05e-3 * highest, 1.08e-3 * max(highest, 1.0))
    if lifted:
        rows[0].fill_between([], [], color=RED, label="lifted wheel")
    keyed(rows[0], second=True)


def _wide(is_lifted: np.ndarray) -> np.ndarray:
    """Return a mask (n,) with one more row after each interval, so that a single row has a width."""
    return is_lifted | np.concatenate(([False], is_lifted[:-1]))


PLOTS = (Plot("wheel_loads", "normal force of every wheel over time, lift-off marked", _wheel_loads),)
