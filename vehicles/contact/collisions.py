"""Log of collisions: one row per collision with an object, in a ring that the session reads."""

from __future__ import annotations

import math

from simulator.base.algebra.vectors import dot, vector
from simulator.base.jit import inline, kernel
from vehicles.contact.records import RING

SEPARATE = 0.1
"""s without a force after which a new force on the same object is a new collision."""
GENTLE = 0.3
"""m/s. A vehicle that closes slower on an object which it has hit before, and still touches or overlaps, leans on it: no impact."""
CREEP = 0.06
"""m/s. Speed below which bodies neither approach nor rebound; for a slow touch, a tenth of its closing speed."""
SETTLED = 0.05
"""s without approach after which the impact is over although there was no rebound."""
APPROACH, REBOUND, LEANING = range(3)
"""Phases of a collision: the bodies approach; they separate, or there is no force; the impact is over."""


@inline
def collision_row(s, o, c, speed):
    """Return the row of the present collision with the object o (row of OBJECT); begin one if there is none.

    s : record of OBJECT_CONTACT_STATE; c : row of PAIR; speed : of approach [m/s]
    """
    q = s[0]
    ring, first = q["ring"], max(q["collisions"] - RING, 0)
    for k in range(q["collisions"] - 1, first - 1, -1):
        row = ring[k % RING]
        if row["object"] == o["number"]:
            if q["time"] - row["last"] <= SEPARATE or (speed < GENTLE and _is_crushed(s, c["row"])):
                return k % RING
            break
    at = q["collisions"] % RING
    row = ring[at]
    q["collisions"] += 1
    row["number"], row["object"], row["label"] = q["collisions"], o["number"], o["label"]
    row["time"] = row["last"] = row["end"] = row["moved"] = q["time"]
    row["closing_speed"], row["peak_force"], row["phase"] = max(speed, 0.0), 0.0, APPROACH
    row["power"] = row["closing"] = row["normal_force"] = 0.0
    for j in range(3):
        row["p_WC"][j], row["n_W"][j] = q["p_WB"][j] + c["r_W"][j], c["n_W"][j]
        row["impulse_W"][j] = row["touch_impulse_W"][j] = row["force_W"][j] = 0.0
    return at


@inline
def _is_crushed(s, row):
    """Return 1 if the vehicle has hit an object before, and overlaps it since then."""
    pairs, top = s[0]["pairs"], s[0]["top"]
    for i in range(top):
        c = pairs[i]
        if c["live"] and c["row"] == row and c["depth"] > 0.0 and (c["energy"] > 0.0 or c["dent"] > c["origin"]):
            return 1
    return 0


@inline
def add_force(s, at, F, normal, speed):
    """Add a force F [N], in W, to a row; normal : its part along the normal; speed : of approach [m/s]."""
    row = s[0]["ring"][at]
    row["last"] = s[0]["time"]
    row["power"] -= normal * speed
    row["normal_force"] += normal
    row["closing"] = max(row["closing"], speed)
    for j in range(3):
        row["force_W"][j] += F[j]


@inline
def _follow(row):
    """Update the phase of a collision with a force in this step.

    The impact lasts until the rebound ends. Afterwards the vehicle may lean on the object or push it. A new impact begins if the closing
    speed exceeds GENTLE.
    """
    v = row["power"] / row["normal_force"]
    slow = min(CREEP, 0.1 * row["closing_speed"])
    if abs(v) > slow:
        row["moved"] = row["last"]
    if v < 0.0 and row["closing"] >= GENTLE:
        row["phase"] = APPROACH
    elif row["phase"] == REBOUND and v < slow:
        row["phase"] = LEANING
    elif row["phase"] == APPROACH and v >= slow:
        row["phase"] = REBOUND
    elif row["phase"] == APPROACH and row["last"] - row["moved"] > SETTLED:
        row["phase"] = LEANING


@kernel
def close_step(s, h):
    """Add the forces of a step of h seconds to peak and impulses of their rows."""
    q, ring = s[0], s[0]["ring"]
    for k in range(min(q["collisions"], RING)):
        row = ring[k]
        if row["last"] < q["time"]:
            row["phase"] = max(row["phase"], REBOUND)
            continue
        _follow(row)
        F = vector(row["force_W"])
        if row["phase"] != LEANING:
            row["end"] = q["time"]
            row["peak_force"] = max(row["peak_force"], math.sqrt(dot(F, F)))
        for j in range(3):
            row["touch_impulse_W"][j] += h * F[j]
            row["impulse_W"][j] += h * F[j] if row["phase"] != LEANING else 0.0
            row["force_W"][j] = 0.0
        row["power"] = row["closing"] = row["normal_force"] = 0.0
