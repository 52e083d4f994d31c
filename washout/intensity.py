"""Intensity: an adjustable scale of the washout input, changed while driving.

    f = felt + (k - 1) (felt - (0, 0, g)),   w = k w_felt

with the specific force and rate at the driver's head, the gravity g of the world of the vehicle, and the intensity k, multiplied by the scale of the
workspace management (`washout.workspace_management`). At 1 the input is unchanged to the last bit; at 0 the platform washes out to neutral. k acts before
the washout. All limits of the washout (tilt rate, force) stay in effect, and changes of k are filtered. k follows its target value like a critically
damped third-order system (`platform_state_machine.ease`).
"""

from __future__ import annotations

import math

from simulator.base.jit import kernel
from washout.platform_state_machine import SETTLED, ease

MOST = 2.0
"""1. Maximum of the intensity, the scale of the washout input; larger scales belong in the gains of a washout file."""

TURN = 1.0
"""s. Time in which the intensity completes 99 % of a change."""

INTENSITY = (
    # name                     shape  unit   description
    ("intensity_wanted", (), "1", "target value of the intensity"),
    ("intensity", (), "1", "scale of the washout input"),
    ("intensity_rate", (), "1/s", "rate of the intensity"),
    ("intensity_acceleration", (), "1/s2", "second derivative of the intensity"),
    ("cue_force", (3,), "m/s2", "washout input: felt_force with its difference from rest scaled, without edges"),
    ("cue_rate", (3,), "rad/s", "washout input: felt_rate scaled"),
)


@kernel
def scale_input(p, s, h):
    """Advance the intensity by one tick; compute the rate and return the force (three numbers) for the washout.

    `p` with gravity, `s` with INTENSITY, BUDGET and PROCEDURE, h [s].
    """
    q, w = s[0], SETTLED / TURN
    q["intensity"], q["intensity_rate"], q["intensity_acceleration"] = ease(
        q["intensity"], q["intensity_rate"], q["intensity_acceleration"], q["intensity_wanted"], w, h, math.exp(-w * h)
    )
    more = q["intensity"] * q["cueing_budget"] - 1.0
    for j in range(3):
        q["cue_rate"][j] = q["felt_rate"][j] + more * q["felt_rate"][j]
    f = q["felt_force"]
    return f[0] + more * f[0], f[1] + more * f[1], f[2] + more * (f[2] - p[0]["gravity"])
