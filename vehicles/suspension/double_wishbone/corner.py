"""A double-wishbone corner in its design position."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError
from simulator.base.records import Record
from vehicles.multibody.description.mechanism_builder import Parts
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.blocks import Blocks
from vehicles.suspension.corner_design import CARRIER_NAME, CornerDesign, Reach
from vehicles.suspension.double_wishbone.design_points import DoubleWishbonePoints
from vehicles.suspension.double_wishbone.geometry import designed, lower_arm_point, write_corner, write_length, write_tie_rod
from vehicles.suspension.double_wishbone.geometry_kernels import DESIGN_BODIES, KNUCKLE, WHEEL, turn_to_rod
from vehicles.suspension.double_wishbone.kinematics import TIEROD
from vehicles.suspension.double_wishbone.mechanism import BODY_NAMES, add_double_wishbone

REACH = Reach(widest=(-0.8, 0.8), closes=None, past_stops=0.08, without_stops=(-0.3, 0.3), short_of_open=0.1)
"""Ranges in rad."""


@dataclass(frozen=True)
class DoubleWishboneCorner(DoubleWishbonePoints, CornerDesign):
    """A double-wishbone corner in the design position."""

    kind: ClassVar[str] = "double_wishbone"
    mounts: ClassVar[dict[str, str]] = {"lower_arm": BODY_NAMES["lower_arm"], CARRIER_NAME: BODY_NAMES["knuckle"]}

    @cached_property
    def designed(self) -> Record:
        """Return a record of DESIGN for the kernels, read-only. Raises ConfigError if the wheel is not a rotor."""
        return designed(self)

    def hinged_point(self, body: str, point: Vector) -> Vector | None:
        return lower_arm_point(self, point) if body == "lower_arm" else None

    @property
    def tierod_length(self) -> float:
        return float(np.linalg.norm(self.Q - self.K))

    def with_tie_rod(self, length: float) -> DoubleWishboneCorner:
        """Return the corner with another tie-rod length [m]: the knuckle rotates about the kingpin, arms and struts do not move.

        The result is a regular design position.
        """
        design = self.designed.copy()
        if not turn_to_rod(design, length):
            raise ConfigError(self.file, self.key, length, "a tie-rod length for which the loop of the steering arm closes")
        d = design[0]
        moved = {
            DESIGN_BODIES[b]: RigidBody(DESIGN_BODIES[b], float(d["mass"][b]), d["com"][b], d["inertia"][b])
            for b in (KNUCKLE, WHEEL, TIEROD)
        }
        points = {name: d[name] for name in ("K", "W", "axle", "turned", "tierod_axes")}
        adjusted = replace(self, bodies={**self.bodies, **moved}, **points)
        adjusted.__dict__["designed"] = design  # recomputing the design would change its last digits
        return adjusted

    def write(self, corners: Record, parameters: Record, i: int) -> None:
        write_corner(corners, parameters, i, self, self.designed)

    def write_tie_rod(self, corners: Record, parameters: Record, i: int) -> None:
        write_tie_rod(corners, parameters, i, self, self.designed)

    def write_length(self, parameters: Record, i: int, length: float) -> bool:
        if type(self) is not DoubleWishboneCorner:
            return False
        write_length(parameters, i, length)
        return True

    def kingpin(self, blocks: Blocks, theta: float, i: int) -> tuple[Vector, Vector, Vector] | None:
        if type(self) is not DoubleWishboneCorner:  # a derived kind may adjust its rod differently
            return None
        scratch = blocks.scratch[0]
        return scratch["D"][:, i], scratch["F"][:, i], scratch["K"][:, i]

    def add_to(self, parts: Parts, name: str, chassis: str, inner: str, struts: Record, i: int) -> None:
        add_double_wishbone(parts, name, self, chassis, inner, struts, i)

    def reach(self, corners: Record, i: int) -> Reach:
        return REACH

    def gap(self, corners: Record, blocks: Blocks, inputs: Record, i: int) -> float:
        scratch, p = blocks.scratch[0], blocks.own[0]
        kingpin = np.linalg.norm(scratch["F"][:, i] - scratch["D"][:, i]) - p["kingpin_length"][i]
        tierod = np.linalg.norm(scratch["K"][:, i] - inputs[0]["Q"][:, i]) - p["tierod_length"][i]
        return float(np.maximum(abs(kingpin), abs(tierod)))

    def turn_of_steering(self, blocks: Blocks, i: int) -> float:
        return float(np.linalg.norm(blocks.scratch[0]["steer_gain"][:, i]))


CORNER = DoubleWishboneCorner
