"""Kernels that are called by their address. The caller is compiled without them.

The vehicle step is compiled once and cached on disk. A plugin model of a tire or an axle is a separate kernel with a fixed signature. The
step receives the address of the kernel and the addresses of its records as data. A change of the plugin recompiles only the plugin.

    @callback
    def bristle(parameters, state, seen, result, first, count, h):
        p, s = record_at(parameters, BRISTLE), record_at(state, BRISTLE_STATE)
        ...

The caller stores `bristle.address` and `address_of(record)` in its own records and calls `call(...)`. An address is valid only while the
record exists, and only in this process: logs, digests and files never contain addresses.
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
"""Arguments of a callback kernel: four addresses of records, two integers and the time step [s]."""

_SIGNATURE = types.void(*[types.uintp] * 4, types.int64, types.int64, types.float64)

_plain: dict[int, Callable[..., None]] = {}
"""Functions by id, which replaces the address when the compiler of numba is switched off."""


class CallbackKernel:
    """Kernel with the fixed signature, compiled or loaded from disk at the first access to its address."""

    def __init__(self, function: Callable[..., None]) -> None:
        code = function.__code__
        if code.co_varnames[: code.co_argcount] != ARGUMENTS:
            raise TypeError(f"{function.__qualname__}: invalid arguments; expected {', '.join(ARGUMENTS)}")
        self.function = function
        self.__name__ = function.__name__
        self._compiled: Any = None

    @property
    def address(self) -> int:
        """Address of the machine code in this process."""
        if not COMPILES:
            _plain[id(self.function)] = self.function
            return id(self.function)
        if self._compiled is None:
            compiled = CFunc(self.function, (_SIGNATURE.args, _SIGNATURE.return_type), locals={}, options=dict(OPTIONS))
            use_cache(compiled, self.function)
            compiled.compile()
            self._compiled = compiled
        return int(self._compiled.address)

    def __call__(self, *arguments: float) -> None:
        """Call the kernel from Python, with ARGUMENTS."""
        _ = self.address
        call_from_python = self._compiled.ctypes if COMPILES else self.function
        call_from_python(*arguments)


def callback(function: Callable[..., None]) -> CallbackKernel:
    """Return a kernel that is called by its address. Raises TypeError if the arguments of the function are not ARGUMENTS."""
    return CallbackKernel(function)


def address_of(record: Record) -> int:
    """Return the address of a record in this process. Keep a reference to the record as long as the address is used."""
    return int(record.ctypes.data)


def _plain_records_at(address: int, dtype: np.dtype, count: int) -> Any:
    memory: Any = (ctypes.c_char * (dtype.itemsize * count)).from_address(int(address))
    return np.frombuffer(memory, dtype)


def _plain_record_at(address: int, dtype: np.dtype) -> Any:
    return _plain_records_at(address, dtype, 1)


def _array_at(context: Any, builder: Any, array: Any, address: Any, count: Any) -> Any:
    out = make_array(array)(context, builder)
    size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(array.dtype)))
    populate_array(out, data=builder.inttoptr(address, out.data.type), shape=[count], strides=[size], itemsize=size, meminfo=None)
    return out._getvalue()


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


# numba's context, the address, and one parameter for each of ARGUMENTS: an intrinsic has the parameters of the calls that it replaces
@intrinsic
def _compiled_call(_context: Any, kernel: Any, parameters: Any, state: Any, seen: Any, result: Any, first: Any, count: Any, h: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        pointer = ir.FunctionType(ir.VoidType(), [argument.type for argument in arguments[1:]]).as_pointer()
        builder.call(builder.inttoptr(arguments[0], pointer), arguments[1:])
        return context.get_dummy_value()

    return types.void(types.uintp, *_SIGNATURE.args), generate


record_at: Callable[..., Any] = _compiled_record_at if COMPILES else _plain_record_at
"""Return the record of a dtype at an address. For kernels: `record_at(parameters, dtype)[0]["mass"]`."""

records_at: Callable[..., Any] = _compiled_records_at if COMPILES else _plain_records_at
"""Return `count` consecutive records of a dtype at an address, or plain numbers for a dtype without fields.

For kernels: `records_at(parameters, dtype, first + count)[i]["mass"]`.
"""

address_in: Callable[..., int] = _compiled_address_in if COMPILES else _plain_address_in
"""Return the address of an array or record. For kernels: a structure that is copied with its memory cannot store addresses."""

call: Callable[..., None] = _compiled_call if COMPILES else _plain_call
"""Call the kernel at an address. For kernels: `call(kernel, parameters, state, seen, result, first, count, h)`."""
