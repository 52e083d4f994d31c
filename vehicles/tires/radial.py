"""Radial model of the tire: spring, damper, rim and their strength, shared by all tire models."""

from __future__ import annotations

from simulator.base.jit import inline

DEFLECTION_MAX = 0.9
"""Maximum radial deflection over radius; a wheel below the ground is pushed out with the force at this deflection."""


@inline
def effective_radius(R0, deflection):
    """R_e = (2 R0 + loaded radius) / 3: distance per radian of a freely rolling wheel [Rill 2011, section 3.3.3]."""
    return (2.0 * R0 + (R0 - deflection)) / 3.0


@inline
def radial_force(p, deflection, rate, gain):
    """Return the radial force [N] of the tire and its slope [N/m]: c1 d + c2 d^2 + damping d', from 0 to the strength of rim and tire, plus
    a rim spring.

    `gain` is the relative increase of c1 and c2. The damper fades in over the first 4 mm, so that first contact causes no force jump; the
    deflection is limited to DEFLECTION_MAX.
    """
    d = min(deflection, DEFLECTION_MAX * p[0]["radius"])
    if d <= 0.0:
        return 0.0, 0.0
    force = (1.0 + gain) * ((p[0]["stiffness"] + p[0]["stiffness_growth"] * d) * d)
    slope = (1.0 + gain) * (p[0]["stiffness"] + 2.0 * p[0]["stiffness_growth"] * d)
    rim = d - (p[0]["radius"] - p[0]["bottoming_radius"])
    if rim > 0.0:
        force += p[0]["bottoming_stiffness"] * rim
        slope += p[0]["bottoming_stiffness"]
    return min(max(force + radial_damping(p, d) * rate, 0.0), p[0]["strength"]), slope


@inline
def radial_damping(p, deflection):
    """Return the radial damping [N s/m] at a deflection."""
    x = min(max(deflection / 0.004, 0.0), 1.0)
    return p[0]["damping"] * x * x * (3.0 - 2.0 * x)
