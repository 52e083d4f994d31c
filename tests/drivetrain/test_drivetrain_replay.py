"""Does the comparison drivetrain turn the recorded wheel speeds into the recorded engine speed, gears and torque?"""

import numpy as np
import pytest
from drivetrain_rig import CORNERS, Bench, reference, step

from simulator.base.jit import kernel
from vehicles.brakes import brakes
from vehicles.drivetrain import drivetrain

MADE_OF = (brakes, drivetrain)
"""Modules that `step` of the rig uses. The cache of a kernel follows imports of modules only: without these it would keep old kernels."""

INERTIA = 1e9
"""kg m2. Wheels so heavy that they follow the recorded speeds whatever the drivetrain does."""


@kernel
def replay(rig, throttle, recorded, rows):
    """Prescribe a Rig the wheel speeds `recorded` (n, 4) at 100 Hz, linear in between, ten steps each; outputs into `rows` (n - 1, 3)."""
    for k in range(recorded.shape[0] - 1):
        rig.command[0]["throttle"] = throttle[k]
        for j in range(10):
            for i in range(4):
                rise = recorded[k + 1, i] - recorded[k, i]
                rig.hubs.spin[i] = recorded[k, i] + rise * j / 10.0
                rig.hubs.moment[i] = rig.hubs.inertia[i] * rise / 0.01
            step(rig, 1e-3)
        out = rig.out[0]
        rows[k, 0], rows[k, 1], rows[k, 2] = out["engine_speed"], out["driveshaft_torque"], out["gear"]


@pytest.fixture(scope="module")
def compared():
    recorded = reference()
    spins = np.stack([recorded["omega_" + corner] for corner in CORNERS], axis=1)
    bench = Bench("hmmwv_chrono", 1, spins[0])
    rows = np.zeros((len(spins) - 1, 3))
    bench.inertia[:] = INERTIA
    replay(bench.rig, recorded["throttle"], spins, rows)
    after = recorded["t"][1:] > 2.0
    expected = np.stack([recorded[name][1:] for name in ("engine_speed", "driveshaft_torque", "gear")], axis=1)
    return recorded["t"][1:][after], rows[after], expected[after]


def test_gears_change_in_the_same_sample(compared):
    _, ours, expected = compared
    np.testing.assert_array_equal(ours[:, 2], expected[:, 2])
    assert set(expected[:, 2]) == {1.0, 2.0, 3.0}


def test_engine_speed_follows_within_two_tenths_of_a_percent(compared):
    _, ours, expected = compared
    difference = ours[:, 0] - expected[:, 0]
    assert np.sqrt(np.mean(difference**2)) < 0.002 * expected[:, 0].max()


def test_driveshaft_torque_follows_away_from_the_shifts(compared):
    """The recording hands the torque over with one step's delay, so the impulse of a shift comes over some 10 ms, ours in one step."""
    time, ours, expected = compared
    shifts = time[1:][np.diff(expected[:, 2]) != 0]
    steady = np.all([(time < at) | (time > at + 0.06) for at in shifts], axis=0)
    difference = (ours - expected)[steady, 1]
    assert np.sqrt(np.mean(difference**2)) < 0.015 * expected[:, 1].max()
    assert np.abs(difference).max() < 0.07 * expected[:, 1].max()


def test_inertias_of_the_file_are_those_of_the_recording():
    """With the crankshaft's own 1.1 kg m2 the first 100 ms would take three times as long: the comment in the file rests on this."""
    recorded = reference()
    k = (recorded["t"] > 2.015) & (recorded["t"] < 2.065)
    acceleration = np.polyfit(recorded["t"][k], recorded["engine_speed"][k], 1)[0]
    p = Bench("hmmwv_chrono").p[0]
    inertia = recorded["engine_torque"][k].mean() / acceleration
    assert inertia == pytest.approx(p["engine_inertia"] + p["impeller_inertia"], rel=0.05)
