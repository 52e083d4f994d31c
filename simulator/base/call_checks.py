"""Checks of the arguments of public functions: a wrong type is an error of Jounce with one sentence, and not one from inside a library."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import wraps
from numbers import Integral, Real
from typing import Any, NamedTuple, ParamSpec, TypeVar

from simulator.base.errors import ConfigError

P = ParamSpec("P")
R = TypeVar("R")


class ArgumentError(ConfigError, TypeError, ValueError):
    """Raised when an argument has a type or a value that a function does not take."""

    def _statement(self) -> str:
        return super()._statement().rsplit("; hint: YAML reads ", 1)[0]  # YAML did not read an argument


class Kind(NamedTuple):
    """Kind of argument."""

    accepts: Callable[[Any], bool]
    expected: str

    def check(self, function: str, name: str, value: object) -> None:
        """Raise ArgumentError if a value is not of this kind."""
        if not self.accepts(value):
            raise ArgumentError(function, name, value, self.expected)


def _is_number(value: object) -> bool:
    if not isinstance(value, Real):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def _is_array(value: object) -> bool:
    """Return whether a value is a number, or an array of numbers."""
    return _shape_of_numbers(value) is not None


def _shape_of_numbers(value: object) -> tuple[int, ...] | None:
    """Return the shape of a number or of an array of numbers; None for any other value."""
    import numpy as np  # the help of a command does not need it

    try:
        array = np.asarray(value)
    except (TypeError, ValueError, OverflowError):  # sequences of unequal length
        return None
    return array.shape if array.dtype.kind in "biuf" else None


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_name(value: object) -> bool:
    """Return whether a value is a text or a path."""
    return isinstance(value, str) or (isinstance(value, os.PathLike) and isinstance(os.fspath(value), str))


NUMBER = Kind(_is_number, "a number")
WHOLE = Kind(_is_whole, "a whole number")
ARRAY = Kind(_is_array, "a number, or an array of numbers")
LIST = Kind(lambda value: len(_shape_of_numbers(value) or ()) == 1, "a list of numbers")
PAIR = Kind(lambda value: _shape_of_numbers(value) == (2,), "two numbers, in m")
TEXT = Kind(lambda value: isinstance(value, str), "a text")
NAME = Kind(is_name, "a name or a path")
NAMES = Kind(
    lambda value: isinstance(value, Collection) and not isinstance(value, str | bytes) and all(map(is_name, value)), "a list of names"
)
MAPPING = Kind(lambda value: isinstance(value, Mapping), "a mapping of keys to values")
MAPPINGS = Kind(lambda value: isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping), "a list of mappings")
FUNCTION = Kind(callable, "a function")


def optional(kind: Kind) -> Kind:
    """Return a kind that None is, too."""
    return Kind(lambda value: value is None or kind.accepts(value), f"{kind.expected}, or None")


def instance(of: type | tuple[type, ...], expected: str) -> Kind:
    """Return the kind of the instances of a class, or of one of several."""
    return Kind(lambda value: isinstance(value, of), expected)


def one_of(names: Iterable[str]) -> Kind:
    """Return the kind of the given texts."""
    known = tuple(names)
    return Kind(lambda value: isinstance(value, str) and value in known, f"one of {', '.join(known)}")


def checks(**kinds: Kind) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Check arguments of a function by their names before each call, which raises ArgumentError for the first wrong one."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)
        positions = {name: n for n, name in enumerate(signature.parameters)}
        wanted = [(name, positions[name], kind) for name, kind in kinds.items()]
        title = function.__qualname__.removesuffix(".__init__").rpartition(".")[2]

        @wraps(function)
        def checked(*args: P.args, **given: P.kwargs) -> R:
            for name, position, kind in wanted:
                if name in given:
                    kind.check(title, name, given[name])
                elif position < len(args):
                    kind.check(title, name, args[position])
            return function(*args, **given)

        return checked

    return decorate
