"""Erosion of a height map: slides of steep slopes, carving and deposition by rain, and drainage."""

from __future__ import annotations

import math

import numpy as np

from simulator.base.arrays import Array
from simulator.base.jit import kernel
from simulator.base.records import record

RAIN = (
    # name         shape unit  description
    ("inertia", (), "1", "fraction of its direction that a drop keeps per step"),
    ("capacity", (), "1", "sediment capacity per slope, speed and water"),
    ("least_slope", (), "1", "minimum slope in the capacity"),
    ("erosion", (), "1", "fraction of the missing sediment eroded per step"),
    ("deposition", (), "1", "fraction of the surplus sediment deposited per step"),
    ("evaporation", (), "1", "fraction of the water evaporated per step"),
    ("gravity", (), "1", "gain of squared speed per height of fall"),
    ("steps", (), "1", "maximum steps of a drop, one node each", "i8"),
)
USUAL_RAIN = {"inertia": 0.3, "capacity": 1.5, "least_slope": 0.01, "erosion": 0.2, "deposition": 0.2, "evaporation": 0.02, "gravity": 2.0}

EROSION_RADIUS = 2.5
"""Radius of erosion around a drop, in nodes."""
SLOPE_TOLERANCE = 0.005
"""1. Excess slope below which the ground does not slide."""


def eroded_by_rain(heights: Array, spacing: float, drops: int, steps: int, seed: int) -> Array:
    """Return the heights (rows, columns) [m] after `drops` drops of rain. Each drop runs downhill, erodes, and deposits excess sediment.

    Particles as in Beyer, Implementation of a Method for Hydraulic Erosion (Munich 2015), chapter 3; the parameters of the rain are
    assumed.
    """
    rain = record(RAIN)
    for name, value in USUAL_RAIN.items():
        rain[0][name] = value
    rain[0]["steps"] = steps
    rows, columns = heights.shape
    starts = np.random.default_rng(seed).random((drops, 2)) * np.array((columns - 2.001, rows - 2.001))
    out = heights / spacing  # in units of nodes, so that differences are slopes
    run_drops(rain, starts, out)
    return np.asarray(out * spacing, np.float64)


@kernel
def run_drops(rain, starts, h):
    """Let drops from starts (n, 2) [column, row] run over h (rows, columns), heights in nodes, one after the other."""
    for k in range(starts.shape[0]):
        _run_drop(rain, starts[k, 0], starts[k, 1], h)


@kernel
def _run_drop(rain, x, y, h):
    r = rain[0]
    ny, nx = h.shape
    ax, ay, speed, water, carried = 0.0, 0.0, 1.0, 1.0, 0.0
    for _ in range(r["steps"]):
        i, j = int(x), int(y)
        u, v = x - i, y - j
        a, b, c, d = h[j, i], h[j, i + 1], h[j + 1, i], h[j + 1, i + 1]
        gx, gy = (b - a) * (1.0 - v) + (d - c) * v, (c - a) * (1.0 - u) + (d - b) * u
        z = a * (1.0 - u) * (1.0 - v) + b * u * (1.0 - v) + c * (1.0 - u) * v + d * u * v
        ax, ay = ax * r["inertia"] - gx * (1.0 - r["inertia"]), ay * r["inertia"] - gy * (1.0 - r["inertia"])
        length = math.sqrt(ax * ax + ay * ay)
        if not length > 1e-9:
            return
        ax, ay = ax / length, ay / length
        x, y = x + ax, y + ay
        if not (0.0 <= x < nx - 1.001 and 0.0 <= y < ny - 1.001):
            return
        m, n = int(x), int(y)
        p, q = x - m, y - n
        below = h[n, m] * (1 - p) * (1 - q) + h[n, m + 1] * p * (1 - q) + h[n + 1, m] * (1 - p) * q + h[n + 1, m + 1] * p * q
        rise = below - z
        capacity = max(-rise, r["least_slope"]) * speed * water * r["capacity"]
        if rise > 0.0:
            change = min(rise, carried)  # fills the pit behind the drop
        elif carried > capacity:
            change = (carried - capacity) * r["deposition"]
        else:
            change = -min((capacity - carried) * r["erosion"], -rise)
        carried -= change
        if change > 0.0:
            h[j, i] += change * (1.0 - u) * (1.0 - v)
            h[j, i + 1] += change * u * (1.0 - v)
            h[j + 1, i] += change * (1.0 - u) * v
            h[j + 1, i + 1] += change * u * v
        else:
            _carve(h, i + u, j + v, change)
        speed = math.sqrt(max(speed * speed - rise * r["gravity"], 0.01))
        water *= 1.0 - r["evaporation"]


@kernel
def _carve(h, x, y, change):
    """Add `change` around x, y with weights that decrease linearly to 0 at CARVED nodes, so that a drop does not dig a well."""
    ny, nx = h.shape
    i0, i1 = max(int(x) - 2, 0), min(int(x) + 3, nx - 1)
    j0, j1 = max(int(y) - 2, 0), min(int(y) + 3, ny - 1)
    total = 0.0
    for j in range(j0, j1 + 1):
        for i in range(i0, i1 + 1):
            total += max(EROSION_RADIUS - math.sqrt((i - x) ** 2 + (j - y) ** 2), 0.0)
    for j in range(j0, j1 + 1):
        for i in range(i0, i1 + 1):
            h[j, i] += change * max(EROSION_RADIUS - math.sqrt((i - x) ** 2 + (j - y) ** 2), 0.0) / total


def slid(heights: Array, spacing: float, repose: float, rounds: int) -> Array:
    """Return the heights (rows, columns) [m] after slides of slopes steeper than `repose` (tangent): thermal erosion [Musgrave, Kolb and
    Mace 1989].

    In each round a node moves a part of its excess to its lower neighbors, of the eight; the volume is constant.
    """
    out, moved = heights.copy(), np.empty_like(heights)
    for _ in range(rounds):
        moved[:] = 0.0
        if not slide(out, spacing, repose, moved) > SLOPE_TOLERANCE * spacing:
            break
        out += moved
    return out


@kernel
def slide(h, spacing, repose, moved):
    """Compute one round of `slid`: add the gain [m] of each node to moved (rows, columns); return the maximum excess [m]."""
    ny, nx = h.shape
    largest = 0.0
    for j in range(ny):
        for i in range(nx):
            excess, steepest = 0.0, 0.0
            for dj in range(-1, 2):
                for di in range(-1, 2):
                    if (di or dj) and 0 <= i + di < nx and 0 <= j + dj < ny:
                        over = h[j, i] - h[j + dj, i + di] - repose * spacing * math.sqrt(di * di + dj * dj)
                        if over > 0.0:
                            excess += over
                            steepest = max(steepest, over)
            if excess > 0.0:
                largest = max(largest, steepest)
                for dj in range(-1, 2):
                    for di in range(-1, 2):
                        if (di or dj) and 0 <= i + di < nx and 0 <= j + dj < ny:
                            over = h[j, i] - h[j + dj, i + di] - repose * spacing * math.sqrt(di * di + dj * dj)
                            if over > 0.0:
                                moved[j + dj, i + di] += 0.4 * steepest * over / excess
                                moved[j, i] -= 0.4 * steepest * over / excess
    return largest


def wetness(heights: Array, spacing: float) -> Array:
    """Return the topographic wetness index ln(a / tan(slope)) of the nodes [Beven and Kirkby 1979, eq. 11].

    a is the drainage area per contour width of a node, each node draining to its steepest lower neighbor [O'Callaghan and Mark 1984];
    the minimum slope is 0.01.
    """
    order = np.argsort(-heights, axis=None, kind="stable")
    area = np.full(heights.shape, spacing * spacing)
    gather(heights, order, spacing, area)
    slope = np.hypot(*np.gradient(heights, spacing))
    return np.log(area / spacing / np.maximum(slope, 0.01))


@kernel
def gather(h, order, spacing, area):
    """Accumulate the drainage area (rows, columns) [m2] downhill, nodes in `order` (n,) from the highest to the lowest; pits have no
    outflow.
    """
    ny, nx = h.shape
    for k in range(order.shape[0]):
        j, i = order[k] // nx, order[k] % nx
        best, bj, bi = 0.0, -1, -1
        for dj in range(-1, 2):
            for di in range(-1, 2):
                if (di or dj) and 0 <= i + di < nx and 0 <= j + dj < ny:
                    fall = (h[j, i] - h[j + dj, i + di]) / (spacing * math.sqrt(di * di + dj * dj))
                    if fall > best:
                        best, bj, bi = fall, j + dj, i + di
        if bj >= 0:
            area[bj, bi] += area[j, i]
