"""Simulate the plate test of a bevameter: load a plate on soil, unload it and load it again."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from terrain.pressure_sinkage import pressed_before, remembered_pressure


class PlateCycle(NamedTuple):
    """Result of a plate test.

    Attributes
    ----------
    pressures : pressures [Pa] at the depths
    residual : depth [m] that remains after the load is removed
    first_work : work [J/m2] until the first unloading
    """

    pressures: list[float]
    residual: float
    first_work: float


def plate_cycle(k: float, n: float, k_0: float, A_u: float, depths: Sequence[float]) -> PlateCycle:
    """Compute the pressures under a plate at a sequence of depths [m].

    The soil has p = k z^n and the unloading behavior of `terrain.pressure_sinkage.pressed_before`.
    """
    deepest, pressures = 0.0, []
    for z in depths:
        pressures.append(remembered_pressure(k, n, 0.0, pressed_before(k, n, 0.0, k_0, A_u, deepest), z))
        deepest = max(deepest, z)
    first = next((a for a, b in pairwise(depths) if b < a), depths[-1])
    return PlateCycle(pressures, pressed_before(k, n, 0.0, k_0, A_u, deepest)[3], k * first ** (n + 1.0) / (n + 1.0))
