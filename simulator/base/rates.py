"""Rates in ticks of the fixed clock."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from simulator.base.errors import ConfigError

CLOSE = 1e-9
"""Relative difference of a rate from one of whole ticks that is rounding."""


FINEST = 1_000_000
"""Rates are taken to a millionth of the tick rate."""


class TickSchedule(NamedTuple):
    """Turns of something that come as evenly as whole ticks allow."""

    often: int
    every: int
    """`often` turns in `every` ticks."""

    def due(self, tick: int) -> bool:
        """Whether the number of turns so far, floor(tick often / every), is larger than a tick ago."""
        return tick * self.often % self.every < self.often

    def tick_of(self, turn: int) -> int:
        """The tick of a turn; the first is 1."""
        return -(-turn * self.every // self.often)

    def turn_of(self, tick: int) -> int:
        """The last turn up to a tick."""
        return tick * self.often // self.every

    def behind(self, tick: int) -> float:
        """Share of a tick that has passed since the turn would have been, were there no ticks."""
        return tick * self.often % self.every / self.often


def even_turns(rate: float, h: float, file: object, key: str) -> TickSchedule:
    """Turns at `rate` [Hz] in ticks of `h` [s], which need not divide each other.

    Raises ConfigError, with `file` and `key`: the rate is not above zero, or above that of the ticks.
    """
    share = Fraction(rate * h).limit_denominator(FINEST) if math.isfinite(rate * h) else Fraction(0)
    if not 0 < share <= 1:
        raise ConfigError(file, key, rate, f"a rate above 0, at most {1.0 / h:g} ticks per second")
    return TickSchedule(share.numerator, share.denominator)


def whole_ticks(rate: float, h: float, file: object, key: str) -> int:
    """Ticks of `h` [s] between two times of something at `rate` [Hz].

    Raises ConfigError, with `file` and `key`: no whole number of ticks gives that rate.
    """
    every = round(1.0 / (rate * h)) if math.isfinite(rate) and rate * h > 0.0 else 0
    if every < 1 or abs(every * rate * h - 1.0) > CLOSE:
        raise ConfigError(file, key, rate, f"a rate that divides {1.0 / h:g} ticks per second")
    return every
