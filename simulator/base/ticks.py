"""Rates in ticks of the fixed clock."""

from __future__ import annotations

import math

from simulator.base.errors import ConfigError

CLOSE = 1e-9
"""Relative difference of a rate from one of whole ticks that is rounding."""


def whole_ticks(rate: float, h: float, file: object, key: str) -> int:
    """Ticks of `h` [s] between two times of something at `rate` [Hz].

    Raises ConfigError, with `file` and `key`: no whole number of ticks gives that rate.
    """
    every = round(1.0 / (rate * h)) if math.isfinite(rate) and rate * h > 0.0 else 0
    if every < 1 or abs(every * rate * h - 1.0) > CLOSE:
        raise ConfigError(file, key, rate, f"a rate that divides {1.0 / h:g} ticks per second")
    return every
