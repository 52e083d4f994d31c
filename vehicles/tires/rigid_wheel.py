"""Rigid wheel that carries its load on soil: driven, skidding, towed, with a slip angle, and several wheels in one rut.

The functions compute the quantities that a soil bin measures, by the integrals of `wheel_on_soil` with more points. SI units; angles from
bottom dead center, + = towards the direction of travel. [WR] as in `wheel_on_soil`. docs/soil.md has the table of these functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from simulator.base.errors import JounceError
from simulator.base.jit import kernel
from terrain.pressure_sinkage import hegedus_factors, pressed_before, remembered_pressure, virgin_pressure
from vehicles.tires.wheel_on_soil import VIRGIN, contact_forces, soil_flow, turning_point

PANELS = 12
"""Panels per arc: the relative error of the integrals is some 1e-6, kinks included."""

SCAN, BISECTIONS = 180, 60
"""Number of steps of the scan for the first angle that carries the load, and number of bisections afterwards."""

UPRIGHT = 0.5 * math.pi
"""rad. Maximum entry angle: the wheel has sunk to its center."""


@dataclass(frozen=True)
class WheelSoil:
    """Soil below a rigid wheel of one width.

    Parameters
    ----------
    k, n : p = k h^n; k [N/m^(n+2)] of `bekker_modulus` or `reece_modulus` of `terrain.pressure_sinkage`
    cohesion, friction_angle, shear_modulus : Pa, rad, m
    c1, c2 : theta_m = (c1 + c2 slip) theta_1; a skidding wheel uses only c1
    rebound : lambda: the wheel leaves the soil at theta_2 = -acos(1 - lambda z / r)
    exit_ratio : theta_2 / theta_1, in [-1, 0], instead of `rebound`
    unit_weight : N/m3, of the soil at the side of the wheel
    packing : 1/m, of a layer, as in `terrain.pressure_sinkage.virgin_pressure`
    """

    k: float
    n: float
    cohesion: float
    friction_angle: float
    shear_modulus: float
    c1: float = 0.4
    c2: float = 0.0
    rebound: float = 0.0
    exit_ratio: float | None = None
    unit_weight: float = 0.0
    packing: float = 0.0


class WheelForces(NamedTuple):
    """A wheel that carries its load: angles in rad, sinkage in m, forces in N, moment in N m, pressure in Pa."""

    theta_1: float
    theta_m: float
    theta_2: float
    theta_0: float
    """angle at which the shear changes its sign; theta_1 or 0 for a driven wheel"""
    sinkage: float
    load: float
    pull: float
    """drawbar pull, thrust - resistance"""
    thrust: float
    resistance: float
    torque: float
    side: float
    """side force of the shear below, a magnitude"""
    side_wall: float
    """force of the soil that the side wall pushes, a magnitude"""
    largest_pressure: float


class Pass(NamedTuple):
    """One of several wheels in one rut: sinkage [m] from the undisturbed ground, resistance [N], and rut depth behind the wheel [m]."""

    sinkage: float
    resistance: float
    rut: float


@kernel
def arc_forces(earth, wheel, arc, motion):
    """Return `contact_forces` of virgin soil with `PANELS`."""
    return contact_forces(earth, VIRGIN, wheel, arc, motion, PANELS)


def driven_wheel(soil: WheelSoil, r: float, b: float, load: float, slip: float, slip_angle: float = 0.0) -> WheelForces:
    """Return the forces of a driven wheel of radius r and width b at slip = 1 - v / (R spin) in [0, 1) and a slip angle (rad) [WR, part I].

    The shear stress is along the local slip velocity (1 - (1 - slip) cos theta, (1 - slip) tan slip_angle).

    Raises
    ------
    JounceError : no sinkage up to the wheel center carries the load
    """
    motion = (1.0, slip, (1.0 - slip) * math.tan(slip_angle), 1.0)

    def arc(theta_1: float) -> tuple[float, ...]:
        return theta_1, (soil.c1 + soil.c2 * slip) * theta_1, _exit_angle(soil, theta_1), 0.0, 0.0, 0.0

    return _carried(soil, (r, b), load, arc, motion, abs(math.sin(slip_angle)))


def skidding_wheel(soil: WheelSoil, r: float, b: float, load: float, skid: float) -> WheelForces:
    """Return the forces of a braked wheel with v = R spin (1 + skid), skid > 0 [WR, part II]; the maximum pressure is at c1 theta_1. Raises
    like `driven_wheel`."""
    motion = (1.0, -skid, 0.0, 0.0)

    def arc(theta_1: float) -> tuple[float, ...]:
        theta_0 = turning_point(theta_1, soil.friction_angle, 1.0 / (1.0 + skid))
        return theta_1, soil.c1 * theta_1, _exit_angle(soil, theta_1), soil_flow(theta_1, theta_0, 1.0, -skid), theta_0, 0.0

    return _carried(soil, (r, b), load, arc, motion, 0.0)


def towed_wheel(soil: WheelSoil, r: float, b: float, load: float) -> tuple[float, WheelForces]:
    """Return (skid, forces) of a freely rolling wheel: that of `skidding_wheel` with zero torque. Its towing resistance is -pull. Raises
    like `driven_wheel`."""
    low, high = 1e-6, 1.0  # R spin / v
    for _ in range(BISECTIONS):
        rolled = 0.5 * (low + high)
        forces = skidding_wheel(soil, r, b, load, 1.0 / rolled - 1.0)
        low, high = (rolled, high) if forces.torque < 0.0 else (low, rolled)
    return 1.0 / rolled - 1.0, forces


def _exit_angle(soil: WheelSoil, theta_1: float) -> float:
    """Return the exit angle theta_2 [rad]."""
    if soil.exit_ratio is not None:
        return soil.exit_ratio * theta_1
    return -math.acos(max(1.0 - soil.rebound * (1.0 - math.cos(theta_1)), -1.0))


def _carried(
    soil: WheelSoil,
    wheel: tuple[float, float],
    load: float,
    arc: Callable[[float], tuple[float, ...]],
    motion: tuple[float, ...],
    sideways: float,
) -> WheelForces:
    """Return the forces of the wheel (r, b) at the minimum entry angle that carries the load."""
    r, _ = wheel
    _, D1, D2 = hegedus_factors(soil.friction_angle)
    wall = D1 * soil.cohesion, 0.5 * D1 * D2 * soil.unit_weight
    earth = (soil.k, soil.n, soil.cohesion, math.tan(soil.friction_angle), soil.shear_modulus, *wall, soil.packing)

    def forces(theta_1: float) -> tuple[float, ...]:
        return arc_forces(earth, wheel, arc(theta_1), motion)

    theta_1 = _min_angle(lambda angle: sum(forces(angle)[:2]), load)
    W_sigma, W_tau, R, H, S, side, _, wall_force, _ = forces(theta_1)
    _, theta_m, theta_2, _, theta_0, _ = arc(theta_1)
    peak = virgin_pressure(soil.k, soil.n, soil.packing, r * (math.cos(theta_m) - math.cos(theta_1)))
    z = r * (1.0 - math.cos(theta_1))
    return WheelForces(theta_1, theta_m, theta_2, theta_0, z, W_sigma + W_tau, H - R, H, R, r * S, abs(side), sideways * wall_force, peak)


def _min_angle(carries: Callable[[float], float], load: float) -> float:
    """Return the minimum angle [rad] in (0, UPRIGHT] that carries the load [N]. Raises JounceError if none does."""
    for n in range(1, SCAN + 1):
        high = UPRIGHT * n / SCAN
        if carries(high) >= load:
            break
    else:
        raise JounceError(
            f"wheel on soil: at a sinkage to its center the soil carries {carries(high):.4g} N; expected the load of {load:.4g} N"
        )
    low = high - UPRIGHT / SCAN
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if carries(middle) >= load else (middle, high)
    return high


@kernel
def rut_forces(k, n, memory, wheel, angles):
    """Return (load, resistance) [N] of a wheel (r, b) on soil with a memory, normal pressure alone, over the arc between `angles` (from,
    to) on the wheel, with the entry at the rut floor: r b times the integrals of p cos theta and p sin theta."""
    r, b = wheel
    start, end, theta_1 = angles
    # p alone does not depend on theta_1, so both arcs are one: the full interval counts as ahead
    floor = memory[3] + r * (1.0 - math.cos(theta_1))
    load = resistance = 0.0
    points = 512
    for j in range(points):
        theta = start + (end - start) * (j + 0.5) / points
        w = r * b * (end - start) / points * remembered_pressure(k, n, 0.0, memory, floor - r * (1.0 - math.cos(theta)))
        load += w * math.cos(theta)
        resistance += w * math.sin(theta)
    return load, resistance


def multipass(k: float, n: float, k_0: float, A_u: float, b: float, wheels: Sequence[tuple[float, float]]) -> list[Pass]:
    """Return the passes of rigid wheels (load N, radius m) of width b in one rut; k, n, k_0, A_u as in
    `terrain.pressure_sinkage.pressed_before`.

    Normal pressure alone, on the arc ahead, depths from the undisturbed ground. A wheel enters at the rut floor of the previous wheel, and
    only its sinkage beyond z_u is new. Raises JounceError like `driven_wheel`.
    """
    z_u, out = 0.0, []
    for load, r in wheels:
        memory = pressed_before(k, n, 0.0, k_0, A_u, z_u)

        def forces(theta_1: float, memory: tuple[float, ...] = memory, r: float = r) -> tuple[float, float]:
            # the pressure has a kink where the rut ends, so each side has its own arc
            end = memory[3] + r * (1.0 - math.cos(theta_1)) - memory[0]
            kink = math.acos(min(max(1.0 - end / r, -1.0), 1.0)) if end > 0.0 else 0.0
            below, above = (rut_forces(k, n, memory, (r, b), (*part, theta_1)) for part in ((0.0, kink), (kink, theta_1)))
            return below[0] + above[0], below[1] + above[1]

        theta_1 = _min_angle(lambda angle, forces=forces: forces(angle)[0], load)  # type: ignore[misc]
        sinkage = memory[3] + r * (1.0 - math.cos(theta_1))
        z_u = max(z_u, sinkage)
        out.append(Pass(sinkage, forces(theta_1)[1], pressed_before(k, n, 0.0, k_0, A_u, z_u)[3]))
    return out
