"""Motion of objects that broke off or left their path: a point mass that flies, slides and stops, without turning."""

from __future__ import annotations

import math

from simulator.base.algebra.vectors import add_scaled, dot, scale, vector
from simulator.base.callbacks import records_at
from simulator.base.jit import inline, kernel
from terrain.composite_height import composed_height_and_normal
from terrain.objects.records import BREAKAWAY, OBJECT_TYPE, ROW_TYPE, STATE_TYPE


@kernel
def move_broken(ground, n, h):
    """Advance all broken objects by h seconds: impulses of the vehicle, gravity, the ground under their center, Coulomb friction.

    ground : GroundArrays; n : (3,) scratch for the ground normal
    """
    w = ground.objects[0]
    objects, rows = records_at(w["objects"], OBJECT_TYPE, w["count"]), records_at(w["broken_rows"], ROW_TYPE, w["broken"])
    for k in range(w["broken"]):
        o = objects[rows[k]]
        s = records_at(w["states"], STATE_TYPE, o["state"] + 1)[o["state"]]
        v = add_scaled(vector(s["v_WO"]), 1.0 / o["mass"], vector(s["impulse_W"]))
        v = (v[0], v[1], v[2] - h * ground.p[0]["gravity"])
        x = s["p_WO"]
        base = o["low"][2] - o["p_WO"][2] if o["motion"] == BREAKAWAY else _lowest(o)
        gap = x[2] + base - composed_height_and_normal(ground, x[0], x[1], n)
        normal = vector(n)
        speed = dot(v, normal)
        if gap <= 0.0 and speed < 0.0:
            slide = add_scaled(v, -speed, normal)
            fast = math.sqrt(dot(slide, slide))
            v = scale(max(1.0 + o["friction"] * speed / fast, 0.0), slide) if fast > 0.0 else slide
        for j in range(3):
            s["v_WO"][j], s["impulse_W"][j] = v[j], 0.0
            x[j] += h * v[j]
        if gap < 0.0:
            x[2] -= gap


@inline
def _lowest(o):
    """Return the height of the lowest point of the bounding box of an object (row of OBJECT) above its origin [m]; no rotation about z changes it."""
    low = 0.0
    for j in range(3):
        low += o["R_WO"][2, j] * o["center_O"][j] - abs(o["R_WO"][2, j]) * o["half_O"][j]
    return low
