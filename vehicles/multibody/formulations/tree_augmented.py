"""Forward dynamics with cut joints: the free accelerations of the tree, the multipliers of the cuts, and the correction (TA) [Cameron
2013, appendix].

With the joint accelerations v' of the tree, its mass matrix M, and Gc v' + gamma = 0 for the second derivatives of the rows of the cut
joints,

    [M   Gc*] [ v'     ]   [ T - C  ]
    [Gc  0  ] [-lambda ] = [ -gamma ]                                    (4)

    v'       = v'_f + v'_delta                                           (5)
    v'_f     = M^-1 (T - C)                                              (6a)
    lambda   = -[Gc M^-1 Gc*]^-1 (Gc v'_f + gamma)                       (6b)
    v'_delta = M^-1 Gc* lambda                                           (6c)

M is never formed: (6a) is the recursion of `articulated_body`, the Schur complement of (6b) follows from the factors of
M^-1 = [I - H psi K]* D^-1 [I - H psi K] (Jain 2016, eq 3) in `loop_forces`, and (6c) is the outward half of the recursion with the
loop forces in nu.
"""

from __future__ import annotations

from simulator.base.algebra.symmetric_elimination import factor
from simulator.base.jit import kernel
from vehicles.multibody.formulations.cut_joints import CutJointFormulation, CutJoints, allocate_cut_joints, finish, start
from vehicles.multibody.loops.loop_forces import add_compliance, gather_forces, set_accelerations, start_forces
from vehicles.multibody.tree.articulated_body import articulated_body
from vehicles.multibody.tree.system import System


@kernel
def evaluate(m, q, v, accel):
    """Compute the joint accelerations by eqs (5) and (6).

    Parameters
    ----------
    m : CutJoints
    q, v : (n_q,), (n_v,) state with closed loops
    accel : (n_v,) overwritten; those of prescribed joints are read

    Returns
    -------
    0, the node whose joint moves no inertia, or -1 - c for a redundant row c that contradicts the others.
    """
    parts = m.parts
    tree, constraints = parts.tree, parts.constraints
    start(m, q, v)
    failed = articulated_body(tree, parts.joints, parts.T, accel)  # (6a)
    if failed != 0:
        return failed
    set_accelerations(constraints, tree.motion, accel, m.residual, m.magnitude)  # Gc v'_f + gamma
    start_forces(m.forces, tree, constraints)
    gather_forces(m.forces, tree, parts.joints)
    set_schur_complement(m, tree)
    m.rank[0] = factor(m.A, 0, m.forces.reach, m.most[0], m.inverse_size, m.order)
    for c in range(m.x.shape[0]):
        m.x[c] = -m.residual[c]
    return finish(m, accel)  # (6b, 6c, 5)


@kernel
def set_schur_complement(m, tree):
    """Compute A = -Gc M^-1 Gc*, the sum over the joints of -W* W."""
    for a in range(m.A.shape[0]):
        for b in range(a, m.A.shape[0]):
            m.A[a, b] = 0.0
    for k in range(1, tree.nodes.shape[0]):
        add_compliance(m.forces, tree, k, m.A)


class TreeAugmented(CutJointFormulation):
    """Accelerations of a mechanism with cut joints, by the recursion of the tree and the Schur complement of the cuts [Cameron 2013, eqs
    4-6].
    """

    evaluate = staticmethod(evaluate)

    @staticmethod
    def allocate_workspace(system: System) -> CutJoints:
        """Return the workspaces of `evaluate`."""
        return allocate_cut_joints(system)
