"""Fit of soil parameters to single-wheel tests: least squares on the soil bin, with intervals.

Forces are weighted by a small fraction of the load plus a fraction of their magnitude; the sinkage is weighted accordingly. These are
the typical errors of such soil models. Thus the small pull of a driven wheel matters as much as the large force of a locked wheel. The
search starts at the given soil and at the best of many random points in the ranges. It returns the best solution.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError, JounceError
from simulator.base.records import Record
from simulator.base.suggestions import did_you_mean
from simulator.fitting.confidence import confidence_of_fit
from simulator.fitting.identifiability import Unidentifiable, Varied, unidentifiable
from simulator.fitting.least_squares import Failed, Solution, solve
from simulator.fitting.soil_measurements import WheelTests
from simulator.tools.soil.soil_bin import OUTPUTS, SoilBin
from terrain.soil import SOIL
from vehicles.tires.tire_file import TireFile

PARAMETERS = {
    # name             least                 most           logarithmic
    "k_c": (-1e6, 1e6, False),
    "k_phi": (1e3, 1e10, True),
    "n": (0.1, 3.0, False),
    "cohesion": (0.0, 2e4, False),
    "friction_angle": (math.radians(5.0), math.radians(50.0), False),
    "shear_modulus": (5e-4, 0.2, True),
    "unit_weight": (500.0, 3e4, False),
    "c1": (0.02, 0.6, False),
    "c2": (0.0, 0.4, False),
    "exit_ratio": (-1.0, 0.0, False),
}
"""Parameters of SOIL that can be fitted, with the ranges of the search."""
UNITS = {row[0]: row[2] for row in SOIL}
USUAL = ("k_phi", "n", "cohesion", "friction_angle", "shear_modulus", "c1", "c2", "exit_ratio")
"""Parameters that are free by default. Single-wheel tests do not determine k_c, and tests without side forces do not determine the unit
weight."""
PLACE = {name: n for n, (name, *_) in enumerate(OUTPUTS)}
MISSED_FORCE, MISSED_SINKAGE, MISSED_SIZE = 0.02, 0.1, 0.1
"""Weights of the errors: a fraction of the load for forces (of load times radius for torques), a fraction of the mean for the sinkage,
and for both a fraction of the magnitude."""
DIFFERENCE = 2e-3
"""Distance in u to the neighbors of a point."""
ROUNDS = 40
TRIED, FOLLOWED, SEED = 8, 2, 20260
"""Number of random points for each parameter before the search, number of points that start a search, and seed."""
AT_THE_END = 1e-4
"""Distance in u from the end of the range below which a parameter counts as at its bound."""


class Estimate(NamedTuple):
    """Value of a parameter and the ends of its interval (95 %), NaN if the parameter is at the end of its range."""

    value: float
    low: float
    high: float
    unit: str


@dataclass(frozen=True)
class FittedSoil:
    """Result of a fit.

    Attributes
    ----------
    soil : (1,) record of SOIL
    estimates : estimates by parameter
    found : (n, outputs) of the soil bin for the fitted rows
    weak : unidentifiable directions
    """

    soil: Record
    estimates: Mapping[str, Estimate]
    found: Array
    weak: Sequence[Unidentifiable]
    solution: Solution


def free_parameters(words: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the free parameters. Raises ConfigError."""
    names = tuple(name.strip() for word in words for name in word.split(",") if name.strip()) or USUAL
    for name in names:
        if name not in PARAMETERS:
            raise ConfigError("--free", "", name, f"one of {', '.join(PARAMETERS)}{did_you_mean(name, PARAMETERS)}")
    return tuple(dict.fromkeys(names))


def fit_soil(
    tests: WheelTests,
    tire: TireFile,
    start: Record,
    free: Sequence[str],
    progress: Callable[[str], None] = lambda _: None,
    tried: int = TRIED,
) -> FittedSoil:
    """Fit the soil on which the tire reproduces the measurements.

    Parameters
    ----------
    start : (1,) record of SOIL at the start; parameters that are not `free` keep its values
    progress : called with the current activity
    tried : number of random points for each parameter, from which further searches start

    Raises
    ------
    JounceError : there are fewer rows than parameters
    """
    one = _Comparison(tests, tire, start, free)
    if len(one.at(one.start)) <= len(free):
        raise JounceError(
            f"too few measured numbers: {len(one.at(one.start))}; expected at least {len(free) + 1} for {len(free)} parameters"
        )
    solutions = []
    starts = _starts(one, progress, tried)
    for n, u in enumerate(starts, 1):
        progress(f"search {n} of {len(starts)}")
        solutions.append(solve(lambda points: [one.at(point) for point in points], u, DIFFERENCE, ROUNDS))
    best = min(solutions, key=lambda solution: solution.best.cost)
    return _fitted(one, best)


def _starts(one: _Comparison, progress: Callable[[str], None], tried: int) -> list[Array]:
    """Return the given point, and the best of many random points."""
    progress("selecting start points")
    random = np.random.default_rng(SEED)
    points = [random.random(len(one.free)) for _ in range(tried * len(one.free))]
    costs = [float(np.sum(one.at(u) ** 2)) for u in points]
    return [one.start, *(points[n] for n in np.argsort(costs)[:FOLLOWED])]


def _fitted(one: _Comparison, solution: Solution) -> FittedSoil:
    best = solution.best
    assert not isinstance(best.residuals, Failed)
    movable = (best.u > AT_THE_END) & (best.u < 1.0 - AT_THE_END)
    half = confidence_of_fit(best.jacobian, best.residuals, one.groups, movable).half
    estimates = {}
    for n, name in enumerate(one.free):
        value, unit = one.value(name, best.u[n]), UNITS[name]
        low, high = (one.value(name, min(max(best.u[n] + side * half[n], 0.0), 1.0)) if movable[n] else math.nan for side in (-1.0, 1.0))
        estimates[name] = Estimate(value, low, high, unit)
    varied = [Varied(name, one.value(name, best.u[n]), one.slope(name, best.u[n])) for n, name in enumerate(one.free) if movable[n]]
    weak = unidentifiable(best.jacobian[:, movable], varied) if varied else []
    soil = one.soil_at(best.u)
    return FittedSoil(soil, estimates, one.found(best.u), weak, solution)


class _Comparison:
    """Comparison of the soil bin at a point u with the measurements."""

    def __init__(self, tests: WheelTests, tire: TireFile, start: Record, free: Sequence[str]) -> None:
        self._tests, self.free, self._base = tests, tuple(free), start.copy()
        self._bin = SoilBin(tire, start, tests.file)
        self._rows = {name: np.flatnonzero(np.isfinite(values)) for name, values in tests.measured.items()}
        self._rows = {name: rows for name, rows in self._rows.items() if len(rows)}
        arm = float(tire.shared[0]["radius"])
        self._missed = {name: missed(name, tests, rows, arm) for name, rows in self._rows.items()}
        ends = np.cumsum([0, *(len(rows) for rows in self._rows.values())]).tolist()
        self.groups = [slice(a, b) for a, b in pairwise(ends)]
        self.start = np.array([self._share(name, float(start[0][name])) for name in self.free])

    def value(self, name: str, u: float) -> float:
        """Return the value of a parameter at the normalized position u in its range."""
        least, most, logarithmic = PARAMETERS[name]
        return least * (most / least) ** u if logarithmic else least + (most - least) * u

    def slope(self, name: str, u: float) -> float:
        """Return the change of the value per unit of u."""
        least, most, logarithmic = PARAMETERS[name]
        return self.value(name, u) * math.log(most / least) if logarithmic else most - least

    def _share(self, name: str, value: float) -> float:
        least, most, logarithmic = PARAMETERS[name]
        value = min(max(value, least), most)
        return math.log(value / least) / math.log(most / least) if logarithmic else (value - least) / (most - least)

    def soil_at(self, u: Array) -> Record:
        """Return the soil at a point."""
        soil = self._base.copy()
        for name, share in zip(self.free, u, strict=True):
            soil[0][name] = self.value(name, float(share))
        return soil

    def found(self, u: Array) -> Array:
        """Return the outputs (n, outputs) of the soil bin for the rows."""
        self._bin.fill(self.soil_at(u))
        return self._bin.drive(self._tests.slip, self._tests.load, self._tests.slip_angle)

    def at(self, u: Array) -> Array:
        """Return the weighted residuals at a point."""
        found = self.found(u)
        return np.concatenate(
            [
                (predicted(found, name, self._tests.slip_angle)[rows] - self._tests.measured[name][rows]) / self._missed[name]
                for name, rows in self._rows.items()
            ]
        )


def predicted(found: Array, name: str, slip_angle: Array) -> Array:
    """Return (n,) a quantity of `soil_measurements.MEASURED` from the outputs of the soil bin."""
    values = found[:, PLACE[name]]
    return -values * np.where(slip_angle < 0.0, -1.0, 1.0) if name == "side_force" else values


def missed(name: str, tests: WheelTests, rows: NDArray[np.intp], radius: float) -> Array:
    """Return (n,) the divisors of the errors of a quantity, in SI units."""
    size = np.abs(tests.measured[name][rows])
    if name == "sinkage":
        return MISSED_SINKAGE * max(float(size.mean()), 1e-6) + MISSED_SIZE * size
    return MISSED_FORCE * tests.load[rows] * (radius if name == "torque" else 1.0) + MISSED_SIZE * size


def error_over_range(found: Array, measured: Array) -> float:
    """Return the root mean square of the difference divided by the range of the measurement (NRMSE); NaN without two different values."""
    good = np.isfinite(measured)
    width = float(np.ptp(measured[good])) if good.any() else 0.0
    return math.sqrt(float(np.mean((found[good] - measured[good]) ** 2))) / width if width > 0.0 else math.nan
