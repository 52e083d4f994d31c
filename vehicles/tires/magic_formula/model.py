"""Magic Formula tire model: steady forces of `formulas` over the slip of a carcass with relaxation (`vehicles.tires.relaxation`)."""

from __future__ import annotations

import math

from simulator.base.callbacks import callback, records_at
from simulator.base.jit import inline
from simulator.base.records import dtype_of
from vehicles.tires.contract import CONTRACT, LAYOUT, TIRE_INPUT, TIRE_OUTPUT, TREAD_STATE, TireModelKind
from vehicles.tires.magic_formula.coefficients import MAGIC
from vehicles.tires.magic_formula.formulas import (
    cornering,
    guarded,
    largest_side_force,
    longitudinal_stiffness,
    magic_formula,
    slopes_and_peaks,
)
from vehicles.tires.magic_formula.tir_tire import FIELDS, complete
from vehicles.tires.relaxation import STATE, V_LOW, needs_forces, settle, travels, twist

P, S, I, O = dtype_of(MAGIC), dtype_of(TREAD_STATE), dtype_of(TIRE_INPUT), dtype_of(TIRE_OUTPUT)

LENGTH_MIN, LENGTH_MAX = 0.1, 4.0
"""Limits of the relaxation lengths over R0: outside the measured loads the formulas of a file may tend to zero or grow without bound."""

LENGTHS = (0.6, 1.2)
"""Default relaxation lengths over R0 for files without relaxation data [assumed]."""

FRICTION_MIN = 0.01


@inline
def relaxation(p, F_z, gamma, pressure):
    """Return the relaxation lengths (sigma_kappa, sigma_alpha) [m] from the parameters of a tire, without limits.

    PAC2002: sigma_kappa = F_z (pTx1 + pTx2 df) e^(pTx3 df) R0 / F_0,   sigma_alpha = pTy1 sin(2 atan(F_z / (pTy2 F_0))) (1 - pKy3 |gamma|) R0
    6.1:     K_xkappa / C_Fx, |K_yalpha| / C_Fy, the carcass stiffness over load and pressure        [Besselink 2010]
    """
    F_0, dp = p["lfzo"] * p["load"], 0.0
    df = F_z / F_0 - 1.0
    if p["p0"] > 0.0 and p["set"] != 52:
        dp = pressure / p["p0"] - 1.0
    along, across = LENGTHS[0] * p["R0"], LENGTHS[1] * p["R0"]
    if p["stiffness"][0] > 0.0:
        C = p["stiffness"][0] * (1.0 + p["pcfx1"] * df + p["pcfx2"] * df * df) * (1.0 + p["pcfx3"] * dp)
        along = abs(longitudinal_stiffness(p, F_z, dp)) / guarded(C)
    if p["stiffness"][1] > 0.0:
        C = p["stiffness"][1] * (1.0 + p["pcfy1"] * df + p["pcfy2"] * df * df) * (1.0 + p["pcfy3"] * dp)
        across = abs(cornering(p, F_z, gamma, dp)[0]) / guarded(C)
    if p["ptx1"] != 0.0:
        along = F_z * (p["ptx1"] + p["ptx2"] * df) * math.exp(p["ptx3"] * df) * p["R0"] / F_0 * p["lsgkp"]
    if p["pty1"] != 0.0:
        across = p["pty1"] * math.sin(2.0 * math.atan(F_z / guarded(p["pty2"] * F_0))) * (1.0 - p["pky3"] * abs(gamma))
        across *= p["R0"] * p["lfzo"] * p["lsgal"]
    if p["relaxation"][0] > 0.0:
        along = p["relaxation"][0]
    if p["relaxation"][1] > 0.0:
        across = p["relaxation"][1]
    return along, across


@inline
def bounded(x, limits):
    """Return x limited to the range."""
    return min(max(x, limits[0]), limits[1])


@inline
def wheel(p, u, k, r, h):
    """Evaluate one wheel on the ground: parameters p, state numbers u, input k, result r."""
    load, m = k["load"], -1.0 if (k["side"] < 0.0) != (p["mirrored"] != 0) else 1.0
    gamma = bounded(m * k["camber"], p["camber_range"])
    mu = max(k["friction"], FRICTION_MIN)
    s_x, s_y = relaxation(p, load, gamma, p["p"])
    low, high = LENGTH_MIN * p["R0"], LENGTH_MAX * p["R0"]
    lengths = min(max(s_x, low), high), min(max(s_y, low), high)
    K_x, K_y, peaks, steepness = load, load, (1.0, 1.0), (1.0, 1.0)
    if abs(k["v_x"]) < V_LOW:  # above this speed the results do not depend on them
        K_x, K_y, peaks, steepness = slopes_and_peaks(p, load, gamma, p["p"], mu)
    slip_x, slip_y = settle(u, k, r, h, lengths, peaks, (K_x, K_y), steepness)
    kappa, alpha = bounded(slip_x, p["slip_range"]), bounded(-m * math.atan(slip_y), p["angle_range"])
    F_x, F_y, M_x, M_y, M_z, _, _ = magic_formula(p, load, kappa, alpha, gamma, p["p"], k["v_x"], mu)
    r["F"][0], r["F"][1] = F_x, m * F_y
    r["M_x"], r["M_y"], r["M_z"] = (
        m * M_x,
        M_y * travels(k["effective_radius"] * k["spin"]),
        m * M_z * travels(k["v_x"]) + twist(u, k, r, h, p["turn_stiffness"], largest_side_force(p, load, mu), p["p"]),
    )
    r["whole"] = p["overturns"]


@callback
def magic(parameters, state, seen, result, first, count, h):
    n = first + count
    for i in range(first, n):
        u, k, r = records_at(state, S, n)[i]["numbers"], records_at(seen, I, n)[i], records_at(result, O, n)[i]
        if needs_forces(u, k, r, h):
            wheel(records_at(parameters, P, n)[i], u, k, r, h)


KIND = TireModelKind(
    "magic_formula",
    FIELDS,
    STATE,
    magic,
    CONTRACT,
    LAYOUT,
    table=MAGIC,
    complete=complete,
    shared=False,
    softened={"lkx": 1, "lky": 1},
    meaning="Magic Formula 5.2 (PAC2002), 6.1, 6.2 from a .tir file (Pacejka)",
)
