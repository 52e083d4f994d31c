"""Pose of an object at a time: of a static object constant, along a path a function of time, of a broken object its state."""

from __future__ import annotations

import math

from simulator.base.callbacks import records_at
from simulator.base.jit import inline, kernel
from terrain.objects.paths import path_pose
from terrain.objects.records import BREAKAWAY, PATH, SEGMENT_TYPE, STATE_TYPE

POSE = (
    # name     shape   unit     description
    ("p_WO", (3,), "m", "origin of O, in W"),
    ("R_WO", (3, 3), "1", "axes of O, in W"),
    ("v_WO", (3,), "m/s", "velocity of the origin of O, in W"),
    ("yaw_rate", (), "rad/s", "angular velocity about z"),
    ("path", (8,), "", "scratch"),
)


@inline
def place_object(w, o, t, pose):
    """Write the pose of the object `o` (row of OBJECT) at time t [s] to the record `pose` of POSE; `w` is the record of WORLD."""
    q = pose[0]
    loose = is_loose(w, o)
    if o["motion"] == PATH and not loose:
        _place_on_path(w[0]["segments"], o, t, pose)
        return
    if o["motion"] == BREAKAWAY or loose:
        s = records_at(w[0]["states"], STATE_TYPE, o["state"] + 1)[o["state"]]
        for j in range(3):
            q["p_WO"][j], q["v_WO"][j] = s["p_WO"][j], s["v_WO"][j]
    else:
        for j in range(3):
            q["p_WO"][j], q["v_WO"][j] = o["p_WO"][j], 0.0
    q["yaw_rate"] = 0.0
    if o["motion"] == PATH:
        _turn(o, records_at(w[0]["states"], STATE_TYPE, o["state"] + 1)[o["state"]]["turn"], pose)
        return
    for i in range(3):
        for j in range(3):
            q["R_WO"][i, j] = o["R_WO"][i, j]


@inline
def is_loose(w, o):
    """Return whether the object `o` (row of OBJECT) has broken off or left its path."""
    return o["mass"] > 0.0 and records_at(w[0]["states"], STATE_TYPE, o["state"] + 1)[o["state"]]["broken"] != 0


@inline
def turn_on_path(w, o, pose):
    """Return the rotation about z [rad] since time 0 of an object that `place_object` has put on its path, at `pose`."""
    first = o["first_segment"]
    return pose[0]["path"][3] - records_at(w[0]["segments"], SEGMENT_TYPE, first + 1)[first]["yaw"][0]


@inline
def _turn(o, turn, pose):
    """Write the axes of the object `o`, turned about z, to the record `pose` of POSE."""
    q, c, s = pose[0], math.cos(turn), math.sin(turn)
    for j in range(3):
        q["R_WO"][0, j] = c * o["R_WO"][0, j] - s * o["R_WO"][1, j]
        q["R_WO"][1, j] = s * o["R_WO"][0, j] + c * o["R_WO"][1, j]
        q["R_WO"][2, j] = o["R_WO"][2, j]


@kernel
def _place_on_path(address, o, t, pose):
    """Write the pose of an object on a path at time t [s]."""
    q, first, count = pose[0], o["first_segment"], o["segments"]
    segments = records_at(address, SEGMENT_TYPE, first + count)
    path_pose(segments, first, count, o["repeats"], t, q["path"])
    for j in range(3):
        q["p_WO"][j], q["v_WO"][j] = q["path"][j], q["path"][4 + j]
    _turn(o, q["path"][3] - segments[first]["yaw"][0], pose)
    q["yaw_rate"] = q["path"][7]
