"""Characteristics of a soil: pressure-sinkage and shear curves, and the forces on a wheel."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.records import Record
from simulator.tools.soil.arguments import WheelOnSoil
from simulator.tools.soil.soil_bin import OUTPUTS, SoilBin
from simulator.tools.tires.characteristics import loads_of
from terrain.pressure_sinkage import virgin_pressure
from terrain.soil import DEFORMABLE
from vehicles.tires.tire_file import TireFile
from vehicles.tires.wheel_on_soil import packing_of

SLIPS = np.array([-1.0, -0.5, -0.2, -0.1, -0.05, 0.0, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8])
"""Slips of the table."""
FINE_SLIPS = np.concatenate([np.linspace(-1.0, -0.35, 14), np.linspace(-0.3, 0.3, 61), np.linspace(0.34, 0.94, 16)])
"""Slips of the curves."""
OVER_LOAD = (0.05, 0.2, 0.5)
"""Slips of the curves over the load."""
LOADS = np.linspace(0.1, 1.5, 15)
"""Loads of the curves over the load, relative to the middle load."""
ANGLES = np.radians(np.linspace(0.0, 45.0, 19))
SIDE_SLIP = 0.1
"""Longitudinal slip of the curves over the slip angle."""
SHARES = (0.5, 1.0, 1.5)
"""Loads of the curves over the slip, relative to the middle load."""


def pressure(soil: Record, width: float, sinkage: Array) -> Array:
    """Return the pressure [Pa] (n,) under a plate of `width` [m] at sinkages (n,) [m] by `terrain.pressure_sinkage.virgin_pressure`; NaN if
    not positive.
    """
    k, n, packing = float(soil[0]["k_c"]) / width + float(soil[0]["k_phi"]), float(soil[0]["n"]), float(packing_of(soil))
    return np.array([virgin_pressure(k, n, packing, z) if k > 0.0 else np.nan for z in sinkage])


def shear_stress(soil: Record, normal: float, displacement: Array) -> Array:
    """Return the shear stress [Pa] (n,) at displacements (n,) [m] under a pressure `normal` [Pa]: Janosi and Hanamoto."""
    strength = float(soil[0]["cohesion"]) + normal * math.tan(float(soil[0]["friction_angle"]))
    return strength * (1.0 - np.exp(-displacement / float(soil[0]["shear_modulus"])))


def default_load(tire: TireFile) -> float:
    """Return the default load [N] of a tire: its nominal load."""
    return loads_of(tire)[2]


@dataclass(frozen=True)
class SoilSheet:
    """Plotted and printed characteristics of a soil under a wheel.

    Attributes
    ----------
    loads : N, three
    over_slip : (loads, FINE_SLIPS, outputs) in the order of `soil_bin.OUTPUTS`
    over_load : (OVER_LOAD, LOADS, outputs)
    over_angle : (loads, ANGLES, outputs)
    table : (SLIPS, outputs) at the middle load
    """

    wheel: WheelOnSoil
    loads: Array
    over_slip: Array
    over_load: Array
    over_angle: Array
    table: Array

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON data, in SI units."""
        names = [name for name, *_ in OUTPUTS]
        rows = [{"slip": s, **dict(zip(names, row, strict=True))} for s, row in zip(SLIPS.tolist(), self.table.tolist(), strict=True)]
        numbers = {row[0]: float(self.wheel.soil[0][row[0]]) for row in DEFORMABLE}
        return {"soil": self.wheel.soil_name, "tire": self.wheel.tire_name, "load": float(self.loads[1]), "numbers": numbers, "rows": rows}

    def to_text(self) -> str:
        """Return the console text: the parameters of the soil, then a row for each slip."""
        tire, W = self.wheel.tire.shared[0], float(self.loads[1])
        lines = [
            f"{self.wheel.soil_name} under {self.wheel.tire_name} (radius {tire['radius']:.4g} m, width {tire['width']:.4g} m, load "
            f"{W:.0f} N)"
        ]
        lines += [
            f"  {name:<18}{float(self.wheel.soil[0][name]):>14.6g} {unit if unit != '1' else ''}" for name, _, unit, *_ in DEFORMABLE[1:]
        ]
        lines.append(f"  {'slip':>6}{'sinkage mm':>12}{'pull/load':>12}{'resistance/load':>17}{'torque/(load radius)':>22}")
        for slip, row in zip(SLIPS, self.table, strict=True):
            arm = W * float(tire["radius"])
            lines.append(
                f"  {slip:>+6.2f}{1e3 * row[0]:>12.1f}{row[1] / W:>12.3f}{row[3] / W:>17.3f}{row[4] / arm:>22.3f}{'' if row[8] else ' *'}"
            )
        if not self.table[:, 8].all():
            lines.append("  * not settled after 30 s")
        return "\n".join(lines)


def soil_sheet(wheel: WheelOnSoil, load: float | None = None) -> SoilSheet:
    """Compute all characteristics with the soil bin; `load` [N] is the middle load, default: the nominal load of the tire."""
    middle = default_load(wheel.tire) if load is None else load
    loads = middle * np.array(SHARES)
    rig = SoilBin(wheel.tire, wheel.soil, wheel.tire_name)
    return SoilSheet(
        wheel,
        loads,
        np.array([rig.drive(FINE_SLIPS, one) for one in loads]),
        np.array([rig.drive(slip, middle * LOADS) for slip in OVER_LOAD]),
        np.array([rig.drive(SIDE_SLIP, one, ANGLES) for one in loads]),
        rig.drive(SLIPS, middle),
    )
