"""Wheel of the HMMWV: a 37-inch off-road tire with lugs on a two-piece rim. Its axle is y; +y is the outside."""

from __future__ import annotations

import math

import numpy as np

from simulator.base.arrays import Array
from simulator.view.meshes import Builder, moved

RUBBER = (46, 45, 44)
TREAD = (58, 56, 53)
RIM = (128, 113, 86)
DARK = (22, 22, 22)
STEEL = (120, 118, 112)
LUGS = 26
SEGMENTS = 32


def wheel(radius: float, width: float) -> Array:
    """Return the mesh of a wheel with an outer radius and width in m."""
    b = Builder()
    _tire(b, radius, 0.5 * width)
    _rim(b, 0.49 * radius, 0.5 * width)
    return b.mesh()


def plain_wheel(radius: float, width: float) -> Array:
    """Return the mesh of a smooth closed drum of that size, for shadows."""
    half = 0.5 * width
    profile = [(-0.8, 0.0), (-0.8, 0.9), (-0.5, 0.98), (0.5, 0.98), (0.8, 0.9), (0.8, 0.0)]
    return Builder().revolve([(y * half, q * radius) for y, q in profile], 20).mesh()


def _tire(b: Builder, r: float, half: float) -> None:
    bead, crown = 0.50 * r, 0.965 * r
    side = [(-0.72, bead), (-0.93, 0.60 * r), (-1.0, 0.74 * r), (-0.95, 0.87 * r), (-0.80, 0.945 * r), (-0.45, crown)]
    profile = [(y * half, q) for y, q in side] + [(-y * half, q) for y, q in reversed(side)]
    b.paint(RUBBER).revolve(profile, SEGMENTS)
    b.paint(RUBBER).revolve([(0.72 * half, bead), (-0.72 * half, bead)], SEGMENTS)
    b.paint(TREAD)
    lug = _lug(r, half)
    for k in range(LUGS):
        for mirror in (1.0, -1.0):
            b.add(_around(lug * [1, mirror, 1], 2.0 * math.pi * (k + 0.25 * mirror) / LUGS, mirror < 0.0, b))


def _lug(r: float, half: float) -> Array:
    """Return the corners (8, 3) of one lug: from near the middle to the shoulder, slanted; z is up, at the top of the tire."""
    step = math.pi / LUGS * r
    bottom, top = 0.93 * r, r
    inner, outer = 0.06 * half, 0.97 * half
    lean = 0.55 * step
    low_shoulder, high_shoulder = 0.86 * r, 0.955 * r
    return np.array([
        (-0.62 * step, inner, bottom), (0.62 * step, inner, bottom), (0.62 * step + lean, outer, low_shoulder), (-0.42 * step + lean, outer, low_shoulder),
        (-0.55 * step, inner, top), (0.55 * step, inner, top), (0.50 * step + lean, outer, high_shoulder), (-0.30 * step + lean, outer, high_shoulder),
    ])  # fmt: skip


def _around(corners: Array, angle: float, flipped: bool, look: Builder) -> Array:
    """Add a lug rotated about the axle to its position; the outside of a mirrored lug remains outside."""
    c, s = math.cos(angle), math.sin(angle)
    part = Builder()
    part._look = look._look
    order = [3, 2, 1, 0, 7, 6, 5, 4] if flipped else list(range(8))
    return moved(part.hexahedron(corners[order]).mesh(), np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]))


def _rim(b: Builder, r: float, half: float) -> None:
    lip, face, hub = 0.74 * half, 0.30 * half, 0.62 * half
    b.paint(RIM, 0.15)
    b.revolve(
        [(face, 0.30 * r), (face + 0.004, 0.62 * r), (0.42 * half, 0.80 * r), (lip, 0.92 * r), (lip, 1.03 * r), (0.9 * lip, 1.04 * r)][
            ::-1
        ],
        SEGMENTS,
    )
    b.paint(DARK).revolve([(face - 0.02, 0.05), (face - 0.02, 1.0 * r), (-0.7 * half, 1.0 * r)][::-1], 24, smooth=False)
    b.paint(STEEL, 0.3).revolve(
        [(hub + 0.012, 0.0), (hub + 0.012, 0.16 * r), (hub, 0.20 * r), (hub - 0.012, 0.30 * r), (face, 0.34 * r)][::-1], 20, smooth=False
    )
    for k in range(8):
        angle = 2.0 * math.pi * k / 8
        place = np.array([math.cos(angle), 0.0, math.sin(angle)])
        b.paint(DARK).revolve(_disc(face + 0.010, 0.085 * r), 10, center=0.52 * r * place, smooth=False)
        nut = np.array([math.cos(angle + 0.39), 0.0, math.sin(angle + 0.39)])
        b.paint(STEEL, 0.4).revolve(_disc(0.44 * half + 0.014, 0.035 * r), 6, center=0.74 * r * nut, smooth=False)
    # the valve breaks the symmetry, so that slow rotation is visible
    b.paint((200, 190, 150)).revolve(_disc(0.6 * half, 0.028 * r), 6, center=np.array([0.86 * r, 0.0, 0.0]), smooth=False)


def _disc(y: float, r: float) -> list[tuple[float, float]]:
    return [(y, 0.0), (y, r), (y - 0.02, r)][::-1]
