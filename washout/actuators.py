"""What a platform does behind its actuators: what it is commanded, late by a delay and through a lag of second order.

    x'' = w^2 (u(t - delay) - x) - 2 z w x'          u: commanded, x: what comes of it

All actuators of a platform answer alike, so the law is applied to the pose. That is the law of the actuators' lengths but for the bend
of the lengths over the way within a lag: 9 mm (0.3 m/s, 30 ms) on legs of 0.85 m are 0.05 mm.

    bandwidth: where |x / u| has fallen to 1 / sqrt(2)          w = bandwidth / sqrt(1 - 2 z^2 + sqrt((1 - 2 z^2)^2 + 1))
"""

from __future__ import annotations

import cmath
import math

import numpy as np

from simulator.base.jit import kernel
from simulator.base.records import Record, record

MOST_TICKS = 510
"""Of delay that are remembered."""

ACTUATORS = (
    # name                shape   unit        what it is
    ("actuated", (), "1", "1 when the platform moves behind actuators, 0 as commanded", "i8"),
    ("actuator_ticks", (), "1", "whole ticks of the delay", "i8"),
    ("actuator_part", (), "1", "part of a tick beyond them"),
    ("actuator_stiffness", (), "1/s2", "w^2"),
    ("actuator_drag", (), "1/s", "2 z w"),
    ("actuator_A", (2, 2), "mixed", "way to what is fed in, and speed, after a tick from those before"),
    ("actuator_b", (2,), "mixed", "and from the change of what is fed in"),
)

ACTUAL = (
    # name                     shape   unit            what it is
    ("actual", (6,), "m, rad", "pose of the platform behind its actuators"),
    ("actual_rates", (6,), "m/s, rad/s", "its rates"),
    ("actual_accelerations", (6,), "m/s2, rad/s2", "and their rates"),
    ("actuator_fed", (6,), "m, rad", "pose commanded a delay ago, last tick"),
    ("sent", (MOST_TICKS + 2, 6), "m, rad", "poses commanded, in turn"),
    ("sent_at", (), "1", "row of the last one", "i8"),
)


def natural_frequency(bandwidth: float, damping: float) -> float:
    """w [rad/s] of a lag of second order whose gain is 1 / sqrt(2) at `bandwidth` [rad/s]."""
    c = 1.0 - 2.0 * damping * damping
    return bandwidth / math.sqrt(c + math.sqrt(c * c + 1.0))


def lag(w: float, z: float, h: float) -> tuple[np.ndarray, np.ndarray]:
    """(A (2, 2), b (2,)) of x'' = w^2 (u - x) - 2 z w x' from tick to tick, exact for an input u straight from u0 to u1 within h seconds:

        e1 = A00 e0 + A01 v0 + b0 (u1 - u0),   v1 = A10 e0 + A11 v0 + b1 (u1 - u0)         e = x - u, v = x'

    at rest still to the last bit. With (e, v)' = M (e, v) - (u', 0) and D = w^2 (1 - z^2):

        A = exp(M h) = exp(-z w h) (C + S (M + z w)),   C = cos(sqrt(D) h),   S = sin(sqrt(D) h) / sqrt(D),   b = -M^-1 (A - 1) (1, 0) / h
    """
    M, D = np.array([[0.0, 1.0], [-w * w, -2.0 * z * w]]), w * w * (1.0 - z * z)
    root = cmath.sqrt(D)
    C, S = cmath.cos(root * h).real, (cmath.sin(root * h) / root).real if D != 0.0 else h
    A = math.exp(-z * w * h) * (C * np.eye(2) + S * (M + z * w * np.eye(2)))
    return A, -np.linalg.solve(M, A - np.eye(2))[:, 0] / h


def actuators(bandwidth: float, damping: float, delay: float, h: float, p: Record | None = None) -> Record:
    """Record for ticks of h [s]; `p` is one to fill that has the fields of ACTUATORS. A bandwidth [rad/s] of 0: the platform moves as commanded.

    Raises
    ------
    ValueError : the delay [s] is longer than MOST_TICKS
    """
    p = record(ACTUATORS) if p is None else p
    if bandwidth == 0.0:
        return p
    ticks = math.floor(delay / h + 1e-9)
    if ticks > MOST_TICKS:
        raise ValueError(f"a delay of {delay} s is longer than {MOST_TICKS} ticks of {h} s")
    w = natural_frequency(bandwidth, damping)
    p[0]["actuated"] = 1
    p[0]["actuator_ticks"], p[0]["actuator_part"] = ticks, max(0.0, delay / h - ticks)
    p[0]["actuator_stiffness"], p[0]["actuator_drag"] = w * w, 2.0 * damping * w
    p[0]["actuator_A"], p[0]["actuator_b"] = lag(w, damping, h)
    return p


def actual(pose: np.ndarray) -> Record:
    """ACTUAL record of a platform that has been at rest at `pose` (6,) [m, rad]."""
    s = record(ACTUAL)
    for name in ("actual", "actuator_fed", "sent"):
        s[0][name] = pose
    return s


@kernel
def actuate(p, s, commanded):
    """One tick, at whose end `commanded` (6,) [m, rad] was sent; `p` ACTUATORS with a lag, `s` ACTUAL."""
    q, rows = s[0], MOST_TICKS + 2
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
