"""Knuckle and wheel of a corner."""

from __future__ import annotations

import numpy as np

from simulator.base.algebra.array_vectors import norm, unit
from simulator.base.arrays import Vector
from simulator.base.errors import ConfigError
from vehicles.multibody.description.rigid_body import RigidBody

_EYE = np.eye(3)


def carrier_with_wheel(bodies: dict[str, RigidBody], W: Vector, axle: Vector, file: str, key: str) -> tuple[float, RigidBody]:
    """Return the inertia of the wheel about its axle, and knuckle and wheel as one body without that inertia.

    The wheel's spin is a separate coordinate. `bodies` holds knuckle and wheel; W and axle (3,) [m, 1]; file and key are for messages.

    Raises
    ------
    ConfigError : the wheel is not a balanced rotor
    """
    axle = unit(axle)
    wheel, knuckle = bodies["wheel"], bodies["knuckle"]
    spin = float(axle @ wheel.I_BBcm @ axle)
    across = 0.5 * (float(wheel.I_BBcm.trace()) - spin)
    along = axle[:, None] * axle
    rotor = across * (_EYE - along)
    if np.abs(wheel.I_BBcm - rotor - spin * along).max() > 1e-9 * max(spin, across):
        raise ConfigError(file, key, wheel.I_BBcm.tolist(), "a wheel inertia that is equal about all diameters (a balanced rotor)")
    off_axis = wheel.p_BoBcm - W
    if norm(off_axis - axle * np.dot(off_axis, axle)) > 1e-9:
        raise ConfigError(file, key, wheel.p_BoBcm.tolist(), "the wheel's center of mass on its axle (a balanced rotor)")
    mass = knuckle.mass + wheel.mass
    com = (knuckle.mass * knuckle.p_BoBcm + wheel.mass * wheel.p_BoBcm) / mass
    inertia = _moved(knuckle.I_BBcm, knuckle.mass, knuckle.p_BoBcm - com) + _moved(rotor, wheel.mass, wheel.p_BoBcm - com)
    return spin, RigidBody("carrier", mass, com, inertia)


def _moved(inertia: Vector, mass: float, r: Vector) -> Vector:
    """Return the inertia about a point at -r from the center of mass (Steiner)."""
    return inertia + mass * (np.dot(r, r) * _EYE - r[:, None] * r)
