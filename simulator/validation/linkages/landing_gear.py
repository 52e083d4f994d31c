"""Aircraft landing gear: a strut, a drag strut and a lower link as a four-bar, retracted by a piston between the struts; one degree of
freedom.

[Uchida 2012], section 4.3, figures 7 and 8. In the plane of the mechanism, A and D are pins
on the fuselage, B and F pins on the main strut, C and E pins on the drag strut; the lower link is E-F, the piston B-C. The angles are

    theta_A  strut relative to the fuselage    theta_D  drag strut relative to the fuselage, opposite sense
    theta_B  piston relative to the strut      theta_F  lower link relative to the strut

In plane vectors, with R(t) a rotation by t to the left, the loops (18, 19) and (16, 17) are

    D + R(-theta_D) d_E = R(theta_A) (f + R(theta_F) (a, 0))
    D + R(-theta_D) d_C = R(theta_A) (b + R(theta_B) (p, 0))

For given theta_A, all other angles follow with a fixed number of operations (`set_position`). For a given piston length p, the solution is
a zero of a polynomial of degree six. The triangular system of the paper (`generated/landing_gear.py`) has coefficients of 264 digits. In
double precision its solutions have usually ten correct digits and four in the worst case. `positions_at` takes the number of positions
from the triangular system and computes their digits with `follow_length`, Newton's method on theta_A.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import JounceError
from simulator.base.field_records import from_mapping
from simulator.base.jit import inline, kernel
from simulator.base.records import ABOVE_ZERO, Record, record
from simulator.validation.linkages.generated import landing_gear as triangular
from simulator.validation.linkages.polynomial_roots import real_roots

LANDING_GEAR = (
    # name              shape  unit  description
    ("drag_pivot", (2,), "m", "D from A"),
    ("piston_pin", (2,), "m", "b: B from A, in the frame of the strut"),
    ("strut_pin", (2,), "m", "f: F from A, in the frame of the strut"),
    ("cylinder_pin", (2,), "m", "d_C: C from D, in the frame of the drag strut"),
    ("drag_pin", (2,), "m", "d_E: E from D, in the frame of the drag strut"),
    ("lower_link", (), "m", "a: distance of E and F"),
)

RANGES = {"lower_link": (ABOVE_ZERO, 1e9)}

STATE = (
    # name         shape  unit       description
    ("branch", (), "1", "+1 if the pin E is to the right of the line from D to F, -1 to the left"),
    ("theta_A", (), "rad", "angle of the strut"),
    ("theta_B", (), "rad", "angle of the piston relative to the strut"),
    ("theta_D", (), "rad", "angle of the drag strut, opposite sense"),
    ("theta_F", (), "rad", "angle of the lower link relative to the strut"),
    ("length", (), "m", "p: piston length B-C"),
    ("slope", (4,), "rad, m", "derivatives of theta_B, theta_D, theta_F, length with respect to theta_A"),
    ("curvature", (4,), "rad, m", "second derivatives with respect to theta_A"),
)

PAPER = {
    "drag_pivot": (231.0, 62.0),
    "piston_pin": (42.0, 62.0),
    "strut_pin": (25.0, -212.0),
    "cylinder_pin": (6.08, 16.97),
    "drag_pin": (-164.4, 0.0),
    "lower_link": 178.4,
}
"""Equations 16 to 19, in their unit of length."""

ITERATIONS = 40
"""Maximum Newton steps of `follow_length`; 4 to 6 are usual."""

ROUNDING = 1e-2
"""Tolerance of sine^2 + cosine^2 = 1 for a solution of the triangular system.

Rounding creates false zeros of the first polynomial near sB = -1. Most exceed this tolerance, and `follow_length` rejects the others.
"""

LONGEST_STEP = 0.2
"""rad. A longer step could cross a turning point of the length."""


def landing_gear(mapping: dict[str, object] | None = None, file: object = "landing gear") -> Record:
    """Return the LANDING_GEAR record of a mapping; default: the gear of the paper. Raises ConfigError."""
    return from_mapping(LANDING_GEAR, PAPER if mapping is None else mapping, file, ranges=RANGES)


@kernel
def set_position(gear, state, theta_A):
    """Close the gear at the strut angle theta_A [rad] on the branch of the state; set angles, length, slopes and curvatures.

    Returns False, with the state unchanged, if the four-bar does not close.
    """
    g, s = gear[0], state[0]
    sine, cosine = math.sin(theta_A), math.cos(theta_A)
    f, b = _rotated(g["strut_pin"], cosine, sine), _rotated(g["piston_pin"], cosine, sine)
    # E from D: |e| is the length of the drag strut, |e - k| of the lower link
    k = (f[0] - g["drag_pivot"][0], f[1] - g["drag_pivot"][1])
    d_E = (g["drag_pin"][0], g["drag_pin"][1])
    square, radius = _dot(k, k), _dot(d_E, d_E)
    along = 0.5 * (square + radius - g["lower_link"] * g["lower_link"])
    across = square * radius - along * along
    if not across >= 0.0:
        return False
    across = -s["branch"] * math.sqrt(across)
    e = ((along * k[0] - across * k[1]) / square, (along * k[1] + across * k[0]) / square)
    link = (e[0] - k[0], e[1] - k[1])
    # rotation of the drag strut, whose angle is -theta_D
    c, n = _dot(d_E, e) / radius, _cross(d_E, e) / radius
    d = _rotated(g["cylinder_pin"], c, n)
    v = (g["drag_pivot"][0] + d[0] - b[0], g["drag_pivot"][1] + d[1] - b[1])
    s["theta_A"] = theta_A
    s["theta_B"] = _angle(v, sine, cosine)
    s["theta_D"] = -math.atan2(n, c)
    s["theta_F"] = _angle(link, sine, cosine)
    s["length"] = math.sqrt(_dot(v, v))
    _set_derivatives(s, f, b, e, link, d, v)
    return True


@inline
def _set_derivatives(s, f, b, e, link, d, v):
    """Set first and second derivatives with respect to theta_A: pins F, B from A and E, C from D, link F-E, piston B-C."""
    # drag strut: (e' - f') . link = 0 with e' = w i e, f' = i f
    rate = _cross(link, f) / _cross(link, e)
    d_link = (-rate * e[1] + f[1], rate * e[0] - f[0])
    towards = (f[0] - rate * rate * e[0], f[1] - rate * rate * e[1])
    gain = (_dot(link, towards) + _dot(d_link, d_link)) / _cross(link, e)
    dd_link = (towards[0] - gain * e[1], towards[1] + gain * e[0])
    d_v = (-rate * d[1] + b[1], rate * d[0] - b[0])
    dd_v = (b[0] - rate * rate * d[0] - gain * d[1], b[1] - rate * rate * d[1] + gain * d[0])
    length, link_square = s["length"], _dot(link, link)
    d_length = _dot(v, d_v) / length
    turn = _cross(v, d_v) / (length * length)
    s["slope"][0] = turn - 1.0
    s["slope"][1] = -rate
    s["slope"][2] = _cross(link, d_link) / link_square - 1.0
    s["slope"][3] = d_length
    s["curvature"][0] = (_cross(v, dd_v) / length - 2.0 * d_length * turn) / length
    s["curvature"][1] = -gain
    s["curvature"][2] = _cross(link, dd_link) / link_square
    s["curvature"][3] = (_dot(d_v, d_v) + _dot(v, dd_v) - d_length * d_length) / length


@kernel
def follow_length(gear, state, length):
    """Move the state to a nearby piston length [m] on its branch: Newton's method on theta_A from the present state.

    Returns False without a solution: the length is beyond a turning point of the piston length, or the four-bar does not close during the
    iteration. The state is then the last position tried.
    """
    s = state[0]
    theta_A = s["theta_A"]
    if not set_position(gear, state, theta_A):
        return False
    smallest = math.inf
    for _ in range(ITERATIONS):
        error = length - s["length"]
        # at the limit of rounding the error stops decreasing
        if error == 0.0 or (abs(error) >= smallest and abs(error) <= 8.0 * np.spacing(length)):
            return True
        smallest = min(smallest, abs(error))
        theta_A += min(max(error / s["slope"][3], -LONGEST_STEP), LONGEST_STEP)
        if not set_position(gear, state, theta_A):
            return False
    return abs(length - s["length"]) <= 8.0 * np.spacing(length)


def positions_at(length: float) -> NDArray[np.void]:
    """Return all positions of the gear of the paper at a piston length, in its unit: one STATE record for each; 0, 2, 4 or 6 positions.

    The positions are the valid zeros in [-1, 1] of the first polynomial of the triangular system, refined by `follow_length`. Within 1e-4
    of a length at which two positions merge, the pair may be missing.

    Raises
    ------
    JounceError : the length is not a positive number
    """
    if not 0.0 < length < math.inf:
        raise JounceError(f"piston length {length!r} must be positive")
    gear = landing_gear()
    coefficients, roots = np.zeros(7), np.zeros(6)
    triangular.polynomial_of_sB(float(length), coefficients)
    count = real_roots(coefficients, -1.0, 1.0, np.zeros((2, 7)), roots)
    states = record(STATE, count)
    found: list[int] = []
    for k in range(count):
        if _polish(gear, states[k : k + 1], float(length), float(roots[k])) and not any(_same(states[k], states[j]) for j in found):
            found.append(k)
    return states[found]


def _polish(gear: Record, state: Record, length: float, sB: float) -> bool:
    """Compute the position of a zero sB: strut angle and branch from the triangular system, digits from the closed form."""
    sB, cB, sD, cD, sA, cA, _, _ = triangular.solve(length, sB)
    if max(abs(s * s + c * c - 1.0) for s, c in ((sB, cB), (sD, cD), (sA, cA))) > ROUNDING:
        return False
    best = math.inf
    for branch in (1.0, -1.0):
        trial = record(STATE)
        trial["branch"] = branch
        if set_position(gear, trial, math.atan2(sA, cA)):
            theta_D = trial[0]["theta_D"]
            off = math.hypot(math.sin(theta_D) - sD, math.cos(theta_D) - cD)
            if off < best:
                best, state[0] = off, trial[0]
    return best < math.inf and bool(follow_length(gear, state, length))


def _same(one: np.void, other: np.void) -> bool:
    return bool(one["branch"] == other["branch"] and abs(math.remainder(one["theta_A"] - other["theta_A"], 2.0 * math.pi)) < 1e-9)


@inline
def _rotated(vector, cosine, sine):
    return (cosine * vector[0] - sine * vector[1], sine * vector[0] + cosine * vector[1])


@inline
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1]


@inline
def _cross(a, b):
    return a[0] * b[1] - a[1] * b[0]


@inline
def _angle(v, sine, cosine):
    """Return the angle of v relative to the strut."""
    return math.atan2(cosine * v[1] - sine * v[0], cosine * v[0] + sine * v[1])
