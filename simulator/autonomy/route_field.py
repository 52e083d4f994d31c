"""Cheapest ways on a grid to the goal: by Dijkstra's algorithm from every cell, or by A* from one, with a binary heap in arrays.

A step to one of the 8 neighbors costs its length times the mean weight of the two cells; a cell with an infinite weight is blocked. A
diagonal step between two blocked cells is not allowed.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.autonomy.heap import REMOVED, pop, push, rise
from simulator.base.jit import inline, kernel


def route_field(weight: NDArray[np.float64], seeds: NDArray[np.float64], cell: float) -> NDArray[np.float64]:
    """Return the cost (ny, nx) [m] of the way from each cell to the goal; inf = no way.

    Parameters
    ----------
    weight : (ny, nx) cost per meter, at least 1; inf = blocked
    seeds : (ny, nx) cost [m] from a cell of the goal onward; inf = not a cell of the goal
    cell : side length of a cell [m]
    """
    return _spread(weight, seeds, cell, -1)


def cheapest_way(
    weight: NDArray[np.float64], seeds: NDArray[np.float64], cell: float, start: tuple[int, int]
) -> tuple[NDArray[np.int64], float] | None:
    """Return the cells (n, 2), row and column, of the cheapest way from a cell to the goal, and its cost [m], by A*; None without a way.

    Arguments as of `route_field`.
    """
    j, i = start
    cost = _spread(weight, seeds, cell, j * weight.shape[1] + i)
    if not np.isfinite(cost[j, i]):
        return None
    way, total = [(j, i)], float(cost[j, i])
    while cost[j, i] > seeds[j, i] or not np.isfinite(seeds[j, i]):
        around = cost[max(j - 1, 0) : j + 2, max(i - 1, 0) : i + 2] + _step_costs(weight, j, i, cell)
        row, column = np.unravel_index(int(np.argmin(around)), around.shape)
        j, i = max(j - 1, 0) + int(row), max(i - 1, 0) + int(column)
        if (j, i) in way[-2:]:
            break  # a tie by rounding
        way.append((j, i))
    return np.array(way), total


def _step_costs(weight: NDArray[np.float64], j: int, i: int, cell: float) -> NDArray[np.float64]:
    """Return the costs of the steps from a cell to its neighbors; inf to the cell itself and over blocked corners."""
    j0, i0 = max(j - 1, 0), max(i - 1, 0)
    part = weight[j0 : j + 2, i0 : i + 2]
    rows, columns = np.mgrid[j0 : j0 + part.shape[0], i0 : i0 + part.shape[1]]
    length = cell * np.hypot(rows - j, columns - i)
    out = 0.5 * length * (part + weight[j, i])
    corner = (rows != j) & (columns != i)
    out[corner & np.isinf(weight[j, columns]) & np.isinf(weight[rows, i])] = np.inf
    out[length == 0.0] = np.inf
    return out


def _spread(weight: NDArray[np.float64], seeds: NDArray[np.float64], cell: float, target: int) -> NDArray[np.float64]:
    out = np.where(np.isfinite(weight), seeds, np.inf)
    key, heap, place = np.empty(out.size), np.empty(out.size, np.int64), np.full(out.size, -1, np.int64)
    spread(np.ascontiguousarray(weight, np.float64).ravel(), out.reshape(-1), out.shape[1], float(cell), target, key, heap, place)
    return out


@kernel
def spread(weight, cost, nx, cell, target, key, heap, place):
    """Complete `cost` (n,), finite at the seeds, from a cell `target` (A*), or everywhere for -1 (Dijkstra).

    key, heap, place (n,) are work space, place -1 everywhere.
    """
    n = len(cost)
    ny = n // nx
    size = 0
    for index in range(n):
        if cost[index] < math.inf:
            key[index] = cost[index] + _bound(index, target, nx, cell)
            size = push(key, heap, place, size, index)
    while size > 0:
        here = heap[0]
        if here == target:
            break
        size = pop(key, heap, place, size)
        j, i = here // nx, here % nx
        for dj in range(-1, 2):
            for di in range(-1, 2):
                y, x = j + dj, i + di
                if (dj == 0 and di == 0) or y < 0 or y >= ny or x < 0 or x >= nx:
                    continue
                there = y * nx + x
                if place[there] == REMOVED or weight[there] == math.inf:
                    continue
                length = cell
                if dj != 0 and di != 0:
                    if weight[j * nx + x] == math.inf and weight[y * nx + i] == math.inf:
                        continue
                    length *= math.sqrt(2.0)
                new = cost[here] + 0.5 * length * (weight[here] + weight[there])
                if new < cost[there]:
                    cost[there] = new
                    key[there] = new + _bound(there, target, nx, cell)
                    if place[there] < 0:
                        size = push(key, heap, place, size, there)
                    else:
                        rise(key, heap, place, place[there])


@inline
def _bound(index, target, nx, cell):
    """Return the least cost between a cell and the target: their distance, since a meter costs at least 1."""
    if target < 0:
        return 0.0
    return cell * math.hypot(index // nx - target // nx, index % nx - target % nx)
