"""Wheel of a passenger car: a road tire with grooves on a rim of cast spokes. Its axle is y; +y is the outside."""

from __future__ import annotations

import math

import numpy as np

from simulator.base.arrays import Array
from simulator.view.meshes import Builder, moved

RUBBER, GROOVE, RIM, DARK, HUB = (40, 40, 41), (24, 24, 25), (168, 170, 174), (30, 31, 33), (120, 122, 126)
SPOKES, SEGMENTS = 5, 40


def car_wheel(radius: float, width: float) -> Array:
    """Return the mesh of a wheel with an outer radius and width in m."""
    b = Builder()
    half, rim = 0.5 * width, 0.66 * radius
    _tire(b, radius, rim, half)
    b.paint(RIM, 0.5).revolve([(0.72 * half, rim), (0.80 * half, 0.965 * rim), (0.55 * half, 0.93 * rim)][::-1], SEGMENTS)
    b.paint(DARK).revolve([(0.55 * half, 0.93 * rim), (0.10 * half, 0.90 * rim), (0.02 * half, 0.0)][::-1], SEGMENTS)
    b.paint(DARK).revolve([(-0.1 * half, 0.0), (-0.1 * half, 0.85 * rim), (-0.72 * half, rim)][::-1], SEGMENTS)
    for k in range(SPOKES):
        b.add(moved(_spoke(rim, half), _about_y(2.0 * math.pi * k / SPOKES)))
    b.paint(HUB, 0.5).revolve([(0.78 * half, 0.0), (0.76 * half, 0.11 * rim), (0.5 * half, 0.17 * rim)][::-1], 20)
    # the valve breaks the symmetry, so that slow rotation is visible
    b.paint((205, 196, 160)).box((0.86 * rim, 0.5 * half, -0.012), (0.91 * rim, 0.78 * half, 0.012))
    return b.mesh()


def _tire(b: Builder, r: float, rim: float, half: float) -> None:
    side = [(0.72, rim), (0.93, 0.74 * r), (1.0, 0.84 * r), (0.97, 0.93 * r), (0.86, 0.985 * r), (0.70, r)]
    profile = [(-y * half, q) for y, q in side] + [(y * half, q) for y, q in reversed(side)]
    b.paint(RUBBER).revolve(profile, SEGMENTS).revolve([(0.72 * half, rim), (-0.72 * half, rim)], SEGMENTS)
    for y in (-0.42, -0.14, 0.14, 0.42):
        b.paint(GROOVE).revolve([((y - 0.04) * half, 1.001 * r), ((y + 0.04) * half, 1.001 * r)], SEGMENTS, smooth=False)


def _spoke(rim: float, half: float) -> Array:
    """Return a spoke along +z, wider at the rim."""
    b = Builder().paint(RIM, 0.5)
    low, high = 0.12 * rim, 0.95 * rim
    b.hexahedron([
        (-0.10 * rim, 0.30 * half, low), (0.10 * rim, 0.30 * half, low), (0.10 * rim, 0.70 * half, low), (-0.10 * rim, 0.70 * half, low),
        (-0.14 * rim, 0.40 * half, high), (0.14 * rim, 0.40 * half, high), (0.14 * rim, 0.76 * half, high), (-0.14 * rim, 0.76 * half, high),
    ])  # fmt: skip
    return b.mesh()


def _about_y(angle: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
