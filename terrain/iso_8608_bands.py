"""ISO 8608 class of a ground profile per octave band, and coherence of two parallel profiles.

The octave bands are centered at the wave numbers 2^k 1/m: from 1/64 (45 to 90 m) to 8 (0.09 to 0.18 m), as far as the length and the sampling
of the profile permit. [ISO 8608:1995, annex B]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simulator.base.arrays import Array
from terrain.heightmap_detail import ISO_CLASSES, ISO_REFERENCE, iso_roughness

FIRST_OCTAVE, LAST_OCTAVE = -6, 3
"""Exponents of two of the first and the last octave."""
WINDOWED = 1.0 / 5.7
"""1/m. Default limit of `density`, between two octaves."""
MIN_LINES = 3
"""Minimum number of spectral lines in an octave; with fewer lines the estimate is unreliable."""


@dataclass(frozen=True)
class Octave:
    """One octave band of a profile."""

    wave_number: float
    """center wave number in 1/m"""
    shortest: float
    """wavelength [m] at the upper limit, or the shortest wavelength in the profile"""
    longest: float
    """wavelength [m] at the lower limit"""
    density: float
    """spectral density divided by the geometric mean of class A"""

    @property
    def road_class(self) -> str:
        """Class A to H whose limits (half and twice the geometric mean) contain the density; A also below class A, "" above H."""
        steps = round(math.log(max(self.density, 1e-12), 4.0))
        return ISO_CLASSES[max(steps, 0)] if steps < len(ISO_CLASSES) else ""


def density(z: Array, step: float, windowed_from: float = WINDOWED) -> tuple[Array, Array]:
    """Return the wave numbers (m,) in 1/m and the one-sided spectral density (m,) in m3 of a profile z (n,) in m without its linear trend.

    Waves shorter than 1 / `windowed_from` are evaluated with a Hann window, because hills would leak into them from the ends of the profile. Only few
    long waves fit into a profile, and the window would remove half of their information. Without the window, leakage is below 2 % for an ISO profile
    of 500 m.
    """
    s = np.arange(len(z)) - 0.5 * (len(z) - 1)
    rest = z - z.mean() - s * float(s @ z) / float(s @ s)
    n = np.asarray(np.fft.rfftfreq(len(z), step)[1:], np.float64)
    window = np.hanning(len(z))
    plain, windowed = (np.abs(np.fft.rfft(rest * w))[1:] ** 2 * 2.0 * step / float(np.sum(w * w)) for w in (np.ones(len(z)), window))
    return n, np.where(n < windowed_from, plain, windowed)


def octaves(z: Array, step: float) -> list[Octave]:
    """Return the octave bands of a profile z (n,) in m with samples `step` m apart."""
    n, densities = density(z, step)
    nominal = iso_roughness("A") * (n / ISO_REFERENCE) ** -2.0
    out = []
    for power in range(FIRST_OCTAVE, LAST_OCTAVE + 1):
        middle = 2.0**power
        low, high = middle / math.sqrt(2.0), min(middle * math.sqrt(2.0), 1.0 / 0.1, 0.5 / step)
        inside = (n >= low) & (n < high)
        if inside.sum() >= MIN_LINES and high > middle:
            ratio = float(densities[inside].sum() / nominal[inside].sum())
            out.append(Octave(middle, 1.0 / high, 1.0 / low, ratio))
    return out


def coherence(left: Sequence[Array], right: Sequence[Array], step: float, length: float) -> tuple[Array, Array]:
    """Estimate the coherence of parallel profiles by averaging over segments [Welch 1967].

    Returns wave numbers (m,) in 1/m and squared coherence (m,) of profiles (lines, n). Segments of `length` m overlap by half.
    """
    from scipy.signal import csd

    count = round(length / step)
    given = {"fs": 1.0 / step, "window": np.hanning(count), "noverlap": count - count // 2}
    a, b = np.stack(left), np.stack(right)
    cross, one, other = (csd(*pair, **given)[1].mean(axis=0)[1:] for pair in ((a, b), (a, a), (b, b)))
    return np.asarray(np.fft.rfftfreq(count, step)[1:], np.float64), np.asarray(np.abs(cross) ** 2 / (one * other), np.float64)


def isotropic_coherence(wave_number: Array, track: float) -> Array:
    """Return the squared coherence at a distance of `track` m on isotropic ground of waviness 2: (x K_1(x))^2, x = 2 pi n track.

    The cross spectrum is the integral of the plane spectrum C / k^3 over the lateral wave numbers m, multiplied by cos(2 pi m track).
    """
    from scipy.special import k1

    x = 2.0 * np.pi * wave_number * track
    return np.asarray((x * k1(x)) ** 2)


AMMON = {"A": (8.5, 3.5), "B": (5.3, 2.2), "C": (3.0, 1.3), "D": (1.6, 0.8), "E": (0.8, 0.5)}
"""Omega_p in rad/m and exponent p of the coherence of roads per class [Ammon 1992]."""


def ammon_coherence(wave_number: Array, track: float, road_class: str) -> Array:
    """Return the squared coherence of measured roads: (1 + (Omega track / Omega_p)^2)^-p. [Ammon 1992]"""
    omega, p = AMMON[road_class]
    return np.asarray((1.0 + (2.0 * np.pi * wave_number * track / omega) ** 2) ** -p)
