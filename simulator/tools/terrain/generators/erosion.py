"""What weather does to a heap of numbers: slopes that slide, rain that carves and lays down, and where the water gathers."""

from __future__ import annotations

import math

import numpy as np

from simulator.base.jit import kernel
from simulator.base.records import record
from terrain.readers.contract import Values

RAIN = (
    # name         shape unit  what it is
    ("inertia", (), "1", "share of its direction that a drop keeps"),
    ("capacity", (), "1", "sediment that it carries per slope, speed and water"),
    ("least_slope", (), "1", "slope below which the capacity does not fall"),
    ("erosion", (), "1", "share of the missing sediment that it takes up in a step"),
    ("deposition", (), "1", "share of the surplus that it drops in a step"),
    ("evaporation", (), "1", "share of its water that it loses in a step"),
    ("gravity", (), "1", "gain of squared speed per fall"),
    ("steps", (), "1", "most steps of one node, after which it is gone", "i8"),
)
USUAL_RAIN = {"inertia": 0.3, "capacity": 1.5, "least_slope": 0.01, "erosion": 0.2, "deposition": 0.2, "evaporation": 0.02, "gravity": 2.0}

CARVED = 2.5
"""Nodes around a drop from which it takes."""
AT_REST = 0.005
"""1. Slopes that are steeper by less than this hold."""


def eroded_by_rain(heights: Values, spacing: float, drops: int, steps: int, seed: int) -> Values:
    """Heights (rows, columns) [m] after so many drops of rain, each of which runs downhill, carves, and lays down what it cannot carry.

    Particles as in Beyer, Implementation of a Method for Hydraulic Erosion (Munich 2015), chapter 3; the numbers of the rain are assumed.
    """
    rain = record(RAIN)
    for name, value in USUAL_RAIN.items():
        rain[0][name] = value
    rain[0]["steps"] = steps
    rows, columns = heights.shape
    starts = np.random.default_rng(seed).random((drops, 2)) * np.array((columns - 2.001, rows - 2.001))
    out = heights / spacing  # in nodes, so that slopes are slopes
    run_drops(rain, starts, out)
    return np.asarray(out * spacing, np.float64)


@kernel
def run_drops(rain, starts, h):
    """Let drops that fall at starts (n, 2) [column, row] run over h (rows, columns), heights in nodes, one after the other."""
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
            change = min(rise, carried)  # fills the pit behind it
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
    """Add `change` around x, y with weights that fall off linearly within CARVED nodes, so that no drop digs a well."""
    ny, nx = h.shape
    i0, i1 = max(int(x) - 2, 0), min(int(x) + 3, nx - 1)
    j0, j1 = max(int(y) - 2, 0), min(int(y) + 3, ny - 1)
    total = 0.0
    for j in range(j0, j1 + 1):
        for i in range(i0, i1 + 1):
            total += max(CARVED - math.sqrt((i - x) ** 2 + (j - y) ** 2), 0.0)
    for j in range(j0, j1 + 1):
        for i in range(i0, i1 + 1):
            h[j, i] += change * max(CARVED - math.sqrt((i - x) ** 2 + (j - y) ** 2), 0.0) / total


def slid(heights: Values, spacing: float, repose: float, rounds: int) -> Values:
    """Heights (rows, columns) [m] after slopes steeper than `repose` (tangent) have slid: thermal erosion [Musgrave, Kolb and Mace 1989].

    In every round a node gives a part of what is too steep to its lower neighbors, of the eight; nothing is lost.
    """
    out, moved = heights.copy(), np.empty_like(heights)
    for _ in range(rounds):
        moved[:] = 0.0
        if not slide(out, spacing, repose, moved) > AT_REST * spacing:
            break
        out += moved
    return out


@kernel
def slide(h, spacing, repose, moved):
    """One round of `slid`: adds to moved (rows, columns) what every node gains [m]; returns the largest excess [m]."""
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


def wetness(heights: Values, spacing: float) -> Values:
    """Topographic wetness index ln(a / tan(slope)) of the nodes [Beven and Kirkby 1979, eq. 11].

    a is the area per width of contour that drains through a node, each node to its steepest lower neighbor [O'Callaghan and Mark 1984];
    the slope is bounded from below by 0.01.
    """
    order = np.argsort(-heights, axis=None, kind="stable")
    area = np.full(heights.shape, spacing * spacing)
    gather(heights, order, spacing, area)
    slope = np.hypot(*np.gradient(heights, spacing))
    return np.log(area / spacing / np.maximum(slope, 0.01))


@kernel
def gather(h, order, spacing, area):
    """Drain area (rows, columns) [m2] downhill, nodes in `order` (n,) from the highest to the lowest; a pit keeps what comes."""
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
