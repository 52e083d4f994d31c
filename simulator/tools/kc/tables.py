"""Kinematics of an axle as a CSV table over travel and steering, which an axle of the kind `kc_table` reads."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.errors import JounceError
from simulator.telemetry.atomic_files import create_folder, write_text
from simulator.tools.kc.rig import Rig
from vehicles.steering.contract import RACK
from vehicles.suspension.kc_table.motion import wheel_axes

TRAVELS, POSITIONS = 21, 17
"""Numbers of travels from the design position to each end, and of positions of the steering from lock to lock."""
REACHED = 1e-11
"""m. Tolerance of the travel."""
ROUNDS = 30


def write_table(rig: Rig, n: int, name: str, folder: Path) -> Path | None:
    """Write the table of the left wheel of axle n into a folder; return the file. None: a table of one wheel cannot describe a rigid axle."""
    axle, corners = rig.axles.names[n], rig.vehicle.model.corners[0]
    if corners["coupled"][n]:
        return None
    create_folder(folder)
    file, out = folder / f"kc_{name}_{axle}.csv", io.StringIO()
    wheel = _LeftWheel(rig, n)
    spindle, design = wheel.design["W"][:, wheel.i], wheel.design
    out.write(f"# {name}, {axle} axle, left wheel; without bushings, from the design position\n")
    out.write(f"# wheel center in chassis axes [m]: {', '.join(f'{x:.9g}' for x in spindle)}\n")
    out.write(f"# spring.length: {design['spring_length'][wheel.i]:.9g}, shock.length: {design['shock_length'][wheel.i]:.9g}\n")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(wheel.headings)
    low, high = (wheel.travel_of(float(theta)) for theta in corners["ends"]["theta"][:, wheel.i])
    travels = np.concatenate([np.linspace(low, 0.0, TRAVELS), np.linspace(0.0, high, TRAVELS)[1:]])
    for arm in wheel.arms:
        for travel in travels:
            writer.writerow([f"{number:.10g}" for number in wheel.row(float(travel), float(arm))])
    write_text(file, out.getvalue())
    return file


class _LeftWheel:
    """Left wheel of axle n on the rig."""

    def __init__(self, rig: Rig, n: int) -> None:
        self._rig, self._n, self.i = rig, n, rig.axles.on(n)[0]
        steering = rig.vehicle.model.steering[0]
        lock = float(steering["max_arm_angle"])
        self.arms = np.linspace(-lock, lock, POSITIONS) if rig.is_steered(n) else np.zeros(1)
        self._by_rack = bool(steering["kind"] == RACK)
        self._per_arm = 1e3 * float(steering["rack_travel"]) if self._by_rack else -math.degrees(rig.ratio)
        self.design = self._at(0.0, 0.0)
        axle = self.design["axle"][:, self.i]
        self._axes = wheel_axes(*_angles(axle))

    @property
    def headings(self) -> list[str]:
        """Headings of a row."""
        steering = ["rack_mm" if self._by_rack else "steering_wheel_deg"] if len(self.arms) > 1 else []
        return ["travel_mm", *steering, "toe_deg", "camber_deg", "caster_deg", "lateral_mm", "longitudinal_mm", "spring_mm", "shock_mm"]

    def travel_of(self, theta: float) -> float:
        """Return the travel [m] at a coordinate, straight ahead."""
        return float(self._at(theta, 0.0)["W"][2, self.i] - self.design["W"][2, self.i])

    def row(self, travel: float, arm: float) -> list[float]:
        """Return the row at a travel [m] and an arm angle [rad]. Raises JounceError: the suspension does not reach it."""
        i, k = self.i, self._reach(travel, arm)
        axle, (x, z), design = (
            k["axle"][:, i],
            (k["carrier_x"][:, i], k["carrier_z"][:, i]),
            self._rig.vehicle.model.corners[0]["design_frame"],
        )
        R = np.stack([x, np.cross(z, x), z], axis=1) @ design[:, :, i].T
        psi, gamma = _angles(axle)
        turn = wheel_axes(psi, gamma).T @ R @ self._axes
        moved = 1e3 * (k["W"][:, i] - self.design["W"][:, i])
        struts = [1e3 * float(self.design[name][i] - k[name][i]) for name in ("spring_length", "shock_length")]
        angles = [-math.degrees(angle) for angle in (psi, gamma, math.atan2(turn[0, 2], turn[0, 0]))]
        steering = [self._per_arm * arm] if len(self.arms) > 1 else []
        return [1e3 * travel, *steering, *angles, float(moved[1]), float(moved[0]), *struts]

    def _reach(self, travel: float, arm: float) -> Any:
        """Return KINEMATICS at a travel, by Newton's method."""
        theta = 0.0
        for _ in range(ROUNDS):
            k = self._at(theta, arm)
            over = float(k["W"][2, self.i] - self.design["W"][2, self.i]) - travel
            if abs(over) < REACHED:
                return k
            theta -= over / float(k["W_1"][2, self.i])
        raise JounceError(f"the {self._rig.axles.names[self._n]} axle: no position at a travel of {1e3 * travel:.4g} mm")

    def _at(self, theta: float, arm: float) -> Any:
        return self._rig.kinematics(self._n, np.full(len(self._rig.axles.on(self._n)), theta), arm)


def _angles(axle: Vector) -> tuple[float, float]:
    """Return heading and inclination [rad] of a wheel from its axle."""
    return math.atan2(-axle[0], axle[1]), math.asin(axle[2])
