"""Wheels of passenger cars and light trucks: road tire, rim of light alloy or steel, brake disc and caliper. The axle is y; +y is the outside."""

from __future__ import annotations

import math

import numpy as np

from simulator.base.arrays import Array
from simulator.view.meshes import Builder, moved

RUBBER, WALL, GROOVE, MARK = (38, 38, 39), (46, 46, 47), (20, 20, 21), (92, 92, 92)
RIM, STEEL, DARK, HUB, DISC = (172, 175, 180), (150, 152, 154), (26, 27, 29), (120, 122, 126), (142, 140, 136)
CALIPER = (150, 34, 28)
SEGMENTS, CUTS = 36, 28
BEAD = 0.69
"""Radius of the rim divided by that of the tire."""
_SIDE = ((0.74, BEAD), (0.92, 0.76), (1.0, 0.85), (0.985, 0.91), (0.90, 0.972), (0.72, 1.0))
"""Section of the tire: position over the half width, radius over that of the tire."""
_DESIGNS = {
    "pairs": [(k * 72.0 + side * 13.0, 0.075, 0.060, side * -3.0) for k in range(5) for side in (-1.0, 1.0)],
    "five": [(k * 72.0, 0.13, 0.17, 0.0) for k in range(5)],
    "blades": [(k * 36.0, 0.10, 0.25, 7.0) for k in range(10)],
}
"""Spokes by design: angle [deg], half widths at the hub and at the rim over the radius of the rim, slant [deg]."""


def car_wheel(radius: float, width: float, design: str = "pairs") -> Array:
    """Return the mesh of a wheel with an outer radius and width in m."""
    b, half, rim = Builder(), 0.5 * width, BEAD * radius
    _tire(b, radius, half)
    # rim: lip, well, and the brake disc in the well
    metal = STEEL if design == "steel" else RIM
    b.paint(metal, 0.7).revolve(_outwards([(0.74 * half, rim), (0.80 * half, 0.975 * rim), (0.68 * half, 0.935 * rim)]), SEGMENTS)
    b.paint(HUB, 0.3).revolve(_outwards([(0.68 * half, 0.935 * rim), (0.0, 0.90 * rim)]), 24)
    b.paint(DARK).revolve(_outwards([(0.0, 0.90 * rim), (-0.02 * half, 0.0)]), 24)
    b.paint(DARK).revolve([(-0.72 * half, rim), (-0.1 * half, 0.85 * rim), (-0.1 * half, 0.0)], 24)
    if design == "steel":
        _pressed(b, rim, half)
    else:
        b.paint(DISC, 0.5).revolve(_outwards([(0.10 * half, 0.72 * rim), (0.10 * half, 0.34 * rim)]), 30, smooth=False)
        b.paint(HUB, 0.2).revolve(_outwards([(0.10 * half, 0.34 * rim), (0.30 * half, 0.26 * rim), (0.32 * half, 0.0)]), 16)
        for angle, inner, outer, slant in _DESIGNS[design]:
            b.add(_around(_spoke(rim, half, inner, outer, math.radians(slant)), math.radians(angle)))
        b.paint(RIM, 0.7).revolve(_outwards([(0.66 * half, 0.21 * rim), (0.70 * half, 0.17 * rim), (0.70 * half, 0.0)]), 20)
    for k in range(5):
        place = 0.15 * rim * np.array([math.cos(1.2566 * k), 0.0, math.sin(1.2566 * k)])
        top = (0.56 if design == "steel" else 0.72) * half
        b.paint(DARK, 0.4).revolve([(top - 0.02, 0.03 * rim), (top, 0.03 * rim), (top, 0.0)], 6, center=place, smooth=False)
    # the valve breaks the symmetry, so that slow rotation is visible
    b.paint((60, 60, 62)).add(
        _around(Builder().paint((60, 60, 62)).box((-0.007, 0.45 * half, 0.84 * rim), (0.007, 0.86 * half, 0.90 * rim)).mesh(), 0.3)
    )
    return b.mesh()


def caliper(radius: float, width: float) -> Array:
    """Return the mesh of the brake caliper behind the rim, which does not turn with the wheel."""
    half, rim = 0.5 * width, BEAD * radius
    angle = np.linspace(-0.42, 0.42, 5) + math.pi
    b = Builder().paint(CALIPER, 0.4)
    inner, outer = (np.column_stack((q * np.cos(angle), 0.0 * angle, q * np.sin(angle))) * rim for q in (0.54, 0.83))
    front, back = np.array([0.0, 0.30 * half, 0.0]), np.array([0.0, 0.02 * half, 0.0])
    section = np.stack((outer + back, outer + front, inner + front, inner + back))
    b.sheet(section)
    b.polygon(section[:, 0]).polygon(section[::-1, -1])
    return b.mesh()


def _outwards(profile: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return a profile that begins at its outer radius, so that its outside is +y."""
    return profile[::-1]


def _tire(b: Builder, r: float, half: float) -> None:
    profile = [(-y * half, q * r) for y, q in _SIDE] + [(y * half, q * r) for y, q in reversed(_SIDE)]
    b.paint(RUBBER).revolve(profile, SEGMENTS).revolve([(0.74 * half, BEAD * r), (-0.74 * half, BEAD * r)], SEGMENTS)
    for y in (-0.46, -0.16, 0.16, 0.46):
        b.paint(GROOVE).revolve([((y - 0.045) * half, 1.001 * r), ((y + 0.045) * half, 1.001 * r)], SEGMENTS, smooth=False)
    # cuts of the tread blocks, from the outer grooves over the shoulders
    cut = Builder().paint(GROOVE)
    for s in (1.0, -1.0):
        edge = np.array(
            [(s * 0.50 * half, 1.0015 * r), (s * 0.73 * half, 1.0015 * r), (s * 0.915 * half, 0.974 * r), (s * 0.985 * half, 0.93 * r)]
        )
        line = np.column_stack((0.0 * edge[:, 0], edge))
        wide = np.array([0.010 * r, 0.0, 0.0])
        cut.sheet(np.stack((line + wide, line - wide) if s < 0.0 else (line - wide, line + wide))[::-1])
    blocks = cut.mesh()
    for k in range(CUTS):
        b.add(_around(blocks, 2.0 * math.pi * (k + 0.5) / CUTS))
    # side wall: a ridge, and raised letters
    b.paint(WALL, 0.05).revolve(_outwards([(1.004 * half, 0.865 * r), (1.012 * half, 0.855 * r), (1.004 * half, 0.845 * r)]), SEGMENTS)
    letter = Builder().paint(MARK, 0.05)
    for k, share in enumerate((0.7, 1.0, 0.35, 1.0, 0.8, 0.9, 0.5)):
        sign = Builder().paint(MARK, 0.05)
        x = 0.016 * r * share
        y0, z0, y1, z1 = 0.955 * half + 0.003, 0.775 * r, half + 0.003, 0.825 * r
        sign.polygon([(-x, y0, z0), (-x, y1, z1), (x, y1, z1), (x, y0, z0)])
        letter.add(_around(sign.mesh(), 0.062 * (k - 3)))
    word = letter.mesh()
    for turn in (0.0, math.pi):
        b.add(_around(word, turn))


def _spoke(rim: float, half: float, inner: float, outer: float, slant: float) -> Array:
    """Return a spoke along +z with chamfered edges, from the hub to the rim, which it meets at an angle of `slant` [rad] to the hub."""
    b = Builder().paint(RIM, 0.7)
    rows = []
    for share, wide, low, high in ((0.14, inner, 0.34, 0.66), (0.55, 0.5 * (inner + outer), 0.30, 0.62), (0.955, outer, 0.40, 0.70)):
        z = share * rim
        at = math.tan(slant) * (z - 0.14 * rim)
        w = wide * rim
        rows.append([(at - w, low * half, z), (at - 0.72 * w, high * half, z), (at + 0.72 * w, high * half, z), (at + w, low * half, z)])
    return b.sheet(np.array(rows)).mesh()


def _pressed(b: Builder, rim: float, half: float) -> None:
    """Add the disc of a steel wheel with holes, and its hub cap."""
    face = [(0.42, 0.93), (0.30, 0.86), (0.58, 0.66), (0.62, 0.55), (0.46, 0.40), (0.50, 0.24), (0.54, 0.20)]
    b.paint(STEEL, 0.45).revolve(_outwards([(y * half, q * rim) for y, q in face]), SEGMENTS)
    b.revolve(
        _outwards([(0.54 * half, 0.20 * rim), (0.54 * half, 0.10 * rim), (0.80 * half, 0.09 * rim), (0.84 * half, 0.0)]), 18, smooth=False
    )
    for k in range(12):
        angle = 2.0 * math.pi * k / 12
        hole = Builder().paint(DARK).revolve([(0.0, 0.062 * rim), (0.0, 0.0)], 10, smooth=False).mesh()
        tilt = math.atan2(0.28 * half, 0.20 * rim)
        c, s = math.cos(tilt), math.sin(tilt)
        lean = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
        b.add(_around(moved(hole, lean, (0.0, 0.452 * half, 0.76 * rim)), angle))


def _around(mesh: Array, angle: float) -> Array:
    """Return a mesh turned about the axle."""
    c, s = math.cos(angle), math.sin(angle)
    return moved(mesh, np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]))
