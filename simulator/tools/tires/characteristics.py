"""Characteristics of a tire: stiffnesses, peaks and relaxation lengths at a few loads, as on a test rig."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vehicles.tires.steady_state import build_up, steady
from vehicles.tires.tire_file import TireFile

SHARES = (0.25, 0.5, 1.0, 1.5)
"""Loads of the table, relative to the nominal load."""
NOMINAL: dict[str, Callable[[Any], float]] = {
    "tmeasy": lambda p: float(p["load"]),
    "magic_formula": lambda p: float(p["load"] * p["lfzo"]),
    "measured": lambda p: float(p["loads"][int(p["counts"][0]) // 2]),
}
"""Nominal load by tire model; for other tire models a third of the maximum load."""
HALF_STEP = 1e-3
"""Slip and rad. Half width of the central differences of a stiffness."""
ANGLES = np.radians(np.linspace(0.25, 30.0, 240))
SLIPS = np.linspace(0.0025, 1.0, 400)
STEP = 2e-3
"""Step of the slip, and of the slip angle in rad, for the relaxation length."""
BUILT_UP = 1.0 - math.exp(-1.0)

COLUMNS = (
    # name                  displayed unit   factor                 title
    ("load", "kN", 1e-3, "load"),
    ("cornering_stiffness", "N/deg", math.pi / 180.0, "cornering stiffness"),
    ("camber_stiffness", "N/deg", math.pi / 180.0, "camber stiffness"),
    ("slip_stiffness", "kN", 1e-3, "slip stiffness"),
    ("friction_driving", "", 1.0, "peak Fx/Fz driving"),
    ("slip_at_peak", "", 1.0, "at slip"),
    ("friction_braking", "", 1.0, "peak Fx/Fz braking"),
    ("friction_locked", "", 1.0, "locked"),
    ("friction_side", "", 1.0, "peak Fy/Fz"),
    ("angle_at_peak", "deg", 180.0 / math.pi, "at slip angle"),
    ("trail", "mm", 1e3, "trail"),
    ("relaxation_along", "m", 1.0, "relaxation along"),
    ("relaxation_across", "m", 1.0, "relaxation across"),
)


@dataclass(frozen=True)
class Sheet:
    """Characteristics of a tire: one mapping of the COLUMNS, in SI units, for each load."""

    name: str
    law: str
    tire: TireFile
    loads: tuple[float, ...]
    rows: tuple[dict[str, float], ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON data, in SI units."""
        shared = {
            name: float(self.tire.shared[0][name]) for name in ("radius", "width", "stiffness", "stiffness_growth", "damping", "load_max")
        }
        return {"tire": self.name, "type": self.law, "radial": shared, "loads": list(self.rows), "notes": list(self.notes)}

    def to_text(self) -> str:
        """Return the console table: a row for each quantity, a column for each load."""
        p = self.tire.shared[0]
        lines = [f"{self.name}: {self.law}, radius {p['radius']:.4g} m, radial stiffness {p['stiffness'] / 1e3:.4g} kN/m"]
        for name, unit, factor, title in COLUMNS:
            label = f"{title} [{unit}]" if unit else title
            lines.append(f"  {label:<28}" + "".join(f"{_shown(factor * row[name]):>10}" for row in self.rows))
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])


def _shown(value: float) -> str:
    return "-" if not math.isfinite(value) else f"{value:.4g}"


def sheet(name: str, tire: TireFile, notes: tuple[str, ...] = ()) -> Sheet:
    """Compute the characteristics of a tire with its tire model."""
    loads = loads_of(tire)
    return Sheet(name, tire.law.name, tire, loads, tuple(_row(tire, load) for load in loads), notes)


def loads_of(tire: TireFile) -> tuple[float, ...]:
    """Return the loads [N] of the table, none beyond the maximum load of the tire curves."""
    most = float(tire.shared[0]["load_max"])
    known = NOMINAL.get(tire.law.name)
    nominal = min(most / 3.0 if known is None else known(tire.own[0]), most / SHARES[-1])
    return tuple(_rounded(share * nominal) for share in SHARES)


def _rounded(value: float) -> float:
    """Round to two significant digits."""
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return round(value / step) * step


def _row(tire: TireFile, load: float) -> dict[str, float]:
    """Compute the characteristics at one load."""
    small = np.array([-HALF_STEP, HALF_STEP])
    across, leaning, along = (steady(tire, load, *at) for at in ((0.0, small), (0.0, 0.0, small), (small, 0.0)))
    K, C = -_slope(across[:, 1]), _slope(along[:, 0])
    driving, braking, side = steady(tire, load, SLIPS), steady(tire, load, -SLIPS), steady(tire, load, 0.0, ANGLES)
    right = steady(tire, load, 0.0, -ANGLES)
    sideways = 0.5 * (right[:, 1] - side[:, 1])
    return {
        "load": load,
        "cornering_stiffness": K,
        "camber_stiffness": _slope(leaning[:, 1]),
        "slip_stiffness": C,
        "friction_driving": float(driving[:, 0].max()) / load,
        "slip_at_peak": float(SLIPS[int(driving[:, 0].argmax())]),
        "friction_braking": float(-braking[:, 0].min()) / load,
        "friction_locked": float(-braking[-1, 0]) / load,
        "friction_side": float(sideways.max()) / load,
        "angle_at_peak": float(ANGLES[int(sideways.argmax())]),
        "trail": _slope(across[:, 4]) / K if K != 0.0 else math.nan,
        "relaxation_along": relaxation(tire, load, kappa=STEP),
        "relaxation_across": relaxation(tire, load, alpha=STEP),
    }


def _slope(pair: NDArray[np.float64]) -> float:
    return float(pair[1] - pair[0]) / (2.0 * HALF_STEP)


def relaxation(tire: TireFile, load: float, kappa: float = 0.0, alpha: float = 0.0) -> float:
    """Return the distance [m] after which a force reaches 63 % after a small step of one slip; NaN if the computed distance is too short."""
    axis = 0 if kappa else 1
    distance, forces = build_up(tire, load, kappa, alpha)
    rest, end = steady(tire, load)[0, axis], steady(tire, load, kappa, alpha)[0, axis]
    if end == rest:
        return math.nan
    share = (forces[:, axis] - rest) / (end - rest)
    reached = np.flatnonzero(share >= BUILT_UP)
    if not len(reached):
        return math.nan
    n = int(reached[0])
    before, at = (0.0, 0.0) if n == 0 else (float(share[n - 1]), float(distance[n - 1]))
    return at + (float(distance[n]) - at) * (BUILT_UP - before) / (float(share[n]) - before)
