"""Springs, dampers and constant forces of a mechanism, as forces on its nodes and joints."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.spatial import add_six, lower, rotated, shift_motion, upper
from simulator.base.algebra.vectors import add, cross, dot, scale, sub, vector
from simulator.base.jit import inline, kernel
from simulator.base.records import Record

SPRINGS = (
    # name    shape   unit   description
    ("a", (), "1", "node of one end", "i8"),
    ("b", (), "1", "node of the other end", "i8"),
    ("p_a", (3,), "m", "point on node a, in the node axes"),
    ("p_b", (3,), "m", "point on node b, in the node axes"),
    ("rate", (), "N/m", "spring rate"),
    ("free_length", (), "m", "length without force"),
    ("damping", (), "N s/m", "damper rate"),
)

JOINT_SPRINGS = (
    ("q", (), "1", "index of the position coordinate", "i8"),
    ("v", (), "1", "index of the velocity coordinate", "i8"),
    ("rate", (), "N m/rad, N/m", "spring rate"),
    ("rest", (), "rad, m", "coordinate without force"),
    ("damping", (), "N m s/rad, N s/m", "damper rate"),
)

LEVEL_SPRINGS = (
    ("base", (), "1", "node that defines the levels", "i8"),
    ("axis", (3,), "1", "direction of the levels, in the node axes"),
    ("a", (), "1", "node of one point", "i8"),
    ("b", (), "1", "node of the other point", "i8"),
    ("p_a", (3,), "m", "point on node a, in the node axes"),
    ("p_b", (3,), "m", "point on node b, in the node axes"),
    ("rate", (), "N/m", "force per difference of levels"),
)

CONSTANT_FORCES = (
    ("node", (), "1", "node of the force", "i8"),
    ("point", (3,), "m", "point of action, in the node axes"),
    ("force", (3,), "N", "force"),
    ("couple", (3,), "N m", "couple"),
    ("follows", (), "1", "1: force and couple in node axes; 0: in world axes", "i8"),
)


COINCIDENT = 1e-12
"""m. Ends of a spring nearer than this coincide: the direction between them is only rounding."""


class Forces(NamedTuple):
    """Force elements; `joint_forces` (n_v,) are constant forces on the coordinates."""

    springs: Record
    joint_springs: Record
    level_springs: Record
    constant: Record
    joint_forces: NDArray[np.float64]


@kernel
def apply_forces(forces, tree, q, v, wrenches, tau, T):
    """Sum all forces: `f` of each node and the joint forces T, after `tree.set_velocities`.

    Parameters
    ----------
    forces : Forces
    tree : Tree
    q, v : (n_q,), (n_v,) coordinates
    wrenches : (n_nodes, 6) force [N; F] on each node at its origin, in world axes (an input of the evaluation)
    tau : (n_v,) forces on the coordinates (an input of the evaluation)
    T : (n_v,) overwritten with tau and the forces of the joints
    """
    for k in range(tree.nodes.shape[0]):
        for i in range(6):
            tree.motion[k]["f"][i] = wrenches[k, i]
    for i in range(T.shape[0]):
        T[i] = tau[i] + forces.joint_forces[i]
    for s in range(forces.joint_springs.shape[0]):
        spring = forces.joint_springs[s]
        T[spring["v"]] -= spring["rate"] * (q[spring["q"]] - spring["rest"]) + spring["damping"] * v[spring["v"]]
    for s in range(forces.springs.shape[0]):
        apply_spring(forces.springs[s], tree)
    for s in range(forces.level_springs.shape[0]):
        apply_level_spring(forces.level_springs[s], tree)
    for s in range(forces.constant.shape[0]):
        apply_constant(forces.constant[s], tree)


@inline
def apply_spring(spring, tree):
    """Apply the spring and damper on the line between two points.

    If the ends coincide, the line has no direction. Ends that pass through each other with the velocity v approach along +v/|v| and
    separate along -v/|v|, or vice versa. The force of the free length has equal magnitude and opposite signs on both sides, so the force
    is the mean of both limits, zero. The damper force -damping v is equal on both sides, and so is the force of the rate times the
    distance. Ends at rest in one point get no force (the free length holds them in an unstable equilibrium).
    """
    a, b = tree.motion[spring["a"]], tree.motion[spring["b"]]
    r_a, r_b = rotated(a["R"], vector(spring["p_a"])), rotated(b["R"], vector(spring["p_b"]))
    d = add(sub(vector(a["p"]), vector(b["p"])), sub(r_a, r_b))
    length = math.sqrt(dot(d, d))
    v_a = shift_motion(upper(a["V"]), lower(a["V"]), r_a)
    v_b = shift_motion(upper(b["V"]), lower(b["V"]), r_b)
    v = sub(v_a, v_b)
    if length > COINCIDENT:
        n = scale(1.0 / length, d)
        F = scale(spring["rate"] * (spring["free_length"] - length) - spring["damping"] * dot(n, v), n)
    else:
        F = sub(scale(-spring["rate"], d), scale(spring["damping"], v))
    add_six(a["f"], cross(r_a, F), F)
    add_six(b["f"], scale(-1.0, cross(r_b, F)), scale(-1.0, F))


@inline
def apply_level_spring(spring, tree):
    """Apply forces -T n on a and +T n on b at their points and the opposite forces on the base at these points, T = rate n . (P_a - P_b)."""
    a, b, base = tree.motion[spring["a"]], tree.motion[spring["b"]], tree.motion[spring["base"]]
    r_a, r_b = rotated(a["R"], vector(spring["p_a"])), rotated(b["R"], vector(spring["p_b"]))
    P_a, P_b = add(vector(a["p"]), r_a), add(vector(b["p"]), r_b)
    n, d = rotated(base["R"], vector(spring["axis"])), sub(P_a, P_b)
    F = scale(-spring["rate"] * dot(n, d), n)
    add_six(a["f"], cross(r_a, F), F)
    add_six(b["f"], scale(-1.0, cross(r_b, F)), scale(-1.0, F))
    add_six(base["f"], scale(-1.0, cross(d, F)), (0.0, 0.0, 0.0))


@inline
def apply_constant(constant, tree):
    """Apply a constant force and couple to a node."""
    m = tree.motion[constant["node"]]
    F, N = vector(constant["force"]), vector(constant["couple"])
    if constant["follows"]:
        F, N = rotated(m["R"], F), rotated(m["R"], N)
    add_six(m["f"], add(N, cross(rotated(m["R"], vector(constant["point"])), F)), F)


@kernel
def spring_energy(forces, tree, q):
    """Return the energy [J] stored in the springs, after `tree.move`."""
    total = 0.0
    for s in range(forces.joint_springs.shape[0]):
        spring = forces.joint_springs[s]
        stretch = q[spring["q"]] - spring["rest"]
        total += 0.5 * spring["rate"] * stretch * stretch
    for s in range(forces.springs.shape[0]):
        spring = forces.springs[s]
        a, b = tree.motion[spring["a"]], tree.motion[spring["b"]]
        d = sub(add(vector(a["p"]), rotated(a["R"], vector(spring["p_a"]))), add(vector(b["p"]), rotated(b["R"], vector(spring["p_b"]))))
        stretch = math.sqrt(dot(d, d)) - spring["free_length"]
        total += 0.5 * spring["rate"] * stretch * stretch
    for s in range(forces.level_springs.shape[0]):
        spring = forces.level_springs[s]
        a, b, base = tree.motion[spring["a"]], tree.motion[spring["b"]], tree.motion[spring["base"]]
        d = sub(add(vector(a["p"]), rotated(a["R"], vector(spring["p_a"]))), add(vector(b["p"]), rotated(b["R"], vector(spring["p_b"]))))
        apart = dot(rotated(base["R"], vector(spring["axis"])), d)
        total += 0.5 * spring["rate"] * apart * apart
    return total
