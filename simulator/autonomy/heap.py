"""Binary heap in arrays for kernels: numbers of items in the order of their keys, with the place of each item for a decrease of its key."""

from __future__ import annotations

from simulator.base.jit import inline

REMOVED = -2
"""Place of an item that was removed; -1 = never in the heap."""


@inline
def push(key, heap, place, size, index):
    """Add an item; return the number of items."""
    heap[size], place[index] = index, size
    rise(key, heap, place, size)
    return size + 1


@inline
def rise(key, heap, place, k):
    """Move entry k of the heap up to its place, after a decrease of its key."""
    index = heap[k]
    while k > 0:
        parent = (k - 1) // 2
        if key[heap[parent]] <= key[index]:
            break
        heap[k] = heap[parent]
        place[heap[k]] = k
        k = parent
    heap[k], place[index] = index, k


@inline
def pop(key, heap, place, size):
    """Remove the first item, `heap[0]`; return the number of items."""
    place[heap[0]] = REMOVED
    size -= 1
    if size > 0:
        index, k = heap[size], 0
        while True:
            child = 2 * k + 1
            if child >= size:
                break
            if child + 1 < size and key[heap[child + 1]] < key[heap[child]]:
                child += 1
            if key[index] <= key[heap[child]]:
                break
            heap[k] = heap[child]
            place[heap[k]] = k
            k = child
        heap[k], place[index] = index, k
    return size
