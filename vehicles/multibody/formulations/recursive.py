"""Forward dynamics with cut joints by Bae's recursion: multipliers stay unknown during the inward recursion [Deyo 1989, eqs 3.23-3.30].

The loops are cut. The inward recursion eliminates each joint acceleration (eq 3.26) with unknown multipliers, so that each
node passes to its parent a mass, a force, and for each row a Jacobian. At the base body its acceleration and the multipliers remain,

    [K     PhiM*] [ Y'_1   ]   [ L   ]
    [PhiM  PhiL ] [ lambda ] = [ RHS ]                                  (3.30)

and the joint accelerations follow outward. A free body on the world is a base body; a tree fixed to the world has
none, and then only PhiL lambda = RHS remains. The symbols of the paper and of this package:

    Mi + K    accumulated mass                   P(k), the articulated inertia of `articulated_body`
    Qi + L    accumulated force                  -z(k)
    PhiM      accumulated Jacobian               F(k)* of `loop_forces`
    PhiL      accumulated multiplier matrix      - sum W* W
    RHS       accumulated other terms            - sum (epsilon nu + F a), and -gamma at the ends
    lambda    multipliers, force -Phi* lambda    -lambda of the other formulations

Unlike `tree_augmented`, this method computes no free accelerations.
"""

from __future__ import annotations

from simulator.base.algebra.spatial import lower, upper
from simulator.base.algebra.symmetric_elimination import factor
from simulator.base.algebra.vectors import add
from simulator.base.jit import inline, kernel
from vehicles.multibody.formulations.cut_joints import CutJointFormulation, CutJoints, allocate_cut_joints, finish, start
from vehicles.multibody.loops.loop_forces import add_compliance, allocate_loop_forces, degrees, pass_joint, pass_on, start_forces
from vehicles.multibody.tree.articulated_body import add_coriolis_force, gather_node, joint_motion, pass_inward
from vehicles.multibody.tree.system import System
from vehicles.multibody.tree.tree import FIXED, FREE, PRISMATIC, REVOLUTE


@kernel
def evaluate(m, q, v, accel):
    """Compute joint accelerations; arguments and result as in `tree_augmented.evaluate`."""
    start(m, q, v)
    failed = eliminate_joints(m, accel)
    if failed != 0:
        return failed
    m.rank[0] = factor(m.A, m.x.shape[0] - m.residual.shape[0], m.forces.reach, m.most[0], m.inverse_size, m.order)
    return finish(m, accel)


@kernel
def eliminate_joints(m, accel):
    """Run the inward recursion: matrix and right-hand side of eq (3.30) in A and x. Return the node of a failure, or 0."""
    parts, n = m.parts, m.x.shape[0]
    tree, joints, constraints = parts.tree, parts.joints, parts.constraints
    for a in range(n):
        m.x[a] = 0.0
        for b in range(a, n):
            m.A[a, b] = 0.0
    for c in range(m.residual.shape[0]):
        m.x[n - m.residual.shape[0] + c] = -constraints.gamma[c]
    add_known_couplings(m, accel)
    start_forces(m.forces, tree, constraints)
    failed = 0
    for k in range(tree.nodes.shape[0] - 1, 0, -1):
        add_coriolis_force(tree.motion[k])
        add_known_accelerations(m, k, accel)
        if m.forces.spans[k]["base"] >= 0:
            write_base(m, k)
        if not gather_node(tree, joints, k, parts.T, accel) and failed == 0:
            failed = k
        pass_joint(m.forces, tree, joints, k)
        add_compliance(m.forces, tree, k, m.A)
        add_joint_response(m, k)
        pass_inward(tree, k)
        pass_on(m.forces, tree, k)
    return failed


@inline
def add_known_accelerations(m, k, accel):
    """Compute RHS -= F (a + H* v'): the Coriolis acceleration of node k and the acceleration of a prescribed joint."""
    node, motion, span, F = m.parts.tree.nodes[k], m.parts.tree.motion[k], m.forces.spans[k], m.forces.F
    w, v = upper(motion["a"]), lower(motion["a"])
    if node["prescribed"]:
        dw, dv = joint_motion(node, motion, accel)
        w, v = add(w, dw), add(v, dv)
    at = m.x.shape[0] - m.residual.shape[0]
    for c in range(span["first"], span["last"]):
        m.x[at + c] -= F[k, 0, c] * w[0] + F[k, 1, c] * w[1] + F[k, 2, c] * w[2] + F[k, 3, c] * v[0] + F[k, 4, c] * v[1] + F[k, 5, c] * v[2]


@inline
def add_known_couplings(m, accel):
    """Compute RHS -= coefficient v' of the prescribed joints of couplings."""
    constraints, at = m.parts.constraints, m.x.shape[0] - m.residual.shape[0]
    for c in range(m.residual.shape[0]):
        for t in range(constraints.rows[c]["first"], constraints.rows[c]["last"]):
            term = constraints.terms[t]
            if m.parts.tree.nodes[term["node"]]["prescribed"]:
                m.x[at + c] -= term["coefficient"] * accel[term["v"]]


@inline
def write_base(m, k):
    """Store K, L and PhiM of a base body."""
    motion, span, F, A = m.parts.tree.motion[k], m.forces.spans[k], m.forces.F, m.A
    base, at, i = span["base"], m.x.shape[0] - m.residual.shape[0], m.parts.tree.nodes[k]["v"]
    for half, block in ((0, motion["A"]), (3, motion["C"])):
        r = base + half
        A[r, r], A[r + 1, r + 1], A[r + 2, r + 2] = block[0], block[1], block[2]
        A[r, r + 1], A[r, r + 2], A[r + 1, r + 2] = block[3], block[4], block[5]
    for r in range(3):
        for s in range(3):
            A[base + r, base + 3 + s] = motion["B"][r, s]
    for r in range(6):
        m.x[base + r] = m.parts.T[i + r] - motion["z"][r]
        for c in range(span["first"], span["last"]):
            A[base + r, at + c] = F[k, r, c]


@inline
def add_joint_response(m, k):
    """Compute RHS -= epsilon nu: accelerations of the rows by the known forces on the joint; none at a base body."""
    node, joint, span = m.parts.tree.nodes[k], m.parts.joints[k], m.forces.spans[k]
    kind, i = node["kind"], node["v"]
    if span["base"] >= 0:
        for r in range(6):
            joint["nus"][r] = 0.0
    elif kind == FIXED or node["prescribed"]:
        return
    elif kind in (REVOLUTE, PRISMATIC):
        subtract_row(m, i, span, joint["nu"] * joint["D"] ** 0.5)
    else:
        for r in range(degrees(kind)):
            y = 0.0
            for s in range(r, degrees(kind)):
                y += joint["L"][s, r] * joint["nus"][s]
            subtract_row(m, i + r, span, y)


@inline
def subtract_row(m, i, span, y):
    """Compute RHS -= W_i y."""
    at = m.x.shape[0] - m.residual.shape[0]
    for c in range(span["first"], span["last"]):
        m.x[at + c] -= m.forces.W[i, c] * y


class Recursive(CutJointFormulation):
    """Accelerations of a mechanism with cut joints by Bae's recursion [Deyo 1989, section 3.2]."""

    evaluate = staticmethod(evaluate)

    @staticmethod
    def allocate_workspace(system: System) -> CutJoints:
        """Return the workspaces of `evaluate`; the base bodies are the free bodies that the force of a loop reaches."""
        spans = allocate_loop_forces(system).spans
        nodes = system.parts.tree.nodes
        reached = (nodes["kind"] == FREE) & (nodes["prescribed"] == 0) & (spans["first"] < spans["last"])
        return allocate_cut_joints(system, tuple(int(k) for k in reached.nonzero()[0]))
