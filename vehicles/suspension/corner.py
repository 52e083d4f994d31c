"""The contract of a vehicle's corners, whatever links are in them: from the independent coordinates (INPUTS) to KINEMATICS.

Everything is relative to the chassis, written in chassis axes with the chassis reference point as origin. A subscript `_1` is a
derivative by theta, the independent coordinate of a corner. The two corners of an axle are of one kind, and theta is what suits it:
the angle of the lower arm [rad] of a double wishbone, the height of the wheel centre [m] of a five-link axle.
"""

from __future__ import annotations

from simulator.base.jit import inline
from simulator.base.records import dtype_of
from vehicles.suspension.corner_bodies import BODY_COUNT, MOTION
from vehicles.suspension.double_wishbone.kinematics import DOUBLE_WISHBONE_POINTS, DOUBLE_WISHBONES, double_wishbone_kinematics
from vehicles.suspension.ends import ENDS
from vehicles.suspension.five_link.kinematics import FIVE_LINKS, FOUND, five_link_kinematics

CORNERS = (
    # name                  shape       unit     what it is
    *DOUBLE_WISHBONES,
    ("five_links", (), "", "record of FIVE_LINKS: the rear axle, if it has five links", dtype_of(FIVE_LINKS)),
    ("double_wishbones", (), "1", "corners from the front that are double wishbones: 4, or 2", "i8"),
    ("travel", (2, 4), "rad, m", "least and largest theta at which a standing vehicle is looked for"),
    ("ends", (), "", "record of ENDS: where the travel ends", dtype_of(ENDS)),
    ("J", (3, 4), "m", "upper end of the shock absorber, on the chassis"),
    ("U", (3, 4), "m", "upper end of the spring, on the chassis"),
    ("mass", (BODY_COUNT, 4), "kg", "masses in the order of the BODIES of the corner's kind"),
    ("corner_mass", (4,), "kg", "their sums"),
    ("spin_inertia", (4,), "kg m2", "inertia of the wheel about its axle"),
    ("design_frame", (3, 3, 4), "1", "carrier frame in the design position: columns arm, kingpin x arm, kingpin, in chassis axes"),
    ("design_wheel_x", (4,), "m", "wheel centre ahead of the reference point in the design position"),
    ("design_wheel_z", (4,), "m", "height of the wheel centre in the design position"),
)

INPUTS = (
    ("theta", (4,), "rad, m", "lower-arm angle or height of the wheel centre from the design position, + = jounce"),
    ("theta_dot", (4,), "rad/s, m/s", "its rate"),
    ("Q", (3, 4), "m", "inner joint of tie rod or toe link"),
    ("Q_dot", (3, 4), "m/s", "its velocity relative to the chassis"),
    ("Q_ddot", (3, 4), "m/s2", "its acceleration relative to the chassis"),
)
"""Independent coordinates of the four corners, with their rates. Everything relative to the chassis."""

KINEMATICS = (
    ("W", (3, 4), "m", "wheel centre"),
    ("W_1", (3, 4), "m", "velocity of the wheel centre per theta_dot"),
    ("W_dot", (3, 4), "m/s", "velocity of the wheel centre relative to the chassis"),
    ("axle", (3, 4), "1", "wheel axle, pointing left"),
    ("arm", (3, 4), "1", "first axis of the carrier frame"),
    ("kingpin", (3, 4), "1", "its third axis"),
    ("D", (3, 4), "m", "outer joint of the lower arm, or midway between those of the lower links"),
    ("F", (3, 4), "m", "outer joint of the upper arm, or midway between those of the upper links"),
    ("K", (3, 4), "m", "outer joint of tie rod or toe link"),
    ("B", (3, 4), "m", "lower end of the shock absorber"),
    ("S", (3, 4), "m", "lower end of the spring"),
    ("shock_length", (4,), "m", "length of the shock absorber"),
    ("shock_length_1", (4,), "m", "its derivative by theta"),
    ("shock_length_2", (4,), "m", "its second derivative by theta"),
    ("spring_length", (4,), "m", "length of the spring"),
    ("spring_length_1", (4,), "m", "its derivative by theta"),
    *MOTION,
    *DOUBLE_WISHBONE_POINTS,
    ("five_links", (), "", "record of FOUND: the last position of a five-link axle, from which the next one is sought", dtype_of(FOUND)),
)
"""Positions, velocity map and velocity-squared terms of the corners: in [Jain 2016] the position solution, X_S and X'_S theta'."""


@inline
def corner_kinematics(p, q, cos_theta, sin_theta, k):
    """Position, velocity map and acceleration bias of all four corners, those of a five-link axle after the double wishbones.

    The vector lanes of such an axle go along with the double wishbones: four take half the time of two. What they leave in KINEMATICS is
    written over, but for the fields of DOUBLE_WISHBONE_POINTS, which mean nothing there.

    Parameters
    ----------
    p : record of CORNERS
    q : record of INPUTS
    cos_theta, sin_theta : (4,) of q's theta
    k : record of KINEMATICS, overwritten
    """
    double_wishbone_kinematics(p, q, cos_theta, sin_theta, k)
    if p[0]["double_wishbones"] < 4:
        five_link_kinematics(p, q, k)
