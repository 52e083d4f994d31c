"""The classical washout on a drive for independent comparisons: pulses of throttle and brake on a rough road."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import yaml

from simulator.base.yaml_reader import read_yaml
from simulator.builder.builder import build_cueing, find_config
from simulator.tools.cueing.recorded_drives import Drive, ride_drive

G, H = 9.80665, 1e-3


def hard_braking(seed: int) -> Drive:
    """40 s with surges to -6 m/s2 that come and go within 0.4 s, and road noise of 0.8 to 6 Hz of 0.5 m/s2 rms."""
    n = round(40.0 / H) + 1
    t = H * np.arange(n)
    pulses = ((3.0, 8.0, 2.5), (10.0, 13.0, -6.0), (16.0, 21.0, 2.0), (23.0, 25.0, -4.0), (28.0, 32.0, 3.0), (34.0, 37.0, -5.0))
    surge = sum(size * 0.5 * (np.tanh((t - begin) / 0.2) - np.tanh((t - end) / 0.2)) for begin, end, size in pulses)
    noise = np.fft.rfft(np.random.default_rng(seed).normal(size=n))
    frequency = np.fft.rfftfreq(n, H)
    noise[(frequency < 0.8) | (frequency > 6.0)] = 0.0
    road = np.fft.irfft(noise, n)
    force = np.stack([surge + 0.5 * road / road.std(), np.zeros(n), np.full(n, G)], axis=1)
    return Drive("hard braking", H, force, np.zeros((n, 3)), G, 1.0 / H)


@pytest.mark.parametrize("seed", [1, 2])
def test_at_three_degrees_a_second_it_is_no_worse_than_computed_elsewhere(tmp_path, seed):
    """Computed elsewhere for a classical washout on such a drive: 0.763, correlation 0.661, at K = 0.3 within +-0.25 m with 3 deg/s of tilt."""
    washout = dict(read_yaml(find_config("washouts", "small_hexapod")))
    washout["cueing"] = washout["cueing"] | {"force_gain": [0.3, 0.3, 0.3], "tilt_rate_degps": 3.0}
    file = tmp_path / "slow_tilt.yaml"
    file.write_text(yaml.safe_dump(washout))
    scores = ride_drive(hard_braking(seed), partial(build_cueing, str(file), "small_hexapod", H, G)).scores
    assert scores["force_error"] <= 0.77
    assert scores["used"]["stroke"] <= 1.0
    assert scores["used"]["limited_share"] <= 0.02
    assert scores["axes"]["surge"]["correlation"] >= 0.66
