"""The Magic Formula for combined slip: set 5.2 (PAC2002, MF_05) and set 6.1/6.2 with inflation pressure.

[Pacejka 2012] H. B. Pacejka, Tire and Vehicle Dynamics, 3rd ed., section 4.3.2. [Besselink 2010] I. Besselink, A. Schmeitz, H. Pacejka, An
improved Magic Formula/Swift tyre model that can handle inflation pressure changes, Vehicle System Dynamics 48 S1, equations A1 to A60.
Set 5.2 has none of the camber terms of 6.1 (PKY5, PEY5, RBX3, RBY4); if a file of set 5.2 has them, all count, as in 6.1.
Axes of the contact: x along the wheel, y left, z up; kappa = -V_sx / |V_x|, tan alpha = V_sy / |V_x|, gamma + = top to the right.

    y(x) = D sin(C atan(B x - E (B x - atan(B x)))),    B C D = K

Two readings of the angles: `linear` uses alpha and gamma themselves (MF-Tyre), the other reading uses alpha* = tan alpha everywhere and
gamma* = sin gamma in F_y (the book). Turn slip is left out (zeta = 1), the friction scales do not decrease with sliding speed
(lambda* = lambda, A_mu = 1), and E_y and E_t are at most 1.
"""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel

TINY = 1e-12
"""Offset that keeps divisors away from zero."""

LOAD_MIN = 1.0
"""N. Load below which forces decrease to zero with the load."""

C_MIN = 1.1
"""Minimum shape factor for the peak of a curve; curves with a smaller shape factor have no peak."""

MU_MIN = 0.05
"""Minimum friction for the slip at the peak."""


@inline
def sign(x):
    """Return 1 for x >= 0, else -1."""
    return 1.0 if x >= 0.0 else -1.0


@inline
def bent(B, E, x):
    """B x - E (B x - atan(B x))"""
    z = B * x
    return z - E * (z - math.atan(z))


@inline
def cosine_of(tangent):
    """cos(atan(x))"""
    return 1.0 / math.sqrt(1.0 + tangent * tangent)


@inline
def guarded(x):
    """Return x, moved away from zero by TINY, for use as a divisor."""
    return x + TINY * sign(x)


@inline
def longitudinal_stiffness(p, F_z, dp):
    """K_xkappa [N]"""
    df = F_z / (p["lfzo"] * p["load"]) - 1.0
    return F_z * (p["pkx1"] + p["pkx2"] * df) * math.exp(p["pkx3"] * df) * (1.0 + (p["ppx1"] + p["ppx2"] * dp) * dp) * p["lkx"]


@inline
def longitudinal(p, F_z, kappa, gamma, dp, mu):
    """Return (F_x0, K_xkappa, mu_x, S_Hx, S_Vx) of pure slip; p a record of MAGIC, dp the relative change of pressure, mu the friction over
    that of the file."""
    df = F_z / (p["lfzo"] * p["load"]) - 1.0
    lean = gamma * p["lgax"] if p["set"] == 52 else gamma
    pressed = 1.0 + (p["ppx3"] + p["ppx4"] * dp) * dp
    mu_x = (p["pdx1"] + p["pdx2"] * df) * pressed * (1.0 - p["pdx3"] * lean * lean) * p["lmux"] * mu
    C, D = p["pcx1"] * p["lcx"], mu_x * F_z
    K = longitudinal_stiffness(p, F_z, dp)
    S_H = (p["phx1"] + p["phx2"] * df) * p["lhx"]
    x = kappa + S_H
    E = (p["pex1"] + (p["pex2"] + p["pex3"] * df) * df) * (1.0 - p["pex4"] * sign(x)) * p["lex"]
    S_V = F_z * (p["pvx1"] + p["pvx2"] * df) * p["lvx"] * p["lmux"] * mu
    return D * math.sin(C * math.atan(bent(K / guarded(C * D), E, x))) + S_V, K, mu_x, S_H, S_V


@inline
def cornering(p, F_z, gamma, dp):
    """Return K_yalpha [N/rad] and, for set 6.1, K_ygamma0 [N/rad]."""
    F_0 = p["lfzo"] * p["load"]
    if p["set"] == 52:
        lean = gamma * p["lgay"]
        knee = p["pky2"] + p["pky5"] * lean * lean
        K = p["pky1"] * F_0 * math.sin(p["pky4"] * math.atan(F_z / guarded(knee * F_0))) * (1.0 - p["pky3"] * abs(lean)) * p["lky"]
        return K, 0.0
    knee = (p["pky2"] + p["pky5"] * gamma * gamma) * (1.0 + p["ppy2"] * dp)
    K = p["pky1"] * F_0 * (1.0 + p["ppy1"] * dp) * (1.0 - p["pky3"] * abs(gamma)) * p["lky"]
    K *= math.sin(p["pky4"] * math.atan(F_z / guarded(knee * F_0)))
    return K, F_z * (p["pky6"] + p["pky7"] * (F_z / F_0 - 1.0)) * (1.0 + p["ppy5"] * dp) * p["lkyc"]


@inline
def lateral(p, F_z, alpha, gamma, dp, mu):
    """Return (F_y0, mu_y, K_yalpha, B_y C_y, S_Hy, S_Vy) of pure slip."""
    old = p["set"] == 52
    df = F_z / (p["lfzo"] * p["load"]) - 1.0
    lean = gamma * p["lgay"] if old else gamma
    K, K_gamma = cornering(p, F_z, gamma, dp)
    pressed = 1.0 + (p["ppy3"] + p["ppy4"] * dp) * dp
    mu_y = (p["pdy1"] + p["pdy2"] * df) * pressed * (1.0 - p["pdy3"] * lean * lean) * p["lmuy"] * mu
    C, D = p["pcy1"] * p["lcy"], mu_y * F_z
    S_lean = F_z * (p["pvy3"] + p["pvy4"] * df) * lean * p["lkyc"] * p["lmuy"] * mu
    S_V = F_z * (p["pvy1"] + p["pvy2"] * df) * p["lvy"] * p["lmuy"] * mu + S_lean
    S_H = (p["phy1"] + p["phy2"] * df) * p["lhy"]
    S_H += p["phy3"] * lean * p["lkyc"] if old else (K_gamma * lean - S_lean) / guarded(K)
    x = alpha + S_H
    E = (p["pey1"] + p["pey2"] * df) * (1.0 + p["pey5"] * lean * lean - (p["pey3"] + p["pey4"] * lean) * sign(x)) * p["ley"]
    B = K / guarded(C * D)
    return D * math.sin(C * math.atan(bent(B, min(E, 1.0), x))) + S_V, mu_y, K, B * C, S_H, S_V


@inline
def weight(B, C, E, S_H, x):
    """Return G of combined slip: the factor of a pure force at the slip x in the other direction."""
    alone = math.cos(C * math.atan(bent(B, E, S_H))) if S_H != 0.0 else 1.0
    return math.cos(C * math.atan(bent(B, E, x + S_H))) / alone


@inline
def weights(p, F_z, kappa, alpha, gamma):
    """(G_xalpha, G_ykappa)"""
    df = F_z / (p["lfzo"] * p["load"]) - 1.0
    B = (p["rbx1"] + p["rbx3"] * gamma * gamma) * cosine_of(p["rbx2"] * kappa) * p["lxal"]
    G_x = weight(B, p["rcx1"], p["rex1"] + p["rex2"] * df, p["rhx1"], alpha)
    B = (p["rby1"] + p["rby4"] * gamma * gamma) * cosine_of(p["rby2"] * (alpha - p["rby3"])) * p["lyka"]
    return G_x, weight(B, p["rcy1"], min(p["rey1"] + p["rey2"] * df, 1.0), p["rhy1"] + p["rhy2"] * df, kappa)


@inline
def ellipse(F_z, kappa, alpha, along, across):
    """Return (G_x, G_y) of combined slip by the friction ellipse, for files with FE_METHOD: the direction of the shifted slips divides the
    force between both axes [MSC Adams/Tire, PAC2002, friction ellipse].

        cos beta = |kappa_c| / |(kappa_c, sin alpha_c)|,    kappa_c = kappa + S_Hx + S_Vx / K_x,    alpha_c = alpha + S_Hy + S_Vy / K_y
        G_x = cos beta / |(cos beta, mu_x sin beta / D_y)|,    G_y = sin beta / |(sin beta, mu_y cos beta / D_x)|

    mu_x, mu_y are forces of pure slip over the load, D_x, D_y their maxima over the load. `along` and `across` are (F, D, K, S_H, S_V).
    """
    F_x, D_x, K_x, H_x, V_x = along
    F_y, D_y, K_y, H_y, V_y = across
    c, s = abs(kappa + H_x + V_x / guarded(K_x)), abs(math.sin(alpha + H_y + V_y / guarded(K_y)))
    x = math.hypot(c, abs(F_x - V_x) * s / max(abs(D_y) * F_z, TINY))
    y = math.hypot(s, abs(F_y - V_y) * c / max(abs(D_x) * F_z, TINY))
    return c / x if x > 0.0 else 1.0, s / y if y > 0.0 else 1.0


@inline
def overturning(p, F_z, F_y, gamma, dp):
    """M_x [N m]"""
    F_0 = p["load"]
    y = F_y / F_0
    sum_ = p["qsx1"] * p["lvmx"] - p["qsx2"] * gamma * (1.0 + p["ppmx1"] * dp) + p["qsx3"] * y - p["qsx12"] * gamma * abs(gamma)
    knee = p["qsx6"] * F_z / F_0
    sum_ += p["qsx4"] * math.cos(p["qsx5"] * math.atan(knee * knee)) * math.sin(p["qsx7"] * gamma + p["qsx8"] * math.atan(p["qsx9"] * y))
    sum_ += p["qsx10"] * math.atan(p["qsx11"] * F_z / F_0) * gamma
    return p["R0"] * p["lmx"] * (F_z * sum_ + F_y * (p["qsx13"] + p["qsx14"] * abs(gamma)))


@inline
def rolling(p, F_z, F_x, gamma, pressure, V_x):
    """Return M_y [N m] of a wheel that rolls forward: negative."""
    F_0, V = p["load"], abs(V_x) / p["V0"]
    factor = p["qsy1"] + p["qsy2"] * F_x / F_0 + p["qsy3"] * V + p["qsy4"] * V * V * V * V
    if p["set"] == 52:
        return -p["R0"] * F_z * factor * p["lmy"]
    factor += (p["qsy5"] + p["qsy6"] * F_z / F_0) * gamma * gamma
    factor *= (F_z / F_0) ** (p["qsy7"] - 1.0)
    if p["p0"] > 0.0:
        factor *= (max(pressure, 1e-3 * p["p0"]) / p["p0"]) ** p["qsy8"]
    return -p["R0"] * F_z * factor * p["lmy"]


@inline
def combined_angle(x, slip):
    """Return the equivalent slip angle of a slip angle x combined with a longitudinal slip."""
    t = math.tan(x)
    return math.atan(math.sqrt(t * t + slip * slip)) * sign(x)


@inline
def aligning(p, F_z, slips, gamma, dp, mu, pure, forces):
    """Return M_z [N m]: the force `trailing` on the pneumatic trail, the residual moment, and F_x on its arm. [Besselink 2010, A54 to A60]

    `slips` is (kappa, alpha*, cos alpha), `pure` (K_xkappa, K_yalpha, B_y C_y, S_Hy, S_Vy), `forces` (F_x, F_y, trailing) of combined slip [N].
    """
    kappa, alpha, cosine = slips
    old = p["set"] == 52
    K_x, K_y, BC, S_H, S_V = pure
    F_x, F_y, trailing = forces
    F_0 = p["lfzo"] * p["load"]
    df = F_z / F_0 - 1.0
    lean = gamma * p["lgaz"] if old else gamma
    slip = K_x / guarded(K_y) * kappa
    x_t = alpha + p["qhz1"] + p["qhz2"] * df + (p["qhz3"] + p["qhz4"] * df) * lean
    x_r = alpha + S_H + S_V / guarded(K_y)
    B = (p["qbz1"] + (p["qbz2"] + p["qbz3"] * df) * df) * p["lky"] / guarded(p["lmuy"] * mu)
    B *= 1.0 + p["qbz4"] * lean + p["qbz5"] * abs(lean) + p["qbz6"] * lean * lean
    D = (
        F_z
        * (p["qdz1"] + p["qdz2"] * df)
        * (1.0 - p["ppz1"] * dp)
        * (1.0 + (p["qdz3"] + p["qdz4"] * lean) * lean)
        * p["R0"]
        / p["load"]
        * p["ltr"]
    )
    E = p["qez1"] + (p["qez2"] + p["qez3"] * df) * df
    E = min(E * (1.0 + (p["qez4"] + p["qez5"] * lean) * 2.0 / math.pi * math.atan(B * p["qcz1"] * x_t)), 1.0)
    t = D * math.cos(p["qcz1"] * math.atan(bent(B, E, combined_angle(x_t, slip)))) * cosine
    D_r = (p["qdz8"] + p["qdz9"] * df) * (1.0 + p["ppz2"] * dp) + (p["qdz10"] + p["qdz11"] * df) * abs(lean)
    D_r = F_z * p["R0"] * ((p["qdz6"] + p["qdz7"] * df) * p["lres"] + D_r * lean * p["lkzc"]) * p["lmuy"] * mu
    B_r = p["qbz9"] * p["lky"] / guarded(p["lmuy"] * mu) + p["qbz10"] * BC
    residual = D_r * cosine_of(B_r * combined_angle(x_r, slip)) * cosine
    s = p["R0"] * (p["ssz1"] + p["ssz2"] * F_y / p["load"] + (p["ssz3"] + p["ssz4"] * df) * lean) * p["ls"]
    return -t * trailing + residual + s * F_x


@kernel
def magic_formula(p, F_z, kappa, angle, camber, pressure, V_x, mu):
    """Return the steady forces and moments at the contact.

    Parameters
    ----------
    p : record of MAGIC
    F_z : N
    kappa, angle, camber : slip, slip angle and inclination [1, rad, rad]
    pressure : Pa
    V_x : m/s
    mu : friction of the ground over that of the file

    Returns
    -------
    tuple : F_x, F_y [N], M_x, M_y, M_z [N m], K_xkappa, K_yalpha [N, N/rad]
    """
    load = max(F_z, LOAD_MIN)
    alpha, gamma = (angle, camber) if p["linear"] != 0 else (math.tan(angle), math.sin(camber))
    dp = pressure / p["p0"] - 1.0 if p["p0"] > 0.0 and p["set"] != 52 else 0.0
    df = load / (p["lfzo"] * p["load"]) - 1.0
    F_x0, K_x, mu_x, S_Hx, S_Vx = longitudinal(p, load, kappa, camber, dp, mu)
    F_y0, mu_y, K_y, BC, S_H, S_V = lateral(p, load, alpha, gamma, dp, mu)
    G_x, G_y = weights(p, load, kappa, alpha, gamma)
    if p["ellipse"] != 0:
        G_x, G_y = ellipse(load, kappa, alpha, (F_x0, mu_x, K_x, S_Hx, S_Vx), (F_y0, mu_y, K_y, S_H, S_V))
    reach = mu_y * load * (p["rvy1"] + p["rvy2"] * df + p["rvy3"] * gamma) * cosine_of(p["rvy4"] * alpha) * p["lvyka"]
    F_x, F_y = G_x * F_x0, G_y * F_y0 + reach * math.sin(p["rvy5"] * math.atan(p["rvy6"] * kappa))
    trailing = G_y * F_y0
    if p["set"] != 52:
        trailing = G_y * lateral(p, load, alpha, 0.0, dp, mu)[0]
    M_x = overturning(p, load, F_y, camber, dp) if p["overturns"] != 0 else 0.0
    M_y = rolling(p, load, F_x, camber, pressure, V_x)
    M_z = aligning(p, load, (kappa, alpha, math.cos(angle)), camber, dp, mu, (K_x, K_y, BC, S_H, S_V), (F_x, F_y, trailing))
    fade = max(F_z, 0.0) / load
    return fade * F_x, fade * F_y, fade * M_x, fade * M_y, fade * M_z, fade * K_x, fade * K_y


@inline
def peak(B, C, E):
    """Return x > 0 at the maximum of y(x): (1 - E) B x + E atan(B x) = tan(pi / 2 C), by Newton iteration."""
    E, wanted = min(E, 0.95), math.tan(0.5 * math.pi / max(C, C_MIN))
    z = wanted
    for _ in range(6):
        change = ((1.0 - E) * z + E * math.atan(z) - wanted) / (1.0 - E + E / (1.0 + z * z))
        z = max(z - change, 0.1 * z)
    return z / B


@inline
def largest_side_force(p, F_z, mu):
    """Return the magnitude of D_y [N] of an upright tire."""
    df = F_z / (p["lfzo"] * p["load"]) - 1.0
    return max(abs(p["pdy1"] + p["pdy2"] * df) * p["lmuy"], MU_MIN) * mu * F_z


@inline
def slopes_and_peaks(p, F_z, gamma, pressure, mu):
    """Return (K_x, K_y, peaks, steepness): magnitudes of the initial slopes [N]; along and across the slips at the maximum force of pure
    slip; and slope times this slip over this force. Shifts are ignored, and the values are limited for any file."""
    load = max(F_z, LOAD_MIN)
    dp = pressure / p["p0"] - 1.0 if p["p0"] > 0.0 and p["set"] != 52 else 0.0
    df = load / (p["lfzo"] * p["load"]) - 1.0
    K_x, K_y = max(abs(longitudinal_stiffness(p, load, dp)), load), max(abs(cornering(p, load, gamma, dp)[0]), load)
    D_x = max(abs(p["pdx1"] + p["pdx2"] * df) * p["lmux"], MU_MIN) * mu * load
    D_y = largest_side_force(p, load, mu)
    C_x, C_y = max(p["pcx1"] * p["lcx"], C_MIN), max(p["pcy1"] * p["lcy"], C_MIN)
    E_x, E_y = (p["pex1"] + (p["pex2"] + p["pex3"] * df) * df) * p["lex"], (p["pey1"] + p["pey2"] * df) * p["ley"]
    x, y = peak(K_x / (C_x * D_x), C_x, E_x), peak(K_y / (C_y * D_y), C_y, E_y)
    return K_x, K_y, (x, y), (K_x * x / D_x, K_y * y / D_y)
