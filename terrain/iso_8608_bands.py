"""Which class of ISO 8608 a profile of the ground has, octave by octave, and how alike two parallel profiles are.

Octaves lie about the wave numbers 2^k 1/m: from 1/64 (45 to 90 m) to 8 (0.09 to 0.18 m), as far as the profile is long and finely sampled. [ISO 8608:1995, annex B]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from terrain.heightmap_detail import ISO_CLASSES, ISO_REFERENCE, iso_roughness

Values = NDArray[np.float64]

FIRST, LAST = -6, 3
"""Powers of two of the first and the last octave."""
WINDOWED = 1.0 / 5.7
"""1/m. See `density`; between two octaves."""
FEWEST = 3
"""Lines of the spectrum that an octave must hold: less is chance."""


@dataclass(frozen=True)
class Octave:
    """One octave of a profile."""

    wave_number: float
    """1/m, its middle"""
    shortest: float
    """m, wavelength at its upper end, or that of the finest waves that the profile has"""
    longest: float
    """m, wavelength at its lower end"""
    density: float
    """times the geometric mean of class A"""

    @property
    def road_class(self) -> str:
        """Class A to H in whose limits, half and twice its geometric mean, the density lies; A below them too, "" above H."""
        steps = round(math.log(max(self.density, 1e-12), 4.0))
        return ISO_CLASSES[max(steps, 0)] if steps < len(ISO_CLASSES) else ""


def density(z: Values, step: float, windowed_from: float = WINDOWED) -> tuple[Values, Values]:
    """Wave numbers (m,) in 1/m and one-sided spectral density (m,) in m3 of a profile z (n,) in m, its straight trend taken off.

    Waves shorter than 1 / `windowed_from` are looked at through a Hann window, lest the hills that a profile lies on leak into them from its ends. Of the longer
    ones so few fit into a profile that the window would throw away half of what there is; what leaks is then below 2 % of an ISO profile of 500 m.
    """
    s = np.arange(len(z)) - 0.5 * (len(z) - 1)
    rest = z - z.mean() - s * float(s @ z) / float(s @ s)
    n = np.asarray(np.fft.rfftfreq(len(z), step)[1:], np.float64)
    window = np.hanning(len(z))
    plain, windowed = (np.abs(np.fft.rfft(rest * w))[1:] ** 2 * 2.0 * step / float(np.sum(w * w)) for w in (np.ones(len(z)), window))
    return n, np.where(n < windowed_from, plain, windowed)


def octaves(z: Values, step: float) -> list[Octave]:
    """The octaves of a profile z (n,) in m with samples `step` m apart."""
    n, found = density(z, step)
    nominal = iso_roughness("A") * (n / ISO_REFERENCE) ** -2.0
    out = []
    for power in range(FIRST, LAST + 1):
        middle = 2.0**power
        low, high = middle / math.sqrt(2.0), min(middle * math.sqrt(2.0), 1.0 / 0.1, 0.5 / step)
        inside = (n >= low) & (n < high)
        if inside.sum() >= FEWEST and high > middle:
            ratio = float(found[inside].sum() / nominal[inside].sum())
            out.append(Octave(middle, 1.0 / high, 1.0 / low, ratio))
    return out


def coherence(left: Sequence[Values], right: Sequence[Values], step: float, length: float) -> tuple[Values, Values]:
    """Wave numbers (m,) in 1/m and squared coherence (m,) of profiles (lines, n), estimated from pieces of `length` m
    that overlap by half [Welch 1967]."""
    count = round(length / step)
    window = np.hanning(count)
    cross, one, other = (np.zeros(count // 2 + 1, kind) for kind in (complex, float, float))
    for a, b in zip(left, right, strict=True):
        for first in range(0, len(a) - count + 1, count // 2):
            fa, fb = (np.fft.rfft(window * (z[first : first + count] - z[first : first + count].mean())) for z in (a, b))
            cross, one, other = cross + fa * np.conj(fb), one + np.abs(fa) ** 2, other + np.abs(fb) ** 2
    return np.asarray(np.fft.rfftfreq(count, step)[1:], np.float64), np.asarray((np.abs(cross) ** 2 / (one * other))[1:], np.float64)


def isotropic_coherence(wave_number: Values, track: float) -> Values:
    """Squared coherence at `track` m of an isotropic ground of waviness 2: (x K_1(x))^2, x = 2 pi n track.

    The cross spectrum is the integral of the plane spectrum C / k^3 over the waves across times cos(2 pi m track), which is the modified Bessel function
    K_1; K_1(x) = integral of exp(-x cosh t) cosh t over t > 0.
    """
    x = 2.0 * np.pi * wave_number * track
    t = np.linspace(0.0, 12.0, 4001)
    inside = np.exp(-x[:, None] * np.cosh(t)) * np.cosh(t)
    return np.asarray((x * np.trapezoid(inside, t, axis=1)) ** 2)


AMMON = {"A": (8.5, 3.5), "B": (5.3, 2.2), "C": (3.0, 1.3), "D": (1.6, 0.8), "E": (0.8, 0.5)}
"""Omega_p in rad/m and p of the coherence of roads of a class [Ammon 1992]."""


def ammon_coherence(wave_number: Values, track: float, road_class: str) -> Values:
    """Squared coherence of measured roads: (1 + (Omega track / Omega_p)^2)^-p. [Ammon 1992]"""
    omega, p = AMMON[road_class]
    return np.asarray((1.0 + (2.0 * np.pi * wave_number * track / omega) ** 2) ** -p)
