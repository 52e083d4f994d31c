"""Rows of soil-wheel reference tables of other programs, by kind, parameters and quantities: `soil_row(kind, parameters)`.

Parameters are in SI units under the names of the literature: r, b [m], W [N], form (bekker: k_c, k_phi; reece: k1, k2), n, c [Pa], phi_deg
or phi_rad, K [m], c1, c2, lambda or theta2_ratio, s, i, beta_deg, gamma [N/m3]. docs/soil.md has the table of the kinds with the function
that each calls.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from simulator.base.errors import JounceError
from simulator.base.suggestions import did_you_mean
from terrain.bevameter import plate_cycle
from terrain.pressure_sinkage import (
    bekker_modulus,
    frontal_bulldozing,
    frontal_factors,
    hegedus_factors,
    reece_modulus,
    side_pressure,
    terzaghi_factors,
    wong_side_pressure,
)
from vehicles.tires.rigid_wheel import WheelForces, WheelSoil, driven_wheel, multipass, skidding_wheel, towed_wheel
from vehicles.tires.tire_on_soil_modes import bekker_sinkage, compaction_resistance, even_thrust, substitute_circle, tire_mode

Parameters = Mapping[str, Any]
Quantities = dict[str, float]


def soil_row(kind: str, parameters: Parameters) -> Quantities:
    """Return the quantities of one row. Raises JounceError if the kind is unknown or a parameter is missing."""
    if kind not in KINDS:
        raise JounceError(f"soil row: unknown kind {kind!r}; expected one of {', '.join(KINDS)}{did_you_mean(kind, KINDS)}")
    try:
        return KINDS[kind](parameters)
    except KeyError as error:
        raise JounceError(f"soil row of the kind {kind}: missing parameter {error.args[0]}") from error


def modulus(p: Parameters) -> float:
    """Return k [N/m^(n+2)] of p = k z^n."""
    if p.get("form", "bekker") == "reece":
        return reece_modulus(p["k1"], p["k2"], p["b"], p["n"])
    return bekker_modulus(p["k_c"], p["k_phi"], p["b"])


def friction_angle(p: Parameters) -> float:
    """Return phi [rad]."""
    return float(p["phi_rad"]) if "phi_rad" in p else math.radians(p["phi_deg"])


def wheel_soil(p: Parameters) -> WheelSoil:
    """Return the soil of a rigid wheel; missing parameters are zero."""
    ratio = p.get("theta2_ratio")
    return WheelSoil(
        modulus(p), p["n"], p["c"], friction_angle(p), p["K"], p["c1"], p.get("c2", 0.0), p.get("lambda") or 0.0,
        None if ratio is None else -ratio, p.get("gamma", 0.0),
    )  # fmt: skip


def _wheel(f: WheelForces) -> Quantities:
    """Return the quantities of all rows of rigid wheels."""
    return {
        "theta1_deg": math.degrees(f.theta_1), "theta2_deg": math.degrees(f.theta_2), "theta0_deg": math.degrees(f.theta_0), "z_mm": 1e3 * f.sinkage,
        "DP_N": f.pull, "H_N": f.thrust, "R_N": f.resistance, "T_Nm": f.torque, "sigma_max_kPa": 1e-3 * f.largest_pressure, "Fz_check_N": f.load,
    }  # fmt: skip


def _driven(p: Parameters) -> Quantities:
    return _wheel(driven_wheel(wheel_soil(p), p["r"], p["b"], p["W"], p["s"]))


def _skid(p: Parameters) -> Quantities:
    return _wheel(skidding_wheel(wheel_soil(p), p["r"], p["b"], p["W"], p["i"]))


def _towed(p: Parameters) -> Quantities:
    skid, forces = towed_wheel(wheel_soil(p), p["r"], p["b"], p["W"])
    return {**_wheel(forces), "skid_i": skid, "towed_resistance_N": -forces.pull}


def _combined(p: Parameters) -> Quantities:
    f = driven_wheel(wheel_soil(p), p["r"], p["b"], p["W"], p["s"], math.radians(p["beta_deg"]))
    return {**_wheel(f), "Fx_N": f.pull, "Fy_shear_N": f.side, "Fy_bulldoze_N": f.side_wall}


def _mode(p: Parameters) -> Quantities:
    mode = tire_mode(modulus(p), p["n"], p["r"], p["b"], p["W"], p["p_i"] + p["p_c"])
    out = {
        "p_gcr_kPa": 1e-3 * mode.critical_pressure, "mode_rigid": float(mode.rigid), "z_mm": 1e3 * mode.sinkage, "Rc_N": mode.resistance,
        "l_mm": 1e3 * mode.length, "z_rigid_mm": 1e3 * mode.rigid_sinkage,
    }  # fmt: skip
    for slip in p.get("slips", ()):
        thrust = even_thrust(p["c"], friction_angle(p), p["K"], p["W"], p["b"] * mode.length, mode.length, slip)
        out[f"H_{slip:g}_N"], out[f"DP_{slip:g}_N"] = thrust, thrust - mode.resistance
    return out


def _circle(p: Parameters) -> Quantities:
    k, n, b = modulus(p), p["n"], p["b"]
    circle, rigid = substitute_circle(k, n, p["r"], b, p["W"], p["c_z"]), bekker_sinkage(k, n, p["r"], b, p["W"])
    return {
        "delta_mm": 1e3 * circle.deflection, "z_mm": 1e3 * circle.sinkage, "r_star_mm": 1e3 * circle.radius, "Rc_N": circle.resistance,
        "contact_length_mm": 1e3 * circle.length, "z_rigid_mm": 1e3 * rigid, "Rc_rigid_N": compaction_resistance(k, n, b, rigid),
    }  # fmt: skip


def _plate(p: Parameters) -> Quantities:
    cycle = plate_cycle(modulus(p), p["n"], p["k_0"], p["A_u"], p["z_seq"])
    out = {f"p{j}_kPa": 1e-3 * pressure for j, pressure in enumerate(cycle.pressures)}
    return {**out, "z_residual_mm": 1e3 * cycle.residual, "work_first_loading_J_per_m2": cycle.first_work}


def _passes(p: Parameters) -> Quantities:
    passes = multipass(modulus(p), p["n"], p["k_0"], p["A_u"], p["b"], [(wheel["W"], wheel["r"]) for wheel in p["wheels"]])
    out = {}
    for j, one in enumerate(passes, start=1):
        out[f"pass{j}_z_mm"], out[f"pass{j}_R_N"], out[f"pass{j}_rut_after_mm"] = 1e3 * one.sinkage, one.resistance, 1e3 * one.rut
    return out


def _side(p: Parameters) -> Quantities:
    phi, c, gamma, h = friction_angle(p), p["c"], p["gamma"], p["h"]
    X_c, D1, D2 = hegedus_factors(phi)
    return {
        "hegedus_N_per_m": side_pressure((D1, D2), c, gamma, h), "wong_passive_N_per_m": wong_side_pressure(phi, c, gamma, h),
        "X_c_deg": math.degrees(X_c), "D1": D1, "D2": D2,
    }  # fmt: skip


def _front(p: Parameters) -> Quantities:
    phi, z = friction_angle(p), p["z"]
    N_q, N_c, N_gamma = terzaghi_factors(phi)
    N_c, N_gamma = p.get("N_c", N_c), p.get("N_gamma", N_gamma)
    K_c, K_gamma = frontal_factors(phi, N_c, N_gamma)
    return {
        "alpha_rad": math.acos(1.0 - 2.0 * z / p["D"]), "l_o_m": z * math.tan(0.25 * math.pi - 0.5 * phi) ** 2,
        "N_q": N_q, "N_c": N_c, "N_gamma": N_gamma, "K_c": K_c, "K_gamma": K_gamma,
        "R_b_N": frontal_bulldozing(phi, p["c"], p["gamma"], (K_c, K_gamma), p["b"], p["D"], z),
    }  # fmt: skip


KINDS: dict[str, Callable[[Parameters], Quantities]] = {
    "wr_driven": _driven,
    "wr_skid": _skid,
    "wr_towed": _towed,
    "combined_circle": _combined,
    "wong_mode": _mode,
    "substitute_circle": _circle,
    "plate_cycle": _plate,
    "multipass": _passes,
    "bulldoze_side": _side,
    "bulldoze_front": _front,
}
"""Function of each kind of row."""
