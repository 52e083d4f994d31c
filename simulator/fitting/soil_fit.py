"""The numbers of a soil that make one wheel do what it was measured to do: least squares on the soil bin, with intervals.

Forces count by a small share of the load and a share of their size, the sinkage likewise: about what laws of this kind miss, so that the small
pull of a wheel that drives counts beside the large one of a wheel that is locked. The search begins at the soil that is given and at the best of many
others within the ranges, and ends with the best of what is found from there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError, JounceError
from simulator.base.records import Record
from simulator.base.suggestions import did_you_mean
from simulator.fitting.confidence import known
from simulator.fitting.identifiability import Unidentifiable, Varied, untold
from simulator.fitting.least_squares import Failed, Solution, need_scipy, solve
from simulator.fitting.soil_measurements import WheelTests
from simulator.tools.soil.soil_bin import OUTPUTS, SoilBin
from terrain.soil import SOIL
from vehicles.tires.tire_file import TireFile

Array = NDArray[np.float64]

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
"""Rows of SOIL that can be fitted, with the ranges of the search."""
UNITS = {row[0]: row[2] for row in SOIL}
USUAL = ("k_phi", "n", "cohesion", "friction_angle", "shear_modulus", "c1", "c2", "exit_ratio")
"""Those that are free where nothing is said: tests of one wheel do not tell k_c, and those without side forces not the weight."""
PLACE = {name: n for n, (name, *_) in enumerate(OUTPUTS)}
MISSED_FORCE, MISSED_SINKAGE, MISSED_SIZE = 0.02, 0.1, 0.1
"""1. By which numbers count: forces by a share of the load (torques of load and radius), the sinkage by one of its mean, and both by one of their
size besides."""
DIFFERENCE = 2e-3
"""Of u, to the neighbours of a point."""
ROUNDS = 40
TRIED, FOLLOWED, SEED = 8, 2, 20260
"""Points for each parameter that are tried before the search, how many of them are followed, and what they are drawn with."""
AT_THE_END = 1e-4
"""Of u. A parameter so near to the end of its range could not go on."""


class Estimate(NamedTuple):
    """Of a parameter: its value and the ends of its interval (95 %), which are none where it stands at the end of its range."""

    value: float
    low: float
    high: float
    unit: str


@dataclass(frozen=True)
class FittedSoil:
    """What came of a fit.

    Attributes
    ----------
    soil : (1,) record of SOIL
    estimates : by parameter
    found : (n, outputs) of the soil bin at the rows that were fitted
    weak : what the rows do not tell
    """

    soil: Record
    estimates: Mapping[str, Estimate]
    found: Array
    weak: Sequence[Unidentifiable]
    solution: Solution


def free_parameters(words: Sequence[str]) -> tuple[str, ...]:
    """Names of the parameters that are free. Raises ConfigError."""
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
    told: Callable[[str], None] = lambda _: None,
    tried: int = TRIED,
) -> FittedSoil:
    """The soil on which this tire does what was measured.

    Parameters
    ----------
    start : (1,) record of SOIL, where the search begins; what is not `free` stays as it is there
    told : called with what is being done
    tried : points to look at, for each parameter, for other places to begin

    Raises
    ------
    JounceError : scipy is missing, or the rows are fewer than the parameters
    """
    need_scipy()
    one = _Comparison(tests, tire, start, free)
    if len(one.at(one.start)) <= len(free):
        raise JounceError(f"{len(one.at(one.start))} numbers were measured: at least {len(free) + 1} are needed for {len(free)} parameters")
    solutions = []
    starts = _starts(one, told, tried)
    for n, u in enumerate(starts, 1):
        told(f"search {n} of {len(starts)}")
        solutions.append(solve(lambda points: [one.at(point) for point in points], u, DIFFERENCE, ROUNDS))
    best = min(solutions, key=lambda solution: solution.best.cost)
    return _fitted(one, best)


def _starts(one: _Comparison, told: Callable[[str], None], tried: int) -> list[Array]:
    """The given point, and the best of many."""
    told("looking for places to begin")
    random = np.random.default_rng(SEED)
    points = [random.random(len(one.free)) for _ in range(tried * len(one.free))]
    costs = [float(np.sum(one.at(u) ** 2)) for u in points]
    return [one.start, *(points[n] for n in np.argsort(costs)[:FOLLOWED])]


def _fitted(one: _Comparison, solution: Solution) -> FittedSoil:
    best = solution.best
    assert not isinstance(best.residuals, Failed)
    able = (best.u > AT_THE_END) & (best.u < 1.0 - AT_THE_END)
    half = known(best.jacobian, best.residuals, one.groups, able).half
    estimates = {}
    for n, name in enumerate(one.free):
        value, unit = one.value(name, best.u[n]), UNITS[name]
        low, high = (one.value(name, min(max(best.u[n] + side * half[n], 0.0), 1.0)) if able[n] else math.nan for side in (-1.0, 1.0))
        estimates[name] = Estimate(value, low, high, unit)
    varied = [Varied(name, one.value(name, best.u[n]), one.slope(name, best.u[n])) for n, name in enumerate(one.free) if able[n]]
    weak = untold(best.jacobian[:, able], varied) if varied else []
    soil = one.soil_at(best.u)
    return FittedSoil(soil, estimates, one.found(best.u), weak, solution)


class _Comparison:
    """What the soil bin gives at a point u beside what was measured."""

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
        """Of a parameter at a share of its range."""
        least, most, logarithmic = PARAMETERS[name]
        return least * (most / least) ** u if logarithmic else least + (most - least) * u

    def slope(self, name: str, u: float) -> float:
        """Change of the value per unit of u."""
        least, most, logarithmic = PARAMETERS[name]
        return self.value(name, u) * math.log(most / least) if logarithmic else most - least

    def _share(self, name: str, value: float) -> float:
        least, most, logarithmic = PARAMETERS[name]
        value = min(max(value, least), most)
        return math.log(value / least) / math.log(most / least) if logarithmic else (value - least) / (most - least)

    def soil_at(self, u: Array) -> Record:
        """The soil at a point."""
        soil = self._base.copy()
        for name, share in zip(self.free, u, strict=True):
            soil[0][name] = self.value(name, float(share))
        return soil

    def found(self, u: Array) -> Array:
        """(n, outputs) at the rows."""
        self._bin.fill(self.soil_at(u))
        return self._bin.drive(self._tests.slip, self._tests.load, self._tests.slip_angle)

    def at(self, u: Array) -> Array:
        """Weighted residuals."""
        found = self.found(u)
        return np.concatenate(
            [
                (predicted(found, name, self._tests.slip_angle)[rows] - self._tests.measured[name][rows]) / self._missed[name]
                for name, rows in self._rows.items()
            ]
        )


def predicted(found: Array, name: str, slip_angle: Array) -> Array:
    """(n,) of a quantity of `soil_data.MEASURED` out of what the soil bin gave."""
    values = found[:, PLACE[name]]
    return -values * np.where(slip_angle < 0.0, -1.0, 1.0) if name == "side_force" else values


def missed(name: str, tests: WheelTests, rows: NDArray[np.intp], radius: float) -> Array:
    """(n,) by which a quantity counts in rows, in SI."""
    size = np.abs(tests.measured[name][rows])
    if name == "sinkage":
        return MISSED_SINKAGE * max(float(size.mean()), 1e-6) + MISSED_SIZE * size
    return MISSED_FORCE * tests.load[rows] * (radius if name == "torque" else 1.0) + MISSED_SIZE * size


def error_over_range(found: Array, measured: Array) -> float:
    """Root of the mean square of the difference over the range of what was measured (NRMSE); NaN without two different numbers."""
    good = np.isfinite(measured)
    width = float(np.ptp(measured[good])) if good.any() else 0.0
    return math.sqrt(float(np.mean((found[good] - measured[good]) ** 2))) / width if width > 0.0 else math.nan
