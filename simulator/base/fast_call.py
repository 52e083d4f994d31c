"""Calls of kernels from Python without a look at the types of their arguments.

Numba looks at every argument of every call to find the machine code that fits. For the records of a vehicle, named tuples of structured
arrays, that takes 10 us, a third of ten ticks. Whoever calls a kernel again and again with the same records asks once for its machine code.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numba
import numpy as np

from simulator.base.jit import COMPILES


def compiled_call(kernel: Callable, *arguments: Any) -> Callable:
    """The machine code of a kernel for arguments such as these, compiled (or loaded) if need be; nothing is called.

    What is returned must be called with arguments of the very same types, dtypes and memory layouts, by position: nothing looks at them again.
    A plain function, and a kernel where the compiler is switched off, is its own machine code.
    """
    if not COMPILES or not hasattr(kernel, "overloads"):
        return kernel
    key = kernel, tuple(map(_kind_of, arguments))
    if key not in _FOUND:
        types = tuple(type_of(one) for one in arguments)
        kernel.compile(types)  # type: ignore[attr-defined]
        _FOUND[key] = kernel.overloads[types].entry_point  # type: ignore[attr-defined]
    return _FOUND[key]


_FOUND: dict[Any, Callable] = {}
"""Machine code by kernel and kinds of arguments."""


def _kind_of(argument: Any) -> Any:
    """What decides about the type of an argument, found in a hundredth of the time."""
    if isinstance(argument, tuple):
        return (type(argument), *map(_kind_of, argument))
    if type(argument) is np.ndarray:
        flags = argument.flags
        return argument.dtype, argument.ndim, flags.c_contiguous, flags.f_contiguous, flags.writeable
    return numba.typeof(argument)


def type_of(argument: Any) -> Any:
    """What numba takes an argument for, as `numba.typeof`, which looks at every field of a record anew: 20 ms for those of a vehicle."""
    if isinstance(argument, tuple):
        return numba.types.BaseTuple.from_types([type_of(one) for one in argument], type(argument))
    if type(argument) is np.ndarray:
        flags = argument.flags
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        return _type_of_array(argument.dtype, argument.ndim, layout, not flags.writeable)
    return numba.typeof(argument)


@cache
def _type_of_array(dtype: np.dtype, dimensions: int, layout: Any, readonly: bool) -> Any:
    """Of an array; one dtype object per table makes this quick (`simulator.base.records.dtype_of`)."""
    return numba.types.Array(numba.from_dtype(dtype), dimensions, layout, readonly=readonly)
