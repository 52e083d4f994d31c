"""Binary heap in arrays for kernels: numbers of items in the order of their keys, with the place of each item for a decrease of its key."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.jit import inline

NEVER, REMOVED = -1, -2
"""Place of an item that was never in the heap, and of one that was removed."""


class Heap(NamedTuple):
    """Heap of the items 0 to n - 1; all arrays are (n,)."""

    key: NDArray[np.float64]
    """Key of each item"""
    items: NDArray[np.int64]
    """Items in the heap; the first one has the least key"""
    place: NDArray[np.int64]
    """Place of each item in `items`; NEVER or REMOVED"""


def empty_heap(n: int) -> Heap:
    """Return a heap for n items, without any."""
    return Heap(np.zeros(n), np.zeros(n, np.int64), np.full(n, NEVER, np.int64))


@inline
def push(heap, size, item):
    """Add an item, whose key is set; return the number of items in the heap."""
    heap.items[size], heap.place[item] = item, size
    rise(heap, item)
    return size + 1


@inline
def rise(heap, item):
    """Move an item up to its place, after a decrease of its key."""
    k = heap.place[item]
    while k > 0:
        parent = (k - 1) // 2
        if heap.key[heap.items[parent]] <= heap.key[item]:
            break
        _put(heap, k, heap.items[parent])
        k = parent
    _put(heap, k, item)


@inline
def pop(heap, size):
    """Remove the first item, `items[0]`; return the number of items in the heap."""
    heap.place[heap.items[0]] = REMOVED
    size -= 1
    if size > 0:
        item, k = heap.items[size], 0
        while True:
            child = 2 * k + 1
            if child >= size:
                break
            if child + 1 < size and heap.key[heap.items[child + 1]] < heap.key[heap.items[child]]:
                child += 1
            if heap.key[item] <= heap.key[heap.items[child]]:
                break
            _put(heap, k, heap.items[child])
            k = child
        _put(heap, k, item)
    return size


@inline
def _put(heap, k, item):
    """Store an item at place k."""
    heap.items[k], heap.place[item] = item, k
