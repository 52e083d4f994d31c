"""Arrays of numbers in the stack frame of a kernel: work space of a loop that the compiler vectorizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils, errors
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from simulator.base.arrays import Vector
from simulator.base.jit import COMPILES


def _plain_stack_array(count: int) -> Vector:
    return np.empty(count)


@intrinsic
def _compiled_stack_array(_context: Any, count: Any) -> Any:
    if not isinstance(count, types.IntegerLiteral):
        raise errors.RequireLiteralValue("the length of a stack array")
    length = count.literal_value
    kind = types.Array(types.float64, 1, "C")

    def generate(context: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
        data = cgutils.alloca_once(builder, ir.ArrayType(ir.DoubleType(), length), name="stack_array")
        out = make_array(kind)(context, builder)
        size = context.get_constant(types.intp, 8)
        pointer = builder.bitcast(data, out.data.type)
        populate_array(out, data=pointer, shape=[context.get_constant(types.intp, length)], strides=[size], itemsize=size, meminfo=None)
        return out._getvalue()

    return kind(count), generate


stack_array: Callable[..., Any] = _compiled_stack_array if COMPILES else _plain_stack_array
"""Return an array of this constant number of doubles, with any content. It exists until the kernel that contains the call returns."""
