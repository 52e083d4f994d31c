"""Does a kernel see the arrays of a named tuple as Python does, also in a kernel that it calls and in a function of others?"""

from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

from simulator.base.jit import inline, kernel

pytestmark = pytest.mark.fast


class Part(NamedTuple):
    numbers: Any
    grid: Any
    every_second: Any
    columns: Any


class Whole(NamedTuple):
    part: Part
    records: Any
    factor: float


@inline
def described(part, out):
    """Append shape, strides and sizes of the arrays of a part to `out`."""
    g, n = part.grid, part.numbers
    out[0], out[1], out[2], out[3] = g.shape[0], g.shape[1], g.strides[0], g.strides[1]
    out[4], out[5], out[6], out[7] = g.size, g.itemsize, n.strides[0], n.size
    out[8], out[9], out[10] = part.every_second.strides[0], part.columns.strides[0], part.columns.strides[1]


@kernel
def called(whole, out):
    described(whole.part, out)
    total = 0.0
    for _ in range(300):  # large enough to be called, not copied
        for i in range(whole.part.grid.shape[0]):
            for j in range(whole.part.grid.shape[1]):
                total += whole.factor * whole.part.grid[i, j] + whole.part.columns[i, j]
        for i in range(len(whole.part.every_second)):
            total += whole.part.every_second[i] * whole.part.numbers[i]
        whole.records[1]["x"] += 1.0
    return total


@kernel
def calls(whole, out):
    return called(whole, out) + len(whole.records)


def whole() -> Whole:
    grid = np.arange(12, dtype=np.float32).reshape(3, 4)
    part = Part(np.arange(10.0), grid, np.arange(20.0)[::2], np.asfortranarray(grid.astype(float)))
    return Whole(part, np.zeros(2, [("x", float), ("name", "i4", (3,))]), 2.5)


def test_a_called_kernel_finds_the_same_numbers_at_the_same_places():
    one, out = whole(), np.zeros(11)
    expected, seen = whole(), np.zeros(11)
    assert calls(one, out) == getattr(calls, "py_func", calls)(expected, seen)
    assert out.tolist() == seen.tolist() == [3, 4, 16, 4, 12, 4, 8, 10, 16, 8, 24]
    assert one.records["x"].tolist() == [0.0, 300.0]


def test_functions_of_others_return_arrays_that_own_their_memory():
    @numba.njit
    def parts_of(whole):
        return whole.part.grid[1:], whole.part.numbers

    grid, numbers = parts_of(whole())  # the tuple no longer exists
    assert grid.tolist() == [[4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0]] and numbers.tolist() == list(range(10))
    one = whole()
    assert np.shares_memory(parts_of(one)[0], one.part.grid)
