"""Memoize functions of immutable objects by object identity, because comparing or hashing the objects is slow."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any, TypeVar

Argument = TypeVar("Argument")
Result = TypeVar("Result")

MAX_ENTRIES = 1000
"""Maximum number of arguments kept alive per function; there are some hundred tables, and some are created for each file."""


def memoize_by_identity(function: Callable[[Argument], Result]) -> Callable[[Argument], Result]:
    """Return a function of one argument that caches its results by the identity of the argument."""
    cached: dict[int, tuple[Any, Result]] = {}

    @wraps(function)
    def memoized(argument: Argument) -> Result:
        entry = cached.get(id(argument))
        if entry is None:
            result = function(argument)
            if len(cached) >= MAX_ENTRIES:
                cached.clear()
            entry = cached[id(argument)] = argument, result  # the reference keeps the identity unique
        return entry[1]

    return memoized


def memoize_table(function: Callable[..., Result]) -> Callable[..., Result]:
    """Return a function of a table and other hashable arguments that caches its results by the identity of the table.

    A table is a long tuple of tuples; hashing it takes longer than creating a record. Equal tables give the same result object.
    """
    cached: dict[Any, tuple[Any, Result]] = {}

    @cache
    def by_content(table: Any, *more: Any) -> tuple[Any, Result]:
        return table, function(table, *more)

    @wraps(function)
    def memoized(table: Any, *more: Any) -> Result:
        key = (id(table), *more)
        if key not in cached:
            first, result = by_content(table, *more)
            if first is not table:
                return result
            cached[key] = first, result  # the reference keeps the identity unique
        return cached[key][1]

    return memoized
