"""Rigid body, and checks of its mass and inertia."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np

from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError, InertiaWarning
from simulator.base.records import join

MIN_RADIUS = 1e-4
"""m. Minimum radius of gyration of a body; smaller values are typos."""
MAX_RADIUS = 30.0
"""m. Maximum radius of gyration of a body; larger values are typos, such as a wrong decimal point, or kilograms instead of tons."""
MAX_RATIO = 3.0
"""Maximum ratio of the largest principal moment to the sum of the others.

A larger ratio is not explained by rounding or by a simplification of a publication, but by a typo. The ratio of a thin plate is 1, the
physical maximum.
"""


@dataclass(frozen=True)
class RigidBody:
    """Mass [kg], center of mass `p_BoBcm` (3,) [m] and inertia about it `I_BBcm` (3, 3) [kg m2], both in the body frame B."""

    name: str
    mass: float
    p_BoBcm: Vector = field(default_factory=lambda: np.zeros(3))
    I_BBcm: Vector = field(default_factory=lambda: np.zeros((3, 3)))


def checked_body(body: RigidBody, file: str, key: str, inertia_key: str = "inertia", warn: bool = True) -> RigidBody:
    """Return the body after checks; `key` and `inertia_key` are the keys of the body and of its inertia in messages.

    Raises
    ------
    ConfigError : mass not positive, inertia not symmetric, not positive definite, or a radius of gyration below MIN_RADIUS or above MAX_RADIUS

    A violated triangle inequality (a moment larger than the sum of the two others) occurs in published vehicle data. Up to MAX_RATIO it only
    gives a warning, beyond MAX_RATIO an error; no warning with `warn=False`.
    """
    mass, inertia = float(body.mass), np.asarray(body.I_BBcm, float)
    if not mass > 0.0:
        raise ConfigError(file, join(key, "mass"), mass, "a mass above 0 kg")
    if not np.abs(inertia - inertia.T).max() <= 1e-9 * max(1.0, np.abs(inertia).max()):
        raise ConfigError(file, join(key, inertia_key), inertia.tolist(), "a symmetric inertia matrix")
    moments = np.linalg.eigvalsh(inertia) if inertia[0, 1] or inertia[0, 2] or inertia[1, 2] else np.sort(inertia.diagonal())
    if not moments[0] > 0.0:
        raise ConfigError(file, join(key, inertia_key), inertia.tolist(), "a positive definite inertia matrix")
    if moments[0] < mass * MIN_RADIUS**2:
        expected = f"moments for {mass:g} kg of at least {mass * MIN_RADIUS**2:.2g} kg m2, a radius of gyration of {1e3 * MIN_RADIUS:g} mm"
        raise ConfigError(file, join(key, inertia_key), inertia.tolist(), expected)
    if moments[2] > mass * MAX_RADIUS**2:
        expected = f"moments for {mass:g} kg of at most {mass * MAX_RADIUS**2:.2g} kg m2, a radius of gyration of {MAX_RADIUS:g} m"
        raise ConfigError(file, join(key, inertia_key), inertia.tolist(), expected)
    if warn and moments[2] > (moments[0] + moments[1]) * MAX_RATIO:
        least = f"{moments[2]:.4g} of principal moments {moments[0]:.4g}, {moments[1]:.4g}, {moments[2]:.4g}"
        expected = "no moment above the sum of the others; hint: add `as_published: true` if the source has these values"
        raise ConfigError(file, join(key, inertia_key), least, expected)
    if warn and moments[2] > (moments[0] + moments[1]) * (1.0 + 1e-9):
        warnings.warn(
            f"{file}: {join(key, inertia_key)}: largest principal moment above the sum of the others", InertiaWarning, stacklevel=2
        )
    return RigidBody(body.name, mass, np.asarray(body.p_BoBcm, float), inertia)
