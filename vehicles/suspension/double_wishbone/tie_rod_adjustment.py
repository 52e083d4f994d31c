"""A double-wishbone corner whose tie rod is set to another length.

The knuckle turns about the kingpin, from the lower ball joint D to the upper one F, until its outer tie-rod joint K is at that distance from
the inner one Q. With f the foot of K on the kingpin, r from there to K and k = n x r (n along the kingpin)

    |Q - K|^2 = |Q - f|^2 + r^2 - 2 (Q - f) . (r cos x + k sin x)                                                    (1)

so x follows from a circle. The arms, the struts and their joints stay where they are: the result is a design position like any other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.base.errors import ConfigError
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.double_wishbone.geometry_kernels import KEPT, KNUCKLE, WHEEL, turn_to_rod
from vehicles.suspension.double_wishbone.kinematics import TIEROD

if TYPE_CHECKING:
    from vehicles.suspension.double_wishbone.corner import DoubleWishboneCorner


def set_tie_rod(corner: DoubleWishboneCorner, length: float) -> DoubleWishboneCorner:
    """See `CornerDesign.with_tie_rod`."""
    design = corner.designed.copy()
    if not turn_to_rod(design, length):
        raise ConfigError(corner.file, corner.key, length, "a tie rod with which the steering arm closes")
    d = design[0]
    moved = {KEPT[b]: RigidBody(KEPT[b], float(d["mass"][b]), d["com"][b], d["inertia"][b]) for b in (KNUCKLE, WHEEL, TIEROD)}
    places = {name: d[name] for name in ("K", "W", "axle", "turned", "tierod_axes")}
    set_anew = replace(corner, bodies={**corner.bodies, **moved}, **places)
    set_anew.__dict__["designed"] = design  # which it would find again, in the last digit otherwise
    return set_anew
