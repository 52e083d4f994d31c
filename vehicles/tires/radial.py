"""The tire along its radius: spring, damper, rim and what they bear, the same for every tread law."""

from __future__ import annotations

from simulator.base.jit import inline

DEFLECTION_MAX = 0.9
"""Largest radial deflection over radius; a wheel below the ground is pushed out with the force there."""


@inline
def effective_radius(R0, deflection):
    """R_e = (2 R0 + loaded radius) / 3: way per radian of a freely rolling wheel [Rill 2011, section 3.3.3]."""
    return (2.0 * R0 + (R0 - deflection)) / 3.0


@inline
def radial_force(p, deflection, rate):
    """Radial force [N] of the tire and its slope [N/m]: c1 d + c2 d^2 + damping d', from 0 to the strength of rim and tire, plus a spring from
    the rim.

    The damper comes in over the first 4 mm, so that touching down gives no jump; the way is limited to DEFLECTION_MAX.
    """
    d = min(deflection, DEFLECTION_MAX * p[0]["radius"])
    if d <= 0.0:
        return 0.0, 0.0
    force = (p[0]["stiffness"] + p[0]["stiffness_growth"] * d) * d
    slope = p[0]["stiffness"] + 2.0 * p[0]["stiffness_growth"] * d
    rim = d - (p[0]["radius"] - p[0]["bottoming_radius"])
    if rim > 0.0:
        force += p[0]["bottoming_stiffness"] * rim
        slope += p[0]["bottoming_stiffness"]
    return min(max(force + radial_damping(p, d) * rate, 0.0), p[0]["strength"]), slope


@inline
def radial_damping(p, deflection):
    """Radial damping [N s/m] in force at a deflection."""
    x = min(max(deflection / 0.004, 0.0), 1.0)
    return p[0]["damping"] * x * x * (3.0 - 2.0 * x)
