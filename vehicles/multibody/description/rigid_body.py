"""A rigid body, and what its numbers must be."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError, InertiaWarning
from simulator.base.records import join

Vector = NDArray[np.float64]

THINNEST = 1e-4
"""m. No body has a smaller radius of gyration; less is a slip of the pen."""
THICKEST = 30.0
"""m. Nor a larger one: a slip of the decimal point, or kilograms that are tons."""
GROSS = 3.0
"""Largest principal moment over the sum of the others, beyond which it is no rounding and no simplification of a publication, but a slip. A thin
plate has 1, no body has more."""


@dataclass(frozen=True)
class RigidBody:
    """Mass [kg], centre of mass `p_BoBcm` (3,) [m] and inertia about it `I_BBcm` (3, 3) [kg m2], both in the body's own frame B."""

    name: str
    mass: float
    p_BoBcm: Vector = field(default_factory=lambda: np.zeros(3))
    I_BBcm: Vector = field(default_factory=lambda: np.zeros((3, 3)))


def checked_body(body: RigidBody, file: str, key: str, inertia_key: str = "inertia", warn: bool = True) -> RigidBody:
    """The body after checks that a rigid body must pass; `key` and `inertia_key` name its place and that of its inertia in messages.

    Raises
    ------
    ConfigError : mass not above zero, inertia not symmetric, not positive definite, or of a body smaller than THINNEST or larger than THICKEST

    A broken triangle inequality (a moment larger than the sum of the two others) only warns up to GROSS, for published vehicle data have it, and is
    refused beyond; unless `warn` is False.
    """
    mass, inertia = float(body.mass), np.asarray(body.I_BBcm, float)
    if not mass > 0.0:
        raise ConfigError(file, join(key, "mass"), mass, "a mass above 0 kg")
    if not np.abs(inertia - inertia.T).max() <= 1e-9 * max(1.0, np.abs(inertia).max()):
        raise ConfigError(file, join(key, inertia_key), inertia.tolist(), "a symmetric inertia matrix")
    moments = np.linalg.eigvalsh(inertia) if inertia[0, 1] or inertia[0, 2] or inertia[1, 2] else np.sort(inertia.diagonal())
    if not moments[0] > 0.0:
        raise ConfigError(file, join(key, inertia_key), inertia.tolist(), "a positive definite inertia matrix")
    if moments[0] < mass * THINNEST**2:
        expected = (
            f"moments of a body of {mass:g} kg: at least {mass * THINNEST**2:.2g} kg m2, a radius of gyration of {1e3 * THINNEST:g} mm"
        )
        raise ConfigError(file, join(key, inertia_key), inertia.tolist(), expected)
    if moments[2] > mass * THICKEST**2:
        expected = f"moments of a body of {mass:g} kg: at most {mass * THICKEST**2:.2g} kg m2, a radius of gyration of {THICKEST:g} m"
        raise ConfigError(file, join(key, inertia_key), inertia.tolist(), expected)
    if warn and moments[2] > (moments[0] + moments[1]) * GROSS:
        least = f"{moments[2]:.4g} of principal moments {moments[0]:.4g}, {moments[1]:.4g}, {moments[2]:.4g}"
        expected = "no moment above the sum of the others, which no rigid body has; `as_published: true` beside it where a source has it so"
        raise ConfigError(file, join(key, inertia_key), least, expected)
    if warn and moments[2] > (moments[0] + moments[1]) * (1.0 + 1e-9):
        warnings.warn(
            f"{file}: {join(key, inertia_key)}: largest principal moment above the sum of the others", InertiaWarning, stacklevel=2
        )
    return RigidBody(body.name, mass, np.asarray(body.p_BoBcm, float), inertia)
