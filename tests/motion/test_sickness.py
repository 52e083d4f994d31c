"""Is the motion sickness dose that of ISO 2631-1?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from cueing_scenes import REST, STILL, G, H, cueing

from simulator.base.jit import kernel
from simulator.base.records import record
from simulator.maneuvers.signal_processing import weighted
from washout.motion_sickness import CAB, CAR, SICKNESS, WEIGHTING, dose_step, weighting

FACTORS = {
    0.02: 24.2,
    0.04: 97.1,
    0.063: 267,
    0.1: 695,
    0.125: 895,
    0.16: 1006,
    0.2: 992,
    0.25: 854,
    0.315: 619,
    0.4: 384,
    0.5: 224,
    1.0: 23.5,
    2.0: 1.55,
}
"""Thousandths at Hz: rows of table 3 of ISO 2631-1:1997 (as MATLAB scripts of others carry it), for a sine of amplitude 1."""


@kernel
def _doses(p, s, car, cab, h):
    for k in range(len(car)):
        dose_step(p, s, car[k], cab[k], h)


def dosed(car, h=H, cab=None):
    """SICKNESS after the vertical accelerations car (n,), by default those of the rider too [m/s2]."""
    p, s = record((*WEIGHTING, ("gravity", (), "m/s2", ""))), record(SICKNESS)
    p[0]["gravity"] = G
    weighting(p, h)
    zero = np.zeros(len(car))
    column = lambda a: np.column_stack([zero, zero, G + a])  # noqa: E731
    _doses(p, s, column(car), column(car if cab is None else cab), h)
    return s


@pytest.mark.parametrize("h", [1e-3, 1e-2])
def test_a_sine_is_weighted_as_the_table_of_the_standard_has_it(h):
    for f, factor in FACTORS.items():
        settle, periods = 60.0, 12 / f
        t = np.arange(round((settle + periods) / h)) * h
        a = np.sin(2.0 * math.pi * f * t)
        before, after = (float(dosed(a[: round(end / h)], h)[0]["wf_dose"][CAR]) for end in (settle, settle + periods))
        magnitude = math.sqrt(2.0 * (after - before) / periods)
        assert magnitude == pytest.approx(factor / 1000.0, rel=0.012), f


def test_the_dose_is_that_of_the_weighting_by_the_spectrum():
    """A rough drive, weighted by the analog response over the frequencies of the whole record, which knows no ticks."""
    rng = np.random.default_rng(4)
    t = np.arange(60000) * H
    a = sum(rng.normal() * np.sin(2.0 * math.pi * f * t + rng.uniform(0.0, 6.0)) for f in np.geomspace(0.06, 4.0, 30)) * np.minimum(
        t / 8.0, 1.0
    )
    a -= a.mean()
    s = dosed(a, cab=2.0 * a)[0]["wf_dose"]
    assert math.sqrt(s[CAR]) == pytest.approx(math.sqrt(float(np.sum(weighted(a, H, "Wf") ** 2)) * H), rel=0.01)
    assert s[CAB] == pytest.approx(4.0 * s[CAR])


def test_no_sickness_at_rest_on_a_slope_or_from_nan():
    assert dosed(np.full(20000, -0.7))[0]["wf_dose"] == pytest.approx(np.zeros(2), abs=1e-20)
    assert dosed(np.full(200, math.nan))[0]["wf_dose"] == pytest.approx(np.zeros(2))
    assert np.isfinite(dosed(np.array([0.0, math.inf, -1e300, 1e300]))[0]["wf_dose"]).all()


def test_the_rider_gets_the_dose_of_the_platform_and_the_driver_that_of_the_car():
    motion = cueing()
    motion.procedure.arm()
    for k in range(25000):
        motion.step(REST + [0.0, 0.0, math.sin(2.0 * math.pi * 0.2 * k * H)], STILL, True, H)
    motion.monitor.update(REST, STILL)
    dose = motion.monitor.live[0]
    assert dose["car_sickness_dose"] == pytest.approx(0.992 * math.sqrt(25.0 / 2.0), rel=0.15)
    assert 0.01 < dose["cab_sickness_dose"] < 0.4 * dose["car_sickness_dose"], "a small hexapod cannot heave so slowly"
    before = float(dose["car_sickness_dose"])
    motion.reset()
    motion.step(REST + [0.0, 0.0, 5.0], STILL, True, H)
    motion.monitor.update(REST, STILL)
    assert motion.monitor.live[0]["car_sickness_dose"] == before, "being put elsewhere is no motion"
    motion.monitor.begin_dose()
    motion.monitor.update(REST, STILL)
    assert motion.monitor.live[0]["car_sickness_dose"] == motion.monitor.live[0]["cab_sickness_dose"] == 0.0
