"""Twist of the half shafts: one spring with a damper at the driveshaft, between the gearbox and the wheels.

Without the twist the driveshaft turns with the row n . W of the wheels (driveline.py). With it the driveshaft has a speed w_d of its own.
T_s is the torque of the spring, theta the twist, J the inertia that turns with the driveshaft and Q the impulse on it over a step of h:

    J (w_d' - w_d) = Q - h T_s,    theta' = theta + h r',    T_s = K theta' + C r',    r' = w_d' - n . W'

All values with ' are those at the end of the step (implicit Euler), so the step is stable for any stiffness. The numerical damping ratio of
the oscillation at the angular frequency w is h w / 2. With S = h (K h + C), the elimination of w_d' gives

    h T_s = Q* - J* n . (W' - W),    J* = J S / (J + S),    Q* = (Q S + J (h K theta + S (w_d - n . W))) / (J + S)

so the solver of the wheels (driveline.py) sees the inertia J* and the impulse Q* instead of J and Q.

A half shaft i carries n_i h_i T_s, with the hub ratio h_i, and twists by n_i h_i T_s / k. All half shafts together therefore have the
stiffness K = k / sum (n_i h_i)^2 at the driveshaft, and the same holds for the damping.

differs: the final drives and the losses are on the side of the wheels. A difference between the twists of left and right, as with a locked
differential on unequal grip, is not a state.
"""

from __future__ import annotations

from simulator.base.fields import Field, Number
from simulator.base.jit import inline
from simulator.base.records import Record
from simulator.base.values import Values

MIN_STIFFNESS = 100.0
"""N m/rad. Smallest torsional stiffness of a half shaft; a full torque would twist a softer one by many turns."""

TWIST_FILE = (
    Field(
        "half_shaft_stiffness",
        Number("N m/rad", 0.0, 1e7),
        "torsional stiffness of the half shaft of one driven wheel, including its part of the propeller shaft; 0: rigid",
        0.0,
    ),
    Field("half_shaft_damping", Number("N m s/rad", 0.0, 1e5), "torsional damping of the half shaft of one driven wheel", 0.0),
)
"""Optional keys of the section `driveline` of a drivetrain file."""

TWIST = (
    # name               shape  unit         what it is
    ("twist_stiffness", (), "N m/rad", "torsional stiffness of all half shafts at the driveshaft; 0: rigid"),
    ("twist_damping", (), "N m s/rad", "torsional damping of all half shafts at the driveshaft"),
)

TWIST_STATE = (
    # name               shape  unit    what it is
    ("twist", (), "rad", "twist of all half shafts at the driveshaft, + = the driveshaft is ahead of the wheels"),
    ("shaft_end_speed", (), "rad/s", "speed of the driveshaft at the gearbox; not used with rigid half shafts"),
    ("shaft_end_change", (), "rad/s", "scratch: speed change of the driveshaft at the gearbox"),
)


@inline
def shaft_end_speed(p, s, turned):
    """Return the speed of the driveshaft at the gearbox [rad/s]; turned : its speed with rigid half shafts, n . W."""
    return s[0]["shaft_end_speed"] if p[0]["twist_stiffness"] > 0.0 else turned


@inline
def twist_slope(p, h):
    """Return d(impulse of the spring over a step) / d(speed difference at its end) [N m s2/rad], S of the module."""
    return h * (p[0]["twist_stiffness"] * h + p[0]["twist_damping"])


@inline
def through_twist(p, s, inertia, impulse, turned, h):
    """Return the (inertia [kg m2], impulse [N m s]) of the driveshaft as the wheels see them, J* and Q* of the module.

    turned : n . W at the start of the step [rad/s]
    """
    if p[0]["twist_stiffness"] == 0.0:
        return inertia, impulse
    slope = twist_slope(p, h)
    behind = h * p[0]["twist_stiffness"] * s[0]["twist"] + slope * (s[0]["shaft_end_speed"] - turned)
    return inertia * slope / (inertia + slope), (impulse * slope + inertia * behind) / (inertia + slope)


@inline
def shaft_end_change(p, s, inertia, impulse, turned, change, h):
    """Return the speed change of the driveshaft at the gearbox [rad/s] for the change n . (W' - W) at the wheels."""
    if p[0]["twist_stiffness"] == 0.0:
        return change
    slope, held = twist_slope(p, h), h * p[0]["twist_stiffness"] * s[0]["twist"]
    return (impulse - held + slope * (turned + change - s[0]["shaft_end_speed"])) / (inertia + slope)


@inline
def advance_twist(p, s, turned, h):
    """Advance the twist by a step whose `shaft_end_change` is known; turned : n . W at the end of the step [rad/s]."""
    if p[0]["twist_stiffness"] > 0.0:
        s[0]["shaft_end_speed"] += s[0]["shaft_end_change"]
        s[0]["twist"] += h * (s[0]["shaft_end_speed"] - turned)


@inline
def set_twist(p, s, turned, torque):
    """Set the steady twist under a torque on the driveshaft [N m], at the speed n . W of the wheels `turned` [rad/s]."""
    s[0]["shaft_end_speed"] = turned
    s[0]["twist"] = torque / p[0]["twist_stiffness"] if p[0]["twist_stiffness"] > 0.0 else 0.0


def write_twist(driveline: Values, squares: float, out: Record) -> None:
    """Write the rows TWIST from the keys of the section `driveline`; squares : sum of (n_i h_i)^2 of the module.

    Raises ConfigError for a stiffness that is too small, or for damping of a rigid shaft.
    """
    stiffness, damping = driveline["half_shaft_stiffness"], driveline["half_shaft_damping"]
    if 0.0 < stiffness < MIN_STIFFNESS:
        raise driveline.error("half_shaft_stiffness", f"0, or at least {MIN_STIFFNESS:g} N m/rad")
    if damping > 0.0 and stiffness == 0.0:
        raise driveline.error("half_shaft_damping", "0 without half_shaft_stiffness")
    out[0]["twist_stiffness"], out[0]["twist_damping"] = stiffness / squares, damping / squares
