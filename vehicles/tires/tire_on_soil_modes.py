"""Closed-form tire on soil: rigid and flexible mode, and the larger substitute circle of the flattened tire.

[W] J. Y. Wong, Theory of Ground Vehicles, 4th ed. (2008), chapter 2. [B] M. G. Bekker, Introduction to Terrain-Vehicle Systems (1969). k
and n are those of p = k z^n under the width of the wheel (`bekker_modulus`, `reece_modulus` of `terrain.pressure_sinkage`). SI units.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from simulator.base.errors import JounceError
from vehicles.tires.wheel_on_soil import substitute_radius

BISECTIONS = 200


def bekker_sinkage(k: float, n: float, r: float, b: float, load: float) -> float:
    """Return the sinkage [m] of a towed rigid wheel: (3 W / ((3 - n) b k sqrt D))^(2 / (2 n + 1)) [B]. Raises JounceError for n of 3 or
    more."""
    _check(n)
    return (3.0 * load / ((3.0 - n) * b * k * math.sqrt(2.0 * r))) ** (2.0 / (2.0 * n + 1.0))


def compaction_resistance(k: float, n: float, b: float, z: float) -> float:
    """Return R_c = b k z^(n + 1) / (n + 1) [N]: work of pressing a rut of width b and depth z, per length [B]."""
    return b * k * z ** (n + 1.0) / (n + 1.0)


def critical_pressure(k: float, n: float, r: float, b: float, load: float) -> float:
    """Return p_gcr = k^(1 / (2 n + 1)) (3 W / ((3 - n) b sqrt D))^(2 n / (2 n + 1)) [Pa]: a tire with a higher ground pressure stays round
    [W]."""
    _check(n)
    return k ** (1.0 / (2.0 * n + 1.0)) * (3.0 * load / ((3.0 - n) * b * math.sqrt(2.0 * r))) ** (2.0 * n / (2.0 * n + 1.0))


class TireMode(NamedTuple):
    """Mode of a tire on soil: pressure in Pa, lengths in m, force in N."""

    critical_pressure: float
    rigid: bool
    sinkage: float
    resistance: float
    length: float
    """contact length: load over width and pressure when flattened, r acos(1 - z / r) when round"""
    rigid_sinkage: float
    """sinkage without flattening"""


def tire_mode(k: float, n: float, r: float, b: float, load: float, pressure: float) -> TireMode:
    """Return the mode of a tire whose inflation and carcass put `pressure` (Pa) on the ground [W]: round above the critical pressure, else
    flattened with the sinkage (pressure / k)^(1 / n). Raises JounceError like `bekker_sinkage`."""
    critical, round_sinkage = critical_pressure(k, n, r, b, load), bekker_sinkage(k, n, r, b, load)
    rigid = pressure > critical
    z = round_sinkage if rigid else (pressure / k) ** (1.0 / n)
    length = r * math.acos(max(1.0 - z / r, -1.0)) if rigid else load / (b * pressure)
    return TireMode(critical, rigid, z, compaction_resistance(k, n, b, z), length, round_sinkage)


def even_thrust(
    cohesion: float, friction_angle: float, shear_modulus: float, load: float, area: float, length: float, slip: float
) -> float:
    """Return the thrust [N] of a contact under uniform pressure [W]: (A c + W tan phi) (1 - (1 - e^-x) / x) with x = slip length / K."""
    x = slip * length / shear_modulus
    mobilized = 1.0 + math.expm1(-x) / x if x > 1e-9 else 0.5 * x
    return (area * cohesion + load * math.tan(friction_angle)) * mobilized


class Circle(NamedTuple):
    """A tire and its larger substitute rigid wheel: lengths in m, force in N."""

    deflection: float
    sinkage: float
    radius: float
    resistance: float
    length: float
    """contact length, sqrt(2 r* z)"""


def substitute_circle(k: float, n: float, r: float, b: float, load: float, stiffness: float) -> Circle:
    """Return the rigid wheel r* with the sinkage and contact length of a tire of a radial stiffness (N/m), by `substitute_radius`; its
    sinkage is `bekker_sinkage` at r*. Raises JounceError like `bekker_sinkage`."""
    deflection = load / stiffness
    low, high = 1e-9, bekker_sinkage(k, n, r, b, load)
    for _ in range(BISECTIONS):
        z = 0.5 * (low + high)
        low, high = (low, z) if bekker_sinkage(k, n, substitute_radius(r, deflection, z), b, load) < z else (z, high)
    radius = substitute_radius(r, deflection, z)
    return Circle(deflection, z, radius, compaction_resistance(k, n, b, z), math.sqrt(2.0 * radius * z))


def _check(n: float) -> None:
    if not n < 3.0:
        raise JounceError(f"Bekker's wheel on soil: invalid exponent n = {n:g}; expected less than 3")
