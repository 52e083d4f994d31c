"""Open-loop profiles: a channel of a maneuver as a function of the time since its phase began.

Every profile ends with a value, which is held from then on; `constant` and `hold` are at their end from the beginning, a sine without a
number of cycles has none.
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
from simulator.base.inputfile import read_bytes
from simulator.base.units import factor_of, split_unit

RATES = {"rad": "rad/s", "m/s": "m/s2", "1": "1/s", "N": "N/s", "N m": "N m/s"}
"""Unit of the rate of a channel by the channel's own."""
LONGEST = 86400.0
TONES = 200
"""Sines of a random profile. Fewer: its spectrum shows gaps; more: every look takes longer."""
LARGEST_FILE = 1 << 24


@dataclass
class Profile:
    """`value(t, roll_rate)` at t (s) since the phase began; `done(t)`: nothing changes from then on."""

    value: Callable[[float, float], float]
    done: Callable[[float], bool]


_NEVER = Number("s", 0.0, LONGEST)
_HERTZ = Number("rad/s", 0.0, 6000.0, above=0.0)


def profile_tables(unit: str) -> dict[str, Fields]:
    """Fields of every profile of a channel with that SI unit, by the word behind `type`."""
    amount, rate = Number(unit), Number(RATES[unit], 0.0, above=0.0)
    amplitude = Field("amplitude", amount, "largest deflection, + = begins to the left")
    at = Field("at", _NEVER, "begins so long after the phase", 0.0, written="s")
    turn = Field("rate", rate, "change per time on the way")
    back = Field("return", _NEVER, "time in which it then goes back to nothing", 2.0, written="s")
    hold = "time for which it is then held"
    return {
        "constant": (Field("value", amount, "the value"),),
        "hold": (),
        "ramp": (
            Field("to", amount, "value at the end"),
            Field("from", amount, "value at the beginning; the present one when left out", None),
            turn,
            at,
        ),
        "step": (
            Field("to", amount, "value at the end"),
            Field("rate", rate, "change per time; at once when left out", None),
            at,
        ),
        "sine": (
            amplitude,
            Field("frequency", _HERTZ, "cycles per time", written="Hz"),
            Field("cycles", Number("1", 0.0, 1e6, above=0.0), "how many; without end when left out", None),
            Field("offset", amount, "about which it swings", 0.0),
            at,
        ),
        "sine_with_dwell": (
            amplitude,
            Field("frequency", _HERTZ, "cycles per time", written="Hz"),
            Field("dwell", _NEVER, "time for which the second peak is held", written="s"),
            at,
        ),
        "fishhook": (
            amplitude,
            turn,
            Field("roll_rate", Number("rad/s", 0.0, 10.0), "countersteer begins once the roll rate falls below", math.radians(1.5)),
            Field("dwell", _NEVER, "countersteer begins so long after the first turn, whatever the roll", None, written="s"),
            Field("hold", _NEVER, hold, 3.0, written="s"),
            back,
            at,
        ),
        "j_turn": (amplitude, turn, Field("hold", _NEVER, hold, 4.0, written="s"), back, at),
        "swept_sine": (
            amplitude,
            Field("from", _HERTZ, "cycles per time at the beginning", written="Hz"),
            Field("to", _HERTZ, "cycles per time at the end", written="Hz"),
            Field("duration", Number("s", 0.0, LONGEST, above=0.0), "time from one to the other, in equal steps of frequency", written="s"),
            at,
        ),
        "pulse": (
            amplitude,
            Field("duration", Number("s", 0.0, LONGEST, above=0.0), "time from nothing to nothing", written="s"),
            Field("shape", Choice(("triangle", "half_sine", "square")), "its form", "triangle"),
            at,
        ),
        "table": (
            Field("times", Number("s", 0.0, LONGEST, shape=((2, 100_000),), rising=True), "when", written="s"),
            Field("values", Number(unit, shape=((2, 100_000),)), "value at each time, straight lines between"),
        ),
        "file": (
            Field("file", FileName("the path of a CSV file"), "two columns under a header: time_s, and the value with its unit behind"),
        ),
        "random": (
            Field("rms", amount, "root of the mean square"),
            Field("most", amount, "it never goes beyond; three times the rms when left out", None),
            Field("from", _HERTZ, "lower end of the band", written="Hz"),
            Field("to", _HERTZ, "upper end of the band", written="Hz"),
            Field("duration", Number("s", 0.0, LONGEST, above=0.0), "how long", written="s"),
        ),
    }


def channel(unit: str, least: float = -math.inf, most: float = math.inf, more: Mapping[str, Fields] | None = None) -> FieldType:
    """What stands behind the key of a channel: a number, or a mapping whose `type` is a profile, or one of `more`."""
    tables = {**profile_tables(unit), **(more or {})}
    return Either((Number(unit, least, most), Variants("type", tables, tuple(tables), "how it goes", noun="a number, or one of")))


def check_profile(said: Any, unit: str, file: object, key: str) -> Any:
    """What was read of a channel, the numbers of its file in the place of the file's name. Raises ConfigError."""
    if not isinstance(said, Mapping):
        return said
    if said["type"] == "table" and len(said["times"]) != len(said["values"]):
        raise ConfigError(file, f"{key}.values", len(said["values"]), f"as many numbers as times, {len(said['times'])}")
    if said["type"] == "file":
        times, values = read_points(said["file"], unit, file, f"{key}.file")
        return {"type": "table", "times": times, "values": values}
    if said["type"] == "random" and said["to"] <= said["from"]:
        raise ConfigError(file, f"{key}.to", said["to"] / math.tau, f"more than the lower end of the band, {said['from'] / math.tau:g} Hz")
    return said


def read_points(name: str, unit: str, file: object, key: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Times (n,) in s and values (n,) in SI out of a CSV file, beside the file that names it. Raises ConfigError."""
    beside = Path(str(file)).parent / name
    path = beside if beside.is_file() else Path(name)
    if not path.is_file():
        raise ConfigError(file, key, name, "a file that is there, beside this one or by its whole path")
    try:
        text = read_bytes(path, "a CSV file", LARGEST_FILE).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigError(path, "", "bytes that are no text", "a CSV file of numbers under a header") from None
    rows = [row for row in csv.reader(io.StringIO(text)) if row]
    header = [word.strip() for word in rows[0]] if rows else []
    in_seconds, to_si = _header_factors(header, unit)
    if in_seconds is None or to_si is None:
        raise ConfigError(path, "", header, "a header of two columns: time_s, and a name with the unit behind it")
    try:
        numbers = np.array([[float(word) for word in row] for row in rows[1:]])
    except ValueError:
        numbers = np.empty(0)
    if numbers.ndim != 2 or numbers.shape[1] != 2 or len(numbers) < 2 or not np.isfinite(numbers).all():
        raise ConfigError(path, "", "its rows", "at least two rows of two finite numbers")
    times = numbers[:, 0] * in_seconds
    if not (np.diff(times) > 0.0).all() or times[0] < 0.0:
        raise ConfigError(path, "", "its times", "times from 0 on that rise from row to row")
    return times, numbers[:, 1] * to_si


def _header_factors(header: list[str], unit: str) -> tuple[float | None, float | None]:
    """Factors to SI of the two columns of a file; None where the header does not say one. A share needs no unit."""
    if len(header) != 2:
        return None, None
    name, in_seconds = split_unit(header[0], {"time": "s"})
    return in_seconds if name else None, 1.0 if unit == "1" else factor_of(unit, header[1].rpartition("_")[2])


def new_profile(said: Any, present: float, seed: int) -> Profile:
    """A profile that begins now.

    Parameters
    ----------
    said : a number, or the values of a profile (`profile_tables`), in SI units
    present : value of the channel when it begins
    seed : of a random one
    """
    if not isinstance(said, Mapping):
        return _held(float(said))
    return _MAKERS[said["type"]](said, present, seed)


def _held(value: float) -> Profile:
    return Profile(lambda t, roll_rate: value, lambda t: True)


def _through(times: NDArray[np.float64], values: NDArray[np.float64]) -> Profile:
    """Straight lines through points."""
    end = float(times[-1])
    return Profile(lambda t, roll_rate: float(np.interp(t, times, values)), lambda t: t >= end)


def _corners(at: float, *points: tuple[float, float]) -> Profile:
    """Straight lines through (duration of the leg, value at its end), from time `at` on; the first leg's duration is that before it."""
    legs = np.array(points)
    return _through(at + np.cumsum(legs[:, 0]), legs[:, 1])


def _ramp(said: Mapping[str, Any], present: float, seed: int) -> Profile:
    begin = present if said.get("from") is None else said["from"]
    rate = said.get("rate")
    duration = 0.0 if rate is None else abs(said["to"] - begin) / rate
    at, end = said["at"], said["to"]

    def value(t: float, roll_rate: float) -> float:
        if t < at:
            return float(begin)
        return float(end) if t >= at + duration else float(begin + (end - begin) * (t - at) / duration)

    return Profile(value, lambda t: t >= at + duration)


def _sine(said: Mapping[str, Any], present: float, seed: int) -> Profile:
    amplitude, w, at, offset = (said[key] for key in ("amplitude", "frequency", "at", "offset"))
    end = math.inf if said.get("cycles") is None else at + said["cycles"] * math.tau / w

    def value(t: float, roll_rate: float) -> float:
        return float(offset if t < at else offset + amplitude * math.sin(w * (min(t, end) - at)))

    return Profile(value, lambda t: t >= end)


def _sine_with_dwell(said: Mapping[str, Any], present: float, seed: int) -> Profile:
    amplitude, w, dwell, at = said["amplitude"], said["frequency"], said["dwell"], said["at"]
    peak = 0.75 * math.tau / w

    def value(t: float, roll_rate: float) -> float:
        passed = t - at
        if passed <= 0.0 or passed >= math.tau / w + dwell:
            return 0.0
        if passed > peak:
            passed = max(peak, passed - dwell)
        return float(amplitude * math.sin(w * passed))

    return Profile(value, lambda t: t >= at + math.tau / w + dwell)


class _Fishhook:
    """Turn, wait until the roll has come to its end, countersteer, hold, return."""

    def __init__(self, said: Mapping[str, Any]) -> None:
        self.said = said
        self.turned = said["at"] + abs(said["amplitude"]) / said["rate"]
        self.counter: float | None = None
        """s, when the countersteer began."""

    def value(self, t: float, roll_rate: float) -> float:
        said, top = self.said, self.said["amplitude"]
        if self.counter is None:
            dwell = said.get("dwell")
            settled = abs(roll_rate) < said["roll_rate"] if dwell is None else t >= self.turned + dwell - 1e-9
            if t >= self.turned and settled:
                self.counter = t
            return float(top * min(max((t - said["at"]) / max(self.turned - said["at"], 1e-9), 0.0), 1.0))
        over = 2.0 * abs(top) / said["rate"]
        times = self.counter + np.cumsum([0.0, over, said["hold"], max(said["return"], 1e-9)])
        return float(np.interp(t, times, [top, -top, -top, 0.0]))

    def done(self, t: float) -> bool:
        said = self.said
        over = 2.0 * abs(said["amplitude"]) / said["rate"]
        return self.counter is not None and t >= self.counter + over + said["hold"] + said["return"]


def _fishhook(said: Mapping[str, Any], present: float, seed: int) -> Profile:
    hook = _Fishhook(said)
    return Profile(hook.value, hook.done)


def _j_turn(said: Mapping[str, Any], present: float, seed: int) -> Profile:
    top = said["amplitude"]
    return _corners(said["at"], (0.0, 0.0), (abs(top) / said["rate"], top), (said["hold"], top), (said["return"], 0.0))


def _swept_sine(said: Mapping[str, Any], present: float, seed: int) -> Profile:
    amplitude, low, high, duration, at = (said[key] for key in ("amplitude", "from", "to", "duration", "at"))

    def value(t: float, roll_rate: float) -> float:
        passed = t - at
        if not 0.0 < passed < duration:
            return 0.0
        return float(amplitude * math.sin(low * passed + 0.5 * (high - low) * passed * passed / duration))

    return Profile(value, lambda t: t >= at + duration)


def _pulse(said: Mapping[str, Any], present: float, seed: int) -> Profile:
    top, duration, at, shape = (said[key] for key in ("amplitude", "duration", "at", "shape"))

    def value(t: float, roll_rate: float) -> float:
        share = (t - at) / duration
        if not 0.0 <= share < 1.0:
            return 0.0
        forms = {"triangle": 1.0 - abs(2.0 * share - 1.0), "half_sine": math.sin(math.pi * share), "square": 1.0}
        return float(top * forms[shape])

    return Profile(value, lambda t: t >= at + duration)


def _random(said: Mapping[str, Any], present: float, seed: int) -> Profile:
    """Sines of equal size and random phase, one in each of TONES equal parts of the band, clipped."""
    low, high, duration, rms = said["from"], said["to"], said["duration"], said["rms"]
    most = 3.0 * abs(rms) if said.get("most") is None else abs(said["most"])
    random = np.random.default_rng(seed)
    w = low + (high - low) * (np.arange(TONES) + random.random(TONES)) / TONES
    phase = math.tau * random.random(TONES)
    size = rms * math.sqrt(2.0 / TONES)

    def value(t: float, roll_rate: float) -> float:
        if t >= duration:
            return 0.0
        return float(np.clip(size * np.sin(w * t + phase).sum(), -most, most))

    return Profile(value, lambda t: t >= duration)


_MAKERS: dict[str, Callable[[Mapping[str, Any], float, int], Profile]] = {
    "constant": lambda said, present, seed: _held(said["value"]),
    "hold": lambda said, present, seed: _held(present),
    "ramp": _ramp,
    "step": _ramp,
    "sine": _sine,
    "sine_with_dwell": _sine_with_dwell,
    "fishhook": _fishhook,
    "j_turn": _j_turn,
    "swept_sine": _swept_sine,
    "pulse": _pulse,
    "table": lambda said, present, seed: _through(said["times"], said["values"]),
    "random": _random,
}
