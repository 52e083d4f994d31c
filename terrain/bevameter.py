"""A plate that is pressed into soil, let up and pressed again: what a bevameter measures."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from terrain.pressure_sinkage import pressed_before, remembered_pressure


class PlateCycle(NamedTuple):
    """Pressures [Pa] at the depths, the depth [m] that stays when the load is gone, and the work [J/m2] until it is first let up."""

    pressures: list[float]
    residual: float
    first_work: float


def plate_cycle(k: float, n: float, k_0: float, A_u: float, depths: Sequence[float]) -> PlateCycle:
    """A plate at one depth (m) after the other, of soil with p = k z^n and the memory of `terrain.pressure_sinkage.pressed_before`."""
    deepest, pressures = 0.0, []
    for z in depths:
        pressures.append(remembered_pressure(k, n, pressed_before(k, n, k_0, A_u, deepest), z))
        deepest = max(deepest, z)
    first = next((a for a, b in pairwise(depths) if b < a), depths[-1])
    return PlateCycle(pressures, pressed_before(k, n, k_0, A_u, deepest)[3], k * first ** (n + 1.0) / (n + 1.0))
