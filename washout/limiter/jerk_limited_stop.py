"""Stop curve: how a platform whose legs have a largest jerk comes to rest, and the proof that all legs keep all limits on the way.

It takes the place of the straight stop plan of `washout.limiter.limiter` where the platform's file has `leg_jerk`; the rule is the same: a new pose
is accepted only together with a stop curve that was shown to keep the limits, and whenever nothing better is accepted the platform goes on
along the curve accepted last.

**The curve.** Through the new pose q0 and the two before it goes one parabola. Past q0 it is continued by

    Q'(t) = V phi(s) + a T psi(s),   s = t / T from 0 to 1,   phi = (1 - s)^2 (1 + 2 s),   psi = s (1 - s)^2

with V and a the velocity and acceleration (6,) of the parabola at q0: pose, velocity and acceleration are continuous there, and velocity and
acceleration end at zero after the time T. Its end is q0 + V T / 2 + a T^2 / 12.

**Why samples of it keep the limits.** Every pose commanded while the curve is followed is a sample of it, however long the steps are, and so
are q0 and the two before. A difference of leg lengths over 2, 3 or 4 samples (of any distance; with equal ones the usual differences divided
by h, h^2, h^3) is a mean of the first, second or third derivative of the lengths l(t) over the time that the samples span, with a weight that
is not negative (Peano). It is therefore enough that |l'| <= speed, |l''| <= acceleration and |l'''| <= jerk at every instant of
the curve, of its parabola too, and that l stays within the stroke. The first differences that end at q0 or before are looked at themselves.

**Bounds.** Let w be the vector along a leg, l its length and n = w / l; S(x) the sum of the three absolute angular components of x, and

    N(x) = |x_translation| + reach sqrt((|x_roll| + |x_yaw|)^2 + x_pitch^2)

which no velocity of a platform joint exceeds at the rates x: the axes of roll and yaw stand at any angle, that of pitch at right angles to
both. With v, r bounds of N(Q'), S(Q') and d, e bounds of N(Q''), S(Q'') on curve and parabola, L the shortest leg,

    |w'| <= v      l'  = n w'
    l''  = J Q'' + Q' H Q'               |Q' H Q'|  <= c = v^2 / L + reach r^2
    l''' = J Q''' + 3 Q' H Q'' + ...     |3 Q' H Q'' + ...| <= k = 3 m + c (3 v / L + r),   m = v d / L + reach r e

J, which is (n, (R b)' n) of the leg, is not that of q0 along the curve: J V has moved by at most c t and J a by at most m t. With u = J V and
b = J a at q0, what each leg does is therefore that of a single axis, and a remainder:

    l'   = u phi + b T psi            +- e1     e1 = 0.26 T c + T^2 m / 16 + du + 0.149 T db
    l''  = u phi' / T + b psi'        +- e2     e2 = 2 c + 0.235 T m + 1.5 du / T + k (h + g)
    l''' = u phi'' / T^2 + b psi'' / T +- e3    e3 = 4 c / T + k + 6 du / T^2 + 4 k (h + g) / T              at s = 0
                                                e3 = 8 c / T + k + 6 du / T^2 + 2 k (h + g) / T + 2 m        at s = 1
    l - l(q0) = T (u Phi + b T Psi)   +- e0     e0 = T^2 (0.15 c + T m / 30) + T (du / 2 + db T / 12)

where u and b are taken from the differences of the legs over the last steps h and g, which the parabola interpolates: u = speed + h / 2
acceleration with an error of du = k h (h + g) / 6, and b = acceleration with one of db = c + k (h + g). The numbers are the largest values of
the polynomials in s that they come from; that of e3 is convex, so that its two ends tell all.

Single axis: the jerk is linear in s, so |6 u + 4 b T| <= (jerk - e3(0)) T^2 and |6 u + 2 b T| <= (jerk - e3(1)) T^2. The acceleration is (1 - s)(b - (3 b + x) s) with
x = 6 u / T; it starts at b, and its other extremum is within A = limit - e2 when (signs such that u >= 0) x <= 2 (A - b) + 2 sqrt(A (A + b)).
The speed is largest at s = 0 or at s = b / (3 b + x), the length at s = 1 or where the speed changes its sign, s = -u / (2 u + b T).
T is the shortest that these allow; a velocity for which none does is not accepted.
"""

from __future__ import annotations

import math

from simulator.base.jit import inline, kernel

STROKE, SPEED, ACCELERATION, JERK = 1, 2, 3, 4
"""What stands against a pose; `-STROKE` and so on are the answers of `stop_length` in its place."""

CURVE = (
    # name                   shape  unit            what it is
    ("accelerations", (6,), "m/s2, rad/s2", "change of the rates over the time from the middle of the last step to that of this one"),
    ("leg_jerk", (6,), "m/s3", "change of the leg accelerations over a third of the last three steps"),
    ("step_before", (), "s", "length of the step before the last; infinite where last_step was"),
    ("curve_pose", (6,), "m, rad", "where the stop curve begins"),
    ("curve_rates", (6,), "m/s, rad/s", "its velocity there"),
    ("curve_accelerations", (6,), "m/s2, rad/s2", "and its acceleration"),
    ("curve_length", (), "s", "time that it takes in all"),
    ("kept", (6,), "m/s, rad/s", "work: pose velocity along the stop curve"),
    ("trial_rates", (6,), "m/s, rad/s", "work: velocity at the end of the tick under examination"),
    ("trial_accelerations", (6,), "m/s2, rad/s2", "work: and acceleration"),
    ("trial_leg_speed", (6,), "m/s", "work: leg speeds at the end of that tick"),
    ("trial_leg_acceleration", (6,), "m/s2", "work: their accelerations in that tick"),
)
"""What a LIMITER state has for it."""

SHORTEST = 0.01
"""s. No curve is shorter: of a platform that hardly moves rounding would be all there is."""

RESERVE = 1.03
"""1. The time found is made longer by so much, since the remainders are those of a guess."""

TRIES = 4
"""1. Guesses of the time before a velocity is given up."""


@inline
def travelled(s):
    """(integral of phi, integral of psi) from 0 to s."""
    return s * (1.0 - s * s * (1.0 - 0.5 * s)), s * s * (0.5 - s * (2.0 / 3.0 - 0.25 * s))


@kernel
def curve_pose_at(s, age, pose):
    """Pose (6,) `age` seconds after the beginning of the stop curve of the LIMITER `s`."""
    length = s[0]["curve_length"]
    share = 1.0 if age >= length else age / length
    of_rates, of_accelerations = travelled(share)
    for i in range(6):
        way = of_rates * s[0]["curve_rates"][i] + of_accelerations * length * s[0]["curve_accelerations"][i]
        pose[i] = s[0]["curve_pose"][i] + length * way


@inline
def _size(reach, x):
    """N(x) and S(x) of the module's text."""
    leaning, turn = abs(x[3]) + abs(x[5]), abs(x[3]) + abs(x[4]) + abs(x[5])
    return math.sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) + reach * math.sqrt(leaning * leaning + x[4] * x[4]), turn


@kernel
def curve_bend(p, rates):
    """c of the module's text [m/s2] at the rates (6,) of a pose [m/s, rad/s]."""
    speed, turn = _size(p[0]["reach"], rates)
    return speed * speed / p[0]["shortest_leg"] + p[0]["reach"] * turn * turn


@inline
def _left(p, sizes, steps, h, length):
    """Of a curve of this length [s]: e0, e1, and what e2 and e3 at either end leave of acceleration and jerk.

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
    """Shortest T [s] of an axis at the speed u >= 0 and the acceleration b of either sign; `start` and `end`: the jerk that it may have there."""
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
    """Time [s] that the stop curve from the trial takes, or what stands against it (-STROKE, -SPEED, -ACCELERATION, -JERK).

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
    e0, e1, acceleration, start, end = _left(p, sizes, steps, h, length)
    for attempt in range(TRIES):
        if not (start > 0.0 and end > 0.0):
            return -float(JERK)
        if not hardest <= acceleration:
            return -float(ACCELERATION)
        # first as if one leg had all of the worst, which for a quiet platform is proof enough
        if attempt == 0:
            needed = _length_for(fastest, hardest, acceleration, start, end)
        else:
            needed = _length_of_legs(s, acceleration, start, end)
        length = max(SHORTEST, RESERVE * needed)
        e0, e1, acceleration, start, end = _left(p, sizes, steps, h, length)
        possible = start > 0.0 and end > 0.0 and hardest <= acceleration
        if attempt == 0:
            enough = possible and _length_for(fastest, hardest, acceleration, start, end) <= length
            if enough and _keeps_from_far(p, s, fastest, hardest, length, e0, e1):
                return length
        elif possible and _length_of_legs(s, acceleration, start, end) <= length:
            return _keeps_speed_and_stroke(p, s, length, e0, e1)
    return -float(JERK)


@inline
def _keeps_from_far(p, s, fastest, hardest, length, e0, e1):
    """Whether a leg at the highest speed and acceleration of all, in whatever direction, keeps its speed and its stroke."""
    good = fastest + 0.149 * length * hardest + e1 <= p[0]["leg_speed"]
    way = length * (0.5 * fastest + hardest * length / 12.0) + e0
    for i in range(6):
        leg = s[0]["trial_legs"][i]
        good = good and p[0]["shortest_leg"] + way <= leg <= p[0]["longest_leg"] - way
    return good


@inline
def _length_of_legs(s, acceleration, start, end):
    """Longest of the times [s] that the legs need."""
    longest = 0.0
    for i in range(6):
        u, b = s[0]["trial_leg_speed"][i], s[0]["trial_leg_acceleration"][i]
        longest = max(longest, _length_for(abs(u), b if u >= 0.0 else -b, acceleration, start, end))
    return longest


@kernel
def _keeps_speed_and_stroke(p, s, length, e0, e1):
    """The length [s] again when every leg keeps its speed and its stroke, else -SPEED or -STROKE."""
    fastest = p[0]["leg_speed"] - e1
    shortest, longest = p[0]["shortest_leg"] + e0, p[0]["longest_leg"] - e0
    for i in range(6):
        u, b, leg = s[0]["trial_leg_speed"][i], s[0]["trial_leg_acceleration"][i], s[0]["trial_legs"][i]
        if not abs(u) <= fastest:
            return -float(SPEED)
        bt = b * length
        # where the acceleration is zero: s = b / (3 b + 6 u / T)
        slope = 3.0 * bt + 6.0 * u
        if 0.0 < bt * slope < slope * slope:
            share = bt / slope
            rest = (1.0 - share) * (1.0 - share)
            if not abs(u * rest * (1.0 + 2.0 * share) + bt * share * rest) <= fastest:
                return -float(SPEED)
        end = leg + length * (0.5 * u + bt / 12.0)
        if not (shortest <= leg <= longest and shortest <= end <= longest):
            return -float(STROKE)
        # where the speed is zero: s = -u / (2 u + b T)
        slope = 2.0 * u + bt
        if 0.0 < -u * slope < slope * slope:
            of_rates, of_accelerations = travelled(-u / slope)
            if not shortest <= leg + length * (u * of_rates + bt * of_accelerations) <= longest:
                return -float(STROKE)
    return length
