"""Log of collisions: one row per touch of an object, in a ring that the session reads."""

from __future__ import annotations

import math

from simulator.base.algebra.vectors import dot
from simulator.base.jit import inline
from vehicles.contact.records import RING

SEPARATE = 0.1
"""s without a force after which a new force on the same object is a new collision."""


@inline
def collision_row(s, o, r_W, n, speed):
    """Return the row of the present collision with the object o (row of OBJECT); begin one if there is none.

    s : record of OBJECT_CONTACT_STATE; r_W, n : contact point relative to the chassis, normal; speed : of approach [m/s]
    """
    q = s[0]
    first = max(q["collisions"] - RING, 0)
    for k in range(q["collisions"] - 1, first - 1, -1):
        row = q["ring"][k % RING]
        if row["object"] == o["number"] and q["time"] - row["last"] <= SEPARATE:
            return k % RING
    at = q["collisions"] % RING
    row = q["ring"][at]
    q["collisions"] += 1
    row["number"], row["object"], row["label"] = q["collisions"], o["number"], o["label"]
    row["time"] = row["last"] = q["time"]
    row["closing_speed"], row["peak_force"] = max(speed, 0.0), 0.0
    for j in range(3):
        row["p_WC"][j], row["n_W"][j], row["impulse_W"][j] = q["p_WB"][j] + r_W[j], n[j], 0.0
    return at


@inline
def add_impulse(s, at, F, h):
    """Add the impulse of a force F [N], in W, over h seconds to a row."""
    row = s[0]["ring"][at]
    row["last"] = s[0]["time"]
    row["peak_force"] = max(row["peak_force"], math.sqrt(dot(F, F)))
    for j in range(3):
        row["impulse_W"][j] += h * F[j]
