"""Sound of a combustion engine: a pulse of pressure at the crank angle at which each cylinder fires, through the pipes of exhaust and intake.

The crank angle is never reset, and a cylinder changes its strength only between two pulses, so that no click arises. The orders of the
engine follow from the firing angles: with even intervals the lowest strong one is the rate of firing, cylinders / 2 per turn in four
strokes. The steep front of a pulse, which the muffler attenuates less, adds orders up to 5 kHz. Uneven intervals in one pipe, and
differences between cylinders, add the half orders by which a V8 is recognized.
"""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel
from simulator.sound.signals import BLOCK, PIPE, RATE, at_share, band_pass, low_pass, next_random, noise_of, one_pole, pipe, prewarped
from vehicles.sound_section import MAX_CYLINDERS

ENGINE_VOICE = (
    # name         shape                unit     description
    ("phase", (), "1", "fraction of the working cycle that has passed"),
    ("angle", (MAX_CYLINDERS,), "1", "fraction of the cycle since each cylinder fired"),
    ("strength", (MAX_CYLINDERS,), "1", "strength of the present pulse of each cylinder"),
    ("random", (), "1", "state of the random generator", "u8"),
    ("line", (3, PIPE), "1", "delay lines: two exhaust pipes, intake"),
    ("tail", (1, PIPE), "1", "delay line of the tailpipe"),
    ("at", (), "1", "place of the present sample in the delay lines", "i8"),
    ("muffled", (), "1", "low-pass of the muffler"),
    ("muffled_twice", (), "1", "second low-pass of the muffler"),
    ("leak", (), "1", "low-pass of what the muffler lets through"),
    ("exhaust_mean", (), "1", "low-pass of the mean flow out of the exhaust"),
    ("intake_mean", (), "1", "low-pass of the mean flow into the intake"),
    ("intake_dull", (), "1", "low-pass of the air filter"),
    ("pulse_mean", (), "1", "low-pass of the mean of the pulses"),
    ("block", (2,), "1", "band-pass of the engine block"),
    ("knock", (), "1", "envelope of the knock of combustion"),
    ("knock_smooth", (), "1", "its smooth copy"),
    ("rattle", (2,), "1", "band-pass of the knock"),
    ("rattle_high", (2,), "1", "band-pass of its high part"),
    ("valves", (2,), "1", "band-pass of the valve train"),
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
FRONT = 6.5e-5
"""s. Rise time of the front of a pulse; its spectrum falls above 1 / (2 pi FRONT), 2.4 kHz."""
QUIET_FRONT = 0.25
"""Height of the fronts without load, over that under full load."""
FRONT_EXHAUST, FRONT_BAY = 0.55, 0.22
"""Loudness of the fronts out of the exhaust, and through block and intake."""
SLOW_REVS, FAST_REVS = 0.75, 1.3
"""Loudness of the exhaust at rest and at the highest speed of the engine."""
MEAN = 18.0
"""Hz. What is below is flow and no sound."""
KNOCK_DECAY = math.exp(-1.0 / (0.0022 * RATE))
"""Decay of the knock in a sample: a time constant of 2.2 ms."""


@kernel
def engine_voice(p, s, a, b, bay, exhaust):
    """Add the sound of the engine to the signals of the engine bay and of the exhaust, (BLOCK,) each.

    p : VEHICLE_SOUND, s : ENGINE_VOICE, a, b : CONTROLS at the begin and at the end of the block
    """
    q, e = p[0], s[0]
    if q["cylinders"] == 0:
        return
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
        spread, front = SPREAD + (SPREAD_OVERRUN - SPREAD) * overrun, q["turns"] / max(rate, 0.1) / FRONT
        first, second, breath, fronts = _pulses(q, e, firing, load, fire * (1.0 - overrun), spread, front)
        e["random"] = next_random(e["random"])
        n = noise_of(e["random"])
        fronts *= at_share(QUIET_FRONT, 1.0, load) * (1.0 + 0.2 * n)
        revs = min(1.0, rate * 6.283 / q["top_speed"])
        flow = at_share(SLOW_REVS, FAST_REVS, revs) * _exhaust(q, e, first, second, n, fronts)
        intake = _intake(q, e, breath * (0.15 + 0.85 * max(throttle, load)))
        e["at"] = e["at"] + 1 if e["at"] + 1 < PIPE else 0
        exhaust[i] += q["loudness"] * 0.62 * flow
        body, rattle, valves = _block(q, e, first + second, n, revs, turning)
        bay[i] += q["loudness"] * (0.20 * intake + 0.35 * body + FRONT_BAY * fronts + (0.55 * q["knocks"] + 0.08) * rattle + valves)


@inline
def _exhaust(q, e, first, second, n, fronts):
    """Return the sound of the flow through two pipes, the tailpipe with noise n, and the muffler, which the fronts pass."""
    manifold, tailpipe = 2.0 * q["exhaust_lengths"][0] / EXHAUST_SOUND * RATE, 2.0 * q["exhaust_lengths"][1] / EXHAUST_SOUND * RATE
    muffler, at = one_pole(q["muffler"]), e["at"]
    flow = pipe(e["line"], 0, at, first, manifold, -0.55) + pipe(e["line"], 1, at, second, 1.12 * manifold, -0.55)
    flow = pipe(e["tail"], 0, at, flow, tailpipe, -0.5) * (1.0 + 0.25 * n)
    muffled = low_pass(e, "muffled_twice", low_pass(e, "muffled", flow, muffler), muffler)
    flow = muffled + 0.10 * low_pass(e, "leak", flow, 4.0 * muffler) + FRONT_EXHAUST * fronts
    return flow - low_pass(e, "exhaust_mean", flow, one_pole(MEAN))


@inline
def _intake(q, e, breath):
    """Return the sound of the flow into the intake, behind the air filter."""
    delay = 2.0 * q["intake_length"] / INTAKE_SOUND * RATE
    flow = pipe(e["line"], 2, e["at"], breath, delay, -0.6)
    return low_pass(e, "intake_dull", flow - low_pass(e, "intake_mean", flow, one_pole(MEAN)), 0.12)


@inline
def _block(q, e, pulses, n, revs, turning):
    """Return the sounds of the block under the pulses of all cylinders, of the knock of combustion and of the valves; n: noise, revs: 0 to 1."""
    e["knock"] *= KNOCK_DECAY
    e["knock_smooth"] += 0.12 * (e["knock"] - e["knock_smooth"])
    knock = n * e["knock_smooth"]
    rattle = band_pass(e, "rattle", knock, prewarped(1350.0), 0.5) + 0.6 * band_pass(e, "rattle_high", knock, prewarped(2900.0), 0.7)
    valves = band_pass(e, "valves", n, prewarped(900.0), 0.8) * turning * (0.012 + 0.05 * revs * revs)
    body = band_pass(e, "block", pulses - low_pass(e, "pulse_mean", pulses, one_pole(MEAN)), prewarped(420.0), 1.2)
    return body, rattle, valves


@inline
def _pulses(q, e, firing, load, burns, spread, front):
    """Return the flow into both exhaust pipes and into the intake, and the fronts of the pulses, whose rise time is 1 / front of a cycle.

    A cylinder that passes its firing angle takes a new strength.
    """
    first, second, breath, fronts = 0.0, 0.0, 0.0, 0.0
    width = 0.030 - 0.012 * load
    for k in range(q["cylinders"]):
        u = e["phase"] - q["fires"][k]
        if u < 0.0:
            u += 1.0
        if u < e["angle"][k]:
            e["random"] = next_random(e["random"])
            e["strength"][k] = 1.0 + spread * noise_of(e["random"]) + UNEQUAL * math.sin(2.4 * k)
            e["knock"] += burns * e["strength"][k] * (0.5 + 0.5 * load)
        e["angle"][k] = u
        x = u / width
        if x < 16.0:
            puff = firing * e["strength"][k] * x * math.exp(1.0 - x)
            if q["pipe"][k] == 0:
                first += puff
            else:
                second += puff
        z = u * front
        if z < 16.0:
            fronts += firing * e["strength"][k] * z * math.exp(1.0 - z)
        y = (u - 0.5 if u >= 0.5 else u + 0.5) / 0.06
        if y < 16.0:
            breath -= e["strength"][k] * y * math.exp(1.0 - y)
    return first, second, breath, fronts
