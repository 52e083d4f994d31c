"""Moving objects of a lidar map: small groups of cells whose place was seen free a short time ago, followed from scan to scan.

The visible part of a wall moves, too, while the vehicle passes a gap. Its cells were hidden before, or objects: only a group on cells that were
seen free counts. Returns from rough ground and leaves flicker: only a group that goes straight on over several scans counts. Only persons,
animals and other small objects are followed; of a large one, the visible part says little about its motion.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from simulator.autonomy.mappers.scan_kernels import Cells
from simulator.base.arrays import Array

LARGEST = 1.5
"""m. Length and width of an object that is followed, at most."""
FREED = 2.0
"""s. Age of the last look at a cell without an object, at most, for it to have been free before."""
REACH, FASTEST = 0.3, 3.0
"""m, m/s. Distance and speed of an object from one scan to the next, at most."""
SPAN, LEAST_SPAN, LEAST_PLACES = 1.0, 0.7, 5
"""s, s, 1. Time over which the velocity is computed; the least one, and the least number of scans in it."""
LOST = 0.5
"""s. Time without a return after which an object is forgotten."""
SLOWEST, SCATTER = 0.6, 0.12
"""m/s, m. A slower object stands; a group whose distance from a steady motion is larger on average is none."""
LOWEST, FEWEST = 0.4, 3
"""m, 1. Height above the ground and number of returns of an object that is followed, at least."""
RANGE = 30.0
"""m. Distance within which objects are followed."""


@dataclass(eq=False)
class Track:
    """Object that is followed."""

    places: deque[tuple[float, float, float]] = field(default_factory=deque)
    """s, m, m: times and centers"""
    cells: Array = field(default_factory=lambda: np.zeros((0, 2)))
    """(n, 2) m, centers of its cells in the last scan"""
    top: float = 0.0
    """m above the ground"""
    is_new: bool = False
    """Whether most of its cells were free before."""

    @property
    def velocity(self) -> tuple[float, float]:
        """Velocity [m/s] by least squares; zero for an object that stands, does not go straight on, or is not known for long enough."""
        t, x, y = np.array(self.places).T
        if not self.is_new or len(t) < LEAST_PLACES or t[-1] - t[0] < LEAST_SPAN:
            return 0.0, 0.0
        t, x, y = t - t.mean(), x - x.mean(), y - y.mean()
        vx, vy = float(t @ x / (t @ t)), float(t @ y / (t @ t))
        scatter = math.sqrt(float(np.mean((x - vx * t) ** 2 + (y - vy * t) ** 2)))
        return (vx, vy) if SLOWEST < math.hypot(vx, vy) < FASTEST and scatter < SCATTER else (0.0, 0.0)


class MovingObjects:
    """Moving objects of the scans of a lidar; cells have a side length [m]."""

    def __init__(self, cell: float) -> None:
        self._cell = cell
        self.tracks: list[Track] = []

    def enter(self, time: float, origin: Array, cells: Cells) -> None:
        """Follow the objects to the scan of a time [s]; `origin` is the corner of cell (0, 0) [m]."""
        found = self._groups(time, origin, cells)
        self.tracks = [one for one in self.tracks if time - one.places[-1][0] < LOST]
        kept = self.tracks[:]
        if found and kept:
            last = np.array([one.places[-1] for one in kept])
            centers = np.array([one.places[-1][1:] for one in found])
            away = np.hypot(centers[:, None, 0] - last[None, :, 1], centers[:, None, 1] - last[None, :, 2])
            away[away > REACH + FASTEST * (time - last[None, :, 0])] = math.inf
            nearest, back = np.argmin(away, axis=1), np.argmin(away, axis=0)
        for n, one in enumerate(found):
            if kept and back[nearest[n]] == n and away[n, nearest[n]] < math.inf:
                track = kept[nearest[n]]
                track.places.extend(one.places)
                track.cells, track.top, track.is_new = one.cells, one.top, one.is_new
                while time - track.places[0][0] > SPAN:
                    track.places.popleft()
            else:
                self.tracks.append(one)

    def _groups(self, time: float, origin: Array, cells: Cells) -> list[Track]:
        """Return the small groups of cells with objects in the last scan, each as a track of one place."""
        from scipy.ndimage import find_objects, label

        numbers, _ = label(cells.object_now > 0, np.ones((3, 3)))
        most, out = math.ceil(LARGEST / self._cell), []
        middle = origin + 0.5 * self._cell * np.array(numbers.shape[::-1])
        for n, part in enumerate(find_objects(numbers), start=1):
            if max(one.stop - one.start for one in part) > most:
                continue
            rows, columns = np.nonzero(numbers[part] == n)
            rows, columns = rows + part[0].start, columns + part[1].start
            top, returns = float(cells.top[rows, columns].max()), int(cells.object_now[rows, columns].sum())
            centers = origin + (np.column_stack((columns, rows)) + 0.5) * self._cell
            center = np.average(centers, axis=0, weights=cells.object_now[rows, columns])
            if top < LOWEST or returns < FEWEST or math.dist(center, middle) > RANGE:
                continue
            freed = float(np.mean(time - cells.free[rows, columns] < FREED)) >= 0.5
            place = deque([(time, float(center[0]), float(center[1]))])
            out.append(Track(place, centers, top, freed))
        return out

    def ahead(self, time: float, horizon: float) -> list[tuple[Array, float]]:
        """Return the places (n, 2) [m] of each moving object from a time [s] until `horizon` [s] later, and its height [m]."""
        out = []
        for one in self.tracks:
            velocity = np.array(one.velocity)
            speed = float(np.hypot(*velocity))
            if speed > 0.0:
                times = time - one.places[-1][0] + np.arange(0.0, horizon + 1e-9, self._cell / speed)
                out.append(((one.cells[None] + times[:, None, None] * velocity).reshape(-1, 2), one.top))
        return out


def cells_of(points: Array, origin: Array, cell: float, shape: tuple[int, int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows and columns of the cells with points (n, 2) [m] in a window of a shape with its corner at `origin` [m]."""
    columns, rows = np.floor((points - origin) / cell).astype(np.int64).T
    inside = (rows >= 0) & (rows < shape[0]) & (columns >= 0) & (columns < shape[1])
    return rows[inside], columns[inside]
