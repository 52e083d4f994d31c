"""Replace old keys and values in the content of files; `simulator.base.renamed` has the tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from simulator.base import renamed
from simulator.base.units import SUFFIXES
from simulator.configuration.key_path import KeyPath, written

_UNITS = frozenset(suffix for suffixes in SUFFIXES.values() for suffix in suffixes)


class Replacement(NamedTuple):
    """Replacement of an old name in a content."""

    path: KeyPath
    """Path of the key, as the file has it."""
    old: str
    new: str
    value: bool = False
    """True if the value is replaced, not the key."""


def replacements(kind: str, content: Any, below: KeyPath = ()) -> Iterator[Replacement]:
    """Yield the old keys and values of a content, inner ones first.

    Parameters
    ----------
    kind : folder of `configs` of the file
    content : content of the file, or of the section at the path `below`
    """
    if kind not in _kinds():
        return
    if isinstance(content, list):
        for n, inside in enumerate(content):
            yield from replacements(kind, inside, (*below, n))
    elif isinstance(content, Mapping):
        for key, inside in content.items():
            yield from replacements(kind, inside, (*below, key))
            value = new_value(kind, below, key, inside)
            if value is not None:
                yield Replacement((*below, key), inside, value, value=True)
            new = new_key(kind, below, key, content)
            if new is not None and new not in content:
                yield Replacement((*below, key), key, new)


def new_key(kind: str, section: KeyPath, key: Any, content: Any) -> str | None:
    """Return the present spelling of an old key of a section, with its unit; None for any other key."""
    if not isinstance(key, str):
        return None
    name, _, suffix = key.rpartition("_")
    for row in renamed.KEYS:
        if row.kind != kind or row.old not in (key, name) or not _fits(section, row.section) or not _has_type(content, row.types):
            continue
        if key == row.old:
            return row.new
        if suffix in _UNITS:
            return f"{row.new}_{suffix}"
    return None


def new_value(kind: str, section: KeyPath, key: Any, value: Any) -> str | None:
    """Return the present spelling of an old value of a key; None for any other value."""
    for row in renamed.VALUES:
        if row.kind == kind and row.key == key and row.old == value and _fits(section, row.section):
            return row.new
    return None


def modernized(kind: str, content: Any, file: object, below: KeyPath = ()) -> tuple[Any, list[Replacement]]:
    """Return a content with the present names, and what was replaced; each replacement gives a warning. `content` is not changed."""
    found = list(replacements(kind, content, below))
    for one in found:
        renamed.warn(one.old, one.new, file, written(one.path))
    return replaced(content, found, below), found


def replaced(content: Any, found: Iterable[Replacement], below: KeyPath = ()) -> Any:
    """Return a copy of a content with replacements."""
    for one in found:
        content = _replaced(content, one.path[len(below) :], one)
    return content


def _replaced(content: Any, path: KeyPath, one: Replacement) -> Any:
    """Return a copy of a content with one replacement; the order of keys stays."""
    first, rest = path[0], path[1:]
    if isinstance(content, list):
        return [_replaced(inside, rest, one) if n == first else inside for n, inside in enumerate(content)]
    if rest:
        return {key: _replaced(inside, rest, one) if key == first else inside for key, inside in content.items()}
    if one.value:
        return {key: one.new if key == first else inside for key, inside in content.items()}
    return {one.new if key == first else key: inside for key, inside in content.items()}


def moved(path: KeyPath, found: list[Replacement]) -> KeyPath:
    """Return a path of the old content in the content with the present names."""
    for one in found:
        n = len(one.path)
        if not one.value and path[:n] == one.path:
            path = (*path[: n - 1], one.new, *path[n:])
    return path


@cache
def _kinds() -> frozenset[str]:
    return frozenset(row.kind for row in (*renamed.KEYS, *renamed.VALUES))


def _fits(section: KeyPath, pattern: tuple[str, ...]) -> bool:
    """Return True if a section matches a pattern."""
    if pattern[:1] == ("**",):
        rest = pattern[1:]
        return not rest or (len(section) >= len(rest) and _fits(section[len(section) - len(rest) :], rest))
    return len(section) == len(pattern) and all(want in ("*", part) for part, want in zip(section, pattern, strict=True))


def _has_type(content: Any, types: tuple[str, ...]) -> bool:
    return not types or (isinstance(content, Mapping) and content.get("type") in types)
