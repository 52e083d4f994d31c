"""Motion perceived by the rider: specific force and angular rate at the head, and their errors relative to the scaled motion of the vehicle.

With the pose p_NP, R_NP of the platform and the head at h in P, from the rates of roll, pitch and yaw and their derivatives:

    f_H_P = R_NP^T (a_NP + g e_z) + alpha_NP x h + w_NP x (w_NP x h)          all in P

Tilt therefore appears as a component of gravity and as a rotation. The pose is the actual pose behind the actuators if the platform file describes
them, else the commanded pose, whose rates are differences over the last two ticks. The head is the real head, even if another point is cued.
The reference is the specific force at the driver's head in the vehicle without gravity, multiplied by the gains of the washout and the intensity, plus
gravity: the motion of a platform without limits and lag. Limits and filters of the washout are not included in the reference.
"""

from __future__ import annotations

import math

from simulator.base.algebra.vectors import cross
from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.jit import kernel
from simulator.base.records import Record

FELT = (
    # name                 shape  unit     description                                                                    type, frame
    ("cab_f_H_P", (3,), "m/s2", "specific force at the rider's head due to the platform motion, including tilt", "f8", "P"),
    ("cab_w_NP_P", (3,), "rad/s", "angular velocity of the platform", "f8", "P"),
    ("cueing_force_error", (3,), "m/s2", "cab_f_H_P minus the scaled specific force at the driver's head in the vehicle", "f8", "P"),
    ("cueing_rate_error", (3,), "rad/s", "cab_w_NP_P minus the scaled angular velocity of the vehicle", "f8", "P"),
)

AIM = (
    # name               shape  unit  description
    ("aim_force_gain", (3,), "1", "scale of the reference force without gravity: surge, sway, heave"),
    ("aim_rate_gain", (3,), "1", "scale of the reference angular rate: roll, pitch, yaw"),
)
"""Values of `force_gain` and `rate_gain` of the washout; 1 for a washout without them."""

BEFORE = (("rates_before", (6,), "m/s, rad/s", "rates of the pose in the previous tick"),)


def set_aim(parameters: Record, p: Record) -> None:
    """Set AIM in `p` to the gains of a washout, if it has any."""
    for name in ("force_gain", "rate_gain"):
        if name in (parameters.dtype.names or ()) and parameters.dtype[name].shape in ((), (3,)):
            p[0][f"aim_{name}"] = parameters[0][name]


@kernel
def feel(p, s, f_H_B, w_WB_B, out):
    """Fill FELT; `p` with HEXAPOD, AIM and ACTUATORS, `s` with LIMITER, BEFORE, ACTUAL and INTENSITY, f_H_B (3,) [m/s2], w_WB_B (3,) [rad/s] of the
    driver in the vehicle."""
    q, h = s[0], p[0]["h"]
    if p[0]["actuated"] == 1:
        a = q["actual_accelerations"]
        _fill_felt(p, q["actual"], q["actual_rates"], (a[0], a[1], a[2], a[3], a[4], a[5]), q["intensity"], f_H_B, w_WB_B, out)
    else:
        r, b = q["rates"], q["rates_before"]
        change = ((r[0] - b[0]) / h, (r[1] - b[1]) / h, (r[2] - b[2]) / h, (r[3] - b[3]) / h, (r[4] - b[4]) / h, (r[5] - b[5]) / h)
        _fill_felt(p, q["pose"], r, change, q["intensity"], f_H_B, w_WB_B, out)


@kernel
def _fill_felt(p, pose, rates, accelerations, scale, f_H_B, w_WB_B, out):
    """Fill FELT for a pose (6,), its rates (6,) and accelerations (six numbers); `scale` is the intensity of the reference."""
    o = out[0]
    roll, pitch, yaw = pose[3], pose[4], pose[5]
    cr, sr, cp, sp, cy, sy = math.cos(roll), math.sin(roll), math.cos(pitch), math.sin(pitch), math.cos(yaw), math.sin(yaw)
    ax, ay, az, r2, p2, y2 = accelerations
    az += STANDARD_GRAVITY
    r1, p1, y1 = rates[3], rates[4], rates[5]
    w = (r1 - y1 * sp, p1 * cr + y1 * cp * sr, y1 * cp * cr - p1 * sr)
    alpha = (
        r2 - y2 * sp - y1 * p1 * cp,
        p2 * cr - p1 * r1 * sr + y2 * cp * sr + y1 * (r1 * cp * cr - p1 * sp * sr),
        y2 * cp * cr - y1 * (p1 * sp * cr + r1 * cp * sr) - p2 * sr - p1 * r1 * cr,
    )
    head = (p[0]["felt_at"][0], p[0]["felt_at"][1], p[0]["felt_at"][2])
    turning, inward = cross(alpha, head), cross(w, cross(w, head))
    f = (
        cp * cy * ax + cp * sy * ay - sp * az,
        (sr * sp * cy - cr * sy) * ax + (sr * sp * sy + cr * cy) * ay + sr * cp * az,
        (cr * sp * cy + sr * sy) * ax + (cr * sp * sy - sr * cy) * ay + cr * cp * az,
    )
    for j in range(3):
        vehicle_gravity = p[0]["gravity"] if j == 2 else 0.0
        platform_gravity = STANDARD_GRAVITY if j == 2 else 0.0
        o["cab_f_H_P"][j] = f[j] + turning[j] + inward[j]
        o["cab_w_NP_P"][j] = w[j]
        o["cueing_force_error"][j] = o["cab_f_H_P"][j] - platform_gravity - scale * p[0]["aim_force_gain"][j] * (f_H_B[j] - vehicle_gravity)
        o["cueing_rate_error"][j] = w[j] - scale * p[0]["aim_rate_gain"][j] * w_WB_B[j]
