"""Common parts of the kinds of rigid axles in a vehicle file."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.fields import Field, Fields, Group
from vehicles.body_fields import BODY, POINT
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.axle_limits import MIRROR
from vehicles.suspension.axle_section import Axle
from vehicles.suspension.axle_table import FRAME, axle_fields
from vehicles.suspension.rigid_axle.block import RIGID_AXLE_BLOCK
from vehicles.suspension.rigid_axle.corner import RigidAxleSide
from vehicles.suspension.rigid_axle.locating_links import Guide

POINTS = {
    "SPINDLE": "wheel center",
    "AXLE_CM": "center of mass of the complete axle without its wheels",
    "SHOCK_C": "shock absorber on the chassis",
    "SHOCK_A": "shock absorber on the axle",
}

_AXLE = Field(
    "axle", Group(BODY), "complete axle without wheels: housing, final drive, shafts, brakes, and half of its locating links; at AXLE_CM"
)


def fields_of(points: Mapping[str, str], more: Fields, optional: Mapping[str, str] = {}) -> Fields:
    """Return the table of a kind with these hardpoints in addition to POINTS, these optional hardpoints, and these further keys."""
    fields = axle_fields({**POINTS, **points}, (), knuckle=_AXLE)
    optional_fields = tuple(Field(name, POINT, meaning, None, FRAME) for name, meaning in optional.items())
    merged = (
        Field(one.name, Group((*one.kind.fields, *optional_fields)), one.meaning) if one.name == "hardpoints_left" else one  # type: ignore[attr-defined]
        for one in fields
    )
    return (*(one for one in merged if one.name != "wheels"), *more)


class RigidAxle(Axle):
    """One beam with both wheels; unpaired parts of the left side exist once."""

    block = RIGID_AXLE_BLOCK
    unsteered = "rigid axles cannot be steered"
    kind: str
    leaf = False
    centers: Mapping[str, str] = {"axle": "AXLE_CM", "wheel": "SPINDLE"}

    @abstractmethod
    def guide(self) -> Guide:
        """Return the four rods."""

    @abstractmethod
    def spring_ends(self) -> tuple[Vector, Vector]:
        """Return the points S and U (the spring ends) of the left side."""

    def corner(self, mirror: bool) -> RigidAxleSide:
        p, guide, flip = self.points, self.guide(), MIRROR if mirror else np.ones(3)
        whole, wheel = self.bodies["axle"], self.bodies["wheel"]
        half = RigidBody("knuckle", 0.5 * whole.mass, whole.p_BoBcm, 0.5 * whole.I_BBcm)
        turned = RigidBody("wheel", wheel.mass, wheel.p_BoBcm * flip, wheel.I_BBcm * np.outer(flip, flip))
        S, U = self.spring_ends()
        return RigidAxleSide(
            kind=self.kind,
            guide=guide,
            upper=self.upper(mirror),
            leaf=self.leaf,
            Q=self.drawn_end(guide) * (flip if guide.planes[-1] else 1.0),
            S=S * flip,
            U=U * flip,
            B=p["SHOCK_A"] * flip,
            J=p["SHOCK_C"] * flip,
            W=p["SPINDLE"] * flip,
            bodies={"knuckle": half, "wheel": turned},
            file=self.file,
            key=self.key,
        )

    def wind_up_inertia(self) -> float:
        """Return the inertia [kg m2] of the axle with both wheels about the line of the wheel centers."""
        axle, wheel = self.bodies["axle"], self.bodies["wheel"]
        off = (axle.p_BoBcm - self.points["SPINDLE"]) * [1.0, 0.0, 1.0]
        return float(axle.I_BBcm[1, 1] + axle.mass * (off @ off) + 2.0 * wheel.I_BBcm[1, 1])

    def upper(self, mirror: bool) -> int:
        """Return the index of the rod that is drawn as the upper link of a side."""
        return 2

    def drawn_end(self, guide: Guide) -> Vector:
        """Return the chassis end of the fourth rod in the view."""
        return np.asarray(guide.anchors[-1])
