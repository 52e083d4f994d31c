"""Contents of a graph of objects without its addresses, for an equal graph of this or another process.

`pack` replaces each reference by the number of its node. `Packed.put_into` follows the numbers from the root of another graph: an object at the
same place and of the same type takes the contents, and a missing one is created. A kept part of the other graph stays. Addresses in records
are those of the other graph: an address in the memory of a node is written anew, any other one, such as that of a kernel, stays.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
import os
import time
import types
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import JounceError
from simulator.base.graph_state import (
    ARRAY,
    ATOMS,
    CACHE,
    CELL,
    DICT,
    FUNCTION,
    GENERATOR,
    LIST,
    METHOD,
    NOTHING,
    OBJECT,
    PARTIAL,
    PROXY,
    TUPLE,
    VALUE,
    VIEW,
    GraphState,
    Node,
    Rules,
    kind_of,
    put_contents,
    read_graph,
    rows_of,
    slots,
    type_of,
)  # fmt: skip

PROCESS = os.getpid(), time.time_ns()
"""Mark of this process, in which the addresses of kernels are valid."""


BUILTIN = {METHOD: types.MethodType, FUNCTION: types.FunctionType, CELL: types.CellType, PROXY: types.MappingProxyType}
"""Types without a name that a pickle could keep."""


class Ref(NamedTuple):
    """Number of a node."""

    number: int


class Stays(NamedTuple):
    """In place of a kept part: that of the other graph."""

    name: str
    """for messages"""
    part: int = -1
    """number in `Rules.parts`, -1: the part is found by its place in the graph"""
    cache: bool = False
    """whether the other graph computes it again"""


@dataclass
class PackedArray:
    """Memory of an array. Addresses in it are zero."""

    rows: NDArray[Any] | list[Any]
    """rows in use; the objects of an array of objects"""
    shape: tuple[int, ...]
    words: NDArray[np.int64]
    """bytes at which addresses are"""
    targets: list[tuple[Ref | Stays, int] | None]
    """node or part, and byte of each address; None: the address of a kernel, which stays"""
    kernels: NDArray[np.int64]
    """addresses of the kernels in the process `process`, else 0"""
    blank: bool = False
    """whether the memory is a cache of kernels"""
    process: tuple[int, int] = PROCESS


class PackedView(NamedTuple):
    """Part of an array."""

    base: Any
    dtype: np.dtype
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    begin: int


class PackedNode(NamedTuple):
    """Node of a graph, with `Ref` in place of references."""

    kind: int
    cls: type
    contents: Any


def pack(state: GraphState) -> Packed:
    """Return the contents of a graph for others."""
    return Packed(_Packer(state).nodes())


class Packed:
    """Contents of a graph, which `pack` returns; equal contents are equal, and a pickle keeps them."""

    def __init__(self, nodes: list[PackedNode]) -> None:
        self.nodes = nodes

    def put_into(self, root: Any, rules: Rules) -> None:
        """Write the contents into an equal graph. Raises JounceError: the graph is another one."""
        there = read_graph(root, rules)
        _Writer(self.nodes, rules, rows_of(there.partial)).write(root)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Packed) and len(self.nodes) == len(other.nodes) and all(map(_equal, self.nodes, other.nodes))

    __hash__ = None  # type: ignore[assignment]


def difference(one: Packed, other: Packed) -> str:
    """Return the first node in which two graphs differ; "" if they are equal."""
    for number, (a, b) in enumerate(zip(one.nodes, other.nodes, strict=False)):
        if not _equal(a, b):
            names = [] if a.kind != OBJECT else [name for name in a.contents[0] if not _equal(a.contents[0][name], b.contents[0].get(name))]
            return f"node {number}: {a.cls.__name__} {', '.join(names)}"
    return "" if len(one.nodes) == len(other.nodes) else "the number of nodes"


def _equal(a: Any, b: Any) -> bool:
    """Return whether two contents are equal; numbers that are not a number are equal, too."""
    if type(a) is not type(b):
        return {type(a), type(b)} <= {Stays, type(None)}  # a part that is made on first use
    if isinstance(a, np.ndarray):
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        if a.dtype.names is None:
            return a.tobytes() == b.tobytes()
        return all(_equal(a[name], b[name]) for name in a.dtype.names)  # without the bytes between fields
    if isinstance(a, PackedArray):
        return a.targets == b.targets and all(map(_equal, (a.rows, a.shape, a.words), (b.rows, b.shape, b.words)))
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(_equal, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_equal(value, b[key]) for key, value in a.items())
    return bool(a is b or a == b or (isinstance(a, float) and math.isnan(a) and math.isnan(b)))


MOST_ADDRESSES = 4096
"""Words of the addresses of a tuple of records."""


@cache
def pointer_bytes(dtype: np.dtype) -> tuple[int, ...]:
    """Return the bytes of an item of a record at which addresses are: those of the unsigned integers of 64 bits."""
    if dtype.subdtype is not None:
        kind, shape = dtype.subdtype
        return tuple(n * kind.itemsize + at for n in range(int(np.prod(shape))) for at in pointer_bytes(kind))
    if dtype.fields is not None:
        return tuple(offset + at for kind, offset, *_ in dtype.fields.values() for at in pointer_bytes(kind))
    return (0,) if dtype == np.uint64 else ()


def _address(array: Any) -> int:
    return int(array.__array_interface__["data"][0])


def _strides(view: Any) -> tuple[int, ...]:
    """Return the strides of a view, none for one without items."""
    return view.strides if view.size else ()


def _usual_strides(packed: PackedView) -> tuple[int, ...]:
    """Return the strides of contiguous memory."""
    sizes = [packed.dtype.itemsize, *reversed(packed.shape[1:])]
    return tuple(itertools.accumulate(sizes, operator.mul))[::-1] if packed.shape else ()


def _begin(view: Any) -> int:
    """Return the first byte of a view in its array, 0 for one without items."""
    return _address(view) - _address(view.base) if view.size else 0


def cls_of(node: Node) -> type:
    """Return the type of a node, for `PackedNode`."""
    return object if node.kind in BUILTIN else type(node.one)


class _Packer:
    """Replaces references by numbers."""

    def __init__(self, state: GraphState) -> None:
        self._nodes, self._rules = state.nodes, state.rules
        self._parts = {key: number for number, key in enumerate(state.rules.parts)}
        self._numbers = {id(node.one): number for number, node in enumerate(state.nodes)}
        arrays = [(node.one, Ref(n)) for n, node in enumerate(state.nodes) if node.kind == ARRAY]
        parts = [(one, Stays("array", n)) for n, one in enumerate(state.rules.parts.values()) if isinstance(one, np.ndarray)]
        memory = sorted(((_address(one), max(one.nbytes, 1), at) for one, at in (*arrays, *parts)), key=lambda part: part[0])
        self._begins, self._memory = [begin for begin, *_ in memory], memory
        self._pointers = _pointers(state.nodes)

    def nodes(self) -> list[PackedNode]:
        return [PackedNode(node.kind, cls_of(node), self._contents(node.kind, node.one, node.contents)) for node in self._nodes]

    def _ref(self, one: Any) -> Any:
        if type(one) in ATOMS:
            return one
        number = self._numbers.get(id(one))
        if number is not None:
            return Ref(number)
        kind = kind_of(type_of(one), self._rules)
        if kind == VALUE and id(one) not in self._parts:
            return one
        return Stays(getattr(one, "__qualname__", type(one).__qualname__), self._parts.get(id(one), -1), kind == CACHE)

    def _contents(self, kind: int, one: Any, contents: Any) -> Any:
        ref = self._ref
        if kind == OBJECT:
            own, in_slots, items = contents
            attributes = {name: ref(value) for name, value in sorted({**(own or {}), **in_slots}.items())}
            return attributes, None if items is None else self._items(items)
        if kind in (DICT, LIST, PROXY):
            return self._items(contents)
        if kind == TUPLE:
            return list(map(ref, one))
        if kind == ARRAY:
            return self._array(one, contents)
        if kind == VIEW:
            return PackedView(ref(one.base), one.dtype, one.shape, _strides(one), _begin(one))
        if kind == METHOD:
            return ref(one.__self__), one.__name__
        if kind == FUNCTION:
            return one.__qualname__, list(map(ref, one.__closure__))
        if kind == PARTIAL:
            return list(map(ref, contents))
        if kind == CELL:
            return None if contents is NOTHING else ref(contents)
        return contents

    def _items(self, items: Any) -> list[Any]:
        if isinstance(items, dict):
            return [(self._ref(key), self._ref(value)) for key, value in items.items()]
        if isinstance(items, set):
            return sorted(map(self._ref, items), key=repr)
        return list(map(self._ref, items))

    def _array(self, one: NDArray[Any], contents: Any) -> PackedArray:
        none = np.zeros(0, np.int64)
        if one.dtype in self._rules.kept_dtypes:
            return PackedArray(one[:0].copy(), one.shape, none, [], none, blank=True)
        if one.dtype == object:
            return PackedArray(list(map(self._ref, one.ravel().tolist())), one.shape, none, [], none)
        rows = one.copy() if contents is NOTHING else contents.copy()
        places = self._pointers.get(id(one), none)
        places = places[places < rows.nbytes]
        words = _words(rows, places)
        found = words != 0
        if one.dtype == np.int64 and one.flags.c_contiguous:  # maybe addresses of a tuple of records
            places, words = 8 * np.arange(rows.size), rows.ravel()
            found = (
                np.array([self._target(word) is not None for word in words.tolist()], bool)
                if rows.size <= MOST_ADDRESSES
                else np.zeros(len(words), bool)
            )
        places, words = places[found], words[found].copy()
        targets = [self._target(word) for word in words.tolist()]
        _set_words(rows, places, np.zeros(len(places), np.int64))
        kernels = np.where([target is None for target in targets], words, 0).astype(np.int64)
        return PackedArray(rows, one.shape, places, targets, kernels)

    def _target(self, word: int) -> tuple[Ref | Stays, int] | None:
        n = bisect_right(self._begins, word) - 1
        if n < 0 or word >= self._begins[n] + self._memory[n][1]:
            return None
        at: Any = self._memory[n][2]
        return at, word - self._begins[n]


def _pointers(nodes: list[Node]) -> dict[int, NDArray[np.int64]]:
    """Return the bytes of each array at which addresses are, by its `id`: those of its type, and of the types of its views."""
    found: dict[int, set[int]] = {}
    for node in nodes:
        one = node.one
        if node.kind in (ARRAY, VIEW) and isinstance(one, np.ndarray) and one.size and one.dtype.fields and pointer_bytes(one.dtype):
            if not one.flags.c_contiguous:
                continue
            begin, owner = (0, one) if node.kind == ARRAY else (_begin(one), one.base)
            places = begin + np.add.outer(np.arange(one.size) * one.itemsize, pointer_bytes(one.dtype))
            found.setdefault(id(owner), set()).update(places.ravel().tolist())
    return {key: np.array(sorted(places), np.int64) for key, places in found.items()}


def _words(rows: NDArray[Any], places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the words of 64 bits at some bytes of an array."""
    if not len(places):
        return np.zeros(0, np.int64)
    memory = np.frombuffer(rows, np.uint8) if rows.flags.writeable else np.frombuffer(rows.tobytes(), np.uint8)
    return memory[places[:, None] + np.arange(8)].copy().view(np.int64).ravel()


def _set_words(rows: NDArray[Any], places: NDArray[np.int64], words: NDArray[np.int64]) -> None:
    if len(places):
        memory = rows.reshape(-1).view(np.uint8)
        memory[places[:, None] + np.arange(8)] = words[:, None].view(np.uint8)


class _Writer:
    """Writes the contents of nodes into the objects of a graph."""

    def __init__(self, nodes: list[PackedNode], rules: Rules, used: Mapping[int, int]) -> None:
        self._nodes, self._rules, self._used = nodes, rules, used
        self._parts = list(rules.parts.values())
        self._done: dict[int, Any] = {}
        self._taken: dict[int, Any] = {}
        self._addresses: list[tuple[NDArray[Any], PackedArray]] = []

    def write(self, root: Any) -> None:
        self._object(0, root)
        for array, packed in self._addresses:
            words = _words(array, packed.words)
            for n, target in enumerate(packed.targets):
                if target is not None:
                    at, begin = target
                    words[n] = _address(self._done[at.number] if isinstance(at, Ref) else self._parts[at.part]) + begin
            _set_words(array, packed.words, words)

    def _value(self, packed: Any, present: Any) -> Any:
        """Return the value of a packed reference; `present`: what is at its place in the graph, NOTHING if nothing is."""
        if type(packed) is Ref:
            return self._done[packed.number] if packed.number in self._done else self._object(packed.number, present)
        if type(packed) is not Stays:
            return packed
        if packed.part >= 0:
            return self._parts[packed.part]
        if packed.cache:
            return None
        if present is NOTHING:
            raise JounceError(f"restore: {packed.name}: the simulation has no such part; expected the state of an equal simulation")
        return present

    def _object(self, number: int, present: Any) -> Any:
        kind, cls, contents = self._nodes[number]
        if type(present) is not BUILTIN.get(kind, cls) or id(present) in self._taken or id(present) in self._rules.parts:
            present = NOTHING
        one = self._written(kind, cls, contents, present, number)
        self._done[number] = self._taken[id(one)] = one
        return one

    def _begin(self, number: int, one: Any) -> None:
        """Note an object before its contents, which may refer to it."""
        self._done[number] = self._taken[id(one)] = one

    def _written(self, kind: int, cls: type, contents: Any, present: Any, number: int) -> Any:
        if kind == OBJECT:
            return self._attributes(cls, contents, present, number)
        if kind in (DICT, LIST):
            one = cls() if present is NOTHING else present
            self._begin(number, one)
            put_contents(kind, one, self._items(contents, one), {})
            return one
        if kind == TUPLE:
            return self._tuple(cls, contents, present)
        if kind == ARRAY:
            return self._array(contents, present)
        if kind == VIEW:
            return self._view(contents, present)
        if kind == METHOD:
            return getattr(self._value(contents[0], NOTHING if present is NOTHING else present.__self__), contents[1])
        if kind == FUNCTION:
            if present is NOTHING or present.__qualname__ != contents[0]:
                raise JounceError(
                    f"restore: function {contents[0]}: the simulation has no such part; expected the state of an equal simulation"
                )
            for cell, inside in zip(contents[1], present.__closure__, strict=True):
                self._value(cell, inside)
            return present
        if kind == CELL:
            one = types.CellType() if present is NOTHING else present
            self._begin(number, one)
            if contents is not None:
                one.cell_contents = self._value(contents, _inside(one))
            return one
        if kind == PARTIAL:
            before = (NOTHING,) * 3 if present is NOTHING else (present.func, present.args, present.keywords)
            function, arguments, keywords = map(self._value, contents, before)
            return functools.partial(function, *arguments, **keywords)
        if kind == PROXY:
            return types.MappingProxyType(dict(self._pairs(contents, {} if present is NOTHING else present)))
        if present is NOTHING:
            present = np.random.default_rng() if kind == GENERATOR else cls()
        put_contents(kind, present, contents, {})
        return present

    def _attributes(self, cls: type, contents: Any, present: Any, number: int) -> Any:
        new: Any = cls.__new__
        one = new(cls) if present is NOTHING else present
        self._begin(number, one)
        packed, items = contents
        before = (
            {}
            if present is NOTHING
            else {**getattr(one, "__dict__", {}), **{name: getattr(one, name) for name in slots(cls) if hasattr(one, name)}}
        )
        values = {name: self._value(value, before.get(name, NOTHING)) for name, value in packed.items()}
        own = {name: value for name, value in values.items() if name not in slots(cls)} if hasattr(one, "__dict__") else None
        in_slots = {name: value for name, value in values.items() if name in slots(cls)}
        put_contents(OBJECT, one, (own, in_slots, None if items is None else self._items(items, one)), {})
        return one

    def _items(self, contents: list[Any], one: Any) -> Any:
        """Return the contents of a container, whose objects are there so far."""
        if isinstance(one, dict):
            return dict(self._pairs(contents, one))
        there = [] if isinstance(one, set) else list(one)
        values = [self._value(value, there[n] if n < len(there) else NOTHING) for n, value in enumerate(contents)]
        return set(values) if isinstance(one, set) else values

    def _pairs(self, contents: list[Any], there: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
        keys, pairs = list(there), []
        for n, (packed, value) in enumerate(contents):
            key = self._value(packed, keys[n] if n < len(keys) else NOTHING)
            pairs.append((key, self._value(value, there.get(key, NOTHING))))
        return pairs

    def _tuple(self, cls: type, contents: list[Any], present: Any) -> Any:
        if cls is frozenset:
            return frozenset(self._value(value, NOTHING) for value in contents)
        there = () if present is NOTHING else present
        values = [self._value(value, there[n] if n < len(there) else NOTHING) for n, value in enumerate(contents)]
        if present is not NOTHING and len(values) == len(there) and all(map(_is, values, there)):
            return present
        return tuple.__new__(cls, values)

    def _array(self, packed: PackedArray, present: Any) -> NDArray[Any]:
        if isinstance(packed.rows, list):
            one = np.empty(packed.shape, object)
            one.ravel()[:] = [self._value(value, NOTHING) for value in packed.rows]
            return one
        usable = present is not NOTHING and present.dtype == packed.rows.dtype and present.shape == packed.shape and present.flags.writeable
        one = present if usable else np.zeros(packed.shape, packed.rows.dtype)
        if packed.blank:
            return one
        words = _words(one, packed.words)
        if not usable and packed.kernels.any():
            if packed.process != PROCESS:
                raise JounceError("restore: a part that was added has kernels of another process; expected a state without added vehicles")
            words = packed.kernels
        put_contents(ARRAY, one, packed.rows, self._used)
        _set_words(one, packed.words, words)
        if len(packed.words):
            self._addresses.append((one, packed))
        return one

    def _view(self, packed: PackedView, present: Any) -> Any:
        base = self._value(packed.base, NOTHING if present is NOTHING else present.base)
        if present is not NOTHING and present.base is base:
            there = PackedView(packed.base, present.dtype, present.shape, _strides(present), _begin(present))
            if there == packed:
                return present
        memory, size = base.ravel(order="K").view(np.uint8), packed.dtype.itemsize * math.prod(packed.shape)
        if packed.strides in ((), _usual_strides(packed)):
            view = memory[packed.begin : packed.begin + size].view(packed.dtype).reshape(packed.shape)
        else:
            view = np.ndarray(packed.shape, packed.dtype, memory, packed.begin, packed.strides)
        return view[()] if not packed.strides and not packed.shape else view


def _inside(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return NOTHING


def _is(a: Any, b: Any) -> bool:
    return a is b or (type(a) in ATOMS and type(a) is type(b) and a == b)
