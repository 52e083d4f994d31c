"""An inertial measurement unit: three accelerometers and three gyroscopes in one place of the chassis.

With the mount at p_BS, its axes R_BS, and g the acceleration of free fall of the world,

    f_S = R_BS^T (a_WB + alpha_WB x p_BS + w_WB x (w_WB x p_BS) + R_WB^T g e_z)
    w_S = R_BS^T w_WB                                                            all written in B before R_BS^T

To that come a constant bias, drawn once, a bias that walks, and white noise; the sum is cut off at the range and rounded to the step.
Densities are those of a data sheet: white noise of density N has the standard deviation N / sqrt(T) at the period T, and a bias that walks
with K goes K sqrt(T) in a period.

differs: a unit averages over its period, this one takes the tick; axes are at right angles and of equal scale.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.base.algebra.vectors import add, cross, vector
from simulator.base.jit import kernel
from simulator.base.records import Record
from simulator.base.rotations import rotation_of_quaternion
from simulator.sensors.contract import CONTRACT, SensorInput, SensorKind, SensorSettings

PARAMETERS = (
    # name          shape  unit              what it is
    ("force_noise", (), "m/s2/Hz^0.5", "density of the white noise of the specific force"),
    ("force_bias", (), "m/s2", "standard deviation of its constant bias"),
    ("force_walk", (), "m/s3/Hz^0.5", "density of the walk of its bias"),
    ("force_range", (), "m/s2", "largest specific force that is measured, either way"),
    ("force_step", (), "m/s2", "smallest difference; 0: none"),
    ("rate_noise", (), "rad/s/Hz^0.5", "density of the white noise of the angular rate"),
    ("rate_bias", (), "rad/s", "standard deviation of its constant bias"),
    ("rate_walk", (), "rad/s2/Hz^0.5", "density of the walk of its bias"),
    ("rate_range", (), "rad/s", "largest angular rate that is measured, either way"),
    ("rate_step", (), "rad/s", "smallest difference; 0: none"),
)

RANGES = {
    **dict.fromkeys(("force_noise", "force_bias", "force_walk"), (0.0, 10.0)),
    **dict.fromkeys(("rate_noise", "rate_bias", "rate_walk"), (0.0, 1.0)),
    "force_range": (0.1, 1e5),
    "rate_range": (0.01, 1e4),
    "force_step": (0.0, 10.0),
    "rate_step": (0.0, 1.0),
}

DEFAULTS = {
    **dict.fromkeys(("force_noise", "force_bias", "force_walk", "force_step", "rate_noise", "rate_bias", "rate_walk", "rate_step"), 0.0),
    "force_range": 1e5,
    "rate_range": 1e4,
}
"""A perfect one."""

OUTPUT = (
    # name     shape  unit     what it is                                              type, frame
    ("f_S", (3,), "m/s2", "specific force measured at the mount; (0, 0, +g) at rest and level", "f8", "S"),
    ("w_S", (3,), "rad/s", "angular velocity of the chassis measured", "f8", "S"),
)


class Imu:
    """See the module. Parameters: see PARAMETERS."""

    def __init__(self, settings: SensorSettings) -> None:
        self._p, self._mount, self._random = settings.parameters[0], settings.mount, settings.random
        self._gravity, self._root = float(settings.ground.p[0]["gravity"]), math.sqrt(settings.period)
        self._R_WB = np.empty((3, 3))
        self._true = np.zeros(6)
        self._low, self._step, noise, walk, bias = (_both(settings.parameters, name) for name in ("range", "step", "noise", "walk", "bias"))
        self._noise, self._walk = noise / self._root, walk * self._root
        self._bias = bias * self._random.standard_normal(6)

    def step(self, seen: SensorInput, out: Record) -> None:
        """Measure."""
        measure(seen.readout, self._mount.p_BS, self._mount.R_BS, self._gravity, self._R_WB, self._true)
        white, walk = self._random.standard_normal((2, 6))
        value = np.clip(self._true + self._bias + self._noise * white, -self._low, self._low)
        self._bias += self._walk * walk
        np.copyto(value, np.round(value / np.where(self._step > 0.0, self._step, 1.0)) * self._step, where=self._step > 0.0)
        out[0]["f_S"], out[0]["w_S"] = value[:3], value[3:]


def _both(parameters: Record, name: str) -> NDArray[np.float64]:
    """(6,) a parameter of the forces and that of the rates."""
    return np.repeat([float(parameters[0][f"force_{name}"]), float(parameters[0][f"rate_{name}"])], 3)


@kernel
def measure(readout, p_BS, R_BS, gravity, R_WB, out):
    """Specific force [m/s2] and angular rate [rad/s] at the mount, in S, into `out` (6,); R_WB (3, 3) is work."""
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
    RANGES,
    OUTPUT,
    Imu,
    CONTRACT,
    rate=100.0,
    defaults=DEFAULTS,
    meaning="specific force and angular rate at a place of the chassis, with noise, bias, range and step",
)
