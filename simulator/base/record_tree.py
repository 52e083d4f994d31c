"""Named tuples of records that a kernel finds by an address, so that one kernel steps any number of vehicles.

The arrays of a tuple, in the order of its fields, have one row of addresses and lengths. `tree_at` makes the tuple again inside a kernel. The
addresses are valid in one process, and as long as the arrays exist.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array
from numpy.typing import NDArray

from simulator.base.jit import COMPILES

Addresses = NDArray[np.int64]


def addresses_in(tree: Any) -> Addresses:
    """Return address and shape of each array of a tuple, or of tuples in it, one after the other. All arrays are contiguous."""
    row: list[int] = []
    for array in _arrays(tree):
        if not array.flags.c_contiguous:
            raise ValueError("an array of the tuple is not contiguous")
        row += [array.ctypes.data, *array.shape]
    return np.array(row, np.int64)


def _arrays(tree: Any) -> Iterator[NDArray[Any]]:
    for part in tree:
        if isinstance(part, tuple):
            yield from _arrays(part)
        else:
            yield part


def _plain_tree_at(address: int, like: Any) -> Any:
    numbers = iter((ctypes.c_int64 * (3 * sum(array.ndim + 1 for array in _arrays(like)))).from_address(int(address)))
    return _again(numbers, like)


def _again(numbers: Iterator[int], like: Any) -> Any:
    parts = []
    for part in like:
        if isinstance(part, tuple):
            parts.append(_again(numbers, part))
            continue
        at = next(numbers)
        shape = tuple(next(numbers) for _ in range(part.ndim))
        memory: Any = (ctypes.c_char * (part.dtype.itemsize * int(np.prod(shape)))).from_address(at) if at else b""
        parts.append(np.frombuffer(memory, part.dtype).reshape(shape))
    return type(like)(*parts)


@intrinsic
def _compiled_tree_at(_context: Any, address: Any, like: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        row = builder.inttoptr(arguments[0], word.as_pointer())
        return _made(context, builder, like, row, [0])

    return like(types.uintp, like), generate


def _made(context: Any, builder: Any, kind: Any, row: Any, at: list[int]) -> Any:
    """Return the value of a tuple type, from the words of a row; `at` counts the words that are read."""

    def word() -> Any:
        at[0] += 1
        return builder.load(cgutils.gep_inbounds(builder, row, at[0] - 1))

    if isinstance(kind, types.BaseTuple):
        members: Any = kind
        return context.make_tuple(builder, kind, [_made(context, builder, one, row, at) for one in members])
    out = make_array(kind)(context, builder)
    size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    data, shape = builder.inttoptr(word(), out.data.type), [word() for _ in range(kind.ndim)]
    strides = [size]
    for length in shape[:0:-1]:
        strides.insert(0, builder.mul(strides[0], length))
    populate_array(out, data=data, shape=shape, strides=strides, itemsize=size, meminfo=None)
    return out._getvalue()


def type_of_tree(tree: Any) -> Any:
    """Return what `tree_of` needs to know about tuples like this one."""
    return typeof(tree) if COMPILES else tree


@intrinsic
def _compiled_tree_of(_context: Any, address: Any, kind: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _made(context, builder, kind.instance_type, builder.inttoptr(arguments[0], ir.IntType(64).as_pointer()), [0])

    return kind.instance_type(types.uintp, kind), generate


@intrinsic
def _compiled_tree_into(_context: Any, row: Any, tree: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        data = make_array(row)(context, builder, arguments[0]).data
        _write(context, builder, tree, arguments[1], data, [0])
        return context.get_dummy_value()

    return types.void(row, tree), generate


def _write(context: Any, builder: Any, kind: Any, value: Any, row: Any, at: list[int]) -> None:
    """Write addresses and lengths of the arrays of a tuple to a row; `at` counts the words that are written."""

    def word(one: Any) -> None:
        builder.store(one, cgutils.gep_inbounds(builder, row, at[0]))
        at[0] += 1

    if isinstance(kind, types.BaseTuple):
        members: Any = kind
        for n, member in enumerate(members):
            _write(context, builder, member, builder.extract_value(value, n), row, at)
        return
    array = make_array(kind)(context, builder, value)
    word(builder.ptrtoint(array.data, ir.IntType(64)))
    for length in cgutils.unpack_tuple(builder, array.shape, kind.ndim):
        word(length)


def _plain_tree_into(row: Any, tree: Any) -> None:
    words = addresses_in(tree)
    row[: len(words)] = words


tree_of: Callable[..., Any] = _compiled_tree_of if COMPILES else _plain_tree_at
"""Return the tuple whose addresses are at `address`; its types are those of `type_of_tree`, a global or a free variable. For kernels."""

tree_into: Callable[..., None] = _compiled_tree_into if COMPILES else _plain_tree_into
"""Write addresses and lengths of the arrays of a tuple to a row of integers, for `tree_at` and `tree_of`. For kernels."""

tree_at: Callable[..., Any] = _compiled_tree_at if COMPILES else _plain_tree_at
"""Return the tuple whose addresses are at `address`; its types are those of the tuple `like`. For kernels."""
