"""Route field: cost of the cheapest way from each cell of a grid to the goal, by Dijkstra's algorithm with a binary heap in arrays.

A step to one of the 8 neighbors costs its length times the mean weight of the two cells; a cell with an infinite weight is blocked. A
diagonal step between two blocked cells is not allowed.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simulator.base.jit import inline, kernel


def route_field(weight: NDArray[np.float64], seeds: NDArray[np.float64], cell: float) -> NDArray[np.float64]:
    """Return the cost (ny, nx) [m] of the way from each cell to the goal; inf = no way.

    Parameters
    ----------
    weight : (ny, nx) cost per meter, at least 1; inf = blocked
    seeds : (ny, nx) cost [m] from a cell of the goal onward; inf = not a cell of the goal
    cell : side length of a cell [m]
    """
    out = np.where(np.isfinite(weight), seeds, np.inf)
    heap, place = np.empty(out.size, np.int64), np.full(out.size, -1, np.int64)
    spread(np.ascontiguousarray(weight, np.float64).ravel(), out.reshape(-1), out.shape[1], float(cell), heap, place)
    return out


@kernel
def spread(weight, cost, nx, cell, heap, place):
    """Complete `cost` (n,), finite at the seeds. heap, place (n,) are work space, place -1 everywhere."""
    n = len(cost)
    ny = n // nx
    size = 0
    for index in range(n):
        if cost[index] < math.inf:
            size = _push(cost, heap, place, size, index)
    while size > 0:
        here = heap[0]
        size = _pop(cost, heap, place, size)
        j, i = here // nx, here % nx
        for dj in range(-1, 2):
            for di in range(-1, 2):
                y, x = j + dj, i + di
                if (dj == 0 and di == 0) or y < 0 or y >= ny or x < 0 or x >= nx:
                    continue
                there = y * nx + x
                if place[there] == -2 or weight[there] == math.inf:
                    continue
                length = cell
                if dj != 0 and di != 0:
                    if weight[j * nx + x] == math.inf and weight[y * nx + i] == math.inf:
                        continue
                    length *= math.sqrt(2.0)
                new = cost[here] + 0.5 * length * (weight[here] + weight[there])
                if new < cost[there]:
                    cost[there] = new
                    if place[there] < 0:
                        size = _push(cost, heap, place, size, there)
                    else:
                        _rise(cost, heap, place, place[there])


@inline
def _push(cost, heap, place, size, index):
    heap[size], place[index] = index, size
    _rise(cost, heap, place, size)
    return size + 1


@inline
def _rise(cost, heap, place, k):
    """Move entry k of the heap up to its place."""
    index = heap[k]
    while k > 0:
        parent = (k - 1) // 2
        if cost[heap[parent]] <= cost[index]:
            break
        heap[k] = heap[parent]
        place[heap[k]] = k
        k = parent
    heap[k], place[index] = index, k


@inline
def _pop(cost, heap, place, size):
    """Remove the first entry; its place becomes -2."""
    place[heap[0]] = -2
    size -= 1
    if size > 0:
        index, k = heap[size], 0
        while True:
            child = 2 * k + 1
            if child >= size:
                break
            if child + 1 < size and cost[heap[child + 1]] < cost[heap[child]]:
                child += 1
            if cost[index] <= cost[heap[child]]:
                break
            heap[k] = heap[child]
            place[heap[k]] = k
            k = child
        heap[k], place[index] = index, k
    return size
