"""Simulation of a mechanism over time with any formulation, with the drift of its loops and of its energy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from simulator.base.arrays import Vector
from vehicles.integration.contract import Integrator, Project, Rates
from vehicles.integration.one_step import RungeKutta4, SemiImplicitEuler
from vehicles.multibody.description.mechanism import MechanismError
from vehicles.multibody.formulations.kinds import Formulation
from vehicles.multibody.loops.constraint_jacobian import position_residuals, velocity_residuals
from vehicles.multibody.motion.change_points import ChangePoints, interpolated
from vehicles.multibody.motion.energy_audit import Accelerations, EnergyAudit, audit
from vehicles.multibody.motion.stabilization import Control, NoControl
from vehicles.multibody.tree.body_motion import mechanical_energy
from vehicles.multibody.tree.system import System
from vehicles.multibody.tree.tree import advance_positions, position_rates

METHODS: dict[str, Callable[[Rates, Project, int], Integrator]] = {
    "semi_implicit_euler": lambda rates, project, n_q: SemiImplicitEuler(rates, range(n_q), project),
    "runge_kutta_4": lambda rates, project, n_q: RungeKutta4(rates, project),
}
"""Integrators of a state of n_q positions and its velocities, by name."""


@dataclass(frozen=True)
class Run:
    """Result of a run, with n + 1 states.

    t (n + 1,) [s]; q (n + 1, n_q), v (n + 1, n_v) states; gap, rate (n + 1,) largest residual of all loops [m, rad] and largest rate of a
    residual [m/s, rad/s]; energy (n + 1,) kinetic and potential [J]; audit : energy balance, None for a run that ended early.
    """

    t: Vector
    q: Vector
    v: Vector
    gap: Vector
    rate: Vector
    energy: Vector
    audit: EnergyAudit | None = None

    @property
    def drift(self) -> tuple[float, float]:
        """Largest gap [m, rad] and largest rate [m/s, rad/s] of the run."""
        return float(self.gap.max()), float(self.rate.max())

    @property
    def energy_drift(self) -> float:
        """Largest change of energy [J]."""
        return float(np.abs(self.energy - self.energy[0]).max())


class RunError(MechanismError):
    """A run that ended early.

    t : time of the end [s]
    run : the states, including the first one and the one at `t`
    """

    def __init__(self, file: str, reason: str, run: Run, seconds: float, loops: tuple[str, ...] = ()) -> None:
        self.t, self.run = float(run.t[-1]), run
        super().__init__(f"{file}: the run ends at {self.t:.9g} s of {seconds:.9g} s: {reason.removeprefix(f'{file}: ')}", loops)


class EnergyError(RunError):
    """A complete run whose energy error exceeds the order of its method; attributes as in `RunError`."""

    def __init__(self, file: str, run: Run, audit: EnergyAudit) -> None:
        self.t, self.run = float(run.t[-1]), run
        MechanismError.__init__(self, f"{file}: {audit.complaint}")


def simulate(
    solver: Formulation,
    q: Vector,
    v: Vector,
    step: float,
    n: int,
    method: str = "runge_kutta_4",
    control: Control | None = None,
    prescribed: Callable[[float], Vector] | None = None,
) -> Run:
    """Simulate a mechanism for n steps of `step` seconds from the closed state q (n_q,), v (n_v,).

    Parameters
    ----------
    method : one of METHODS
    control : stabilization of the loop closures; default: none
    prescribed : function of time [s] that returns the accelerations (n_v,) of the prescribed coordinates; default: none

    Raises
    ------
    RunError : the equations have no solution in a state, the stabilization cannot close the loops, or a state is not finite
    """
    system, n_q = solver.system, q.size
    stabilizer = NoControl() if control is None else control
    stepper = _stepper(solver, stabilizer, method, n_q, prescribed)
    crossings = ChangePoints(system, q)
    t = np.linspace(0.0, n * step, n + 1)
    states = np.zeros((n + 1, q.size + v.size))
    states[0], over = np.concatenate([q, v]), np.zeros(n, bool)
    try:
        i = 0
        while i < n:
            try:
                with np.errstate(all="ignore"):  # the check below detects overflow
                    change = states[i, n_q:] - states[max(i - 1, 0), n_q:]
                    count, parts = crossings.plan(states[i, :n_q], states[i, n_q:], change, step, n - i)
                    _advance(stepper, crossings, t[i : i + count + 1], states[i : i + count + 1], parts)
            except MechanismError as error:
                raise _failed(system, states[: i + 1], n_q, (step, n), str(error), error.loops) from None
            if not np.isfinite(states[i + count]).all():
                raise _failed(system, states[: i + 1], n_q, (step, n), "the next state is not finite; hint: use a shorter step")
            if (count, len(parts)) != (1, 1):
                over[max(i - 1, 0) : i + count + 1] = True
            i += count
        balance = audit(stepper, system, t, states, _accelerations(solver, prescribed), over)
    finally:
        solver.end_motion()
    return _run(system, states, n_q, step, balance)


def _advance(stepper: Integrator, crossings: ChangePoints, t: Vector, states: Vector, parts: tuple[float, ...]) -> None:
    """Fill states[1:] at the times t from states[0], in steps of `parts` seconds; states within a step are interpolated."""
    at, y = float(t[0]), states[0]
    nodes = [(at, y)]
    for part in parts:
        y = stepper.step(at, y, part)
        at += part
        nodes.append((at, y))
    states[-1] = y
    if len(t) == 2:
        return
    rates = [stepper.rates(at, y) for at, y in nodes]
    for k in range(1, len(t) - 1):
        n = 0 if len(parts) == 1 or t[k] < nodes[1][0] else 1
        (a, y_a), (b, y_b) = nodes[n], nodes[n + 1]
        states[k] = interpolated(float(t[k]), (a, b), (y_a, y_b), (rates[n], rates[n + 1]))
        if stepper.project is not None and crossings.is_away_from(states[k, : crossings.system.n_q]):
            stepper.project(states[k])


def _failed(system: System, states: Vector, n_q: int, steps: tuple[float, int], reason: str, loops: tuple[str, ...] = ()) -> RunError:
    step, n = steps
    return RunError(system.mechanism.file, reason, _run(system, states, n_q, step, None), n * step, loops)


def _run(system: System, states: Vector, n_q: int, step: float, balance: EnergyAudit | None) -> Run:
    """Return a run from its states (n + 1, n_q + n_v)."""
    q_t, v_t = states[:, :n_q], states[:, n_q:]
    return Run(
        np.linspace(0.0, (len(states) - 1) * step, len(states)),
        q_t,
        v_t,
        np.array([np.abs(position_residuals(system, x)).max(initial=0.0) for x in q_t]),
        np.array([np.abs(velocity_residuals(system, x, u)).max(initial=0.0) for x, u in zip(q_t, v_t, strict=True)]),
        np.array([sum(mechanical_energy(system, x, u)) for x, u in zip(q_t, v_t, strict=True)]),
        balance,
    )


def _accelerations(solver: Formulation, prescribed: Callable[[float], Vector] | None) -> Accelerations:
    """Return the accelerations as a function of time and state."""
    return lambda t, q, v: solver.accelerations(q, v, prescribed=None if prescribed is None else prescribed(t))


class _Steps(Integrator):
    """An integrator that calls `begin_motion` of formulation and stabilization before each step."""

    def __init__(self, method: Integrator, solver: Formulation, stabilizer: Control, n_q: int) -> None:
        super().__init__(method.rates, method.project)
        self.order, self.evaluations = method.order, method.evaluations
        self._method, self._solver, self._stabilizer, self._n_q = method, solver, stabilizer, n_q

    def advance(self, t: float, y: Vector, h: float) -> Vector:
        """See the class."""
        q, v = y[: self._n_q], y[self._n_q :]
        self._solver.begin_motion(q, v)
        self._stabilizer.begin_motion(q, v)
        return self._method.advance(t, y, h)


def _stepper(solver: Formulation, stabilizer: Control, method: str, n_q: int, prescribed: Callable[[float], Vector] | None) -> Integrator:
    """Return the integrator of a formulation with a stabilization."""
    tree, accelerations = solver.system.parts.tree, _accelerations(solver, prescribed)

    def rates(t: float, y: Vector) -> Vector:
        out, q = np.zeros_like(y), np.zeros(n_q)
        advance_positions(tree, y[:n_q], y[n_q:], 0.0, q)  # normalize the quaternions
        q, v = stabilizer.steer(q, y[n_q:])
        out[n_q:] = accelerations(t, q, v)
        position_rates(tree, y[:n_q], y[n_q:], out[:n_q])
        return out

    def settle(y: Vector) -> None:
        advance_positions(tree, y[:n_q], y[n_q:], 0.0, y[:n_q])
        y[:n_q], y[n_q:] = stabilizer.settle(y[:n_q].copy(), y[n_q:].copy())

    return _Steps(METHODS[method](rates, settle, n_q), solver, stabilizer, n_q)
