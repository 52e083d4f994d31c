"""Objective motion cueing test: sines of twelve frequencies along each axis through the complete chain, gain and phase of each axis.

The frequencies and the measured quantities follow ICAO Doc 9625, attachment F. Its amplitudes and boundaries are not published freely and
are given here from memory, so the results are no proof of compliance.

    in     force a sin(w t) along surge, sway, heave (added to gravity), or an angle A sin(w t) of roll, pitch, yaw, given as its rate
    out    force less gravity and angular velocity at the head, at the actual pose behind the actuators
    (`simulator.tools.cueing.motion_pipeline`)

    H = out / in of the first harmonic, by least squares over the last periods; K is not divided out

All entries of the matrix are dimensionless and compare the perceived motion with the motion of the car:

    force by force            f / a                  1 is the car
    rate by rate              w_out / w_in           1 is the car
    angle by force            g angle / a            1: the angle whose gravity component equals the force (a tilt)
    force by angle            f / (g angle)          1: the gravity component of the angle

A roll or pitch angle has a gravity component in a car on a slope. The test includes this component only on request (attendant gravity),
because a tilt channel then adds to the rotation.

`motion` is the same matrix for the acceleration of the head alone, without tilt. Sinacori and Schroeder rate a high-pass by its gain and
phase at 1 rad/s.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.constants import STANDARD_GRAVITY
from simulator.tools.cueing.motion_pipeline import CueingPipeline, PlatformMotion, felt, head_of
from simulator.tools.cueing.scores import FORCES, RATES
from washout.cueing import MotionCueing

Complex = NDArray[np.complex128]

G = STANDARD_GRAVITY
AXES = (*FORCES, *RATES)

FREQUENCIES = 10.0 ** (np.arange(12) / 5.0 - 1.0)
"""rad/s: 0.1 to 15.85, five per decade."""

TICK = 2e-3
"""s, default tick of the test: at 1 ms gain and phase agree within 0.0001 and 0.2 degrees."""

AMPLITUDES = (1.0, 0.25)
"""1. Factors of FORCE, ANGLE and RATE in the two tests: a washout with a tilt-rate limit responds nonlinearly."""
FORCE = 1.0
"""m/s2 at each frequency."""
ANGLE, RATE = math.radians(6.0), math.radians(1.0)
"""rad, rad/s: the amplitude is the minimum of ANGLE and RATE / w.

From memory; known difference: 0.063 degrees at the highest frequency, not 0.04.
"""

PERIODS = 2
"""Measured periods, after at least as many settling periods."""
SETTLE = 40.0
"""s, default minimum time for the transient to decay; the sine is blended in over half of this time."""
REST_TIME = 5.0
"""s of rest between two frequencies."""

SINACORI = 1.0
"""rad/s."""
FIDELITY = (("high", 0.8, 30.0), ("medium", 0.35, 60.0))
"""Minimum gain and maximum phase [deg] of a high-pass at 1 rad/s, for the two better of three regions; from memory, approximate."""


class MotionChain(Protocol):
    """Interface of a tested motion chain."""

    h: float

    def follow(self, f: Array, w: Array) -> PlatformMotion:
        """Run specific forces and angular velocities (n, 3), a row per tick, and return the motion."""


@dataclass(frozen=True)
class Response:
    """Response to sines of one amplitude."""

    amplitude: float
    """1. Factor of FORCE, ANGLE, RATE."""
    attendant: bool
    """True if roll and pitch angles had their gravity component."""
    frequencies: Array
    """(n,) rad/s"""
    response: Complex
    """(n, 6 in, 6 out), order of AXES; see the module docstring. NaN for axes that were not tested."""
    motion: Complex
    """(n, 6 in, 3 out) of the acceleration of the head alone."""
    residue: Array
    """(n, 6) rms of the part that is no sine of the test frequency, divided by the rms of the sine, along the input axis."""
    limited: Array
    """(n, 6) fraction of ticks in which the limiter acted."""

    def direct(self, axis: str) -> Complex:
        """Return the response (n,) of an axis to its own input."""
        k = AXES.index(axis)
        return self.response[:, k, k]

    def at(self, w: float, axis: str) -> tuple[complex, complex]:
        """Return the response of an axis to its own input at the frequency nearest to w [rad/s], and the response of the motion alone.

        For an angle both are equal.
        """
        i, k = int(np.abs(self.frequencies - w).argmin()), AXES.index(axis)
        return complex(self.response[i, k, k]), complex(self.motion[i, k, k] if k < 3 else self.response[i, k, k])


def objective_test(
    make: Callable[[], MotionCueing],
    amplitude: float = 1.0,
    attendant: bool = False,
    axes: Sequence[str] = AXES,
    frequencies: Array = FREQUENCIES,
    settle: float = SETTLE,
    on_progress: Callable[[str], None] | None = None,
) -> Response:
    """Test a washout on its platform, which has risen and follows.

    Parameters
    ----------
    make : returns a MotionCueing in its initial state, for standard gravity
    amplitude : factor of FORCE, ANGLE, RATE
    attendant : roll and pitch angles have their gravity component
    axes : tested input axes
    settle : s, minimum time before a measurement
    on_progress : called with the name of the next axis

    Raises JounceError: the platform does not rise, or the washout was stopped.
    """
    response = empty_response(amplitude, attendant, frequencies)
    for axis in axes:
        if on_progress is not None:
            on_progress(axis)
        chain = CueingPipeline(make)
        try:
            sweep(chain, head_of(chain.cueing.platform), axis, response, settle)
        finally:
            chain.close()
    return response


def empty_response(amplitude: float, attendant: bool, frequencies: Array) -> Response:
    """Return a response filled with NaN, to be filled by `sweep`."""
    n = len(frequencies)
    numbers = np.full((n, 6, 6), np.nan, dtype=complex)
    return Response(amplitude, attendant, frequencies, numbers, numbers[:, :, :3].copy(), np.full((n, 6), np.nan), np.full((n, 6), np.nan))


def sweep(chain: MotionChain, head: Array, axis: str, response: Response, settle: float = SETTLE) -> None:
    """Compute one row of the matrix at all frequencies and store the row in `response`; `head` (3,) is the head position in P [m]."""
    k = AXES.index(axis)
    for i, w in enumerate(response.frequencies):
        count = math.ceil(2.0 * math.pi / w * PERIODS / chain.h)
        before = max(count, math.ceil(settle / chain.h))
        f, rates, size = sine(axis, float(w), response.amplitude, before + count + 1, before // 2, chain.h, response.attendant)
        ride = chain.follow(f, rates)
        last = slice(before, before + count)
        seen = felt(ride.pose[before - 1 :], head, ride.h)
        t = np.arange(before, before + count) * chain.h
        columns = np.hstack([part[1:-1] for part in (seen.force, seen.rate, seen.acceleration)])
        harmonic, residue = first_harmonic(columns, t, float(w))
        harmonic[:6] /= _scale(k, float(w), size)
        response.response[i, k], response.motion[i, k] = harmonic[:6], harmonic[6:] / _scale(k, float(w), size)[:3]
        response.residue[i, k] = residue[k]
        response.limited[i, k] = float((ride.limited[last] > 0).mean())
        chain.follow(*rest(chain.h))


def sine(axis: str, w: float, amplitude: float, n: int, rise: int, h: float, attendant: bool) -> tuple[Array, Array, float]:
    """Return specific force and rate (n, 3) of a car that oscillates along an axis, blended in over `rise` ticks, and the amplitude [m/s2
    or rad].
    """
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
    """Return specific force and rate (n, 3) of a car at rest, by default for REST_TIME seconds."""
    n = math.ceil(REST_TIME / h) if n is None else n
    return np.tile([0.0, 0.0, G], (n, 1)), np.zeros((n, 3))


def _scale(k: int, w: float, size: float) -> Complex:
    """Return the divisors (6,) of forces and rates for an input `size` along axis k; see the module docstring."""
    if k < 3:
        return np.array([size] * 3 + [1j * w * size / G] * 3)
    return np.array([G * size] * 3 + [1j * w * size] * 3)


def first_harmonic(columns: Array, t: Array, w: float) -> tuple[Complex, Array]:
    """Return complex amplitudes (m,) of columns (n, m), real for sin(w t), and the rms of the rest divided by the rms of the sine.

    The fit includes a straight line, for the rest of the transient.
    """
    middle = t - t.mean()
    basis = np.stack([np.sin(w * t), np.cos(w * t), np.ones_like(t), middle / middle[-1]], axis=1)
    coefficients = np.linalg.lstsq(basis, columns, rcond=None)[0]
    harmonic = coefficients[0] + 1j * coefficients[1]
    left = np.sqrt(np.mean(np.square(columns - basis @ coefficients), axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        return harmonic, left / (np.abs(harmonic) / math.sqrt(2.0))


def fidelity(point: complex) -> str:
    """Return the region of Sinacori and Schroeder of a response at 1 rad/s."""
    phase = abs(math.degrees(math.atan2(point.imag, point.real)))
    return next((name for name, least, largest in FIDELITY if abs(point) >= least and phase <= largest), "low")


def to_dict(test: Response) -> dict[str, Any]:
    """Return the JSON data: by input axis and output axis, gain, phase [deg] and in-phase part at each frequency."""

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
