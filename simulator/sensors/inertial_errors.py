"""Errors of an inertial measurement unit: from true specific force f and angular rate w to measured values.

    y = (I + diag(scale)) (I + misalignment) x + bias + b + r + n          x = f, or w; w also gets g_sensitivity f

then y is limited to the range and rounded to the step. Per axis, at the sample interval T:

    n = N / sqrt(T) g                                              white noise of density N
    b' = phi b + sigma sqrt(1 - phi^2) g,  phi = exp(-T / tau)     first-order Gauss-Markov bias, stationary from the start
    r' = r + K sqrt(T) g                                           random walk of the bias, from 0

with independent standard normal numbers g. N, sigma, tau and K are the terms of IEEE Std 952 and of its Allan variance. The Gauss-Markov
process stands for the flicker noise ("bias instability") of a data sheet.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simulator.base.jit import kernel
from simulator.base.records import Record, record

FORCE, RATE = 0, 1
"""Index of the accelerometers and of the gyroscopes."""
DRAWS = 18
"""Normal random numbers of a sample: white noise, Gauss-Markov bias, random walk of six axes."""

ERRORS = (
    # name           shape       unit  description
    ("gain", (2, 3, 3), "1", "(I + diag(scale)) (I + misalignment)"),
    ("g_sensitivity", (3, 3), "rad s/m", "angular rate per specific force"),
    ("bias", (2, 3), "SI", "constant bias"),
    ("noise", (2, 3), "SI", "standard deviation of the white noise of a sample"),
    ("memory", (2, 3), "1", "phi of the Gauss-Markov bias"),
    ("drive", (2, 3), "SI", "sigma sqrt(1 - phi^2)"),
    ("walk", (2, 3), "SI", "standard deviation of a step of the random walk"),
    ("range", (2, 3), "SI", "measuring range, in both directions"),
    ("step", (2, 3), "SI", "resolution; 0: unlimited"),
    ("correlated", (2, 3), "SI", "state: Gauss-Markov bias"),
    ("walked", (2, 3), "SI", "state: random walk"),
)
"""Parameters and state of the errors at one sample interval."""


@kernel
def add_errors(errors, normals, values):
    """Replace n true values (n, 2, 3) of force and rate by measured values; normals (n, DRAWS) are standard normal numbers."""
    e = errors[0]
    for k in range(len(values)):
        f = values[k, FORCE, 0], values[k, FORCE, 1], values[k, FORCE, 2]
        w = values[k, RATE, 0], values[k, RATE, 1], values[k, RATE, 2]
        for i in range(2):
            x = f if i == FORCE else w
            for j in range(3):
                g = e["gain"][i, j]
                y = g[0] * x[0] + g[1] * x[1] + g[2] * x[2] + e["bias"][i, j] + e["correlated"][i, j] + e["walked"][i, j]
                if i == RATE:
                    s = e["g_sensitivity"][j]
                    y += s[0] * f[0] + s[1] * f[1] + s[2] * f[2]
                axis = 3 * i + j
                y += e["noise"][i, j] * normals[k, axis]
                y = min(max(y, -e["range"][i, j]), e["range"][i, j])
                if e["step"][i, j] > 0.0:
                    y = np.round(y / e["step"][i, j]) * e["step"][i, j]
                values[k, i, j] = y
                e["correlated"][i, j] = e["memory"][i, j] * e["correlated"][i, j] + e["drive"][i, j] * normals[k, 6 + axis]
                e["walked"][i, j] += e["walk"][i, j] * normals[k, 12 + axis]


class InertialErrors:
    """Errors of one unit, with their state.

    Parameters
    ----------
    parameters : by name, as the keys of `type: imu` (`simulator.sensors.imu.PARAMETERS`), in SI units; numbers or (3,); a missing name: no such error
    period : sample interval [s]
    random : random numbers of the unit
    """

    def __init__(self, parameters: Mapping[str, ArrayLike], period: float, random: np.random.Generator) -> None:
        self._random = random
        self._errors = _errors(parameters, period, random)
        add_errors(self._errors.copy(), np.zeros((1, DRAWS)), np.zeros((1, 2, 3)))  # compiles before the first measurement

    def measured(self, force: ArrayLike, rate: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return measured specific force and angular rate (n, 3) of n successive samples (n, 3) of true values [m/s2, rad/s]."""
        values = np.ascontiguousarray(np.stack((np.atleast_2d(force), np.atleast_2d(rate)), axis=1), np.float64)
        self.apply(values)
        return values[:, FORCE], values[:, RATE]

    def apply(self, values: NDArray[np.float64]) -> None:
        """Replace the true values (n, 2, 3) of force and rate of n successive samples by the measured values."""
        add_errors(self._errors, self._random.standard_normal((len(values), DRAWS)), values)


def _errors(parameters: Mapping[str, ArrayLike], period: float, random: np.random.Generator) -> Record:
    """Return the record of the errors with its random start: constant bias, and stationary Gauss-Markov bias."""

    def both(name: str, default: float = 0.0) -> NDArray[np.float64]:
        """Return the values of force and rate, (2, 3)."""
        return np.array([np.broadcast_to(np.asarray(parameters.get(f"{part}_{name}", default), float), 3) for part in ("force", "rate")])

    def matrix(name: str) -> NDArray[np.float64]:
        return np.asarray(parameters.get(name, np.zeros((3, 3))), float)

    out = record(ERRORS)
    e, root = out[0], math.sqrt(period)
    skew = np.array([matrix("force_misalignment"), matrix("rate_misalignment")])
    e["gain"] = (1.0 + both("scale_error"))[:, :, None] * (np.eye(3) + skew)
    e["g_sensitivity"] = matrix("g_sensitivity")
    e["bias"] = both("offset") + both("bias") * random.standard_normal((2, 3))
    sigma = both("correlated_bias")
    e["memory"] = np.exp(-period / both("correlation_time", 1.0))
    e["correlated"] = sigma * random.standard_normal((2, 3))
    e["drive"] = sigma * np.sqrt(1.0 - e["memory"] ** 2)
    e["noise"], e["walk"] = both("noise") / root, both("walk") * root
    e["range"], e["step"] = both("range", math.inf), both("step")
    return out
