"""The driver's hands on the steering wheel: from the road-wheel angle that a law wants to the steering input, within what people can do."""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel

REMEMBERED = 128
"""Looks that a delayed driver keeps in mind; at 100 looks a second more than his longest delay."""

HANDS = (
    # name          shape  unit     what it is
    ("lock", (), "rad", "angle of the steering wheel at input 1"),
    ("wheel_rate", (), "rad/s", "largest rate of the steering wheel"),
    ("delay", (), "s", "from what is seen to what the hands do"),
    ("noise", (), "rad", "standard deviation of the steering wheel about what is meant"),
    ("noise_time", (), "s", "over which that deviation forgets itself"),
)

HANDS_STATE = (
    # name          shape  unit  what it is
    ("looks", (), "1", "so far", "i8"),
    ("time", (), "s", "of the last look"),
    ("input", (), "1", "steering input given"),
    ("deviation", (), "1", "steering input by which the hands are off"),
    ("times", (REMEMBERED,), "s", "of the last looks, in a ring"),
    ("inputs", (REMEMBERED,), "1", "wanted in them"),
)


@kernel
def turn_wheel(p, s, seen, inputs, angles, t, chance, command):
    """Bring the steering input of COMMAND towards what the law wants.

    Parameters
    ----------
    p, s, seen : HANDS, HANDS_STATE, SEEN; the road-wheel angle that the hands then give goes to SEEN
    inputs, angles : (n,) steering inputs and road-wheel angles [rad] of the vehicle, rising
    t : s, of this look; nothing moves at the first one
    chance : a number out of a normal distribution of width 1; without meaning where there is no noise
    """
    n, h, v = p[0], s[0], seen[0]
    wanted = interpolated(v["wanted"], angles, inputs)
    dt = t - h["time"] if h["looks"] > 0 else 0.0
    h["time"] = t
    if n["delay"] > 0.0:
        wanted = delayed(n, h, t, wanted)
    h["looks"] += 1
    if n["noise"] > 0.0:
        # first-order Gauss-Markov: keeps its variance whatever the time between two looks
        kept = math.exp(-dt / n["noise_time"])
        h["deviation"] = kept * h["deviation"] + math.sqrt(1.0 - kept * kept) * n["noise"] / n["lock"] * chance
        wanted += h["deviation"]
    most = n["wheel_rate"] / n["lock"] * dt
    h["input"] += min(max(min(max(wanted, -1.0), 1.0) - h["input"], -most), most)
    v["angle"] = interpolated(h["input"], inputs, angles)
    command[0]["steering"] = h["input"]


@inline
def delayed(n, h, t, wanted):
    """What was wanted a delay ago; what was wanted first, where that is before the first look."""
    last = h["looks"]
    h["times"][last % REMEMBERED], h["inputs"][last % REMEMBERED] = t, wanted
    found = h["inputs"][last % REMEMBERED]
    for back in range(1, min(last + 1, REMEMBERED)):
        if h["times"][(last - back + 1) % REMEMBERED] <= t - n["delay"] + 1e-9:
            break
        found = h["inputs"][(last - back) % REMEMBERED]
    return found


@inline
def interpolated(x, xs, ys):
    """Straight lines through (xs, ys), xs rising; the ends are held."""
    last = len(xs) - 1
    if not x > xs[0]:
        return ys[0]
    if x >= xs[last]:
        return ys[last]
    low, high = 0, last
    while high - low > 1:
        middle = (low + high) // 2
        if xs[middle] <= x:
            low = middle
        else:
            high = middle
    return ys[low] + (x - xs[low]) * ((ys[high] - ys[low]) / (xs[high] - xs[low]))
