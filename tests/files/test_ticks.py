"""Rates in ticks of the fixed clock."""

import pytest

from simulator.base.errors import ConfigError
from simulator.base.ticks import whole_ticks

pytestmark = pytest.mark.fast


@pytest.mark.parametrize(
    ("rate", "h", "ticks"),
    [(1000.0, 1e-3, 1), (500.0, 1e-3, 2), (250.0, 1e-3, 4), (100.0, 1e-3, 10), (0.1, 1e-3, 10_000), (2000.0, 5e-4, 1)],
)
def test_a_rate_is_a_whole_number_of_ticks(rate, h, ticks):
    assert whole_ticks(rate, h, "log", "rate") == ticks


@pytest.mark.parametrize("rate", [0.0, -1.0, 60.0, 300.0, 2000.0, float("nan"), float("inf")])
def test_a_rate_that_no_whole_number_of_ticks_gives_is_refused(rate):
    with pytest.raises(ConfigError, match=r"stream: rate: got .*, expected a rate that divides 1000 ticks per second"):
        whole_ticks(rate, 1e-3, "stream", "rate")
