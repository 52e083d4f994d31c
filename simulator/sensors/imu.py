"""Inertial measurement unit: three accelerometers and three gyroscopes at one point of the chassis.

With the mount at p_BS, its axes R_BS, and g the acceleration of free fall of the world,

    f_S = R_BS^T (a_WB + alpha_WB x p_BS + w_WB x (w_WB x p_BS) + R_WB^T g e_z)
    w_S = R_BS^T w_WB                                                            all written in B before R_BS^T

`simulator.sensors.inertial_errors` adds the errors. Without parameters, the unit is perfect.

differs: a real unit averages over its period, this model uses the tick; the Earth does not rotate.
"""

from __future__ import annotations

import numpy as np

from simulator.base.algebra.vectors import add, cross, vector
from simulator.base.fields import Choice, Field, Number
from simulator.base.jit import kernel
from simulator.base.records import Record, record
from simulator.base.rotations import rotation_of_quaternion
from simulator.sensors.contract import SensorInput, SensorKind, SensorSettings
from simulator.sensors.imu_grades import PRESETS
from simulator.sensors.inertial_errors import FORCE, RATE, InertialErrors
from simulator.sensors.messages.definitions import IMU
from simulator.sensors.messages.navigation import imu
from simulator.sensors.messages.topic import Recording, Topic
from vehicles.readout import READOUT


def _axes(name: str, unit: str, least: float, most: float, meaning: str, default: float) -> Field:
    """Return the field of a number for each axis, or for all axes."""
    return Field(name, Number(unit, least, most, shape=(3,), repeats=True), meaning, (default,) * 3, "S")


def _fields(part: str, what: str, unit: str, per_s: str, most: float, widest: float) -> tuple[Field, ...]:
    """Return the fields of the accelerometers or of the gyroscopes."""
    walk = 10.0 if part == "force" else 1.0
    skew = Number("1", -0.5, 0.5, shape=(3, 3))
    return (
        _axes(f"{part}_noise", f"{unit}/Hz^0.5", 0.0, most, f"density N of the white noise of the {what}", 0.0),
        _axes(f"{part}_bias", unit, 0.0, most, f"standard deviation of the constant bias of the {what}, drawn at the start", 0.0),
        _axes(f"{part}_offset", unit, -most, most, f"known constant bias of the {what}", 0.0),
        _axes(f"{part}_correlated_bias", unit, 0.0, most, f"standard deviation of the Gauss-Markov bias of the {what}", 0.0),
        _axes(f"{part}_correlation_time", "s", 1e-3, 1e6, f"correlation time of the Gauss-Markov bias of the {what}", 100.0),
        _axes(f"{part}_walk", f"{per_s}/Hz^0.5", 0.0, walk, f"density K of the random walk of the bias of the {what}", 0.0),
        _axes(f"{part}_scale_error", "1", -0.5, 0.5, f"relative error of the scale of the {what}", 0.0),
        Field(f"{part}_misalignment", skew, f"deviation of the axes of the {what}: row = measured axis", ((0.0,) * 3,) * 3, "S"),
        _axes(f"{part}_range", unit, widest * 1e-6, widest, f"measuring range of the {what}, in both directions", widest),
        _axes(f"{part}_step", unit, 0.0, most, f"resolution of the {what}; 0: unlimited", 0.0),
    )


PARAMETERS = (
    Field("preset", Choice(("perfect", *PRESETS)), "grade of the unit, see docs/imu.md; other keys replace its values", "perfect"),
    *_fields("force", "specific force", "m/s2", "m/s3", 10.0, 1e5),
    *_fields("rate", "angular rate", "rad/s", "rad/s2", 1.0, 1e4),
    Field("g_sensitivity", Number("rad s/m", -1.0, 1.0, shape=(3, 3)), "angular rate per specific force", ((0.0,) * 3,) * 3, "S"),
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
        self._mount, self._gravity = settings.mount, float(settings.ground.p[0]["gravity"])
        parameters = {name: settings.parameters[0][name] for name in settings.parameters.dtype.names or ()}
        self._errors = InertialErrors(parameters, settings.period, settings.random)
        self._R_WB, self._values = np.empty((3, 3)), np.empty((1, 2, 3))
        measure(record(READOUT), self._mount.p_BS, self._mount.R_BS, self._gravity, self._R_WB, self._values[0])  # compiles it

    def step(self, seen: SensorInput, out: Record) -> None:
        """Measure specific force and angular rate."""
        measure(seen.readout, self._mount.p_BS, self._mount.R_BS, self._gravity, self._R_WB, self._values[0])
        self._errors.apply(self._values)
        out[0]["f_S"], out[0]["w_S"] = self._values[0]


@kernel
def measure(readout, p_BS, R_BS, gravity, R_WB, out):
    """Write specific force [m/s2] and angular rate [rad/s] at the mount, in S, to `out` (2, 3); R_WB (3, 3) is a work array.

    Of the READOUT record, q_WB, w_WB_B, a_WB_B and alpha_WB_B are read.
    """
    r = readout[0]
    rotation_of_quaternion(r["q_WB"], R_WB)
    w, p = vector(r["w_WB_B"]), vector(p_BS)
    f = add(vector(r["a_WB_B"]), add(cross(vector(r["alpha_WB_B"]), p), cross(w, cross(w, p))))
    f = (f[0] + gravity * R_WB[2, 0], f[1] + gravity * R_WB[2, 1], f[2] + gravity * R_WB[2, 2])
    for j in range(3):
        out[FORCE, j] = R_BS[0, j] * f[0] + R_BS[1, j] * f[1] + R_BS[2, j] * f[2]
        out[RATE, j] = R_BS[0, j] * w[0] + R_BS[1, j] * w[1] + R_BS[2, j] * w[2]


def messages(settings: SensorSettings) -> Recording:
    """Return the topic `data` of a sensor."""
    return Recording((Topic("data", IMU, lambda one: imu(one.time, settings.name, one.values[0]["f_S"], one.values[0]["w_S"])),))


KIND = SensorKind(
    "imu",
    PARAMETERS,
    OUTPUT,
    Imu,
    2,
    rate=100.0,
    meaning="specific force and angular rate at a point of the chassis; with errors as in data sheets",
    presets=PRESETS,
    messages=messages,
)
