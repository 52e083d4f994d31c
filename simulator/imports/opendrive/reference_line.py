"""Reference line of a road: straight lines, arcs, clothoids, cubic polynomials and parametric cubic polynomials in the plane."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from simulator.base.xml_file import XmlElement

FARTHEST = 1e7
"""m. Largest coordinate and length."""
SHARPEST = 100.0
"""1/m. Largest curvature."""
LARGEST_TURN = 200.0
"""rad. Largest turn within an element: about 30 times around."""
TURN_OF_PANEL = 0.5
"""rad. Turn over which one Gauss-Legendre rule of ORDER points integrates a clothoid; the error is below 1e-15 of its length."""
ORDER = 10
SHORTEST = 1e-9
"""m. Shorter elements are left out."""
ARC_TABLE = 2001
"""Number of points of the table of arc lengths of a `poly3`."""


@dataclass(frozen=True)
class Element:
    """An element of a reference line.

    Attributes
    ----------
    begin, length : station and length [m]
    x, y, heading : start [m, rad]
    kind : line, arc, spiral, poly3, paramPoly3
    numbers : arc: curvature; spiral: both curvatures [1/m]; poly3: a, b, c, d; paramPoly3: aU to dU, aV to dV, range of the parameter
    """

    begin: float
    length: float
    x: float
    y: float
    heading: float
    kind: str
    numbers: tuple[float, ...]

    def at(self, s: Array) -> tuple[Array, Array, Array]:
        """Return x, y [m] and heading [rad] at distances (n,) [m] from the start of the element."""
        u, v, turn = _LOCAL[self.kind](s, self.numbers, self.length)
        c, sine = math.cos(self.heading), math.sin(self.heading)
        return self.x + c * u - sine * v, self.y + sine * u + c * v, self.heading + turn


@dataclass(frozen=True)
class ReferenceLine:
    """Elements with ascending stations."""

    elements: tuple[Element, ...]

    def at(self, s: Array) -> tuple[Array, Array, Array]:
        """Return x, y [m] and heading [rad] at stations (n,) [m]; beyond the ends of its elements, an element goes on."""
        s = np.asarray(s, np.float64)
        out = np.empty((3, len(s)))
        owner = np.searchsorted([one.begin for one in self.elements[1:]], s + 1e-9, side="right")
        for k in np.unique(owner):
            mine = owner == k
            out[:, mine] = self.elements[k].at(s[mine] - self.elements[k].begin)
        return out[0], out[1], out[2]


def _line(s: Array, numbers: tuple[float, ...], length: float) -> tuple[Array, Array, Array]:
    return s, np.zeros_like(s), np.zeros_like(s)


def _arc(s: Array, numbers: tuple[float, ...], length: float) -> tuple[Array, Array, Array]:
    """Return the points of an arc; the cardinal sine covers a curvature of zero."""
    half = 0.5 * numbers[0] * s
    chord = s * np.sinc(half / math.pi)
    return chord * np.cos(half), chord * np.sin(half), 2.0 * half


def _spiral(s: Array, numbers: tuple[float, ...], length: float) -> tuple[Array, Array, Array]:
    """Return the points of a clothoid: the integral of the direction, by Gauss-Legendre rules over panels of at most TURN_OF_PANEL."""
    first, rate = numbers[0], (numbers[1] - numbers[0]) / length
    reach = max(float(np.abs(s).max(initial=0.0)), length)
    turn = reach * max(abs(first), abs(first + rate * reach))
    panels = math.ceil(turn / TURN_OF_PANEL) + 1
    nodes, weights = np.polynomial.legendre.leggauss(ORDER)
    part = ((np.arange(panels)[:, None] + 0.5 * (nodes + 1.0)) / panels).ravel()
    weight = np.tile(0.5 * weights / panels, panels)
    u, v = np.empty_like(s), np.empty_like(s)
    for k in range(0, len(s), 1000):  # bounds the memory
        at = s[k : k + 1000, None] * part
        angle = at * (first + 0.5 * rate * at)
        u[k : k + 1000], v[k : k + 1000] = s[k : k + 1000] * (np.cos(angle) @ weight), s[k : k + 1000] * (np.sin(angle) @ weight)
    return u, v, s * (first + 0.5 * rate * s)


def _poly3(s: Array, numbers: tuple[float, ...], length: float) -> tuple[Array, Array, Array]:
    """Return the points of v(u) at lengths along the curve."""
    a, b, c, d = numbers
    reach = max(float(s.max(initial=0.0)), length)
    table = np.linspace(0.0, reach, ARC_TABLE)  # the curve is never shorter than u
    nodes, weights = np.polynomial.legendre.leggauss(5)
    step = table[1] if ARC_TABLE > 1 else 0.0
    inside = table[:-1, None] + 0.5 * step * (nodes + 1.0)
    lengths = np.concatenate(([0.0], np.cumsum(np.hypot(1.0, b + inside * (2.0 * c + 3.0 * d * inside)) @ weights * 0.5 * step)))
    u = np.interp(s, lengths, table)
    k = np.clip(np.searchsorted(lengths, s, side="right") - 1, 0, ARC_TABLE - 2)
    for _ in range(3):  # Newton steps: the length from the entry of the table to u
        width = u - table[k]
        at = table[k][:, None] + 0.5 * width[:, None] * (nodes + 1.0)
        along = lengths[k] + 0.5 * width * (np.hypot(1.0, b + at * (2.0 * c + 3.0 * d * at)) @ weights)
        u = u + (s - along) / np.hypot(1.0, b + u * (2.0 * c + 3.0 * d * u))
    return u, a + u * (b + u * (c + d * u)), np.arctan(b + u * (2.0 * c + 3.0 * d * u))


def _param_poly3(s: Array, numbers: tuple[float, ...], length: float) -> tuple[Array, Array, Array]:
    p = s * (numbers[8] / length)
    u, v = (k[0] + p * (k[1] + p * (k[2] + k[3] * p)) for k in (numbers[:4], numbers[4:8]))
    along, across = (k[1] + p * (2.0 * k[2] + 3.0 * k[3] * p) for k in (numbers[:4], numbers[4:8]))
    return u, v, np.arctan2(across, along)


_LOCAL = {"line": _line, "arc": _arc, "spiral": _spiral, "poly3": _poly3, "paramPoly3": _param_poly3}


def read_reference_line(plan: XmlElement, length: float) -> ReferenceLine:
    """Return the reference line of a <planView>. Raises ConfigError: no elements, or an element that cannot be used."""
    elements = [one for one in map(_element, plan.all("geometry")) if one is not None]
    if not elements:
        raise plan.error("", "no element with a length", "at least one <geometry>")
    if any(a.begin > b.begin for a, b in pairwise(elements)):
        raise plan.error("", "elements that go back", "elements with ascending s")
    if elements[-1].begin > length:
        raise plan.error(
            "", f"an element at s = {elements[-1].begin:g} m", f"elements that begin within the length of the road, {length:g} m"
        )
    return ReferenceLine(tuple(elements))


def _element(geometry: XmlElement) -> Element | None:
    """Return an element; None if it has no length. Raises ConfigError."""
    length = geometry.number("length", low=0.0, high=FARTHEST)
    if length < SHORTEST:
        return None
    x, y = (geometry.number(k, low=-FARTHEST * 10, high=FARTHEST * 10) for k in "xy")
    begin, heading = geometry.number("s", low=0.0, high=FARTHEST), geometry.number("hdg", low=-1e4, high=1e4)
    shapes = [one for kind in _LOCAL for one in geometry.all(kind)]
    if len(shapes) != 1:
        raise geometry.error("", f"{len(shapes)} shapes", f"one of <{'>, <'.join(_LOCAL)}>")
    return Element(begin, length, x, y, heading, shapes[0].tag, _numbers(shapes[0], length))


def _numbers(shape: XmlElement, length: float) -> tuple[float, ...]:
    """Return the numbers of a shape. Raises ConfigError."""
    if shape.tag in ("arc", "spiral"):
        names = ("curvature",) if shape.tag == "arc" else ("curvStart", "curvEnd")
        numbers = tuple(shape.number(name, low=-SHARPEST, high=SHARPEST) for name in names)
        if max(map(abs, numbers)) * length > LARGEST_TURN:
            raise _too_long(shape, length)
        return numbers
    if shape.tag == "poly3":
        return tuple(shape.number(k, low=-1e6, high=1e6) for k in "abcd")
    if shape.tag == "paramPoly3":
        most = 1.0 if shape.word("pRange", "normalized") == "normalized" else length
        numbers = (*(shape.number(f"{k}{axis}", low=-1e8, high=1e8) for axis in "UV" for k in "abcd"), most)
        u, v, _ = _param_poly3(np.linspace(0.0, length, ARC_TABLE), numbers, length)
        if np.hypot(np.diff(u), np.diff(v)).sum() < SHORTEST:
            raise shape.error("", "a curve without length", f"a curve {length:g} m long, the length of its <geometry>")
        return numbers
    return ()


def _too_long(shape: XmlElement, length: float) -> ConfigError:
    return shape.error("", f"a curve {length:g} m long", f"a turn of at most {LARGEST_TURN:g} rad; curvature times length")
