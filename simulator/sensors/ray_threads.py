"""Rays of one measurement in several threads: equal slices of the rays, which the threads take one after the other.

A ray does not depend on its neighbors, and each thread has work space of its own: the results are those of one thread, bit by bit.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from simulator.base.arrays import Array
from simulator.base.fields import Field, Number
from simulator.base.plugin_thread import take_priority
from terrain.rays.caster import Hits, RayCaster

MAX_THREADS = 64
SLICE = 2048
"""Rays of a slice: 1 to 2 ms. A smaller one shares the work more evenly; a call takes 0.04 ms."""
THREADS = Field(
    "threads",
    Number("1", 1, MAX_THREADS, whole=True),
    "threads that cast the rays of a measurement; the results do not depend on it. In real time, leave one core to the ticks",
    1,
)
"""Key of a sensor with rays."""


class SensorRays(NamedTuple):
    """Rays of a measurement, arguments of `RayCaster.cast`; an array has one row for each ray, others count for all rays."""

    origin: Array
    direction: Array
    max_range: float | Array
    time: float | Array
    depth: Array | None = None
    """Optical depth at which porous objects reflect, see `RayCaster.cast_through`; None: they do not"""

    def part(self, first: int) -> SensorRays:
        """Return a slice of the rays."""
        count, parts = len(self.direction), self._asdict()
        return SensorRays(
            **{
                name: one[first : first + SLICE] if isinstance(one, np.ndarray) and len(one) == count else one
                for name, one in parts.items()
            }
        )


class RayThreads:
    """Casts the rays of one sensor in `count` threads: that of the caller, and others, which start with the first rays."""

    def __init__(self, count: int) -> None:
        self._others = ThreadPoolExecutor(count - 1, "rays") if count > 1 else None
        self._count = count

    def cast(self, caster: RayCaster, rays: SensorRays, **options: bool) -> tuple[Hits, Array | None]:
        """Return the hits of all rays, and their optical depths if `rays.depth` is given; `options` of `RayCaster.cast`."""
        count = len(rays.direction)
        if self._others is None or count <= SLICE:
            return _cast(caster, rays, options)
        hits = Hits(np.empty(count), np.empty(count, np.int64), np.empty((count, 3)))
        depths = None if rays.depth is None else np.empty(count)
        firsts = iter(range(0, count, SLICE))  # `next` is atomic

        def work(own: RayCaster) -> None:
            for first in firsts:
                part, passed = _cast(own, rays.part(first), options)
                rows = slice(first, first + SLICE)
                hits.range[rows], hits.object[rows], hits.normal[rows] = part
                if depths is not None and passed is not None:
                    depths[rows] = passed

        def work_beside(own: RayCaster) -> None:
            take_priority()
            work(own)

        running = [self._others.submit(work_beside, caster.with_states(caster.objects)) for _ in range(self._count - 1)]
        work(caster)
        for one in running:
            one.result()
        return hits, depths

    def close(self) -> None:
        """End the threads."""
        if self._others is not None:
            self._others.shutdown(wait=False)


def _cast(caster: RayCaster, rays: SensorRays, options: dict[str, bool]) -> tuple[Hits, Array | None]:
    """Cast all rays in this thread."""
    if rays.depth is None:
        return caster.cast(rays.origin, rays.direction, rays.max_range, rays.time, **options), None
    return caster.cast_through(rays.origin, rays.direction, rays.max_range, rays.depth, rays.time, **options)
