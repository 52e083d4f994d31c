"""Sound of gears, turbocharger, electric motors and starter: tones whose phases follow the turns of the shafts and are never reset."""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel
from simulator.sound.signals import BLOCK, RATE, at_share, band_pass, next_random, noise_of, prewarped

DRIVELINE_VOICE = (
    # name        shape      unit  description
    ("input", (), "1", "turns of the tone of the gears at the input"),
    ("ring", (), "1", "turns of the tone of the final drive"),
    ("turbo", (), "1", "turns of the tone of the turbocharger"),
    ("motor", (), "1", "turns of the tone of the poles of an electric motor"),
    ("motor_mesh", (), "1", "turns of the tone of its gear"),
    ("starter", (), "1", "turns of the tone of the starter"),
    ("compression", (), "1", "turns of the engine's compressions, which slow the starter"),
    ("strength", (), "1", "strength of the starter"),
    ("random", (), "1", "state of the random generator", "u8"),
    ("hiss", (2,), "1", "band-pass of the air in the turbocharger"),
)
"""State of the tones. `random` must not be 0."""
TAU = 2.0 * math.pi


@kernel
def driveline_voice(p, s, a, b, gears, bay):
    """Add the whine of gears and motors to one signal, and turbocharger and starter to that of the engine bay, (BLOCK,) each.

    p : VEHICLE_SOUND, s : DRIVELINE_VOICE, a, b : CONTROLS at the begin and at the end of the block
    """
    q, e = p[0], s[0]
    hiss = prewarped(5200.0)
    for i in range(BLOCK):
        t = (i + 1.0) / BLOCK
        e["random"] = next_random(e["random"])
        n = noise_of(e["random"])
        whine = at_share(a[0]["input_load"], b[0]["input_load"], t) * _tone(e, "input", _rate(a, b, "input_rate", t) * q["input_teeth"])
        whine += at_share(a[0]["ring_load"], b[0]["ring_load"], t) * _tone(e, "ring", _rate(a, b, "ring_rate", t) * q["ring_teeth"])
        gears[i] += 0.022 * whine
        if q["pole_pairs"] > 0:
            turns = _rate(a, b, "motor_rate", t)
            pull = at_share(a[0]["ring_load"], b[0]["ring_load"], t)
            gears[i] += (
                0.035 * pull * (_tone(e, "motor", 6.0 * q["pole_pairs"] * turns) + 0.6 * _tone(e, "motor_mesh", q["input_teeth"] * turns))
            )
        if q["turbo_speed"] > 0.0:
            turns = _rate(a, b, "turbo_rate", t)
            spun = min(1.0, turns * TAU / q["turbo_speed"])
            air = band_pass(e, "hiss", n, hiss, 1.0)
            bay[i] += spun * spun * (0.050 * _tone(e, "turbo", turns) + 0.05 * air * at_share(a[0]["load"], b[0]["load"], t))
        e["strength"] += 0.0008 * (at_share(a[0]["crank"], b[0]["crank"], t) - e["strength"])
        if e["strength"] > 1e-4:
            turns = _rate(a, b, "engine_rate", t)
            squeeze = 1.0 + 0.5 * math.sin(TAU * _turned(e, "compression", turns * q["cylinders"] / max(q["turns"], 1.0)))
            bay[i] += e["strength"] * squeeze * (0.07 * _tone(e, "starter", turns * q["starter_teeth"]) + 0.03 * n)


@inline
def _rate(a, b, name, t):
    return at_share(a[0][name], b[0][name], t)


@inline
def _turned(e, tone, frequency):
    """Advance a tone, a field of the state, by one sample and return its turns."""
    e[tone] += frequency / RATE
    e[tone] -= math.floor(e[tone])
    return e[tone]


@inline
def _tone(e, tone, frequency):
    """Return the next sample of a tone, a field of the state, with its octave; it fades above 9 kHz, before it would fold back."""
    angle = TAU * _turned(e, tone, frequency)
    heard = max(0.0, 1.0 - frequency / 9000.0)
    return heard * (math.sin(angle) + 0.35 * math.sin(2.0 * angle) * max(0.0, 1.0 - frequency / 5000.0))
