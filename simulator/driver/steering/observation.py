"""What a steering law sees: the vehicle as its driver knows it, and how it moves relative to a path."""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel
from simulator.base.records import Record, record
from simulator.driver.internal_model import InternalModel
from simulator.driver.path_kernels import nearest

LOW_SPEED = 6.0
"""m/s. Well below this an error is taken back over a way, bandwidth / LOW_SPEED per metre, and no longer over a time: tires answer after
a way, not after a time. Smaller: the driver weaves at walking pace. Larger: he cuts slow corners."""

CAR = (
    # name            shape  unit  what it is
    ("turning_length", (), "m", "road-wheel angle over curvature of a slow turn"),
    ("understeer", (), "rad s2/m", "road-wheel angle needed per lateral acceleration beyond that of a slow turn"),
    ("response", (), "s", "about the time the vehicle needs to answer the steering"),
    ("rear_slip", (), "rad s2/m", "slip angle of the rear axles per lateral acceleration"),
    ("front", (), "m", "first axle ahead of the center of mass"),
    ("rear", (), "m", "where an axle would stand, behind the center of mass, on which the vehicle turns slowly without sideslip"),
    ("center", (), "m", "center of mass ahead of the reference point"),
)
"""The vehicle, out of its traits."""

SEEN = (
    # name       shape  unit  what it is
    ("x", (), "m", "of the reference point"),
    ("y", (), "m", "likewise"),
    ("yaw", (), "rad", "+ = left"),
    ("v_x", (), "m/s", "velocity of the reference point ahead"),
    ("v_y", (), "m/s", "and to the left"),
    ("w", (), "rad/s", "yaw rate, + = left"),
    ("grade", (), "1", "rise of the ground ahead per way, from the wheels' contact points"),
    ("station", (), "m", "of the foot of the reference point on the path"),
    ("angle", (), "rad", "mean road-wheel angle that the driver's hands give now, + = left"),
    ("wanted", (), "rad", "mean road-wheel angle that the law asks for, + = left"),
)
"""One look."""


def car_of(traits: InternalModel) -> Record:
    """CAR record."""
    car = record(CAR)
    c = car[0]
    c["turning_length"], c["understeer"], c["response"] = traits.turning_length, traits.understeer, traits.response
    c["rear_slip"] = traits.rear_slip
    c["front"] = (1.0 - traits.front_share) * traits.wheelbase
    c["rear"] = traits.turning_length - c["front"]
    c["center"] = traits.front_axle - c["front"]
    return car


@kernel
def notice(readout, seen):
    """Fill in how the vehicle moves, out of READOUT; False, and nothing is filled in, where a number is not finite."""
    now, s = readout[0], seen[0]
    p, v, w = now["p_WB"], now["v_WB_B"], now["w_WB_B"][2]
    if not math.isfinite(p[0] + p[1] + now["yaw"] + v[0] + v[1] + w):
        return False
    s["x"], s["y"], s["yaw"] = p[0], p[1], now["yaw"]
    s["v_x"], s["v_y"], s["w"] = v[0], v[1], w
    s["grade"] = grade_under(now)
    return True


@inline
def grade_under(now):
    """Rise of the ground ahead per way, from the first to the last wheels' contact points; 0 where they are not apart."""
    c = now["p_WC"]
    last = len(c) - 1
    other = max(last - 1, 0)
    rise = 0.5 * (c[0, 2] + c[1, 2] - c[last, 2] - c[other, 2])
    way = math.hypot(0.5 * (c[0, 0] + c[1, 0] - c[last, 0] - c[other, 0]), 0.5 * (c[0, 1] + c[1, 1] - c[last, 1] - c[other, 1]))
    return min(max(rise / way, -1.0), 1.0) if way > 0.5 and math.isfinite(rise) else 0.0


@kernel
def follow(line, seen):
    """Go along the path to where the vehicle is now."""
    s = seen[0]
    s["station"] = nearest(line, s["x"], s["y"], s["station"])


@inline
def pose_after(s, time):
    """x, y [m] and yaw [rad] after a time [s] at the present velocity and yaw rate."""
    middle = s["yaw"] + 0.5 * s["w"] * time
    c, sn = math.cos(middle) * time, math.sin(middle) * time
    return s["x"] + c * s["v_x"] - sn * s["v_y"], s["y"] + sn * s["v_x"] + c * s["v_y"], s["yaw"] + s["w"] * time


@inline
def sideslip_at(s, ahead):
    """Angle [rad] from the vehicle's nose to the velocity of a point `ahead` of the reference point [m]; it means nothing at a standstill."""
    return math.atan2(s["v_y"] + ahead * s["w"], max(s["v_x"], 0.5 * LOW_SPEED))


@inline
def angle_for(car, s, curvature):
    """Road-wheel angle [rad] of a steady turn of that curvature [1/m] at the present speed: (L + K v^2) kappa."""
    return (car[0]["turning_length"] + car[0]["understeer"] * s["v_x"] * s["v_x"]) * curvature


@inline
def bounded(value, most):
    """The value, within -most and most."""
    return min(max(value, -most), most)


@inline
def excess(e, time, correction):
    """What of a distance e [m] from the path a driver does not look at who takes it back within about `time` [s]: far away he heads back at a
    steady angle, from which he can still turn in with less than the correction."""
    return e - bounded(e, 1.5 * correction * time * time)


@inline
def spendable(s, correction):
    """Curvature [1/m] whose lateral acceleration is `correction` [m/s2] at the present speed."""
    return correction / (s["v_x"] * s["v_x"] + LOW_SPEED * LOW_SPEED)
