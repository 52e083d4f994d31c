"""Stop curve: stop plan of a platform whose legs have a jerk limit, and the proof that all legs respect all limits.

The stop curve replaces the straight stop plan of `washout.limiter.acceleration_limited_stop` if the platform file has `leg_jerk`. The rule
is the same: a new pose is accepted only together with a stop curve that was shown to respect the limits. If nothing better is accepted, the
platform continues along the last accepted curve.

**The curve.** One parabola passes through the new pose q0 and the two previous poses. Beyond q0 it is continued by

    Q'(t) = V phi(s) + a T psi(s),   s = t / T from 0 to 1,   phi = (1 - s)^2 (1 + 2 s),   psi = s (1 - s)^2

with V and a the velocity and acceleration (6,) of the parabola at q0: pose, velocity and acceleration are continuous there, and velocity and
acceleration are zero after the time T. The end is q0 + V T / 2 + a T^2 / 12.

**Why samples of the curve respect the limits.** All poses commanded on the curve are samples of it, for any length of the steps, and so
are q0 and the two previous poses. A difference of leg lengths over 2, 3 or 4 samples (of any distance; with equal ones the usual differences divided
by h, h^2, h^3) is a mean of the first, second or third derivative of the lengths l(t) over the time that the samples span, with a weight that
is not negative (Peano). It is therefore sufficient that |l'| <= speed, |l''| <= acceleration and |l'''| <= jerk at every instant of
the curve, including its parabola, and that l stays within the stroke. The first differences that end at q0 or before are checked directly.

**Bounds.** Let w be the vector along a leg, l its length and n = w / l; S(x) the sum of the three absolute angular components of x, and

    N(x) = |x_translation| + reach sqrt((|x_roll| + |x_yaw|)^2 + x_pitch^2)

which is a bound of the velocity of all platform joints at the rates x: the axes of roll and yaw have any angle, the axis of pitch is perpendicular to
both. With v, r bounds of N(Q'), S(Q') and d, e bounds of N(Q''), S(Q'') on curve and parabola, L the shortest leg,

    |w'| <= v      l'  = n w'
    l''  = J Q'' + Q' H Q'               |Q' H Q'|  <= c = v^2 / L + reach r^2
    l''' = J Q''' + 3 Q' H Q'' + ...     |3 Q' H Q'' + ...| <= k = 3 m + c (3 v / L + r),   m = v d / L + reach r e

J, which is (n, (R b)' n) of the leg, is not constant along the curve: J V changes by at most c t and J a by at most m t. With u = J V and
b = J a at q0, the motion of each leg is therefore that of a single axis plus a remainder:

    l'   = u phi + b T psi            +- e1     e1 = 0.26 T c + T^2 m / 16 + du + 0.149 T db
    l''  = u phi' / T + b psi'        +- e2     e2 = 2 c + 0.235 T m + 1.5 du / T + k (h + g)
    l''' = u phi'' / T^2 + b psi'' / T +- e3    e3 = 4 c / T + k + 6 du / T^2 + 4 k (h + g) / T              at s = 0
                                                e3 = 8 c / T + k + 6 du / T^2 + 2 k (h + g) / T + 2 m        at s = 1
    l - l(q0) = T (u Phi + b T Psi)   +- e0     e0 = T^2 (0.15 c + T m / 30) + T (du / 2 + db T / 12)

where u and b are taken from the differences of the legs over the last steps h and g, which the parabola interpolates: u = speed + h / 2
acceleration with an error of du = k h (h + g) / 6, and b = acceleration with an error of db = c + k (h + g). The numbers are the maxima of
the corresponding polynomials in s; that of e3 is convex, so its two ends are sufficient.

Single axis: the jerk is linear in s, so |6 u + 4 b T| <= (jerk - e3(0)) T^2 and |6 u + 2 b T| <= (jerk - e3(1)) T^2. The acceleration is (1 - s)(b - (3 b + x) s) with
x = 6 u / T; it starts at b, and its other extremum is within A = limit - e2 when (signs such that u >= 0) x <= 2 (A - b) + 2 sqrt(A (A + b)).
The speed is largest at s = 0 or at s = b / (3 b + x), the length at s = 1 or where the speed changes its sign, s = -u / (2 u + b T).
T is the minimum that satisfies these conditions; a velocity without such a T is rejected.
"""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel

STROKE, SPEED, ACCELERATION, JERK = 1, 2, 3, 4
"""Limits that a pose may violate; `stop_length` returns `-STROKE` and so on instead of a length."""

CURVE = (
    # name                   shape  unit            description
    (
        "accelerations",
        (6,),
        "m/s2, rad/s2",
        "change of the rates over the time from the middle of the last step to the middle of this step",
    ),
    ("leg_jerk", (6,), "m/s3", "change of the leg accelerations over a third of the last three steps"),
    ("step_before", (), "s", "length of the step before the last; infinite if last_step was"),
    ("curve_pose", (6,), "m, rad", "start of the stop curve"),
    ("curve_rates", (6,), "m/s, rad/s", "velocity at the start of the stop curve"),
    ("curve_accelerations", (6,), "m/s2, rad/s2", "acceleration at the start of the stop curve"),
    ("curve_length", (), "s", "total time of the stop curve"),
    ("kept", (6,), "m/s, rad/s", "work: pose velocity along the stop curve"),
    ("trial_rates", (6,), "m/s, rad/s", "work: velocity at the end of the tick under examination"),
    ("trial_accelerations", (6,), "m/s2, rad/s2", "work: acceleration at the end of the tick under examination"),
    ("trial_leg_speed", (6,), "m/s", "work: leg speeds at the end of the tick under examination"),
    ("trial_leg_acceleration", (6,), "m/s2", "work: leg accelerations in the tick under examination"),
)
"""Fields of a LIMITER state for the stop curve."""

SHORTEST = 0.01
"""s. Minimum time of a curve: for a platform that hardly moves, rounding would dominate."""

RESERVE = 1.03
"""1. Factor by which the computed time is increased, because the remainders belong to an estimate."""

TRIES = 4
"""1. Maximum number of iterations for the time before a velocity is rejected."""


@inline
def travelled(s):
    """Return (integral of phi, integral of psi) from 0 to s."""
    return s * (1.0 - s * s * (1.0 - 0.5 * s)), s * s * (0.5 - s * (2.0 / 3.0 - 0.25 * s))


@kernel
def curve_pose_at(s, age, pose):
    """Compute the pose (6,) `age` seconds after the start of the stop curve of the LIMITER `s`."""
    length = s[0]["curve_length"]
    share = 1.0 if age >= length else age / length
    of_rates, of_accelerations = travelled(share)
    for i in range(6):
        distance = of_rates * s[0]["curve_rates"][i] + of_accelerations * length * s[0]["curve_accelerations"][i]
        pose[i] = s[0]["curve_pose"][i] + length * distance


@inline
def _size(reach, x):
    """Return N(x) and S(x) of the module docstring."""
    leaning, turn = abs(x[3]) + abs(x[5]), abs(x[3]) + abs(x[4]) + abs(x[5])
    return math.sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) + reach * math.sqrt(leaning * leaning + x[4] * x[4]), turn


@kernel
def curve_bend(p, rates):
    """Return c of the module docstring [m/s2] at the rates (6,) of a pose [m/s, rad/s]."""
    speed, turn = _size(p[0]["reach"], rates)
    return speed * speed / p[0]["shortest_leg"] + p[0]["reach"] * turn * turn


@inline
def _remaining(p, sizes, steps, h, length):
    """Return, for a curve of this length [s]: e0, e1, and the acceleration and jerk that remain after subtracting e2 and e3 at either end.

    sizes: N and S of V, N and S of a; steps: h + g [s].
    """
    largest, reach = p[0]["shortest_leg"], p[0]["reach"]
    longer = max(steps, 0.149 * length)
    v, r = sizes[0] + longer * sizes[2], sizes[1] + longer * sizes[3]
    d, e = 1.5 * sizes[0] / length + sizes[2], 1.5 * sizes[1] / length + sizes[3]
    c = v * v / largest + reach * r * r
    m = v * d / largest + reach * r * e
    k = 3.0 * m + c * (3.0 * v / largest + r)
    du, dk = k * h * steps / 6.0, k * steps
    db = c + dk
    e0 = length * length * (0.15 * c + length * m / 30.0) + length * (0.5 * du + db * length / 12.0)
    e1 = 0.26 * length * c + length * length * m / 16.0 + du + 0.149 * length * db
    e2 = 2.0 * c + 0.235 * length * m + 1.5 * du / length + dk
    start = (4.0 * db + 6.0 * du / length) / length + k
    end = (8.0 * c + 2.0 * dk + 6.0 * du / length) / length + k + 2.0 * m
    return e0, e1, p[0]["leg_acceleration"] - e2, p[0]["leg_jerk"] - start, p[0]["leg_jerk"] - end


@inline
def _length_for(u, b, acceleration, start, end):
    """Return the minimum T [s] of an axis with the speed u >= 0 and the acceleration b of either sign; `start` and `end`: jerk limits there."""
    by_start = (2.0 * b + math.sqrt(4.0 * b * b + 6.0 * u * start)) / start
    by_end = (b + math.sqrt(b * b + 6.0 * u * end)) / end
    if b < 0.0:
        if 4.0 * b * b > 6.0 * u * start:
            by_start = max(by_start, (math.sqrt(4.0 * b * b - 6.0 * u * start) - 2.0 * b) / start)
        if b * b > 6.0 * u * end:
            by_end = max(by_end, (math.sqrt(b * b - 6.0 * u * end) - b) / end)
    largest = 2.0 * (acceleration - b) + 2.0 * math.sqrt(max(0.0, acceleration * (acceleration + b)))
    return max(by_start, by_end, 6.0 * u / largest)


@kernel
def stop_length(p, s, h, steps):
    """Return the time [s] of the stop curve from the trial, or the violated limit (-STROKE, -SPEED, -ACCELERATION, -JERK).

    s.trial_rates to s.trial_leg_acceleration must be filled; `steps` [s]: the last step and this one.
    """
    fastest, hardest = 0.0, 0.0
    for i in range(6):
        fastest = max(fastest, abs(s[0]["trial_leg_speed"][i]))
        hardest = max(hardest, abs(s[0]["trial_leg_acceleration"][i]))
    speed, turn = _size(p[0]["reach"], s[0]["trial_rates"])
    push, spin = _size(p[0]["reach"], s[0]["trial_accelerations"])
    sizes = speed, turn, push, spin
    jerk = p[0]["leg_jerk"]
    length = max(SHORTEST, _length_for(fastest, hardest, p[0]["leg_acceleration"], jerk, jerk))
    e0, e1, acceleration, start, end = _remaining(p, sizes, steps, h, length)
    for attempt in range(TRIES):
        if not (start > 0.0 and end > 0.0):
            return -float(JERK)
        if not hardest <= acceleration:
            return -float(ACCELERATION)
        # first test: one leg with the maxima of all legs, which is sufficient for a platform with little motion
        if attempt == 0:
            needed = _length_for(fastest, hardest, acceleration, start, end)
        else:
            needed = _length_of_legs(s, acceleration, start, end)
        length = max(SHORTEST, RESERVE * needed)
        e0, e1, acceleration, start, end = _remaining(p, sizes, steps, h, length)
        possible = start > 0.0 and end > 0.0 and hardest <= acceleration
        if attempt == 0:
            enough = possible and _length_for(fastest, hardest, acceleration, start, end) <= length
            if enough and _bounds_suffice(p, s, fastest, hardest, length, e0, e1):
                return length
        elif possible and _length_of_legs(s, acceleration, start, end) <= length:
            return _keeps_speed_and_stroke(p, s, length, e0, e1)
    return -float(JERK)


@inline
def _bounds_suffice(p, s, fastest, hardest, length, e0, e1):
    """Return True if a leg with the maximum speed and acceleration of all legs, in any direction, respects speed and stroke limits."""
    good = fastest + 0.149 * length * hardest + e1 <= p[0]["leg_speed"]
    distance = length * (0.5 * fastest + hardest * length / 12.0) + e0
    for i in range(6):
        leg = s[0]["trial_legs"][i]
        good = good and p[0]["shortest_leg"] + distance <= leg <= p[0]["longest_leg"] - distance
    return good


@inline
def _length_of_legs(s, acceleration, start, end):
    """Return the maximum of the times [s] that the legs need."""
    longest = 0.0
    for i in range(6):
        u, b = s[0]["trial_leg_speed"][i], s[0]["trial_leg_acceleration"][i]
        longest = max(longest, _length_for(abs(u), b if u >= 0.0 else -b, acceleration, start, end))
    return longest


@kernel
def _keeps_speed_and_stroke(p, s, length, e0, e1):
    """Return the length [s] if all legs respect speed and stroke limits, else -SPEED or -STROKE."""
    fastest = p[0]["leg_speed"] - e1
    shortest, longest = p[0]["shortest_leg"] + e0, p[0]["longest_leg"] - e0
    for i in range(6):
        u, b, leg = s[0]["trial_leg_speed"][i], s[0]["trial_leg_acceleration"][i], s[0]["trial_legs"][i]
        if not abs(u) <= fastest:
            return -float(SPEED)
        bt = b * length
        # zero of the acceleration: s = b / (3 b + 6 u / T)
        slope = 3.0 * bt + 6.0 * u
        if 0.0 < bt * slope < slope * slope:
            share = bt / slope
            remainder = (1.0 - share) * (1.0 - share)
            if not abs(u * remainder * (1.0 + 2.0 * share) + bt * share * remainder) <= fastest:
                return -float(SPEED)
        end = leg + length * (0.5 * u + bt / 12.0)
        if not (shortest <= leg <= longest and shortest <= end <= longest):
            return -float(STROKE)
        # zero of the speed: s = -u / (2 u + b T)
        slope = 2.0 * u + bt
        if 0.0 < -u * slope < slope * slope:
            of_rates, of_accelerations = travelled(-u / slope)
            if not shortest <= leg + length * (u * of_rates + bt * of_accelerations) <= longest:
                return -float(STROKE)
    return length
