"""Rates in ticks of the fixed clock."""

import pytest

from simulator.base.errors import ConfigError
from simulator.base.rates import even_turns, whole_ticks

pytestmark = pytest.mark.fast


@pytest.mark.parametrize(
    ("rate", "h", "ticks"),
    [(1000.0, 1e-3, 1), (500.0, 1e-3, 2), (250.0, 1e-3, 4), (100.0, 1e-3, 10), (0.1, 1e-3, 10_000), (2000.0, 5e-4, 1)],
)
def test_a_period_is_an_integer_number_of_ticks(rate, h, ticks):
    assert whole_ticks(rate, h, "log", "rate") == ticks


@pytest.mark.parametrize("rate", [0.0, -1.0, 60.0, 300.0, 2000.0, float("nan"), float("inf")])
def test_a_rate_whose_period_is_not_an_integer_number_of_ticks_is_refused(rate):
    with pytest.raises(ConfigError, match=r"stream: rate: invalid value; expected a rate that divides 1000 ticks per second; got "):
        whole_ticks(rate, 1e-3, "stream", "rate")


@pytest.mark.parametrize(("rate", "h"), [(60.0, 1e-3), (250.0, 1e-3), (59.94, 1e-3), (144.0, 5e-4), (1000.0, 1e-3), (700.0, 1e-3)])
def test_events_are_spaced_as_evenly_as_ticks_allow(rate, h):
    """The number of events deviates from rate times time by less than one, and the spacing varies by one tick at most."""
    turns = even_turns(rate, h, "stream", "rate")
    due = [tick for tick in range(1, round(2.0 / h) + 1) if turns.due(tick)]
    gaps = [later - sooner for sooner, later in zip([0, *due], due, strict=False)]
    assert len(due) == int(2.0 * rate + 1e-6)
    assert max(gaps) - min(gaps) <= 1
    assert due == [turns.tick_of(turn) for turn in range(1, len(due) + 1)]
    for turn, tick in enumerate(due, 1):
        assert turns.turn_of(tick) == turn
        assert 0.0 <= turns.behind(tick) < 1.0
        assert (tick - turns.behind(tick)) * h * rate == pytest.approx(turn, abs=1e-6)


@pytest.mark.parametrize("rate", [0.0, -1.0, 1001.0, float("nan"), float("inf")])
def test_a_rate_above_the_tick_rate_is_refused(rate):
    with pytest.raises(ConfigError, match=r"stream: rate: invalid value; expected a rate above 0, at most 1000 ticks per second; got "):
        even_turns(rate, 1e-3, "stream", "rate")
