"""Pose of an object at a time: of a static object constant, along a path a function of time, of a broken object its state."""

from __future__ import annotations

import math

from simulator.base.callbacks import records_at
from simulator.base.jit import inline, kernel
from terrain.objects.paths import path_pose
from terrain.objects.records import PATH, SEGMENT_TYPE, STATE_TYPE

POSE = (
    # name     shape   unit     description
    ("p_WO", (3,), "m", "origin of O, in W"),
    ("R_WO", (3, 3), "1", "axes of O, in W"),
    ("v_WO", (3,), "m/s", "velocity of the origin of O, in W"),
    ("w_WO", (3,), "rad/s", "angular velocity, in W"),
    ("path", (8,), "", "scratch"),
)


@inline
def place_object(w, o, t, pose):
    """Write the pose of the object `o` (row of OBJECT) at time t [s] to the record `pose` of POSE; `w` is the record of WORLD."""
    q = pose[0]
    if is_loose(w, o):
        s = records_at(w[0]["states"], STATE_TYPE, o["state"] + 1)[o["state"]]
        for i in range(3):
            q["p_WO"][i], q["v_WO"][i], q["w_WO"][i] = s["p_WO"][i], s["v_WO"][i], s["w_WO"][i]
            for j in range(3):
                q["R_WO"][i, j] = s["R_WO"][i, j]
        return
    if o["motion"] == PATH:
        _place_on_path(w[0]["segments"], o, t, pose)
        return
    for i in range(3):
        q["p_WO"][i], q["v_WO"][i], q["w_WO"][i] = o["p_WO"][i], 0.0, 0.0
        for j in range(3):
            q["R_WO"][i, j] = o["R_WO"][i, j]


@inline
def is_loose(w, o):
    """Return whether the object `o` (row of OBJECT) has broken off or left its path."""
    return o["mass"] > 0.0 and records_at(w[0]["states"], STATE_TYPE, o["state"] + 1)[o["state"]]["broken"] != 0


@kernel
def _place_on_path(address, o, t, pose):
    """Write the pose of an object on a path at time t [s]."""
    q, first, count = pose[0], o["first_segment"], o["segments"]
    segments = records_at(address, SEGMENT_TYPE, first + count)
    path_pose(segments, first, count, o["repeats"], t, q["path"])
    for j in range(3):
        q["p_WO"][j], q["v_WO"][j] = q["path"][j], q["path"][4 + j]
        q["w_WO"][j] = 0.0
    q["w_WO"][2] = q["path"][7]
    turn = q["path"][3] - segments[first]["yaw"][0]
    c, s = math.cos(turn), math.sin(turn)
    for j in range(3):
        q["R_WO"][0, j] = c * o["R_WO"][0, j] - s * o["R_WO"][1, j]
        q["R_WO"][1, j] = s * o["R_WO"][0, j] + c * o["R_WO"][1, j]
        q["R_WO"][2, j] = o["R_WO"][2, j]
