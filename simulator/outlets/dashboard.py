"""What the gauges of a vehicle show besides its readout: charge of the battery, and controllers that act on the brakes or the throttle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from vehicles.vehicle import Vehicle

LAMPS = {"abs": ("abs_works", "phase"), "esc": ("stability_works", "active"), "traction": ("stability_works", "active")}
"""By type of controller: field of EXTRAS, and the row of the controller's state that is not 0 while it acts."""
FIELDS = ("charge", "abs_works", "stability_works")
"""Fields of EXTRAS that a dashboard sets."""
USED = "battery_used"


class Dashboard:
    """Sources of the gauges of a vehicle.

    Attributes
    ----------
    columns : columns of a log that `fill_from_log` reads
    """

    def __init__(self, vehicle: Vehicle) -> None:
        self._vehicle, self._lamps = vehicle, []
        controllers = vehicle.description.controllers
        records = controllers.logged(vehicle.space.controls, vehicle.corner_names)
        for unit, (prefix, _, state) in zip(controllers.units, records, strict=True):
            if unit.kind.name in LAMPS:
                lamp, row = LAMPS[unit.kind.name]
                ends = [f"_{corner}" for corner in vehicle.corner_names] if state[0][row].ndim else [""]
                self._lamps.append((lamp, state, row, [f"{prefix}{row}{end}" for end in ends]))
        self.columns = (USED, *(name for *_, names in self._lamps for name in names))

    def fill(self, e: Any) -> None:
        """Set the fields of a row of EXTRAS from the present state of the vehicle."""
        _fill(
            e, self._charge(float(self._vehicle.space.drivetrain[0][USED])), [(lamp, state[0][row]) for lamp, state, row, _ in self._lamps]
        )

    def fill_from_log(self, e: Any, columns: Mapping[str, Any], k: int) -> None:
        """Set the fields of a row of EXTRAS from row `k` of those columns that a log has."""
        lamps = [(lamp, [columns[name][k] for name in names if name in columns]) for lamp, _, _, names in self._lamps]
        _fill(e, self._charge(float(columns[USED][k])) if USED in columns else np.nan, lamps)

    def _charge(self, used: float) -> float:
        """Return the charged fraction of the battery after this energy [J] was taken from it; NaN without a battery."""
        p = self._vehicle.model.drivetrain[0]
        return float(p["battery_charge"] - used / p["battery_capacity"]) if p["battery_capacity"] > 0.0 else np.nan


def _fill(e: Any, charge: float, lamps: list[tuple[str, Any]]) -> None:
    e["charge"] = charge
    for field in FIELDS[1:]:
        e[field] = any(np.any(np.asarray(value) != 0.0) for lamp, value in lamps if lamp == field)
