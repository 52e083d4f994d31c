"""Inertial measurement unit: three accelerometers and three gyroscopes at one point of the chassis.

With the mount at p_BS, its axes R_BS, and g the acceleration of free fall of the world,

    f_S = R_BS^T (a_WB + alpha_WB x p_BS + w_WB x (w_WB x p_BS) + R_WB^T g e_z)
    w_S = R_BS^T w_WB                                                            all written in B before R_BS^T

The output also includes a constant bias, drawn once, a random walk of the bias, and white noise; the sum is limited to the range and
rounded to the step. Densities are as in a data sheet: white noise of density N has the standard deviation N / sqrt(T) at the period T, and
a bias with random walk K changes by K sqrt(T) in a period.

differs: a real unit averages over its period, this model uses the tick; axes are orthogonal and have equal scale.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.vectors import add, cross, vector
from simulator.base.fields import Field, Number
from simulator.base.jit import kernel
from simulator.base.records import Record
from simulator.base.rotations import rotation_of_quaternion
from simulator.sensors.contract import SensorInput, SensorKind, SensorSettings

PARAMETERS = (
    Field("force_noise", Number("m/s2/Hz^0.5", 0.0, 10.0), "density of the white noise of the specific force", 0.0),
    Field("force_bias", Number("m/s2", 0.0, 10.0), "standard deviation of the constant bias of the specific force", 0.0),
    Field("force_walk", Number("m/s3/Hz^0.5", 0.0, 10.0), "density of the random walk of the force bias", 0.0),
    Field("force_range", Number("m/s2", 0.1, 1e5), "measuring range of the specific force, in both directions", 1e5),
    Field("force_step", Number("m/s2", 0.0, 10.0), "resolution of the specific force; 0: unlimited", 0.0),
    Field("rate_noise", Number("rad/s/Hz^0.5", 0.0, 1.0), "density of the white noise of the angular rate", 0.0),
    Field("rate_bias", Number("rad/s", 0.0, 1.0), "standard deviation of the constant bias of the angular rate", 0.0),
    Field("rate_walk", Number("rad/s2/Hz^0.5", 0.0, 1.0), "density of the random walk of the rate bias", 0.0),
    Field("rate_range", Number("rad/s", 0.01, 1e4), "measuring range of the angular rate, in both directions", 1e4),
    Field("rate_step", Number("rad/s", 0.0, 1.0), "resolution of the angular rate; 0: unlimited", 0.0),
)
"""Default: a perfect unit."""

OUTPUT = (
    # name     shape  unit     description                                              type, frame
    ("f_S", (3,), "m/s2", "measured specific force at the mount; (0, 0, +g) at rest and level", "f8", "S"),
    ("w_S", (3,), "rad/s", "measured angular velocity of the chassis", "f8", "S"),
)


class Imu:
    """Inertial measurement unit with the model of this module. Parameters: see PARAMETERS."""

    def __init__(self, settings: SensorSettings) -> None:
        self._p, self._mount, self._random = settings.parameters[0], settings.mount, settings.random
        self._gravity, self._root = float(settings.ground.p[0]["gravity"]), math.sqrt(settings.period)
        self._R_WB = np.empty((3, 3))
        self._true = np.zeros(6)
        self._range, self._step, noise, walk, bias = (
            _both(settings.parameters, name) for name in ("range", "step", "noise", "walk", "bias")
        )
        self._noise, self._walk = noise / self._root, walk * self._root
        self._bias = bias * self._random.standard_normal(6)

    def step(self, seen: SensorInput, out: Record) -> None:
        """Measure specific force and angular rate."""
        measure(seen.readout, self._mount.p_BS, self._mount.R_BS, self._gravity, self._R_WB, self._true)
        white, walk = self._random.standard_normal((2, 6))
        value = np.clip(self._true + self._bias + self._noise * white, -self._range, self._range)
        self._bias += self._walk * walk
        np.copyto(value, np.round(value / np.where(self._step > 0.0, self._step, 1.0)) * self._step, where=self._step > 0.0)
        out[0]["f_S"], out[0]["w_S"] = value[:3], value[3:]


def _both(parameters: Record, name: str) -> NDArray[np.float64]:
    """Return a parameter of the forces and of the rates as an array (6,)."""
    return np.repeat([float(parameters[0][f"force_{name}"]), float(parameters[0][f"rate_{name}"])], 3)


@kernel
def measure(readout, p_BS, R_BS, gravity, R_WB, out):
    """Write specific force [m/s2] and angular rate [rad/s] at the mount, in S, to `out` (6,); R_WB (3, 3) is a work array."""
    r = readout[0]
    rotation_of_quaternion(r["q_WB"], R_WB)
    w, p = vector(r["w_WB_B"]), vector(p_BS)
    f = add(vector(r["a_WB_B"]), add(cross(vector(r["alpha_WB_B"]), p), cross(w, cross(w, p))))
    f = (f[0] + gravity * R_WB[2, 0], f[1] + gravity * R_WB[2, 1], f[2] + gravity * R_WB[2, 2])
    for j in range(3):
        out[j] = R_BS[0, j] * f[0] + R_BS[1, j] * f[1] + R_BS[2, j] * f[2]
        out[3 + j] = R_BS[0, j] * w[0] + R_BS[1, j] * w[1] + R_BS[2, j] * w[2]


KIND = SensorKind(
    "imu",
    PARAMETERS,
    OUTPUT,
    Imu,
    2,
    rate=100.0,
    meaning="specific force and angular rate at a point of the chassis, with noise, bias, range and step",
)
