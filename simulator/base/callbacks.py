"""Kernels that are called by their address, so that whoever calls them is compiled without knowing them.

The step of a vehicle is compiled once and kept on disk. A kind of tire or axle that moves in later is a kernel of its own, of one fixed
signature, whose address and whose records' addresses are data to the step: an edit of it compiles it alone, and costs the step nothing.

    @outside
    def bristle(parameters, state, seen, result, first, count, h):
        p, s = record_at(parameters, BRISTLE), record_at(state, BRISTLE_STATE)
        ...

A caller holds the numbers `bristle.address` and `address_of(record)` in records of its own and says `call(...)`. An address is good only
as long as the record lives, and never leaves the process: it is no part of a log, a digest or a file.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.ccallback import CFunc
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array
from numpy.typing import NDArray

from simulator.base.jit import COMPILES, OPTIONS, use_cache
from simulator.base.records import Record

ARGUMENTS = ("parameters", "state", "seen", "result", "first", "count", "h")
"""Of every such kernel: four addresses of records, two whole numbers and the time step [s]."""

_SIGNATURE = types.void(*[types.uintp] * 4, types.int64, types.int64, types.float64)

_plain: dict[int, Callable[..., None]] = {}
"""Functions by what stands for their address when numba's compiler is switched off."""


class CallbackKernel:
    """A kernel of the fixed signature; compiled, or taken from the disk, when its address is asked for the first time."""

    def __init__(self, function: Callable[..., None]) -> None:
        code = function.__code__
        if code.co_varnames[: code.co_argcount] != ARGUMENTS:
            raise TypeError(f"{function.__qualname__}: its arguments have to be {', '.join(ARGUMENTS)}")
        self.function = function
        self.__name__ = function.__name__
        self._compiled: Any = None

    @property
    def address(self) -> int:
        """Where its machine code lies in this process."""
        if not COMPILES:
            _plain[id(self.function)] = self.function
            return id(self.function)
        if self._compiled is None:
            compiled = CFunc(self.function, (_SIGNATURE.args, _SIGNATURE.return_type), locals={}, options=dict(OPTIONS))
            use_cache(compiled, self.function)
            compiled.compile()
            self._compiled = compiled
        return int(self._compiled.address)

    @property
    def from_disk(self) -> bool:
        """Whether it lay compiled on disk."""
        return self._compiled is not None and self._compiled.cache_hits > 0


def callback(function: Callable[..., None]) -> CallbackKernel:
    """Make a kernel of the arguments ARGUMENTS that is called by its address. Raises TypeError."""
    return CallbackKernel(function)


def address_of(one: Record) -> int:
    """Where a record lies in this process. Keep the record as long as the address is used."""
    return int(one.ctypes.data)


def _plain_records_at(address: int, dtype: np.dtype, count: int) -> Any:
    memory: Any = (ctypes.c_char * (dtype.itemsize * count)).from_address(int(address))
    return np.frombuffer(memory, dtype)


def _plain_record_at(address: int, dtype: np.dtype) -> Any:
    return _plain_records_at(address, dtype, 1)


def _array_at(context: Any, builder: Any, array: Any, address: Any, count: Any) -> Any:
    made = make_array(array)(context, builder)
    size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(array.dtype)))
    populate_array(made, data=builder.inttoptr(address, made.data.type), shape=[count], strides=[size], itemsize=size, meminfo=None)
    return made._getvalue()


@intrinsic
def _compiled_records_at(_context: Any, _address: Any, dtype: Any, _count: Any) -> Any:
    array = types.Array(dtype.dtype, 1, "C")

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _array_at(context, builder, array, arguments[0], arguments[2])

    return array(types.uintp, dtype, types.intp), generate


@intrinsic
def _compiled_record_at(_context: Any, _address: Any, dtype: Any) -> Any:
    array = types.Array(dtype.dtype, 1, "C")

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _array_at(context, builder, array, arguments[0], context.get_constant(types.intp, 1))

    return array(types.uintp, dtype), generate


def _plain_address_in(array: NDArray[Any]) -> int:
    return int(array.ctypes.data)


@intrinsic
def _compiled_address_in(_context: Any, array: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        data = make_array(array)(context, builder, arguments[0]).data
        return builder.ptrtoint(data, context.get_value_type(types.uintp))

    return types.uintp(array), generate


def _plain_call(kernel: int, parameters: int, state: int, seen: int, result: int, first: int, count: int, h: float) -> None:
    _plain[int(kernel)](parameters, state, seen, result, first, count, h)


@intrinsic
def _compiled_call(_context: Any, kernel: Any, parameters: Any, state: Any, seen: Any, result: Any, first: Any, count: Any, h: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        pointer = ir.FunctionType(ir.VoidType(), [argument.type for argument in arguments[1:]]).as_pointer()
        builder.call(builder.inttoptr(arguments[0], pointer), arguments[1:])
        return context.get_dummy_value()

    return types.void(types.uintp, *_SIGNATURE.args), generate


record_at: Callable[..., Any] = _compiled_record_at if COMPILES else _plain_record_at
"""The record of a dtype at an address, for kernels: `record_at(parameters, dtype)[0]["mass"]`."""

records_at: Callable[..., Any] = _compiled_records_at if COMPILES else _plain_records_at
"""So many records of a dtype that lie one after the other, for kernels: `records_at(parameters, dtype, first + count)[i]["mass"]`; or plain numbers, if the
dtype is theirs."""

address_in: Callable[..., int] = _compiled_address_in if COMPILES else _plain_address_in
"""Where an array or a record lies, for kernels: what is copied together with its memory keeps no address, but asks for it."""

call: Callable[..., None] = _compiled_call if COMPILES else _plain_call
"""Run the kernel at an address, for kernels: `call(kernel, parameters, state, seen, result, first, count, h)`."""
