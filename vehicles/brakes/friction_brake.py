"""Wheel brakes that hold: an elastic, damped link between wheel and carrier in series with dry friction of a known limit.

The link (angle g, stiffness k, damping c) carries B = k g + c g' up to the limit L; beyond it the friction element slides:

    |B| < L:  g' = spin - carrier spin          |B| = L:  the rest of that speed is sliding, against B

A load below the limit is therefore held by a finite angle at zero speed for ever, without a velocity threshold. This is the
Prandtl element with the return mapping of plasticity [Simo and Hughes 1998, Computational Inelasticity, sec. 1.4], the link being a
Kelvin-Voigt element. A step of h is implicit in the speed, so the stiffness asks for no short step and the energy stored never grows
by itself. When the pedal is released the limit falls and the angle relaxes with the time constant c / k.
"""

from __future__ import annotations

from simulator.base.jit import inline

LINK = (
    # name              shape  unit          what it is
    ("stiffness", (), "N m/rad", "of the link between wheel and what the brake sits on, as the wheel feels it"),
    ("damping", (), "N m s/rad", "of the same link"),
)

LINK_RANGES = {"stiffness": (1e2, 1e9), "damping": (0.0, 1e7)}
"""What a link can be, in SI units: beyond is a slip of the pen."""


@inline
def brake_slope(b, h):
    """d(brake torque) / d(speed at the end of the step) [N m s/rad] while the friction element does not slide."""
    return b[0]["stiffness"] * h + b[0]["damping"]


@inline
def brake_deflection(b, deflection, torque, h):
    """Angle of the link [rad] after a step of h at whose end it carries `torque`: k g1 + c (g1 - g) / h = torque."""
    return (torque * h + b[0]["damping"] * deflection) / brake_slope(b, h)
