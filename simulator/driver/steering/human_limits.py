"""Limits of the driver's hands: from the road-wheel angle requested by the steering controller to the steering input."""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel

REMEMBERED = 128
"""Number of stored requests for the delay; at 100 calls per second it exceeds the longest delay."""

MERGE_TIME = 0.2
"""s. Time constant with which the steering goes over from one path to another."""

HANDS = (
    # name          shape  unit     description
    ("lock", (), "rad", "angle of the steering wheel at input 1"),
    ("wheel_rate", (), "rad/s", "largest rate of the steering wheel"),
    ("delay", (), "s", "delay from observation to steering input"),
    ("noise", (), "rad", "standard deviation of the steering wheel about the requested angle"),
    ("noise_time", (), "s", "correlation time of the noise"),
)

HANDS_STATE = (
    # name          shape  unit  description
    ("looks", (), "1", "number of calls", "i8"),
    ("time", (), "s", "time of the last call"),
    ("input", (), "1", "present steering input"),
    ("deviation", (), "1", "deviation of the steering input by noise"),
    ("is_new", (), "1", "1 = the path is another one since the last call", "i8"),
    ("merge", (), "1", "difference of the steering input from the request, left from the last path"),
    ("times", (REMEMBERED,), "s", "times of the last calls, ring buffer"),
    ("inputs", (REMEMBERED,), "1", "steering inputs requested at these times"),
)


@kernel
def turn_wheel(p, s, seen, inputs, angles, t, chance, command):
    """Move the steering input of COMMAND towards the request of the steering controller.

    Parameters
    ----------
    p, s, seen : HANDS, HANDS_STATE, SEEN; the resulting road-wheel angle is written to SEEN
    inputs, angles : (n,) steering inputs and road-wheel angles [rad] of the vehicle, rising
    t : s, time of this call; the first call does not move the steering
    chance : sample of the standard normal distribution; ignored without noise
    """
    n, h, v = p[0], s[0], seen[0]
    wanted = interpolated(v["wanted"], angles, inputs)
    dt = t - h["time"] if h["looks"] > 0 else 0.0
    h["time"] = t
    if h["is_new"] > 0:
        h["merge"], h["is_new"] = (h["input"] - wanted if h["looks"] > 0 else 0.0), 0
    h["merge"] *= math.exp(-dt / MERGE_TIME)
    wanted += h["merge"]
    if n["delay"] > 0.0:
        wanted = delayed(n, h, t, wanted)
    h["looks"] += 1
    if n["noise"] > 0.0:
        # first-order Gauss-Markov: the variance does not depend on the time between two calls
        decay = math.exp(-dt / n["noise_time"])
        h["deviation"] = decay * h["deviation"] + math.sqrt(1.0 - decay * decay) * n["noise"] / n["lock"] * chance
        wanted += h["deviation"]
    most = n["wheel_rate"] / n["lock"] * dt
    h["input"] += min(max(min(max(wanted, -1.0), 1.0) - h["input"], -most), most)
    v["angle"] = interpolated(h["input"], inputs, angles)
    command[0]["steering"] = h["input"]


@inline
def delayed(n, h, t, wanted):
    """Store a request and return the request of one delay ago; before that time, the first request."""
    last = h["looks"]
    h["times"][last % REMEMBERED], h["inputs"][last % REMEMBERED] = t, wanted
    request = h["inputs"][last % REMEMBERED]
    for back in range(1, min(last + 1, REMEMBERED)):
        if h["times"][(last - back + 1) % REMEMBERED] <= t - n["delay"] + 1e-9:
            break
        request = h["inputs"][(last - back) % REMEMBERED]
    return request


@inline
def interpolated(x, xs, ys):
    """Interpolate (xs, ys) linearly, xs rising; constant beyond the ends."""
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
