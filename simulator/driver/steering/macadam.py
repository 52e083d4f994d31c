"""Optimal preview: the constant steering that keeps a linear vehicle closest to the path for the next seconds."""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel
from simulator.driver.path_kernels import point_at
from simulator.driver.steering.observation import LOW_SPEED, angle_for, bounded, spendable

STEP = 0.025
"""s. Time step of the linear vehicle."""
MIN_SLIP = 1e-3
"""rad s2/m. Minimum slip angle of an axle per lateral acceleration; below, the model would be stiffer than any tire."""


@kernel
def macadam(p, car, seen, line):
    """Write the road-wheel angle of optimal preview control to `seen`.

    With f_i the lateral position of the path, y_i that of the vehicle with straight wheels, and g_i its sensitivity to the road-wheel
    angle, at N times tau_i = i T / N from now on,

        delta = sum (f_i - y_i) g_i / sum g_i^2

    minimizes sum (f_i - y_i - g_i delta)^2 [MacAdam 1981, eq. 10 to 14, with equal weights]. During the lag the wheels keep their angle.
    The vehicle is the linear bicycle, with D_f = K + D_r and D_r the slip angles of its axles per lateral acceleration, a, b their
    distances from the center of mass, L = a + b, and a b the square of its radius of gyration about the vertical axis:

        alpha_f = (v + a w) / u - delta,     alpha_r = (v - b w) / u
        v' = -(b alpha_f / D_f + a alpha_r / D_r) / L - u w,      w' = -(alpha_f / D_f - alpha_r / D_r) / L

    in steps of STEP by the trapezoidal rule. Positions are integrals of small angles relative to the present course of the path, so that a
    steady circle needs exactly (L + K u^2) kappa. [differs: the lateral position of the path is such an integral, and the deviation is
    bounded.]

    p : preview T [s], points N [1], lag [s], correction [m/s2]; car : CAR, seen : SEEN, line : Line
    """
    n, c, s = p[0], car[0], seen[0]
    u = max(s["v_x"], 0.5 * LOW_SPEED)
    a, b = c["front"], c["rear"]
    length = a + b
    rear_slip = max(c["rear_slip"], MIN_SLIP)
    front_slip = max(c["understeer"] + rear_slip, MIN_SLIP)
    # state (v, w): matrix and input of the linear bicycle
    m11, m12 = -(b / front_slip + a / rear_slip) / (length * u), -(b * a / front_slip - a * b / rear_slip) / (length * u) - u
    m21, m22 = -(1.0 / front_slip - 1.0 / rear_slip) / (length * u), -(a / front_slip + b / rear_slip) / (length * u)
    in1, in2 = b / (front_slip * length), 1.0 / (front_slip * length)
    # trapezoidal rule: (1 - h/2 M) x+ = (1 + h/2 M) x + h in delta
    count = max(int(n["points"]), 1)
    parts = max(int(n["preview"] / (count * STEP) + 0.5), 1)
    h = n["preview"] / (count * parts)
    q = 0.5 * h
    det = (1.0 - q * m11) * (1.0 - q * m22) - q * q * m12 * m21
    i11, i12, i21, i22 = (1.0 - q * m22) / det, q * m12 / det, q * m21 / det, (1.0 - q * m11) / det
    e11, e12 = i11 * (1.0 + q * m11) + i12 * q * m21, i11 * q * m12 + i12 * (1.0 + q * m22)
    e21, e22 = i21 * (1.0 + q * m11) + i22 * q * m21, i21 * q * m12 + i22 * (1.0 + q * m22)
    f1, f2 = h * (i11 * in1 + i12 * in2), h * (i21 * in1 + i22 * in2)

    hx, hy, heading, kappa = point_at(line, s["station"])
    left = math.cos(heading) * (s["y"] - hy) - math.sin(heading) * (s["x"] - hx)
    far = 0.5 * n["correction"] * n["preview"] ** 2
    # free motion relative to the present course of the path, and forced motion per rad
    v, w, psi, y = s["v_y"] + c["center"] * s["w"], s["w"], relative(s["yaw"], heading), bounded(left, far)
    gv = gw = gpsi = gy = 0.0
    way = 0.0
    fy, ahead = 0.0, 0.0
    top = bottom = 0.0
    for i in range(count * parts):
        kept_angle = s["angle"] if i * h < n["lag"] else 0.0
        steered = 0.0 if i * h < n["lag"] else 1.0
        v0, w0, psi0, gv0, gw0, gpsi0, ahead0 = v, w, psi, gv, gw, gpsi, ahead
        v, w = e11 * v0 + e12 * w0 + f1 * kept_angle, e21 * v0 + e22 * w0 + f2 * kept_angle
        gv, gw = e11 * gv0 + e12 * gw0 + f1 * steered, e21 * gv0 + e22 * gw0 + f2 * steered
        psi, gpsi = psi0 + q * (w0 + w), gpsi0 + q * (gw0 + gw)
        y += q * (v0 + v - c["center"] * (w0 + w) + u * (psi0 + psi))
        gy += q * (gv0 + gv - c["center"] * (gw0 + gw) + u * (gpsi0 + gpsi))
        way += u * h
        _, _, there, _ = point_at(line, s["station"] + way)
        ahead = there - heading
        fy += q * u * (ahead0 + ahead)
        if (i + 1) % parts == 0:
            top += (fy - y) * gy
            bottom += gy * gy
    wanted = top / bottom if bottom > 0.0 else s["angle"]
    steady = angle_for(car, s, kappa)
    s["wanted"] = steady + bounded(wanted - steady, angle_for(car, s, spendable(s, n["correction"])))


@inline
def relative(angle, to):
    """Return an angle [rad] relative to another one, within half a turn."""
    return math.atan2(math.sin(angle - to), math.cos(angle - to))
