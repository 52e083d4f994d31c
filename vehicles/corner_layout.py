"""Which corners stand on which axle, for kernels: two on each where the numbers of axles and wheels say so, else as STANDING tells.

Both numbers are constants of a compiled kernel, so a vehicle whose axles have two sides pays nothing for those that have not.
"""

from __future__ import annotations

from simulator.base.jit import inline


@inline
def sides_of(corners, axle):
    """(first, end): the corners first, ... end - 1 are those of an axle; corners : record with the rows of STANDING."""
    c = corners[0]
    if len(c["axle"]) == 2 * len(c["sides"]):  # known when this is compiled
        return 2 * axle, 2 * axle + 2
    return c["first"][axle], c["first"][axle] + c["sides"][axle]


@inline
def axle_of(corners, i):
    """Axle of corner i."""
    c = corners[0]
    if len(c["axle"]) == 2 * len(c["sides"]):
        return i // 2
    return c["axle"][i]


@inline
def sum_over_axles(corners, numbers):
    """Sum of one number per corner, axle by axle: left and right are alike to the last bit."""
    total = sum_on_axle(corners, 0, numbers)
    for axle in range(1, len(corners[0]["sides"])):
        total += sum_on_axle(corners, axle, numbers)
    return total


@inline
def sum_on_axle(corners, axle, numbers):
    """Sum of one number per corner over those of an axle."""
    first, end = sides_of(corners, axle)
    return numbers[first] + numbers[first + 1] if end - first == 2 else numbers[first]
