"""Sound of wind, rain, hits and horn."""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel
from simulator.sound.signals import BLOCK, RATE, at_share, band_pass, low_pass, next_random, noise_of, one_pole, prewarped
from vehicles.sound_section import MAX_WHEELS

MODES = 8
MODE_FREQUENCY = (62.0, 118.0, 205.0, 330.0, 560.0, 910.0, 1480.0, 2350.0)
"""Hz. Modes of the body of a vehicle; the first four sound when a suspension stop hits."""
MODE_TIME = (0.090, 0.075, 0.070, 0.060, 0.050, 0.040, 0.030, 0.020)
"""s. Time constants of their decay."""
TURBULENT, CRASH_TIME = 0.35, 0.16
STRIKE = 96
"""Samples of a strike, 2 ms, half a wave of a sine."""
HARMONICS = 8
OTHER_VOICES = (
    # name        shape         unit  description
    ("random", (), "1", "state of the random generator", "u8"),
    ("deep", (), "1", "low-pass of the deep wind"),
    ("deep_twice", (), "1", "second low-pass of the deep wind"),
    ("high", (), "1", "low-pass of the high wind"),
    ("tap", (2,), "1", "band-pass of a drop on glass"),
    ("drum", (2,), "1", "band-pass of a drop on sheet metal"),
    ("metal", (2,), "1", "band-pass of the noise of a hit"),
    ("rub", (2,), "1", "band-pass of scraping"),
    ("mode", (MODES, 2), "1", "last two values of each mode"),
    ("gust", (), "1", "slow random change of the wind"),
    ("crash", (), "1", "envelope of the noise of a hit"),
    ("crash_smooth", (), "1", "smooth copy of the envelope"),
    ("phase", (2,), "1", "turns of the two horns"),
    ("pressed", (), "1", "strength of the horn"),
)
"""State of wind, rain, hits and horn. `random` must not be 0."""
TAU = 2.0 * math.pi
_DECAY = tuple(math.exp(-1.0 / (time * RATE)) for time in MODE_TIME)
_TURN = tuple(2.0 * math.cos(2.0 * math.pi * f / RATE) * d for f, d in zip(MODE_FREQUENCY, _DECAY, strict=True))
_GAIN = tuple(math.sin(2.0 * math.pi * f / RATE) for f in MODE_FREQUENCY)


@kernel
def wind_voice(s, a, b, out):
    """Add the wind of the vehicle's motion to a signal (BLOCK,): louder with the square of the speed, brighter with the speed."""
    e, v = s[0], b[0]["speed"]
    e["random"] = next_random(e["random"])
    e["gust"] += 0.04 * (noise_of(e["random"]) - e["gust"])
    deep, high = one_pole(60.0 + 9.0 * v), one_pole(250.0 + 55.0 * v)
    for i in range(BLOCK):
        x = at_share(a[0]["speed"], v, (i + 1.0) / BLOCK) / 40.0
        e["random"] = next_random(e["random"])
        n = noise_of(e["random"])
        air = 1.3 * low_pass(e, "deep_twice", low_pass(e, "deep", n, deep), deep) + 0.35 * low_pass(e, "high", n, high)
        out[i] += 0.30 * min(2.0, x * x) * (1.0 + TURBULENT * e["gust"]) * air


@kernel
def rain_voice(s, a, b, out):
    """Add drops of rain on the vehicle to a signal (BLOCK,)."""
    e = s[0]
    if a[0]["drops"] == 0.0 and b[0]["drops"] == 0.0:
        return
    drum, tap = prewarped(900.0), prewarped(3600.0)
    for i in range(BLOCK):
        drops = at_share(a[0]["drops"], b[0]["drops"], (i + 1.0) / BLOCK)
        e["random"] = next_random(e["random"])
        chance = 0.5 * (noise_of(e["random"]) + 1.0)
        e["random"] = next_random(e["random"])
        n = noise_of(e["random"])
        drop = n * abs(n) if chance * RATE < drops else 0.0
        out[i] += 0.30 * band_pass(e, "tap", drop, tap, 0.9) + 0.16 * band_pass(e, "drum", drop, drum, 0.5)


@kernel
def hit_voice(s, b, out):
    """Add the hits of suspension stops and body, and the scraping of the body, to a signal (BLOCK,)."""
    e = s[0]
    stop = 0.0
    for i in range(MAX_WHEELS):
        stop += b[0]["stop"][i]
    hit = b[0]["hit"]
    e["crash"] += min(1.5, hit)
    decay = math.exp(-1.0 / (CRASH_TIME * RATE))
    metal, rub = prewarped(1900.0), prewarped(1100.0)
    for i in range(BLOCK):
        strike = math.sin(math.pi * (i + 1.0) / STRIKE) if i < STRIKE else 0.0
        e["random"] = next_random(e["random"])
        n = noise_of(e["random"])
        y = 0.0
        for k in range(MODES):
            soft = stop if k < 4 else 0.0
            y += _ring(e, k, strike * (0.02 * soft + 0.04 * hit))
        e["crash"] *= decay
        e["crash_smooth"] += 0.02 * (e["crash"] - e["crash_smooth"])
        y += 0.5 * e["crash_smooth"] * band_pass(e, "metal", n, metal, 1.6)
        out[i] += y + 0.22 * b[0]["scrape"] * band_pass(e, "rub", n, rub, 1.0)


@inline
def _ring(e, k, x):
    """Return the next value of mode k, excited by x: a decaying oscillation."""
    y = _TURN[k] * e["mode"][k, 0] - _DECAY[k] * _DECAY[k] * e["mode"][k, 1] + _GAIN[k] * x
    e["mode"][k, 1], e["mode"][k, 0] = e["mode"][k, 0], y
    return y


@kernel
def horn_voice(p, s, a, b, out):
    """Add the two horns to a signal (BLOCK,); p : VEHICLE_SOUND."""
    e = s[0]
    if a[0]["horn"] == 0.0 and b[0]["horn"] == 0.0 and e["pressed"] < 1e-5:
        return
    for i in range(BLOCK):
        e["pressed"] += 0.0025 * (b[0]["horn"] - e["pressed"])
        y = 0.0
        for k in range(2):
            e["phase"][k] += p[0]["horn"][k] / RATE
            e["phase"][k] -= math.floor(e["phase"][k])
            for j in range(1, HARMONICS + 1):
                y += math.sin(TAU * j * e["phase"][k]) / (1.0 + 0.6 * abs(j - 3.0))
        out[i] += 0.10 * e["pressed"] * y
