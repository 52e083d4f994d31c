"""Hydrodynamic torque converter, described by its capacity factor and torque ratio over the speed ratio."""

from __future__ import annotations

import numpy as np

from simulator.base.algebra.piecewise_linear import cell
from simulator.base.errors import ErrorCollector
from simulator.base.field_records import rows
from simulator.base.fields import Field, Group, Number
from simulator.base.jit import inline
from simulator.base.records import Record, record
from simulator.base.values import Values
from vehicles.drivetrain.measured_curves import MAX_INERTIA, MIN_INERTIA, merge, store

CONVERTER_POINTS = 32
"""Largest number of speed ratios of the two curves together."""

MIN_VALUE, MAX_VALUE = 1e-2, 1e4
"""Plausible range of a torque ratio and of a capacity factor [rad/s/(N m)^0.5]."""

_INERTIA = Number("kg m2", MIN_INERTIA, MAX_INERTIA, above=0.0)


def _curve(unit: str, meaning: str) -> Group:
    """Return the fields of a curve over the speed ratio."""
    ratio = Number("1", 0.0, 1.0, shape=((2, CONVERTER_POINTS),), rising=True)
    value = Number(unit, MIN_VALUE, MAX_VALUE, above=MIN_VALUE, shape=((2, CONVERTER_POINTS),))
    return Group((Field("speed_ratio", ratio, "turbine speed over impeller speed, from 0 to 1"), Field("value", value, meaning)))


_OVERRUN = (
    Field(
        "speed_ratio",
        Number("1", 1.0, 100.0, shape=((2, CONVERTER_POINTS),), rising=True),
        "turbine speed over impeller speed, from 1 upward",
    ),
    Field(
        "value",
        Number("rad/s/(N m)^0.5", MIN_VALUE, MAX_VALUE, above=MIN_VALUE, shape=((2, CONVERTER_POINTS),)),
        "impeller speed over the square root of impeller torque; constant beyond the last point",
    ),
)
CONVERTER_FILE = (
    Field("impeller_inertia", _INERTIA, "inertia of the impeller, added to the engine"),
    Field("turbine_inertia", _INERTIA, "inertia of the turbine and the shaft to the gears"),
    Field(
        "capacity_factor",
        _curve("rad/s/(N m)^0.5", "impeller speed over the square root of impeller torque"),
        "capacity factor of the impeller",
    ),
    Field("torque_ratio", _curve("1", "turbine torque over impeller torque"), "torque ratio of turbine and impeller; it does not rise"),
    Field("overrun_capacity_factor", Group(_OVERRUN), "capacity factor while the turbine drives; default: mirrored about 1", None),
    Field("coupling_band", Number("1", 1e-4, 0.1), "distance from speed ratio 1 within which the torque passes smoothly through zero"),
)
"""Fields of the section `torque_converter` of a drivetrain file."""

CONVERTER = (
    # name                        shape  unit                what it is
    ("converter_points", (), "1", "number of points of the two curves", "i8"),
    ("converter_speed_ratio", (CONVERTER_POINTS,), "1", "turbine speed / impeller speed, from 0 to 1"),
    ("converter_capacity_factor", (CONVERTER_POINTS,), "rad/s/(N m)^0.5", "impeller speed / square root of impeller torque"),
    ("converter_torque_ratio", (CONVERTER_POINTS,), "1", "turbine torque / impeller torque"),
    ("converter_coupling_band", (), "1", "distance from speed ratio 1 within which the torque passes smoothly through zero"),
    ("overrun_points", (), "1", "number of points of the curve for overrun, 0: mirrored", "i8"),
    ("overrun_speed_ratio", (CONVERTER_POINTS,), "1", "turbine speed / impeller speed, from 1 upward"),
    ("overrun_capacity_factor", (CONVERTER_POINTS,), "rad/s/(N m)^0.5", "capacity factor on overrun"),
    *rows(CONVERTER_FILE, "impeller_inertia", "turbine_inertia"),
)


@inline
def converter_torques(p, impeller_speed, turbine_speed):
    """Return the torques and their slopes: (T_i, T_t, dT_i/dw_i, dT_i/dw_t, dT_t/dw_i, dT_t/dw_t).

        R   = w_t / w_i,   x = 1 - |1 - R| in [0, 1]       mirrored beyond 1 (overrun)
        T_i = sign (w_i / K(x))^2                           load on the impeller [N m]
        T_t = T_i T(x) for R < 1,  T_t = T_i for R > 1      drive of the turbine [N m]: on overrun the stator freewheels

    If the overrun has its own curve, K(R) of that curve applies beyond 1. The torques are zero while the impeller is at rest or turns
    backward.

    differs: K(1) is finite, so sign(1 - R) would make the torque jump at R = 1. Within the coupling band b the sign is replaced by
    (3 y - y^3) / 2 with y = (1 - R) / b, which joins smoothly at y = +-1. Otherwise a closed throttle would chatter at R = 1.
    """
    if impeller_speed <= 1e-9:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    R = turbine_speed / impeller_speed
    overrun = R > 1.0
    x = 2.0 - R if overrun else R
    if overrun and p[0]["overrun_points"] > 0:
        i, f, df = cell(p[0]["overrun_speed_ratio"], p[0]["overrun_points"], R)
        factor = p[0]["overrun_capacity_factor"]
    else:
        i, f, df = cell(p[0]["converter_speed_ratio"], p[0]["converter_points"], x)
        factor = p[0]["converter_capacity_factor"]
        if overrun:
            df = -df
    ratio = p[0]["converter_torque_ratio"]
    K, dK = factor[i] + f * (factor[i + 1] - factor[i]), df * (factor[i + 1] - factor[i])
    T, dT = ratio[i] + f * (ratio[i + 1] - ratio[i]), df * (ratio[i + 1] - ratio[i])
    if overrun:
        T, dT = 1.0, 0.0

    y = min(1.0, max(-1.0, (1.0 - R) / p[0]["converter_coupling_band"]))
    side, dside = y * (1.5 - 0.5 * y * y), -1.5 * (1.0 - y * y) / p[0]["converter_coupling_band"]
    capacity = (impeller_speed / K) ** 2
    impeller = capacity * side
    by_R = capacity * (dside - 2.0 * side * dK / K)
    impeller_by_t = by_R / impeller_speed
    impeller_by_i = (2.0 * impeller - R * by_R) / impeller_speed
    bend = dT * impeller / impeller_speed
    return impeller, T * impeller, impeller_by_i, impeller_by_t, T * impeller_by_i - R * bend, T * impeller_by_t + bend


def converter_from_values(converter: Values) -> Record:
    """Return the record CONVERTER of the section `torque_converter` (CONVERTER_FILE).

    Raises
    ------
    ConfigError : a speed ratio list does not run from 0 to 1, or the output power of the converter would exceed its input power (torque
        ratio times speed ratio above 1)
    """
    out = record(CONVERTER)
    out[0]["impeller_inertia"], out[0]["turbine_inertia"] = converter["impeller_inertia"], converter["turbine_inertia"]
    out[0]["converter_coupling_band"] = converter["coupling_band"]
    curves = []
    with ErrorCollector() as faults:
        for name in ("capacity_factor", "torque_ratio"):
            with faults.part():
                ratio, value = converter[name].curve_of("speed_ratio", "value")
                if ratio[0] != 0.0 or ratio[-1] != 1.0:
                    raise converter[name].error("speed_ratio", "speed ratios from 0 to 1")
                curves.append((ratio, value))
    torque_ratio = converter["torque_ratio"]
    if (np.diff(torque_ratio["value"]) > 0.0).any():
        raise torque_ratio.error("value", "numbers that do not rise with the speed ratio")
    ratio, (factor, torque) = merge(*curves)
    if np.any(ratio * torque > 1.0 + 1e-9):
        raise torque_ratio.error("value", "a torque ratio times speed ratio of at most 1")
    fields = {"converter_speed_ratio": ratio, "converter_capacity_factor": factor, "converter_torque_ratio": torque}
    store(out, fields, "converter_points", converter)
    if "overrun_capacity_factor" in converter:
        overrun = converter["overrun_capacity_factor"]
        beyond, factor = overrun.curve_of("speed_ratio", "value")
        if beyond[0] != 1.0:
            raise overrun.error("speed_ratio", "speed ratios from 1 upward")
        store(out, {"overrun_speed_ratio": beyond, "overrun_capacity_factor": factor}, "overrun_points", converter)
    return out
