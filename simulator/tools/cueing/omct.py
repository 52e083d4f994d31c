"""The objective motion cueing test: sines of twelve frequencies along every axis through the complete chain, gain and phase of every axis.

After ICAO Doc 9625, attachment F, in its frequencies and in what is measured; its amplitudes and its boundaries are not published freely and
stand here as remembered, so nothing found here is compliance with it.

    in     force a sin(w t) along surge, sway, heave (added to gravity), or an angle A sin(w t) of roll, pitch, yaw, given as its rate
    out    force less gravity and angular velocity at the head, where the platform is behind its actuators (`simulator.tools.cueing.motion_pipeline`)

    H = out / in of the first harmonic, by least squares over the last periods; K is not divided out

so that every entry of the matrix has no unit and says which share of the car's motion is felt:

    force by force            f / a                  1 is the car
    rate by rate              w_out / w_in           1 is the car
    angle by force            g angle / a            1: the angle whose share of gravity is that force (a tilt)
    force by angle            f / (g angle)          1: the share of gravity that goes with that angle

An angle of roll or pitch has its share of gravity in a car that stands on a slope; the test has it only when it is asked for (attendant
gravity), for then a tilt channel adds to the rotation.

Beside it `motion`: the same for the acceleration of the head alone, without what tilt shows. Sinacori and Schroeder judge a high-pass by its
gain and phase at 1 rad/s.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.base.constants import STANDARD_GRAVITY
from simulator.tools.cueing.motion_pipeline import CueingPipeline, PlatformMotion, felt, head_of
from simulator.tools.cueing.scores import FORCES, RATES
from washout.cueing import MotionCueing

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

G = STANDARD_GRAVITY
AXES = (*FORCES, *RATES)

FREQUENCIES = 10.0 ** (np.arange(12) / 5.0 - 1.0)
"""rad/s: 0.1 to 15.85, five per decade."""

TICK = 2e-3
"""s. Ticks of the test, where nothing else is said: at 1 ms gain and phase are the same within 0.0001 and 0.2 degrees."""

AMPLITUDES = (1.0, 0.25)
"""1. Of the two tests, times FORCE, ANGLE and RATE: a washout that limits the rate of its tilt answers differently to each."""
FORCE = 1.0
"""m/s2 at every frequency."""
ANGLE, RATE = math.radians(6.0), math.radians(1.0)
"""rad, rad/s: the angle is the least of ANGLE and RATE / w. As remembered; differs: 0.063 degrees at the highest frequency, not 0.04."""

PERIODS = 2
"""That are looked at, after at least as many to settle."""
SETTLE = 40.0
"""s at least until a washout has forgotten how the sine began, where nothing else is said; it begins softly over half of that."""
BETWEEN = 5.0
"""s of rest between two frequencies."""

SINACORI = 1.0
"""rad/s."""
FIDELITY = (("high", 0.8, 30.0), ("medium", 0.35, 60.0))
"""Least gain and largest phase [deg] of a high-pass at 1 rad/s, for the two better of three regions; as remembered, rough."""


class Chained(Protocol):
    """What is tested."""

    h: float

    def follow(self, f: Array, w: Array) -> PlatformMotion:
        """Specific forces and angular velocities (n, 3), a row per tick, as a ride."""


@dataclass(frozen=True)
class Response:
    """What sines of one size gave."""

    amplitude: float
    """1. Times FORCE, ANGLE, RATE."""
    attendant: bool
    """Whether angles of roll and pitch had their share of gravity."""
    frequencies: Array
    """(n,) rad/s"""
    response: Complex
    """(n, 6 in, 6 out), order of AXES; see the text above. NaN for what was not asked for."""
    motion: Complex
    """(n, 6 in, 3 out) of the acceleration of the head alone."""
    residue: Array
    """(n, 6) rms of what is no sine of that frequency, as a share of what is, along the axis of the input."""
    limited: Array
    """(n, 6) share of ticks in which the limiter acted."""

    def direct(self, axis: str) -> Complex:
        """(n,) of an axis by itself."""
        k = AXES.index(axis)
        return self.response[:, k, k]

    def at(self, w: float, axis: str) -> tuple[complex, complex]:
        """Response of an axis by itself, and of the motion alone, at the frequency nearest to w [rad/s]. Of an angle both are the same."""
        i, k = int(np.abs(self.frequencies - w).argmin()), AXES.index(axis)
        return complex(self.response[i, k, k]), complex(self.motion[i, k, k] if k < 3 else self.response[i, k, k])


def objective_test(
    make: Callable[[], MotionCueing],
    amplitude: float = 1.0,
    attendant: bool = False,
    axes: Sequence[str] = AXES,
    frequencies: Array = FREQUENCIES,
    settle: float = SETTLE,
    told: Callable[[str], None] | None = None,
) -> Response:
    """Test a washout on its platform, which has risen and follows.

    Parameters
    ----------
    make : gives a MotionCueing that has not moved yet, for a world of standard gravity
    amplitude : of the sines, times FORCE, ANGLE, RATE
    attendant : angles of roll and pitch have their share of gravity
    axes : along which there is an input
    settle : s at least before anything is measured
    told : called with the axis that comes next

    Raises JounceError: the platform does not come up, or the washout was dropped.
    """
    found = unmeasured(amplitude, attendant, frequencies)
    for axis in axes:
        if told is not None:
            told(axis)
        chain = CueingPipeline(make)
        try:
            sweep(chain, head_of(chain.cueing.platform), axis, found, settle)
        finally:
            chain.close()
    return found


def unmeasured(amplitude: float, attendant: bool, frequencies: Array) -> Response:
    """Nothing but NaN, for `sweep` to fill."""
    n = len(frequencies)
    numbers = np.full((n, 6, 6), np.nan, dtype=complex)
    return Response(amplitude, attendant, frequencies, numbers, numbers[:, :, :3].copy(), np.full((n, 6), np.nan), np.full((n, 6), np.nan))


def sweep(chain: Chained, head: Array, axis: str, found: Response, settle: float = SETTLE) -> None:
    """One row of the matrix at all frequencies, into `found`; `head` (3,) is where the rider's is, in P [m]."""
    k = AXES.index(axis)
    for i, w in enumerate(found.frequencies):
        count = math.ceil(2.0 * math.pi / w * PERIODS / chain.h)
        before = max(count, math.ceil(settle / chain.h))
        f, rates, size = sine(axis, float(w), found.amplitude, before + count + 1, before // 2, chain.h, found.attendant)
        ride = chain.follow(f, rates)
        last = slice(before, before + count)
        seen = felt(ride.pose[before - 1 :], head, ride.h)
        t = np.arange(before, before + count) * chain.h
        columns = np.hstack([part[1:-1] for part in (seen.force, seen.rate, seen.acceleration)])
        harmonic, residue = first_harmonic(columns, t, float(w))
        harmonic[:6] /= _scale(k, float(w), size)
        found.response[i, k], found.motion[i, k] = harmonic[:6], harmonic[6:] / _scale(k, float(w), size)[:3]
        found.residue[i, k] = residue[k]
        found.limited[i, k] = float((ride.limited[last] > 0).mean())
        chain.follow(*rest(chain.h))


def sine(axis: str, w: float, amplitude: float, n: int, rise: int, h: float, attendant: bool) -> tuple[Array, Array, float]:
    """Specific force and rate (n, 3) of a car that swings along an axis, softly begun over `rise` ticks, and the size of it [m/s2 or rad]."""
    k = AXES.index(axis)
    size = amplitude * (FORCE if k < 3 else min(ANGLE, RATE / w))
    t = np.arange(n) * h
    x = np.clip(np.arange(n) / max(1, rise), 0.0, 1.0)
    wave = size * x * x * (3.0 - 2.0 * x) * np.sin(w * t)
    f, rates = rest(h, n)
    if k < 3:
        f[:, k] += wave
        return f, rates, size
    rates[:, k - 3] = np.gradient(wave, h)
    if attendant and k == 3:
        f[:, 1], f[:, 2] = G * np.sin(wave), G * np.cos(wave)
    if attendant and k == 4:
        f[:, 0], f[:, 2] = -G * np.sin(wave), G * np.cos(wave)
    return f, rates, size


def rest(h: float, n: int | None = None) -> tuple[Array, Array]:
    """Specific force and rate (n, 3) of a car that stands; BETWEEN seconds of it by default."""
    n = math.ceil(BETWEEN / h) if n is None else n
    return np.tile([0.0, 0.0, G], (n, 1)), np.zeros((n, 3))


def _scale(k: int, w: float, size: float) -> Complex:
    """(6,) what forces and rates are divided by for an input `size` along axis k; see the text above."""
    if k < 3:
        return np.array([size] * 3 + [1j * w * size / G] * 3)
    return np.array([G * size] * 3 + [1j * w * size] * 3)


def first_harmonic(columns: Array, t: Array, w: float) -> tuple[Complex, Array]:
    """Amplitudes (m,) of columns (n, m), those of sin(w t) being real, and the rms of the rest as a share of that of the sine.

    A straight line is taken off besides: what is left of how it began.
    """
    middle = t - t.mean()
    basis = np.stack([np.sin(w * t), np.cos(w * t), np.ones_like(t), middle / middle[-1]], axis=1)
    found = np.linalg.lstsq(basis, columns, rcond=None)[0]
    harmonic = found[0] + 1j * found[1]
    left = np.sqrt(np.mean(np.square(columns - basis @ found), axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        return harmonic, left / (np.abs(harmonic) / math.sqrt(2.0))


def fidelity(point: complex) -> str:
    """Region of Sinacori and Schroeder of a response at 1 rad/s."""
    phase = abs(math.degrees(math.atan2(point.imag, point.real)))
    return next((name for name, least, largest in FIDELITY if abs(point) >= least and phase <= largest), "low")


def to_dict(test: Response) -> dict[str, Any]:
    """Ready for JSON: by input axis and output axis, gain, phase [deg] and share in phase at every frequency."""

    def table(response: Complex) -> dict[str, Any]:
        return {"gain": np.abs(response), "phase_deg": np.degrees(np.angle(response)), "in_phase": response.real}

    done = [axis for k, axis in enumerate(AXES) if np.isfinite(test.residue[:, k]).any()]
    return {
        "amplitude": test.amplitude,
        "force_amplitude": test.amplitude * FORCE,
        "angle_amplitudes": [test.amplitude * min(ANGLE, RATE / w) for w in test.frequencies],
        "attendant_gravity": test.attendant,
        "frequencies": test.frequencies,
        "response": {into: {out: table(test.response[:, AXES.index(into), j]) for j, out in enumerate(AXES)} for into in done},
        "motion_alone": {into: {out: table(test.motion[:, AXES.index(into), j]) for j, out in enumerate(FORCES)} for into in done},
        "residue": {axis: test.residue[:, AXES.index(axis)] for axis in done},
        "limited_share": {axis: test.limited[:, AXES.index(axis)] for axis in done},
        "least_in_phase": {axis: float(test.direct(axis).real.min()) for axis in done},
        "sinacori_schroeder": {axis: _points(test, axis) for axis in done},
    }


def _points(test: Response, axis: str) -> dict[str, Any]:
    total, motion = test.at(SINACORI, axis)
    return {
        name: {"gain": abs(one), "phase_deg": math.degrees(math.atan2(one.imag, one.real)), "fidelity": fidelity(one)}
        for name, one in (("total", total), ("motion_alone", motion))
    }
