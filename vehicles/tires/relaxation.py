"""Relaxation and standstill of tire models that give forces over slip (Magic Formula, Fiala, measured table): the carcass between rim and
patch.

The patch is u ahead of the rim, along and across, and the wheel slides over the ground with v_s = (v_x - R_e spin, v_y):

    u' = -v_s - V s,    s = u / sigma,    slip of the model = s - d v_s          [Pacejka 2012, sections 7.2 and 8.6]

sigma are the relaxation lengths and V = |V_x| while rolling, so that the slip tends to -v_s / |V_x|, exactly and at every speed above
V_SLOW. A step solves this exactly for the v_s of the wheel, e^(-V h / sigma). No term is divided by a speed, and at rest u is a spring of
stiffness K / sigma. `differs`, so that a parked vehicle neither creeps nor winds up, and does not slide down a slope when shaken:

- below V_SLOW, V is the speed of the *rolling* wheel: a locked wheel that rocks brings no fresh tread into its patch;
- below V_LOW u is limited to the deflection at the peak of the model, or to the slip of the rim over max(|V_x|, V_SLOW) if that is larger:
  a sliding wheel comes to rest at the peak, not beyond it;
- at rest the carcass deflects only as far as its force requires: s = u / sigma / (1 - b q), with q the ratio to the deflection at the peak,
  so that the force is about K u / sigma up to the peak. With u / sigma alone, a car that has stopped with locked wheels would be pushed
  back by the full sliding distance of its patches. b fades out up to V_LINEAR;
- the damper d, which models the damping of rubber and carcass, fades out up to V_LOW; it damps the mass on the tire by DAMPING [assumed].
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
"""m/s. Speed below which a wheel counts as stationary, and minimum divisor of the slips. As V_BREAK of TMeasy. Larger: softer
break-away."""

V_LINEAR = 1.0
"""m/s. Speed above which u is sigma times the slip, as in the linear equations of relaxation."""

V_LOW = 2.5
"""m/s. Speed above which the standstill damper is zero [Pacejka 2012, section 8.6], and the deflections are not limited."""

FAR = 200.0
"""Maximum deflection over that of the peak: the limit of the deflections fades out to this value."""

V_TRAIL = 0.5
"""m/s. Speed above which moments that depend on the direction of travel are those of the model; at rest they are zero."""

DAMPING = 0.2
"""Damping ratio of the load on the carcass at rest [assumed]."""

RECOVERY_TIME = 0.02
"""s. Time constant in which a tread in the air returns to the rim."""

CONTACT_MIN, MOMENT_MIN = 0.01, 1e-3
"""m, N m. Minimum contact length in the twist, and minimum of its maximum moment."""

SLIP_MIN, SLIP_MAX = 0.01, 2.0
"""Limits of the slip at the peak, for any tire file."""


@inline
def relaxed(u, slide, V, sigma, h):
    """Return the deflection after h seconds: the exact solution of u' = -slide - V u / sigma."""
    x = V * h / sigma
    decay = math.exp(-x)
    weight = h * (1.0 - decay) / x if x > 1e-6 else h * (1.0 - 0.5 * x)
    return u * decay - slide * weight


@inline
def length(x, y):
    """sqrt(x^2 + y^2)"""
    return math.sqrt(x * x + y * y)


@inline
def rolled(v_x, tread):
    """Return V [m/s], the speed at which the tread runs through the patch."""
    speed = abs(v_x)
    slow = min(speed / V_SLOW, 1.0)
    return min(speed, abs(tread) + speed * slow * slow)


@inline
def damper(K, sigma, load, v_x):
    """Return the damper coefficient d [s/m]."""
    speed = abs(v_x)
    if speed >= V_LOW:
        return 0.0
    fade = 0.5 * (1.0 + math.cos(math.pi * speed / V_LOW))
    return fade * 2.0 * DAMPING * math.sqrt(load / STANDARD_GRAVITY / (K * sigma))


@inline
def stiffening(v_x, steepness):
    """Return b, the relative reduction of the carcass deflection at the peak against relaxation length times slip; see `settle`."""
    fade = max(1.0 - abs(v_x) / V_LINEAR, 0.0)
    more = fade * fade * max(steepness - 1.0, 0.0)
    return more / (1.0 + more)


@inline
def settle(u, k, r, h, lengths, peaks, stiffness, steepness):
    """Return the slip (kappa, -tan alpha) of the patch of one wheel, + = pushes forward and left; write the rates of u into its result.

    Parameters
    ----------
    u : numbers of the state, u along and across [m]
    k, r : records of TIRE_INPUT and TIRE_OUTPUT; the wheel is on the ground
    h : s
    lengths, peaks, stiffness : along and across: relaxation lengths [m], slips at the maximum force, forces over slip [N]
    steepness : along and across: force over slip times the slip at the peak, over the force there
    """
    v_x, tread = k["v_x"], k["effective_radius"] * k["spin"]
    s_x, s_y = lengths
    slide_x, slide_y = v_x - tread, k["v_y"]
    V = rolled(v_x, tread)
    peak_x = min(max(peaks[0], SLIP_MIN), SLIP_MAX)
    peak_y = min(max(peaks[1], SLIP_MIN), SLIP_MAX)
    b_x, b_y = stiffening(v_x, steepness[0]), stiffening(v_x, steepness[1])
    # deflections at the peak
    full_x, full_y = s_x * peak_x * (1.0 - b_x), s_y * peak_y * (1.0 - b_y)
    q = min(length(u[0] / full_x, u[1] / full_y), 1.0)
    x, y = u[0], u[1]
    if h > 0.0:
        x, y = relaxed(x, slide_x, V, s_x * (1.0 - b_x * q), h), relaxed(y, slide_y, V, s_y * (1.0 - b_y * q), h)
        over = 1.0 / max(abs(v_x), V_SLOW)
        limit = max(length(over * slide_x / peak_x, over * slide_y / peak_y), 1.0)
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
    """Return the direction of travel, -1 .. 1, for moments that depend on it; smooth through zero and exact above V_TRAIL."""
    x = min(max(v_x / V_TRAIL, -1.0), 1.0)
    return x * (1.5 - 0.5 * x * x)


@inline
def needs_forces(u, k, r, h):
    """Return True if the caller must compute forces of a wheel on the ground. All other tasks are completed here: the state of a fixed
    patch (HELD) or of a tread that has not touched the ground yet (REST), and the result of a wheel in the air.

    u : numbers of the state; k, r : records of TIRE_INPUT and TIRE_OUTPUT; h : s
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
        r["rate"][j] = -u[j] / (h + RECOVERY_TIME)
    r["M_x"], r["M_y"], r["M_z"] = 0.0, 0.0, 0.0
    return False


@inline
def twist(u, k, r, h, stiffness, peak, pressure):
    """Return the moment [N m] of a wheel that turns at standstill (`bore_torque`), and write the rate of its twist into the result.

    Parameters
    ----------
    stiffness, peak, pressure : k [N m], 0 for none; maximum lateral force [N]; inflation pressure [Pa]
    """
    if stiffness <= 0.0 or pressure <= 0.0:
        r["rate"][2] = -u[2] / (h + RECOVERY_TIME)
        return 0.0
    most = max(gough_moment(peak / k["load"], k["load"], pressure), MOMENT_MIN)
    tread = k["effective_radius"] * k["spin"]
    passing = abs(tread) + length(k["v_x"] - tread, k["v_y"]), max(k["contact_length"], CONTACT_MIN)
    r["rate"][2], moment = turned(u[2], k["turn_rate"], stiffness, most, passing, h)
    return moment


STATE = (
    ("u", (2,), "m", "displacement of the patch ahead of the rim, along and across"),
    ("twist", (), "rad", "turn angle of the patch against the rim"),
)


def check_turning(mapping: Mapping[str, Any], file: object, key: str) -> None:
    """Raises ConfigError if a tire file has a turn stiffness but no pressure."""
    if mapping.get("turn_stiffness") and mapping.get("pressure") is None:
        raise ConfigError(file, join(key, "turn_stiffness"), mapping["turn_stiffness"], "a key pressure, too, which limits the moment")
