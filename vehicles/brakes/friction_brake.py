"""Wheel brakes with static friction: an elastic, damped link between wheel and carrier in series with dry friction of a known limit.

The link (angle g, stiffness k, damping c) carries B = k g + c g' up to the limit L; beyond it the friction element slides:

    |B| < L:  g' = spin - carrier spin          |B| = L:  the rest of that speed is sliding, against B

A finite angle at zero speed thus holds a load below the limit permanently, without a velocity threshold. This is the Prandtl element
with the return mapping of plasticity [Simo and Hughes 1998, Computational Inelasticity, sec. 1.4], with a Kelvin-Voigt element as link.
A step of h is implicit in the speed, so the stiffness does not limit the step, and the stored energy never grows by itself. When the
pedal is released, the limit falls and the angle relaxes with the time constant c / k.
"""

from __future__ import annotations

from simulator.base.jit import inline

LINK = (
    # name              shape  unit          what it is
    ("stiffness", (), "N m/rad", "stiffness of the link between wheel and brake mounting, referred to the wheel"),
    ("damping", (), "N m s/rad", "damping of the link between wheel and brake mounting, referred to the wheel"),
)

LINK_RANGES = {"stiffness": (1e2, 1e9), "damping": (0.0, 1e7)}
"""Plausible ranges of a link in SI units; other numbers are typos."""


@inline
def brake_slope(b, h):
    """Return d(brake torque) / d(speed at the end of the step) [N m s/rad] while the friction element does not slide."""
    return b[0]["stiffness"] * h + b[0]["damping"]


@inline
def brake_deflection(b, deflection, torque, h):
    """Return the angle of the link [rad] after a step of h at whose end it carries `torque`: k g1 + c (g1 - g) / h = torque."""
    return (torque * h + b[0]["damping"] * deflection) / brake_slope(b, h)
