"""Default steering controller: curvature of the path ahead, and damped feedback of the predicted error."""

from __future__ import annotations

import math

from simulator.base.jit import kernel
from simulator.driver.path_kernels import nearest, point_at
from simulator.driver.steering.observation import LOW_SPEED, angle_for, bounded, course_sideslip, pose_after


@kernel
def course_following(p, car, seen, line):
    """Write the road-wheel angle for the path ahead to `seen`.

    The pose is extrapolated by the preview time T with the present velocity and yaw rate. At this pose, with e the distance to the left of
    the path, chi the course angle (yaw + `course_sideslip`) relative to the path and kappa the curvature of the path,

        k     = bandwidth / sqrt(v^2 + LOW_SPEED^2)                         1/m
        turn  = kappa + bounded(-k^2 e - 2 damping k sin(chi), correction / (v^2 + LOW_SPEED^2))
        delta = (L + K v^2) turn                                            mean road-wheel angle

    For a vehicle with the response time T the error obeys e'' + 2 damping bandwidth e' + bandwidth^2 e = 0.
    [MacAdam 1981 for preview as compensation of the vehicle's lag; Kapania and Gerdes 2015 for curvature feed-forward by the handling
    curve with sideslip feedback; differs: gains follow from bandwidth and damping at every speed.]

    p : preview [s], bandwidth [rad/s], damping [1], correction [m/s2]; car : CAR, seen : SEEN, line : Line
    """
    n, s = p[0], seen[0]
    v_x = s["v_x"]
    x, y, yaw = pose_after(s, n["preview"])
    hx, hy, heading, kappa = point_at(line, nearest(line, x, y, s["station"] + v_x * n["preview"]))
    e = math.cos(heading) * (y - hy) - math.sin(heading) * (x - hx)
    course = yaw + course_sideslip(car, s, kappa) - heading
    v = math.hypot(max(v_x, 0.0), LOW_SPEED)
    k = n["bandwidth"] / v
    # far from the path the driver steers back at a steady angle, from which the correction limit still allows to turn in
    far = 3.0 * n["correction"] / n["bandwidth"] ** 2
    back = -k * k * bounded(e, far) - 2.0 * n["damping"] * k * math.sin(course)
    s["wanted"] = angle_for(car, s, kappa + bounded(back, n["correction"] / (v * v)))
