"""Skid marks: dark strips behind tires that slide on a pavement, from the states that are drawn. No OpenGL here."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record
from simulator.view.terrain_data import TerrainData

MAX_SEGMENTS = 2048
"""Maximum number of segments; a new one replaces the oldest."""
FADE = 180.0
"""s. Age at which a mark has disappeared; a driver who returns sees fresh marks."""
STEP, MAX_STEP = 0.25, 4.0
"""m. Length of a segment, and distance of two states beyond which no mark joins them, such as a reset."""
MAX_GAP = 0.3
"""s. Time between two states beyond which no mark joins them."""
SLIDES, BLACK = 0.13, 0.45
"""Slip (root of the squares of both slips) above which a tire leaves a mark, and at which the mark is darkest; tires grip best at about 0.1."""
MIN_LOAD = 300.0
"""N. Load of a wheel below which it leaves no mark."""
RAISED = 0.008
"""m. Height above the ground."""
VERTEX = 6
"""Floats of a vertex: position (3) [m], position across the mark -1..1, darkness 0..1, time [s]."""


class SkidMarks:
    """Marks of one vehicle.

    Attributes
    ----------
    vertices : (MAX_SEGMENTS, 6, VERTEX) two triangles per segment; unused segments have no extent
    changed : True after new segments, until `taken`
    """

    def __init__(self, terrain: TerrainData, tire_width: NDArray[np.float64]) -> None:
        self._terrain, self._half = terrain, 0.42 * np.asarray(tire_width, float)
        self.vertices = np.zeros((MAX_SEGMENTS, 6, VERTEX), np.float32)
        self.changed, self.count = False, 0
        self._next, self._time = 0, -np.inf
        self._last = np.full((len(self._half), 3), np.nan)
        self._edges: list[NDArray[np.float64] | None] = [None] * len(self._half)
        self._dark = np.zeros(len(self._half))

    def update(self, state: Record) -> None:
        """Add the marks from the previous state to this one. A state of the past removes the marks that are younger."""
        now = float(state[0]["time"])
        if now == self._time:
            return
        if now < self._time:
            self.vertices[self.vertices[:, 0, 5] > now] = 0.0
            self.changed = True
        if not 0.0 < now - self._time <= MAX_GAP:
            self._break()
        self._time = now
        points, dark = np.asarray(state[0]["p_WC"], float), self._darkness(state)
        for k in range(len(self._half)):
            self._advance(k, points[k], float(dark[k]))

    def taken(self) -> NDArray[np.float32]:
        """Return the vertices (n, VERTEX) and forget that they changed."""
        self.changed = False
        return self.vertices[: self.count].reshape(-1, VERTEX)

    def _darkness(self, state: Record) -> NDArray[np.float64]:
        """Return the darkness of the mark of each wheel, 0..1."""
        s = state[0]
        slip = np.hypot(s["slip_ratio"], np.tan(np.clip(s["slip_angle"], -1.4, 1.4)))
        dark = np.clip((slip - SLIDES) / (BLACK - SLIDES), 0.0, 1.0) * (s["F_C"][:, 2] > MIN_LOAD)
        # a log without contact points has no marks
        valid = np.isfinite(dark) & np.isfinite(s["p_WC"]).all(axis=1)
        return np.where(valid, dark, 0.0)

    def _advance(self, k: int, point: NDArray[np.float64], dark: float) -> None:
        last = self._last[k]
        if dark == 0.0 or not self._terrain.is_pavement(float(point[0]), float(point[1])):
            self._last[k], self._edges[k], self._dark[k] = point, None, 0.0
            return
        path = point - last
        length = float(np.hypot(path[0], path[1]))
        if not length <= MAX_STEP:  # also for the first state, which has no previous one
            self._last[k], self._edges[k], self._dark[k] = point, None, dark
            return
        if length < STEP:
            return
        across = self._half[k] / length * np.array((-path[1], path[0], 0.0))
        start = self._edges[k]
        if start is None:
            start = np.stack((last - across, last + across))
            start[:, 2] += RAISED
        end = np.stack((point - across, point + across))
        end[:, 2] += RAISED
        self._add(start, end, self._dark[k], dark)
        self._last[k], self._edges[k], self._dark[k] = point, end, dark

    def _add(self, start: NDArray[np.float64], end: NDArray[np.float64], before: float, after: float) -> None:
        out = self.vertices[self._next]
        out[:, :3] = start[0], start[1], end[1], start[0], end[1], end[0]
        out[:, 3] = -1.0, 1.0, 1.0, -1.0, 1.0, -1.0
        out[:, 4] = before, before, after, before, after, after
        out[:, 5] = self._time
        self._next = (self._next + 1) % MAX_SEGMENTS
        self.count, self.changed = min(self.count + 1, MAX_SEGMENTS), True

    def _break(self) -> None:
        self._last[:] = np.nan
        self._edges = [None] * len(self._half)
