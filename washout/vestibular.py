"""Models of the vestibular organs: semicircular canals and otoliths as linear filters, in several published versions, and perception thresholds.

    canals    angular velocity [rad/s] -> perceived angular velocity
    otoliths  specific force minus gravity [m/s2] -> perceived specific force

All versions are quotients N(s) / ((T1 s + 1) (T2 s + 1) ...) with different time constants T, so that the partial fractions

    G(s) = d + sum_k r_k / (s - p_k),      p_k = -1 / T_k

are exact. Each state is advanced exactly from sample to sample for a piecewise linear signal (first-order hold). The result depends on the sampling only
through the linear interpolation. The versions differ in their gain. So that errors, correlations and thresholds are comparable, perceived signals are
divided by the maximum gain of the version over all frequencies.

Each version has its source. Observers with an internal model (Merfeld) are not included, because they are not linear filters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.jit import kernel

_BAND = np.logspace(-4.0, 4.0, 1601)
"""rad/s. Frequencies for the search of the maximum gain."""


@dataclass(frozen=True)
class Organ:
    """One axis of canals or otoliths: N(s) / ((T1 s + 1) (T2 s + 1) ...).

    Parameters
    ----------
    numerator : coefficients of N, constant first
    times : time constants T [s], all different
    """

    numerator: tuple[float, ...]
    times: tuple[float, ...]

    def response(self, w: Array) -> NDArray[np.complex128]:
        """Frequency response at w [rad/s], as published."""
        s = 1j * np.asarray(w, dtype=float)
        below = np.prod([T * s + 1.0 for T in self.times], axis=0)
        return np.polyval(self.numerator[::-1], s) / below

    @cached_property
    def largest_gain(self) -> float:
        """Maximum gain over all frequencies."""
        return float(np.abs(self.response(_BAND)).max())

    @cached_property
    def fractions(self) -> tuple[float, Array, Array]:
        """(d, poles [1/s], residues [1/s])."""
        poles = np.array([-1.0 / T for T in self.times])
        lead = float(np.prod(self.times))
        d = self.numerator[-1] / lead if len(self.numerator) == len(self.times) + 1 else 0.0
        residues = [np.polyval(self.numerator[::-1], p) / (lead * np.prod(np.delete(p - poles, k))) for k, p in enumerate(poles)]
        return d, poles, np.array(residues)

    def perceive(self, signal: Array, h: float) -> Array:
        """Return the perceived signal divided by `largest_gain`, for a signal (n,) in steps of h [s] that was constant before the first sample."""
        d, poles, residues = self.fractions
        e = np.exp(poles * h)
        rise = np.expm1(poles * h)
        late = (rise - poles * h) / (poles * poles * h)
        early = rise / poles - late
        out = np.empty(len(signal))
        state = -signal[0] / poles
        _filter(np.ascontiguousarray(signal, dtype=float), d, e, early, late, residues, state, out)
        return out / self.largest_gain


@kernel
def _filter(signal, d, e, early, late, residues, state, out):
    """Compute out = d u + sum r x with x' = p x + u and u piecewise linear; `state` (m,) advances from the first sample to the last."""
    before = signal[0]
    for i in range(len(signal)):
        u = signal[i]
        total = d * u
        for k in range(len(state)):
            if i > 0:
                state[k] = e[k] * state[k] + early[k] * before + late[k] * u
            total += residues[k] * state[k]
        out[i], before = total, u


@dataclass(frozen=True)
class Vestibular:
    """A published model: canals of roll, pitch, yaw and otoliths of surge, sway, heave."""

    name: str
    title: str
    canals: tuple[Organ, Organ, Organ]
    otoliths: tuple[Organ, Organ, Organ]
    source: str

    def forces(self, f: Array, h: float) -> Array:
        """Return the perceived specific force (n, 3) [m/s2] of f (n, 3) without gravity, in steps of h [s]."""
        return np.stack([organ.perceive(f[:, j], h) for j, organ in enumerate(self.otoliths)], axis=1)

    def rates(self, w: Array, h: float) -> Array:
        """Return the perceived angular velocity (n, 3) [rad/s] of w (n, 3) in steps of h [s]."""
        return np.stack([organ.perceive(w[:, j], h) for j, organ in enumerate(self.canals)], axis=1)


def canal(slow: float, quick: float | None, adaptation: float) -> Organ:
    """Return T_L T_a s^2 / ((T_L s + 1) (T_s s + 1) (T_a s + 1)); without T_s if `quick` is None. Times in s."""
    return Organ((0.0, 0.0, slow * adaptation), (slow, adaptation) if quick is None else (slow, quick, adaptation))


def otolith(gain: float, lead: float, slow: float, quick: float) -> Organ:
    """Return K (T_a s + 1) / ((T_L s + 1) (T_s s + 1)). Times in s."""
    return Organ((gain, gain * lead), (slow, quick))


_YOUNG = otolith(0.4, 13.2, 5.33, 0.66)

MODELS: tuple[Vestibular, ...] = (
    Vestibular(
        "haug",
        "[Deyo 1989], after Reid and Nahon",
        (canal(10.2, 0.1, 30.0),) * 3,
        (_YOUNG,) * 3,
        "[Deyo 1989, section 4.1.2.2]: T_L 10.2, T_s 0.1, T_a 30 s; K 0.4, T_L 5.33, T_a 13.2, T_s 0.66 s",
    ),
    Vestibular(
        "zacharias",
        "Zacharias 1978, per axis",
        (canal(6.1, 0.1, 30.0), canal(5.3, 0.1, 30.0), canal(10.2, 0.1, 30.0)),
        (_YOUNG,) * 3,
        "Zacharias 1978, as used by Reid and Nahon: T_L 6.1, 5.3, 10.2 s for roll, pitch, yaw; otoliths after Young and Meiry 1968",
    ),
    Vestibular(
        "telban_cardullo",
        "Telban and Cardullo 2005",
        (canal(5.73, None, 80.0),) * 3,
        (otolith(0.4, 10.0, 5.0, 0.016),) * 3,
        "NASA CR-2005-213747, numbers as in MATMPC's motion cueing example: T_L 5.73, T_a 80 s; K 0.4, T_a 10, T_L 5, T_s 0.016 s",
    ),
    Vestibular(
        "delft",
        "Delft course, canals of an observer",
        (canal(5.7, None, 80.0),) * 3,
        (otolith(3.4, 1.0, 0.5, 0.016),) * 3,
        "otoliths: TU Delft course (ahms-subjective-vertical), K 3.4, 1.0, 0.5, 0.016 s; canals (not in the course): 5.7 and 80 s (PMC2775380)",
    ),
)
"""The models disagree: the first two attenuate forces above 1.5 rad/s, the last two pass them up to 62 rad/s. They rank washouts differently."""

FORCE_THRESHOLDS = (0.17, 0.17, 0.28)
"""m/s2. Perception thresholds of surge, sway, heave: Zacharias 1978, from memory; [Deyo 1989] gives 0.15 to 0.3."""

RATE_THRESHOLDS = (math.radians(3.0), math.radians(3.6), math.radians(2.6))
"""rad/s. Perception thresholds of roll, pitch, yaw: Zacharias 1978, from memory; [Deyo 1989] gives 2.5 to 3.5 deg/s. The thresholds of an active driver are
higher (roll 6.3 deg/s, Nesti et al.), in darkness lower (0.7 deg/s)."""


def beyond(perceived: Array, thresholds: Sequence[float]) -> Array:
    """Return the part of perceived (n, k) beyond the thresholds (k,) of either sign; zero within them."""
    limit = np.asarray(thresholds)
    return perceived - np.clip(perceived, -limit, limit)
