"""Right of way at crossings.

A vehicle holds a lane of a crossing before it drives onto it. It gets the lane if

- no other vehicle that holds a lane in conflict with this one has yet to leave the place where the two meet,
- the lane behind the crossing has room for the vehicle, and
- nobody with priority would be there at the same time: those on a lane that does not yield, else those from the right, and for a vehicle
  that turns left, those from ahead.

Vehicles that stand at a crossing go in the order of their arrival, also without priority. There is no deadlock when four vehicles arrive at
once. On a road with dense traffic, a waiting vehicle goes after PATIENCE.
"""

from __future__ import annotations

from simulator.base.jit import inline, kernel

MARGIN = 1.0
"""s. Time between a vehicle and one with priority at the place where they meet."""
PATIENCE = 20.0
"""s. A vehicle that has waited for this time goes if the one with priority need not brake harder than COMFORTABLE."""
COMFORTABLE = 2.0
"""m/s2."""
STANDS = 0.5
"""m/s. Slower vehicles stand."""
MOVING = 3.0
"""m/s. A slower vehicle behind the crossing may stop where it is."""
BEYOND = 0.5
"""m. A vehicle has left a conflict when its rear is this far behind it."""


@kernel
def may_enter(t, k, lane, distance):
    """Return whether agent k may drive onto a lane of a crossing, from a distance [m] in front of it."""
    a = t.agents[k]
    if a["leads"] == 0:
        return False
    if a["held"] >= 0 and t.network.lanes[a["lane"]]["length"] > a["length"] + 3.0:
        return False
    if not _has_room(t, k, lane):
        return False
    row = t.network.lanes[lane]
    pace = max(a["speed"], 3.0)
    for j in range(len(t.agents)):
        b = t.agents[j]
        if j == k or b["active"] == 0:
            continue
        if b["held"] >= 0 and t.network.lanes[b["held"]]["crossing"] == row["crossing"]:
            c = _conflict(t, lane, b["held"])
            if c >= 0 and station_on(t, b, b["held"]) - b["length"] < t.network.conflicts[c]["other_end"] + BEYOND:
                return False
        elif b["leads"] == 1 and b["next"] >= 0 and t.network.lanes[b["next"]]["crossing"] == row["crossing"]:
            c = _conflict(t, lane, b["next"])
            if c >= 0 and t.priority[c] == 1 and _must_wait(t, (k, j), c, distance, pace):
                return False
    return True


@inline
def _conflict(t, lane, other):
    """Return the row of the conflict of a lane with another one, -1: none."""
    row = t.network.lanes[lane]
    for c in range(row["first_conflict"], row["first_conflict"] + row["conflicts"]):
        if t.network.conflicts[c]["lane"] == other:
            return c
    return -1


@inline
def station_on(t, b, lane):
    """Return the station [m] of the front of an agent (row of AGENT) on a lane before, at or after its present one."""
    if b["lane"] == lane:
        return b["station"]
    if b["previous"] == lane:
        return t.network.lanes[lane]["length"] + b["station"]
    return b["station"] - t.network.lanes[b["lane"]]["length"]


@inline
def _must_wait(t, pair, c, distance, pace):
    """Return whether the first agent of a pair lets the second one go first, which has priority in conflict c."""
    a, b, row = t.agents[pair[0]], t.agents[pair[1]], t.network.conflicts[c]
    away = t.network.lanes[b["lane"]]["length"] - b["station"]
    if b["speed"] < STANDS and a["speed"] < STANDS and b["wait"] > 0.0:
        return b["wait"] > a["wait"] or (b["wait"] == a["wait"] and pair[1] < pair[0])
    arrival = (away + row["other_begin"]) / max(b["speed"], STANDS)
    if a["wait"] > PATIENCE and b["speed"] * b["speed"] < 2.0 * COMFORTABLE * away:
        return False
    return arrival < (distance + row["end"] + a["length"]) / pace + MARGIN


@inline
def _has_room(t, k, lane):
    """Return whether the lane behind a lane of a crossing has room for agent k, behind those who are on their way there."""
    a = t.agents[k]
    after = a["after"] if a["next"] == lane else -1
    if after < 0:
        return True
    need, room = a["length"] + a["standstill_gap"] + 1.0, t.network.lanes[after]["length"]
    for n in range(t.firsts[after + 1] - 1, t.firsts[after] - 1, -1):
        b = t.agents[t.order[n]]
        # the last one may stop behind the others as soon as they do
        room = room - b["length"] - b["standstill_gap"] if b["speed"] > MOVING else min(room, b["station"] - b["length"])
    for j in range(len(t.agents)):
        b = t.agents[j]
        if j == k or b["active"] == 0 or b["held"] < 0 or b["lane"] == after:
            continue
        if (b["lane"] == b["held"] and b["next"] == after) or (b["next"] == b["held"] and b["after"] == after):
            need += b["length"] + b["standstill_gap"]
    return room >= min(need, t.network.lanes[after]["length"])
