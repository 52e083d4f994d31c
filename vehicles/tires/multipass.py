"""What a wheel finds of the ruts of those before it, and what it leaves to those behind it.

A wheel looks where it is going, a `reach` ahead of the bottom of its contact, and presses where that bottom is: it never takes its own rut
for an older one, however long it stands, spins or digs there. When it turns back, the place it looks at crosses over under it, as far again
as the wheel rolls, and from then on it sees the rut that it has made itself.
"""

from __future__ import annotations

import math

from simulator.base.jit import inline
from terrain.ruts import SPACING, UNIT, depth_across, press, remembers

REACH = 1.0 / 3.0
"""Share of the radius ahead of the contact's bottom at which a wheel looks: about the middle of the front arc of a wheel that sinks in by 5 %
of its radius. Less than two nodes would be within what it presses itself."""


SHORT = 0.5 * SPACING
"""m. Way after which a wheel presses again; the nodes that it went over meanwhile are pressed too."""
SHALLOW = 2.0 * UNIT
"""m. Further sinkage after which it does."""


@inline
def reach(p):
    """Distance [m] between the bottom of the contact and the place where a wheel looks at the ruts."""
    return max(REACH * p[0]["radius"], 2.0 * SPACING)


@inline
def recall_rut(p, s, i, ruts, out):
    """How deep the soil ahead of wheel i was pressed before into out[i]: the mean over the width of its tread, 0 on hard ground.

    p : (1,) of TIRE, s, out : (n,) of TIRE_STATE and TIRE_OUT, after `touch`, ruts : `terrain.ruts.Ruts`
    """
    o = out[i]
    o["rut"] = 0.0
    if remembers(ruts) and o["hardness"] < 1.0 and o["depth"] > 0.0:
        ahead = (1.0 - s[i]["turned"]) * reach(p)
        x, y = o["p_WC"][0] + ahead * o["x_W"][0], o["p_WC"][1] + ahead * o["x_W"][1]
        # nodes up to half a spacing beside the tread are pressed: what lies as far inside is the full depth wherever the nodes are
        o["rut"] = depth_across(ruts, x, y, o["y_W"][0], o["y_W"][1], max(0.5 * (p[0]["width"] - SPACING), 0.0))


@inline
def keep_rut(p, s, i, h, ruts, out):
    """Press the soil that the bottom of wheel i went over in a step of h seconds as deep as the wheel has sunk in; arguments as above, with the
    state after the step. Hard ground keeps nothing, nor what a wheel in the air leaves of its sinkage."""
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
    # a way in which no node comes under the wheel, and nothing that one could tell apart from the last time
    elif d_x * d_x + d_y * d_y < SHORT * SHORT and depth < before + SHALLOW:
        return
    e_x, e_y = o["x_W"][0], o["x_W"][1]
    per = 1.0 / max(math.sqrt(e_x * e_x + e_y * e_y), 1e-9)
    e_x, e_y = per * e_x, per * e_y
    press(ruts, x, y, e_x, e_y, d_x * e_x + d_y * e_y, d_y * e_x - d_x * e_y, 0.5 * p[0]["width"], depth)
    state["pressed"][0], state["pressed"][1], state["pressed"][2] = x, y, max(depth, 0.5 * UNIT)
