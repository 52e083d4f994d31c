"""Multipass effect: a wheel reads the ruts of earlier wheels and writes its own rut for later wheels.

A wheel reads the rut depth ahead of the bottom of its contact, at the distance `reach`, and presses at the bottom. It never reads its own
rut, however long it stands, spins or digs in one place. When it turns back, the reading point moves to the opposite side of the contact
over the same distance as the wheel rolls, and from then on the wheel reads the rut that it has made.
"""

from __future__ import annotations

import math

from simulator.base.jit import inline
from terrain.ruts import SPACING, UNIT, depth_across, press, remembers

REACH = 1.0 / 3.0
"""Distance, as a fraction of the radius, ahead of the contact bottom at which a wheel reads: about the middle of the front arc of a wheel
with a sinkage of 5 % of its radius. A distance below two nodes would be within the nodes that the wheel presses itself."""


SHORT = 0.5 * SPACING
"""m. Travel after which a wheel presses again; the nodes that it passed meanwhile are pressed too."""
SHALLOW = 2.0 * UNIT
"""m. Additional sinkage after which a wheel presses again."""


@inline
def reach(p):
    """Return the distance [m] from the bottom of the contact to the point at which a wheel reads the ruts."""
    return max(REACH * p[0]["radius"], 2.0 * SPACING)


@inline
def read_rut(p, s, i, ruts, out):
    """Write the rut depth of the soil ahead of wheel i into out[i]: the mean over the width of its tread, 0 on hard ground.

    p : (1,) of TIRE, s, out : (n,) of TIRE_STATE and TIRE_OUT, after `touch`, ruts : `terrain.ruts.Ruts`
    """
    o = out[i]
    o["rut"] = 0.0
    if remembers(ruts) and o["hardness"] < 1.0 and o["depth"] > 0.0:
        ahead = (1.0 - s[i]["turned"]) * reach(p)
        x, y = o["p_WC"][0] + ahead * o["x_W"][0], o["p_WC"][1] + ahead * o["x_W"][1]
        # nodes up to half a spacing outside the tread are pressed: a strip narrower by this amount has the full depth for any node position
        o["rut"] = depth_across(ruts, x, y, o["y_W"][0], o["y_W"][1], max(0.5 * (p[0]["width"] - SPACING), 0.0))


@inline
def write_rut(p, s, i, h, ruts, out):
    """Press the soil that the bottom of wheel i passed in a step of h seconds to the sinkage of the wheel; arguments as in `read_rut`, with
    the state after the step. Hard ground stores no rut, and neither does the remaining sinkage of a wheel in the air."""
    if not remembers(ruts):
        return
    o, state = out[i], s[i]
    state["turned"] = min(max(state["turned"] - h * o["v_x"] / reach(p), 0.0), 2.0)
    if not (o["hardness"] < 1.0 and o["depth"] > 0.0):
        state["pressed"][2] = 0.0
        return
    x, y, depth = o["p_WC"][0], o["p_WC"][1], state["sinkage"]
    d_x, d_y, before = x - state["pressed"][0], y - state["pressed"][1], state["pressed"][2]
    if before == 0.0:
        d_x = d_y = 0.0
    # skip short travel, in which no node comes under the wheel, without a noticeable change of the sinkage
    elif d_x * d_x + d_y * d_y < SHORT * SHORT and depth < before + SHALLOW:
        return
    e_x, e_y = o["x_W"][0], o["x_W"][1]
    per = 1.0 / max(math.sqrt(e_x * e_x + e_y * e_y), 1e-9)
    e_x, e_y = per * e_x, per * e_y
    press(ruts, (x, y), (e_x, e_y), (d_x * e_x + d_y * e_y, d_y * e_x - d_x * e_y), 0.5 * p[0]["width"], depth)
    state["pressed"][0], state["pressed"][1], state["pressed"][2] = x, y, max(depth, 0.5 * UNIT)
