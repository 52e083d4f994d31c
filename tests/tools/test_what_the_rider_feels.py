"""The shipped washouts on drives of the shipped car: do they reproduce the motion, without false cues?"""

from __future__ import annotations

import functools
from functools import partial
from typing import Any

import numpy as np
import pytest
import yaml
from short_drives import SCORED, short_drive

from simulator.base.yaml_reader import read_yaml
from simulator.builder.builder import build_cueing, find_config
from simulator.tools.cueing.omct import objective_test
from simulator.tools.cueing.recorded_drives import CueingResult, ride_drive
from simulator.tools.cueing.scores import rms, up_to
from washout.vestibular import MODELS

PAIRS = {
    "small_hexapod": "small_hexapod",
    "small_hexapod_adaptive": "small_hexapod",
    "large_hexapod": "simona",
    "large_hexapod_adaptive": "simona",
}
ERROR = {"small_hexapod": 0.55, "large_hexapod": 0.40}
"""Largest mean force error of the classical sets on these drives, a kind each, and their scales of the force below."""
SCALE = {"small_hexapod": 0.4, "large_hexapod": 0.5}
YAW_GAIN = {"small": 0.15, "large": 0.3}


@functools.cache
def ridden(washout: str, drive: str) -> CueingResult:
    one = short_drive(drive)
    return ride_drive(one, partial(build_cueing, washout, PAIRS[washout], one.h, one.gravity), models=MODELS[:1])


def error(washout: str, drive: str) -> float:
    return float(ridden(washout, drive).scores["force_error"])


def turning(washout: str, drive: str) -> tuple[Any, Any]:
    """(2,) rms of the rates of roll and pitch [deg/s] in the car and on the platform."""
    one, felt = short_drive(drive), ridden(washout, drive).felt
    return tuple(np.degrees([rms(up_to(rates[:, j], one.h)) for j in (0, 1)]) for rates in (one.rate, felt.rate))


@pytest.mark.parametrize("washout", PAIRS)
def test_small_forces_do_not_rock_the_rider(washout):
    """On an even road the platform rolls and pitches hardly faster than the car. A tilt that follows every force rolls four times as fast."""
    car, cab = turning(washout, "even road")
    assert (cab <= car + 0.1).all(), (car, cab)


def test_a_tilt_without_calm_rocks_him(tmp_path):
    """So that the test above is about something."""
    one, hasty = short_drive("even road"), dict(read_yaml(find_config("washouts", "small_hexapod")))
    hasty["cueing"] = hasty["cueing"] | {"tilt_calm_deg": 0.0}
    file = tmp_path / "hasty.yaml"
    file.write_text(yaml.safe_dump(hasty))
    felt = ride_drive(one, partial(build_cueing, str(file), "small_hexapod", one.h, one.gravity), models=()).felt
    assert np.degrees(rms(up_to(felt.rate[:, 0], one.h))) > 2.0 * turning("small_hexapod", "even road")[1][0]


@pytest.mark.parametrize("washout", ERROR)
def test_classical_sets_show_the_force(washout):
    assert np.mean([error(washout, drive) for drive in SCORED]) <= ERROR[washout]
    assert ridden(washout, "stops").aims[0][0] >= SCALE[washout]


@pytest.mark.parametrize("washout", ERROR)
def test_adaptive_sets_are_nearer(washout):
    parts = [error(f"{washout}_adaptive", drive) / error(washout, drive) for drive in SCORED]
    assert np.mean(parts) <= 0.95
    assert max(parts) <= 1.02


@pytest.mark.parametrize("washout", PAIRS)
def test_yaw_follows_the_car(washout):
    for drive in ("gravel", "cross-country", "lane changes"):
        yaw = ridden(washout, drive).scores["perceived"]["haug"]["yaw"]
        assert yaw["correlation"] >= 0.7, drive
        assert yaw["gain"] >= YAW_GAIN[washout[:5]], drive


@pytest.mark.parametrize("washout", PAIRS)
def test_the_limiter_is_seldom_met_and_the_stroke_is_used(washout):
    for drive in SCORED:
        used = ridden(washout, drive).scores["used"]
        assert used["limited_share"] <= 0.02, drive
        assert used["stroke"] <= 1.0
    assert max(ridden(washout, drive).scores["used"]["stroke"] for drive in SCORED) > 0.6


@pytest.mark.parametrize("washout", PAIRS)
def test_not_even_where_nothing_is_spared(washout):
    """Full throttle across the hills, from lock to lock by keys: a fifth to a third of the ticks without the budget of the legs."""
    used = ridden(washout, "no mercy").scores["used"]
    assert used["limited_share"] <= 0.035
    assert used["stroke"] > 0.7, "it moves all the same"


@pytest.mark.parametrize("washout", PAIRS)
def test_nothing_moves_against_the_car(washout):
    found = objective_test(
        partial(build_cueing, washout, PAIRS[washout], 5e-3),
        amplitude=0.25,
        axes=("surge", "sway", "roll", "pitch", "yaw"),
        frequencies=np.array([0.4, 1.0, 2.5, 6.3]),
        settle=15.0,
    )
    for axis in ("surge", "sway", "roll", "pitch", "yaw"):
        assert found.direct(axis).real.min() >= -0.05, axis
