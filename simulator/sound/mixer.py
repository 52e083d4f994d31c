"""Mixing of the voices for a listener: the driver, behind glass and insulation, or somebody outside; then volume, fades and a limiter."""

from __future__ import annotations

import math

from simulator.base.jit import kernel
from simulator.base.records import Record, record
from simulator.sound.signals import BLOCK, RATE, at_share, low_pass, one_pole
from vehicles.sound_section import MAX_WHEELS

EXHAUST, BAY, GEARS, WIND, RAIN, HITS, HORN, TIRES = range(8)
SOURCES = TIRES + MAX_WHEELS
"""Sources: those named above, then one for each wheel."""
WAYS = (
    # name     shape        unit  description
    ("gain", (SOURCES,), "1", "gain of each source"),
    ("corner", (SOURCES,), "Hz", "frequency above which it is attenuated"),
    ("left", (SOURCES,), "1", "part of it in the left channel"),
    ("right", (SOURCES,), "1", "part of it in the right channel"),
)
"""Ways of the sound from the sources to one listener."""
MIXER = (
    # name      shape           unit  description
    ("inside", (), "1", "0: heard from outside, 1: by the driver; smooth after a change of the camera"),
    ("gain", (), "1", "volume with its fades"),
    ("level", (), "1", "envelope of the louder channel"),
    ("low", (2, SOURCES), "1", "states of the low-passes, for both listeners"),
)
"""State of the mixer."""
FADE, CUT = 0.045, 0.060
"""s. Time constants of a fade, and of a change of the camera."""
MASTER = 4.0
"""Gain of all voices."""
LOUDEST = 0.5
"""Envelope, -6 dB, above which the limiter turns the sound down: less distorts less, and leaves less between quiet and loud."""
ATTACK, RELEASE = 0.0003, 0.25
"""s. Time constants of the envelope while it rises and falls."""
FULL_SCALE, KNEE = 0.89, 0.6
"""Largest sample, -1 dB, and the sample from which on peaks that are faster than the limiter are bent."""
#       exhaust bay   gears wind  rain  hits  horn  tires
_INSIDE = (0.42, 0.50, 0.80, 0.85, 1.00, 0.80, 0.60, 0.55)
_CORNERS = (800.0, 2200.0, 3000.0, 2600.0, 6000.0, 1500.0, 2400.0, 1300.0)
_OUTSIDE = (1.00, 0.75, 0.45, 0.35, 0.35, 0.70, 1.00, 0.80)
OPEN = 17_000.0


def ways_of(vehicle: Record) -> tuple[Record, Record]:
    """Return the records WAYS of the driver and of a listener outside; vehicle: VEHICLE_SOUND."""
    ways = record(WAYS), record(WAYS)
    for out, gains, corners, width in ((ways[0][0], _INSIDE, _CORNERS, 0.8), (ways[1][0], _OUTSIDE, (OPEN,) * len(_INSIDE), 0.5)):
        for n in range(SOURCES):
            kind = min(n, TIRES)
            side = width * float(vehicle[0]["side"][n - TIRES]) if n >= TIRES else 0.0
            angle = 0.25 * math.pi * (1.0 + side)
            out["gain"][n], out["corner"][n] = gains[kind], corners[kind]
            out["left"][n], out["right"][n] = math.sin(angle), math.cos(angle)
    return ways


@kernel
def mix(s, ways_in, ways_out, sources, goal, out):
    """Mix a block.

    s : MIXER; ways_in, ways_out : WAYS of both listeners; sources : (SOURCES, BLOCK); goal : (inside, gain) at which the fades aim
    out : (BLOCK, 2) left and right
    """
    e = s[0]
    rises, falls = 1.0 - math.exp(-1.0 / (ATTACK * RATE)), 1.0 - math.exp(-1.0 / (RELEASE * RATE))
    fade, cut = 1.0 - math.exp(-1.0 / (FADE * RATE)), 1.0 - math.exp(-1.0 / (CUT * RATE))
    for i in range(BLOCK):
        out[i, 0] = out[i, 1] = 0.0
    for n in range(SOURCES):
        c_in, c_out = one_pole(ways_in[0]["corner"][n]), one_pole(ways_out[0]["corner"][n])
        inside = e["inside"]
        for i in range(BLOCK):
            x = sources[n, i]
            inside += cut * (goal[0] - inside)
            near = ways_in[0]["gain"][n] * low_pass(e["low"][0], n, x, c_in)
            far = ways_out[0]["gain"][n] * low_pass(e["low"][1], n, x, c_out)
            out[i, 0] += at_share(far * ways_out[0]["left"][n], near * ways_in[0]["left"][n], inside)
            out[i, 1] += at_share(far * ways_out[0]["right"][n], near * ways_in[0]["right"][n], inside)
    for i in range(BLOCK):
        e["inside"] += cut * (goal[0] - e["inside"])
        e["gain"] += fade * (goal[1] - e["gain"])
        gain = MASTER * e["gain"]
        peak = gain * max(abs(out[i, 0]), abs(out[i, 1]))
        e["level"] += (rises if peak > e["level"] else falls) * (peak - e["level"])
        gain *= LOUDEST / max(e["level"], LOUDEST)
        for k in range(2):
            out[i, k] = limited(gain * out[i, k])


@kernel
def limited(x):
    """Return a sample between -FULL_SCALE and FULL_SCALE: unchanged up to the knee, bent smoothly above."""
    size = abs(x)
    if size <= KNEE:
        return x
    room = FULL_SCALE - KNEE
    return math.copysign(KNEE + room * math.tanh((size - KNEE) / room), x)
