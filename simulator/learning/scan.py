"""Ranges of level rays around vehicles: those of all vehicles on a ground in one call."""

from __future__ import annotations

import numpy as np

from simulator.base.arrays import Array
from simulator.learning.arena import Arena
from simulator.learning.contract import Numbers, Row
from terrain.ground import Ground
from terrain.rays.caster import RayCaster


class Scan:
    """A ring of level rays at equal angles, the first one forward, then to the left.

    Parameters
    ----------
    count : rays
    max_range : m; the range of a ray that meets nothing
    height : of the rays above the chassis reference point [m]
    forward : x of their origin in B [m]
    """

    def __init__(self, count: int, max_range: float, height: float = 0.4, forward: float = 0.0) -> None:
        self.count, self.max_range, self.height, self.forward = count, max_range, height, forward
        self._angles = np.arange(count) * (2.0 * np.pi / count)
        self._casters: dict[int, RayCaster] = {}

    def row(self) -> Row:
        """Return the row of the ranges."""
        meaning = f"range of {self.count} level rays, {360.0 / self.count:g} deg apart, the first one forward, then to the left"
        return Row("range", 0.0, self.max_range, "m", meaning, self.count)

    def ranges(self, arena: Arena, chosen: Numbers) -> Array:
        """Return the ranges (m, count) of vehicles."""
        out = np.empty((len(chosen), self.count))
        for fleet, rows in arena.groups(chosen):
            if len(rows):
                x, y, z, yaw = (arena.column(name)[chosen[rows]] for name in ("p_WB_x", "p_WB_y", "p_WB_z", "yaw"))
                origins = np.column_stack((x + self.forward * np.cos(yaw), y + self.forward * np.sin(yaw), z + self.height))
                times = arena.period * arena.steps[chosen[rows]].astype(float)
                out[rows] = self.around(fleet.ground, origins, yaw, times)
        return out

    def around(self, ground: Ground, origins: Array, yaw: Array, times: Array) -> Array:
        """Return the ranges (m, count) of rings at origins (m, 3) with headings (m,) at times (m,)."""
        caster = self._casters.get(id(ground))
        if caster is None:
            caster = self._casters[id(ground)] = RayCaster(ground)
        angles = (yaw[:, None] + self._angles).ravel()
        along = np.column_stack((np.cos(angles), np.sin(angles), np.zeros(len(angles))))
        hits = caster.cast(np.repeat(origins, self.count, axis=0), along, self.max_range, np.repeat(times, self.count))
        return np.minimum(hits.range, self.max_range).reshape(len(origins), self.count)
