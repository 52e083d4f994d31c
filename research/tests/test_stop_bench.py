"""Does the bench of the operator's stop measure the first packet that decelerates, and does a stop reach the platform with viewers?"""

from __future__ import annotations

import numpy as np
import pytest

from research.costs.console_stop import PERIOD, first_deceleration, main_bench_console, measure


def motion(stop, speed=0.1, deceleration=2.0, count=300):
    """Arrivals and positions of a platform that moves with constant speed and decelerates from the packet `stop` on."""
    steps = np.arange(count)
    speeds = np.clip(speed - deceleration * PERIOD * np.maximum(0, steps - stop + 1), 0.0, None)
    x = np.append(0.0, np.cumsum(speeds * PERIOD))[:count]
    return 100.0 + PERIOD * steps, np.stack([x, 0.5 * x, 0.0 * x], axis=1)


@pytest.mark.parametrize("stop", [60, 100, 137])
def test_the_first_decelerating_packet_is_found(stop):
    arrivals, positions = motion(stop)
    click = 100.0 + PERIOD * 50 + 1e-4
    assert first_deceleration(arrivals, positions, click) == pytest.approx(arrivals[stop + 1] - click, abs=1e-9)


def test_a_platform_that_does_not_stop_gives_no_time():
    arrivals, positions = motion(10_000)
    assert first_deceleration(arrivals, positions, 100.2) is None
    arrivals, positions = motion(290)
    assert first_deceleration(arrivals, positions, 100.2) is None, "it still moves at the end"


@pytest.mark.slow
def test_a_stop_reaches_the_platform_with_viewers_and_a_slow_reader(capsys):
    for package in ("starlette", "uvicorn", "websockets"):
        pytest.importorskip(package)
    found = measure(2, 3)
    assert len(found["stops_s"]) == 2 and 0.0 < max(found["stops_s"]) < 1.0
    assert main_bench_console(1, 0, False) == 0
    assert "1 stops" in capsys.readouterr().out
