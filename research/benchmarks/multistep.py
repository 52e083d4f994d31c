"""Two-step Adams methods: Bashforth, and Moulton with Bashforth as predictor, with and without a final update."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simulator.base.arrays import Vector
from vehicles.integration.contract import Project, Rates, UniformIntegrator
from vehicles.integration.one_step import heun_step


class MultistepIntegrator(UniformIntegrator):
    """A method that uses the rates of the previous step.

    The first step is a step of Heun's method, and so is each step that does not continue from the end of the previous one with the same
    length. A state that was changed in between (a reset, an impact) therefore restarts the method. Call `restart` after a jump of f.
    """

    _before: Vector
    """Rates of the previous step."""

    def __init__(self, rates: Rates, project: Project | None = None) -> None:
        super().__init__(rates, project)
        self._end: tuple[float, Vector, float] | None = None

    def step(self, t: float, y: Vector, h: float) -> Vector:
        """See `Integrator`."""
        if not self._continues(t, y, h):
            self.restart()
        new = super().step(t, y, h)
        self._end = (t + h, new.copy(), h)
        return new

    def restart(self) -> None:
        """Discard the previous steps."""
        self._end = None

    @property
    def started(self) -> bool:
        """True if a previous step exists."""
        return self._end is not None

    def _continues(self, t: float, y: Vector, h: float) -> bool:
        if self._end is None:
            return False
        t_end, y_end, h_end = self._end
        return h == h_end and math.isclose(t, t_end, abs_tol=1e-6 * abs(h)) and np.array_equal(y, y_end)


class AdamsBashforth2(MultistepIntegrator):
    """y1 = y0 + h (3 f0 - f-1) / 2, f-1 at the previous state; order 2 [Bashforth and Adams 1883].

    Stable to -1 on the real axis, half as far as explicit Euler, and not on the imaginary one ((h omega)^4 / 4).
    """

    order = 2
    evaluations = 1

    def advance(self, t: float, y: Vector, h: float) -> Vector:
        """See the class."""
        f = self.rates(t, y)
        new = y + 0.5 * h * (3.0 * f - self._before) if self.started else heun_step(self.rates, t, y, h, f)
        self._before = f
        return new

    @staticmethod
    def characteristic(z: Any) -> list[Any]:
        """Return r^2 - (1 + 3 z / 2) r + z / 2."""
        return [1.0, -(1.0 + 1.5 * z), 0.5 * z]


class AdamsPECE(MultistepIntegrator):
    """Adams-Moulton with Adams-Bashforth as predictor, with the final update (PECE); order 2 [Lambert 1973, chapter 3].

        p1 = y0 + h (3 f0 - f-1) / 2,    y1 = y0 + h (f(t1, p1) + f0) / 2,    f1 = f(t1, y1)

    Stable to -2 on the real axis, to 1.29 i on the imaginary axis.
    """

    order = 2
    evaluations = 2

    def advance(self, t: float, y: Vector, h: float) -> Vector:
        """See the class; the final update is the first evaluation of the next step, at the projected state."""
        f = self.rates(t, y)
        slope = 1.5 * f - 0.5 * self._before if self.started else f
        self._before = f
        return y + 0.5 * h * (self.rates(t + h, y + h * slope) + f)

    @staticmethod
    def characteristic(z: Any) -> list[Any]:
        """Return r^2 - (1 + z + 3 z^2 / 4) r + z^2 / 4."""
        return [1.0, -(1.0 + z + 0.75 * z * z), 0.25 * z * z]


class AdamsPEC(MultistepIntegrator):
    """Adams-Moulton with Adams-Bashforth as predictor, without a final update (PEC), as in [Deyo 1989]; order 2 [Lambert 1973, chapter 3].

    Only the rates at the predicted state are stored, g1 = f(t1, p1): one evaluation per step.

        p1 = y0 + h (3 g0 - g-1) / 2,    y1 = y0 + h (g1 + g0) / 2

    Stable to -0.5 on the real axis, to 0.67 i on the imaginary axis: saving an evaluation costs a shorter step.
    """

    order = 2
    evaluations = 1
    _last: Vector
    """Rates at the predicted state of the last step."""

    def advance(self, t: float, y: Vector, h: float) -> Vector:
        """See the class. The first step uses g0 = f(t0, y0) and Euler's predictor, which is a step of Heun's method."""
        if self.started:
            g, slope = self._last, 1.5 * self._last - 0.5 * self._before
        else:
            g = slope = self.rates(t, y)
        self._before, self._last = g, self.rates(t + h, y + h * slope)
        return y + 0.5 * h * (self._last + g)

    @staticmethod
    def characteristic(z: Any) -> list[Any]:
        """Return r^3 - (1 + 2 z) r^2 + 3 z / 2 r - z / 2, from both equations above with equal factors of p and y."""
        return [1.0, -(1.0 + 2.0 * z), 1.5 * z, -0.5 * z]
