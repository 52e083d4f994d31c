"""Ray caster: ranges, objects and normals where rays meet a ground and the objects on it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simulator.base.arrays import Array
from simulator.base.call_checks import ARRAY, checks, instance
from simulator.base.errors import JounceError
from simulator.base.records import record
from terrain.ground import Ground
from terrain.objects.labels import LABELS
from terrain.objects.object_set import ObjectSet
from terrain.rays.cast import CastOptions, Rays, cast_rays, unit_rays
from terrain.rays.in_ruts import lower_in_ruts
from terrain.rays.porous import MAX_SPANS, SPAN, scatter_rays
from terrain.rays.space import RayObjects, movers, ray_objects
from terrain.rays.surface import RaySurface, ray_surface
from terrain.ruts import NO_RUTS, Ruts, remembers

FARTHEST = 1e6
"""m. Maximum of `max_range`."""


FARTHEST_ORIGIN = 1e7
"""m. Maximum magnitude of a coordinate of an origin."""
OWN_VEHICLE = -2
"""Number of the own vehicle in hits."""


class RayError(JounceError):
    """Rays that cannot be cast."""


class Hits(NamedTuple):
    """Results of n rays."""

    range: Array
    """(n,) m, distance from the origin along the ray; inf = a miss"""
    object: NDArray[np.int64]
    """(n,) number of the object; 0 = the ground, -1 = a miss, OWN_VEHICLE = the own vehicle"""
    normal: Array
    """(n, 3) unit normal of the surface, in W, on the side of the origin; NaN = a miss"""


class RayCaster:
    """Casts rays against a ground and objects.

    Parameters
    ----------
    ground : surface as `terrain.composite_height` defines it, with features and roughness
    objects : default: those of the ground. Pass `Session.objects` for breakaway objects that a session has moved.
    ruts : `Session.soil.arrays` for the ruts of a session; default: none
    """

    @checks(ground=instance(Ground, "a ground, as of load_ground"))
    def __init__(self, ground: Ground, objects: ObjectSet | None = None, ruts: Ruts = NO_RUTS) -> None:
        self.ground, self.ruts = ground, ruts
        self.objects = ground.objects if objects is None else objects
        self._surface: RaySurface | None = None
        self._space: RayObjects | None = None

    def __reduce__(self) -> tuple[type[RayCaster], tuple[Ground, ObjectSet, Ruts]]:
        return type(self), (self.ground, self.objects, self.ruts)  # the bounds are quick to compute, and as large as the heights

    def with_objects(self, objects: ObjectSet, ruts: Ruts | None = None) -> RayCaster:
        """Return a caster for other objects, and other ruts, on the same ground; the bounds of the ground are shared."""
        out = type(self)(self.ground, objects, self.ruts if ruts is None else ruts)
        out._surface = self._surface
        return out

    def with_states(self, snapshot: ObjectSet) -> RayCaster:
        """Return a caster for a snapshot of the objects (`ObjectSet.snapshot`), which another thread may use."""
        self._prepare()
        out = type(self)(self.ground, snapshot, self.ruts)
        out._surface, out._space = self._surface, self._space.for_thread()  # type: ignore[union-attr]
        return out

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
        ruts: bool = True,
    ) -> Hits:
        """Return the nearest surfaces that rays meet at 0 < range <= max_range.

        A surface has two sides. A ray that starts inside an object returns the exit from it. A hit on the ground is within 1e-6 m of it along z.
        Beyond the map the ground continues as for wheels.

        Parameters
        ----------
        origins : (n, 3) or (3,), in W [m]
        directions : (n, 3) or (3,), in W; need no unit length
        max_range : [m], one number or (n,)
        time : time [s] at which moving objects are placed, one number or (n,); times in order are faster
        ground, roughness : False = without the ground, without its roughness
        porous : True = objects with an extinction, such as bushes, stop a ray; False = a ray passes through them
        ruts : False = without the ruts of the caster

        Raises
        ------
        RayError : a direction of length zero, a number that is not finite, or an array of a wrong shape
        """
        options = CastOptions(bool(ground), bool(roughness), bool(porous), bool(ruts))
        hits, _ = self._cast(_checked(origins, directions, max_range, time), options, None)
        return hits

    def cast_through(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        max_range: ArrayLike,
        depth: ArrayLike,
        time: ArrayLike = 0.0,
        *,
        ground: bool = True,
        roughness: bool = True,
        ruts: bool = True,
    ) -> tuple[Hits, Array]:
        """Return the hits of rays that porous objects reflect at a given optical depth, see `terrain.rays.porous`, and their optical depths.

        A hit inside a porous object has that object and the normal against the ray.

        Parameters
        ----------
        depth : optical depth at which porous objects reflect a ray, one number or (n,); inf = never. Draw -ln(u), u uniform from 0 to 1.
        others : as for `cast`

        Returns
        -------
        hits : the nearest of solid surface and reflection
        depth : (n,) optical depth from the origin to the hit, for a miss to `max_range`; the power of an echo is weaker by exp(-2 depth)

        Raises
        ------
        RayError : as `cast`, or a depth that is negative or not a number
        """
        rays = _checked(origins, directions, max_range, time)
        count = len(rays.line)
        depths = _numbers("depth", depth)
        if len(depths) not in (1, count):
            raise RayError(f"{count} rays, {len(depths)} depth; expected equal numbers, or one for all rays")
        if not (depths >= 0.0).all():
            raise RayError("depth: negative, or not a number; expected an optical depth of at least 0")
        return self._cast(rays, CastOptions(bool(ground), bool(roughness), False, bool(ruts)), depths + np.zeros(count))

    def _cast(self, rays: Rays, options: CastOptions, depths: Array | None) -> tuple[Hits, Array]:
        """Return hits, and the optical depths if `depths` are given, else 0."""
        count = len(rays.line)
        hits = Hits(np.empty(count), np.empty(count, np.int64), np.empty((count, 3)))
        self._prepare()
        arrays = self.ground.arrays._replace(objects=self.objects.world, ruts=self.ruts)
        moving = movers(self.objects)
        cast_rays(arrays, self._surface, self._space, moving, options, rays, hits)
        if options.ground and options.ruts and remembers(self.ruts):
            lower_in_ruts(arrays, rays, options.roughness, hits)
        if depths is None or not (self.objects.records["extinction"] > 0.0).any():
            return hits, np.zeros(count)
        scatter_rays(arrays, self._space, moving, record(SPAN, MAX_SPANS), rays, depths, hits)
        return hits, depths

    def _prepare(self) -> None:
        """Compute the bounds of ground and objects."""
        if self._surface is None:
            self._surface = ray_surface(self.ground)
        if self._space is None:
            self._space = ray_objects(self.objects)

    def labels(self, hits: Hits) -> NDArray[np.uint8]:
        """Return the number of the label (n,) of each hit, see `labels_of`."""
        return labels_of(hits.object, self.objects)


def labels_of(numbers: NDArray[np.integer], objects: ObjectSet) -> NDArray[np.uint8]:
    """Return the number of the label (`terrain.objects.labels`) of objects by number, as in `Hits.object`; other negative numbers: no label."""
    others = LABELS["none"], LABELS["ground"]
    of = np.concatenate((others, objects.records["label"])).astype(np.uint8)
    row = np.where(numbers > 0, numbers - objects.first + len(others), np.maximum(numbers + 1, 0))
    return np.where(numbers == OWN_VEHICLE, np.uint8(LABELS["vehicle"]), of[row])


def _checked(origins: ArrayLike, directions: ArrayLike, max_range: ArrayLike, time: ArrayLike) -> Rays:
    """Return rays. Raises RayError."""
    points, along = _vectors("origins", origins), _vectors("directions", directions)
    limits, times = _numbers("max_range", max_range), _numbers("time", time)
    count = _count(origins=points, directions=along, max_range=limits, time=times)
    if not ((limits > 0.0) & (limits <= FARTHEST)).all():
        bad = limits[~((limits > 0.0) & (limits <= FARTHEST))][0]
        raise RayError(f"max_range {bad:g}; expected a number above 0, at most {FARTHEST:g}, in m")
    if not np.isfinite(times).all():
        raise RayError("time: not a finite number; expected a time in s")
    lines = _lines(points, along, count)
    if not (np.abs(points) <= FARTHEST_ORIGIN).all():
        raise RayError(f"origins: a coordinate beyond {FARTHEST_ORIGIN:g} m; expected coordinates within it")
    return Rays(lines, limits + np.zeros(count), times + np.zeros(count))  # writable copies: the kernel has one signature


def _lines(points: Array, along: Array, count: int) -> Array:
    """Return origins and unit directions (n, 6). Raises RayError."""
    lines = np.empty((count, 6))
    row = unit_rays(points, along, lines)
    if row < 0:
        return lines
    name, part, expected = "origins", points, "finite numbers in m"
    if np.isfinite(points[row if len(points) > 1 else 0]).all():
        name, part, expected = "directions", along, "finite numbers, not all 0"
    raise RayError(f"{name}: ray {row}: {part[row if len(part) > 1 else 0].tolist()}; expected {expected}")


def _floats(name: str, values: ArrayLike) -> Array:
    """Return an array of numbers. Raises RayError: other values."""
    if not ARRAY.accepts(values):
        raise RayError(f"{name}: {str(values)[:80]!r}; expected numbers")
    return np.asarray(values, float)


def _vectors(name: str, values: ArrayLike) -> Array:
    """Return vectors (n, 3). Raises RayError."""
    array = _floats(name, values)
    if array.shape[-1:] != (3,) or array.ndim > 2:
        raise RayError(f"{name}: shape {array.shape}; expected (n, 3) or (3,)")
    return np.ascontiguousarray(np.atleast_2d(array))


def _numbers(name: str, values: ArrayLike) -> Array:
    """Return numbers (n,). Raises RayError."""
    array = _floats(name, values)
    if array.ndim > 1:
        raise RayError(f"{name}: shape {array.shape}; expected one number, or (n,)")
    return np.atleast_1d(array)


def _count(**arrays: Array) -> int:
    """Return the number of rays: all arrays have this length, or 1. Raises RayError."""
    lengths = {name: len(array) for name, array in arrays.items()}
    count = min(lengths.values()) and max(lengths.values())
    if any(length not in (1, count) for length in lengths.values()):
        shown = ", ".join(f"{length} {name}" for name, length in lengths.items())
        raise RayError(f"{shown}; expected equal numbers, or one for all rays")
    return count
