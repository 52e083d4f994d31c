"""Sampling: points in the unit cube, and their transformation to distributions. Each coordinate is a cumulative probability."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from statistics import NormalDist
from typing import Any

import numpy as np

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError, ErrorCollector

MIN_PROBABILITY = 1e-9
"""Minimum probability of a normal distribution between its bounds; samples are not exact below it."""
_WIDE_ENOUGH = f"bounds that contain a probability of at least {MIN_PROBABILITY:g}"
_EDGE = 1e-15
"""Minimum distance of a probability from 0 and 1, where the normal distribution is infinite."""


def unit_points(method: str, count: int, keys: int, rng: np.random.Generator) -> Array:
    """Return sample points in the unit cube.

    Parameters
    ----------
    method : one of `sweep_file.METHODS`
    count : number of points, as in the file
    keys : dimension of the cube, d

    Returns
    -------
    (count, d). For `saltelli` (count (d + 2), d): for each of `count` pairs of points A and B: A, B, and A with one coordinate of B in
    turn [Saltelli 2010, radial design]
    """
    if method == "random":
        return rng.random((count, keys))
    from scipy.stats import qmc

    if method == "latin_hypercube":
        return np.asarray(qmc.LatinHypercube(keys, rng=rng).random(count))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The balance properties")  # `read_design` reports this in terms of the file
        drawn = np.asarray(qmc.Sobol(keys * (2 if method == "saltelli" else 1), rng=rng).random(count))
    return _crossed(drawn[:, :keys], drawn[:, keys:]) if method == "saltelli" else drawn


def _crossed(a: Array, b: Array) -> Array:
    """Return A, B (n, d) and the points between them, pair by pair. An interrupted sweep then has complete pairs."""
    n, d = a.shape
    out = np.repeat(a[:, None, :], d + 2, axis=1)
    out[:, 1] = b
    for k in range(d):
        out[:, 2 + k, k] = b[:, k]
    return out.reshape(n * (d + 2), d)


def values_at(given: Mapping[str, Any], probabilities: Array) -> list[Any]:
    """Return the values of a distribution, checked by `check_distribution`, at cumulative probabilities in [0, 1] (n,): numbers, or the
    values of a choice."""
    kind = given["distribution"]
    if kind == "choice":
        weights = np.array(given.get("weights") or np.ones(len(given["of"])), dtype=float)
        above = np.cumsum(weights / weights.sum())
        places = np.searchsorted(above, probabilities, side="right")
        last = int(np.flatnonzero(weights)[-1])
        return [given["of"][min(int(place), last)] for place in places]
    if kind == "uniform":
        numbers = given["from"] + probabilities * (given["to"] - given["from"])
    elif kind == "triangular":
        numbers = _triangular(given["from"], given["mode"], given["to"], probabilities)
    else:
        numbers = _truncated_normal(given, probabilities)
    return [float(number) for number in numbers]


def _triangular(low: float, mode: float, high: float, probabilities: Array) -> Array:
    left, right = np.sqrt(probabilities * (high - low) * (mode - low)), np.sqrt((1.0 - probabilities) * (high - low) * (high - mode))
    return np.where(probabilities * (high - low) < mode - low, low + left, high - right)


def _truncated_normal(given: Mapping[str, Any], probabilities: Array) -> Array:
    """Return values of a truncated normal or log-normal distribution."""
    bell, (low, high) = _normal(given), _between(given)
    within = np.clip(low + probabilities * (high - low), _EDGE, 1.0 - _EDGE)
    numbers = np.array([bell.inv_cdf(probability) for probability in within])
    numbers = np.exp(numbers) if given["distribution"] == "log_normal" else numbers
    return np.clip(numbers, given.get("from", -np.inf), given.get("to", np.inf))  # rounding in the last bit


def _normal(given: Mapping[str, Any]) -> NormalDist:
    """Return the normal distribution of the value, or of its logarithm."""
    return NormalDist(np.log(given["median"]) if given["distribution"] == "log_normal" else given["mean"], given["deviation"])


def _between(given: Mapping[str, Any]) -> tuple[float, float]:
    """Return the cumulative probabilities of the bounds in the untruncated distribution."""
    bell = _normal(given)

    def below(key: str, otherwise: float) -> float:
        bound = given.get(key)
        if bound is None:
            return otherwise
        if given["distribution"] == "log_normal":
            return bell.cdf(np.log(bound)) if bound > 0.0 else 0.0
        return bell.cdf(bound)

    return below("from", 0.0), below("to", 1.0)


def check_distribution(given: Mapping[str, Any], file: object, key: str) -> None:
    """Check the rules that concern several keys of a distribution. Raises ConfigError."""
    low, high = given.get("from"), given.get("to")
    with ErrorCollector() as faults:
        if low is not None and high is not None and high <= low:
            faults.add(ConfigError(file, f"{key}.to", high, f"a number above `from`, {low:g}"))
        elif given["distribution"] == "triangular" and not low <= given["mode"] <= high:
            faults.add(ConfigError(file, f"{key}.mode", given["mode"], f"a number from {low:g} to {high:g}"))
        elif given["distribution"] in ("normal", "log_normal"):
            below, above = _between(given)
            if above - below < MIN_PROBABILITY:
                bound = "from" if low is not None else "to"
                faults.add(ConfigError(file, f"{key}.{bound}", given[bound], _WIDE_ENOUGH))
        if "weights" in given:
            if len(given["weights"]) != len(given["of"]):
                faults.add(ConfigError(file, f"{key}.weights", list(given["weights"]), f"{len(given['of'])} numbers, one for each of `of`"))
            elif not sum(given["weights"]):
                faults.add(ConfigError(file, f"{key}.weights", list(given["weights"]), "weights with a sum above 0"))
