"""States and accelerations of the mechanisms of `urdf_generator` from first principles, in 80-bit numbers. Shares nothing with the engine.

    [ M  K^T ] [  q''   ]   [ tau - h ]      M, h     sums over the links of J^T m J and J^T (m a_0 - m g), J from the tree's hinges
    [ K   0  ] [ -lambda ] = [ -gamma  ]     K, gamma  closures and couplings; rows that others imply are left out

The layout of the result is that of the files in tests/data/urdfplus.
"""

from __future__ import annotations

import numpy as np

from tests.oracles.urdf_generator import AXES, Robot

REAL = np.longdouble
GRAVITY, GRAVITY_ALT = (0.0, 0.0, -9.81), (3.0, -8.5, -4.0)
TRIES = 2000


def skew(a):
    x, y, z = a
    zero = REAL(0)
    return np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]])


def turn(axis, angle):
    """Rotation about a unit axis (Rodrigues)."""
    K = skew(np.asarray(axis, REAL))
    return np.eye(3, dtype=REAL) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K)


class Body:
    """A link in motion: pose, Jacobians of its origin, velocities, and accelerations when all q'' are zero."""

    def __init__(self, n: int) -> None:
        self.p, self.R = np.zeros(3, REAL), np.eye(3, dtype=REAL)
        self.Jw, self.Jv = np.zeros((3, n), REAL), np.zeros((3, n), REAL)
        self.w, self.v, self.alpha, self.a = (np.zeros(3, REAL) for _ in range(4))

    def point(self, place):
        """Position, Jacobian, velocity and acceleration (at zero q'') of a point of the link."""
        r = self.R @ np.asarray(place, REAL)
        acceleration = self.a + np.cross(self.alpha, r) + np.cross(self.w, np.cross(self.w, r))
        return self.p + r, self.Jv - skew(r) @ self.Jw, self.v + np.cross(self.w, r), acceleration


class State:
    def __init__(self, robot: Robot, rng: np.random.Generator) -> None:
        n = len(robot.hinges)
        self.q, self.qd = rng.uniform(-1, 1, n), rng.uniform(-1, 1, n)
        self.tau = np.where([hinge.independent for hinge in robot.hinges], rng.uniform(-20, 20, n), 0.0)
        self.pos, self.w, self.v, self.quat = np.zeros(3), np.zeros(3), np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0])
        self.base_turn = np.eye(3, dtype=REAL)
        if robot.floating:
            self.pos, quat = rng.uniform(-1, 1, 3), rng.normal(size=4)
            self.quat = quat / np.linalg.norm(quat)
            x, y, z, w = self.quat.astype(REAL) / np.sqrt((self.quat.astype(REAL) ** 2).sum())
            K = skew((x, y, z))
            self.base_turn = np.eye(3, dtype=REAL) + 2 * w * K + 2 * (K @ K)
            self.w, self.v = (np.asarray(self.base_turn @ rng.uniform(-1, 1, 3), float) for _ in range(2))


def bodies(robot: Robot, state: State, only: set[str] | None = None) -> dict[str, Body]:
    """All links of the robot, or those that carry `only`, in motion. Columns: the base's [angular; linear], then the hinges."""
    first = 6 if robot.floating else 0
    n = first + len(robot.hinges)
    out = {robot.root: Body(n)}
    if robot.floating:
        base = Body(n)
        base.p, base.R = state.pos.astype(REAL), state.base_turn
        base.w, base.v = state.w.astype(REAL), state.v.astype(REAL)
        base.Jw[:, :3], base.Jv[:, 3:6] = np.eye(3), np.eye(3)
        out[robot.links[0].name] = base
    for j, hinge in enumerate(robot.hinges):
        if only is not None and hinge.child not in only:
            continue
        P, B = out[hinge.parent], Body(n)
        r, p, y = (REAL(angle) for angle in hinge.rpy)
        B.p, B.Jv, B.v, B.a = P.point(hinge.xyz)
        R_WF = P.R @ turn(AXES["z"], y) @ turn(AXES["y"], p) @ turn(AXES["x"], r)
        e = np.asarray(AXES[hinge.axis], REAL)
        axis, rate = R_WF @ e, REAL(state.qd[j])
        B.R = R_WF @ turn(e, REAL(state.q[j]))
        B.Jw = P.Jw.copy()
        B.Jw[:, first + j] += axis
        B.w, B.alpha = P.w + axis * rate, P.alpha + np.cross(P.w, axis * rate)
        out[hinge.child] = B
    return out


def carriers(robot: Robot, link: str) -> list[int]:
    """Hinges that carry a link, outward."""
    by_child = {hinge.child: j for j, hinge in enumerate(robot.hinges)}
    path = []
    while link in by_child:
        path.append(by_child[link])
        link = robot.hinges[by_child[link]].parent
    return path[::-1]


def branches(robot: Robot, one: str, other: str) -> tuple[list[int], list[int]]:
    """Hinges from the nearest common ancestor of two links outward to each."""
    a, b = carriers(robot, one), carriers(robot, other)
    return [j for j in a if j not in b], [j for j in b if j not in a]


def coupling_matrix(robot: Robot) -> np.ndarray:
    rows = np.zeros((len(robot.gears), len(robot.hinges)))
    for row, gear in zip(rows, robot.gears, strict=True):
        inward, outward = branches(robot, gear.predecessor, gear.successor)
        row[inward] += gear.ratio
        row[outward] -= 1.0
    return rows


def closure_rows(robot: Robot, moving: dict[str, Body], which: list[int]):
    """phi, K, phi' and gamma of closures, three rows each."""
    parts = []
    for i in which:
        loop = robot.closures[i]
        one, two = moving[loop.predecessor].point(loop.p_predecessor), moving[loop.successor].point(loop.p_successor)
        parts.append([a - b for a, b in zip(one, two, strict=True)])
    return tuple(np.concatenate([part[k] for part in parts]) for k in range(4))


def consistent_state(robot: Robot, rng: np.random.Generator) -> State:
    """A state on all closures and couplings: independent coordinates at random, dependent ones by Newton's method, loop by loop."""
    state, placed = State(robot, rng), set()
    for i, loop in enumerate(robot.closures):
        path = [j for branch in branches(robot, loop.predecessor, loop.successor) for j in branch if j not in placed]
        _close(robot, state, rng, i, path)
        placed.update(path)
    for row in coupling_matrix(robot):
        j = [j for j in np.flatnonzero(row) if not robot.hinges[j].independent][-1]
        for x in (state.q, state.qd):
            x[j] = 0.0
            x[j] = float(-(row.astype(REAL) @ x.astype(REAL)) / REAL(row[j]))
    return state


def _close(robot: Robot, state: State, rng: np.random.Generator, i: int, path: list[int]) -> None:
    """Draw the coordinates `path` of a loop until it closes in a position that is not close to a singular one; then its rates."""
    first = 6 if robot.floating else 0
    dependent = [j for j in path if not robot.hinges[j].independent]
    columns, free = [first + j for j in dependent], [j for j in path if j not in dependent]
    loop = robot.closures[i]
    only = {robot.hinges[j].child for end in (loop.predecessor, loop.successor) for j in carriers(robot, end)}
    for _ in range(TRIES):
        state.q[free] = rng.uniform(-1, 1, len(free))
        state.q[dependent] = rng.uniform(-np.pi, np.pi, len(dependent))
        for _ in range(20):
            phi, K, _, _ = closure_rows(robot, bodies(robot, state, only), [i])
            Y = K[:, columns].astype(float)
            step = np.linalg.lstsq(Y, -phi.astype(float), rcond=1e-10)[0]
            state.q[dependent] += np.clip(step, -1.0, 1.0)
            if np.abs(step).max() < 1e-15:
                break
        state.q[dependent] = (state.q[dependent] + np.pi) % (2.0 * np.pi) - np.pi
        phi, K, _, _ = closure_rows(robot, bodies(robot, state, only), [i])
        Y = K[:, columns].astype(float)
        size = np.linalg.norm(Y, axis=0)
        if np.abs(phi).max() < 1e-13 and np.linalg.svd(Y / size)[1][-1] > 0.15:
            break
    else:
        raise AssertionError(f"{loop.name} does not close")
    state.qd[dependent] = 0.0
    for _ in range(3):
        moving = bodies(robot, state, only)
        rate = closure_rows(robot, moving, [i])[2]
        state.qd[dependent] -= np.linalg.lstsq(Y, rate.astype(float), rcond=1e-10)[0]


def independent_rows(K) -> list[int]:
    """Rows of K that the others do not imply: elimination with complete pivoting on rows of unit length."""
    size = np.sqrt((K * K).sum(axis=1))
    work, left, chosen = K / np.where(size > 1e-12, size, 1)[:, None] * (size > 1e-12)[:, None], list(range(len(K))), []
    while left:
        block = np.abs(work[left])
        row, column = np.unravel_index(block.argmax(), block.shape)
        if block[row, column] < 1e-9:
            break
        pivot = left.pop(row)
        chosen.append(pivot)
        work[left] -= np.outer(work[left, column] / work[pivot, column], work[pivot])
    return sorted(chosen)


def eliminate(A, b):
    """Solution of A x = b by elimination with row pivoting, for any number type."""
    A, b = A.copy(), b.copy()
    n = len(b)
    for k in range(n):
        best = k + int(np.abs(A[k:, k]).argmax())
        if best != k:
            A[[k, best]], b[[k, best]] = A[[best, k]], b[[best, k]]
        factors = A[k + 1 :, k] / A[k, k]
        hit = np.flatnonzero(factors) + k + 1
        A[hit, k:] -= np.outer(factors[hit - k - 1], A[k, k:])
        b[hit] -= factors[hit - k - 1] * b[k]
    for k in range(n - 1, -1, -1):
        b[k] = (b[k] - A[k, k + 1 :] @ b[k + 1 :]) / A[k, k]
    return b


def solve(robot: Robot, state: State, gravity) -> dict[str, np.ndarray]:
    """Accelerations and energies of one state, under the names of the files."""
    moving, first, g = bodies(robot, state), 6 if robot.floating else 0, np.asarray(gravity, REAL)
    n = first + len(robot.hinges)
    M, h = np.zeros((n, n), REAL), np.zeros(n, REAL)
    kinetic, potential = REAL(0), REAL(0)
    inertias = []
    for link in robot.links:
        B, (xx, yy, zz, xy, xz, yz) = moving[link.name], link.inertia
        I = B.R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], REAL) @ B.R.T
        c, J, v, a = B.point(link.com)
        m = REAL(link.mass)
        used = np.flatnonzero(np.abs(B.Jw).sum(axis=0) + np.abs(B.Jv).sum(axis=0))
        Jc, Jw = J[:, used], B.Jw[:, used]
        M[np.ix_(used, used)] += m * (Jc.T @ Jc) + Jw.T @ (I @ Jw)
        h[used] += Jc.T @ (m * (a - g)) + Jw.T @ (I @ B.alpha + np.cross(B.w, I @ B.w))
        kinetic += (m * (v @ v) + B.w @ (I @ B.w)) / 2
        potential -= m * (g @ c)
        inertias.append((B, J, a))
    K, gamma = np.zeros((0, n), REAL), np.zeros(0, REAL)
    if robot.closures:
        _, K, _, gamma = closure_rows(robot, moving, list(range(len(robot.closures))))
    gears = np.hstack([np.zeros((len(robot.gears), first)), coupling_matrix(robot)])
    K, gamma = np.vstack([K, gears.astype(REAL)]), np.concatenate([gamma, np.zeros(len(gears), REAL)])
    keep = independent_rows(K)
    K, gamma = K[keep], gamma[keep]
    force = np.concatenate([np.zeros(first), state.tau]).astype(REAL) - h
    A = np.block([[M, K.T], [K, np.zeros((len(K), len(K)), REAL)]])
    x = eliminate(A, np.concatenate([force, -gamma]))[:n]
    out = {
        "qdd": x[first:],
        "kinetic_energy": kinetic,
        "potential_energy": potential,
        "link_pos_world": np.array([B.p for B, _, _ in inertias]),
        "link_R_world": np.array([B.R for B, _, _ in inertias]),
        "link_alpha_world": np.array([B.Jw @ x + B.alpha for B, _, _ in inertias]),
        "link_acc_com_world": np.array([J @ x + a for _, J, a in inertias]),
    }
    if robot.floating:
        out |= {"base_alpha_world": x[:3], "base_acc_world": x[3:6]}
    return {name: np.asarray(value, float) for name, value in out.items()}


def reference(robot: Robot, count: int, seed: int) -> dict[str, np.ndarray]:
    """Arrays of a file of `count` states."""
    rng = np.random.default_rng(seed)
    states = [consistent_state(robot, rng) for _ in range(count)]
    solved = [solve(robot, state, GRAVITY) for state in states]
    tilted = [solve(robot, state, GRAVITY_ALT) for state in states]
    out = {name: np.array([s[name] for s in solved]) for name in solved[0]}
    alt = ("qdd", "base_alpha_world", "base_acc_world") if robot.floating else ("qdd",)
    out |= {f"{name}_alt": np.array([s[name] for s in tilted]) for name in alt}
    out |= {"q": np.array([s.q for s in states]), "qd": np.array([s.qd for s in states]), "tau": np.array([s.tau for s in states])}
    out |= {"gravity": np.array(GRAVITY), "gravity_alt": np.array(GRAVITY_ALT)}
    out |= {"joint_names": np.array([hinge.name for hinge in robot.hinges]), "link_names": np.array([link.name for link in robot.links])}
    out |= {
        "loop_names": np.array([loop.name for loop in robot.closures], str),
        "coupling_names": np.array([gear.name for gear in robot.gears], str),
    }
    out["coupling_matrix"] = coupling_matrix(robot)
    if robot.floating:
        out |= {"base_pos": np.array([s.pos for s in states]), "base_quat_xyzw": np.array([s.quat for s in states])}
        out |= {"base_vel_world": np.array([s.v for s in states]), "base_omega_world": np.array([s.w for s in states])}
        out |= {"base_joint": np.array(robot.base_joint), "base_link": np.array(robot.links[0].name)}
    return out
