"""Methods of `python -m research bench integrators` and `python -m research bench driven`, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from research.benchmarks.multistep import AdamsBashforth2, AdamsPEC, AdamsPECE
from vehicles.integration.contract import Integrator, Rates
from vehicles.integration.implicit import HybridEuler, LinearlyImplicitEuler
from vehicles.integration.one_step import ExplicitEuler, RungeKutta2, RungeKutta4, SemiImplicitEuler
from vehicles.linearize import FAST_STATES, POSITIONS


class Layout(Protocol):
    """Indices of the fields of HELD_STATE in a state y."""

    def indices(self, *fields: str) -> NDArray[np.int_]:
        """Return the indices of the fields in y."""
        ...

    def __len__(self) -> int:
        """Return the length of y."""
        ...


METHODS: dict[str, Callable[[Layout, Rates], Integrator]] = {
    "explicit Euler": lambda y, f: ExplicitEuler(f),
    "semi-implicit Euler": lambda y, f: SemiImplicitEuler(f, y.indices(*POSITIONS)),
    "Adams-Bashforth 2": lambda y, f: AdamsBashforth2(f),
    "Adams-Moulton PEC": lambda y, f: AdamsPEC(f),
    "Adams-Moulton PECE": lambda y, f: AdamsPECE(f),
    "Runge-Kutta 2 (Heun)": lambda y, f: RungeKutta2(f),
    "Runge-Kutta 4": lambda y, f: RungeKutta4(f),
    "linearly implicit Euler": lambda y, f: LinearlyImplicitEuler(f, len(y)),
    "hybrid Euler": lambda y, f: HybridEuler(f, y.indices(*FAST_STATES)),
}
"""Methods for a vehicle state and its rates."""
IMPLICIT = ("linearly implicit Euler", "hybrid Euler")
"""Methods that compute a Jacobian in each step."""
SHIPPED = "vehicles/step.py"
"""Name of the integrator of the vehicle in the tables."""
