"""Multibody model of a five-link corner."""

from __future__ import annotations

from simulator.base.records import Record
from vehicles.multibody.description.mechanism import Spring
from vehicles.multibody.description.mechanism_builder import Parts
from vehicles.suspension.five_link.design_points import FiveLinkPoints
from vehicles.suspension.five_link.geometry import link_axes
from vehicles.suspension.five_link.kinematics import BODIES, LINKS, LOWER_REAR


def add_five_links(parts: Parts, name: str, corner: FiveLinkPoints, chassis: str, struts: Record, i: int) -> None:
    """Implement `CornerDesign.add_to`: links on universal joints, and the knuckle with its wheel on the lower rear link."""
    names = {body: f"{name}_{'knuckle' if body == 'carrier' else body}" for body in BODIES}
    for n, link in enumerate(LINKS):
        parts.add_body(names[link], corner.bodies[link])
        independent = None if n == LOWER_REAR else False
        parts.add_joint("universal", chassis, names[link], corner.chassis_joints[n], link_axes(corner, n), independent=independent)
    knuckle = names["carrier"]
    parts.add_body(knuckle, corner.bodies["knuckle"])
    parts.add_joint("spherical", names["lower_rear"], knuckle, corner.carrier_joints[LOWER_REAR])
    for n, link in enumerate(LINKS):
        if n != LOWER_REAR:
            parts.add_loop(names[link], "ball", (names[link], knuckle), corner.carrier_joints[n])
    wheel = f"{name}_wheel"
    parts.add_body(wheel, corner.bodies["wheel"])
    parts.add_joint("revolute", knuckle, wheel, corner.W, corner.axle, independent=True)
    s = struts[0]
    rate, free_length, damping = (float(s[field][i]) for field in ("spring_rate", "spring_free_length", "rebound_damping"))
    spring_body, shock_body = names[BODIES[corner.spring_on]], names[BODIES[corner.shock_on]]
    parts.springs.append(Spring(f"{name}_spring", chassis, corner.U, spring_body, corner.S, rate, free_length))
    parts.springs.append(Spring(f"{name}_damper", chassis, corner.J, shock_body, corner.B, 0.0, 0.0, damping))
