"""Assembly of mechanisms: closure of an open configuration, consistent velocities, and a check of given states."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Vector
from vehicles.multibody.description.mechanism import MechanismError
from vehicles.multibody.loops.constraint_jacobian import free_coordinates, joint_jacobian, loops_of, position_residuals, velocity_residuals
from vehicles.multibody.tree.system import System
from vehicles.multibody.tree.tree import advance_positions

CLOSED = 1e-12
"""m, rad. Tolerance of closed loops; rounding of the points of a mechanism of a few meters stays below."""
OPEN = 1e-9
"""m, rad. Residual above which the loops cannot be closed when no step reduces the residual any more."""
STEPS = 500
"""Maximum steps of `assemble`."""
LARGEST_STEP = 0.5
"""rad, m. Maximum step of a single coordinate."""
NEGLIGIBLE = 1e-9
"""Singular values of Gc below this fraction of the maximum belong to redundant rows and are ignored."""
NAMED = 0.3
"""Residual, as a fraction of the maximum, above which the error names a loop."""


def assemble(system: System, q: Vector, hold: Sequence[str] | None = None) -> Vector:
    """Close the loops from q (n_q,) by damped Gauss-Newton steps (Levenberg 1944), which tolerate redundant rows.

    Prescribed coordinates and the coordinates of the joints in `hold` are fixed; default: the joints declared independent.

    Raises
    ------
    MechanismError : the loops cannot be closed from q; the text names the loop with the maximum residual, and the residual
    """
    free = free_coordinates(system, declared_independent(system) if hold is None else tuple(hold))
    q = np.array(q, float)
    residual, damping = position_residuals(system, q), 1e-3
    for _ in range(STEPS):
        if np.abs(residual).max(initial=0.0) <= CLOSED:
            return q
        G = joint_jacobian(system, q)[:, free]
        q_new, new, damping = _descend(system, q, residual, G, free, damping)
        if new is None:
            break
        q, residual = q_new, new
    if np.abs(residual).max(initial=0.0) <= OPEN:
        return q
    raise open_loop_error(system, residual, "cannot be closed", "m or rad")


def _descend(
    system: System, q: Vector, residual: Vector, G: Vector, free: NDArray[np.bool_], damping: float
) -> tuple[Vector, Vector | None, float]:
    """Take one step that reduces the residual; return the damping for the next step, which is lower.

    The residual is None without such a step.
    """
    U, values, Vt = np.linalg.svd(G, full_matrices=False)
    largest = float(values.max(initial=0.0))
    wanted = U.T @ residual
    while largest > 0.0 and damping < 1e6:
        share = np.where(values > NEGLIGIBLE * largest, values / (values**2 + damping * largest**2), 0.0)
        v = np.zeros(free.size)
        v[free] = -Vt.T @ (share * wanted)
        v *= min(1.0, LARGEST_STEP / max(float(np.abs(v).max()), 1e-300))
        q_new = np.zeros_like(q)
        advance_positions(system.parts.tree, q, v, 1.0, q_new)
        new = position_residuals(system, q_new)
        if np.linalg.norm(new) < np.linalg.norm(residual):
            return q_new, new, max(damping * 1e-3, 1e-18)
        damping = max(damping * 10.0, 1e-12)
    return q, None, damping


def consistent_velocities(system: System, q: Vector, v: Vector, hold: Sequence[str] | None = None) -> Vector:
    """Return the velocities (n_v,) nearest to v that keep the loops closed at q; held and prescribed ones as in `assemble`.

    Raises MechanismError : no velocities fit the held ones; the text names the loop with the maximum rate.
    """
    free = free_coordinates(system, declared_independent(system) if hold is None else tuple(hold))
    out = np.array(v, float)
    G = joint_jacobian(system, q)[:, free]
    rate = velocity_residuals(system, q, out)
    out[free] -= np.linalg.lstsq(G, rate, rcond=NEGLIGIBLE)[0] if G.size else 0.0
    left = velocity_residuals(system, q, out)
    if np.abs(left).max(initial=0.0) > OPEN * max(1.0, float(np.abs(out).max(initial=0.0))):
        raise open_loop_error(system, left, "opens for all velocities of the free joints", "m/s or rad/s")
    return out


def check_state(system: System, q: Vector, v: Vector, tolerance: float = 1e-6) -> None:
    """Raise MechanismError, naming the loop, when a loop is open by more than `tolerance` [m, rad], or opens faster [1/s]."""
    residual = position_residuals(system, q)
    if not np.abs(residual).max(initial=0.0) <= tolerance:
        raise open_loop_error(system, residual, "is open", "m or rad")
    rate = velocity_residuals(system, q, v)
    if not np.abs(rate).max(initial=0.0) <= tolerance:
        raise open_loop_error(system, rate, "is opening", "m/s or rad/s")


def declared_independent(system: System) -> tuple[str, ...]:
    """Return the joints that are declared independent."""
    return tuple(joint.name for joint in system.mechanism.joints if joint.independent and joint.name in system.joint_v)


def open_loop_error(system: System, residual: Vector, what: str, unit: str) -> MechanismError:
    """Return the error that names the loop of the largest residual (rows,), and other loops with a similar residual."""
    worst = float(np.abs(residual).max()) if np.isfinite(residual).all() else np.inf
    loops = loops_of(system, np.where(np.isfinite(residual), residual, 1e300), NAMED * min(worst, 1e300))
    others = f" (and with it {', '.join(map(repr, loops[1:]))})" if loops[1:] else ""
    return MechanismError(f"{system.mechanism.file}: loop {loops[0]!r} {what}: {worst:.3g} {unit}{others}", loops)
