"""Fields of the bodies and points of a vehicle file: chassis, fixed masses, rack, and the bodies of the axles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.base.fields import Either, Field, Flag, Number
from simulator.base.values import Values
from vehicles.multibody.description.rigid_body import RigidBody, checked_body
from vehicles.suspension.axle_limits import FAR, HEAVY, LIGHT

POINT = Number("m", -FAR, FAR, shape=(3,))
MASS = Field("mass", Number("kg", LIGHT, HEAVY, above=0.0), "mass of the body")
INERTIA = Field(
    "inertia",
    Either(
        (Number("kg m2", -HEAVY, HEAVY, shape=(3,)), Number("kg m2", -HEAVY, HEAVY, shape=(3, 3))),
        "three moments of inertia, or a 3 x 3 matrix",
    ),
    "inertia about the center of mass",
    frame="the chassis frame",
)
AS_PUBLISHED = Field("as_published", Flag(), "implausible inertia as published: suppresses the warning", False)
BODY = (MASS, INERTIA, AS_PUBLISHED)


def read_body(name: str, body: Values, p_BoBcm: NDArray[np.float64]) -> RigidBody:
    """Return the body of a section with the keys BODY. Raises ConfigError."""
    inertia = np.diag(body["inertia"]) if body["inertia"].ndim == 1 else body["inertia"]
    return checked_body(RigidBody(name, body["mass"], p_BoBcm, inertia), body.file, body.key, warn=not body["as_published"])
