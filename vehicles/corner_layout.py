"""Lookup of the corners of an axle, for kernels: two per axle where the numbers of axles and wheels imply it, else from the rows of
STANDING.

Both numbers are constants of a compiled kernel, so a vehicle with two wheels on every axle does not pay for axles with one wheel.
"""

from __future__ import annotations

from simulator.base.jit import inline


@inline
def sides_of(corners, axle):
    """Return (first, end): corners first, ... end - 1 belong to the axle; corners : record with the rows of STANDING."""
    c = corners[0]
    if len(c["axle"]) == 2 * len(c["sides"]):  # a compile-time constant
        return 2 * axle, 2 * axle + 2
    return c["first"][axle], c["first"][axle] + c["sides"][axle]


@inline
def axle_of(corners, i):
    """Return the axle of corner i."""
    c = corners[0]
    if len(c["axle"]) == 2 * len(c["sides"]):
        return i // 2
    return c["axle"][i]


@inline
def sum_over_axles(corners, numbers):
    """Return the sum of one number per corner, axle by axle, so that a mirrored vehicle gives identical bits."""
    total = sum_on_axle(corners, 0, numbers)
    for axle in range(1, len(corners[0]["sides"])):
        total += sum_on_axle(corners, axle, numbers)
    return total


@inline
def sum_on_axle(corners, axle, numbers):
    """Return the sum of one number per corner over the corners of an axle."""
    first, end = sides_of(corners, axle)
    return numbers[first] + numbers[first + 1] if end - first == 2 else numbers[first]
