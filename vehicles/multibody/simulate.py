"""A mechanism followed over time by any formulation, with the drift of its loops and of its energy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vehicles.integration.method import Integrator, Project, Rates
from vehicles.integration.one_step import RungeKutta4, SemiImplicitEuler
from vehicles.multibody.body_motion import mechanical_energy
from vehicles.multibody.constraint_jacobian import position_residuals, velocity_residuals
from vehicles.multibody.formulations import Formulation
from vehicles.multibody.mechanism import MechanismError
from vehicles.multibody.stabilization import Control, NoControl
from vehicles.multibody.system import System
from vehicles.multibody.tree import advance_positions, position_rates

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
    [m/s, rad/s]; energy (n + 1,) kinetic and potential [J].
    """

    t: Vector
    q: Vector
    v: Vector
    gap: Vector
    rate: Vector
    energy: Vector

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
    system, tree, n_q = solver.system, solver.system.parts.tree, q.size
    keep = NoControl() if control is None else control

    def rates(t: float, y: Vector) -> Vector:
        out = np.zeros_like(y)
        keep.steer(y[:n_q], y[n_q:])
        out[n_q:] = solver.accelerations(y[:n_q], y[n_q:], prescribed=None if prescribed is None else prescribed(t))
        position_rates(tree, y[:n_q], y[n_q:], out[:n_q])
        return out

    def settle(y: Vector) -> None:
        advance_positions(tree, y[:n_q], y[n_q:], 0.0, y[:n_q])  # quaternions of unit length again
        y[:n_q], y[n_q:] = keep.settle(y[:n_q].copy(), y[n_q:].copy())

    stepper = METHODS[method](rates, settle, n_q)
    states = np.zeros((n + 1, q.size + v.size))
    states[0] = np.concatenate([q, v])
    for i in range(n):
        try:
            with np.errstate(all="ignore"):  # what overflows is seen below
                states[i + 1] = stepper.step(i * step, states[i], step)
        except MechanismError as error:
            raise _failed(system, states[: i + 1], n_q, (step, n), str(error), error.loops) from None
        if not np.isfinite(states[i + 1]).all():
            raise _failed(system, states[: i + 1], n_q, (step, n), "the next state is not finite; a shorter step may help")
    return _run(system, states, n_q, step)


def _failed(system: System, states: Vector, n_q: int, steps: tuple[float, int], reason: str, loops: tuple[str, ...] = ()) -> RunError:
    step, n = steps
    return RunError(system.mechanism.file, reason, _run(system, states, n_q, step), n * step, loops)


def _run(system: System, states: Vector, n_q: int, step: float) -> Run:
    """A run from its states (n + 1, n_q + n_v)."""
    q_t, v_t = states[:, :n_q], states[:, n_q:]
    return Run(
        np.linspace(0.0, (len(states) - 1) * step, len(states)),
        q_t,
        v_t,
        np.array([np.abs(position_residuals(system, x)).max(initial=0.0) for x in q_t]),
        np.array([np.abs(velocity_residuals(system, x, u)).max(initial=0.0) for x, u in zip(q_t, v_t, strict=True)]),
        np.array([sum(mechanical_energy(system, x, u)) for x, u in zip(q_t, v_t, strict=True)]),
    )
