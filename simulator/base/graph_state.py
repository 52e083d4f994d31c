"""Contents of a graph of Python objects: read at one time, and put back into the same objects later.

`read_graph` follows all references from a root. What it finds is one of these:

- a value, which never changes: a number, a text, an object of the types `Rules.values`;
- a kept part, which belongs to the graph and not to its state: kernels, threads, locks, the types and objects of `Rules.kept`, and caches;
- a node: everything else. A node has contents: attributes, items, memory of an array, state of a random generator.

Two attributes of a class say more. `rows_in_use()` returns pairs of an array and the number of its first rows that are in use: those beyond are
zero, or are written before they are read. `saved` are the names of the attributes with the state of an object; its `settle()` ends what runs beside.

`GraphState.put_back` writes the contents into the objects from which they were read. It creates nothing, so addresses and views stay valid.
`simulator.base.packed_graph` moves the contents to an equal graph, also of another process.
"""

from __future__ import annotations

import functools
import random
import re
import types
from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import JounceError

ATOMS = frozenset((int, float, complex, bool, str, bytes, type(None), type(NotImplemented), type(Ellipsis)))
VALUES = (Enum, PurePath, re.Pattern, range, slice, np.dtype, np.bool_, np.number, np.str_, np.bytes_, types.CodeType)
KEPT_TYPES = (
    types.ModuleType,
    type,
    types.BuiltinFunctionType,
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    functools._lru_cache_wrapper,
)
FOREIGN = (
    "numba",
    "llvmlite",
    "ctypes",
    "_ctypes",
    "_dynfunc",
    "concurrent",
    "queue",
    "_queue",
    "weakref",
    "_weakref",
    "threading",
    "_thread",
)
"""Packages whose objects are kept: kernels, threads and their queues."""

VALUE, KEPT, CACHE, OBJECT, DICT, LIST, ARRAY, VIEW, METHOD, FUNCTION, CELL, PARTIAL, PROXY, GENERATOR, RANDOM, TUPLE, REFUSED = range(17)
"""Kinds of objects: the last one cannot be read; LIST is a list, set or deque; VIEW a view of an array."""
NOTHING = object()
"""Contents of an empty cell, and of an array of which nothing is kept."""


@dataclass(frozen=True, eq=False)
class Rules:
    """Which objects have no contents of their own."""

    kept: tuple[type, ...] = ()
    values: tuple[type, ...] = ()
    """types whose objects never change"""
    caches: tuple[type, ...] = ()
    """types of kept parts which another graph computes again"""
    parts: Mapping[int, Any] = field(default_factory=dict)
    """kept objects by their `id`"""
    kept_dtypes: Collection[np.dtype] = ()
    """types of arrays that are caches of kernels"""


@dataclass(slots=True)
class Node:
    """Object and its contents; those that change are a copy."""

    kind: int
    one: Any
    contents: Any


class GraphState:
    """Contents of a graph, which `read_graph` returns. `nodes` begin with the root."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.nodes: list[Node] = []
        self.partial: list[Any] = []
        """Objects with `rows_in_use`."""
        self.settled: list[Any] = []
        """Objects with `settle`."""

    def put_back(self) -> None:
        """Write the contents into the objects from which they were read."""
        for one in self.settled:
            one.settle()
        used = rows_of(self.partial)
        for node in self.nodes:
            put_contents(node.kind, node.one, node.contents, used)


def put_contents(kind: int, one: Any, contents: Any, used: Mapping[int, int]) -> None:
    """Write contents into an object; `used`: rows in use before, by the `id` of the array."""
    if kind == ARRAY:
        if contents is not NOTHING:
            _put_rows(one, contents, used.get(id(one), len(one) if one.ndim else 0))
    elif kind == OBJECT:
        own, in_slots, items = contents
        if own is not None:
            _put_dict(one.__dict__, own, hasattr(type(one), "saved"))
        for name, value in in_slots.items():
            object.__setattr__(one, name, value)
        if items is not None:
            _put_items(one, items)
    elif kind in (DICT, LIST):
        _put_items(one, contents)
    elif kind == GENERATOR:
        one.bit_generator.state = contents
    elif kind == RANDOM:
        one.setstate(contents)
    elif kind == CELL and contents is not NOTHING:
        one.cell_contents = contents


def _put_rows(one: NDArray[Any], rows: NDArray[Any], used: int) -> None:
    """Write the rows of an array that are in use; the others become zero."""
    if one.shape == rows.shape:
        one[...] = rows
        return
    one[: len(rows)] = rows
    one[len(rows) : used] = 0


def _put_dict(one: dict[Any, Any], contents: Mapping[Any, Any], some: bool) -> None:
    """Write attributes; `some`: those that are not given stay."""
    one.update(contents)
    if not some and len(one) != len(contents):
        for key in [key for key in one if key not in contents]:
            del one[key]


def _put_items(one: Any, contents: Any) -> None:
    if isinstance(one, list):
        one[:] = contents
    elif isinstance(one, deque):
        one.clear()
        one.extend(contents)
    elif one.keys() != contents.keys() if isinstance(one, dict) else one != contents:
        one.clear()
        one.update(contents)
    elif isinstance(one, dict):
        one.update(contents)


def read_graph(root: Any, rules: Rules) -> GraphState:
    """Return the contents of all objects that are reachable from `root`. Raises JounceError: an object cannot be read."""
    state, seen, arrays = GraphState(rules), dict[int, Any](), list[Node]()
    waiting: list[tuple[Any, Any]] = [(root, None)]
    while waiting:
        one, holder = waiting.pop()
        cls: Any = type(one)
        key = id(one)
        if cls in ATOMS or key in seen or key in rules.parts:
            continue
        kind = kind_of(cls, rules)
        if kind <= CACHE:
            continue
        if kind == REFUSED:
            raise JounceError(_refusal(one, holder))
        if kind == ARRAY:
            if isinstance(one.base, np.ndarray):
                kind = VIEW
        elif kind == FUNCTION and not one.__closure__:
            continue
        elif kind == TUPLE and one and all(kind_of(type_of(part), rules) == KEPT for part in one):
            continue  # kernels
        seen[key] = one
        if kind == OBJECT and hasattr(cls, "saved"):
            one.settle()
            state.settled.append(one)
        node = Node(kind, one, _contents(kind, one))
        state.nodes.append(node)
        if kind == ARRAY:
            arrays.append(node)
        elif kind == OBJECT and hasattr(cls, "rows_in_use"):
            state.partial.append(one)
        waiting += [(child, one) for child in _children(node) if type(child) not in ATOMS]
    used = rows_of(state.partial)
    for node in arrays:
        one = node.one
        if one.flags.writeable and one.dtype not in rules.kept_dtypes:
            node.contents = (one[: used[id(one)]] if id(one) in used else one).copy()
    return state


def rows_of(partial: list[Any]) -> dict[int, int]:
    """Return the number of rows in use by the `id` of the array."""
    return {id(array): count for one in partial for array, count in one.rows_in_use()}


def type_of(one: Any) -> Any:
    """Return the class of an object; mypy takes no `type[Any]` for a key of a cache."""
    return type(one)


@cache
def kind_of(cls: Any, rules: Rules) -> int:
    """Return the kind of the objects of a type."""
    for kind, of_kind in ((CACHE, rules.caches), (KEPT, rules.kept), (VALUE, (*VALUES, *rules.values))):
        if issubclass(cls, of_kind):
            return kind
    if cls is object or issubclass(cls, KEPT_TYPES) or any(base.__module__.partition(".")[0] in FOREIGN for base in cls.__mro__):
        return KEPT
    plain: dict[Any, int] = {
        dict: DICT, list: LIST, set: LIST, deque: LIST, tuple: TUPLE, frozenset: TUPLE, types.MethodType: METHOD, types.FunctionType: FUNCTION,
        types.CellType: CELL, functools.partial: PARTIAL, types.MappingProxyType: PROXY, np.random.Generator: GENERATOR, random.Random: RANDOM,
    }  # fmt: skip
    if cls in plain:
        return plain[cls]
    for base, kind in ((np.ndarray, ARRAY), (np.void, VIEW), (tuple, TUPLE), (functools.partial, PARTIAL)):
        if issubclass(cls, base):
            return kind
    if hasattr(cls, "fileno") or issubclass(cls, types.GeneratorType):
        return REFUSED
    has_slots = any("__slots__" in base.__dict__ for base in cls.__mro__)
    return OBJECT if getattr(cls, "__dictoffset__", 0) or has_slots else REFUSED


@cache
def slots(cls: Any) -> tuple[str, ...]:
    """Return the names of the slots of a class."""
    found = (base.__dict__.get("__slots__", ()) for base in cls.__mro__)
    names = (name for some in found for name in ((some,) if isinstance(some, str) else some))
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))


def _contents(kind: int, one: Any) -> Any:
    if kind == OBJECT:
        own = dict(one.__dict__) if hasattr(one, "__dict__") else None
        if hasattr(type(one), "saved"):
            return {name: one.__dict__[name] for name in type(one).saved}, {}, None
        items = one.copy() if isinstance(one, dict | list | set | deque) else None
        return own, {name: getattr(one, name) for name in slots(type_of(one)) if hasattr(one, name)}, items
    if kind in (DICT, LIST):
        return one.copy()
    if kind == PROXY:
        return dict(one)
    if kind == PARTIAL:
        return one.func, one.args, one.keywords
    if kind == CELL:
        try:
            return one.cell_contents
        except ValueError:
            return NOTHING
    if kind == GENERATOR:
        return one.bit_generator.state
    return one.getstate() if kind == RANDOM else NOTHING if kind == ARRAY else None


def _children(node: Node) -> Collection[Any]:
    """Return the objects to which a node refers."""
    kind, one, contents = node.kind, node.one, node.contents
    if kind == OBJECT:
        own, in_slots, items = contents
        attributes = {**(own or {}), **in_slots}
        return [*(attributes[name] for name in sorted(attributes)), *(_items(items) if items is not None else ())]
    if kind in (DICT, LIST, PROXY):
        return _items(contents)
    if kind == TUPLE:
        return one
    if kind == VIEW:
        return (one.base,)
    if kind == METHOD:
        return (one.__self__,)
    if kind == FUNCTION:
        return one.__closure__
    if kind == PARTIAL:
        return contents
    if kind == CELL:
        return () if contents is NOTHING else (contents,)
    return one.ravel().tolist() if kind == ARRAY and one.dtype == object else ()


def _items(contents: Any) -> Collection[Any]:
    return [part for pair in contents.items() for part in pair] if isinstance(contents, dict) else contents


def _refusal(one: Any, holder: Any) -> str:
    names = [name for name, value in getattr(holder, "__dict__", {}).items() if value is one]
    where = f"{type(holder).__name__}.{names[0]}" if names else type(holder).__name__
    of = getattr(holder, "name", "") if isinstance(getattr(holder, "name", ""), str) else ""
    return f"{of or where}: its {type(one).__name__} ({where}) has a state outside the simulation, which cannot be saved"
