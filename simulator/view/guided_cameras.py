"""Cameras with a state of their own: orbit, free flight, trackside. No OpenGL here."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from simulator.view.camera_obstacles import Clear
from simulator.view.shot import Shot, look_at, rotation_of
from simulator.view.terrain_data import TerrainData, ViewRoad

Vector = NDArray[np.float64]
Lifted = Callable[..., Vector]
"""Returns a point that is at least at a height above the ground."""
ANGLE = math.radians(46.0)
"""rad. Vertical angle of view."""
DRAG = math.radians(0.25)
"""rad per pixel of a drag with the mouse."""
STEEPEST = math.radians(85.0)
ZOOM, ZOOMS = 1.15, (0.3, 8.0)
"""Factor of the distance per step of the mouse wheel, and its range."""
FLIGHT = {"W": (1, 0, 0), "S": (-1, 0, 0), "A": (0, 1, 0), "D": (0, -1, 0), "E": (0, 0, 1), "Q": (0, 0, -1)}
"""Directions of the keys that fly the free camera: ahead, left, up."""
FAST_KEY = "LSHIFT"
SPEEDS = (12.0, 60.0)
"""m/s. Speed of the free camera, and with the key for fast flight."""
PASSED, FARTHEST = 30.0, 1.6
"""A trackside place is left when the vehicle is this far behind it [m], or this many times as far away as at first."""
PREVIEW, NEAREST, MOST = 3.0, 28.0, 90.0
"""s, m, m. A trackside place lies on the road ahead by the way of this time, within these limits."""
BESIDE = 4.0
"""m. Distance of a trackside place from the edge of the road, and half as much more from the path without a road."""
HEIGHTS = (1.7, 3.5, 7.0, 14.0)
"""m. Heights of trackside places; the lowest one that sees the vehicle is taken."""
FRAMED, NARROWEST = 3.2, math.radians(3.5)
"""m, rad. Half height of the section of the world that the trackside camera shows, and its smallest angle of view."""
FRAMED_OF_TRAIN = 0.2
"""Additional half height per length of the trailers behind the vehicle."""


class Orbit:
    """Camera that the user turns round the vehicle."""

    def __init__(self) -> None:
        self.left, self.up, self.zoom = math.radians(35.0), math.radians(14.0), 1.0

    def turn(self, left: float, up: float) -> None:
        """Turn the direction from the vehicle to the camera by angles [rad]."""
        self.left, self.up = math.remainder(self.left + left, math.tau), min(max(self.up + up, -0.2), STEEPEST)

    def shot(self, target: Vector, heading: float, distance: float, place: Callable[[Vector, Vector], Vector]) -> Shot:
        """Return the view of a vehicle; `place` moves the camera out of the ground and of houses."""
        way = rotation_of(heading + math.pi + self.left, -self.up, 0.0)[:, 0]
        eye = place(target, target + self.zoom * distance * way)
        return Shot(eye, look_at(eye, target), ANGLE, 0.3)


class FreeFlight:
    """Camera that the user flies. `keys` are the flight keys that are down."""

    def __init__(self) -> None:
        self.position: Vector | None = None
        """None: not yet in the air"""
        self.yaw = self.pitch = 0.0
        self.keys: set[str] = set()

    def begin(self, shot: Shot) -> None:
        """Begin at the place of another camera."""
        ahead = -shot.R_WC[:, 2]
        self.position, self.yaw = shot.eye.copy(), math.atan2(ahead[1], ahead[0])
        self.pitch = math.asin(min(max(float(ahead[2]), -1.0), 1.0))

    def turn(self, left: float, up: float) -> None:
        """Turn the line of sight by angles [rad]."""
        self.yaw, self.pitch = self.yaw + left, min(max(self.pitch + up, -STEEPEST), STEEPEST)

    def shot(self, dt: float, lifted: Lifted) -> Shot:
        """Return the view, dt seconds after the last one."""
        assert self.position is not None
        R = rotation_of(self.yaw, -self.pitch, 0.0)
        way = sum((np.array(FLIGHT[key], float) for key in self.keys if key in FLIGHT), np.zeros(3))
        step = SPEEDS[FAST_KEY in self.keys] * dt
        self.position = lifted(self.position + step * (R[:, 0] * way[0] + R[:, 1] * way[1] + np.array([0.0, 0.0, way[2]])), 0.4)
        return Shot(self.position, look_at(self.position, self.position + R[:, 0]), ANGLE, 0.2)


class Trackside:
    """Camera at a fixed place next to the road ahead, which follows the vehicle and goes to the next place when it has passed."""

    def __init__(self, terrain: TerrainData, clear: Clear, behind: float = 0.0) -> None:
        self._terrain, self._clear, self._behind = terrain, clear, behind
        self._eye: Vector | None = None
        self._reach, self._side = 0.0, 1.0

    def leave(self) -> None:
        """Choose another place for the next view."""
        self._eye = None

    def shot(self, p: Vector, v: Vector, heading: float) -> Shot:
        """Return the view of a vehicle at p with the velocity v in W."""
        ahead = np.array([math.cos(heading), math.sin(heading)])
        if float(v[:2] @ ahead) < -0.5:
            ahead = -ahead
        if self._eye is None or self._has_passed(p, ahead):
            self._side = -self._side
            self._eye = self._place(p, ahead, float(np.linalg.norm(v)))
            self._reach = float(np.linalg.norm(self._eye - p))
        to_middle = 0.5 * self._behind * np.array([math.cos(heading), math.sin(heading), 0.0])
        target = p - to_middle + np.array([0.0, 0.0, 0.3])
        distance = float(np.linalg.norm(target - self._eye))
        angle = min(max(2.0 * math.atan((FRAMED + FRAMED_OF_TRAIN * self._behind) / max(distance, 0.5)), NARROWEST), ANGLE)
        return Shot(self._eye, look_at(self._eye, target), angle, 0.3)

    def _has_passed(self, p: Vector, ahead: Vector) -> bool:
        assert self._eye is not None
        away = p - self._eye
        return bool(away[:2] @ ahead > PASSED or np.linalg.norm(away) > max(FARTHEST * self._reach, 2.0 * NEAREST))

    def _place(self, p: Vector, ahead: Vector, speed: float) -> Vector:
        """Return a place that sees the vehicle; the least bad one if none does."""
        distance = min(max(PREVIEW * speed, NEAREST), MOST)
        middle, left, half = self._road_ahead(p, ahead, distance)
        places = []
        for height in HEIGHTS:
            for side in (self._side, -self._side):
                x, y = middle + side * (half + BESIDE) * left
                eye = np.array([x, y, self._terrain.height(float(x), float(y)) + height])
                free = bool(np.array_equal(self._clear(p + [0.0, 0.0, 1.0], eye), eye))
                places.append((not (free and self._sees(eye, p)), eye))
        return min(places, key=lambda one: one[0])[1]

    def _road_ahead(self, p: Vector, ahead: Vector, distance: float) -> tuple[Vector, Vector, float]:
        """Return a point of the road ahead, its unit vector to the left and half its width; without a road those of the straight path."""
        found = [(nearest, road) for road in self._terrain.roads for nearest in [_nearest(road, p)] if nearest[0] < road.width]
        if not found:
            return p[:2] + distance * ahead, np.array([-ahead[1], ahead[0]]), 0.5 * BESIDE
        (_, k), road = min(found, key=lambda one: one[0][0])
        points = (
            road.points
            if float((road.points[min(k + 1, len(road.points) - 1)] - road.points[max(k - 1, 0)]) @ ahead) >= 0.0
            else road.points[::-1]
        )
        k = k if points is road.points else len(points) - 1 - k
        way = np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(points[k:], axis=0), axis=1))))
        j = min(k + int(np.searchsorted(way, distance)), len(points) - 1)
        along = points[min(j + 1, len(points) - 1)] - points[max(j - 1, 0)]
        along = along / max(float(np.linalg.norm(along)), 1e-9)
        return points[j], np.array([-along[1], along[0]]), 0.5 * road.width

    def _sees(self, eye: Vector, p: Vector) -> bool:
        """Return whether no hill is between a place and the vehicle."""
        points = eye + np.linspace(0.1, 0.9, 17)[:, None] * (p + [0.0, 0.0, 1.0] - eye)
        return all(z > self._terrain.height(float(x), float(y)) + 0.2 for x, y, z in points)


def _nearest(road: ViewRoad, p: Vector) -> tuple[float, int]:
    """Return the distance of the nearest point of a road [m] and its row."""
    away = np.hypot(*(road.points - p[:2]).T)
    k = int(away.argmin())
    return float(away[k]), k
