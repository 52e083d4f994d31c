"""Contact of the body with the ground: points of sheet metal and frame, so that a vehicle can lie on its side or its roof.

At a point p of the body below the ground, with the ground normal n, depth = (ground - p_z) n_z and the velocity v of the point:

    normal    N = rate (depth - dent) - damping v . n    from 0 to `strength`; the damper fades in over FADE
    dent      grows as far as N would exceed `strength`; decreases with RECOVERY_SPEED, or to 0 when the point leaves the ground
    tangent   F = -rate u - damping u'    u is the deflection of a bristle that moves with the point; |F| <= friction N

The dent absorbs the energy of a fall: a point returns at most strength^2 / (2 rate), regardless of the height of the fall and of any sudden
rise of the ground. The bristle holds a body at rest in place, without creep.

The points are evaluated only when one of them can be close to the ground. The smallest distance of the last evaluation is reduced by the
path length of the fastest point, times the maximum rise of the ground along this path.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.spatial import unrotated
from simulator.base.algebra.vectors import add, add_scaled, cross, dot, scale, vector
from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.fields import Field, Number
from simulator.base.jit import inline
from simulator.base.records import Record, record
from simulator.base.values import Values
from terrain.composite_height import composed_height_and_normal

MAX_POINTS = 32
MIN_POINTS = 4

FARTHEST = 100.0
"""m. Maximum magnitude of a coordinate of a point."""

BODY_CONTACT = (
    # name        shape              unit     what it is
    ("points", (MAX_POINTS, 3), "m", "points of the body that can touch the ground, in B"),
    ("count", (), "1", "number of these points", "i8"),
    ("reach", (), "m", "distance of the farthest point from the reference point"),
    ("rate", (), "N/m", "stiffness of a point, normal and tangential"),
    ("damping", (), "N s/m", "damping of a point, normal and tangential"),
    ("strength", (), "N", "force at which the sheet metal yields"),
    ("friction", (), "1", "friction coefficient of the body on the ground"),
)

BODY_CONTACT_STATE = (
    ("u", (MAX_POINTS, 3), "m", "tangential deflection of each point, in W"),
    ("dent", (MAX_POINTS,), "m", "depth of the dent at each point"),
    ("away", (), "m", "distance that any point can still move before one can touch the ground"),
    ("r_W", (3,), "m", "scratch: a point, in the world"),
    ("n_W", (3,), "1", "scratch: ground normal at the point"),
    ("touching", (), "1", "number of points that touch the ground", "i8"),
    ("force_B", (3,), "N", "force of the ground on the body, in B"),
    ("couple_B", (3,), "N m", "moment of this force about the reference point, in B"),
)

STRENGTH = 1.7
"""Default strength of a point, as a multiple of the vehicle weight. Larger: harder impacts. Smaller: deeper dents, less rebound."""

YIELD_DEFLECTION = 0.1
"""m. Default deflection at which a point reaches its strength."""

FRICTION = 0.6
"""Default friction coefficient: painted metal and rubber on soil or asphalt."""

DAMPING = 0.4
"""Damping ratio of a quarter of the vehicle mass on one point."""

RECOVERY_SPEED = 0.25
"""m/s. Speed at which a dent disappears: the view draws the body undeformed, so the body must not stay below the ground."""

FADE = 0.02
"""m. Depth over which the damper fades in, so that first contact causes no force jump."""

ROOF = 0.12
"""m. Height of the default roof above the driver's head, for files without contact points."""


@inline
def touch_ground(p, s, state, R, ground, h):
    """Write the forces of the ground on the body over a step of h seconds into the state record s.

    Parameters
    ----------
    p, s : records of BODY_CONTACT and BODY_CONTACT_STATE
    state : record of STATE of the vehicle
    R : (3, 3) R_WB
    ground : GroundArrays
    """
    o = s[0]
    v_B, w_B = vector(state[0]["v_WB_B"]), vector(state[0]["w_WB_B"])
    fastest = math.sqrt(dot(v_B, v_B)) + p[0]["reach"] * math.sqrt(dot(w_B, w_B))
    g = ground.p[0]
    o["away"] -= h * fastest * (1.0 + g["steepest"] + abs(g["slope"][0]) + abs(g["slope"][1]))
    if o["away"] > 0.0:
        return
    force, couple = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    nearest = math.inf
    touching = 0
    for i in range(p[0]["count"]):
        r = vector(p[0]["points"][i])
        gap, f = touch_point(p, s, i, state, R, ground, add(v_B, cross(w_B, r)), h)
        nearest = min(nearest, gap)
        if gap < 0.0:
            touching += 1
            force, couple = add(force, f), add(couple, cross(r, f))
    o["away"] = nearest
    o["touching"] = touching
    for j in range(3):
        o["force_B"][j], o["couple_B"][j] = force[j], couple[j]


@inline
def touch_point(p, s, i, state, R, ground, v_B, h):
    """Return (height above the ground [m], force [N] in B) of point i, which moves with v_B [m/s], in B."""
    q, x, u = p[0], state[0]["p_WB"], s[0]["u"][i]
    r, n = s[0]["r_W"], s[0]["n_W"]
    for j in range(3):
        r[j] = x[j] + R[j, 0] * q["points"][i, 0] + R[j, 1] * q["points"][i, 1] + R[j, 2] * q["points"][i, 2]
    gap = r[2] - composed_height_and_normal(ground, r[0], r[1], n)
    if gap >= 0.0:
        u[0] = u[1] = u[2] = s[0]["dent"][i] = 0.0
        return gap, (0.0, 0.0, 0.0)

    normal = unrotated(R, vector(n))
    depth = -gap * n[2]
    dent = max(s[0]["dent"][i] - h * RECOVERY_SPEED, depth - q["strength"] / q["rate"], 0.0)
    s[0]["dent"][i] = dent
    pressed = depth - dent
    damping = q["damping"] * min(max(pressed / FADE, 0.0), 1.0)
    speed = dot(v_B, normal)
    load = min(max(q["rate"] * pressed - damping * speed, 0.0), q["strength"])

    # bristle deflection, projected onto the tangent plane of the ground
    slide = add_scaled(v_B, -speed, normal)
    drawn = add_scaled(unrotated(R, vector(u)), h, slide)
    drawn = add_scaled(drawn, -dot(drawn, normal), normal)
    across = add_scaled(scale(-q["rate"], drawn), -q["damping"], slide)
    magnitude = math.sqrt(dot(across, across))
    limit = q["friction"] * load
    if magnitude > limit:
        across = scale(limit / magnitude, across)
        drawn = scale(-1.0 / q["rate"], across)
    for j in range(3):
        u[j] = R[j, 0] * drawn[0] + R[j, 1] * drawn[1] + R[j, 2] * drawn[2]
    return gap, add_scaled(across, load, normal)


BODY_FILE = (
    Field(
        "contact_points_left",
        Number("m", -FARTHEST, FARTHEST, shape=((MIN_POINTS // 2, MAX_POINTS // 2), 3)),
        "points of the left side that can touch the ground; the right side is the mirror image; default: the points of a box",
        None,
        "the chassis frame",
    ),
    Field(
        "contact_strength", Number("N", 0.0, 1e9, above=0.0), "force at which a point of the body yields; default: from the weight", None
    ),
    Field("contact_rate", Number("N/m", 0.0, 1e9, above=0.0), "stiffness of a point below this force; default: from the weight", None),
    Field("contact_friction", Number("1", 0.0, 2.0), "friction coefficient of the body on the ground", FRICTION),
)
"""Contact fields of the section `body` of a vehicle file."""


def read_body_contact(
    body: Values, points_left: NDArray[np.float64] | None, mass: float, box: tuple[NDArray[np.float64], NDArray[np.float64]]
) -> Record:
    """Return the record of BODY_CONTACT from the `body` section of a vehicle file.

    All keys of BODY_FILE are optional. Without points, the corners and edge midpoints of a box touch the ground.

    Parameters
    ----------
    points_left : result of `contact_points_left` [m]
    mass : total mass of the vehicle [kg]
    box : minimum and maximum x, y, z of the body, in B [m]
    """
    p = record(BODY_CONTACT)
    q = p[0]
    points = _box_points(*box) if points_left is None else _mirrored(points_left)
    q["count"] = len(points)
    q["points"][: len(points)] = points
    q["reach"] = np.linalg.norm(points, axis=1).max()
    q["strength"] = body.get("contact_strength", STRENGTH * mass * STANDARD_GRAVITY)
    q["rate"] = body.get("contact_rate", STRENGTH * mass * STANDARD_GRAVITY / YIELD_DEFLECTION)
    q["friction"] = body["contact_friction"]
    q["damping"] = 2.0 * DAMPING * math.sqrt(q["rate"] * mass / 4.0)
    return p


def contact_points_left(body: Values) -> NDArray[np.float64] | None:
    """Return the points (n, 3) [m] of the left side of the body, in B, from the section `body`; None without points. Raises ConfigError."""
    points: NDArray[np.float64] | None = body.get("contact_points_left")
    if points is not None and (points[:, 1] < 0.0).any():
        raise body.error("contact_points_left", "points with y >= 0; the right side is their mirror image")
    return points


def _mirrored(left: NDArray[np.float64]) -> NDArray[np.float64]:
    right = left[left[:, 1] > 0.0] * [1.0, -1.0, 1.0]
    return np.concatenate([left, right])


def _box_points(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the corners of a box and the midpoints of its edges along x."""
    x = (low[0], 0.5 * (low[0] + high[0]), high[0])
    return np.array([(a, b, c) for a in x for b in (low[1], high[1]) for c in (low[2], high[2])])
