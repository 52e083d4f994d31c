"""Slip forces of a tire at another inflation pressure than that of its parameters.

With the pressure p, the pressure p_0 of the parameters and the carcass pressure p_c, the tire carries at equal deflection, and so on an
equal contact patch, s = (p + p_c) / (p_0 + p_c) of the load [Wong 2008, section 2.7]. A longer patch at a lower pressure has more tread
rubber on the road [Pacejka 2012, section 3.2, brush model]. Cornering stiffness over load F therefore has the same shape at all pressures,
over the load on an equal patch, and the carcass adds a small power of the pressure:

    cornering stiffness   s^0.3 C_0(F / s)
    slip stiffness        s^-0.25 C_x0(F)
    friction              s^-0.12 mu_0(F)          rubber has less friction at higher contact pressure
    pneumatic trail       s^-0.65 t_0(F)           Magic Formula; TMeasy follows the contact length of the radial spring

The exponents are fitted to one measured tire, Goodyear G275 335/65R22.5 at 40, 60 and 95 psi (property files of Project Chrono's FED-Alpha):
cornering stiffness within 4 %, friction within 5 %. For other tires they are assumed. Slips at which forces peak or slide scale with peak
force over slope. Set 6.1 of the Magic Formula has pressure terms of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from simulator.base.records import Record
from vehicles.tires.parameters import stiffness_share

CORNERING, SLIP, FRICTION, TRAIL = 0.3, -0.25, -0.12, -0.65
"""Exponents of s, see above."""

SHARE_MIN, SHARE_MAX = 0.4, 2.5
"""Range of s for the slip forces: the measured pressures differ by a factor of 2.3 in s. Beyond it, the slip forces stay those of its ends."""

LINEAR_MIN = 0.25
"""Minimum cornering stiffness of TMeasy at the maximum load, over the stiffness that grows in proportion to the load. The parabola over the
load falls below it where a tire with little air is overloaded; it must stay positive."""


def inflate(kind: str, own: Record, shared: Record, values: Mapping[str, Any]) -> None:
    """Change the (1,) record `own` of a tire model to the inflation pressure in the values of its tire file, if they have one.

    Parameters
    ----------
    kind : name of the tire model; others than TMeasy, Magic Formula, Fiala and measured tables do not change
    shared : (1,) record of `parameters.TIRE`
    """
    pressure, nominal = values.get("inflation_pressure"), values.get("nominal_pressure")
    if pressure is None or nominal is None or pressure == nominal or kind not in INFLATED:
        return
    share = stiffness_share(float(pressure), float(nominal), float(shared[0]["carcass_pressure"]))
    INFLATED[kind](own[0], shared[0], min(max(share, SHARE_MIN), SHARE_MAX), float(pressure) / float(nominal))


def _tmeasy(p: Any, shared: Any, share: float, ratio: float) -> None:
    before = {name: p[name].copy() for name in ("dfx0", "dfy0")}
    p["dfx0"] *= share**SLIP
    p["dfy0"] = _on_equal_patch(p["dfy0"], share, float(shared["load_max"] / p["load"]))
    for name in ("fxm", "fxs", "fym", "fys"):
        p[name] *= share**FRICTION
    for slope, slips in (("dfx0", ("sxm", "sxs")), ("dfy0", ("sym", "sys", "sq0", "sqe"))):
        for name in slips:
            p[name] *= share**FRICTION * before[slope] / p[slope]
    p["pressure"] *= ratio


def _on_equal_patch(pair: Any, share: float, load_max: float) -> tuple[float, float]:
    """Return the values of s^0.3 f(q / s) at q = 1 and 2, for the parabola f through zero, pair[0] at 1 and pair[1] at 2; loads over the
    nominal load."""
    bend = float(pair[0] - 0.5 * pair[1])
    slope = float(pair[0] + bend) * share ** (CORNERING - 1.0)
    bend = min(bend * share ** (CORNERING - 2.0), (1.0 - LINEAR_MIN) * slope / load_max)
    return slope - bend, 2.0 * (slope - 2.0 * bend)


def _magic_formula(p: Any, shared: Any, share: float, ratio: float) -> None:
    p["p"] *= ratio
    if p["set"] != 52:
        return
    p["pky1"] *= share**CORNERING
    p["pky2"] *= share
    p["lkx"] *= share**SLIP
    p["lmux"] *= share**FRICTION
    p["lmuy"] *= share**FRICTION
    p["ltr"] *= share**TRAIL


def _moment_at_standstill(p: Any, shared: Any, share: float, ratio: float) -> None:
    p["pressure"] *= ratio


INFLATED: Mapping[str, Callable[[Any, Any, float, float], None]] = {
    "tmeasy": _tmeasy,
    "magic_formula": _magic_formula,
    "fiala": _moment_at_standstill,
    "measured": _moment_at_standstill,
}
"""By tire model: a function that changes a record of its parameters; called with the record of TIRE, s, and the ratio of the pressures."""
