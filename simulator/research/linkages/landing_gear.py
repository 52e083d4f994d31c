"""Aircraft landing gear: a strut, a drag strut and a lower link as a four-bar, retracted by a piston between the struts; one degree of freedom.

T. Uchida, J. McPhee, Mechanism and Machine Theory 52 (2012), section 4.3, figures 7 and 8. In the plane of the mechanism, A and D are pins on the
fuselage, B and F pins on the main strut, C and E pins on the drag strut; the lower link is E-F, the piston B-C. The angles are

    theta_A  strut against the fuselage        theta_D  drag strut against the fuselage, opposite sense
    theta_B  piston against the strut          theta_F  lower link against the strut

In plane vectors, with R(t) a turn by t to the left, the loops (18, 19) and (16, 17) are

    D + R(-theta_D) d_E = R(theta_A) (f + R(theta_F) (a, 0))
    D + R(-theta_D) d_C = R(theta_A) (b + R(theta_B) (p, 0))

From theta_A, everything follows by a fixed number of operations (`set_position`). From the piston length p, it takes the zero of a polynomial of degree
six. The triangular system of the paper (`generated/landing_gear.py`) has coefficients of 264 digits and leaves ten digits as a rule and
four at worst in double precision, so `positions_at` takes from it which positions there are and lets `follow_length` give their digits: Newton's method on theta_A.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import JounceError
from simulator.base.fields import from_mapping
from simulator.base.jit import inline, kernel
from simulator.base.records import ABOVE_ZERO, Record, record
from simulator.research.linkages.generated import landing_gear as triangular
from simulator.research.linkages.polynomial_roots import real_roots

LANDING_GEAR = (
    # name              shape  unit  what it is
    ("drag_pivot", (2,), "m", "D from A"),
    ("piston_pin", (2,), "m", "b: B from A, in the strut's frame"),
    ("strut_pin", (2,), "m", "f: F from A, in the strut's frame"),
    ("cylinder_pin", (2,), "m", "d_C: C from D, in the drag strut's frame"),
    ("drag_pin", (2,), "m", "d_E: E from D, in the drag strut's frame"),
    ("lower_link", (), "m", "a: distance of E and F"),
)

RANGES = {"lower_link": (ABOVE_ZERO, 1e9)}

STATE = (
    # name         shape  unit       what it is
    ("branch", (), "1", "+1 where the pin E lies to the right of the line from D to F, -1 to the left"),
    ("theta_A", (), "rad", "angle of the strut"),
    ("theta_B", (), "rad", "angle of the piston against the strut"),
    ("theta_D", (), "rad", "angle of the drag strut, opposite sense"),
    ("theta_F", (), "rad", "angle of the lower link against the strut"),
    ("length", (), "m", "p: piston length B-C"),
    ("slope", (4,), "rad, m", "derivatives of theta_B, theta_D, theta_F, length by theta_A"),
    ("curvature", (4,), "rad, m", "second derivatives by theta_A"),
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
"""Newton steps after which `follow_length` gives up; 4 to 6 are usual."""

ROUNDING = 1e-2
"""How far sine^2 + cosine^2 of a solution of the triangular system may be from 1. Rounding makes zeros of its first polynomial near sB = -1 where it has
none; most are farther off, and `follow_length` leaves no other."""

LONGEST_STEP = 0.2
"""rad. Longer ones could lead across a turning point of the length."""


def landing_gear(mapping: dict[str, object] | None = None, file: object = "landing gear") -> Record:
    """LANDING_GEAR record of a mapping; of the paper's gear without one. Raises ConfigError."""
    return from_mapping(LANDING_GEAR, PAPER if mapping is None else mapping, file, ranges=RANGES)


@kernel
def set_position(gear, state, theta_A):
    """Close the gear at the strut's angle theta_A [rad] on the branch of the state; sets angles, length, slopes and curvatures.

    Returns False, with the state unchanged, where the four-bar does not close.
    """
    g, s = gear[0], state[0]
    sine, cosine = math.sin(theta_A), math.cos(theta_A)
    f, b = _turned(g["strut_pin"], cosine, sine), _turned(g["piston_pin"], cosine, sine)
    # E from D: |e| is that of the drag strut, |e - k| the lower link
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
    # the drag strut's turn, whose angle is -theta_D
    c, n = _dot(d_E, e) / radius, _cross(d_E, e) / radius
    d = _turned(g["cylinder_pin"], c, n)
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
    """First and second derivatives by theta_A of what `set_position` found: pins F, B from A and E, C from D, link F-E, piston B-C."""
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
    """Move the state to a piston length [m] near its own on the same branch: Newton's method on theta_A from where it stands.

    Returns False where no position is reached: the length is beyond a turning point, at which the piston's length is extreme, or the four-bar
    does not close on the way. The state then stands at the last position tried.
    """
    s = state[0]
    theta_A = s["theta_A"]
    if not set_position(gear, state, theta_A):
        return False
    smallest = math.inf
    for _ in range(ITERATIONS):
        error = length - s["length"]
        # at the limit of rounding the error no longer falls
        if error == 0.0 or (abs(error) >= smallest and abs(error) <= 8.0 * np.spacing(length)):
            return True
        smallest = min(smallest, abs(error))
        theta_A += min(max(error / s["slope"][3], -LONGEST_STEP), LONGEST_STEP)
        if not set_position(gear, state, theta_A):
            return False
    return abs(length - s["length"]) <= 8.0 * np.spacing(length)


def positions_at(length: float) -> NDArray[np.void]:
    """All positions of the paper's gear at a piston length, in its unit: a STATE record of each, 2, 4 or 6 in number, or none.

    They are the good zeros in [-1, 1] of the triangular system's first polynomial, made exact by `follow_length`. Within 1e-4 of a length at which two
    positions become one, that pair may be missing.

    Raises
    ------
    JounceError : the length is not a number above zero
    """
    if not 0.0 < length < math.inf:
        raise JounceError(f"piston length {length!r} is not a number above zero")
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
    """Position of a zero sB of the triangular system: its strut angle and branch from there, its digits from the closed form."""
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
def _turned(vector, cosine, sine):
    return (cosine * vector[0] - sine * vector[1], sine * vector[0] + cosine * vector[1])


@inline
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1]


@inline
def _cross(a, b):
    return a[0] * b[1] - a[1] * b[0]


@inline
def _angle(v, sine, cosine):
    """Angle of v against the strut."""
    return math.atan2(cosine * v[1] - sine * v[0], cosine * v[0] + sine * v[1])
