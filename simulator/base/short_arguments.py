"""Short calls: arrays in named tuples are passed to a function without the numbers that follow from their types and shapes.

By default, numba passes each array of a tuple as seven or more numbers. A vehicle, its parameters and a ground are 80 arrays, whose 590
numbers take a seventh of the time of a step; the 330 that are passed here describe the same arrays. It holds for all compiled functions of
the process, whose calls must agree.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.datamodel import default_manager, models
from numba.np.numpy_support import as_dtype

PASSED = ("meminfo", "parent", "data", "shape")
"""Members of an array that a function receives: owner of the memory, array in Python, address, lengths."""


def _is_short(kind: types.Type) -> bool:
    """Return True for the type of an array that `PASSED` describes completely."""
    return type(kind) is types.Array and kind.layout == "C" and kind.ndim > 0


class ShortTuple(models.TupleModel):
    """Named tuple in the calls of compiled functions; as a value, it is that of numba."""

    def get_argument_type(self) -> Any:
        """Return the types of the numbers that are passed."""
        return tuple(
            tuple(model._models[model.get_field_position(name)].get_argument_type() for name in PASSED)
            if _is_short(kind)
            else model.get_argument_type()
            for kind, model in zip(self._members, self._models, strict=True)
        )

    def as_argument(self, builder: Any, value: Any) -> Any:
        """Return the numbers that are passed for the value of a tuple."""
        return tuple(
            _shortened(model, builder, self.get(builder, value, n))
            if _is_short(kind)
            else model.as_argument(builder, self.get(builder, value, n))
            for n, (kind, model) in enumerate(zip(self._members, self._models, strict=True))
        )

    def from_argument(self, builder: Any, value: Any) -> Any:
        """Return the value of a tuple for the numbers that are passed."""
        out = ir.Constant(self.get_value_type(), ir.Undefined)
        for n, (kind, model) in enumerate(zip(self._members, self._models, strict=True)):
            one = _complete(kind, model, builder, value[n]) if _is_short(kind) else model.from_argument(builder, value[n])
            out = self.set(builder, out, one, n)
        return out


def _shortened(model: Any, builder: Any, array: Any) -> Any:
    """Return the members of an array that are passed."""
    return tuple(model._models[model.get_field_position(name)].as_argument(builder, model.get(builder, array, name)) for name in PASSED)


def _complete(kind: Any, model: Any, builder: Any, passed: Any) -> Any:
    """Return an array, given the members that are passed."""
    word = ir.IntType(64)
    meminfo, parent, data, shape = (
        model._models[model.get_field_position(name)].from_argument(builder, one) for name, one in zip(PASSED, passed, strict=True)
    )
    size = ir.Constant(word, as_dtype(kind.dtype).itemsize)
    count, strides, stride = ir.Constant(word, 1), ir.Constant(shape.type, ir.Undefined), size
    for n in reversed(range(kind.ndim)):
        length = builder.extract_value(shape, n)
        strides = builder.insert_value(strides, stride, n)
        count, stride = builder.mul(count, length), builder.mul(stride, length)
    out = ir.Constant(model.get_value_type(), ir.Undefined)
    members = {"meminfo": meminfo, "parent": parent, "nitems": count, "itemsize": size, "data": data, "shape": shape, "strides": strides}
    for name, one in members.items():
        out = model.set(builder, out, one, name)
    return out


default_manager.register(types.NamedTuple, ShortTuple)
