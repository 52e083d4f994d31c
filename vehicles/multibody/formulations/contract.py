"""What all formulations of the equations of motion have in common: inputs, and the judgement of singular configurations."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from vehicles.multibody.description.mechanism import MechanismError
from vehicles.multibody.loops.analysis import mobility
from vehicles.multibody.tree.system import Dimensions, System

Vector = NDArray[np.float64]


class Formulation(ABC):
    """A way to the accelerations of a mechanism. One object keeps the workspaces of one system and is used by one thread.

    Parameters
    ----------
    system : laid-out mechanism; its records are used as inputs and scratch
    """

    def __init__(self, system: System) -> None:
        self.system = system
        self._usual_redundant = 0

    @property
    @abstractmethod
    def dimensions(self) -> Dimensions:
        """Coordinates and constraints it solves for (the table of [Cameron 2013])."""

    def accelerations(
        self,
        q: Vector,
        v: Vector,
        tau: Vector | None = None,
        wrenches: Vector | None = None,
        prescribed: Vector | None = None,
    ) -> Vector:
        """Accelerations (n_v,) of all tree coordinates at a state on the loops.

        Parameters
        ----------
        q, v : (n_q,), (n_v,) state; positions and velocities on the loops (see `assembly.check_state`)
        tau : (n_v,) forces on the coordinates [N m, N]
        wrenches : (n_nodes, 6) forces [N; F] on the nodes at their origins, in world axes
        prescribed : (n_v,) accelerations of the prescribed coordinates; other entries are not read

        Gravity is `system.parts.gravity`, which may be overwritten between calls.

        Raises
        ------
        MechanismError : a joint moves no inertia, the configuration is singular, constraints contradict one another, or an acceleration is
            not finite; it names the joint or the loops
        """
        parts = self.system.parts
        parts.tau[:] = 0.0 if tau is None else tau
        parts.wrenches[:] = 0.0 if wrenches is None else wrenches
        accel = np.zeros(self.system.n_v) if prescribed is None else np.array(prescribed, float)
        self._solve(np.asarray(q, float), np.asarray(v, float), accel)
        if not np.isfinite(accel).all():
            raise self._not_finite(accel)
        return accel

    def _not_finite(self, accel: Vector) -> MechanismError:
        at = int(np.flatnonzero(~np.isfinite(accel))[0])
        name = next(name for name, where in self.system.joint_v.items() if where.start <= at < where.stop)
        return MechanismError(f"{self.system.mechanism.file}: no accelerations: that of joint {name!r} is not finite")

    @abstractmethod
    def set_out(self, q: Vector, v: Vector) -> None:
        """From here a motion is followed, one step at least: q (n_q,), v (n_v,) are on the loops.

        Between its steps an integrator asks for accelerations in states that are not. What is decided here, by the closed state, is kept for
        them until the next `set_out` or `arrive`: coordinates, ranks. Raises MechanismError as `accelerations`.
        """

    @abstractmethod
    def arrive(self) -> None:
        """The motion is over: every state decides for itself again."""

    @abstractmethod
    def _solve(self, q: Vector, v: Vector, accel: Vector) -> None:
        """Overwrite accel, but for prescribed coordinates; raise MechanismError."""

    def _refuse_singular(self, q: Vector, redundant: int) -> None:
        """Raise when rows are redundant because the configuration is singular; looked at again when their number changes."""
        if redundant == self._usual_redundant:
            return
        found = mobility(self.system, q)
        if found.singular:
            loops = ", ".join(repr(name) for name in found.loops)
            raise MechanismError(f"{self.system.mechanism.file}: singular configuration: {loops} neither close nor open in it", found.loops)
        self._usual_redundant = redundant


class MultiplierFormulation(Formulation):
    """A formulation that keeps constraints as rows with multipliers, and takes a feedback on them."""

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self._expected: int | None = None

    def set_out(self, q: Vector, v: Vector) -> None:
        """Count the redundant rows in the first of these states: a mechanism that moves on keeps their number.

        Off its loops by delta a redundant row has a pivot of the order of delta^2, and would not be known for what it is.
        """
        if self._expected is None:
            self.accelerations(q, v)
            self._expected = len(self.redundant)
            self._keep_rank(self._expected)

    def arrive(self) -> None:
        """See `Formulation`."""
        self._expected = None
        self._keep_rank(None)

    @abstractmethod
    def _keep_rank(self, redundant: int | None) -> None:
        """From now on so many rows are redundant; None: as many as are found."""

    @property
    @abstractmethod
    def multipliers(self) -> Vector:
        """(rows,) of the last evaluation; redundant rows have none."""

    @property
    @abstractmethod
    def redundant(self) -> tuple[int, ...]:
        """Rows that were found redundant in the last evaluation."""

    @abstractmethod
    def set_feedback(self, feedback: Vector) -> None:
        """Have phi'' + feedback = 0 from now on, in place of phi'' = 0; (rows,) in the order of `system.parts.constraints.rows`."""
