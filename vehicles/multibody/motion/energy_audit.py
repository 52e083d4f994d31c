"""Energy audit of a run: the energy gain of bodies and springs must equal the work of dampers, forces and prescribed joints.

    E(t) - E(0) = integral of P dt,     P = sum F . V + T . v over all forces except gravity and springs, and the forces of prescribed
    joints

Loops do no work. The force of a prescribed joint is the residual of its equation of motion: with r = M v' + C - T of all coordinates, the
multipliers follow from the free ones, Gc* lambda = r, and the remainder of r at the prescribed ones is their force.

The imbalance is the error of the integrator. It must decrease with the order of the integrator when the steps with the largest errors are
halved. If it does not, or disappears completely, the cause is another one: bad coordinates, a lost rank, another branch of the motion.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.spatial import add_six, inertia_times, lower, shift_force, upper
from simulator.base.algebra.vectors import vector
from simulator.base.arrays import Vector
from simulator.base.jit import kernel
from vehicles.integration.contract import Integrator
from vehicles.multibody.description.mechanism import MechanismError
from vehicles.multibody.formulations.refinement import take_joint_force
from vehicles.multibody.loops.constraint_jacobian import free_coordinates, joint_jacobian
from vehicles.multibody.tree.articulated_body import accelerate_nodes
from vehicles.multibody.tree.body_motion import mechanical_energy
from vehicles.multibody.tree.forces import apply_forces
from vehicles.multibody.tree.system import System
from vehicles.multibody.tree.tree import move, set_velocities, start_inertias

Accelerations = Callable[[float, Vector, Vector], Vector]
"""(n_v,) at a time [s] and a closed state."""

NEGLIGIBLE = 1e-6
"""Negligible imbalance, as a fraction of the energy in motion."""
STEPPED_OVER = 1e-4
"""Allowed imbalance from steps across singular positions, as a fraction of the energy in motion."""
LARGEST = {1: 0.1, 4: 1e-3}
"""By order of the method: maximum imbalance as a fraction of the energy in motion, for any cause; above it the step is too long."""
WORST_STEPS = 12
"""Number of steps with the largest imbalance that are repeated as half steps."""
ROUNDING = 1e-13
"""Rounding error of a single step, as a fraction of the energy in motion and of the total energy. Errors of steps add up randomly."""

SIMPSON, SIMPSON_TWICE = np.array([1.0, 4.0, 1.0]), np.array([1.0, 4.0, 2.0, 4.0, 1.0])
"""Weights of Simpson's rule for a step and for its halves."""


@dataclass(frozen=True)
class EnergyAudit:
    """Energy balance of a run.

    work (n + 1,) [J] done on the mechanism since the start; imbalance : largest energy error [J]; moved : the energy
    in motion [J], the largest kinetic energy plus the changes of the potential energy and of the work; order : of the method;
    halving : remaining fraction of the imbalance of the worst steps after halving them, 0 if not computed;
    rounding : part of the imbalance that may be rounding [J], because a mechanism at rest has no energy in motion for comparison;
    crossings : imbalance of the steps across singular positions [J]; these steps have other lengths and cannot be repeated as half steps
    """

    work: Vector
    imbalance: float
    moved: float
    order: int
    halving: float
    rounding: float
    crossings: float

    @property
    def share(self) -> float:
        """The imbalance as a fraction of the energy in motion, 0 if it is rounding."""
        return 0.0 if self.imbalance <= self.rounding else self.imbalance / self.moved

    @property
    def is_too_large(self) -> bool:
        """Whether the imbalance exceeds the maximum of all runs."""
        return not self.share <= LARGEST[self.order]

    @property
    def passed(self) -> bool:
        """Whether the imbalance is small, and decreases with the order of the method except for the part of singular positions."""
        least, most = 2.0 ** (-3.0 * self.order), 2.0 ** (-0.5 * self.order)
        if self.is_too_large or self.crossings > STEPPED_OVER * self.moved + self.rounding:
            return False
        return self.share <= NEGLIGIBLE + self.crossings / self.moved or least <= self.halving <= most

    @property
    def complaint(self) -> str:
        """Reason of a failed audit."""
        off = f"the energy is off by {self.imbalance:.3g} J, {self.share:.1e} of the {self.moved:.3g} J in motion"
        if self.is_too_large:
            return f"{off}; {LARGEST[self.order]:g} is allowed; hint: use a shorter step"
        if self.crossings > STEPPED_OVER * self.moved + self.rounding:
            return f"{off}; {self.crossings:.3g} J of it come from steps across singular positions"
        return (
            f"{off}; steps of half the length leave {min(self.halving, 9.99):.0%} of it, a method of order {self.order} leaves "
            f"{2.0**-self.order:.0%}, so this is not the error of the method; a singular position may be near"
        )


def audit(
    stepper: Integrator, system: System, t: Vector, states: Vector, accelerations: Accelerations, over: NDArray[np.bool_]
) -> EnergyAudit:
    """Compute the energy balance of a run in equal steps.

    Parameters
    ----------
    stepper : the integrator, to repeat steps
    t, states : (n + 1,) times [s] and (n + 1, n_q + n_v) states
    accelerations : of the formulation; needed for prescribed joints
    over : (n,) steps across singular positions, and their neighbors
    """
    n_q = system.n_q
    ledger = Ledger(system, accelerations)
    parts = np.array([mechanical_energy(system, y[:n_q], y[n_q:]) for y in states])
    energy = parts.sum(axis=1)
    work = integral(np.array([ledger.power(at, y[:n_q], y[n_q:]) for at, y in zip(t, states, strict=True)]), float(t[1] - t[0]))
    left = energy - energy[0] - work
    moved = float(parts[:, 0].max() + np.ptp(parts[:, 1]) + np.ptp(work))
    lost, imbalance = np.diff(left), float(np.abs(left).max())
    at_once = ROUNDING * (moved + float(np.abs(parts).max()) + weight_times_reach(system, states[0, :n_q]))
    found = EnergyAudit(work, imbalance, moved, stepper.order, 0.0, at_once * math.sqrt(len(t)), float(np.abs(lost[over]).sum()))
    if not np.isfinite(imbalance) or found.share <= NEGLIGIBLE or found.is_too_large:
        return found
    once = twice = WORST_STEPS * at_once
    for i in np.argsort(-np.abs(np.where(over, 0.0, lost)))[:WORST_STEPS]:
        whole, halved = _repeat_step(stepper, ledger, float(t[i]), states[i], states[i + 1], float(t[1] - t[0]))
        once, twice = once + whole, twice + halved
    return replace(found, halving=twice / once)


def weight_times_reach(system: System, q: Vector) -> float:
    """Return the energy [J] that determines the rounding error of the potential energy: the weights times their distances from the world
    origin, without cancellation.
    """
    tree = system.parts.tree
    move(tree, np.asarray(q, float))
    away = np.linalg.norm(tree.motion["p"], axis=1) + np.linalg.norm(tree.nodes["com"], axis=1)
    return float(np.linalg.norm(system.parts.gravity) * (tree.nodes["mass"] * away)[1:].sum())


def _repeat_step(stepper: Integrator, ledger: Ledger, t: float, y: Vector, end: Vector, h: float) -> tuple[float, float]:
    """Return the imbalance [J] of a step from y to `end`, and of two half steps instead, infinite if they fail.

    Simpson's rule integrates the power over the step, and over both halves: with prescribed joints its error is the only one.
    """
    n_q = ledger.system.n_q
    try:
        middle = stepper.step(t, y, 0.5 * h)
        last = stepper.step(t + 0.5 * h, middle, 0.5 * h)
        quarters = stepper.step(t, y, 0.25 * h), stepper.step(t + 0.5 * h, middle, 0.25 * h)
    except MechanismError:
        return 0.0, np.inf
    whole, halved = (
        h / weights.sum() * weights @ [ledger.power(t + k * h / (len(states) - 1), x[:n_q], x[n_q:]) for k, x in enumerate(states)]
        for weights, states in ((SIMPSON, (y, middle, end)), (SIMPSON_TWICE, (y, quarters[0], middle, quarters[1], last)))
    )
    energy = [sum(mechanical_energy(ledger.system, x[:n_q], x[n_q:])) for x in (y, end, last)]
    return abs(energy[1] - energy[0] - whole), abs(energy[2] - energy[0] - halved)


class Ledger:
    """The power [W] supplied to a mechanism; arguments as for `audit`."""

    def __init__(self, system: System, accelerations: Accelerations) -> None:
        self.system, self.accelerations = system, accelerations
        forces = system.parts.forces
        springs, joint_springs, level_springs = forces.springs.copy(), forces.joint_springs.copy(), forces.level_springs.copy()
        springs["rate"], joint_springs["rate"], level_springs["rate"] = 0.0, 0.0, 0.0
        self._forces = forces._replace(springs=springs, joint_springs=joint_springs, level_springs=level_springs)
        self._free = free_coordinates(system)
        damped = bool(springs["damping"].any() or joint_springs["damping"].any())
        self._is_idle = not (damped or forces.constant.size or forces.joint_forces.any()) and bool(self._free.all())

    def power(self, t: float, q: Vector, v: Vector) -> float:
        """Return the power at a time [s] and a state."""
        if self._is_idle:
            return 0.0
        system, parts = self.system, self.system.parts
        tree, still = parts.tree, np.zeros_like(parts.wrenches)
        T, none = np.zeros(system.n_v), np.zeros(system.n_v)
        given = 0.0 if self._free.all() else self._given(t, q, v)
        move(tree, q)
        set_velocities(tree, v)
        apply_forces(self._forces, tree, q, v, still, none, T)
        return given + float(T @ v) + float((tree.motion["f"] * tree.motion["V"])[1:].sum())

    def _given(self, t: float, q: Vector, v: Vector) -> float:
        """Return the power of the prescribed joints."""
        accel = self.accelerations(t, q, v)
        system, parts = self.system, self.system.parts
        tree, r, T, none = parts.tree, np.zeros(system.n_v), np.zeros(system.n_v), np.zeros(system.n_v)
        move(tree, q)
        set_velocities(tree, v)
        apply_forces(parts.forces, tree, q, v, np.zeros_like(parts.wrenches), none, T)
        start_inertias(tree, parts.gravity)
        accelerate_nodes(tree, accel)
        set_joint_loads(tree, r)
        r -= T
        G = joint_jacobian(system, q)
        multipliers = np.linalg.lstsq(G[:, self._free].T, r[self._free], rcond=1e-9)[0] if len(G) else np.zeros(0)
        return float((r - G.T @ multipliers)[~self._free] @ v[~self._free])


@kernel
def set_joint_loads(tree, out):
    """Compute out (n_v,) = M v' + C, the joint forces for the accelerations alpha of the nodes, after `start_inertias`; z is overwritten."""
    for k in range(tree.nodes.shape[0] - 1, 0, -1):
        node, m = tree.nodes[k], tree.motion[k]
        n, f = inertia_times(m["A"], m["B"], m["C"], upper(m["alpha"]), lower(m["alpha"]))
        add_six(m["z"], n, f)
        take_joint_force(node, m, upper(m["z"]), lower(m["z"]), out)
        if node["parent"] > 0:
            add_six(tree.motion[node["parent"]]["z"], shift_force(upper(m["z"]), lower(m["z"]), vector(m["r"])), lower(m["z"]))
    for i in range(out.shape[0]):
        out[i] = -out[i]


def integral(rates: Vector, h: float) -> Vector:
    """Return the integral (n + 1,) from the first of equally spaced values (n + 1,), with the cubic through four neighbors: exact to order
    h^4.
    """
    n = rates.size - 1
    steps = 0.5 * h * (rates[:-1] + rates[1:])
    if n >= 3:
        steps[1:-1] = h / 24.0 * (13.0 * (rates[1:-2] + rates[2:-1]) - rates[:-3] - rates[3:])
        steps[0] = h / 24.0 * (9.0 * rates[0] + 19.0 * rates[1] - 5.0 * rates[2] + rates[3])
        steps[-1] = h / 24.0 * (9.0 * rates[-1] + 19.0 * rates[-2] - 5.0 * rates[-3] + rates[-4])
    return np.concatenate([[0.0], np.cumsum(steps)])
