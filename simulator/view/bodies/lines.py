"""Lines of a generic car: the curves and surfaces that its panels follow, scaled to the vehicle; in chassis axes B.

All heights are fractions of the height of the roof above the ground. All positions along the car are relative to axles, ends and driver's
head, so that for any vehicle file the wheels are in the arches and the driver is under the roof.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simulator.view.bodies.contract import Size

ROOF_OVER_HEAD = 0.25
"""m. Distance from the center of the driver's head to the outside of the roof."""
ROUND, SQUARE = 0.20, 0.03
"""m. Distance of the corners of the body behind its foremost and rearmost point; the second value is for a bed."""
ARCH = 1.13
"""Radius of a wheel arch divided by that of the tire."""


class Lines:
    """Surfaces of a body: x of the reference points, heights as fractions of the roof height."""

    def __init__(self, size: Size, paint: Sequence[int], bed: bool) -> None:
        self.size, self.paint, self.bed = size, paint, bed
        self.ground = size.ground
        self.height = float(size.head[2]) + ROOF_OVER_HEAD - size.ground
        head = float(size.head[0])
        front, rear = size.axles[0], size.axles[-1]
        self.cowl = min(head + 0.92, front - 0.25)
        self.shield_top, self.pillar = head + 0.18, head - 0.28
        self.roof_end = head - 0.42 if bed else max(head - 1.10, rear - 0.3)
        self.back = head - 0.52 if bed else max(head - 1.72, size.rear + 0.35)
        shoulder = ((size.rear, 0.69), (self.back, 0.68), (head, 0.66), (self.cowl, 0.635), (front, 0.585), (size.front, 0.485))
        self._shoulder = np.array(sorted(shoulder))
        self.belt_in = 0.90
        """Half width between the lower edges of the side windows divided by that of the body."""
        self.roof_half = 0.63 * size.half_width

    def z(self, share: Any) -> Any:
        """Return the height in B of a fraction of the roof height."""
        return self.ground + self.height * np.asarray(share, float)

    def shoulder(self, x: Any) -> Any:
        """Return z of the upper edge of the body's side."""
        return self.z(np.interp(x, self._shoulder[:, 0], self._shoulder[:, 1]))

    def side(self, x: Any, z: Any) -> Any:
        """Return y of the left side."""
        s = self.size
        middle, half = 0.5 * (s.front + s.rear), 0.5 * (s.front - s.rear)
        along = np.clip(np.abs(np.asarray(x) - middle) / half, 0.0, 1.0)
        share = (np.asarray(z) - self.ground) / self.height
        return s.half_width * (1.0 - 0.24 * along**6) * (1.0 - 0.55 * (share - 0.38) ** 2)

    def end(self, z: Any, y: Any, front: bool) -> Any:
        """Return x of the front or the rear surface."""
        share = (np.asarray(z) - self.ground) / self.height
        lean = (0.1 if self.bed and not front else 0.55) * (share - 0.30) ** 2 + (0.35 * np.clip(share - 0.45, 0.0, 1.0) if front else 0.0)
        back = lean + self._round(front) * (np.abs(y) / (0.78 * self.size.half_width)) ** 3
        return self.size.front - back if front else self.size.rear + back

    def corners(self, front: bool) -> float:
        """Return x at the end of the sides."""
        return self.size.front - self._round(True) if front else self.size.rear + self._round(False)

    def _round(self, front: bool) -> float:
        return SQUARE if self.bed and not front else ROUND

    def low(self, x: Any) -> Any:
        """Return z of the lower edge of the side: sill and arches."""
        x, radius = np.asarray(x, float), ARCH * self.size.radius
        edge = np.full(x.shape, float(self.z(0.135)))
        for axle in self.size.axles:
            inside = np.clip(radius**2 - (x - axle) ** 2, 0.0, None)
            edge = np.where(inside > 0.0, np.maximum(edge, self.size.center + np.sqrt(inside)), edge)
        return edge

    def cabin_side(self, x: float, up: float, out: float = 0.0) -> tuple[float, float, float]:
        """Return a point of the tilted side of the cabin: `up` from the belt, 0, to the edge of the roof, 1."""
        belt = float(self.shoulder(x)) + 0.01
        y = self.belt_in * float(self.side(x, belt)) * (1.0 - up) + self.roof_half * up + 0.10 * self.roof_half * up * (1.0 - up)
        return x, y + out, belt + up * (float(self.z(0.955)) - belt)
