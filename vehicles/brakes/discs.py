"""Discs: torque of the pads, heat, and the effect of temperature on friction.

Two pads with the friction mu press on a disc with p A at the effective radius r. The disc turns n times as fast as its wheel, so the torque
about the wheel's axle is

    L = 2 mu p A r n                                                    [Limpert 2011, Brake Design and Safety, ch. 2]

A disc is one lumped heat capacity. It absorbs the power of the brake, and air cools it, more at speed:

    C T' = B (spin - spin of the body that carries the brake) - (cooling + cooling_by_speed v) T        T: above the surroundings

differs: the elastic energy of the link counts as heat until it is released, a few joules of a megajoule.
"""

from __future__ import annotations

from simulator.base.algebra.piecewise_linear import cell
from simulator.base.jit import inline
from vehicles.axle_layout import AXLES
from vehicles.corner_layout import axle_of

DISCS = (
    # name             shape  unit  what it is
    ("pad_friction", (), "1", "friction of the pads at the temperature of the surroundings"),
    ("piston_area", (AXLES,), "m2", "piston area on one side of a disc, of each axle from the front"),
    ("effective_radius", (AXLES,), "m", "radius at which the pad force acts"),
)
DISC_RANGES = {
    "pad_friction": (0.01, 2.0),
    "piston_area": (1e-6, 0.1),
    "effective_radius": (1e-3, 2.0),
}

POINTS = 8
"""Largest number of points of the friction curve."""

HEAT = (
    # name              shape  unit      what it is
    ("heat_capacity", (AXLES,), "J/K", "heat capacity of one disc, of each axle from the front"),
    ("cooling", (AXLES,), "W/K", "heat loss of a disc at rest"),
    ("cooling_by_speed", (AXLES,), "W s/(K m)", "additional heat loss per speed of the vehicle"),
    ("surroundings", (), "degC", "temperature of the surroundings and initial temperature of the brakes"),
)
HEAT_RANGES = {
    "heat_capacity": (1.0, 1e7),
    "cooling": (0.0, 1e5),
    "cooling_by_speed": (0.0, 1e5),
    "surroundings": (-100.0, 100.0),
}

FADE = (
    # name              shape      unit    what it is
    ("fade_points", (), "1", "number of points of the friction curve; 0: discs have no temperature", "i8"),
    ("fade_temperature", (POINTS,), "degC", "temperatures of a disc, rising"),
    ("fade_factor", (POINTS,), "1", "friction at these temperatures over pad_friction"),
)


@inline
def friction_factor(b, s, i):
    """Return the friction of the pads of wheel i over that at the temperature of the surroundings."""
    q = b[0]
    k, fraction, _ = cell(q["fade_temperature"], q["fade_points"], q["surroundings"] + s[0]["heat"][i])
    return q["fade_factor"][k] + fraction * (q["fade_factor"][k + 1] - q["fade_factor"][k])


@inline
def heat_discs(b, s, spin, torque, speed, h):
    """Advance the disc temperatures by h seconds.

    torque : (wheels,) of the brakes [N m], spin : (wheels,) at the end of the step [rad/s]
    """
    for i in range(len(spin)):
        axle = axle_of(b, i)
        capacity, power = b[0]["heat_capacity"][axle], torque[i] * (spin[i] - s[0]["reference_spin"][i])
        heat_loss = b[0]["cooling"][axle] + b[0]["cooling_by_speed"][axle] * speed
        s[0]["heat"][i] = (capacity * s[0]["heat"][i] + h * power) / (capacity + h * heat_loss)
