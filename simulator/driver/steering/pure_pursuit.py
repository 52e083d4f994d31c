"""Pure pursuit: the arc from the rear axle to a point of the path at a distance."""

from __future__ import annotations

import math

from simulator.base.jit import kernel
from simulator.driver.path_kernels import nearest, point_at
from simulator.driver.steering.observation import angle_for, bounded, excess, sideslip_at, spendable


@kernel
def pure_pursuit(p, car, seen, line):
    """Write the road-wheel angle of pure pursuit to `seen`.

    With alpha the angle from the course of the vehicle to a point of the path at the distance D from the point without slip angle in a slow
    turn,

        D     = sqrt(distance^2 + (time v)^2)
        turn  = 2 sin(alpha) / D
        delta = (L + K v^2) turn

    [Coulter 1992; differs: includes the understeer K of the vehicle, and uses the course (yaw + sideslip) instead of the heading, because
    with the heading the vehicle would run wide in fast curves.]

    p : distance [m], time [s], correction [m/s2]; car : CAR, seen : SEEN, line : Line
    """
    n, c, s = p[0], car[0], seen[0]
    behind = c["rear"] - c["center"]
    x, y = s["x"] - behind * math.cos(s["yaw"]), s["y"] - behind * math.sin(s["yaw"])
    distance = math.hypot(n["distance"], n["time"] * s["v_x"])
    station = nearest(line, x, y, s["station"] - behind)
    hx, hy, heading, kappa = point_at(line, station)
    e = math.cos(heading) * (y - hy) - math.sin(heading) * (x - hx)
    tx, ty, _, _ = point_at(line, station + distance)
    course = s["yaw"] + sideslip_at(s, -behind)
    left = math.cos(course) * (ty - y) - math.sin(course) * (tx - x)
    left += excess(e, distance / max(s["v_x"], 1.0), n["correction"])
    away = max(math.hypot(tx - x, ty - y), distance)
    turn = bounded(2.0 * left / (away * away), 2.0 / away)
    turn = kappa + bounded(turn - kappa, spendable(s, n["correction"]))
    s["wanted"] = angle_for(car, s, turn)
