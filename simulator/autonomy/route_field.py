"""Cheapest ways on a grid to the goal: by Dijkstra's algorithm from every cell, or by A* from one, with a binary heap in arrays.

A step to one of the 8 neighbors costs its length times the mean weight of the two cells; a cell with an infinite weight is blocked. A
diagonal step between two blocked cells is not allowed.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.autonomy.heap import NEVER, REMOVED, empty_heap, pop, push, rise
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
    spread(np.ascontiguousarray(weight, np.float64), out, float(cell), target, empty_heap(out.size))
    return out


@kernel
def spread(weight, cost, cell, target, heap):
    """Complete `cost` (ny, nx), finite at the seeds, from a cell with the number `target` (A*), or everywhere for -1 (Dijkstra)."""
    ny, nx = cost.shape
    size = 0
    for j in range(ny):
        for i in range(nx):
            if cost[j, i] < math.inf:
                heap.key[j * nx + i] = cost[j, i] + _bound(j, i, nx, target, cell)
                size = push(heap, size, j * nx + i)
    while size > 0 and heap.items[0] != target:
        j, i = heap.items[0] // nx, heap.items[0] % nx
        size = pop(heap, size)
        for y in range(max(j - 1, 0), min(j + 2, ny)):
            for x in range(max(i - 1, 0), min(i + 2, nx)):
                there = y * nx + x
                new = cost[j, i] + _step_cost(weight, j, i, y, x, cell)
                if heap.place[there] == REMOVED or not new < cost[y, x]:
                    continue
                cost[y, x] = new
                heap.key[there] = new + _bound(y, x, nx, target, cell)
                if heap.place[there] == NEVER:
                    size = push(heap, size, there)
                else:
                    rise(heap, there)


@inline
def _step_cost(weight, j, i, y, x, cell):
    """Return the cost [m] of the step from the cell (j, i) to its neighbor (y, x); inf into a blocked cell and between two blocked ones."""
    length = cell
    if y != j and x != i:
        if weight[j, x] == math.inf and weight[y, i] == math.inf:
            return math.inf
        length *= math.sqrt(2.0)
    return 0.5 * length * (weight[j, i] + weight[y, x])


@inline
def _bound(j, i, nx, target, cell):
    """Return the least cost between the cell (j, i) and the target: their distance, since a meter costs at least 1."""
    if target < 0:
        return 0.0
    return cell * math.hypot(j - target // nx, i - target % nx)
