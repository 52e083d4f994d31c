"""Speeds of the wheels without the part of the yaw rate, shared by controllers that compare wheels with each other."""

from __future__ import annotations

from simulator.base.jit import inline


@inline
def center_line_speed(p, k, i):
    """Return the measured speed of wheel i [m/s] at the center line of the vehicle: the wheels of a turn differ by yaw rate times track.

    p : parameters with `wheel_radius` and `track`; k : CONTROLLER_INPUT
    """
    # the sensors measure no direction: in backward travel the yaw rate has the opposite effect on the measured speeds
    direction = -1.0 if k["selector"] < 0 else 1.0
    return p["wheel_radius"] * k["wheel_speed"][i] + direction * 0.5 * k["side"][i] * p["track"] * k["yaw_rate"]
