"""Inputs of a steering controller: internal model of the vehicle, and its motion relative to a path."""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel
from simulator.base.records import Record, record
from simulator.driver.internal_model import InternalModel
from simulator.driver.path_kernels import nearest

LOW_SPEED = 6.0
"""m/s. Well below this speed an error is corrected over a distance (bandwidth / LOW_SPEED per meter) instead of a time, because tires
respond over a distance. Smaller: the driver weaves at walking pace. Larger: the driver cuts slow corners."""

SLOW, FAST = 12.0, 20.0
"""m/s. Below the first speed the sideslip of a driver is that of the path and a slow mean, above the second one the measured one."""
DRIFT_TIME = 1.0
"""s. Time over which the mean of the drift is taken, longer than the roll of a body on its springs."""
PAUSE = 0.2
"""s between two calls after which the mean begins again."""

CAR = (
    # name            shape  unit  description
    ("turning_length", (), "m", "road-wheel angle divided by curvature in a slow turn"),
    ("understeer", (), "rad s2/m", "additional road-wheel angle per lateral acceleration, relative to a slow turn"),
    ("response", (), "s", "approximate response time of the vehicle to steering"),
    ("rear_slip", (), "rad s2/m", "slip angle of the rear axles per lateral acceleration"),
    ("front", (), "m", "distance of the first axle ahead of the center of mass"),
    ("rear", (), "m", "distance behind the center of mass of the point without slip angle in a slow turn"),
    ("center", (), "m", "distance of the center of mass ahead of the reference point"),
)
"""Vehicle parameters, from its traits."""

SEEN = (
    # name       shape  unit  description
    ("x", (), "m", "x of the reference point"),
    ("y", (), "m", "y of the reference point"),
    ("yaw", (), "rad", "yaw angle, + = left"),
    ("v_x", (), "m/s", "forward velocity of the reference point"),
    ("v_y", (), "m/s", "velocity of the reference point to the left"),
    ("w", (), "rad/s", "yaw rate, + = left"),
    ("grade", (), "1", "slope of the ground ahead, rise over distance, from the wheels' contact points"),
    ("station", (), "m", "station of the foot of the reference point on the path"),
    ("angle", (), "rad", "present mean road-wheel angle, + = left"),
    ("wanted", (), "rad", "requested mean road-wheel angle, + = left"),
    ("time", (), "s", "time of the last call"),
    (
        "drift",
        (),
        "rad",
        "mean sideslip of the point without slip angle in a slow turn beyond that of the tires, on a side slope or a slippery ground",
    ),
)
"""Observation of one call of the driver."""


def car_of(traits: InternalModel) -> Record:
    """Return a CAR record."""
    car = record(CAR)
    c = car[0]
    c["turning_length"], c["understeer"], c["response"] = traits.turning_length, traits.understeer, traits.response
    c["rear_slip"] = traits.rear_slip
    c["front"] = (1.0 - traits.front_share) * traits.wheelbase
    c["rear"] = traits.rear_point - c["front"]
    c["center"] = traits.front_axle - c["front"]
    return car


@kernel
def notice(readout, seen):
    """Write the motion of the vehicle from READOUT to `seen`; return False, without writing, if a value is not finite."""
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
    """Return the slope of the ground ahead, rise over distance, from the first to the last wheels' contact points; 0 if they coincide."""
    c = now["p_WC"]
    last = len(c) - 1
    other = max(last - 1, 0)
    rise = 0.5 * (c[0, 2] + c[1, 2] - c[last, 2] - c[other, 2])
    way = math.hypot(0.5 * (c[0, 0] + c[1, 0] - c[last, 0] - c[other, 0]), 0.5 * (c[0, 1] + c[1, 1] - c[last, 1] - c[other, 1]))
    return min(max(rise / way, -1.0), 1.0) if way > 0.5 and math.isfinite(rise) else 0.0


@kernel
def follow(line, seen):
    """Update the station to the present position of the vehicle."""
    s = seen[0]
    s["station"] = nearest(line, s["x"], s["y"], s["station"])


@kernel
def watch_drift(car, seen, t):
    """Update the mean drift at time t [s]."""
    s = seen[0]
    dt = t - s["time"]
    s["time"] = t
    now = sideslip_at(s, car[0]["center"] - car[0]["rear"]) - tire_sideslip(car, s)
    s["drift"] += (dt / (dt + DRIFT_TIME) if 0.0 <= dt < PAUSE else 1.0) * (now - s["drift"])


@inline
def pose_after(s, time):
    """Return x, y [m] and yaw [rad] after a time [s] at the present velocity and yaw rate."""
    middle = s["yaw"] + 0.5 * s["w"] * time
    c, sn = math.cos(middle) * time, math.sin(middle) * time
    return s["x"] + c * s["v_x"] - sn * s["v_y"], s["y"] + sn * s["v_x"] + c * s["v_y"], s["yaw"] + s["w"] * time


@inline
def sideslip_at(s, ahead):
    """Return the sideslip angle [rad] of a point `ahead` of the reference point [m]; meaningless at a standstill."""
    return math.atan2(s["v_y"] + ahead * s["w"], max(s["v_x"], 0.5 * LOW_SPEED))


@inline
def tire_sideslip(car, s):
    """Return the sideslip [rad] of the point without slip angle in a slow turn, by its tires at the present yaw rate."""
    return -car[0]["rear_slip"] * max(s["v_x"], 0.0) * s["w"]


@inline
def course_sideslip(car, s, curvature):
    """Return the sideslip [rad] of the reference point for the feedback on a path with a curvature [1/m].

    At low speed the measured sideslip contains the steering angle at once, and the roll of the body: the steering would answer itself, and
    the driver would weave. The sideslip is then that of the path, that of the tires in a steady turn, and the mean drift. [Kapania and
    Gerdes 2015: the sideslip of a steady turn in place of the measured one, for the margin of stability]
    """
    share = min(max((s["v_x"] - SLOW) / (FAST - SLOW), 0.0), 1.0)
    measured = sideslip_at(s, 0.0)
    if share == 1.0:
        return measured
    steady = math.atan((car[0]["rear"] - car[0]["center"]) * curvature) + tire_sideslip(car, s) + s["drift"]
    return steady + share * (measured - steady)


@inline
def angle_for(car, s, curvature):
    """Return the road-wheel angle [rad] of a steady turn with a curvature [1/m] at the present speed: (L + K v^2) kappa."""
    return (car[0]["turning_length"] + car[0]["understeer"] * s["v_x"] * s["v_x"]) * curvature


@inline
def bounded(value, most):
    """Clip a value to [-most, most]."""
    return min(max(value, -most), most)


@inline
def excess(e, time, correction):
    """Return the part of the distance e [m] from the path that is ignored when errors are corrected within about `time` [s].

    Far from the path the driver steers back at a steady angle, from which the correction limit still allows to turn in.
    """
    return e - bounded(e, 1.5 * correction * time * time)


@inline
def spendable(s, correction):
    """Return the curvature [1/m] with a lateral acceleration of `correction` [m/s2] at the present speed."""
    return correction / (s["v_x"] * s["v_x"] + LOW_SPEED * LOW_SPEED)
