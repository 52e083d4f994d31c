"""`jounce cueing tune`: a set of numbers for a washout, found for a platform and recorded drives.

Differential evolution (scipy) varies what shapes the motion: gains and frequencies of the high-passes, of the tilt and of the rotation, and of an adaptive
washout its weights. What the file's author decides stays: the scales K (`force_gain`, `rate_gain`), the limits, the rate and acceleration of the tilt. A
set is judged by riding all drives in ticks of TICK:

    cost = mean force error + 0.1 heave error + 0.5 (0.75 - c)+ + (g - r)+ + 3 limited share      ()+ : nothing below zero
           + NOTICED n + UNREST u + penalties

with c and r correlation and gain of the yaw perceived (`washout.vestibular`), g the gain wanted of it, three quarters of the file's `rate_gain`,
n what is noticed of wrong roll and pitch and u what of them stays below the threshold and is more than the car has (`false_rotation`), and
penalties for what of stroke, leg speed and leg acceleration is used beyond MARGIN of what there is.

Without n and u nothing speaks against a tilt that follows every small force: it makes the force hardly worse and rocks the rider.
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
from simulator.base.records import Record
from simulator.tools.cueing.motion_pipeline import CueingPipeline, felt, gains, head_of, used
from simulator.tools.cueing.recorded_drives import Drive
from simulator.tools.cueing.scores import correlation_of, error_of, gain_of, rms, up_to
from washout import adaptive, classical
from washout.cueing import MotionCueing
from washout.vestibular import MODELS, RATE_THRESHOLDS, beyond

TICK = 0.01
"""s. The filters of both washouts are exact at any tick, and nothing faster than 10 Hz counts in the error of the force."""

MARGIN = 0.95
"""1. Of stroke, speed and acceleration of the legs, that a set may use."""

NOTICED, UNREST = 0.05, 0.5
"""1, 1. Weights of false rotation, in thresholds: noticed, which is what tilt costs, and not noticed, which buys nothing."""

SPAN = 4.0
"""1. A frequency, weight or speed of adaption is looked for from this part of where it starts to this many times it."""

STEERED = 0.02
"""rad/s rms of the yaw of a drive from which on its yaw is judged."""

SHARES = {classical.KIND.name: ("motion_gain", "attitude_feedback"), adaptive.KIND.name: ("motion_start", "attitude_feedback")}
"""Keys looked for from 0.05 to 1, by the type of the washout."""

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
"""Keys looked for around where they start, in even steps of their logarithm."""

CALM = "tilt_calm_deg", 0.1, 3.0
"""Key, least and most [deg]: looked for in even steps of its logarithm from wherever it is, where a file has it."""


@dataclass(frozen=True)
class Handle:
    """A number of the section `cueing` that is varied: `place` is its index, None where the key has one number."""

    key: str
    place: int | None
    low: float
    high: float
    logarithmic: bool

    def get(self, cueing: Mapping[str, Any]) -> float:
        """Where it stands, as the search sees it."""
        value = float(cueing[self.key] if self.place is None else cueing[self.key][self.place])
        value = min(self.high, max(self.low, value))
        return math.log(value) if self.logarithmic else value

    def put(self, cueing: dict[str, Any], value: float) -> None:
        """Write what the search sees, to three digits."""
        plain = math.exp(value) if self.logarithmic else value
        number = float(f"{min(self.high, max(self.low, plain)):.3g}")
        if self.place is None:
            cueing[self.key] = number
        else:
            cueing[self.key][self.place] = number

    def bounds(self) -> tuple[float, float]:
        """From where to where the search goes."""
        return (math.log(self.low), math.log(self.high)) if self.logarithmic else (self.low, self.high)


def handles(mapping: Mapping[str, Any], file: object) -> list[Handle]:
    """What of a washout file is varied: a gain of nothing stays nothing. Raises JounceError: a type whose numbers nobody here knows."""
    kind, cueing = mapping.get("type", classical.KIND.name), mapping["cueing"]
    if kind not in SHARES:
        raise JounceError(f"{file}: washouts of type {kind} cannot be tuned, only {', '.join(SHARES)}")
    ranges = adaptive.RANGES if kind == adaptive.KIND.name else classical.RANGES
    found = []
    for key in (*SHARES[kind], *SIZES[kind]):
        value = cueing.get(key, ())  # nothing where it is written in another unit
        for place, one in enumerate(value) if isinstance(value, (list, tuple)) else ((None, value),):
            if one == 0.0:
                continue
            if key in SHARES[kind]:
                found.append(Handle(key, place, 0.05, 1.0, logarithmic=False))
            else:
                least, most = ranges[key]
                found.append(Handle(key, place, max(least, one / SPAN), min(most, one * SPAN), logarithmic=True))
    key, low, high = CALM
    if cueing.get(key, 0.0) > 0.0:
        found.append(Handle(key, None, low, high, logarithmic=True))
    return found


@dataclass(frozen=True)
class Evaluation:
    """What a set is worth on some drives."""

    cost: float
    force_error: float
    """Mean over the drives, surge and sway."""
    heave_error: float
    yaw_correlation: float
    yaw_gain: float
    noticed: float
    """Wrong roll and pitch beyond their thresholds, in these: mean over the drives of the rms."""
    unrest: float
    """Roll and pitch within their thresholds that the car has not, likewise."""
    use: float
    """Largest of the shares of stroke, leg speed and leg acceleration that are used."""
    limited: float
    """Share of ticks."""


def judge(make: Callable[[], MotionCueing], drives: Sequence[Drive], yaw_gain: float) -> Evaluation:
    """Ride all drives (in rows of their own length) with washouts made by `make`, and sum up. Raises JounceError."""
    rows = [_judge_one(make, drive) for drive in drives]
    names = ("error", "heave", "limited", "noticed", "unrest")
    error, heave, limited, noticed, unrest = (float(np.mean([row[name] for row in rows])) for name in names)
    most = max(row["use"] for row in rows)
    steered = [row for row in rows if "yaw" in row]
    correlation = float(np.mean([row["yaw"][0] for row in steered])) if steered else 1.0
    gain = float(np.mean([row["yaw"][1] for row in steered])) if steered else 1.0
    cost = error + 0.1 * heave + 0.5 * max(0.0, 0.75 - correlation) + max(0.0, yaw_gain - gain) + 3.0 * limited
    cost += NOTICED * noticed + UNREST * unrest + 2.0 * max(0.0, most - MARGIN)
    return Evaluation(cost, error, heave, correlation, gain, noticed, unrest, most, limited)


def _judge_one(make: Callable[[], MotionCueing], drive: Drive) -> dict[str, Any]:
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
    found: dict[str, Any] = {
        "error": _finite(error_of(cab[:, :2], car[:, :2], K[:2])),
        "heave": _finite(error_of(cab[:, 2], car[:, 2], float(K[2]))),
        "use": max(took["stroke"], took["leg_speed"], took["leg_acceleration"]),
        "limited": took["limited_share"],
    }
    here, there = (MODELS[0].rates(rate, drive.h) for rate in (head.rate, drive.rate))
    found["noticed"], found["unrest"] = false_rotation(here[:, :2], (turning * there)[:, :2])
    if rms(drive.rate[:, 2]) > STEERED:
        found["yaw"] = correlation_of(here[:, 2], there[:, 2]), gain_of(here[:, 2], there[:, 2])
    return found


def false_rotation(here: NDArray[np.float64], wanted: NDArray[np.float64]) -> tuple[float, float]:
    """(noticed, unrest) of perceived rates of roll and pitch (n, 2) [rad/s] on the platform and as they are wanted, in thresholds.

    noticed : rms of what is beyond the threshold in their difference
    unrest : by how much the rms of what is within the threshold is larger on the platform; of both axes the mean
    """
    limit = np.array(RATE_THRESHOLDS[:2])
    size = [np.sqrt(np.mean(np.square(np.clip(rates, -limit, limit) / limit), axis=0)) for rates in (here, wanted)]
    return rms(beyond(here - wanted, RATE_THRESHOLDS[:2]) / limit), float(np.mean(np.maximum(0.0, size[0] - size[1])))


def _finite(value: float) -> float:
    """An error that is not a number, where the car does nothing along an axis, counts as none."""
    return value if math.isfinite(value) else 0.0


def coarse(drive: Drive) -> Drive:
    """The drive in rows of TICK, means over them. Raises JounceError: rows that do not fit into it."""
    count = round(TICK / drive.h)
    if abs(count * drive.h - TICK) > 1e-9:
        raise JounceError(f"{drive.name}: rows of {drive.h:g} s do not make ticks of {TICK:g} s")
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
    told: Callable[[str], None] = lambda _: None,
    seed: int = 1,
) -> tuple[dict[str, Any], Evaluation, Evaluation]:
    """The mapping with the best numbers found, what they are worth, and what those of the file were.

    Parameters
    ----------
    mapping, file : content of a washout file, which the search begins at, and its name
    make : MotionCueing of a mapping, for a world of so much gravity [m/s2]
    drives : recorded; of one gravity
    evaluations : sets to try, about
    told : called with what is being done

    Raises JounceError: scipy is not installed, the type is not known here, or a platform does not come up.
    """
    try:
        from scipy.optimize import differential_evolution
    except ImportError:
        raise JounceError("tuning needs scipy: python -m pip install 'jounce[tune]'") from None
    varied = handles(mapping, file)
    coarser = [coarse(drive) for drive in drives]
    yaw_gain = 0.75 * float(mapping["cueing"]["rate_gain"][2])
    tried, best = 0, math.inf

    def with_numbers(x: Sequence[float]) -> dict[str, Any]:
        one = copy.deepcopy(dict(mapping))
        for handle, value in zip(varied, x, strict=True):
            handle.put(one["cueing"], float(value))
        return one

    def judged(x: Sequence[float]) -> Evaluation:
        one = with_numbers(x)
        return judge(lambda: make(one, drives[0].gravity), coarser, yaw_gain)

    def cost(x: Sequence[float]) -> float:
        nonlocal tried, best
        value = judged(x).cost
        tried, best = tried + 1, min(best, value)
        told(f"set {tried} of about {evaluations}, best so far {best:.3f}")
        return value

    start = [handle.get(mapping["cueing"]) for handle in varied]
    size = max(5, 2 * len(varied))
    found = differential_evolution(
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
    return with_numbers(found.x), judged(found.x), judged(start)


def _around(start: Sequence[float], bounds: Sequence[tuple[float, float]], size: int, seed: int) -> NDArray[np.float64]:
    """(size, n) sets to begin with: the start, and others about it, a quarter of the way of each number as standard deviation."""
    rng = np.random.default_rng(seed)
    low, high = np.array(bounds).T
    sets = np.asarray(start) + 0.25 * (high - low) * rng.normal(size=(size, len(start)))
    sets[0] = start
    return np.clip(sets, low, high)
