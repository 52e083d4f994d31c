"""Sound of a combustion engine: a pulse of pressure at the crank angle at which each cylinder fires, through the pipes of exhaust and intake.

The crank angle is never reset, and a cylinder changes its strength only between two pulses, so that no click arises. The orders of the
engine follow from the firing angles: with even intervals the lowest strong one is the rate of firing, cylinders / 2 per turn in four
strokes. Uneven intervals in one pipe, and differences between cylinders, add the half orders by which a V8 is recognized.
"""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel
from simulator.sound.signals import BLOCK, PIPE, RATE, at_share, band_pass, low_pass, next_random, noise_of, one_pole, pipe, prewarped
from vehicles.sound_section import MOST_CYLINDERS

ENGINE_VOICE = (
    # name         shape                unit     description
    ("phase", (), "1", "fraction of the working cycle that has passed"),
    ("angle", (MOST_CYLINDERS,), "1", "fraction of the cycle since each cylinder fired"),
    ("strength", (MOST_CYLINDERS,), "1", "strength of the present pulse of each cylinder"),
    ("random", (), "1", "state of the random generator", "u8"),
    ("line", (3, PIPE), "1", "delay lines: two exhaust pipes, intake"),
    ("tail", (1, PIPE), "1", "delay line of the tailpipe"),
    ("at", (), "1", "place of the present sample in the delay lines", "i8"),
    ("knock", (2,), "1", "envelope of the knock of combustion, and its smooth copy"),
    ("low", (8,), "1", "states of the low-passes"),
    ("band", (4, 2), "1", "states of the band-passes"),
)
"""State of the engine. `random` must not be 0."""
EXHAUST_SOUND, INTAKE_SOUND = 520.0, 345.0
"""m/s. Speeds of sound in hot exhaust gas and in air."""
SPREAD, SPREAD_OVERRUN = 0.035, 0.14
"""Differences from pulse to pulse under load and on the overrun, relative."""
UNEQUAL = 0.06
"""Differences between the cylinders, relative: pipes and valves are not equal."""
MOTORED = 0.10
"""Strength of a cylinder that does not fire, relative to full load."""
IDLING = 0.26
"""Strength at idle."""


@kernel
def engine_voice(p, s, a, b, bay, exhaust):
    """Add the sound of the engine to the signals of the engine bay and of the exhaust, (BLOCK,) each.

    p : VEHICLE_SOUND, s : ENGINE_VOICE, a, b : CONTROLS at the begin and at the end of the block
    """
    q, e = p[0], s[0]
    if q["cylinders"] == 0:
        return
    delay_0 = 2.0 * q["exhaust_lengths"][0] / EXHAUST_SOUND * RATE
    delay_1 = 2.0 * q["exhaust_lengths"][1] / EXHAUST_SOUND * RATE
    delay_in = 2.0 * q["intake_length"] / INTAKE_SOUND * RATE
    muffler, mean = one_pole(q["muffler"]), one_pole(18.0)
    hiss, block, knock_0, knock_1 = prewarped(900.0), prewarped(420.0), prewarped(1350.0), prewarped(2900.0)
    decay = math.exp(-1.0 / (0.0022 * RATE))
    for i in range(BLOCK):
        t = (i + 1.0) / BLOCK
        rate = at_share(a[0]["engine_rate"], b[0]["engine_rate"], t)
        load = at_share(a[0]["load"], b[0]["load"], t)
        fire = at_share(a[0]["fire"], b[0]["fire"], t)
        overrun = at_share(a[0]["overrun"], b[0]["overrun"], t)
        throttle = at_share(a[0]["throttle"], b[0]["throttle"], t)
        turning = min(1.0, rate / 3.0)
        e["phase"] += rate / (q["turns"] * RATE)
        e["phase"] -= math.floor(e["phase"])
        firing = fire * (1.0 - 0.8 * overrun) * at_share(IDLING, 1.0, load) + turning * MOTORED
        first, second, breath = _pulses(q, e, firing, load, fire * (1.0 - overrun), SPREAD + (SPREAD_OVERRUN - SPREAD) * overrun)
        e["random"] = next_random(e["random"])
        n = noise_of(e["random"])
        at = e["at"]
        flow = pipe(e["line"], 0, at, first, delay_0, -0.55) + pipe(e["line"], 1, at, second, 1.12 * delay_0, -0.55)
        flow = pipe(e["tail"], 0, at, flow, delay_1, -0.5) * (1.0 + 0.25 * n)
        intake = pipe(e["line"], 2, at, breath * (0.15 + 0.85 * max(throttle, load)), delay_in, -0.6)
        e["at"] = at + 1 if at + 1 < PIPE else 0
        flow = low_pass(e["low"], 1, low_pass(e["low"], 0, flow, muffler), muffler) + 0.10 * low_pass(e["low"], 2, flow, 4.0 * muffler)
        exhaust[i] += q["loudness"] * 0.62 * (flow - low_pass(e["low"], 3, flow, mean))
        e["knock"][0] *= decay
        e["knock"][1] += 0.12 * (e["knock"][0] - e["knock"][1])
        rattle = band_pass(e["band"], 0, n * e["knock"][1], knock_0, 0.5) + 0.6 * band_pass(e["band"], 1, n * e["knock"][1], knock_1, 0.7)
        revs = min(1.0, rate * 6.283 / q["top_speed"])
        valves = band_pass(e["band"], 2, n, hiss, 0.8) * turning * (0.012 + 0.05 * revs * revs)
        body = band_pass(e["band"], 3, first + second - low_pass(e["low"], 4, first + second, mean), block, 1.2)
        intake = intake - low_pass(e["low"], 5, intake, mean)
        bay[i] += q["loudness"] * (0.20 * low_pass(e["low"], 6, intake, 0.12) + 0.35 * body + (0.55 * q["knocks"] + 0.08) * rattle + valves)


@inline
def _pulses(q, e, firing, load, burns, spread):
    """Return the flow into both exhaust pipes and into the intake; a cylinder that passes its firing angle takes a new strength."""
    first, second, breath = 0.0, 0.0, 0.0
    width = 0.030 - 0.012 * load
    for k in range(q["cylinders"]):
        u = e["phase"] - q["fires"][k]
        if u < 0.0:
            u += 1.0
        if u < e["angle"][k]:
            e["random"] = next_random(e["random"])
            e["strength"][k] = 1.0 + spread * noise_of(e["random"]) + UNEQUAL * math.sin(2.4 * k)
            e["knock"][0] += burns * e["strength"][k] * (0.5 + 0.5 * load)
        e["angle"][k] = u
        x = u / width
        if x < 16.0:
            puff = firing * e["strength"][k] * x * math.exp(1.0 - x)
            if q["pipe"][k] == 0:
                first += puff
            else:
                second += puff
        y = (u - 0.5 if u >= 0.5 else u + 0.5) / 0.06
        if y < 16.0:
            breath -= e["strength"][k] * y * math.exp(1.0 - y)
    return first, second, breath
