"""Compliance of an axle from measured coefficients: displacements of a wheel per force and torque at its contact.

Loads (couple, force) and displacements (rotation, displacement) of the left wheel at the contact, in chassis axes, are related by a
symmetric matrix A (Maxwell). The coefficients are entries of A:

    A[z, z] steer per torque     A[z, Fy] steer per lateral force      A[Fy, Fy] lateral displacement of the contact per force
    A[z, Fx] toe-in per braking force      A[Fx, Fx] = recession of the contact per braking force     ...

Rotations about x (camber) and y (wind-up) by couples about these axes are not measured: they are the smallest with which no load gains
energy. At the wheel center the loads are w = S^T w_c and the displacements e with e_c = S e, so that C = S^-1 A S^-T. The contact is straight below the
center in the plane of the wheel.
"""

from __future__ import annotations

import math

import numpy as np

from simulator.base.arrays import Matrix, Vector
from simulator.base.errors import ConfigError
from simulator.base.fields import Field, Group, Number
from simulator.base.values import Values

LOSS_TIME = Field("loss_time", Number("s", 1e-5, 0.1, above=0.0), "damping of the rubber over its stiffness", 2e-3)
"""Default [assumed]: a loss angle of 10 deg at 15 Hz."""
_ANGLE, _WAY = Number("deg/kN", -10.0, 10.0), Number("mm/kN", 0.0, 100.0)
_TWIST = Number("deg/100 N m", -10.0, 10.0)

MEASURED_FILE = Field(
    "compliance",
    Group(
        (
            LOSS_TIME,
            Field("loaded_radius", Number("m", 0.01, 5.0), "height of the wheel center above the contact in the measurement"),
            Field(
                "lateral_force",
                Group(
                    (
                        Field("steer", _ANGLE, "steer to the left", 0.0),
                        Field("camber", _ANGLE, "camber, + = top outwards", 0.0),
                        Field("displacement", _WAY, "displacement of the contact to the left", 0.0),
                    )
                ),
                "per lateral force to the left at the contact of the left wheel",
                None,
            ),
            Field(
                "braking_force",
                Group(
                    (
                        Field("toe", _ANGLE, "toe-in", 0.0),
                        Field("wind_up", _ANGLE, "turn of the carrier about its axle, + = top backwards", 0.0),
                        Field("displacement", _WAY, "displacement of the wheel center backwards", 0.0),
                    )
                ),
                "per force backwards at the contact of the left wheel, locked by its brake",
                None,
            ),
            Field(
                "aligning_torque",
                Group(
                    (
                        Field("steer", Number("deg/100 N m", 0.0, 10.0), "steer to the left", 0.0),
                        Field("camber", _TWIST, "camber, + = top outwards", 0.0),
                    )
                ),
                "per torque to the left about the vertical axis of the left wheel",
                None,
            ),
        )
    ),
    "measured coefficients of elastic displacements; default: none",
    None,
)

X, Y, Z, FX, FY = range(5)
"""Rows of A: rotations about x, y, z, displacements along x, y."""
MIRROR = np.diag([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0])
"""Mirror image of couples and forces, and of rotations and displacements."""
ROUNDING = 1e-9
"""Smallest eigenvalue, relative to the largest, of a matrix that counts as without negative ones."""


class MeasuredCompliance:
    """Compliance from a section with the keys MEASURED_FILE; axle (3,) of the left wheel, pointing left.

    Raises ConfigError: no passive suspension has these coefficients.
    """

    def __init__(self, values: Values, axle: Vector) -> None:
        self._values = values
        contact = self._at_contact()
        down = axle[2] * axle - np.array([0.0, 0.0, 1.0])
        x, y, z = values["loaded_radius"] / np.linalg.norm(down) * down
        lever = np.eye(6)
        lever[3:, :3] = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]
        back = np.linalg.inv(lever)
        self.left: Matrix = back @ contact @ back.T
        """(6, 6) rotation and displacement of the wheel center per couple and force there"""

    def compliance(self, sides: int) -> Matrix:
        """Return the compliance (6 sides, 6 sides) of the wheels, which do not move each other."""
        out = np.zeros((6 * sides, 6 * sides))
        out[:6, :6] = self.left
        if sides == 2:
            out[6:, 6:] = MIRROR @ self.left @ MIRROR
        return out

    def _at_contact(self) -> Matrix:
        """Return A (6, 6)."""
        lateral, braking, torque = (self._values.get(name) or {} for name in ("lateral_force", "braking_force", "aligning_torque"))
        per_force, per_torque = 1e-3 * math.radians(1.0), 1e-2 * math.radians(1.0)
        wind_up = per_force * braking.get("wind_up", 0.0)
        A = np.zeros((6, 6))

        def put(row: int, column: int, value: float) -> None:
            A[row, column] = A[column, row] = value

        put(Z, FY, per_force * lateral.get("steer", 0.0))
        put(X, FY, -per_force * lateral.get("camber", 0.0))
        put(FY, FY, 1e-6 * lateral.get("displacement", 0.0))
        put(Z, FX, per_force * braking.get("toe", 0.0))
        put(Y, FX, wind_up)
        put(FX, FX, 1e-6 * braking.get("displacement", 0.0) - wind_up * self._values["loaded_radius"])
        put(Z, Z, per_torque * torque.get("steer", 0.0))
        put(X, Z, -per_torque * torque.get("camber", 0.0))
        known, turned = A[Z : FY + 1, Z : FY + 1], A[:Z, Z : FY + 1]
        size = np.sqrt(np.abs(np.diag(known)))
        size[size == 0.0] = 1.0
        values, vectors = np.linalg.eigh(known / np.outer(size, size))
        along = turned / size @ vectors
        is_rigid = values <= ROUNDING * max(values.max(), ROUNDING)
        if (values < -ROUNDING).any() or np.abs(along[:, is_rigid]).max(initial=0.0) > ROUNDING * np.abs(along).max(initial=0.0):
            expected = (
                "coefficients of a passive suspension: steer and camber by a force only with a displacement by it, and with the square of "
                "steer by a force at most steer by torque times displacement"
            )
            raise ConfigError(self._values.file, self._values.key, "coefficients by which a load gains energy", expected)
        A[:Z, :Z] = along[:, ~is_rigid] / values[~is_rigid] @ along[:, ~is_rigid].T
        return A
