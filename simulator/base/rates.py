"""Conversion of rates to ticks of the fixed clock."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from simulator.base.errors import ConfigError
from simulator.base.fields import Number

RATE = Number("Hz", 0.1, 2e4)
"""Type of the rate of a plugin."""

CLOSE = 1e-9
"""Relative tolerance of a rate that must be an integer number of ticks."""


FINEST = 1_000_000
"""Maximum denominator of a rate as a fraction of the tick rate."""


def shown_time(time: float) -> float:
    """Return a simulated time [s], which is a sum of ticks, without its rounding errors: rounded to 1 ns.

    >>> shown_time(22.800000000004882)
    22.8
    """
    return round(float(time), 9)


class TickSchedule(NamedTuple):
    """Ticks at which a periodic event is due, spaced as evenly as the ticks allow."""

    often: int
    every: int
    """Number of ticks in which `often` events are due."""

    def due(self, tick: int) -> bool:
        """Return True if the number of events, floor(tick often / every), increases at a tick."""
        return tick * self.often % self.every < self.often

    def tick_of(self, turn: int) -> int:
        """Return the tick of an event; the number of the first event is 1."""
        return -(-turn * self.every // self.often)

    def turn_of(self, tick: int) -> int:
        """Return the number of the last event up to a tick."""
        return tick * self.often // self.every

    def behind(self, tick: int) -> float:
        """Return the delay of an event due to the tick grid, as a fraction of a tick."""
        return tick * self.often % self.every / self.often


def even_turns(rate: float, h: float, file: object, key: str) -> TickSchedule:
    """Return the schedule of a rate [Hz] in ticks of `h` [s]. The period need not be a multiple of the tick.

    Raises ConfigError, with `file` and `key`: the rate is not above zero, or above the tick rate.
    """
    fraction = Fraction(rate * h).limit_denominator(FINEST) if math.isfinite(rate * h) else Fraction(0)
    if not 0 < fraction <= 1:
        raise ConfigError(file, key, rate, f"a rate above 0, at most {1.0 / h:g} ticks per second")
    return TickSchedule(fraction.numerator, fraction.denominator)


def whole_ticks(rate: float, h: float, file: object, key: str) -> int:
    """Return the period of a rate [Hz] in ticks of `h` [s].

    Raises ConfigError, with `file` and `key`: the period is not an integer number of ticks.
    """
    every = round(1.0 / (rate * h)) if math.isfinite(rate) and rate * h > 0.0 else 0
    if every < 1 or abs(every * rate * h - 1.0) > CLOSE:
        raise ConfigError(file, key, rate, f"a rate that divides {1.0 / h:g} ticks per second")
    return every
