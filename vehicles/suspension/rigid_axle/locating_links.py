"""Locating links of a rigid axle: four rods, some of which may be planes, and positions of the beam, in NumPy for many positions at once.

Equation numbers are those of `vehicles.suspension.rigid_axle.kinematics`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Vector
from vehicles.suspension.rigid_axle.kinematics import CLOSED, MAX_ITERATIONS, RODS, TERMS

RANGE = 0.15
"""m. Heights of either wheel, up and down, at which the rods must close, and for which the polynomial is fitted."""
HEIGHTS = 9
"""Number of heights of each wheel at which the closure is checked."""
MIN_SINGULAR_VALUE = 1e-3
"""Smallest ratio of a singular value of J to the largest one, with lengths in half tracks; below it the rods do not locate the axle."""


@dataclass(frozen=True)
class Guide:
    """Four rods in the design position, in chassis axes and relative to the chassis reference point [m].

    Attributes
    ----------
    anchors, joints : (4, 3) ends on the chassis and on the beam
    normals : (4, 3) unit normal if the end on the beam stays in a plane of the chassis, 0 for a rod
    """

    anchors: Vector
    joints: Vector
    normals: Vector

    @property
    def planes(self) -> NDArray[np.bool_]:
        """(4,) True for planes."""
        return np.asarray(self.normals.any(axis=1))

    @property
    def bend(self) -> Vector:
        """(4,) `bend` of (2) [1/m]."""
        lengths = np.linalg.norm(self.joints - self.anchors, axis=1)
        return np.where(self.planes, 0.0, 1.0 / np.where(self.planes, 1.0, lengths))

    @property
    def offset(self) -> Vector:
        """(4,) `offset` of (2) [m]."""
        d = self.joints - self.anchors
        return np.asarray(0.5 * self.bend * (d * d).sum(axis=1) + (self.normals * d).sum(axis=1))

    def rows(self, C: Vector, u: Vector, height: Vector, sine: Vector) -> tuple[Vector, Vector]:
        """Return f (n, 4) and J (n, 4, 4) of the rods at many positions, (2) and (3).

        C : (3,) in the design position; u : (n, 4); height, sine : (n,)
        """
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
        """Return u (n, 4) at heights and sines of the roll (n,), by Newton's method from the design position.

        NaN where no position exists.
        """
        u = np.zeros((len(height), RODS))
        for fraction in np.linspace(0.25, 1.0, 4):
            for _ in range(MAX_ITERATIONS):
                f, J = self.rows(C, u, fraction * height, fraction * sine)
                step = np.linalg.solve(J, -f[..., None])[..., 0]
                u = u + step
                if np.abs(step).max() < CLOSED:
                    break
        f, _ = self.rows(C, u, height, sine)
        u[np.abs(f).max(axis=1) > 1e-12] = np.nan
        return u

    def is_located(self, C: Vector, half_track: float) -> bool:
        """Return True if the beam has only height and roll as degrees of freedom in the design position."""
        _, J = self.rows(C, np.zeros((1, RODS)), np.zeros(1), np.zeros(1))
        values = np.linalg.svd(J[0] / [1.0, 1.0, half_track, half_track], compute_uv=False)
        return bool(values[-1] > MIN_SINGULAR_VALUE * values[0])

    def polynomial(self, C: Vector, half_track: float) -> Vector | None:
        """Return (terms, 4) coefficients of TERMS for u over RANGE; None: the rods do not close everywhere."""
        heights = np.linspace(-RANGE, RANGE, HEIGHTS)
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
