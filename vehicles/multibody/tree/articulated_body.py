"""Forward dynamics of a tree by the articulated-body recursion with O(N) steps [Jain 2016, eqs 3-7].

The names follow the paper. P(k) articulated inertia, H(k) joint map, D(k) = H P H*, G(k) = P H* / D, z(k) bias force,
epsilon = T - H z, nu = epsilon / D, alpha(k) acceleration, a(k) Coriolis acceleration, b(k) gyroscopic minus applied force; a plus as in
z+ marks the inner side of a joint. All quantities are in world axes, so phi(p, k) only shifts by r = p_PK.
"""

from __future__ import annotations

from simulator.base.algebra.spatial import (
    add_rank_one,
    add_shifted,
    add_six,
    inertia_times,
    lower,
    rotated,
    shift_force,
    shift_motion,
    store_six,
    unrotated,
    upper,
)
from simulator.base.algebra.vectors import add, dot, scale, sub, vector
from simulator.base.jit import inline, kernel
from vehicles.multibody.tree.tree import FIXED, FREE, PRISMATIC, REVOLUTE, SPHERICAL

JOINT_SPACE = (
    # name    shape    unit   description
    ("G", (6,), "1", "G(k) of a node with one degree of freedom"),
    ("D", (), "kg m2, kg", "D(k) of such a node"),
    ("nu", (), "rad/s2, m/s2", "nu(k) of such a node"),
    ("L", (6, 6), "", "lower factor of D(k) = L L^T of a spherical or free node"),
    ("K", (6, 3), "", "G(k) of a spherical node"),
    ("nus", (6,), "rad/s2, m/s2", "nu(k) of a spherical or free node"),
)
"""Results of the recursion for a joint."""

NO_INERTIA = 1e-14
"""A joint moves no inertia when D is below this fraction of its terms: a thin rod about its own axis, up to rounding."""


@kernel
def articulated_body(tree, joints, T, accel):
    """Compute the joint accelerations of the tree, after `tree.start_inertias`.

    Parameters
    ----------
    tree : Tree
    joints : (n,) record of JOINT_SPACE, overwritten
    T : (n_v,) joint forces [N m, N]
    accel : (n_v,) joint accelerations, overwritten; those of prescribed joints are read

    Returns
    -------
    Node whose D is not positive up to rounding (a joint that moves no inertia), or 0 for success.
    """
    failed = gather(tree, joints, T, accel)
    if failed == 0:
        scatter(tree, joints, accel)
    return failed


@kernel
def gather(tree, joints, T, accel):
    """Run the tip-to-base recursion, eqs (4) and (6). Return the node of a failure, or 0."""
    failed = 0
    for k in range(tree.nodes.shape[0] - 1, 0, -1):
        add_coriolis_force(tree.motion[k])
        if not gather_node(tree, joints, k, T, accel) and failed == 0:
            failed = k  # the outermost failure; inward of it all values are NaN
        pass_inward(tree, k)
    return failed


@inline
def add_coriolis_force(m):
    """Add z += P a, the last term of eq (6)."""
    n, f = inertia_times(m["A"], m["B"], m["C"], upper(m["a"]), lower(m["a"]))
    add_six(m["z"], n, f)


@inline
def gather_node(tree, joints, k, T, accel):
    """Compute D, G, nu of node k; P and z become P+ and z+. Return False when D is not positive."""
    node, m, joint = tree.nodes[k], tree.motion[k], joints[k]
    kind, i = node["kind"], node["v"]
    A, B, C = m["A"], m["B"], m["C"]
    if kind == FIXED:
        return True
    if node["prescribed"]:
        force_prescribed(node, m, accel)
        return True
    if kind in (REVOLUTE, PRISMATIC):
        n, f = times_axis(kind, A, B, C, vector(m["h"]))
        least = NO_INERTIA * (A[0] + A[1] + A[2] if kind == REVOLUTE else C[0] + C[1] + C[2])
        D = dot(vector(m["h"]), n) if kind == REVOLUTE else dot(vector(m["h"]), f)
        epsilon = T[i] - (dot(vector(m["h"]), upper(m["z"])) if kind == REVOLUTE else dot(vector(m["h"]), lower(m["z"])))
        inverse = 1.0 / D
        joint["D"], joint["nu"] = D, epsilon * inverse
        store_six(joint["G"], scale(inverse, n), scale(inverse, f))
        add_rank_one(A, B, C, -inverse, n, f)
        add_six(m["z"], scale(joint["nu"], n), scale(joint["nu"], f))
        return max(least, 0.0) < D
    if kind == SPHERICAL:
        return gather_spherical(m, joint, T, i)
    return gather_free(m, joint, T, i)


@inline
def times_axis(kind, A, B, C, h):
    """Return P H* of a joint with the axis h: angular and linear part."""
    if kind == REVOLUTE:
        return (
            (
                A[0] * h[0] + A[3] * h[1] + A[4] * h[2],
                A[3] * h[0] + A[1] * h[1] + A[5] * h[2],
                A[4] * h[0] + A[5] * h[1] + A[2] * h[2],
            ),
            (
                B[0, 0] * h[0] + B[1, 0] * h[1] + B[2, 0] * h[2],
                B[0, 1] * h[0] + B[1, 1] * h[1] + B[2, 1] * h[2],
                B[0, 2] * h[0] + B[1, 2] * h[1] + B[2, 2] * h[2],
            ),
        )
    return (
        (
            B[0, 0] * h[0] + B[0, 1] * h[1] + B[0, 2] * h[2],
            B[1, 0] * h[0] + B[1, 1] * h[1] + B[1, 2] * h[2],
            B[2, 0] * h[0] + B[2, 1] * h[1] + B[2, 2] * h[2],
        ),
        (
            C[0] * h[0] + C[3] * h[1] + C[4] * h[2],
            C[3] * h[0] + C[1] * h[1] + C[5] * h[2],
            C[4] * h[0] + C[5] * h[1] + C[2] * h[2],
        ),
    )


@inline
def joint_motion(node, m, accel):
    """Return H* v' of node k from its joint accelerations."""
    kind, i = node["kind"], node["v"]
    zero = (0.0, 0.0, 0.0)
    if kind == REVOLUTE:
        return scale(accel[i], vector(m["h"])), zero
    if kind == PRISMATIC:
        return zero, scale(accel[i], vector(m["h"]))
    if kind == SPHERICAL:
        return rotated(m["R"], (accel[i], accel[i + 1], accel[i + 2])), zero
    if kind == FREE:
        return (accel[i], accel[i + 1], accel[i + 2]), (accel[i + 3], accel[i + 4], accel[i + 5])
    return zero, zero


@inline
def force_prescribed(node, m, accel):
    """Add the force of the acceleration of a prescribed joint to z; P is unchanged."""
    w, v = joint_motion(node, m, accel)
    n, f = inertia_times(m["A"], m["B"], m["C"], w, v)
    add_six(m["z"], n, f)


@inline
def gather_spherical(m, joint, T, i):
    """Eliminate three angular accelerations. In world axes D = A; G = P H* / D has the upper half R and the lower half K R."""
    A, B, C, L = m["A"], m["B"], m["C"], joint["L"]
    L[0, 0], L[1, 0], L[2, 0] = A[0], A[3], A[4]
    L[1, 1], L[2, 1], L[2, 2] = A[1], A[5], A[2]
    good = cholesky(L, 3)
    torque = rotated(m["R"], (T[i], T[i + 1], T[i + 2]))
    epsilon = sub(torque, upper(m["z"]))
    x = joint["nus"]
    for j in range(3):
        x[j] = epsilon[j]
    cholesky_solve(L, 3, x)
    for j in range(3):  # row j of K = column j of A^-1 B, transposed
        y0, y1, y2 = solve_three(L, B[0, j], B[1, j], B[2, j])
        joint["K"][j, 0], joint["K"][j, 1], joint["K"][j, 2] = y0, y1, y2
    k0, k1, k2 = vector(joint["K"][0]), vector(joint["K"][1]), vector(joint["K"][2])
    b0, b1, b2 = (B[0, 0], B[1, 0], B[2, 0]), (B[0, 1], B[1, 1], B[2, 1]), (B[0, 2], B[1, 2], B[2, 2])
    C[0] -= dot(b0, k0)
    C[1] -= dot(b1, k1)
    C[2] -= dot(b2, k2)
    C[3] -= dot(b0, k1)
    C[4] -= dot(b0, k2)
    C[5] -= dot(b1, k2)
    nu = (x[0], x[1], x[2])
    store_six(m["z"], torque, add(lower(m["z"]), (dot(b0, nu), dot(b1, nu), dot(b2, nu))))
    for j in range(6):
        A[j] = 0.0
    for r in range(3):
        for s in range(3):
            B[r, s] = 0.0
    return good


@inline
def gather_free(m, joint, T, i):
    """Eliminate a free body: D = P, no force reaches the world."""
    A, B, C, L = m["A"], m["B"], m["C"], joint["L"]
    L[0, 0], L[1, 0], L[2, 0] = A[0], A[3], A[4]
    L[1, 1], L[2, 1], L[2, 2] = A[1], A[5], A[2]
    L[3, 3], L[4, 3], L[5, 3] = C[0], C[3], C[4]
    L[4, 4], L[5, 4], L[5, 5] = C[1], C[5], C[2]
    for r in range(3):
        for s in range(3):
            L[3 + r, s] = B[s, r]
    good = cholesky(L, 6)
    for j in range(6):
        joint["nus"][j] = T[i + j] - m["z"][j]
        m["z"][j] = T[i + j]
        A[j] = 0.0
        C[j] = 0.0
    for r in range(3):
        for s in range(3):
            B[r, s] = 0.0
    cholesky_solve(L, 6, joint["nus"])
    return good


@inline
def cholesky(L, n):
    """Factor in place: L L^T = the matrix in the lower triangle of L. Return False when it is not positive definite beyond rounding."""
    good = True
    for j in range(n):
        d = L[j, j]
        least = NO_INERTIA * d
        for s in range(j):
            d -= L[j, s] * L[j, s]
        if not (d > 0.0 and d > least):
            good = False
        root = d**0.5
        L[j, j] = root
        for r in range(j + 1, n):
            t = L[r, j]
            for s in range(j):
                t -= L[r, s] * L[j, s]
            L[r, j] = t / root
    return good


@inline
def cholesky_solve(L, n, x):
    """Solve L L^T y = x in place."""
    for r in range(n):
        for s in range(r):
            x[r] -= L[r, s] * x[s]
        x[r] /= L[r, r]
    for r in range(n - 1, -1, -1):
        for s in range(r + 1, n):
            x[r] -= L[s, r] * x[s]
        x[r] /= L[r, r]


@inline
def solve_three(L, a, b, c):
    """Solve L L^T y = (a, b, c) for the leading 3 x 3 block."""
    a /= L[0, 0]
    b = (b - L[1, 0] * a) / L[1, 1]
    c = (c - L[2, 0] * a - L[2, 1] * b) / L[2, 2]
    c /= L[2, 2]
    b = (b - L[2, 1] * c) / L[1, 1]
    a = (a - L[1, 0] * b - L[2, 0] * c) / L[0, 0]
    return a, b, c


@inline
def pass_inward(tree, k):
    """Add P(p) += phi P+ phi*, z(p) += phi z+ (the sums of eqs 4 and 6)."""
    p = tree.nodes[k]["parent"]
    if p == 0:
        return
    m, parent = tree.motion[k], tree.motion[p]
    r = vector(m["r"])
    add_shifted(parent["A"], parent["B"], parent["C"], m["A"], m["B"], m["C"], r)
    n, f = upper(m["z"]), lower(m["z"])
    add_six(parent["z"], shift_force(n, f, r), f)


@kernel
def scatter(tree, joints, accel):
    """Run the base-to-tip recursion, eq (7)."""
    for k in range(1, tree.nodes.shape[0]):
        scatter_node(tree, joints, k, accel)


@inline
def scatter_node(tree, joints, k, accel):
    """Compute the joint acceleration and alpha of node k from alpha of its parent."""
    node, m, joint = tree.nodes[k], tree.motion[k], joints[k]
    parent = tree.motion[node["parent"]]
    kind, i = node["kind"], node["v"]
    w = upper(parent["alpha"])
    v = shift_motion(w, lower(parent["alpha"]), vector(m["r"]))
    if kind != FIXED and not node["prescribed"]:
        if kind in (REVOLUTE, PRISMATIC):
            accel[i] = joint["nu"] - dot(upper(joint["G"]), w) - dot(lower(joint["G"]), v)
        elif kind == SPHERICAL:
            spherical_acceleration(m, joint, w, v, i, accel)
        else:
            for j in range(6):
                accel[i + j] = joint["nus"][j]
            w, v = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    dw, dv = joint_motion(node, m, accel)
    if kind == FREE:
        w, v = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    store_six(m["alpha"], add(add(w, dw), upper(m["a"])), add(add(v, dv), lower(m["a"])))


@kernel
def accelerate_nodes(tree, accel):
    """Compute alpha of each node from given joint accelerations, after `tree.set_velocities`: alpha(k) = phi* alpha(p) + H* v' + a(k)."""
    for k in range(1, tree.nodes.shape[0]):
        node, m = tree.nodes[k], tree.motion[k]
        w, v = joint_motion(node, m, accel)
        if node["kind"] != FREE:
            parent = tree.motion[node["parent"]]["alpha"]
            w, v = add(w, upper(parent)), add(v, shift_motion(upper(parent), lower(parent), vector(m["r"])))
        store_six(m["alpha"], add(w, upper(m["a"])), add(v, lower(m["a"])))


@inline
def spherical_acceleration(m, joint, w, v, i, accel):
    """Return v' = nu - G* alpha+, expressed in the moving frame."""
    K = joint["K"]
    s = (
        joint["nus"][0] - w[0] - K[0, 0] * v[0] - K[1, 0] * v[1] - K[2, 0] * v[2],
        joint["nus"][1] - w[1] - K[0, 1] * v[0] - K[1, 1] * v[1] - K[2, 1] * v[2],
        joint["nus"][2] - w[2] - K[0, 2] * v[0] - K[1, 2] * v[1] - K[2, 2] * v[2],
    )
    u = unrotated(m["R"], s)
    accel[i], accel[i + 1], accel[i + 2] = u[0], u[1], u[2]
