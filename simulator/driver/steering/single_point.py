"""Single-point preview: the arc to one point of the path ahead."""

from __future__ import annotations

import math

from simulator.base.jit import kernel
from simulator.driver.path_kernels import nearest, point_at
from simulator.driver.steering.observation import angle_for, bounded, excess, pose_after, sideslip_at, spendable


@kernel
def single_point(p, car, seen, line):
    """Write the road-wheel angle of single-point preview to `seen`.

    The start is the pose of the vehicle after its response time. The target is the point of the path that is one preview time further. With
    D the distance to its foot and y its distance to the left of the course at the start,

        turn  = 2 y / D^2,   D = preview max(v, 2 m/s)
        delta = (L + K v^2) turn

    On a straight this gives e'' + (2/T) e' + (2/T^2) e = 0 for T the preview: damping ratio 0.71.
    [MacAdam 1981, section "single point": driver of a linear vehicle with one preview point. differs: the response of the vehicle is its
    steady turn after the response time, instead of the linear model's path to the point.]

    p : preview [s], correction [m/s2]; car : CAR, seen : SEEN, line : Line
    """
    n, s = p[0], seen[0]
    x, y, yaw = pose_after(s, car[0]["response"])
    station = nearest(line, x, y, s["station"] + s["v_x"] * car[0]["response"])
    way = n["preview"] * max(s["v_x"], 2.0)
    tx, ty, _, _ = point_at(line, station + way)
    hx, hy, heading, kappa = point_at(line, station)
    e = math.cos(heading) * (y - hy) - math.sin(heading) * (x - hx)
    course = yaw + sideslip_at(s, 0.0)
    left = math.cos(course) * (ty - y) - math.sin(course) * (tx - x) + excess(e, n["preview"], n["correction"])
    turn = 2.0 * left / (way * way)
    s["wanted"] = angle_for(car, s, kappa + bounded(turn - kappa, spendable(s, n["correction"])))
