"""Acceleration of a driver behind another vehicle: the Intelligent Driver Model [Treiber, Hennecke and Helbing 2000, Physical Review E 62, 1805].

    a  = a_max (1 - (v / v_max)^4 - (s* / s)^2)
    s* = s_0 + max(0, v T + v (v - v_leader) / (2 sqrt(a_max b)))

with the gap s between the bumpers, the gap at standstill s_0, the time gap T and the comfortable deceleration b. At a steady speed the gap is
(s_0 + v T) / sqrt(1 - (v / v_max)^4).
"""

from __future__ import annotations

import math

from simulator.base.jit import inline

MIN_GAP = 0.1
"""m. Gap that counts at least: the model divides by it."""


@inline
def following_acceleration(n, speed, gap, leader_speed):
    """Return the acceleration [m/s2].

    n : record with max_speed, acceleration, deceleration, time_gap and standstill_gap; speed, leader_speed : m/s; gap : m between the
    bumpers, infinite without a leader
    """
    free = (max(speed, 0.0) / n["max_speed"]) ** 2
    closing = speed * (speed - leader_speed) / (2.0 * math.sqrt(n["acceleration"] * n["deceleration"]))
    wanted = n["standstill_gap"] + max(0.0, speed * n["time_gap"] + closing)
    near = wanted / max(gap, MIN_GAP)
    return n["acceleration"] * (1.0 - free * free - near * near)


plain_following_acceleration = getattr(following_acceleration, "py_func", following_acceleration)
"""The same function without compilation, for a few calls."""
