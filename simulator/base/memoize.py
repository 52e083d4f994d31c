"""What was found out about things that nobody changes, by which things they are: comparing them takes longer than finding it out."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any, TypeVar

Thing = TypeVar("Thing")
Found = TypeVar("Found")

MOST = 1000
"""Things that are known to a function, which live as long; tables are some hundred, and some are made anew for every file."""


def memoize_by_identity(find: Callable[[Thing], Found]) -> Callable[[Thing], Found]:
    """A function of one thing that looks up what it has found before for the very same one."""
    known: dict[int, tuple[Any, Found]] = {}

    @wraps(find)
    def found(thing: Thing) -> Found:
        entry = known.get(id(thing))
        if entry is None:
            result = find(thing)
            if len(known) >= MOST:
                known.clear()
            entry = known[id(thing)] = thing, result  # which keeps the thing, and so its identity
        return entry[1]

    return found


def memoize_table(find: Callable[..., Found]) -> Callable[..., Found]:
    """A function of a table, and what else can be hashed, that looks up what it has found before by the very table: they are long tuples of tuples,
    and hashing one takes longer than making a record. Equal tables give one object."""
    known: dict[Any, tuple[Any, Found]] = {}

    @cache
    def by_content(table: Any, *more: Any) -> tuple[Any, Found]:
        return table, find(table, *more)

    @wraps(find)
    def found(table: Any, *more: Any) -> Found:
        key = (id(table), *more)
        if key not in known:
            first, thing = by_content(table, *more)
            if first is not table:
                return thing
            known[key] = first, thing  # which keeps the table, and so its identity
        return known[key][1]

    return found
