"""Networks of streets for tests."""

from __future__ import annotations

import math

import numpy as np

from terrain.roads.network import Lane, RoadNetwork

SIDE, BOX, WALK = 1.75, 10.0, 6.0
"""m. Distance of a lane from the middle of its street, half the size of a crossing, distance of a sidewalk."""


def grid(nx: int = 3, ny: int = 3, block: float = 100.0, yields: bool = False, walks: bool = True) -> RoadNetwork:
    """Return streets between nx by ny crossings, with a zebra crossing in the middle of each; `yields`: streets along y yield."""
    lanes: list[Lane] = []
    nodes = [(i, j) for i in range(nx) for j in range(ny)]
    streets = [(a, b) for a in nodes for b in nodes if abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1]
    for a, b in streets:
        after = [_turn(b, a, c) for d, c in streets if d == b and c != a]
        lanes.append(Lane(_street(a, b), _line(a, b, block, -SIDE), 3.5, 13.9, tuple(after)))
        for d, c in streets:
            if d == b and c != a:
                start, end = _line(a, b, block, -SIDE)[-1], _line(b, c, block, -SIDE)[0]
                points = _curve(start, end, np.subtract(b, a), np.subtract(c, b))
                crossing = f"crossing {b}"
                lanes.append(Lane(_turn(b, a, c), points, 3.5, 13.9, (_street(b, c),), crossing=crossing, yields=yields and b[0] == a[0]))
    if walks:
        for a, b in streets:
            line = _line(a, b, block, -WALK)
            middle = line.mean(axis=0)
            lanes += [Lane(f"walk {a} {b} 1", np.array([line[0], middle]), 2.0, walk=True)]
            lanes += [Lane(f"walk {a} {b} 2", np.array([middle, line[1]]), 2.0, walk=True)]
            if a < b:
                other = _line(b, a, block, -WALK).mean(axis=0)
                lanes.append(Lane(f"zebra {a} {b}", np.array([middle, other]), 3.0, walk=True))
    return RoadNetwork(lanes)


def ring(radius: float = 50.0, lanes: int = 1) -> RoadNetwork:
    """Return a circular road with lanes in the same direction."""
    angle = np.linspace(0.0, math.tau, 201)
    out = []
    for k in range(lanes):
        r = radius + 3.5 * k
        for part in range(2):
            a = angle[100 * part : 100 * part + 101]
            left, right = (f"{k - 1} {part}" if k > 0 else None), (f"{k + 1} {part}" if k < lanes - 1 else None)
            points = r * np.column_stack((np.cos(a), np.sin(a)))
            out.append(Lane(f"{k} {part}", points, 3.5, 13.9, (f"{k} {1 - part}",), left, right))
    return RoadNetwork(out)


def _street(a: tuple[int, int], b: tuple[int, int]) -> str:
    return f"street {a} {b}"


def _turn(b: tuple[int, int], a: tuple[int, int], c: tuple[int, int]) -> str:
    return f"turn {a} {b} {c}"


def _line(a: tuple[int, int], b: tuple[int, int], block: float, left: float) -> np.ndarray:
    """Return the line from crossing a to crossing b, `left` m beside the middle."""
    start, end = block * np.array(a, float), block * np.array(b, float)
    along = (end - start) / block
    side = left * np.array((-along[1], along[0]))
    return np.array((start + BOX * along + side, end - BOX * along + side))


def _curve(start: np.ndarray, end: np.ndarray, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Return a smooth curve between two places with two directions."""
    reach = 0.55 * float(np.hypot(*(end - start))) * (0.75 if abs(before @ after) < 0.5 else 0.6)
    u = np.linspace(0.0, 1.0, 17)[:, None]
    p = (start, start + reach * before, end - reach * after, end)
    return (1 - u) ** 3 * p[0] + 3 * u * (1 - u) ** 2 * p[1] + 3 * u**2 * (1 - u) * p[2] + u**3 * p[3]
