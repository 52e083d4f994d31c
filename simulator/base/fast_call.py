"""Fast calls of kernels from Python, without type dispatch.

In each call, numba determines the types of all arguments to select the machine code. For the records of a vehicle, named tuples of structured
arrays, this takes 10 us, a third of ten ticks. A caller that passes the same records in each call gets the machine code once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numba
import numpy as np

from simulator.base.jit import COMPILES


def compiled_call(kernel: Callable, *arguments: Any) -> Callable:
    """Return the entry point of a kernel for the types of the arguments; compile or load it if needed. The kernel is not called.

    Call the entry point with positional arguments of identical types, dtypes and memory layouts: they are not checked.
    A plain function is returned unchanged, and so is a kernel if the compiler is switched off.
    """
    if not COMPILES or not hasattr(kernel, "overloads"):
        return kernel
    key = kernel, tuple(map(_type_key, arguments))
    if key not in _ENTRY_POINTS:
        types = tuple(type_of(one) for one in arguments)
        kernel.compile(types)  # type: ignore[attr-defined]
        _ENTRY_POINTS[key] = kernel.overloads[types].entry_point  # type: ignore[attr-defined]
    return _ENTRY_POINTS[key]


_ENTRY_POINTS: dict[Any, Callable] = {}
"""Entry points by kernel and type keys of the arguments."""


def _type_key(argument: Any) -> Any:
    """Return a key that determines the numba type of an argument, 100 times faster than `numba.typeof`."""
    if isinstance(argument, tuple):
        return (type(argument), *map(_type_key, argument))
    if type(argument) is np.ndarray:
        flags = argument.flags
        return argument.dtype, argument.ndim, flags.c_contiguous, flags.f_contiguous, flags.writeable
    return numba.typeof(argument)


def type_of(argument: Any) -> Any:
    """Return the numba type of an argument. `numba.typeof` scans all fields of a record in each call, 20 ms for those of a vehicle."""
    if isinstance(argument, tuple):
        return numba.types.BaseTuple.from_types([type_of(one) for one in argument], type(argument))
    if type(argument) is np.ndarray:
        flags = argument.flags
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        return _type_of_array(argument.dtype, argument.ndim, layout, not flags.writeable)
    return numba.typeof(argument)


@cache
def _type_of_array(dtype: np.dtype, dimensions: int, layout: Any, readonly: bool) -> Any:
    """Return the numba type of an array; fast because each table has one dtype object (`simulator.base.records.dtype_of`)."""
    return numba.types.Array(numba.from_dtype(dtype), dimensions, layout, readonly=readonly)
