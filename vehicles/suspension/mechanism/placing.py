"""Transformations of a mechanism: translation, and mirroring from the left side of a vehicle to the right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vehicles.multibody.description.mechanism import WORLD, Joint, Loop, Mechanism, Spring

Vector = NDArray[np.float64]

MIRROR = np.array([1.0, -1.0, 1.0])
"""Mirror factors of a position or a direction at the plane y = 0."""
TURN_FACTORS = -MIRROR
"""Mirror factors of an axis of rotation."""
FLIP = np.outer(MIRROR, MIRROR)
"""Mirror factors of a rotation or an inertia matrix, entry by entry."""


def moved(m: Mechanism, offset: Vector) -> Mechanism:
    """Return the mechanism with all elements that are fixed to the world moved by `offset` (3,) [m]."""

    def from_world(joint: Joint) -> Joint:
        return replace(joint, p_PF=joint.p_PF + offset) if joint.parent == WORLD else joint

    def loop(one: Loop) -> Loop:
        shift = {f"p_{end}": getattr(one, f"p_{end}") + offset for end in ("predecessor", "successor") if getattr(one, end) == WORLD}
        return replace(one, **shift)

    def spring(one: Spring) -> Spring:
        shift = {f"point_{end}": getattr(one, f"point_{end}") + offset for end in ("a", "b") if getattr(one, f"body_{end}") == WORLD}
        return replace(one, **shift)

    return replace(m, joints=tuple(map(from_world, m.joints)), loops=tuple(map(loop, m.loops)), springs=tuple(map(spring, m.springs)))


def mirrored(m: Mechanism) -> Mechanism:
    """Return the mirror image about y = 0. Joint coordinates have the same values on both sides."""

    def joint(one: Joint) -> Joint:
        side = MIRROR if one.kind == "prismatic" else TURN_FACTORS
        return replace(
            one,
            p_PF=one.p_PF * MIRROR,
            R_PF=one.R_PF * FLIP,
            axes=one.axes * side,
            p_BM=one.p_BM * MIRROR,
            R_BM=one.R_BM * FLIP,
        )

    def loop(one: Loop) -> Loop:
        names = ("p_predecessor", "p_successor", "axis_predecessor", "axis_successor")
        return replace(one, **{name: getattr(one, name) * MIRROR for name in names})

    return replace(
        m,
        bodies=tuple(replace(body, p_BoBcm=body.p_BoBcm * MIRROR, I_BBcm=body.I_BBcm * FLIP) for body in m.bodies),
        joints=tuple(map(joint, m.joints)),
        loops=tuple(map(loop, m.loops)),
        springs=tuple(replace(one, point_a=one.point_a * MIRROR, point_b=one.point_b * MIRROR) for one in m.springs),
    )
