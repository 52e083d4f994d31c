"""Pitman-arm steering: a planar four-bar positions the inner tie-rod joints of the front axle.

The Pitman arm rotates about its pivot by the angle delta, the idler arm follows, and the link between them carries the inner tie-rod
joints. The equations are solved in the steering frame (its x, y plane is the plane of the four-bar, delta is positive about its z, which
turns the wheels to the right) and then transformed to chassis axes [Jain 2016, section 5.4].
"""

from __future__ import annotations

import math

import numpy as np

from simulator.base.algebra.circle import circle
from simulator.base.fields import Field, Number
from simulator.base.jit import inline
from simulator.base.records import Record
from simulator.base.values import Values
from vehicles.steering.contract import GEAR_FILE, SteeredAxle, SteeringKind

FOUR_BAR_ROWS = (
    ("rotation", (3, 3), "1", "rotation matrix from the steering frame to the chassis"),
    ("pivot", (2,), "m", "pivot of the Pitman arm, in the plane of the steering frame"),
    ("arm", (2,), "m", "vector from the pivot to the joint of arm and link, at delta = 0"),
    ("idler_pivot", (2,), "m", "pivot of the idler arm"),
    ("idler", (2,), "m", "vector from the idler pivot to the joint of idler and link, at delta = 0"),
    ("link", (2,), "m", "vector from the arm joint to the idler joint, at delta = 0"),
    ("branch", (), "1", "sign of the square root at delta = 0"),
)
"""Rows of a STEERING record."""

POINT = Number("m", -100.0, 100.0, shape=(3,))
LOCATION = Field("location", POINT, "origin of the steering frame", frame="the chassis frame")
PITMAN_ARM_FILE = (
    LOCATION,
    Field("rotation_y", Number("rad", -math.pi / 2.0, math.pi / 2.0), "rotation angle of the steering frame about y", written="deg"),
    Field("arm_pivot", POINT, "pivot of the Pitman arm", frame="the steering frame"),
    Field("arm_joint", POINT, "joint of arm and link in the straight-ahead position", frame="the steering frame"),
    Field("idler_pivot", POINT, "pivot of the idler arm", frame="the steering frame"),
    Field("idler_joint", POINT, "joint of idler and link in the straight-ahead position", frame="the steering frame"),
    *GEAR_FILE,
)
"""Keys of `type: pitman_arm`."""


def _write(values: Values, p: Record, axle: SteeredAxle) -> None:
    """Fill FOUR_BAR_ROWS, location, inner tie-rod joints and gear of a STEERING record. Raises ConfigError if the four-bar does not close up to
    full lock."""
    out = p[0]
    angle = values["rotation_y"]
    out["location"] = values["location"] + axle.offset
    out["rotation"] = [[math.cos(angle), 0.0, math.sin(angle)], [0.0, 1.0, 0.0], [-math.sin(angle), 0.0, math.cos(angle)]]
    pivot, joint = values["arm_pivot"], values["arm_joint"]
    idler_pivot, idler_joint = values["idler_pivot"], values["idler_joint"]
    out["pivot"], out["arm"] = pivot[:2], (joint - pivot)[:2]
    out["idler_pivot"], out["idler"] = idler_pivot[:2], (idler_joint - idler_pivot)[:2]
    out["link"] = (idler_joint - joint)[:2]
    across = (idler_pivot - joint)[0] * -out["idler"][1] + (idler_pivot - joint)[1] * out["idler"][0]
    out["branch"] = -1.0 if across > 0.0 else 1.0
    if axle.tierod_inner is not None:
        out["tierod"] = (axle.tierod_inner - out["location"]) @ out["rotation"] - [joint[0], joint[1], 0.0]
    for name in ("max_arm_angle", "gear_ratio", "max_rate"):
        out[name] = values[name]
    limit = values["max_arm_angle"]
    if not all(_closes(p, angle) for angle in np.linspace(-limit, limit, 61)):
        raise values.error("max_arm_angle", "an angle up to which arm, link and idler close")


KIND = SteeringKind("pitman_arm", PITMAN_ARM_FILE, write=_write, meaning="a Pitman arm, an idler arm and a link between them")


def _closes(p: Record, angle: float) -> bool:
    """Return True when link and idler reach from the arm joint to the idler pivot and form a triangle."""
    g = p[0]
    c, sn = math.cos(angle), math.sin(angle)
    joint = g["pivot"] + np.array([[c, -sn], [sn, c]]) @ g["arm"]
    reach, link, idler = (np.linalg.norm(side) for side in (g["idler_pivot"] - joint, g["link"], g["idler"]))
    return bool(abs(link - idler) < reach < link + idler)


@inline
def place_on_link(p, n, s, q):
    """Compute the inner tie-rod joints of steered axle n on the link with velocity and acceleration, from the state of the Pitman arm.

    In the plane of the four-bar ^ rotates a vector by a right angle and `_1`, `_2` are derivatives by delta. r is the Pitman arm and a
    its joint with the link, w points from a to the idler pivot, i is the idler arm (u at delta = 0), d = w + i the link, k a tie-rod
    joint relative to a. The link is rotated by `turn` from its orientation at delta = 0 (cl, sl its cosine and sine; ci, si those of the
    idler's angle).

        |d| = link:  A cos + B sin = C,  A = w . u,  B = w_y u_x - w_x u_y,  C = (link^2 - w . w - u . u) / 2       (19)
        idler_1 = d . r^ / d . i^,  d_1 = idler_1 i^ - r^                                                           (20)
        idler_2 = (-d . r - d_1 . d_1 + idler_1^2 d . i) / d . i^,  d_2 = idler_2 i^ - idler_1^2 i + r              (21)
        turn_1 = (d_x d_1y - d_y d_1x) / link^2,  turn_2 = (d_x d_2y - d_y d_2x) / link^2                           (22)
        Q = a + k,  Q_1 = r^ + turn_1 k^,  Q_2 = -r + turn_2 k^ - turn_1^2 k                                        (23)
        Q_dot = Q_1 rate,  Q_ddot = Q_1 acceleration + Q_2 rate^2

    delta, rate and acceleration are those of the arm of this axle, `ratio` times those of the steering gear.

    The equation numbers are those of the closed-form page of the docs. In the code `across` is d . i^, x_1 and x_2 belong to Q, and c,
    sn are cosine and sine of delta.

    Parameters
    ----------
    p : (n,) records of STEERING
    s : record of STEERING_STATE
    q : record of INPUTS of the corners; Q, Q_1, Q_dot, Q_ddot of the two corners are written
    """
    g, ratio = p[n], p[n]["ratio"]
    delta, rate, acceleration = ratio * s[0]["angle"], ratio * s[0]["rate"], ratio * s[0]["acceleration"]
    c, sn = math.cos(delta), math.sin(delta)

    # arm joint and its derivatives by delta
    rx, ry = c * g["arm"][0] - sn * g["arm"][1], sn * g["arm"][0] + c * g["arm"][1]
    ax, ay = g["pivot"][0] + rx, g["pivot"][1] + ry

    # (19) idler angle from the length of the link
    wx, wy = g["idler_pivot"][0] - ax, g["idler_pivot"][1] - ay
    ux, uy = g["idler"][0], g["idler"][1]
    length2 = g["link"][0] * g["link"][0] + g["link"][1] * g["link"][1]
    ci, si = circle(wx * ux + wy * uy, wy * ux - wx * uy, 0.5 * (length2 - wx * wx - wy * wy - ux * ux - uy * uy), g["branch"])
    ix, iy = ci * ux - si * uy, si * ux + ci * uy
    dx, dy = wx + ix, wy + iy
    across = dy * ix - dx * iy  # (20), (21): derivatives
    idler_1 = (dy * rx - dx * ry) / across
    dx_1, dy_1 = ry - idler_1 * iy, idler_1 * ix - rx
    idler_2 = (-dx * rx - dy * ry - dx_1 * dx_1 - dy_1 * dy_1 + idler_1 * idler_1 * (dx * ix + dy * iy)) / across
    dx_2 = rx - idler_2 * iy - idler_1 * idler_1 * ix
    dy_2 = ry + idler_2 * ix - idler_1 * idler_1 * iy

    # (22) rotation of the link
    cl, sl = (g["link"][0] * dx + g["link"][1] * dy) / length2, (g["link"][0] * dy - g["link"][1] * dx) / length2
    turn_1 = (dx * dy_1 - dy * dx_1) / length2
    turn_2 = (dx * dy_2 - dy * dx_2) / length2

    # (23) the joints, in chassis axes
    for side in range(2):
        i = g["corner"] + side
        tx, ty, tz = g["tierod"][side, 0], g["tierod"][side, 1], g["tierod"][side, 2]
        kx, ky = cl * tx - sl * ty, sl * tx + cl * ty
        x_1, y_1 = -ry - turn_1 * ky, rx + turn_1 * kx
        x_2 = -rx - turn_2 * ky - turn_1 * turn_1 * kx
        y_2 = -ry + turn_2 * kx - turn_1 * turn_1 * ky
        for j in range(3):
            X, Y = g["rotation"][j, 0], g["rotation"][j, 1]
            q[0]["Q"][j, i] = g["location"][j] + X * (ax + kx) + Y * (ay + ky) + g["rotation"][j, 2] * tz
            Q_1 = X * x_1 + Y * y_1
            q[0]["Q_1"][j, i] = ratio * Q_1
            q[0]["Q_dot"][j, i] = Q_1 * rate
            q[0]["Q_ddot"][j, i] = Q_1 * acceleration + (X * x_2 + Y * y_2) * rate * rate
