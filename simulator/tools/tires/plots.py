"""Curves of a tire on one picture: forces and moments over slip at several loads, camber, and combined slip."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simulator.report.plot import BLUE, DASHES, Axis, Curve, Panel, Plot, ReferenceLine
from simulator.report.png_renderer import png
from simulator.telemetry.atomic_files import write_bytes
from simulator.tools.tires.characteristics import Sheet
from vehicles.tires.steady_state import steady

SLIPS = np.concatenate([-np.geomspace(1.0, 0.002, 100), [0.0], np.geomspace(0.002, 1.0, 100)])
ANGLES = np.linspace(-20.0, 20.0, 161)
"""deg, slip angles of the curves."""
CAMBERS = (-6.0, -3.0, 0.0, 3.0, 6.0)
SLIP_ANGLES = (0.0, 1.0, 2.0, 4.0, 8.0)
"""deg, slip angles of the combined-slip curves."""
ANGLE, LATERAL, ZERO = Axis("slip angle", "deg"), Axis("lateral force", "kN"), [ReferenceLine(0.0)]
FRICTION = {"friction_braking": "peak, longitudinal", "friction_locked": "locked wheel", "friction_side": "peak, lateral"}
RELAXATION = {"relaxation_along": "longitudinal", "relaxation_across": "lateral"}
"""Columns of the sheet plotted over the load, with their names."""


def draw(sheet: Sheet, file: Path) -> None:
    """Draw the curves and write a PNG file. Raises OutputError."""
    write_bytes(file, png(plot_of(sheet)))


def plot_of(sheet: Sheet) -> Plot:
    """Return the curves of a tire."""
    panels = [
        _over_loads(sheet, 0, Axis("longitudinal slip"), Axis("longitudinal force", "kN"), 1e-3),
        _over_loads(sheet, 1, ANGLE, LATERAL, 1e-3),
        _over_loads(sheet, 4, ANGLE, Axis("aligning moment", "N m"), 1.0),
        _combined_slip(sheet),
        _cambered(sheet),
        _over_load(sheet, "friction", Axis("coefficient of friction", least=0.0), FRICTION),
        _over_load(sheet, "relaxation length", Axis("relaxation length", "m", least=0.0), RELAXATION),
    ]
    return Plot(f"{sheet.name}: {sheet.law}", panels, columns=4)


def _over_loads(sheet: Sheet, which: int, x: Axis, y: Axis, factor: float) -> Panel:
    """Return one output over its slip, one curve for each load."""
    slips = SLIPS if which == 0 else ANGLES
    at = (slips, 0.0) if which == 0 else (0.0, np.radians(slips))
    curves = [
        Curve(f"{load / 1e3:.3g} kN", slips, factor * steady(sheet.tire, load, *at)[:, which], n)
        for n, load in enumerate(sheet.loads, BLUE)
    ]
    return Panel(f"{y.label} at loads", x, y, curves, lines=ZERO)


def _combined_slip(sheet: Sheet) -> Panel:
    """Return lateral over longitudinal force, from locked to spinning, at a few slip angles."""
    forces = [1e-3 * steady(sheet.tire, sheet.loads[2], SLIPS, -np.radians(angle)) for angle in SLIP_ANGLES]
    curves = [Curve(f"{angle:g}°", F[:, 0], F[:, 1], n) for n, (angle, F) in enumerate(zip(SLIP_ANGLES, forces, strict=True), BLUE)]
    return Panel(f"slip angles at {sheet.loads[2] / 1e3:.3g} kN", Axis("longitudinal force", "kN"), LATERAL, curves, lines=ZERO)


def _cambered(sheet: Sheet) -> Panel:
    """Return lateral force over slip angle at a few camber angles."""
    near: NDArray[np.float64] = ANGLES[np.abs(ANGLES) <= 10.0]
    curves = [
        Curve(f"{camber:g}°", near, 1e-3 * steady(sheet.tire, sheet.loads[2], 0.0, np.radians(near), np.radians(camber))[:, 1], n)
        for n, camber in enumerate(CAMBERS, BLUE)
    ]
    return Panel(f"camber angles at {sheet.loads[2] / 1e3:.3g} kN", ANGLE, LATERAL, curves, lines=ZERO)


def _over_load(sheet: Sheet, title: str, y: Axis, names: dict[str, str]) -> Panel:
    loads = np.array([1e-3 * row["load"] for row in sheet.rows])
    curves = [
        Curve(label, loads, np.array([row[name] for row in sheet.rows]), BLUE + n, DASHES[n % 2], points=True)
        for n, (name, label) in enumerate(names.items())
    ]
    return Panel(f"{title} over load", Axis("load", "kN"), y, curves)
