"""Points of the unit cube, and the distributions that they are carried into: each number is the value below which so large a share lies."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError, ErrorCollector, JounceError

Array = NDArray[np.float64]

LEAST_SHARE = 1e-9
"""Of a bell between its bounds; less cannot be drawn from exactly."""
_WIDE_ENOUGH = f"bounds between which a share of {LEAST_SHARE:g} or more lies"
_EDGE = 1e-15
"""The least and the most of a bell would be infinite: no share is nearer to 0 or 1."""


def unit_points(method: str, count: int, keys: int, rng: np.random.Generator) -> Array:
    """Points of a method in the unit cube.

    Parameters
    ----------
    method : one of `sweep_file.METHODS`
    count : as the file says it
    keys : axes of the cube, d

    Returns
    -------
    (count, d); of `saltelli` (count (d + 2), d), of each of `count` pairs of points A and B: A, B, and A with one number of B after the other
    [Saltelli 2010, radial design]

    Raises JounceError: scipy is not installed.
    """
    if method == "random":
        return rng.random((count, keys))
    try:
        from scipy.stats import qmc
    except ImportError:
        raise JounceError(f"samples of {method} need scipy: python -m pip install 'jounce[sweep]'") from None
    if method == "latin_hypercube":
        return np.asarray(qmc.LatinHypercube(keys, rng=rng).random(count))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The balance properties")  # said by `read_design` in words of the file
        drawn = np.asarray(qmc.Sobol(keys * (2 if method == "saltelli" else 1), rng=rng).random(count))
    return _crossed(drawn[:, :keys], drawn[:, keys:]) if method == "saltelli" else drawn


def _crossed(a: Array, b: Array) -> Array:
    """A, B (n, d) and the points between them, pair after pair: a sweep that is stopped has whole pairs."""
    n, d = a.shape
    out = np.repeat(a[:, None, :], d + 2, axis=1)
    out[:, 1] = b
    for k in range(d):
        out[:, 2 + k, k] = b[:, k]
    return out.reshape(n * (d + 2), d)


def values_at(said: Mapping[str, Any], shares: Array) -> list[Any]:
    """Values of a distribution, checked by `check_distribution`, at shares in [0, 1] (n,): numbers, or the things to choose from."""
    kind = said["distribution"]
    if kind == "choice":
        weights = np.array(said.get("weights") or np.ones(len(said["of"])), dtype=float)
        above = np.cumsum(weights / weights.sum())
        places = np.searchsorted(above, shares, side="right")
        last = int(np.flatnonzero(weights)[-1])
        return [said["of"][min(int(place), last)] for place in places]
    if kind == "uniform":
        numbers = said["from"] + shares * (said["to"] - said["from"])
    elif kind == "triangular":
        numbers = _triangular(said["from"], said["mode"], said["to"], shares)
    else:
        numbers = _bell(said, shares)
    return [float(number) for number in numbers]


def _triangular(low: float, mode: float, high: float, shares: Array) -> Array:
    left, right = np.sqrt(shares * (high - low) * (mode - low)), np.sqrt((1.0 - shares) * (high - low) * (high - mode))
    return np.where(shares * (high - low) < mode - low, low + left, high - right)


def _bell(said: Mapping[str, Any], shares: Array) -> Array:
    """Normal, or normal in the logarithm, between its bounds."""
    bell, (low, high) = _normal(said), _between(said)
    within = np.clip(low + shares * (high - low), _EDGE, 1.0 - _EDGE)
    numbers = np.array([bell.inv_cdf(share) for share in within])
    numbers = np.exp(numbers) if said["distribution"] == "log_normal" else numbers
    return np.clip(numbers, said.get("from", -np.inf), said.get("to", np.inf))  # the last bit


def _normal(said: Mapping[str, Any]) -> NormalDist:
    """The bell, of the logarithm where that is normal."""
    return NormalDist(np.log(said["median"]) if said["distribution"] == "log_normal" else said["mean"], said["deviation"])


def _between(said: Mapping[str, Any]) -> tuple[float, float]:
    """Shares of the whole bell that lie below its bounds."""
    bell = _normal(said)

    def below(key: str, otherwise: float) -> float:
        bound = said.get(key)
        if bound is None:
            return otherwise
        if said["distribution"] == "log_normal":
            return bell.cdf(np.log(bound)) if bound > 0.0 else 0.0
        return bell.cdf(bound)

    return below("from", 0.0), below("to", 1.0)


def check_distribution(said: Mapping[str, Any], file: object, key: str) -> None:
    """What no single key of a distribution can tell. Raises ConfigError."""
    low, high = said.get("from"), said.get("to")
    with ErrorCollector() as faults:
        if low is not None and high is not None and high <= low:
            faults.add(ConfigError(file, f"{key}.to", high, f"more than from, {low:g}"))
        elif said["distribution"] == "triangular" and not low <= said["mode"] <= high:
            faults.add(ConfigError(file, f"{key}.mode", said["mode"], f"a number from {low:g} to {high:g}"))
        elif said["distribution"] in ("normal", "log_normal"):
            below, above = _between(said)
            if above - below < LEAST_SHARE:
                bound = "from" if low is not None else "to"
                faults.add(ConfigError(file, f"{key}.{bound}", said[bound], _WIDE_ENOUGH))
        if "weights" in said:
            if len(said["weights"]) != len(said["of"]):
                faults.add(ConfigError(file, f"{key}.weights", list(said["weights"]), f"{len(said['of'])} numbers, one for each of `of`"))
            elif not sum(said["weights"]):
                faults.add(ConfigError(file, f"{key}.weights", list(said["weights"]), "one that is not 0"))
