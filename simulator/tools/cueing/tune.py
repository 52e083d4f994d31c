"""`jounce cueing tune`: optimize the parameters of a washout for a platform and recorded drives.

Differential evolution (scipy) varies the parameters that shape the motion: gains and frequencies of the high-passes, of the tilt and of the
rotation, and the weights of an adaptive washout. The choices of the author of the file stay: the scales K (`force_gain`, `rate_gain`), the
limits, and the rate and acceleration of the tilt. The cost of a parameter set is computed from all drives in ticks of TICK:

    cost = mean force error + 0.1 heave error + 0.5 (0.75 - c)+ + (g - r)+ + 3 limited fraction      ()+ : max(0, ...)
           + NOTICED n + UNREST u + penalties

with c and r correlation and gain of the perceived yaw (`washout.vestibular`), and g the target gain, three quarters of `rate_gain` in the
file. n is the part of false roll and pitch above the threshold, and u the part below the threshold that exceeds the car
(`false_rotation`). Penalties apply to fractions of stroke, leg speed and leg acceleration above MARGIN.

Without n and u the cost allows a tilt that follows every small force: the force error hardly increases, but the platform rocks the rider.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import JounceError
from simulator.base.fields import Number
from simulator.base.records import Record
from simulator.tools.cueing.motion_pipeline import CueingPipeline, felt, gains, head_of, used
from simulator.tools.cueing.recorded_drives import Drive
from simulator.tools.cueing.scores import correlation_of, error_of, gain_of, rms, up_to
from washout import adaptive, classical
from washout.cueing import MotionCueing
from washout.vestibular import MODELS, RATE_THRESHOLDS, beyond

TICK = 0.01
"""s. The filters of both washouts are exact at any tick, and the force error contains only frequencies up to 10 Hz."""

MARGIN = 0.95
"""1. Allowed fraction of stroke, speed and acceleration of the legs."""

NOTICED, UNREST = 0.05, 0.5
"""1, 1. Weights of false rotation in thresholds: above the threshold (the price of tilt) and below the threshold (no benefit)."""

SPAN = 4.0
"""1. The search range of a frequency, weight or adaptation rate is its initial value divided by and multiplied by this factor."""

STEERED = 0.02
"""rad/s rms. Minimum yaw rate of a drive for the yaw terms of the cost."""

SHARES = {classical.KIND.name: ("motion_gain", "attitude_feedback"), adaptive.KIND.name: ("motion_start", "attitude_feedback")}
"""Keys with the search range 0.05 to 1, by type of washout."""

SIZES = {
    classical.KIND.name: ("high_pass_frequency", "high_pass_damping", "return_frequency", "tilt_frequency", "rotation_frequency"),
    adaptive.KIND.name: (
        "high_pass_frequency",
        "high_pass_damping",
        "return_frequency",
        "tilt_start",
        "rotation_frequency",
        "motion_adaptation",
        "travel_weight",
        "leak",
    ),
}
"""Keys with a search range around the initial value, on a logarithmic scale."""

CALM_HANDLE = "tilt_calm_deg", 0.1, 3.0
"""Key, minimum and maximum [deg], on a logarithmic scale, for files that contain the key."""


@dataclass(frozen=True)
class Handle:
    """A varied parameter in the section `cueing`: `place` is its index, None for a key with one number."""

    key: str
    place: int | None
    low: float
    high: float
    logarithmic: bool

    def get(self, cueing: Mapping[str, Any]) -> float:
        """Return the value in the coordinates of the search."""
        value = float(cueing[self.key] if self.place is None else cueing[self.key][self.place])
        value = min(self.high, max(self.low, value))
        return math.log(value) if self.logarithmic else value

    def put(self, cueing: dict[str, Any], value: float) -> None:
        """Write a value given in the coordinates of the search, rounded to three digits."""
        plain = math.exp(value) if self.logarithmic else value
        number = float(f"{min(self.high, max(self.low, plain)):.3g}")
        if self.place is None:
            cueing[self.key] = number
        else:
            cueing[self.key][self.place] = number

    def bounds(self) -> tuple[float, float]:
        """Return the bounds in the coordinates of the search."""
        return (math.log(self.low), math.log(self.high)) if self.logarithmic else (self.low, self.high)


def handles(mapping: Mapping[str, Any], file: object) -> list[Handle]:
    """Return the varied parameters of a washout file; a gain of 0 is not varied. Raises JounceError: unsupported type."""
    kind, cueing = mapping.get("type", classical.KIND.name), mapping["cueing"]
    if kind not in SHARES:
        raise JounceError(f"{file}: cannot tune a washout of type {kind}; expected {', '.join(SHARES)}")
    fields = {field.name: field for field in (adaptive.FILE if kind == adaptive.KIND.name else classical.FILE)}
    all_handles = []
    for key in (*SHARES[kind], *SIZES[kind]):
        value = cueing.get(key, ())  # empty for a key in another unit
        for place, one in enumerate(value) if isinstance(value, (list, tuple)) else ((None, value),):
            if one == 0.0:
                continue
            if key in SHARES[kind]:
                all_handles.append(Handle(key, place, 0.05, 1.0, logarithmic=False))
            else:
                limits = fields[key].kind
                assert isinstance(limits, Number)
                all_handles.append(Handle(key, place, max(limits.least, one / SPAN), min(limits.most, one * SPAN), logarithmic=True))
    key, low, high = CALM_HANDLE
    if cueing.get(key, 0.0) > 0.0:
        all_handles.append(Handle(key, None, low, high, logarithmic=True))
    return all_handles


@dataclass(frozen=True)
class Evaluation:
    """Cost of a parameter set on some drives, and its terms."""

    cost: float
    force_error: float
    """Mean over the drives, surge and sway."""
    heave_error: float
    yaw_correlation: float
    yaw_gain: float
    noticed: float
    """False roll and pitch above the thresholds, in thresholds: mean over the drives of the rms."""
    unrest: float
    """Roll and pitch below the thresholds that exceed the car, in thresholds: mean over the drives of the rms."""
    use: float
    """Maximum of the used fractions of stroke, leg speed and leg acceleration."""
    limited: float
    """Fraction of ticks."""


def evaluate(make: Callable[[], MotionCueing], drives: Sequence[Drive], yaw_gain: float) -> Evaluation:
    """Run all drives (at their row length) with washouts from `make` and return the mean results. Raises JounceError."""
    rows = [_evaluate_drive(make, drive) for drive in drives]
    names = ("error", "heave", "limited", "noticed", "unrest")
    error, heave, limited, noticed, unrest = (float(np.mean([row[name] for row in rows])) for name in names)
    most = max(row["use"] for row in rows)
    steered = [row for row in rows if "yaw" in row]
    correlation = float(np.mean([row["yaw"][0] for row in steered])) if steered else 1.0
    gain = float(np.mean([row["yaw"][1] for row in steered])) if steered else 1.0
    cost = error + 0.1 * heave + 0.5 * max(0.0, 0.75 - correlation) + max(0.0, yaw_gain - gain) + 3.0 * limited
    cost += NOTICED * noticed + UNREST * unrest + 2.0 * max(0.0, most - MARGIN)
    return Evaluation(cost, error, heave, correlation, gain, noticed, unrest, most, limited)


def _evaluate_drive(make: Callable[[], MotionCueing], drive: Drive) -> dict[str, Any]:
    chain = CueingPipeline(make, drive.force[0], drive.rate[0])
    try:
        ride = chain.follow(drive.force, drive.rate)
    finally:
        chain.close()
    platform: Record = chain.cueing.platform
    K, turning = gains(chain.cueing)
    head = felt(ride.pose, head_of(platform), ride.h)
    car = up_to(drive.force - [0.0, 0.0, drive.gravity], drive.h)
    cab = up_to(head.force, drive.h)
    took = used(platform, ride)
    result: dict[str, Any] = {
        "error": _finite(error_of(cab[:, :2], car[:, :2], K[:2])),
        "heave": _finite(error_of(cab[:, 2], car[:, 2], float(K[2]))),
        "use": max(took["stroke"], took["leg_speed"], took["leg_acceleration"]),
        "limited": took["limited_share"],
    }
    here, there = (MODELS[0].rates(rate, drive.h) for rate in (head.rate, drive.rate))
    result["noticed"], result["unrest"] = false_rotation(here[:, :2], (turning * there)[:, :2])
    if rms(drive.rate[:, 2]) > STEERED:
        result["yaw"] = correlation_of(here[:, 2], there[:, 2]), gain_of(here[:, 2], there[:, 2])
    return result


def false_rotation(here: NDArray[np.float64], target: NDArray[np.float64]) -> tuple[float, float]:
    """Return (noticed, unrest) from perceived rates of roll and pitch (n, 2) [rad/s] on the platform and their targets, in thresholds.

    noticed : rms of the difference above the threshold
    unrest : increase of the rms of the part below the threshold on the platform; mean of both axes
    """
    limit = np.array(RATE_THRESHOLDS[:2])
    size = [np.sqrt(np.mean(np.square(np.clip(rates, -limit, limit) / limit), axis=0)) for rates in (here, target)]
    return rms(beyond(here - target, RATE_THRESHOLDS[:2]) / limit), float(np.mean(np.maximum(0.0, size[0] - size[1])))


def _finite(value: float) -> float:
    """Replace NaN by 0: the error of an axis along which the car does not move."""
    return value if math.isfinite(value) else 0.0


def coarse(drive: Drive) -> Drive:
    """Return the drive in rows of TICK, means of its rows. Raises JounceError: TICK is not a multiple of the row length."""
    count = round(TICK / drive.h)
    if abs(count * drive.h - TICK) > 1e-9:
        raise JounceError(f"{drive.name}: rows of {drive.h:g} s; expected a row length that divides {TICK:g} s")
    n = len(drive.force) // count

    def means(signal: NDArray[np.float64]) -> NDArray[np.float64]:
        return signal[: n * count].reshape(n, count, 3).mean(axis=1)

    return Drive(drive.name, TICK, means(drive.force), means(drive.rate), drive.gravity, drive.recorded)


def tune(
    mapping: Mapping[str, Any],
    file: object,
    make: Callable[[Mapping[str, Any], float], MotionCueing],
    drives: Sequence[Drive],
    evaluations: int,
    on_progress: Callable[[str], None] = lambda _: None,
    seed: int = 1,
) -> tuple[dict[str, Any], Evaluation, Evaluation]:
    """Return the mapping with the best parameters, their evaluation and the evaluation of the initial parameters.

    Parameters
    ----------
    mapping, file : content of a washout file, initial value of the search, and the file name
    make : returns a MotionCueing for a mapping and a gravity [m/s2]
    drives : recorded drives with the same gravity
    evaluations : approximate count of parameter sets
    on_progress : called with progress messages

    Raises JounceError: the type of washout is unsupported, or the platform does not rise.
    """
    from scipy.optimize import differential_evolution

    varied = handles(mapping, file)
    coarser = [coarse(drive) for drive in drives]
    yaw_gain = 0.75 * float(mapping["cueing"]["rate_gain"][2])
    tried, best = 0, math.inf

    def with_numbers(x: Sequence[float]) -> dict[str, Any]:
        one = copy.deepcopy(dict(mapping))
        for handle, value in zip(varied, x, strict=True):
            handle.put(one["cueing"], float(value))
        return one

    def evaluated(x: Sequence[float]) -> Evaluation:
        one = with_numbers(x)
        return evaluate(lambda: make(one, drives[0].gravity), coarser, yaw_gain)

    def cost(x: Sequence[float]) -> float:
        nonlocal tried, best
        value = evaluated(x).cost
        tried, best = tried + 1, min(best, value)
        on_progress(f"set {tried} of about {evaluations}, best so far {best:.3f}")
        return value

    start = [handle.get(mapping["cueing"]) for handle in varied]
    size = max(5, 2 * len(varied))
    optimum = differential_evolution(
        cost,
        [handle.bounds() for handle in varied],
        popsize=1,
        init=_around(start, [handle.bounds() for handle in varied], size, seed),
        maxiter=max(1, evaluations // size - 1),
        mutation=(0.4, 0.9),
        recombination=0.8,
        rng=seed,
        polish=False,
        tol=1e-4,
    )
    return with_numbers(optimum.x), evaluated(optimum.x), evaluated(start)


def _around(start: Sequence[float], bounds: Sequence[tuple[float, float]], size: int, seed: int) -> NDArray[np.float64]:
    """Return initial parameter sets (size, n): the start, and normally distributed sets around the start, standard deviation a quarter of
    the range.
    """
    rng = np.random.default_rng(seed)
    low, high = np.array(bounds).T
    sets = np.asarray(start) + 0.25 * (high - low) * rng.normal(size=(size, len(start)))
    sets[0] = start
    return np.clip(sets, low, high)
