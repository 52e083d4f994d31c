"""States on the loops: closing an open configuration, velocities that keep it closed, and a check of given ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vehicles.multibody.description.mechanism import MechanismError
from vehicles.multibody.loops.constraint_jacobian import free_coordinates, joint_jacobian, loops_of, position_residuals, velocity_residuals
from vehicles.multibody.tree.system import System
from vehicles.multibody.tree.tree import advance_positions

Vector = NDArray[np.float64]

CLOSED = 1e-12
"""m, rad. Loops count as closed; rounding of the points of a mechanism of a few meters stays below."""
OPEN = 1e-9
"""m, rad. More than this left when no step helps any more: the loops cannot be closed."""
STEPS = 500
"""Steps after which `assemble` gives up."""
LARGEST_STEP = 0.5
"""rad, m. Longest step of a single coordinate."""
NEGLIGIBLE = 1e-9
"""Singular values of Gc below this part of the largest do not count: they belong to redundant rows."""
CONCERNED = 0.3
"""Loops are named whose residual is above this part of the largest."""


def assemble(system: System, q: Vector, hold: Sequence[str] | None = None) -> Vector:
    """Close the loops, starting at q (n_q,), by damped Gauss-Newton steps (Levenberg 1944); redundant rows do no harm.

    Prescribed coordinates stay where they are, and so do those of the joints in `hold`, by default the joints declared independent.

    Raises
    ------
    MechanismError : the loops cannot be closed from here; the text names the one that stays open widest, and by how much
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
    """One step that makes the residual smaller, with the damping that it took and less for the next; no residual when there is none."""
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
    """The velocities (n_v,) nearest to v that keep the loops closed at q; held and prescribed ones as in `assemble`.

    Raises MechanismError : the held velocities admit none; the text names the loop that opens fastest.
    """
    free = free_coordinates(system, declared_independent(system) if hold is None else tuple(hold))
    out = np.array(v, float)
    G = joint_jacobian(system, q)[:, free]
    rate = velocity_residuals(system, q, out)
    out[free] -= np.linalg.lstsq(G, rate, rcond=NEGLIGIBLE)[0] if G.size else 0.0
    left = velocity_residuals(system, q, out)
    if np.abs(left).max(initial=0.0) > OPEN * max(1.0, float(np.abs(out).max(initial=0.0))):
        raise open_loop_error(system, left, "opens whatever the free joints do", "m/s or rad/s")
    return out


def check_state(system: System, q: Vector, v: Vector, tolerance: float = 1e-6) -> None:
    """Raise MechanismError naming the loop when a state is not on the loops: open by more than `tolerance` [m, rad], or opening faster [1/s]."""
    residual = position_residuals(system, q)
    if not np.abs(residual).max(initial=0.0) <= tolerance:
        raise open_loop_error(system, residual, "is open", "m or rad")
    rate = velocity_residuals(system, q, v)
    if not np.abs(rate).max(initial=0.0) <= tolerance:
        raise open_loop_error(system, rate, "is opening", "m/s or rad/s")


def declared_independent(system: System) -> tuple[str, ...]:
    """Joints whose coordinates are wanted among the independent ones."""
    return tuple(joint.name for joint in system.mechanism.joints if joint.independent and joint.name in system.joint_v)


def open_loop_error(system: System, residual: Vector, what: str, unit: str) -> MechanismError:
    """The error that names the loop of the largest residual (rows,), and those that are open nearly as much."""
    worst = float(np.abs(residual).max()) if np.isfinite(residual).all() else np.inf
    loops = loops_of(system, np.where(np.isfinite(residual), residual, 1e300), CONCERNED * min(worst, 1e300))
    others = f" (and with it {', '.join(map(repr, loops[1:]))})" if loops[1:] else ""
    return MechanismError(f"{system.mechanism.file}: loop {loops[0]!r} {what}: {worst:.3g} {unit}{others}", loops)
