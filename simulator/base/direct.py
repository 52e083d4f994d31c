"""Calls of kernels from Python without a look at the types of their arguments.

Numba looks at every argument of every call to find the machine code that fits. For the records of a vehicle, named tuples of structured
arrays, that takes 10 us, a third of ten ticks. Whoever calls a kernel again and again with the same records asks once for its machine code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from simulator.base.jit import COMPILES


def direct(kernel: Callable, *arguments: Any) -> Callable:
    """The machine code of a kernel for arguments such as these, compiled (or loaded) if need be; nothing is called.

    What is returned must be called with arguments of the very same types, dtypes and memory layouts, by position: nothing looks at them again.
    A plain function, and a kernel where the compiler is switched off, is its own machine code.
    """
    if not COMPILES or not hasattr(kernel, "overloads"):
        return kernel
    types = tuple(numba.typeof(one) for one in arguments)
    kernel.compile(types)  # type: ignore[attr-defined]
    return kernel.overloads[types].entry_point  # type: ignore[attr-defined]
