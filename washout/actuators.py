"""Model of the actuators of a platform: a delay and a second-order lag.

    x'' = w^2 (u(t - delay) - x) - 2 z w x'          u: commanded, x: actual

All actuators of a platform are equal, so the model is applied to the pose. This equals a model of the actuator lengths except for the curvature
of the lengths over the distance within a lag: 9 mm (0.3 m/s, 30 ms) on legs of 0.85 m are 0.05 mm.

    bandwidth: frequency at which |x / u| is 1 / sqrt(2)          w = bandwidth / sqrt(1 - 2 z^2 + sqrt((1 - 2 z^2)^2 + 1))
"""

from __future__ import annotations

import cmath
import math

import numpy as np

from simulator.base.jit import kernel
from simulator.base.records import Record, record

MAX_TICKS = 510
"""Maximum number of stored ticks of the delay."""

ACTUATORS = (
    # name                shape   unit        description
    ("actuated", (), "1", "1 if the platform has actuator dynamics, 0 if it moves as commanded", "i8"),
    ("actuator_ticks", (), "1", "integer number of ticks of the delay", "i8"),
    ("actuator_part", (), "1", "remaining fraction of a tick of the delay"),
    ("actuator_stiffness", (), "1/s2", "w^2"),
    ("actuator_drag", (), "1/s", "2 z w"),
    ("actuator_A", (2, 2), "mixed", "matrix from error and speed before to those after a tick"),
    ("actuator_b", (2,), "mixed", "weights of the change of the input"),
)

ACTUAL = (
    # name                     shape   unit            description
    ("actual", (6,), "m, rad", "actual pose of the platform, behind its actuators"),
    ("actual_rates", (6,), "m/s, rad/s", "rates of the actual pose"),
    ("actual_accelerations", (6,), "m/s2, rad/s2", "accelerations of the actual pose"),
    ("actuator_fed", (6,), "m, rad", "delayed command, previous tick"),
    ("sent", (MAX_TICKS + 2, 6), "m, rad", "ring buffer of commanded poses"),
    ("sent_at", (), "1", "row of the last commanded pose", "i8"),
)


def natural_frequency(bandwidth: float, damping: float) -> float:
    """Return w [rad/s] of a second-order lag whose gain is 1 / sqrt(2) at `bandwidth` [rad/s]."""
    c = 1.0 - 2.0 * damping * damping
    return bandwidth / math.sqrt(c + math.sqrt(c * c + 1.0))


def lag(w: float, z: float, h: float) -> tuple[np.ndarray, np.ndarray]:
    """Return (A (2, 2), b (2,)) of x'' = w^2 (u - x) - 2 z w x' from tick to tick, exact for an input u linear from u0 to u1 within h seconds:

        e1 = A00 e0 + A01 v0 + b0 (u1 - u0),   v1 = A10 e0 + A11 v0 + b1 (u1 - u0)         e = x - u, v = x'

    At rest, the state is constant to the last bit. With (e, v)' = M (e, v) - (u', 0) and D = w^2 (1 - z^2):

        A = exp(M h) = exp(-z w h) (C + S (M + z w)),   C = cos(sqrt(D) h),   S = sin(sqrt(D) h) / sqrt(D),   b = -M^-1 (A - 1) (1, 0) / h
    """
    M, D = np.array([[0.0, 1.0], [-w * w, -2.0 * z * w]]), w * w * (1.0 - z * z)
    root = cmath.sqrt(D)
    C, S = cmath.cos(root * h).real, (cmath.sin(root * h) / root).real if D != 0.0 else h
    A = math.exp(-z * w * h) * (C * np.eye(2) + S * (M + z * w * np.eye(2)))
    return A, -np.linalg.solve(M, A - np.eye(2))[:, 0] / h


def actuators(bandwidth: float, damping: float, delay: float, h: float, p: Record | None = None) -> Record:
    """Build the record for ticks of h [s]; `p` is a record to fill that has the fields of ACTUATORS. Bandwidth [rad/s] 0: ideal actuators.

    Raises
    ------
    ValueError : the delay [s] exceeds MAX_TICKS
    """
    p = record(ACTUATORS) if p is None else p
    if bandwidth == 0.0:
        return p
    ticks = math.floor(delay / h + 1e-9)
    if ticks > MAX_TICKS:
        raise ValueError(f"a delay of {delay} s exceeds {MAX_TICKS} ticks of {h} s")
    w = natural_frequency(bandwidth, damping)
    p[0]["actuated"] = 1
    p[0]["actuator_ticks"], p[0]["actuator_part"] = ticks, max(0.0, delay / h - ticks)
    p[0]["actuator_stiffness"], p[0]["actuator_drag"] = w * w, 2.0 * damping * w
    p[0]["actuator_A"], p[0]["actuator_b"] = lag(w, damping, h)
    return p


def actual(pose: np.ndarray) -> Record:
    """Return the ACTUAL record of a platform at rest at `pose` (6,) [m, rad]."""
    s = record(ACTUAL)
    for name in ("actual", "actuator_fed", "sent"):
        s[0][name] = pose
    return s


@kernel
def actuate(p, s, commanded):
    """Run one tick with the new command `commanded` (6,) [m, rad]; `p` ACTUATORS with a lag, `s` ACTUAL."""
    q, rows = s[0], MAX_TICKS + 2
    now = (q["sent_at"] + 1) % rows
    q["sent_at"] = now
    for j in range(6):
        q["sent"][now, j] = commanded[j]
    late = (now - p[0]["actuator_ticks"] + rows) % rows
    later = (late - 1 + rows) % rows
    part, A, b = p[0]["actuator_part"], p[0]["actuator_A"], p[0]["actuator_b"]
    for j in range(6):
        off, v, before = q["actual"][j] - q["actuator_fed"][j], q["actual_rates"][j], q["actuator_fed"][j]
        fed = q["sent"][late, j] + part * (q["sent"][later, j] - q["sent"][late, j])
        off1 = A[0, 0] * off + A[0, 1] * v + b[0] * (fed - before)
        v1 = A[1, 0] * off + A[1, 1] * v + b[1] * (fed - before)
        q["actual"][j], q["actual_rates"][j], q["actuator_fed"][j] = fed + off1, v1, fed
        q["actual_accelerations"][j] = -p[0]["actuator_stiffness"] * off1 - p[0]["actuator_drag"] * v1
