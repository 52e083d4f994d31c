"""Intensity: a knob that scales what a washout is asked to show, turned while driving.

    f = felt + (k - 1) (felt - (0, 0, g)),   w = k w_felt

with the specific force and rate that the rider is to feel, the gravity g of the vehicle's world and the intensity k, times the share that the legs can
(`washout.workspace_management`). So at 1 nothing changes, not
a bit, and at 0 the platform washes out to neutral. Because k acts before the washout, all limits of the washout (tilt rate, force) stay what they
are, and whatever k does comes out filtered. k follows the knob like a critically damped third-order system (`procedure.ease`).
"""

from __future__ import annotations

import math

from simulator.base.jit import kernel
from washout.platform_state_machine import SETTLED, ease

MOST = 2.0
"""1. More is asked of no platform: the gains of a washout file are the place for that."""

TURN = 1.0
"""s in which the intensity has gone 99 % of the way to where the knob was turned."""

INTENSITY = (
    # name                     shape  unit   what it is
    ("intensity_wanted", (), "1", "where the knob is"),
    ("intensity", (), "1", "scale of what the washout is asked to show"),
    ("intensity_rate", (), "1/s", "its rate"),
    ("intensity_acceleration", (), "1/s2", "and the rate of that"),
    ("cue_force", (3,), "m/s2", "felt_force with its difference from rest scaled: what the washout is asked to show"),
    ("cue_rate", (3,), "rad/s", "felt_rate scaled"),
)


@kernel
def scale_input(p, s, h):
    """One tick of the intensity, and what the washout is asked to show; `p` with gravity, `s` with INTENSITY, BUDGET and PROCEDURE, h [s]."""
    q, w = s[0], SETTLED / TURN
    q["intensity"], q["intensity_rate"], q["intensity_acceleration"] = ease(
        q["intensity"], q["intensity_rate"], q["intensity_acceleration"], q["intensity_wanted"], w, h, math.exp(-w * h)
    )
    more = q["intensity"] * q["cueing_budget"] - 1.0
    for j in range(3):
        rest = p[0]["gravity"] if j == 2 else 0.0
        q["cue_force"][j] = q["felt_force"][j] + more * (q["felt_force"][j] - rest)
        q["cue_rate"][j] = q["felt_rate"][j] + more * q["felt_rate"][j]
