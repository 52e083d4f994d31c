"""Open-loop profiles: a channel of a maneuver as a function of the time since the start of its phase.

Every profile has a final value and keeps it. `constant` and `hold` have ended from the beginning; a sine without a number of cycles
never ends.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.fields import Choice, Either, Field, Fields, FieldType, FileName, Number, Variants
from simulator.base.table_text import read_table_text
from simulator.base.units import factor_of, split_unit

RATES = {"rad": "rad/s", "m/s": "m/s2", "1": "1/s", "N": "N/s", "N m": "N m/s"}
"""Unit of the rate of a channel, by the unit of the channel."""
MAX_TIME = 86400.0
TONES = 200
"""Number of sines of a random profile. Fewer sines leave gaps in the spectrum; more sines increase the time per driver call."""
LARGEST_FILE = 1 << 24


@dataclass
class Profile:
    """Profile with `value(t, roll_rate)` at t (s) since the phase began; `done(t)` is True if the value no longer changes."""

    value: Callable[[float, float], float]
    done: Callable[[float], bool]


_NEVER = Number("s", 0.0, MAX_TIME)
_DURATION = Number("s", 0.0, MAX_TIME, above=0.0)
_HERTZ = Number("rad/s", 0.0, 6000.0, above=0.0)


def profile_tables(unit: str) -> dict[str, Fields]:
    """Return the fields of every profile of a channel with an SI unit, by the value of `type`."""
    return {**_level_tables(unit), **_test_input_tables(unit), **_point_tables(unit), "random": _random_fields(unit)}


def _delay() -> Field:
    """Return the field of the delay of a profile."""
    return Field("at", _NEVER, "delay from the start of the phase", 0.0, written="s")


def _level_tables(unit: str) -> dict[str, Fields]:
    """Return the fields of profiles that stay at a value, or go to a value and stay there."""
    amount, rate, at = Number(unit), Number(RATES[unit], 0.0, above=0.0), _delay()
    return {
        "constant": (Field("value", amount, "constant value"),),
        "hold": (),
        "ramp": (
            Field("to", amount, "final value"),
            Field("from", amount, "initial value; default: the present value", None),
            Field("rate", rate, "rate of change"),
            at,
        ),
        "step": (
            Field("to", amount, "final value"),
            Field("rate", rate, "rate of change; default: a step", None),
            at,
        ),
    }


def _test_input_tables(unit: str) -> dict[str, Fields]:
    """Return the fields of the inputs of driving tests: sines, turns and pulses of an amplitude."""
    amount = Number(unit)
    amplitude, at = Field("amplitude", amount, "amplitude, + = begins to the left"), _delay()
    rate = Field("rate", Number(RATES[unit], 0.0, above=0.0), "rate of change")
    return_time = Field("return", _NEVER, "duration of the return to zero", 2.0, written="s")
    hold = "time at the final value"
    return {
        "sine": (
            amplitude,
            Field("frequency", _HERTZ, "frequency", written="Hz"),
            Field("cycles", Number("1", 0.0, 1e6, above=0.0), "number of cycles; default: endless", None),
            Field("offset", amount, "mean value", 0.0),
            at,
        ),
        "sine_with_dwell": (
            amplitude,
            Field("frequency", _HERTZ, "frequency", written="Hz"),
            Field("dwell", _NEVER, "time at the second peak", written="s"),
            at,
        ),
        "fishhook": (
            amplitude,
            rate,
            Field("roll_rate", Number("rad/s", 0.0, 10.0), "roll rate below which the countersteer begins", math.radians(1.5)),
            Field("dwell", _NEVER, "time from the first turn to the countersteer; replaces roll_rate", None, written="s"),
            Field("hold", _NEVER, hold, 3.0, written="s"),
            return_time,
            at,
        ),
        "j_turn": (amplitude, rate, Field("hold", _NEVER, hold, 4.0, written="s"), return_time, at),
        "swept_sine": (
            amplitude,
            Field("from", _HERTZ, "initial frequency", written="Hz"),
            Field("to", _HERTZ, "final frequency", written="Hz"),
            Field("duration", _DURATION, "duration of the linear frequency sweep", written="s"),
            at,
        ),
        "pulse": (
            amplitude,
            Field("duration", _DURATION, "duration of the pulse", written="s"),
            Field("shape", Choice(("triangle", "half_sine", "square")), "shape of the pulse", "triangle"),
            at,
        ),
    }


def _point_tables(unit: str) -> dict[str, Fields]:
    """Return the fields of profiles through given points."""
    return {
        "table": (
            Field("times", Number("s", 0.0, MAX_TIME, shape=((2, 100_000),), rising=True), "when", written="s"),
            Field("values", Number(unit, shape=((2, 100_000),)), "value at each time, interpolated linearly"),
        ),
        "file": (
            Field(
                "file",
                FileName("the path of a CSV file"),
                "file with a header and two columns: time_s and the value, with its unit in the header",
            ),
        ),
    }


def _random_fields(unit: str) -> Fields:
    """Return the fields of the random profile."""
    amount = Number(unit)
    return (
        Field("rms", amount, "root mean square"),
        Field("most", amount, "limit of the magnitude; default: three times the rms", None),
        Field("from", _HERTZ, "lower limit of the band", written="Hz"),
        Field("to", _HERTZ, "upper limit of the band", written="Hz"),
        Field("duration", _DURATION, "duration", written="s"),
    )


def channel(unit: str, lowest: float = -math.inf, highest: float = math.inf, more: Mapping[str, Fields] | None = None) -> FieldType:
    """Return the type of a channel key: a number, or a mapping whose `type` is a profile or one of `more`."""
    tables = {**profile_tables(unit), **(more or {})}
    return Either(
        (Number(unit, lowest, highest), Variants("type", tables, tuple(tables), "profile of the channel", noun="a number, or one of"))
    )


def check_profile(given: Any, unit: str, file: object, key: str) -> Any:
    """Check the values of a channel and replace the name of a CSV file by its numbers. Raises ConfigError."""
    if not isinstance(given, Mapping):
        return given
    if given["type"] == "table" and len(given["times"]) != len(given["values"]):
        raise ConfigError(file, f"{key}.values", len(given["values"]), f"as many numbers as times, {len(given['times'])}")
    if given["type"] == "file":
        times, values = read_points(given["file"], unit, file, f"{key}.file")
        return {"type": "table", "times": times, "values": values}
    if given["type"] == "random" and given["to"] <= given["from"]:
        raise ConfigError(
            file, f"{key}.to", given["to"] / math.tau, f"a frequency above the lower limit of the band, {given['from'] / math.tau:g} Hz"
        )
    return given


def read_points(name: str, unit: str, file: object, key: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Read times (n,) in s and values (n,) in SI from a CSV file; its path may be relative to the file that names it. Raises ConfigError."""
    relative = Path(str(file)).parent / name
    path = relative if relative.is_file() else Path(name)
    if not path.is_file():
        raise ConfigError(file, key, name, "an existing file: a path relative to this file, or a complete path")
    text = read_table_text(path, "a CSV file of numbers under a header", LARGEST_FILE)
    rows = [row for row in csv.reader(io.StringIO(text)) if row]
    header = [word.strip() for word in rows[0]] if rows else []
    in_seconds, to_si = _header_factors(header, unit)
    if in_seconds is None or to_si is None:
        raise ConfigError(path, "", header, "a header of two columns: time_s, and a name with its unit")
    try:
        numbers = np.array([[float(word) for word in row] for row in rows[1:]])
    except ValueError:
        numbers = np.empty(0)
    if numbers.ndim != 2 or numbers.shape[1] != 2 or len(numbers) < 2 or not np.isfinite(numbers).all():
        raise ConfigError(path, "", "its rows", "at least two rows of two finite numbers")
    times = numbers[:, 0] * in_seconds
    if not (np.diff(times) > 0.0).all() or times[0] < 0.0:
        raise ConfigError(path, "", "its times", "times that begin at or above 0 and increase from row to row")
    return times, numbers[:, 1] * to_si


def _header_factors(header: list[str], unit: str) -> tuple[float | None, float | None]:
    """Return the factors to SI of the two columns; None for a column without a valid unit. A dimensionless value needs no unit."""
    if len(header) != 2:
        return None, None
    name, in_seconds = split_unit(header[0], {"time": "s"})
    return in_seconds if name else None, 1.0 if unit == "1" else factor_of(unit, header[1].rpartition("_")[2])


def new_profile(given: Any, present: float, seed: int) -> Profile:
    """Return a profile that begins now.

    Parameters
    ----------
    given : a number, or the values of a profile (`profile_tables`), in SI units
    present : value of the channel when the profile begins
    seed : seed of a random profile
    """
    if not isinstance(given, Mapping):
        return _constant(float(given))
    return _PROFILES[given["type"]](given, present, seed)


def _constant(value: float) -> Profile:
    return Profile(lambda t, roll_rate: value, lambda t: True)


def _through(times: NDArray[np.float64], values: NDArray[np.float64]) -> Profile:
    """Return a profile that interpolates points linearly."""
    end = float(times[-1])
    return Profile(lambda t, roll_rate: float(np.interp(t, times, values)), lambda t: t >= end)


def _corners(at: float, *points: tuple[float, float]) -> Profile:
    """Return straight lines through (duration of the segment, value at its end), from time `at`; the first segment ends at `at`."""
    segments = np.array(points)
    return _through(at + np.cumsum(segments[:, 0]), segments[:, 1])


def _ramp(given: Mapping[str, Any], present: float, seed: int) -> Profile:
    begin = present if given.get("from") is None else given["from"]
    rate = given.get("rate")
    duration = 0.0 if rate is None else abs(given["to"] - begin) / rate
    at, end = given["at"], given["to"]

    def value(t: float, roll_rate: float) -> float:
        if t < at:
            return float(begin)
        return float(end) if t >= at + duration else float(begin + (end - begin) * (t - at) / duration)

    return Profile(value, lambda t: t >= at + duration)


def _sine(given: Mapping[str, Any], present: float, seed: int) -> Profile:
    amplitude, w, at, offset = (given[key] for key in ("amplitude", "frequency", "at", "offset"))
    end = math.inf if given.get("cycles") is None else at + given["cycles"] * math.tau / w

    def value(t: float, roll_rate: float) -> float:
        return float(offset if t < at else offset + amplitude * math.sin(w * (min(t, end) - at)))

    return Profile(value, lambda t: t >= end)


def _sine_with_dwell(given: Mapping[str, Any], present: float, seed: int) -> Profile:
    amplitude, w, dwell, at = given["amplitude"], given["frequency"], given["dwell"], given["at"]
    peak = 0.75 * math.tau / w

    def value(t: float, roll_rate: float) -> float:
        elapsed = t - at
        if elapsed <= 0.0 or elapsed >= math.tau / w + dwell:
            return 0.0
        if elapsed > peak:
            elapsed = max(peak, elapsed - dwell)
        return float(amplitude * math.sin(w * elapsed))

    return Profile(value, lambda t: t >= at + math.tau / w + dwell)


class _Fishhook:
    """Fishhook profile: turn, wait until the roll motion ends, countersteer, hold, return."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given = given
        self.turned = given["at"] + abs(given["amplitude"]) / given["rate"]
        self.counter: float | None = None
        """Time [s] at which the countersteer began."""

    def value(self, t: float, roll_rate: float) -> float:
        given, top = self.given, self.given["amplitude"]
        if self.counter is None:
            dwell = given.get("dwell")
            settled = abs(roll_rate) < given["roll_rate"] if dwell is None else t >= self.turned + dwell - 1e-9
            if t >= self.turned and settled:
                self.counter = t
            return float(top * min(max((t - given["at"]) / max(self.turned - given["at"], 1e-9), 0.0), 1.0))
        over = 2.0 * abs(top) / given["rate"]
        times = self.counter + np.cumsum([0.0, over, given["hold"], max(given["return"], 1e-9)])
        return float(np.interp(t, times, [top, -top, -top, 0.0]))

    def done(self, t: float) -> bool:
        given = self.given
        over = 2.0 * abs(given["amplitude"]) / given["rate"]
        return self.counter is not None and t >= self.counter + over + given["hold"] + given["return"]


def _fishhook(given: Mapping[str, Any], present: float, seed: int) -> Profile:
    hook = _Fishhook(given)
    return Profile(hook.value, hook.done)


def _j_turn(given: Mapping[str, Any], present: float, seed: int) -> Profile:
    top = given["amplitude"]
    return _corners(given["at"], (0.0, 0.0), (abs(top) / given["rate"], top), (given["hold"], top), (given["return"], 0.0))


def _swept_sine(given: Mapping[str, Any], present: float, seed: int) -> Profile:
    amplitude, low, high, duration, at = (given[key] for key in ("amplitude", "from", "to", "duration", "at"))

    def value(t: float, roll_rate: float) -> float:
        elapsed = t - at
        if not 0.0 < elapsed < duration:
            return 0.0
        return float(amplitude * math.sin(low * elapsed + 0.5 * (high - low) * elapsed * elapsed / duration))

    return Profile(value, lambda t: t >= at + duration)


def _pulse(given: Mapping[str, Any], present: float, seed: int) -> Profile:
    top, duration, at, shape = (given[key] for key in ("amplitude", "duration", "at", "shape"))

    def value(t: float, roll_rate: float) -> float:
        fraction = (t - at) / duration
        if not 0.0 <= fraction < 1.0:
            return 0.0
        forms = {"triangle": 1.0 - abs(2.0 * fraction - 1.0), "half_sine": math.sin(math.pi * fraction), "square": 1.0}
        return float(top * forms[shape])

    return Profile(value, lambda t: t >= at + duration)


def _random(given: Mapping[str, Any], present: float, seed: int) -> Profile:
    """Return sines of equal amplitude and random phase, one in each of TONES equal parts of the band, limited in magnitude."""
    low, high, duration, rms = given["from"], given["to"], given["duration"], given["rms"]
    highest = 3.0 * abs(rms) if given.get("most") is None else abs(given["most"])
    random = np.random.default_rng(seed)
    w = low + (high - low) * (np.arange(TONES) + random.random(TONES)) / TONES
    phase = math.tau * random.random(TONES)
    amplitude = rms * math.sqrt(2.0 / TONES)

    def value(t: float, roll_rate: float) -> float:
        if t >= duration:
            return 0.0
        return float(np.clip(amplitude * np.sin(w * t + phase).sum(), -highest, highest))

    return Profile(value, lambda t: t >= duration)


_PROFILES: dict[str, Callable[[Mapping[str, Any], float, int], Profile]] = {
    "constant": lambda given, present, seed: _constant(given["value"]),
    "hold": lambda given, present, seed: _constant(present),
    "ramp": _ramp,
    "step": _ramp,
    "sine": _sine,
    "sine_with_dwell": _sine_with_dwell,
    "fishhook": _fishhook,
    "j_turn": _j_turn,
    "swept_sine": _swept_sine,
    "pulse": _pulse,
    "table": lambda given, present, seed: _through(given["times"], given["values"]),
    "random": _random,
}
