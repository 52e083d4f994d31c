"""Ray caster: ranges, objects and normals where rays meet a ground and the objects on it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simulator.base.errors import JounceError
from simulator.base.memoize import memoize_by_identity
from terrain.ground import Ground
from terrain.objects.labels import LABELS
from terrain.objects.object_set import ObjectSet
from terrain.rays.cast import cast_rays, unit_rays
from terrain.rays.space import RayObjects, movers, ray_objects
from terrain.rays.surface import RaySurface, ray_surface

FARTHEST = 1e6
"""m. Maximum of `max_range`."""
MISS = -1
"""Number of the object of a ray that meets nothing."""

FloatArray = NDArray[np.float64]


class RayError(JounceError):
    """Rays that cannot be cast."""


class Hits(NamedTuple):
    """Results of n rays."""

    range: FloatArray
    """(n,) m, distance from the origin along the ray; inf = a miss"""
    object: NDArray[np.int64]
    """(n,) number of the object; 0 = the ground, -1 = a miss"""
    normal: FloatArray
    """(n, 3) unit normal of the surface, in W, on the side of the origin; NaN = a miss"""


class RayCaster:
    """Casts rays against a ground and objects.

    Parameters
    ----------
    ground : surface as `terrain.composite_height` defines it, with features and roughness and without ruts
    objects : default: those of the ground. Pass `Session.objects` for breakaway objects that a session has moved.
    """

    def __init__(self, ground: Ground, objects: ObjectSet | None = None) -> None:
        self.ground = ground
        self.objects = ground.objects if objects is None else objects
        self._surface: RaySurface | None = None
        self._space: RayObjects | None = None

    def __reduce__(self) -> tuple[type[RayCaster], tuple[Ground, ObjectSet]]:
        return type(self), (self.ground, self.objects)  # the bounds are quick to compute, and as large as the heights

    def cast(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        max_range: ArrayLike,
        time: ArrayLike = 0.0,
        *,
        ground: bool = True,
        roughness: bool = True,
        porous: bool = False,
    ) -> Hits:
        """Return the nearest surfaces that rays meet at 0 < range <= max_range.

        A surface has two sides. A ray that starts inside an object returns the exit from it. A hit on the ground is within 1e-6 m of it along z.
        Beyond the map the ground continues as for wheels.

        Parameters
        ----------
        origins : (n, 3) or (3,), in W [m]
        directions : (n, 3) or (3,), in W; need no unit length
        max_range : [m], one number or (n,)
        time : time [s] at which moving objects are placed, one number or (n,)
        ground, roughness : False = without the ground, without its roughness
        porous : True = objects with an extinction, such as bushes, stop a ray; False = a ray passes through them

        Raises
        ------
        RayError : a direction of length zero, a number that is not finite, or an array of a wrong shape
        """
        rays, count = _rays(origins, directions)
        limits = _per_ray("max_range", max_range, count)
        if not ((limits > 0.0) & (limits <= FARTHEST)).all():
            bad = limits[~((limits > 0.0) & (limits <= FARTHEST))][0]
            raise RayError(f"max_range {bad:g}; expected a number above 0, at most {FARTHEST:g}, in m")
        times = _per_ray("time", time, count)
        if not np.isfinite(times).all():
            raise RayError("time: not a finite number; expected a time in s")
        hits = Hits(np.empty(count), np.empty(count, np.int64), np.empty((count, 3)))
        if self._surface is None:
            self._surface = surface_of(self.ground)
        if self._space is None:
            self._space = ray_objects(self.objects)
        arrays = self.ground.arrays._replace(objects=self.objects.world)
        moving, poses = movers(self.objects)
        options = np.array((ground, roughness, porous), np.bool_)
        cast_rays(arrays, self._surface, self._space, moving, poses, options, rays, limits, times, *hits)
        return hits

    def labels(self, hits: Hits) -> NDArray[np.uint8]:
        """Return the number of the label (n,) of each hit, see `terrain.objects.labels`."""
        of = np.concatenate(((LABELS["none"], LABELS["ground"]), self.objects.records["label"])).astype(np.uint8)
        row = np.where(hits.object > 0, hits.object - self.objects.first + 2, hits.object + 1)
        return of[row]


@memoize_by_identity
def surface_of(ground: Ground) -> RaySurface:
    """Return the bounds of a ground, computed once."""
    return ray_surface(ground)


def _rays(origins: ArrayLike, directions: ArrayLike) -> tuple[FloatArray, int]:
    """Return rays (n, 6) with unit directions, and n. Raises RayError."""
    points, along = _vectors("origins", origins), _vectors("directions", directions)
    count = max(len(points), len(along)) if len(points) and len(along) else 0
    if len(points) not in (1, count) or len(along) not in (1, count):
        raise RayError(f"{len(points)} origins and {len(along)} directions; expected as many, or one of either")
    rays = np.empty((count, 6))
    row = unit_rays(points, along, rays)
    if row < 0:
        return rays, count
    for name, part, expected in (("origins", points, "finite numbers in m"), ("directions", along, "finite numbers, not all 0")):
        bad = part[row if len(part) > 1 else 0]
        if not np.isfinite(bad).all() or (name == "directions" and not bad.any()):
            raise RayError(f"{name}: ray {row}: {bad.tolist()}; expected {expected}")
    raise AssertionError(row)


def _vectors(name: str, values: ArrayLike) -> FloatArray:
    """Return vectors (n, 3). Raises RayError."""
    array = np.asarray(values, float)
    if array.shape[-1:] != (3,) or array.ndim > 2:
        raise RayError(f"{name}: shape {array.shape}; expected (n, 3) or (3,)")
    return np.ascontiguousarray(np.atleast_2d(array))


def _per_ray(name: str, values: ArrayLike, count: int) -> FloatArray:
    """Return one number per ray. Raises RayError."""
    array = np.asarray(values, float)
    if array.shape not in ((), (1,), (count,)):
        raise RayError(f"{name}: shape {array.shape}; expected one number, or ({count},)")
    return np.ascontiguousarray(np.broadcast_to(array, count))
