"""A corner whose motion is a table."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError
from simulator.base.records import Record
from vehicles.multibody.description.mechanism_builder import Parts
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.corner_design import CornerDesign, Reach
from vehicles.suspension.kc_table.motion import TableMotion
from vehicles.suspension.mechanism.travel_limits import is_stop_exhausted
from vehicles.suspension.tables.reduced_table import D
from vehicles.travel_limits import MARGIN, TravelResult, place_ends

STRIDE = 1e-3
"""m. Distance of the travels at which the length of the spring is compared with its stops."""


class TableCorner(CornerDesign):
    """A wheel on a table; theta is the travel of the wheel center straight ahead."""

    kind: ClassVar[str] = "kc_table"
    mounts: ClassVar[dict[str, str]] = {"carrier": "knuckle"}

    def __init__(self, motion: TableMotion, bodies: dict[str, RigidBody], spin_inertia: float) -> None:
        self.file, self.key, self.bodies, self.rack = motion.file, motion.key, bodies, motion.rack
        self.motion, self.linkage, self.spin_inertia = motion, motion, spin_inertia
        self.Q, self.W, self.axle = motion.W, motion.W, motion.axle

    def with_rack(self, half: RigidBody) -> TableCorner:
        return TableCorner(replace(self.motion, rack=half), self.bodies, self.spin_inertia)

    def write(self, corners: Record, parameters: Record, i: int) -> None:
        out, rack = corners[0], self.motion.rack
        out["corner_mass"][i] = self.motion.body.mass + (0.0 if rack is None else rack.mass)
        out["spin_inertia"][i], out["design_frame"][:, :, i] = self.spin_inertia, np.eye(3)
        out["design_wheel_x"][i], out["design_wheel_z"][i] = self.W[0], self.W[2]

    def add_to(self, parts: Parts, name: str, chassis: str, inner: str, struts: Record, i: int) -> None:
        raise ConfigError(self.file, f"{self.key}.suspension", self.kind, "an axle with bodies and joints, which a table does not have")

    def write_ends(self, i: int, corners: Record, struts: Record, lock: float) -> None:
        """Write the travel limits: the ends of the table, or where the rubber stops are used up.

        Raises ConfigError: a strut does not get shorter as the wheel rises.
        """
        self._check_struts()
        ends = corners[0]["ends"]
        inertia = float(self.motion.rows(np.zeros(1), np.zeros(1))[0][0, 0, D])
        place_ends(ends, i, inertia, 1.0, *(self._travel(side, struts, i) for side in (-1.0, 1.0)))
        corners[0]["travel"][:, i] = ends["theta"][:, i]

    def _travel(self, side: float, struts: Record, i: int) -> TravelResult:
        """Return the travel to the side -1 or +1; its limit is a margin before its last position."""
        end = abs(self.motion.table.travel[0 if side < 0.0 else 1])
        thetas = side * np.arange(0.0, end, STRIDE)
        lengths = self.motion.strut_lengths(thetas)[:, 0]
        used = (float(theta) for theta, length in zip(thetas, lengths, strict=True) if is_stop_exhausted(side, float(length), struts, i))
        return TravelResult(side * (end + min(MARGIN, end)), next(used, side * np.inf))

    def _check_struts(self) -> None:
        """Raise ConfigError unless spring and shock absorber get shorter with travel."""
        columns, (low, high) = self.motion.table.columns, self.motion.table.travel
        lengths = self.motion.strut_lengths(np.linspace(low, high, 101))
        for k, name in enumerate(("spring", "shock")):
            if not (np.diff(lengths[:, k]) < 0.0).all() or not lengths[:, k].min() > 0.0:
                heading = columns.headings.get(name) or columns.headings.get(f"{name}_ratio") or columns.headings["travel"]
                expected = f"a {name} that gets shorter as the wheel rises, + = shorter, by less than {name}.length"
                raise ConfigError(columns.file, heading, f"{1e3 * lengths[0, k]:g} to {1e3 * lengths[-1, k]:g} mm of {name}", expected)

    def reach(self, corners: Record, i: int) -> Reach:
        low, high = (float(theta) for theta in corners[0]["ends"]["closed"][:, i])
        return Reach((low, high), closes=None, past_stops=0.0, without_stops=(low, high), short_of_open=0.0)

    def in_body(self, body: str, point: Vector) -> Vector:
        return point
