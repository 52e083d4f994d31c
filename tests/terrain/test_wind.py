"""Wind and gusts: strength, spectrum, divergence, advection, reproducibility."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simulator.base.jit import kernel
from terrain.wind import WAVES, air_velocity, moving_air, still_air

SPEED, LENGTH = 3.0, 40.0
FIELDS = [moving_air((0.0, 0.0, 0.0), {"speed": SPEED, "length": LENGTH, "seed": seed}) for seed in range(60)]


@kernel
def along_a_line(air, start, step, t, out):
    """Return velocities (n, 3) at start + i step, time t."""
    for i in range(len(out)):
        p = (start[0] + i * step[0], start[1] + i * step[1], start[2] + i * step[2])
        out[i] = air_velocity(air, p, t)


def line(air, step, n=4000, t=0.0, start=(0.0, 0.0, 1.0)):
    out = np.empty((n, 3))
    along_a_line(air, np.array(start), np.array(step), t, out)
    return out


def test_still_air_and_wind_are_uniform():
    assert (line(still_air(), (1.0, 2.0, 0.0), 5) == 0.0).all()
    assert (line(moving_air((4.0, -3.0, 0.5)), (1.0, 2.0, 0.0), 5, 7.0) == (4.0, -3.0, 0.5)).all()


def test_gusts_have_the_requested_strength():
    """Check both horizontal components over many fields; the vertical one is zero."""
    energy = np.mean([0.5 * (field[0]["gust"] ** 2).sum(axis=0) for field in FIELDS], axis=0)
    assert np.sqrt(energy) == pytest.approx((SPEED, SPEED), rel=0.03)
    seen = np.concatenate([line(field, (7.1, 3.3, 0.0), 2000) for field in FIELDS[:20]])
    assert seen[:, :2].std(axis=0) == pytest.approx((SPEED, SPEED), rel=0.12) and (seen[:, 2] == 0.0).all()


def test_waves_have_no_divergence_except_for_the_omitted_component():
    """Amplitudes are normal to the wave vectors."""
    wave, gust = FIELDS[0][0]["wave"], FIELDS[0][0]["gust"]
    up = -(gust * wave[:, :2]).sum(axis=1) / wave[:, 2]  # omitted component that makes the wave free of divergence
    whole = np.sqrt((gust**2).sum(axis=1) + up**2)
    energies = np.array([0.5 * np.sqrt((f[0]["gust"] ** 2).sum()) for f in FIELDS])
    assert np.isfinite(whole).all() and (0.25 * whole**2).sum() == pytest.approx(1.5 * SPEED**2, rel=1e-9) and energies.std() > 0.0


@pytest.mark.parametrize("across", [False, True])
def test_octaves_along_a_line_are_those_of_von_karman(across):
    """Longitudinal 2 s^2 L / pi / (1 + (1.339 L k)^2)^(5/6), lateral with (1 + 8/3 (1.339 L k)^2) / 2 over the power 11/6: one-sided in k."""
    spacing, n = 1.0, 8192
    window = np.hanning(n)
    k = 2.0 * math.pi * np.fft.rfftfreq(n, spacing)
    power = np.mean([np.abs(np.fft.rfft(window * line(f, (spacing, 0.0, 0.0), n)[:, int(across)])) ** 2 for f in FIELDS], axis=0)
    power *= 2.0 * spacing / (2.0 * math.pi * (window**2).sum())
    x2 = (1.339 * LENGTH * k) ** 2
    expected = (
        2.0
        * SPEED**2
        * LENGTH
        / math.pi
        * ((1.0 + 8.0 / 3.0 * x2) / 2.0 / (1.0 + x2) ** (11.0 / 6.0) if across else (1.0 + x2) ** (-5.0 / 6.0))
    )
    for low in (0.02, 0.04, 0.08, 0.16, 0.32, 0.64):
        band = (k >= low) & (k < 2.0 * low)
        assert power[band].mean() == pytest.approx(expected[band].mean(), rel=0.30), low


def test_gusts_move_with_the_wind():
    wind = (5.0, -2.0, 0.0)
    field = moving_air(wind, {"speed": SPEED, "length": LENGTH, "seed": 3})
    still = line(field, (1.0, 0.0, 0.0), 50, 0.0)
    later = line(field, (1.0, 0.0, 0.0), 50, 2.0, start=(10.0, -4.0, 1.0))
    assert later == pytest.approx(still, abs=1e-9) and still[:, 0].mean() != pytest.approx(5.0, abs=1e-3)


def test_a_seed_is_a_field():
    one, same, other = (moving_air((0.0, 0.0, 0.0), {"speed": 1.0, "length": 60.0, "seed": seed}) for seed in (4, 4, 5))
    assert one.tobytes() == same.tobytes() != other.tobytes() and one[0]["waves"] == WAVES
