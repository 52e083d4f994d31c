"""A mechanism followed over time by any formulation, with the drift of its loops and of its energy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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

Vector = NDArray[np.float64]

METHODS: dict[str, Callable[[Rates, Project, int], Integrator]] = {
    "semi_implicit_euler": lambda rates, project, n_q: SemiImplicitEuler(rates, range(n_q), project),
    "runge_kutta_4": lambda rates, project, n_q: RungeKutta4(rates, project),
}
"""Integrators of a state of n_q positions and its velocities, by name."""


@dataclass(frozen=True)
class Run:
    """A run, with n + 1 states.

    t (n + 1,) [s]; q (n + 1, n_q), v (n + 1, n_v) states; gap, rate (n + 1,) largest residual of all loops [m, rad] and largest rate of it
    [m/s, rad/s]; energy (n + 1,) kinetic and potential [J]; audit : where it came from and went, None for a run that ended before its time.
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
        """Largest gap [m, rad] and largest rate [m/s, rad/s] of the whole run."""
        return float(self.gap.max()), float(self.rate.max())

    @property
    def energy_drift(self) -> float:
        """Largest change of energy [J]."""
        return float(np.abs(self.energy - self.energy[0]).max())


class RunError(MechanismError):
    """A run that could not go on.

    t : time up to which it came [s]
    run : its states so far, the first and the one at `t` included
    """

    def __init__(self, file: str, reason: str, run: Run, seconds: float, loops: tuple[str, ...] = ()) -> None:
        self.t, self.run = float(run.t[-1]), run
        super().__init__(f"{file}: the run ends at {self.t:.9g} s of {seconds:.9g} s: {reason.removeprefix(f'{file}: ')}", loops)


class EnergyError(RunError):
    """A run to its end whose energy is off by more than the order of its method allows; the members are those of `RunError`."""

    def __init__(self, file: str, run: Run, found: EnergyAudit) -> None:
        self.t, self.run = float(run.t[-1]), run
        MechanismError.__init__(self, f"{file}: {found.complaint}")


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
    """Follow a mechanism for n steps of `step` seconds from the closed state q (n_q,), v (n_v,).

    Parameters
    ----------
    method : one of METHODS
    control : what keeps the loops closed; None: nothing
    prescribed : accelerations (n_v,) of the prescribed coordinates at a time [s]; None: none

    Raises
    ------
    RunError : the mechanism cannot be solved in a state on the way, a control cannot close its loops, or a state is not finite
    """
    system, n_q = solver.system, q.size
    keep = NoControl() if control is None else control
    stepper = _stepper(solver, keep, method, n_q, prescribed)
    crossings = ChangePoints(system, q)
    t = np.linspace(0.0, n * step, n + 1)
    states = np.zeros((n + 1, q.size + v.size))
    states[0], over = np.concatenate([q, v]), np.zeros(n, bool)
    try:
        i = 0
        while i < n:
            try:
                with np.errstate(all="ignore"):  # what overflows is seen below
                    change = states[i, n_q:] - states[max(i - 1, 0), n_q:]
                    count, parts = crossings.plan(states[i, :n_q], states[i, n_q:], change, step, n - i)
                    _advance(stepper, crossings, t[i : i + count + 1], states[i : i + count + 1], parts)
            except MechanismError as error:
                raise _failed(system, states[: i + 1], n_q, (step, n), str(error), error.loops) from None
            if not np.isfinite(states[i + count]).all():
                raise _failed(system, states[: i + 1], n_q, (step, n), "the next state is not finite; a shorter step may help")
            if (count, len(parts)) != (1, 1):
                over[max(i - 1, 0) : i + count + 1] = True
            i += count
        balance = audit(stepper, system, t, states, _accelerations(solver, prescribed), over)
    finally:
        solver.arrive()
    return _run(system, states, n_q, step, balance)


def _advance(stepper: Integrator, crossings: ChangePoints, t: Vector, states: Vector, parts: tuple[float, ...]) -> None:
    """Fill states[1:] at the times t from states[0], going in steps of `parts` seconds; what lies between their ends is interpolated."""
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
        if stepper.project is not None and crossings.is_beside(states[k, : crossings.system.n_q]):
            stepper.project(states[k])


def _failed(system: System, states: Vector, n_q: int, steps: tuple[float, int], reason: str, loops: tuple[str, ...] = ()) -> RunError:
    step, n = steps
    return RunError(system.mechanism.file, reason, _run(system, states, n_q, step, None), n * step, loops)


def _run(system: System, states: Vector, n_q: int, step: float, balance: EnergyAudit | None) -> Run:
    """A run from its states (n + 1, n_q + n_v)."""
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
    """Accelerations at a time and a state."""
    return lambda t, q, v: solver.accelerations(q, v, prescribed=None if prescribed is None else prescribed(t))


class _Steps(Integrator):
    """An integrator before each of whose steps formulation and control decide what closed states decide."""

    def __init__(self, method: Integrator, solver: Formulation, keep: Control, n_q: int) -> None:
        super().__init__(method.rates, method.project)
        self.order, self.evaluations = method.order, method.evaluations
        self._method, self._solver, self._keep, self._n_q = method, solver, keep, n_q

    def advance(self, t: float, y: Vector, h: float) -> Vector:
        """See the class."""
        q, v = y[: self._n_q], y[self._n_q :]
        self._solver.set_out(q, v)
        self._keep.set_out(q, v)
        return self._method.advance(t, y, h)


def _stepper(solver: Formulation, keep: Control, method: str, n_q: int, prescribed: Callable[[float], Vector] | None) -> Integrator:
    """The integrator of a formulation under a control."""
    tree, accelerations = solver.system.parts.tree, _accelerations(solver, prescribed)

    def rates(t: float, y: Vector) -> Vector:
        out, q = np.zeros_like(y), np.zeros(n_q)
        advance_positions(tree, y[:n_q], y[n_q:], 0.0, q)  # quaternions of unit length
        q, v = keep.steer(q, y[n_q:])
        out[n_q:] = accelerations(t, q, v)
        position_rates(tree, y[:n_q], y[n_q:], out[:n_q])
        return out

    def settle(y: Vector) -> None:
        advance_positions(tree, y[:n_q], y[n_q:], 0.0, y[:n_q])
        y[:n_q], y[n_q:] = keep.settle(y[:n_q].copy(), y[n_q:].copy())

    return _Steps(METHODS[method](rates, settle, n_q), solver, keep, n_q)
