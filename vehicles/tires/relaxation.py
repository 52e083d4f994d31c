"""Relaxation and standstill of tread laws that give forces over slip (Magic Formula, Fiala, measured table): the carcass between rim and patch.

The patch is u ahead of the rim, along and across, and the wheel slides over the ground with v_s = (v_x - R_e spin, v_y):

    u' = -v_s - V s,    s = u / sigma,    slip of the law = s - d v_s          [Pacejka 2012, sections 7.2 and 8.6]

sigma are the relaxation lengths and V = |V_x| while rolling, so that the slip goes to -v_s / |V_x|, exactly and at every speed from V_SLOW on.
A step solves this exactly for the v_s of the wheel, e^(-V h / sigma); nothing is divided by a speed, and at rest u is a spring of stiffness
K / sigma. `differs`, so that a parked vehicle neither creeps, winds up nor is shaken down a slope:

- V is the way of the *rolling* wheel below V_SLOW: a locked wheel that rocks carries no fresh tread into its patch;
- below V_LOW u is at most what the peak of the law takes, or the slip of the rim over max(|V_x|, V_SLOW) where that is more: a wheel that
  slides comes to rest at the peak, not behind it;
- at rest the carcass gives way as far as its force says and no further: s = u / sigma / (1 - b q), q the share of the peak's deflection, so
  that the force is about K u / sigma up to the peak. With u / sigma alone a car that has stopped with locked wheels would be thrown
  back by all the way that its patches slid. b fades out until V_LINEAR;
- the damper d, which stands for that of rubber and carcass, fades out until V_LOW; it damps the mass on the tire by DAMPING [assumed].
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.errors import ConfigError
from simulator.base.jit import inline
from simulator.base.records import join
from vehicles.tires.bore_torque import gough_moment, turned
from vehicles.tires.contract import FORCES, REST

V_SLOW = 0.2
"""m/s. Below, a wheel counts as standing, and slips are taken over this speed. As V_BREAK of TMeasy. Larger: softer break-away."""

V_LINEAR = 1.0
"""m/s. Speed from which u is sigma times the slip, as the linear equations of relaxation have it."""

V_LOW = 2.5
"""m/s. Speed at which the damper of standstill is gone [Pacejka 2012, section 8.6], and the bound of the deflections."""

FAR = 200.0
"""Deflections over that of the peak beyond which none comes: the bound fades out with so many of them."""

V_TRAIL = 0.5
"""m/s. Speed from which moments that turn with the direction of travel are those of the law; at rest there are none."""

DAMPING = 0.2
"""Damping ratio of the load on the carcass at rest [assumed]."""

FORGET = 0.02
"""s. Time in which a tread in the air goes back to the rim."""

CONTACT_LEAST, MOMENT_LEAST = 0.01, 1e-3
"""m, N m. Least length of the contact in the twist, and least of its largest moments."""

SLIP_LEAST, SLIP_MOST = 0.01, 2.0
"""Bounds of the slip at the peak, whatever a file says."""


@inline
def relaxed(u, slide, V, sigma, h):
    """Deflection after h seconds: the exact solution of u' = -slide - V u / sigma."""
    x = V * h / sigma
    decay = math.exp(-x)
    share = h * (1.0 - decay) / x if x > 1e-6 else h * (1.0 - 0.5 * x)
    return u * decay - slide * share


@inline
def length(x, y):
    """sqrt(x^2 + y^2)"""
    return math.sqrt(x * x + y * y)


@inline
def rolled(v_x, tread):
    """V [m/s]: speed with which the tread runs through the patch."""
    speed = abs(v_x)
    slow = min(speed / V_SLOW, 1.0)
    return min(speed, abs(tread) + speed * slow * slow)


@inline
def damper(K, sigma, load, v_x):
    """d [s/m]"""
    speed = abs(v_x)
    if speed >= V_LOW:
        return 0.0
    fade = 0.5 * (1.0 + math.cos(math.pi * speed / V_LOW))
    return fade * 2.0 * DAMPING * math.sqrt(load / STANDARD_GRAVITY / (K * sigma))


@inline
def yielding(v_x, steepness):
    """b: how much less the carcass gives way at the peak than its relaxation length times the slip there; see `settle`."""
    fade = max(1.0 - abs(v_x) / V_LINEAR, 0.0)
    more = fade * fade * max(steepness - 1.0, 0.0)
    return more / (1.0 + more)


@inline
def settle(u, k, r, h, lengths, peaks, stiffness, steepness):
    """Slip (kappa, -tan alpha) of the patch of one wheel, + = pushes forward and left; the rates of u into its result.

    Parameters
    ----------
    u : numbers of the state, u along and across [m]
    k, r : records of SEEN and RESULT; the wheel is on the ground
    h : s
    lengths, peaks, stiffness : along and across: relaxation lengths [m], slips at the largest force, forces over slip [N]
    steepness : along and across: force over slip times the slip at the peak, over the force there
    """
    v_x, tread = k["v_x"], k["effective_radius"] * k["spin"]
    s_x, s_y = lengths
    slide_x, slide_y = v_x - tread, k["v_y"]
    V = rolled(v_x, tread)
    most_x = min(max(peaks[0], SLIP_LEAST), SLIP_MOST)
    most_y = min(max(peaks[1], SLIP_LEAST), SLIP_MOST)
    b_x, b_y = yielding(v_x, steepness[0]), yielding(v_x, steepness[1])
    # deflections that carry the peak
    full_x, full_y = s_x * most_x * (1.0 - b_x), s_y * most_y * (1.0 - b_y)
    q = min(length(u[0] / full_x, u[1] / full_y), 1.0)
    x, y = u[0], u[1]
    if h > 0.0:
        x, y = relaxed(x, slide_x, V, s_x * (1.0 - b_x * q), h), relaxed(y, slide_y, V, s_y * (1.0 - b_y * q), h)
        over = 1.0 / max(abs(v_x), V_SLOW)
        limit = max(length(over * slide_x / most_x, over * slide_y / most_y), 1.0)
        q = length(x / full_x, y / full_y)
        fast = max(abs(v_x) - V_LINEAR, 0.0) / (V_LOW - V_LINEAR)
        limit += FAR * fast * fast
        if q > limit and fast < 1.0:
            x, y = x * limit / q, y * limit / q
        q = min(q, 1.0)
        r["rate"][0], r["rate"][1] = (x - u[0]) / h, (y - u[1]) / h
    slip_x, slip_y = x / (s_x * (1.0 - b_x * q)), y / (s_y * (1.0 - b_y * q))
    if h <= 0.0:
        r["rate"][0], r["rate"][1] = -slide_x - V * slip_x, -slide_y - V * slip_y
    slip_x -= damper(stiffness[0], s_x, k["load"], v_x) * slide_x
    slip_y -= damper(stiffness[1], s_y, k["load"], v_x) * slide_y
    r["slip"][0], r["slip"][1] = slip_x, slip_y
    return slip_x, slip_y


@inline
def travels(v_x):
    """-1 .. 1: direction of travel, for moments that turn with it; smooth through zero and exact from V_TRAIL on."""
    x = min(max(v_x / V_TRAIL, -1.0), 1.0)
    return x * (1.5 - 0.5 * x * x)


@inline
def presses(u, k, r, h):
    """Whether the forces of a wheel on the ground are asked for. Whatever else is, is done here: the state of a patch that is held (HELD) or that
    nothing has touched yet (REST), and the result of a wheel in the air.

    u : numbers of the state; k, r : records of SEEN and RESULT; h : s
    """
    if k["task"] != FORCES:
        rests = k["task"] == REST
        u[0], u[1], u[2] = 0.0 if rests else k["held"][0], 0.0 if rests else k["held"][1], 0.0
        return False
    if k["load"] > 0.0:
        return True
    for j in range(2):
        r["F"][j], r["slip"][j] = 0.0, 0.0
    for j in range(3):
        r["rate"][j] = -u[j] / (h + FORGET)
    r["M_x"], r["M_y"], r["M_z"] = 0.0, 0.0, 0.0
    return False


@inline
def twist(u, k, r, h, stiffness, peak, pressure):
    """Moment [N m] of a wheel that is turned where it stands (`turning`), and the rate of its twist into the result.

    Parameters
    ----------
    stiffness, peak, pressure : k [N m], 0 for none; largest lateral force [N]; inflation pressure [Pa]
    """
    if stiffness <= 0.0 or pressure <= 0.0:
        r["rate"][2] = -u[2] / (h + FORGET)
        return 0.0
    most = max(gough_moment(peak / k["load"], k["load"], pressure), MOMENT_LEAST)
    tread = k["effective_radius"] * k["spin"]
    passing = abs(tread) + length(k["v_x"] - tread, k["v_y"]), max(k["contact_length"], CONTACT_LEAST)
    r["rate"][2], moment = turned(u[2], k["turn_rate"], stiffness, most, passing, h)
    return moment


STATE = (
    ("u", (2,), "m", "how far the patch is ahead of the rim, along and across"),
    ("twist", (), "rad", "how far the patch is turned against the rim"),
)


def check_turning(mapping: Mapping[str, Any], file: object, key: str) -> None:
    """Raises ConfigError: a tire file says a stiffness of turning and no pressure."""
    if mapping.get("turn_stiffness") and mapping.get("pressure") is None:
        raise ConfigError(file, join(key, "turn_stiffness"), mapping["turn_stiffness"], "beside it the pressure that bounds the moment")
