"""Sound of one tire: squeal, rubbing, rolling noise, grains of gravel, mud."""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel
from simulator.sound.signals import BLOCK, RATE, at_share, band_pass, low_pass, next_random, noise_of, one_pole, prewarped

TIRE_VOICE = (
    # name        shape      unit  description
    ("random", (), "1", "state of the random generator", "u8"),
    ("wobble", (), "1", "slow random motion of the frequency of the squeal"),
    ("phase", (), "1", "periods of the tone of the squeal"),
    ("squeal", (2,), "1", "band-pass of the squeal"),
    ("octave", (2,), "1", "band-pass of its octave"),
    ("rub", (2,), "1", "band-pass of rubbing"),
    ("dark", (), "1", "low-pass of rubbing"),
    ("tread", (), "1", "low-pass of the rolling noise"),
    ("tread_twice", (), "1", "second low-pass of the rolling noise"),
    ("slow", (), "1", "low-pass of what is too deep in the rolling noise"),
    ("hum", (2,), "1", "band-pass of the hum of rolling"),
    ("rough", (), "1", "low-pass of the rumble of rough ground"),
    ("rough_twice", (), "1", "second low-pass of the rumble"),
    ("stone", (2,), "1", "band-pass of grains that strike stone"),
    ("sand", (2,), "1", "band-pass of grains that strike sand"),
    ("slop", (), "1", "low-pass that shapes blobs of mud"),
    ("splash", (2,), "1", "band-pass of mud"),
)
"""State of one tire. `random` must not be 0."""
SQUEAL = 0.08
"""Root mean square of the loudest squeal."""
TONE, HISS = 0.8, 0.6
"""Parts of the squeal: the tone of the tread blocks that stick and slip, with its harmonics, and noise of the same pitch."""
NARROW = 0.035
"""Damping of the squeal; its bandwidth is this fraction of its frequency."""


@kernel
def tire_voice(s, i, a, b, out):
    """Add the sound of wheel i to a signal (BLOCK,); s : (wheels,) of TIRE_VOICE, a, b : CONTROLS at begin and end of the block."""
    e, end = s[i], b[0]
    e["random"] = next_random(e["random"])
    before = e["wobble"]
    e["wobble"] += 0.15 * (0.06 * noise_of(e["random"]) - e["wobble"])
    pitch = end["pitch"][i] * (1.0 + e["wobble"])
    squeal_g, octave_g = prewarped(pitch), prewarped(2.02 * pitch)
    loudness = math.sqrt(1.0 / (NARROW * max(pitch, 100.0) / RATE))
    tread = one_pole(250.0 + 26.0 * end["speed"])
    slow, rough, dark = one_pole(95.0), one_pole(170.0), one_pole(2500.0)
    hum, rub, stone, splash, slop = prewarped(820.0), prewarped(1500.0), prewarped(2600.0), prewarped(240.0), one_pole(9.0)
    for j in range(BLOCK):
        t = (j + 1.0) / BLOCK
        e["random"] = next_random(e["random"])
        n = noise_of(e["random"])
        squeal = at_share(a[0]["squeal"][i], end["squeal"][i], t)
        scrub = at_share(a[0]["scrub"][i], end["scrub"][i], t)
        roll = at_share(a[0]["roll"][i], end["roll"][i], t)
        rumble = at_share(a[0]["rumble"][i], end["rumble"][i], t)
        e["phase"] += at_share(a[0]["pitch"][i], end["pitch"][i], t) * (1.0 + at_share(before, e["wobble"], t)) / RATE
        e["phase"] -= math.floor(e["phase"])
        hiss = band_pass(e, "squeal", n, squeal_g, NARROW) + 0.4 * band_pass(e, "octave", n, octave_g, 1.5 * NARROW)
        y = SQUEAL * squeal * (HISS * loudness * hiss + TONE * _tone(e["phase"]))
        y += 0.07 * scrub * low_pass(e, "dark", band_pass(e, "rub", n, rub, 1.1), dark)
        wide = low_pass(e, "tread_twice", low_pass(e, "tread", n, tread), tread)
        y += 0.35 * roll * (wide - low_pass(e, "slow", wide, slow)) + 0.05 * roll * band_pass(e, "hum", n, hum, 0.8)
        y += 0.85 * rumble * low_pass(e, "rough_twice", low_pass(e, "rough", n, rough), rough)
        e["random"] = next_random(e["random"])
        chance = 0.5 * (noise_of(e["random"]) + 1.0)
        grain = 2.2 * n if chance * RATE < at_share(a[0]["grains"][i], end["grains"][i], t) else 0.0
        y += 0.35 * band_pass(e, "stone", grain, stone, 1.4) + 0.25 * band_pass(e, "sand", grain, rub, 1.2)
        blobs = low_pass(e, "slop", n, slop)
        y += 4.0 * at_share(a[0]["mud"][i], end["mud"][i], t) * min(0.1, abs(blobs)) * band_pass(e, "splash", 3.0 * n, splash, 1.0)
        out[j] += y


@inline
def _tone(turns):
    """Return the tone of a squeal after a number of periods: four harmonics that fall by 6 dB per octave."""
    angle, y = 2.0 * math.pi * turns, 0.0
    for k in range(1, 5):
        y += math.sin(k * angle) / k
    return y
