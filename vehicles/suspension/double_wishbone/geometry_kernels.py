"""Geometry kernels of a double-wishbone corner: constants from hardpoints and bodies (`geometry`), and detection of faults."""

from __future__ import annotations

import math

from simulator.base.algebra.vectors import add_scaled, column, cross, dot, scale, store, sub, symmetric_in_frame, symmetric_times, vector
from simulator.base.jit import inline, kernel
from vehicles.suspension.double_wishbone.kinematics import BODIES, CARRIER, LOWER_ARM, SHOCK_LOWER, SHOCK_UPPER, TIEROD, UPPER_ARM, UPRIGHT
from vehicles.suspension.rod import rod_inertia

POINTS = ("lower_arm_point", "upper_arm_point", "D", "F", "K", "Q", "B", "J", "S", "U", "W")
DIRECTIONS = ("lower_arm_axis", "upper_arm_axis", "axle")
JOINTS = ("upright_axes", "tierod_axes", "shock_axes")

DESIGN_BODIES = (*BODIES, "knuckle", "wheel")
"""Bodies of a DESIGN: the last two form the carrier."""
KNUCKLE, WHEEL = len(BODIES), len(BODIES) + 1

DESIGN = (
    # name        shape      unit     what it is
    *((name, (3,), "m", "point of a `DoubleWishboneCorner`") for name in POINTS),
    *((name, (3,), "1", "direction of a `DoubleWishboneCorner`") for name in DIRECTIONS),
    *((name, (2, 3), "1", "axes of a universal joint of a `DoubleWishboneCorner`") for name in JOINTS),
    ("turned", (3, 3), "1", "attitude of the carrier relative to that between the hardpoints"),
    ("mass", (len(DESIGN_BODIES),), "kg", "masses of DESIGN_BODIES"),
    ("com", (len(DESIGN_BODIES), 3), "m", "centers of mass of DESIGN_BODIES"),
    ("inertia", (len(DESIGN_BODIES), 3, 3), "kg m2", "inertias about these centers of mass"),
    ("spin_inertia", (), "kg m2", "inertia of the wheel about its axle"),
    ("fault", (), "1", "number of the first fault; 0: none", "i8"),
    ("value", (), "", "value that caused the fault"),
)
"""Description of a corner for the kernels, in chassis axes."""

SHORT_KINGPIN, DEAD_UPPER_ARM, ALONG_UPRIGHT, ALONG_SHOCK, SHORT_TIEROD, SHORT_ARM, DEAD_ARM, ALONG_TIEROD = range(1, 9)
"""Fault numbers."""


@kernel
def write_arms(design, parameters, i):
    """Write the constants of the arms and of the rods with fixed lengths into column i of DOUBLE_WISHBONES."""
    d, out = design[0], parameters[0]
    A, G = vector(d["lower_arm_point"]), vector(d["upper_arm_point"])
    e_L = jounce_axis(vector(d["lower_arm_axis"]), A, vector(d["D"]))
    e_U = jounce_axis(vector(d["upper_arm_axis"]), G, vector(d["F"]))
    store(out["e_L"], i, e_L)
    store(out["e_U"], i, e_U)
    store_hinged(out["D"], i, A, e_L, vector(d["D"]))
    store_hinged(out["B"], i, A, e_L, vector(d["B"]))
    store_hinged(out["S"], i, A, e_L, vector(d["S"]))
    store_hinged(out["lower_arm_com"], i, A, e_L, row(d["com"], LOWER_ARM))
    store_direction(out["upright_axis"], i, e_L, unit(row(d["upright_axes"], 0)))
    store_direction(out["shock_axis"], i, e_L, unit(row(d["shock_axes"], 0)))
    store_hinged(out["F"], i, G, e_U, vector(d["F"]))
    store_hinged(out["upper_arm_com"], i, G, e_U, row(d["com"], UPPER_ARM))
    store_hinged_inertia(out["lower_arm_inertia"], i, e_L, inertia_of_body(d, LOWER_ARM))
    store_hinged_inertia(out["upper_arm_inertia"], i, e_U, inertia_of_body(d, UPPER_ARM))
    store(out["J"], i, vector(d["J"]))
    store(out["U"], i, vector(d["U"]))
    for b in range(len(BODIES)):
        out["mass"][b, i] = d["mass"][b]

    D, F, B, J = vector(d["D"]), vector(d["F"]), vector(d["B"]), vector(d["J"])
    kingpin, shock = sub(F, D), unit(sub(J, B))
    out["kingpin_length"][i] = positive(design, SHORT_KINGPIN, norm(kingpin))
    radius = column(out["F"][1], i)
    out["upper_arm_branch"][i] = branch(design, DEAD_UPPER_ARM, dot(kingpin, cross(e_U, radius)))
    n = unit(kingpin)
    out["upright_branch"][i] = rod_sign(design, ALONG_UPRIGHT, n, d["upright_axes"])
    store_body(out["upright_com"], out["upright_inertia"], i, rod_frame(D, n, d["upright_axes"]), body_of(d, UPRIGHT))
    out["shock_branch"][i] = rod_sign(design, ALONG_SHOCK, shock, d["shock_axes"])
    store_body(out["shock_lower_com"], out["shock_lower_inertia"], i, rod_frame(B, shock, d["shock_axes"]), body_of(d, SHOCK_LOWER))
    store_body(out["shock_upper_com"], out["shock_upper_inertia"], i, rod_frame(J, shock, d["shock_axes"]), body_of(d, SHOCK_UPPER))


@kernel
def write_rod(design, corners, parameters, i):
    """Write the constants of the tie rod and of the parts that rotate about the kingpin into column i of DOUBLE_WISHBONES and CORNERS.

    Position and direction of the wheel depend on the tie rod.
    """
    d, common, out = design[0], corners[0], parameters[0]
    common["spin_inertia"][i] = d["spin_inertia"]
    D, K, Q, W = vector(d["D"]), vector(d["K"]), vector(d["Q"]), vector(d["W"])
    n, arm, rod = unit(sub(vector(d["F"]), D)), sub(K, D), sub(Q, K)
    out["tierod_length"][i] = positive(design, SHORT_TIEROD, norm(rod))
    height = dot(arm, n)
    across = add_scaled(arm, -height, n)
    radius = positive(design, SHORT_ARM, norm(across))
    x = scale(1.0 / radius, across)
    y = cross(n, x)
    out["arm_radius"][i], out["arm_height"][i] = radius, height
    out["tierod_branch"][i] = branch(design, DEAD_ARM, dot(sub(D, Q), y))
    store(out["wheel_centre"], i, along(x, y, n, sub(W, D)))
    store(out["wheel_axis"], i, along(x, y, n, unit(vector(d["axle"]))))

    along_rod = unit(rod)
    out["tierod_sign"][i] = rod_sign(design, ALONG_TIEROD, along_rod, d["tierod_axes"])
    store_body(out["tierod_com"], out["tierod_inertia"], i, rod_frame(K, along_rod, d["tierod_axes"]), body_of(d, TIEROD))
    store(out["tierod_axis"], i, along(x, y, n, unit(row(d["tierod_axes"], 0))))
    store_body(out["carrier_com"], out["carrier_inertia"], i, (D, x, y, n), body_of(d, CARRIER))
    for j in range(3):
        turned = d["turned"][0, j], d["turned"][1, j], d["turned"][2, j]
        frame = common["design_frame"]
        frame[j, 0, i], frame[j, 1, i], frame[j, 2, i] = dot(turned, x), dot(turned, y), dot(turned, n)
    common["design_wheel_x"][i], common["design_wheel_z"][i] = W[0], W[2]


@kernel
def turn_to_rod(design, length):
    """Rotate the knuckle with its parts about the kingpin until the tie rod has the length [m].

    The kingpin goes from the lower ball joint D to the upper one F. With f the foot of the outer tie-rod joint K on the kingpin, r from f
    to K, k = n x r (n along the kingpin) and the inner tie-rod joint Q

        |Q - K|^2 = |Q - f|^2 + r^2 - 2 (Q - f) . (r cos x + k sin x)                                                    (1)

    so the angle x follows from a circle. Of the two solutions the one on the present side of the dead point is used. Return False, without
    a change, if there is no solution.
    """
    d = design[0]
    D, K, Q = vector(d["D"]), vector(d["K"]), vector(d["Q"])
    n = unit(sub(vector(d["F"]), D))
    foot = add_scaled(D, dot(sub(K, D), n), n)
    r, q = sub(K, foot), sub(Q, foot)
    along_arm, across = dot(q, r), dot(q, cross(n, r))
    reach = 0.5 * (dot(q, q) + dot(r, r) - length * length) / math.hypot(along_arm, across)
    if not -1.0 < reach < 1.0:
        return False
    angle = math.atan2(across, along_arm) - math.copysign(math.acos(reach), across)
    x, y, z = rotated(n, angle, (1.0, 0.0, 0.0)), rotated(n, angle, (0.0, 1.0, 0.0)), rotated(n, angle, (0.0, 0.0, 1.0))
    rotate_point(d["K"], D, n, angle)
    rotate_point(d["W"], D, n, angle)
    put(d["axle"], rotated(n, angle, vector(d["axle"])))
    attitude = d["turned"]
    for j in range(3):
        attitude[0, j], attitude[1, j], attitude[2, j] = rotated(n, angle, (attitude[0, j], attitude[1, j], attitude[2, j]))
    for b in (CARRIER, KNUCKLE, WHEEL):
        rotate_point(d["com"][b], D, n, angle)
        put_inertia(d["inertia"][b], symmetric_in_frame(x, y, z, inertia_of_body(d, b)))
    move_rod(d, K)
    return True


@inline
def move_rod(d, old):
    """Move the straight tie rod, whose outer joint was at `old`: same relative position of its center of mass, same moments of inertia."""
    K, Q, com, S = vector(d["K"]), vector(d["Q"]), row(d["com"], TIEROD), inertia_of_body(d, TIEROD)
    before, after = sub(Q, old), sub(Q, K)
    n, m = unit(before), unit(after)
    put(d["com"][TIEROD], add_scaled(K, dot(sub(com, old), n) / norm(before), after))
    axial = dot(n, symmetric_times(S, n))
    put_inertia(d["inertia"][TIEROD], rod_inertia(m, axial, 0.5 * (S[0] + S[1] + S[2] - axial)))
    lower = vector(d["lower_arm_axis"])
    first = unit(add_scaled(lower, -dot(m, lower), m))
    put(d["tierod_axes"][0], first)
    put(d["tierod_axes"][1], cross(m, first))


@inline
def rotate_point(point, on, n, angle):
    """Rotate a point, in a field of shape (3,), about the line through `on` along n."""
    put(point, add_scaled(on, 1.0, rotated(n, angle, sub(vector(point), on))))


@inline
def rotated(n, angle, a):
    """Return the vector a rotated about the unit vector n by an angle."""
    c, across = math.cos(angle), cross(n, a)
    return add_scaled(add_scaled(scale(c, a), math.sin(angle), across), (1.0 - c) * dot(n, a), n)


# Vectors and faults --------------------------------------------------------------------------------------------------------


@inline
def row(field, k):
    """Return the vector in row k of a field of shape (n, 3)."""
    return field[k, 0], field[k, 1], field[k, 2]


@inline
def norm(a):
    """Return |a|."""
    return math.sqrt(dot(a, a))


@inline
def unit(a):
    """Return a / |a|."""
    length = norm(a)
    return a[0] / length, a[1] / length, a[2] / length


@inline
def along(x, y, z, a):
    """Return the coordinates of a in the frame of unit vectors x, y, z."""
    return dot(x, a), dot(y, a), dot(z, a)


@inline
def inertia_of_body(d, b):
    """Return the inertia (xx, yy, zz, xy, xz, yz) of body b of a DESIGN."""
    I = d["inertia"]
    return I[b, 0, 0], I[b, 1, 1], I[b, 2, 2], I[b, 0, 1], I[b, 0, 2], I[b, 1, 2]


@inline
def body_of(d, b):
    """Return center of mass and inertia of body b of a DESIGN."""
    return row(d["com"], b), inertia_of_body(d, b)


@inline
def rod_frame(origin, rod, axes):
    """Return origin and axes of the frame of a rod along a unit vector: the rod, its second joint axis, their product."""
    across = second_axis(rod, axes)
    return origin, rod, across, cross(rod, across)


@inline
def inertia_along(x, y, z, S):
    """Return a symmetric matrix in the frame of unit vectors x, y, z."""
    X, Y, Z = symmetric_times(S, x), symmetric_times(S, y), symmetric_times(S, z)
    return dot(x, X), dot(y, Y), dot(z, Z), dot(x, Y), dot(x, Z), dot(y, Z)


@inline
def jounce_axis(axis, on, ball):
    """Return the hinge axis with the sign for which a positive angle raises the outer ball joint."""
    e = unit(axis)
    return e if cross(e, sub(ball, on))[2] > 0.0 else scale(-1.0, e)


@inline
def second_axis(rod, axes):
    """Return the second axis of the universal joint of a rod: across the rod and the first axis, with the sign of the file."""
    y = unit(cross(rod, unit(row(axes, 0))))
    return y if dot(y, row(axes, 1)) > 0.0 else scale(-1.0, y)


@inline
def rod_sign(design, fault, rod, axes):
    """Return the sign of the second axis along rod x first axis."""
    y = cross(rod, unit(row(axes, 0)))
    if norm(y) < 0.1:
        record_fault(design, fault, 0.0)
    return 1.0 if dot(y, row(axes, 1)) > 0.0 else -1.0


@inline
def branch(design, fault, value):
    """Return the sign of the square root in `circle` for the design position.

    With A cos x + B sin x = C solved by `circle`, B cos x - A sin x = -branch * root; `value` is the left side in the design
    position up to a positive factor. If it vanishes, the loop is on a dead point.
    """
    if abs(value) < 1e-9:
        record_fault(design, fault, value)
    return -1.0 if value > 0.0 else 1.0


@inline
def positive(design, fault, value):
    """Return a length, and record a fault if it is not positive."""
    if not value > 1e-6:
        record_fault(design, fault, value)
    return value


@inline
def record_fault(design, fault, value):
    """Record a fault, unless an earlier one is present."""
    if design[0]["fault"] == 0:
        design[0]["fault"], design[0]["value"] = fault, value


# Writing into fields -------------------------------------------------------------------------------------------------------


@inline
def put(field, a):
    """Write a vector into a field of shape (3,)."""
    field[0], field[1], field[2] = a[0], a[1], a[2]


@inline
def put_inertia(field, S):
    """Write a symmetric matrix into a field of shape (3, 3)."""
    field[0, 0], field[1, 1], field[2, 2] = S[0], S[1], S[2]
    field[0, 1], field[0, 2], field[1, 2] = S[3], S[4], S[5]
    field[1, 0], field[2, 0], field[2, 1] = S[3], S[4], S[5]


@inline
def store_six(field, i, S):
    """Write a symmetric matrix as corner i into a field of shape (6, wheels)."""
    for k in range(6):
        field[k, i] = S[k]


@inline
def store_parts(field, i, fixed, r, e):
    """Write the part that is fixed under rotation about an axis e, the rotating part r, and e x r."""
    turned = cross(e, r)
    for j in range(3):
        field[0, j, i], field[1, j, i], field[2, j, i] = fixed[j], r[j], turned[j]


@inline
def store_hinged(field, i, on, e, point):
    """Write a point on a hinge, as `Hinge.point`."""
    foot = add_scaled(on, dot(sub(point, on), e), e)
    store_parts(field, i, foot, sub(point, foot), e)


@inline
def store_direction(field, i, e, a):
    """Write a direction on a hinge, as `Hinge.direction`."""
    fixed = scale(dot(a, e), e)
    store_parts(field, i, fixed, sub(a, fixed), e)


@inline
def store_hinged_inertia(field, i, e, S):
    """Write an inertia S on a hinge, as `Hinge.inertia`: the coefficients of 1, cos x, sin x, cos 2x, sin 2x in R(x) S R(x)^T.

    With l = e . S e, h = S e - l e and m = e x h, the part A of S that is entirely across the axis, its trace t and C = 1 - e e^T

        1: l e e^T + t C / 2,   cos: e h^T + h e^T,   sin: e m^T + m e^T,   cos 2: A - t C / 2,   sin 2: (e x A + (e x A)^T) / 2

    since a symmetric A across the axis, rotated by a right angle, is t C - A.
    """
    g = symmetric_times(S, e)
    l = dot(e, g)
    h = add_scaled(g, -l, e)
    half = 0.5 * (S[0] + S[1] + S[2] - l)
    P, lean, swing = (
        (e[0] * e[0], e[1] * e[1], e[2] * e[2], e[0] * e[1], e[0] * e[2], e[1] * e[2]),
        symmetric_product(e, h),
        symmetric_product(e, cross(e, h)),
    )
    A = (
        S[0] - lean[0] - l * P[0],
        S[1] - lean[1] - l * P[1],
        S[2] - lean[2] - l * P[2],
        S[3] - lean[3] - l * P[3],
        S[4] - lean[4] - l * P[4],
        S[5] - lean[5] - l * P[5],
    )
    C = 1.0 - P[0], 1.0 - P[1], 1.0 - P[2], -P[3], -P[4], -P[5]
    X, Y, Z = cross(e, (A[0], A[3], A[4])), cross(e, (A[3], A[1], A[5])), cross(e, (A[4], A[5], A[2]))
    turned = X[0], Y[1], Z[2], 0.5 * (Y[0] + X[1]), 0.5 * (Z[0] + X[2]), 0.5 * (Z[1] + Y[2])
    for k in range(6):
        field[0, k, i], field[1, k, i], field[2, k, i] = l * P[k] + half * C[k], lean[k], swing[k]
        field[3, k, i], field[4, k, i] = A[k] - half * C[k], turned[k]


@inline
def symmetric_product(a, b):
    """Return a b^T + b a^T."""
    return (
        2.0 * a[0] * b[0],
        2.0 * a[1] * b[1],
        2.0 * a[2] * b[2],
        a[0] * b[1] + b[0] * a[1],
        a[0] * b[2] + b[0] * a[2],
        a[1] * b[2] + b[1] * a[2],
    )


@inline
def store_body(com, inertia, i, frame, body):
    """Write center of mass and inertia (com, six) of a body in a frame (origin, x, y, z) as corner i.

    The fields have the shapes (3, wheels) and (6, wheels).
    """
    origin, x, y, z = frame
    store(com, i, along(x, y, z, sub(body[0], origin)))
    store_six(inertia, i, inertia_along(x, y, z, body[1]))
