"""Choice of the level of detail by a measurement."""

from __future__ import annotations

import pytest

from simulator.view.measured_level import IN_TIME, finest_in_time

NAMES = ["low", "medium", "high"]


@pytest.mark.parametrize(
    ("times", "first", "chosen"),
    [
        ((0.5, 0.9, 2.0), "low", "medium"),
        ((0.5, 0.9, 2.0), "high", "medium"),
        ((0.5, 2.0, 3.0), "high", "low"),
        ((2.0, 3.0, 4.0), "low", "low"),
        ((2.0, 3.0, 4.0), "high", "low"),
        ((0.1, 0.5, 0.9), "low", "high"),
        ((0.1, 0.5, 0.9), "high", "high"),
        ((0.9, 1.1, 0.5), "low", "low"),
    ],
)
def test_the_finest_level_in_time(times, first, chosen):
    """Times are shares of the limit."""
    made = dict(zip(NAMES, times, strict=True))
    result, name = finest_in_time(NAMES, NAMES.index(first), lambda name: (name, made[name] * IN_TIME))
    assert result == name == chosen
