"""Where the own vehicle goes, and when it meets an object: predicted paths, times to a collision and necessary decelerations.

The own vehicle drives on at its speed along an arc. Two arcs count: that of the present yaw rate and that of the present steering, because
a driver who begins or ends a turn is already on the second one. An object moves on at its velocity, and slows down to rest at its present
deceleration. Both are rectangles seen from above.
"""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel
from simulator.base.records import Record, record

STEP = 0.05
"""s between two predicted places close to an object. Larger: a person who runs past may be missed."""
HORIZON = 5.0
"""s of prediction."""
REFINEMENTS = 5
"""Halvings of a step that has a collision."""
STRAIGHT = 1e-5
"""1/m. Curvature below which an arc counts as straight."""
ONCOMING = -1.0
"""m/s. Objects that approach faster than this along the own path do not count: braking alone does not avoid them."""
MIN_DECELERATION = 0.5
"""m/s2. Deceleration of an object below which it counts as steady."""
MIN_ROOM = 0.05
"""m. Least distance in which the own vehicle has to stop, in the formulas."""

OWN = (
    # name         shape  unit  description
    ("p_W", (2,), "m", "position of the chassis reference point, in W"),
    ("yaw", (), "rad", "heading"),
    ("speed", (), "m/s", "forward speed"),
    ("curvature", (2,), "1/m", "of the arcs of the present yaw rate and of the present steering, + = left"),
    ("front", (), "m", "distance of the foremost point ahead of the reference point"),
    ("rear", (), "m", "distance of the last point behind it"),
    ("half_width", (), "m", "half of the width"),
    ("side_margin", (), "m", "free width that the path needs on each side"),
    ("either", (), "1", "1 = a collision on one of the arcs counts, 0 = only one on both", "i8"),
    ("margin", (), "m", "distance that remains to an object"),
    ("lane", (), "m", "half of the width in which an object is ahead, for the cruise control"),
)
TARGET = (
    # name               shape  unit    description
    ("row", (), "1", "row of the object", "i8"),
    ("number", (), "1", "number of the object", "i8"),
    ("label", (), "1", "number of its label", "i8"),
    ("p_W", (2,), "m", "center, in W"),
    ("axis_W", (2,), "1", "direction of its length, in W"),
    ("half", (2,), "m", "half of length and width"),
    ("v_W", (2,), "m/s", "velocity, in W"),
    ("deceleration", (), "m/s2", "deceleration, 0 = steady"),
    ("gap", (), "m", "distance along the path of the present yaw rate, from the own front; infinite if it is not in the way now"),
    ("path_speed", (), "m/s", "speed along the own path"),
    ("collision_time", (), "s", "time to collision; infinite: none predicted"),
    ("required", (), "m/s2", "necessary deceleration"),
    ("warned", (), "m/s2", "necessary deceleration after the reaction of a driver"),
)


def targets(count: int) -> Record:
    """Return records of TARGET."""
    return record(TARGET, count)


@kernel
def assess(own, rows, reaction):
    """Write the results of records of TARGET: gap, path_speed, collision_time, required, warned.

    own : record of OWN; reaction : s, of a driver
    """
    o = own[0]
    c, s = math.cos(o["yaw"]), math.sin(o["yaw"])
    for n in range(len(rows)):
        t = rows[n]
        dx, dy = t["p_W"][0] - o["p_W"][0], t["p_W"][1] - o["p_W"][1]
        center = c * dx + s * dy, c * dy - s * dx
        axis = c * t["axis_W"][0] + s * t["axis_W"][1], c * t["axis_W"][1] - s * t["axis_W"][0]
        velocity = c * t["v_W"][0] + s * t["v_W"][1], c * t["v_W"][1] - s * t["v_W"][0]
        t["gap"], t["path_speed"] = gap_along(o, t, center, axis, velocity)
        k, first = meeting(o, t, o["curvature"][0], center, axis, velocity)
        other, second = meeting(o, t, o["curvature"][1], center, axis, velocity)
        curvature = o["curvature"][0]
        if (other < k) if o["either"] else (other > k):
            k, first, curvature = other, second, o["curvature"][1]
        t["collision_time"], t["required"], t["warned"] = math.inf, 0.0, 0.0
        if k < math.inf:
            turn = curvature * o["speed"] * k
            along = math.cos(turn) * velocity[0] + math.sin(turn) * velocity[1]
            if along > ONCOMING:
                t["collision_time"] = k
                room = max(o["speed"] * k - first * along, 0.0)
                t["required"] = needed(o["speed"], max(along, 0.0), t["deceleration"], room - o["margin"])
                closer = max(o["speed"] - along, 0.0) * reaction
                t["warned"] = needed(o["speed"], max(along, 0.0), t["deceleration"], room - o["margin"] - closer)


@inline
def needed(speed, other, braking, room):
    """Return the deceleration [m/s2] that avoids an object with the speed `other` and the deceleration `braking`, `room` [m] ahead."""
    room = max(room, MIN_ROOM)
    closing = max(speed - other, 0.0)
    if braking <= MIN_DECELERATION or other == 0.0:
        return closing * closing / (2.0 * room)
    # both come to rest, the object first
    out = speed * speed / (2.0 * (room + other * other / (2.0 * braking)))
    if out * other > braking * speed:
        out = braking + closing * closing / (2.0 * room)
    return out


@inline
def meeting(o, t, curvature, center, axis, velocity):
    """Return the time [s] of the first overlap, and the time in which the object would move as far at its present speed; infinite: none.

    center, axis, velocity : (x, y) of the object, in the present own frame
    """
    x, y = center
    pace = math.sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1])
    reach = (
        math.sqrt(t["half"][0] * t["half"][0] + t["half"][1] * t["half"][1]) + o["front"] + o["rear"] + o["half_width"] + o["side_margin"]
    )
    if math.sqrt(x * x + y * y) - reach > (abs(o["speed"]) + pace) * HORIZON:
        return math.inf, 0.0
    before, now = 0.0, 0.0
    while now <= HORIZON:
        apart = separation(o, t, curvature, center, axis, velocity, now)
        if apart < 0.0:
            if now > 0.0:
                for _ in range(REFINEMENTS):
                    middle = 0.5 * (before + now)
                    if separation(o, t, curvature, center, axis, velocity, middle) < 0.0:
                        now = middle
                    else:
                        before = middle
            return now, driven(now, pace, t["deceleration"])
        before = now
        now += max(STEP, apart / (abs(o["speed"]) + pace + 1e-9))
    return math.inf, 0.0


@inline
def driven(time, pace, braking):
    """Return the time [s] in which an object would move as far at the speed `pace` [m/s] as it moves in `time` while it brakes [m/s2]."""
    if braking <= MIN_DECELERATION:
        return time
    run = min(time, pace / braking)
    return run - 0.5 * run * run * braking / max(pace, 1e-9)


@inline
def separation(o, t, curvature, center, axis, velocity, now):
    """Return a lower bound of the distance [m] of the own vehicle from an object at a time [s], negative if they overlap; see `meeting`."""
    (x, y), (ax, ay), (vx, vy) = center, axis, velocity
    run = driven(now, math.sqrt(vx * vx + vy * vy), t["deceleration"])
    turn = curvature * o["speed"] * now
    ct, st = math.cos(turn), math.sin(turn)
    px, py = o["speed"] * now, 0.0
    if abs(curvature) > STRAIGHT:
        px, py = st / curvature, (1.0 - ct) / curvature
    middle, half = 0.5 * (o["front"] - o["rear"]), 0.5 * (o["front"] + o["rear"])
    dx, dy = x + vx * run - px - ct * middle, y + vy * run - py - st * middle
    wide = o["half_width"] + o["side_margin"]
    apart = math.sqrt(dx * dx + dy * dy) - math.sqrt(t["half"][0] ** 2 + t["half"][1] ** 2) - math.sqrt(half * half + wide * wide)
    if apart <= 0.0:
        meets = overlap(ct * dx + st * dy, ct * dy - st * dx, ct * ax + st * ay, ct * ay - st * ax, half, wide, t["half"])
        apart = -1.0 if meets else 0.0
    return apart


@inline
def overlap(x, y, ax, ay, half, wide, size):
    """Return whether a rectangle about 0 (half, wide) meets one about x, y with the axis ax, ay and the half sides `size`."""
    cosine, sine = abs(ax), abs(ay)
    if abs(x) > half + size[0] * cosine + size[1] * sine or abs(y) > wide + size[0] * sine + size[1] * cosine:
        return False
    along, across = abs(x * ax + y * ay), abs(y * ax - x * ay)
    return along <= size[0] + half * cosine + wide * sine and across <= size[1] + half * sine + wide * cosine


@inline
def gap_along(o, t, center, axis, velocity):
    """Return the distance [m] from the own front along the arc of the present yaw rate, infinite if the object is not in the way, and its speed
    along the arc [m/s]; see `meeting`."""
    (x, y), (ax, ay), (vx, vy) = center, axis, velocity
    low, high, left, right, turn = math.inf, -math.inf, -math.inf, math.inf, 0.0
    bend = o["curvature"][0]
    for k in range(5):  # the center last
        i, j = (-1.0 if k % 2 == 0 else 1.0), (-1.0 if k < 2 else 1.0)
        if k == 4:
            i = j = 0.0
        cx = x + i * t["half"][0] * ax - j * t["half"][1] * ay
        cy = y + i * t["half"][0] * ay + j * t["half"][1] * ax
        station, side, turn = cx, cy, 0.0
        if abs(bend) > STRAIGHT:
            sign = 1.0 if bend > 0.0 else -1.0
            radius = abs(1.0 / bend)
            turn = sign * math.atan2(cx, radius - sign * cy)
            station = radius * sign * turn
            side = sign * (radius - math.sqrt(cx * cx + (radius - sign * cy) ** 2))
        low, high = min(low, station), max(high, station)
        left, right = max(left, side), min(right, side)
    along = math.cos(turn) * vx + math.sin(turn) * vy
    if high <= o["front"] or left < -o["lane"] or right > o["lane"] or abs(turn) > 0.5 * math.pi:
        return math.inf, along
    return max(low - o["front"], 0.0), along
