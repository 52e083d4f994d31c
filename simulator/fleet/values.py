"""Values of the vehicles of a fleet: one for all, one for each, or drawn from a distribution.

A drawn value depends on the seed of the vehicle, the number of the vehicle, how often the vehicle has drawn since it got the seed, and the key,
and on nothing else: not on the other vehicles, other keys or threads.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import JounceError
from simulator.base.fields import Field, read
from simulator.configuration.session_file import LARGEST_SEED
from simulator.sweep.sampling import check_distribution, values_at
from simulator.sweep.sweep_file import DISTRIBUTION


class Draws:
    """Seeds of n vehicles, and how often each has drawn."""

    def __init__(self, n: int, seed: int) -> None:
        self._seeds, self._counts = np.full(n, checked_seed(seed)), np.zeros(n, np.int64)

    def next(self, chosen: NDArray[np.int64], seed: int | None) -> None:
        """Begin the next draw of vehicles; with a seed, their first one."""
        if seed is None:
            self._counts[chosen] += 1
        else:
            self._seeds[chosen], self._counts[chosen] = checked_seed(seed), 0

    def value(self, key: str, given: Any, k: int) -> Any:
        """Return the value of vehicle k: as given, or drawn from a distribution."""
        if not isinstance(given, Mapping):
            return given
        rng = np.random.default_rng((int(self._seeds[k]), k, int(self._counts[k]), zlib.crc32(key.encode())))
        return values_at(given, np.array([rng.random()]))[0]


def given_to_each(key: str, given: Any, n: int) -> list[Any]:
    """Return what each of n vehicles gets: a value, or a distribution. Raises ConfigError, JounceError.

    given : one value, a list or an array (n, ...), or a distribution
    """
    if isinstance(given, Mapping):
        distribution = read((Field(key, DISTRIBUTION, ""),), {key: dict(given)}, "Fleet")[key]
        check_distribution(distribution, "Fleet", key)
        return [distribution] * n
    if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray) or (isinstance(given, np.ndarray) and given.ndim == 0):
        return [_plain(given)] * n
    if len(given) != n:
        raise JounceError(f"{key}: {len(given)} values; expected one value, {n} values or a distribution")
    return [_plain(one) for one in given]


def checked_seed(seed: int) -> int:
    """Return a seed. Raises JounceError: out of range."""
    if not 0 <= seed <= LARGEST_SEED:
        raise JounceError(f"seed: {seed}; expected a whole number from 0 to {LARGEST_SEED}")
    return int(seed)


def _plain(value: Any) -> Any:
    """Return a value without types of NumPy."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value
