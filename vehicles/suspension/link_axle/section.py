"""Section of a vehicle file for a rigid axle on trailing links.

The axle has two lower links, one per side, and either one upper link and a Panhard rod, or two slanted upper links that also locate the
axle laterally. All links are rods with ball joints. A second parallel upper link with a Panhard rod would overconstrain the axle, which
could roll only with compliant bushings.
"""

from __future__ import annotations

import numpy as np

from simulator.base.algebra.array_vectors import unit
from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError
from simulator.base.values import Values
from vehicles.appearance import BEAM_ON_LINKS
from vehicles.compliance.elastic_beam import ElasticBeam, Tie
from vehicles.suspension.axle_limits import MIRROR
from vehicles.suspension.rigid_axle.locating_links import Guide
from vehicles.suspension.rigid_axle.section import RigidAxle, fields_of

LINKS = {
    "LOWER_C": "lower link on the chassis, one per side",
    "LOWER_A": "lower link on the axle",
    "UPPER_C": "upper link on the chassis; one per side, or a single one with a Panhard rod",
    "UPPER_A": "upper link on the axle",
    "SPRING_C": "spring on the chassis",
    "SPRING_A": "spring on the axle",
}
PANHARD = {
    "PANHARD_C": "Panhard rod on the chassis, on either side; a single rod, whose points are not mirrored",
    "PANHARD_A": "Panhard rod on the axle",
}
FIELDS = fields_of(LINKS, (), PANHARD)
JOINTS = (("LOWER_C", "LOWER_A"), ("UPPER_C", "UPPER_A"), ("SHOCK_A", "SHOCK_C"), ("SPRING_A", "SPRING_C"))


class LinkAxle(RigidAxle):
    """Lower links, and one upper link with a Panhard rod or two slanted upper links."""

    kind = "link_axle"
    bushes = ("LOWER_C", "LOWER_C", "UPPER_C", "UPPER_C", "SHOCK_C", "SPRING_C")
    links_as = BEAM_ON_LINKS
    fields = FIELDS

    def __init__(self, values: Values) -> None:
        points = values["hardpoints_left"]
        given = [name for name in PANHARD if name in points]
        if len(given) == 1:
            raise ConfigError(points.file, points.key, given[0], f"both {' and '.join(PANHARD)}, or neither")
        self.panhard = bool(given)
        self.joints = (*JOINTS, *((tuple(PANHARD),) if given else ()))  # type: ignore[assignment]
        super().__init__(values)
        self.elastic = self._elastic()

    def guide(self) -> Guide:
        p = self.points
        pairs = [(p["LOWER_C"], p["LOWER_A"]), (p["LOWER_C"] * MIRROR, p["LOWER_A"] * MIRROR), (p["UPPER_C"], p["UPPER_A"])]
        pairs.append((p["PANHARD_C"], p["PANHARD_A"]) if self.panhard else (p["UPPER_C"] * MIRROR, p["UPPER_A"] * MIRROR))
        anchors, joints = (np.array([pair[end] for pair in pairs]) for end in (0, 1))
        return Guide(anchors, joints, np.zeros((4, 3)))

    def _elastic(self) -> ElasticBeam:
        """Return the beam on links that yield in the bushings on the chassis."""
        guide = self.guide()
        bushings = ("LOWER_C", "LOWER_C", "UPPER_C", "PANHARD_C" if self.panhard else "UPPER_C")
        rods = zip(guide.joints, guide.anchors, bushings, strict=True)
        ties = tuple(Tie(joint, unit(joint - anchor), bushing) for joint, anchor, bushing in rods)
        lower, upper = self.spring_ends()
        spring = unit(lower - upper)
        return ElasticBeam(ties, ((lower, spring), (lower * MIRROR, spring * MIRROR)), self.wind_up_inertia())

    def spring_ends(self) -> tuple[Vector, Vector]:
        return self.points["SPRING_A"], self.points["SPRING_C"]

    def upper(self, mirror: bool) -> int:
        return 3 if mirror and not self.panhard else 2


AXLE = LinkAxle
