"""Measured tire model: tables of lateral force and aligning moment over load, camber and slip angle, and of longitudinal force over load
and slip.

[Deyo 1989, section 3.3.3.6]: forces and moments as measured functions of
normal force, slip angle and camber. The interpolation over slip is a cubic with the slopes of a monotone curve [Fritsch and Butland 1984],
so that no force overshoots the measurements. The interpolation over loads and cambers is linear. Outside the table the last value applies;
below the first load, forces decrease to zero with the load.

Combined slip is not measured. It is computed by similarity [Pacejka 2012, section 4.3.1]: with a = kappa / kappa_peak, b = alpha /
alpha_peak and s = |(a, b)|, each force is that of its own curve at the slip s, times its fraction of the direction. The table values at
zero slip angle (ply steer, conicity, camber thrust) fade with 1 / (1 + a^2), those at zero slip with 1 / (1 + b^2) [assumed].
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.algebra.piecewise_linear import cell
from simulator.base.callbacks import callback, records_at
from simulator.base.errors import ConfigError
from simulator.base.fields import Choice, Field, Fields, Number
from simulator.base.jit import inline, kernel
from simulator.base.records import Record, dtype_of, join, record
from vehicles.tires.contract import CONTRACT, LAYOUT, TIRE_INPUT, TIRE_OUTPUT, TREAD_STATE, TireModelKind
from vehicles.tires.relaxation import STATE, check_turning, needs_forces, settle, travels, twist

LOADS, CAMBERS, ANGLES, SLIPS = 6, 5, 31, 31
"""Maximum number of points of each axis."""

MEASURED = (
    # name        shape                     unit   what it is
    ("counts", (4,), "1", "points in use: loads, cambers, slip angles, slips", "i8"),
    ("mirrored", (), "1", "1: measured on a tire of the right side", "i8"),
    ("loads", (LOADS,), "N", "loads"),
    ("cambers", (CAMBERS,), "rad", "cambers"),
    ("slip_angles", (ANGLES,), "rad", "slip angles"),
    ("slips", (SLIPS,), "1", "longitudinal slips"),
    ("F_y", (LOADS, CAMBERS, ANGLES), "N", "lateral force"),
    ("M_z", (LOADS, CAMBERS, ANGLES), "N m", "aligning moment"),
    ("F_x", (LOADS, SLIPS), "N", "longitudinal force"),
    ("peaks", (LOADS, 2), "1", "slip and slip angle at the largest force"),
    ("slopes", (LOADS, 2), "N", "maximum slope of the forces over slip and slip angle"),
    ("steepness", (2,), "1", "slope times slip at the peak over the force there, along and across; mean of the loads"),
    ("relaxation", (2,), "m", "relaxation lengths, along and across"),
    ("turn_stiffness", (), "N m", "moment over angle of a wheel that turns at standstill; 0: none"),
    ("pressure", (), "Pa", "inflation pressure, which limits the moment at standstill"),
)
P, S, I, O = dtype_of(MEASURED), dtype_of(TREAD_STATE), dtype_of(TIRE_INPUT), dtype_of(TIRE_OUTPUT)

FRICTION_MIN = 0.01

OFFSET_MAX = 0.25
"""Maximum force at zero slip over the largest force. Ply steer and conicity give a tenth [std]; more indicates slips in the wrong place."""

SLOPE_MAX = 1e3
"""Maximum slope of a force over slip or slip angle [rad], per load: 10 to 60 are usual. More indicates a wrong unit of the slips."""

SIDES = ("left", "right")

_FORCE, _MOMENT = (-1e6, 1e6), (-1e5, 1e5)
_TABLE = ((2, LOADS), (1, CAMBERS), (3, ANGLES))

FIELDS: Fields = (
    Field("loads", Number("N", 1.0, 1e6, shape=((2, LOADS),), rising=True), "loads of the table"),
    Field("cambers", Number("rad", -1.0, 1.0, shape=((1, CAMBERS),), rising=True), "cambers of the table, + = top to the right"),
    Field("slip_angles", Number("rad", -1.5, 1.5, shape=((3, ANGLES),), rising=True), "slip angles of the table, + = sliding to the left"),
    Field("slips", Number("1", -2.0, 2.0, shape=((3, SLIPS),), rising=True), "longitudinal slips of the table, + = driving"),
    Field("F_y", Number("N", *_FORCE, shape=_TABLE), "lateral force: per load, per camber, over the slip angles"),
    Field("M_z", Number("N m", *_MOMENT, shape=_TABLE), "aligning moment, in the order of F_y; default: none", None),
    Field("F_x", Number("N", *_FORCE, shape=((2, LOADS), (3, SLIPS))), "longitudinal force: per load, over the slips"),
    Field("relaxation", Number("m", 0.02, 10.0, shape=(2,)), "relaxation lengths, along and across"),
    Field("turn_stiffness", Number("N m", 0.0, 1e6), "moment over angle of a wheel that turns at standstill; default: none", None),
    Field("pressure", Number("Pa", 1e3, 5e6), "inflation pressure, which limits the moment at standstill", None),
    Field("measured_side", Choice(SIDES), "side of the vehicle of the measured tire; on the opposite side the tire is mirrored", SIDES[0]),
)


def complete(values: Mapping[str, Any], file: object, key: str, _folders: Sequence[Path]) -> tuple[dict[str, Any], Record]:
    """Return the values of a tire file and a record of MEASURED.

    Raises
    ------
    ConfigError : the number of points of a table differs from its axes, the table does not include zero slip, or its forces do not resist
        the slip
    """
    out = record(MEASURED)
    p = out[0]
    counts = [len(values[name]) for name in ("loads", "cambers", "slip_angles", "slips")]
    n, c, a, s = counts
    for name, shape in (("F_y", (n, c, a)), ("M_z", (n, c, a)), ("F_x", (n, s))):
        if values.get(name) is not None and values[name].shape != shape:
            raise ConfigError(file, join(key, name), f"{values[name].shape}", f"{shape} numbers, one per point of the axes")
    for name in ("slip_angles", "slips"):
        if not values[name][0] < 0.0 < values[name][-1]:
            raise ConfigError(file, join(key, name), values[name].tolist(), "points on both sides of 0")
    p["counts"], p["mirrored"] = counts, values["measured_side"] == SIDES[1]
    p["loads"][:n], p["cambers"][:c], p["slip_angles"][:a], p["slips"][:s] = (
        values[name] for name in ("loads", "cambers", "slip_angles", "slips")
    )
    p["F_y"][:n, :c, :a], p["F_x"][:n, :s], p["relaxation"] = values["F_y"], values["F_x"], values["relaxation"]
    if values.get("M_z") is not None:
        p["M_z"][:n, :c, :a] = values["M_z"]
    upright = int(np.argmin(np.abs(values["cambers"])))
    for i in range(n):
        for j, (name, x, y) in enumerate(
            (("F_x", values["slips"], values["F_x"][i]), ("F_y", values["slip_angles"], -values["F_y"][i, upright]))
        ):
            beyond = x > 0.0
            p["peaks"][i, j] = x[beyond][int(np.argmax(y[beyond]))]
            slope = float((np.diff(y) / np.diff(x)).max())
            _check_curve(x, y, slope, float(values["loads"][i]), (file, join(key, f"{name}[{i}]")))
            p["slopes"][i, j] = slope
            p["steepness"][j] += slope * p["peaks"][i, j] / max(float(y[beyond].max()), slope * 1e-6) / n
    check_turning(values, file, key)
    p["turn_stiffness"], p["pressure"] = values.get("turn_stiffness", 0.0), values.get("pressure", 0.0)
    return dict(values), out


def _check_curve(x: Any, y: Any, slope: float, load: float, where: tuple[object, str]) -> None:
    """Raise a ConfigError at `where`, (file, key path), unless the force y against the slip x resists it on both sides."""
    ahead, behind, offset = float(y[x > 0.0].max()), float(-y[x < 0.0].min()), abs(float(np.interp(0.0, x, y)))
    if min(ahead, behind, slope, y[-1], -y[0]) <= 0.0:
        raise ConfigError(*where, y.tolist(), "a force that pushes against the slip on both sides of 0")
    if offset > OFFSET_MAX * min(ahead, behind):
        raise ConfigError(*where, y.tolist(), f"a force at zero slip of at most {OFFSET_MAX:g} of the largest forces on both sides")
    if slope > SLOPE_MAX * load:
        raise ConfigError(*where, y.tolist(), f"a slope over the slip of at most {SLOPE_MAX:g} times the load")


@inline
def place(grid, count, x):
    """Return (k, t): interval k to k + 1 of a grid of `count` points, and the fraction t of it; clamped to the grid."""
    if count < 2:
        return 0, 0.0
    k, t, _ = cell(grid, count, x)
    return k, t


@inline
def monotone_slope(before, after, d_before, d_after):
    """Return the slope of a monotone cubic at a point between two segments of slopes `before`, `after` and widths d."""
    if before * after <= 0.0:
        return 0.0
    w, v = 2.0 * d_after + d_before, d_after + 2.0 * d_before
    return (w + v) / (w / before + v / after)


@inline
def along_curve(x, y, count, k, t):
    """Return the value of the monotone cubic through y over the grid x at the fraction t of segment k."""
    d = x[k + 1] - x[k]
    m = (y[k + 1] - y[k]) / d
    left, right = m, m
    if k > 0:
        e = x[k] - x[k - 1]
        left = monotone_slope((y[k] - y[k - 1]) / e, m, e, d)
    if k + 2 < count:
        e = x[k + 2] - x[k + 1]
        right = monotone_slope(m, (y[k + 2] - y[k + 1]) / e, d, e)
    r = 1.0 - t
    return y[k] * r * r * (1.0 + 2.0 * t) + y[k + 1] * t * t * (1.0 + 2.0 * r) + d * t * r * (left * r - right * t)


@inline
def over_angle(p, table, load, camber, angle):
    """Return the value of a table (LOADS, CAMBERS, ANGLES) at a load cell, a camber cell and a slip angle."""
    n, t = load
    c, u = camber
    k, a = place(p["slip_angles"], p["counts"][2], angle)
    x, count, near = p["slip_angles"], p["counts"][2], min(c + 1, p["counts"][1] - 1)
    low = along_curve(x, table[n, c], count, k, a) * (1.0 - u) + along_curve(x, table[n, near], count, k, a) * u
    high = along_curve(x, table[n + 1, c], count, k, a) * (1.0 - u) + along_curve(x, table[n + 1, near], count, k, a) * u
    return low * (1.0 - t) + high * t


@inline
def over_slip(p, load, slip):
    """Return the longitudinal force at a load cell and a slip."""
    n, t = load
    k, a = place(p["slips"], p["counts"][3], slip)
    count = p["counts"][3]
    return along_curve(p["slips"], p["F_x"][n], count, k, a) * (1.0 - t) + along_curve(p["slips"], p["F_x"][n + 1], count, k, a) * t


@inline
def slopes_and_peaks(p, load):
    """Return (K_x, K_y, peak_x, peak_y) at a load cell."""
    n, t = load
    s, q = p["slopes"], p["peaks"]
    return (
        s[n, 0] * (1.0 - t) + s[n + 1, 0] * t, s[n, 1] * (1.0 - t) + s[n + 1, 1] * t,
        q[n, 0] * (1.0 - t) + q[n + 1, 0] * t, q[n, 1] * (1.0 - t) + q[n + 1, 1] * t,
    )  # fmt: skip


@kernel
def measured_forces(p, F_z, kappa, alpha, gamma, mu):
    """Return (F_x, F_y [N], M_z [N m]) at a load [N], slip, slip angle and camber [rad]; p a record of MEASURED, mu the friction of the
    ground over that of the tire, which scales forces and the slips at their peaks."""
    load, camber = place(p["loads"], p["counts"][0], F_z), place(p["cambers"], p["counts"][1], gamma)
    _, _, peak_x, peak_y = slopes_and_peaks(p, load)
    a, b = kappa / (mu * peak_x), alpha / (mu * peak_y)
    s = math.sqrt(a * a + b * b)
    side, ahead = 1.0 if alpha >= 0.0 else -1.0, 1.0 if kappa >= 0.0 else -1.0
    part_x, part_y = (abs(a) / s, abs(b) / s) if s > 0.0 else (0.0, 0.0)
    rest, F_0, M_0 = 1.0 / (1.0 + a * a), over_angle(p, p["F_y"], load, camber, 0.0), over_angle(p, p["M_z"], load, camber, 0.0)
    angle = side * s * peak_y
    F_free = over_slip(p, load, 0.0)
    F_x = part_x * (over_slip(p, load, ahead * s * peak_x) - F_free) + F_free / (1.0 + b * b)
    F_y = part_y * (over_angle(p, p["F_y"], load, camber, angle) - F_0) + rest * F_0
    M_z = part_y * (over_angle(p, p["M_z"], load, camber, angle) - M_0) + rest * M_0
    scale = mu * min(F_z / p["loads"][0], 1.0)
    return scale * F_x, scale * F_y, scale * M_z


@inline
def wheel(p, u, k, r, h):
    """Evaluate one wheel on the ground: parameters p, state numbers u, input k, result r."""
    load, mu, m = k["load"], max(k["friction"], FRICTION_MIN), -1.0 if (k["side"] < 0.0) != (p["mirrored"] != 0) else 1.0
    K_x, K_y, peak_x, peak_y = slopes_and_peaks(p, place(p["loads"], p["counts"][0], load))
    fraction = min(load / p["loads"][0], 1.0)
    slips = settle(
        u,
        k,
        r,
        h,
        (p["relaxation"][0], p["relaxation"][1]),
        (mu * peak_x, mu * math.tan(peak_y)),
        (fraction * K_x, fraction * K_y),
        p["steepness"],
    )
    F_x, F_y, M_z = measured_forces(p, load, slips[0], -m * math.atan(slips[1]), m * k["camber"], mu)
    r["F"][0], r["F"][1], r["M_z"] = F_x, m * F_y, m * M_z * travels(k["v_x"])
    r["M_z"] += twist(u, k, r, h, p["turn_stiffness"], fraction * K_y * mu * peak_y / p["steepness"][1], p["pressure"])


@callback
def measured(parameters, state, seen, result, first, count, h):
    n = first + count
    for i in range(first, n):
        u, k, r = records_at(state, S, n)[i]["numbers"], records_at(seen, I, n)[i], records_at(result, O, n)[i]
        if needs_forces(u, k, r, h):
            wheel(records_at(parameters, P, n)[i], u, k, r, h)


KIND = TireModelKind(
    "measured",
    FIELDS,
    STATE,
    measured,
    CONTRACT,
    LAYOUT,
    table=MEASURED,
    complete=complete,
    meaning="a table of measured forces over load, slip angle, camber and slip",
)
