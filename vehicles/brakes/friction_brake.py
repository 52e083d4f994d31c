"""Wheel brakes that hold: an elastic, damped link between wheel and carrier in series with dry friction of a known limit.

The link (angle g, stiffness k, damping c) carries B = k g + c g' up to the limit L(pedal); beyond it the friction element slides:

    |B| < L:  g' = spin - carrier spin          |B| = L:  the rest of that speed is sliding, against B

A load below the limit is therefore held by a finite angle at zero speed for ever, without a velocity threshold. This is the
Prandtl element with the return mapping of plasticity [Simo and Hughes 1998, Computational Inelasticity, sec. 1.4], the link being a
Kelvin-Voigt element. A step of h is implicit in the speed, so the stiffness asks for no short step and the energy stored never grows
by itself. When the pedal is released the limit falls and the angle relaxes with the time constant c / k.
"""

from __future__ import annotations

from typing import Any

from simulator.base.jit import inline
from simulator.base.records import Record
from simulator.base.section import Section
from vehicles.axles import AXLES, STANDING, USUAL_AXLES, Axles, record_for, sized_for
from vehicles.sides import axle_of

BRAKE_FILE = (
    # name              shape  unit          what it is
    ("max_torque", (AXLES,), "N m", "limit per wheel at full pedal, of each axle from the front"),
    ("parking_torque", (AXLES,), "N m", "limit per wheel at full parking brake, likewise"),
    ("stiffness", (), "N m/rad", "of the link between wheel and carrier"),
    ("damping", (), "N m s/rad", "of the same link"),
)

BRAKES = (*STANDING, *BRAKE_FILE)

RANGES = {
    "max_torque": (0.0, 1e6),
    "parking_torque": (0.0, 1e6),
    "stiffness": (1e2, 1e9),
    "damping": (0.0, 1e7),
}
"""What a brake can be, in SI units: beyond is a slip of the pen."""


@inline
def brake_limit(b, wheel, command):
    """Friction limit [N m] at a wheel: pedal and parking brake press on the same disc, the larger counts."""
    axle = axle_of(b, wheel)
    return max(command[0]["brake"] * b[0]["max_torque"][axle], command[0]["parking_brake"] * b[0]["parking_torque"][axle])


@inline
def brake_slope(b, h):
    """d(brake torque) / d(speed at the end of the step) [N m s/rad] while the friction element does not slide."""
    return b[0]["stiffness"] * h + b[0]["damping"]


@inline
def brake_deflection(b, deflection, torque, h):
    """Angle of the link [rad] after a step of h at whose end it carries `torque`: k g1 + c (g1 - g) / h = torque."""
    return (torque * h + b[0]["damping"] * deflection) / brake_slope(b, h)


def brakes_from_mapping(mapping: Any, file: object, key: str = "brakes", axles: Axles = USUAL_AXLES) -> Record:
    """Record BRAKES from the `brakes` section of the drivetrain file of a vehicle with these axles.

    Raises
    ------
    ConfigError : a key is unknown or missing, a torque or the damping is negative, the stiffness is not positive
    """
    read = Section(mapping, file, key).record(sized_for(BRAKE_FILE, axles.size), RANGES)
    out = record_for(BRAKES, axles.size)
    axles.write(out)
    for name in read.dtype.names or ():
        out[0][name] = read[0][name]
    return out
