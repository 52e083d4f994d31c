"""The reference five-link suspension as a corner of a vehicle: chassis axes x forward, y left, where the reference has x rearward, y right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.records import Record, record
from vehicles.multibody.description.rigid_body import RigidBody
from vehicles.suspension.contract import CORNERS
from vehicles.suspension.five_link.corner import FiveLinkCorner
from vehicles.suspension.five_link.geometry import write_five_link
from vehicles.suspension.five_link.kinematics import BODIES, FIVE_LINKS, LINKS

DATA = Path(__file__).parents[1] / "data" / "mechanisms"
FACTS: dict[str, Any] = json.loads((DATA / "five_link.json").read_text())
TURNED = np.array([-1.0, -1.0, 1.0])
"""The reference's axes to ours: half a turn about z."""


def reference_corner(mirror: bool) -> FiveLinkCorner:
    """Left corner or its mirror image; wheel center in the origin, a wheel without mass, spring on the lower rear link, shock on the carrier."""
    side = np.array([1.0, -1.0 if mirror else 1.0, 1.0])
    A, B = (np.array(FACTS[name]) * TURNED * side for name in ("Cc", "Wc"))
    masses = FACTS["masses"]
    bodies = {
        "knuckle": RigidBody("knuckle", masses["carrier_mass"], np.zeros(3), np.diag(masses["carrier_inertia"])),
        "wheel": RigidBody("wheel", 1e-9, np.zeros(3), 1e-12 * np.diag([1.0, 2.0, 1.0])),
    }
    for n, name in enumerate(LINKS):
        d = B[n] - A[n]
        length, r = float(np.linalg.norm(d)), masses["link_radius"]
        along, across = 0.5 * r**2, r**2 / 4.0 + length**2 / 12.0
        shape = across * np.eye(3) + (along - across) * np.outer(d, d) / length**2
        bodies[name] = RigidBody(name, masses["link_mass"][n], 0.5 * (A[n] + B[n]), masses["link_mass"][n] * shape)
    return FiveLinkCorner(
        chassis_joints=A,
        carrier_joints=B,
        spring_on=BODIES.index("lower_rear"),
        S=0.3 * A[3] + 0.7 * B[3] + np.array([0.01, 0.0, 0.03]),
        U=A[3] + np.array([0.1, 0.05, 0.4]) * side,
        shock_on=BODIES.index("carrier"),
        B=np.array([-0.03, -0.06, -0.1]) * side,
        J=np.array([0.02, -0.2, 0.4]) * side,
        W=np.zeros(3),
        axle=np.array([0.0, 1.0, 0.0]),
        bodies=bodies,
    )


def reference_axle() -> tuple[Record, Record]:
    """Records of CORNERS and FIVE_LINKS with the reference on both sides of the rear axle."""
    corners, parameters = record(CORNERS), record(FIVE_LINKS)
    for i in (2, 3):
        write_five_link(corners, parameters, i, reference_corner(i == 3))
    return corners, parameters
