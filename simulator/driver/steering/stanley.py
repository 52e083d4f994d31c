"""Stanley controller: heading of the path and distance from the path at the front axle."""

from __future__ import annotations

import math

from simulator.base.jit import kernel
from simulator.driver.path_kernels import nearest, point_at
from simulator.driver.steering.observation import angle_for, bounded, excess, pose_after, sideslip_at, spendable


@kernel
def stanley(p, car, seen, line):
    """Write the road-wheel angle of the Stanley controller to `seen`.

    At the position of the first axle after the response time of the vehicle, with e the distance to the left of the path, and chi the
    course angle of the vehicle relative to the path,

        delta = (L + K v^2) kappa - chi - atan(gain e / (softening + v)) + damping (kappa v - w)

    [Hoffmann, Tomlin, Montemerlo and Thrun 2007, eq. 8 and 9: heading, distance and yaw damping; differs: curvature feed-forward by the
    handling curve, the course of the vehicle (yaw + sideslip) instead of its heading minus that of a steady turn, and the pose after the
    response time of the vehicle.]

    p : gain [1/s], softening [m/s], damping [s], correction [m/s2]; car : CAR, seen : SEEN, line : Line
    """
    n, c, s = p[0], car[0], seen[0]
    time, to_front = c["response"], c["front"] + c["center"]
    x, y, yaw = pose_after(s, time)
    x, y = x + to_front * math.cos(yaw), y + to_front * math.sin(yaw)
    hx, hy, heading, kappa = point_at(line, nearest(line, x, y, s["station"] + to_front + s["v_x"] * time))
    e = math.cos(heading) * (y - hy) - math.sin(heading) * (x - hx)
    course = math.sin(yaw + sideslip_at(s, 0.0) + to_front * kappa - heading)
    turning = max(s["v_x"], 1.0) / angle_for(car, s, 1.0)  # yaw rate per road-wheel angle
    e -= excess(e, math.sqrt(2.0 / (turning * n["gain"])), n["correction"])
    back = -course - math.atan(n["gain"] * e / (n["softening"] + max(s["v_x"], 0.0)))
    back += n["damping"] * (kappa * s["v_x"] - s["w"])
    most = angle_for(car, s, spendable(s, n["correction"]))
    s["wanted"] = angle_for(car, s, kappa) + bounded(back, most)
