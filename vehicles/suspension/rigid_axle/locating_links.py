"""What holds a rigid axle: four rods, some of which may be planes; where they put the beam, in NumPy for many positions at once.

Equation numbers are those of `vehicles.suspension.rigid_axle.kinematics`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vehicles.suspension.rigid_axle.kinematics import CLOSED, RODS, ROUNDS, TERMS

Vector = NDArray[np.float64]

RANGE = 0.15
"""m. Heights of either wheel, up and down, over which the rods must close, and over which the polynomial is fitted."""
PLACES = 9
"""Heights of each wheel among them at which that is looked at."""
LOOSE = 1e-3
"""Least singular value of J over the largest, with lengths in halves of the track: below, the rods do not hold the axle."""


@dataclass(frozen=True)
class Guide:
    """Four rods in the design position, in chassis axes and from the chassis reference point [m].

    Attributes
    ----------
    anchors, joints : (4, 3) ends on the chassis and on the beam
    normals : (4, 3) unit normal where the end on the beam stays in a plane of the chassis, 0 where it hangs on a rod
    """

    anchors: Vector
    joints: Vector
    normals: Vector

    @property
    def planes(self) -> NDArray[np.bool_]:
        """(4,) which of them are planes."""
        return np.asarray(self.normals.any(axis=1))

    @property
    def bend(self) -> Vector:
        """(4,) of (2) [1/m]."""
        lengths = np.linalg.norm(self.joints - self.anchors, axis=1)
        return np.where(self.planes, 0.0, 1.0 / np.where(self.planes, 1.0, lengths))

    @property
    def offset(self) -> Vector:
        """(4,) of (2) [m]."""
        d = self.joints - self.anchors
        return np.asarray(0.5 * self.bend * (d * d).sum(axis=1) + (self.normals * d).sum(axis=1))

    def rows(self, C: Vector, u: Vector, height: Vector, sine: Vector) -> tuple[Vector, Vector]:
        """Rods at many positions: f (n, 4) and J (n, 4, 4), (2) and (3); C (3,) in the design position, u (n, 4), height and sine (n,)."""
        zero, one, cosine = np.zeros(len(u)), np.ones(len(u)), np.sqrt(1.0 - sine**2)
        c, s, c_w, s_w = np.cos(u[:, 2]), np.sin(u[:, 2]), np.cos(u[:, 3]), np.sin(u[:, 3])
        n, y = np.stack([c, s, zero], 1), np.stack([-s * cosine, c * cosine, sine], 1)
        z = np.stack([s * sine, -c * sine, cosine], 1)
        R = np.stack([c_w[:, None] * n - s_w[:, None] * z, y, s_w[:, None] * n + c_w[:, None] * z], 2)
        r = np.einsum("nij,kj->nki", R, self.joints - C)
        d = np.stack([u[:, 0], u[:, 1], height], 1)[:, None] + r - (self.anchors - C)
        g = self.bend[:, None] * d + self.normals
        f = 0.5 * self.bend * (d * d).sum(axis=2) + (self.normals * d).sum(axis=2) - self.offset
        L = np.cross(r, g)
        return f, np.stack([g[..., 0], g[..., 1], L[..., 2], (L * y[:, None]).sum(axis=2)], 2) * one[:, None, None]

    def positions(self, C: Vector, height: Vector, sine: Vector) -> Vector:
        """u (n, 4) at heights and sines of the roll (n,), by Newton's method from the design position; not a number where there is none."""
        u = np.zeros((len(height), RODS))
        for share in np.linspace(0.25, 1.0, 4):
            for _ in range(ROUNDS):
                f, J = self.rows(C, u, share * height, share * sine)
                step = np.linalg.solve(J, -f[..., None])[..., 0]
                u = u + step
                if np.abs(step).max() < CLOSED:
                    break
        f, _ = self.rows(C, u, height, sine)
        u[np.abs(f).max(axis=1) > 1e-12] = np.nan
        return u

    def holds(self, C: Vector, half_track: float) -> bool:
        """Whether nothing but height and roll is left to the beam in the design position."""
        _, J = self.rows(C, np.zeros((1, RODS)), np.zeros(1), np.zeros(1))
        values = np.linalg.svd(J[0] / [1.0, 1.0, half_track, half_track], compute_uv=False)
        return bool(values[-1] > LOOSE * values[0])

    def polynomial(self, C: Vector, half_track: float) -> Vector | None:
        """(terms, 4) coefficients of TERMS for u over RANGE; None: the rods do not close everywhere there."""
        heights = np.linspace(-RANGE, RANGE, PLACES)
        left, right = (grid.ravel() for grid in np.meshgrid(heights, heights))
        height, sine = 0.5 * (left + right), (left - right) / (2.0 * half_track)
        with np.errstate(all="ignore"):
            try:
                u = self.positions(C, height, sine)
            except np.linalg.LinAlgError:
                return None
        if not np.isfinite(u).all():
            return None
        powers = np.stack([height**a * sine**b for a, b in TERMS], 1)
        return np.asarray(np.linalg.lstsq(powers, u, rcond=None)[0])
