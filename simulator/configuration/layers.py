"""Merging of the contents of files with their bases, with the origin of each value.

A file may contain `base: NAME`, the name of another file of the same kind, and then only the differences: mappings are merged key by key,
other values are replaced, `null` removes a key. A mapping with `base: null` replaces the mapping of the base completely.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from os.path import samefile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from simulator.base import column_file
from simulator.base.errors import ConfigError
from simulator.base.records import join
from simulator.base.units import SUFFIXES
from simulator.base.yaml_reader import read_yaml
from simulator.configuration.file_lookup import find_config
from simulator.configuration.key_path import KeyPath, written
from simulator.configuration.references import TABLES
from simulator.maneuvers.parameters import KEY as PARAMETERS
from simulator.maneuvers.parameters import is_used, unknown_parameter

TABLE = f"a table ({', '.join(column_file.SUFFIXES)})"
"""Expected file of the kinds TABLES."""
UNITS = frozenset(suffix for suffixes in SUFFIXES.values() for suffix in suffixes)
"""Suffixes of keys that are units."""


class Origin(NamedTuple):
    """Origin of a value: file and key, or option of the command line."""

    source: str
    """File, or words of the command line such as `--set vehicle.chassis.mass`."""
    key: str = ""
    """Key path in the file, or below the key of the option."""
    is_file: bool = True
    depth: int = 0
    """Number of files of the same kind above the file, of which it is a base."""

    @property
    def folder_of(self) -> str | None:
        """File in whose folder names are looked up first; None for the command line."""
        return self.source if self.is_file else None

    def wrong(self, value: object, expected: str) -> ConfigError:
        """Return the error about a value of this origin."""
        return ConfigError(self.source, self.key, value, expected)


@dataclass
class Layer:
    """Content and the origins of its parts. The origin of a value is that of the longest known path; the root always has an origin."""

    content: Any
    origins: dict[KeyPath, Origin] = field(default_factory=dict)

    @property
    def recorded(self) -> dict[str, Any]:
        """Section `recorded` of the configuration in a log; empty for a session file of the user."""
        recorded = self.content.get("recorded")
        return recorded if isinstance(recorded, dict) else {}

    def at(self, path: KeyPath) -> Any:
        """Return the value at a path, or None."""
        node = self.content
        for part in path:
            if isinstance(node, dict):
                node = node.get(part)
            elif isinstance(node, list) and isinstance(part, int) and part < len(node):
                node = node[part]
            else:
                return None
        return node

    def put(self, path: KeyPath, value: Layer) -> None:
        """Set the value at a path with an existing parent, and its origins."""
        self.at(path[:-1])[path[-1]] = value.content
        self.put_origins(path, value.origins)

    def matching(self, pattern: KeyPath) -> Iterator[KeyPath]:
        """Yield the paths that match a pattern, in which * is any part."""
        return _matching(pattern, self.content, ())

    def separate(self, path: KeyPath) -> None:
        """Copy the mappings and lists along a path, so that they are not shared with another layer."""
        node: Any = self.content
        for part in path[:-1]:
            at = int(part) if isinstance(node, list) and str(part).isdigit() else part
            inside = node.get(at) if isinstance(node, dict) else node[at] if isinstance(at, int) and at < len(node) else None
            if not isinstance(inside, dict | list):
                return
            node[at] = copied = copy(inside)
            node = copied

    def origin(self, path: KeyPath) -> tuple[Origin, KeyPath]:
        """Return the origin of the value at a path, and the rest of the path below the known path."""
        for n in range(len(path), -1, -1):
            origin = self.origins.get(path[:n])
            if origin is not None:
                return origin, path[n:]
        raise KeyError(path)

    def origin_of(self, path: KeyPath) -> Origin:
        """Return the origin of the value at a path, with the complete key."""
        origin, rest = self.origin(path)
        return origin._replace(key=joined(origin.key, rest))

    def origins_at(self, path: KeyPath) -> dict[KeyPath, Origin]:
        """Return the origins at and below a path, by relative path."""
        return {(): self.origin_of(path), **{known[len(path) :]: one for known, one in self.origins.items() if known[: len(path)] == path}}

    def put_origins(self, path: KeyPath, origins: dict[KeyPath, Origin]) -> None:
        """Replace the origins at and below a path."""
        self.discard(path)
        self.origins.update({(*path, *below): origin for below, origin in origins.items()})

    def discard(self, path: KeyPath) -> None:
        """Remove the origins at and below a path."""
        for known in [known for known in self.origins if known[: len(path)] == path]:
            del self.origins[known]


def _matching(pattern: KeyPath, node: Any, path: KeyPath) -> Iterator[KeyPath]:
    """Yield the paths at and below a node that match a pattern."""
    if not pattern:
        yield path
    elif isinstance(node, list) and pattern[0] == "*":
        for n, inside in enumerate(node):
            yield from _matching(pattern[1:], inside, (*path, n))
    elif isinstance(node, dict):
        for key in node if pattern[0] == "*" else [pattern[0]] if pattern[0] in node else []:
            yield from _matching(pattern[1:], node[key], (*path, key))


def joined(key: str, rest: KeyPath) -> str:
    """Return the text of a key path followed by another path."""
    below = written(rest)
    return key + below if below.startswith("[") else join(key, below)


def read_layers(kind: str, file: str | Path, above: tuple[Path, ...] = ()) -> Layer:
    """Return the content of a file merged into its base, if it has one.

    Parameters
    ----------
    kind : folder of `configs`
    above : files of which this file is a base

    Raises
    ------
    ConfigError : a file cannot be read, or is its own base
    """
    if kind in TABLES:
        return Layer(column_file.read_columns(file), {(): Origin(str(file))})
    content = content_of_tir(Path(file)) if is_tir(kind, file) else own_copy(_parsed(file))
    return with_base(kind, Layer(content, {(): Origin(str(file))}), (*above, Path(file)))


_parsed_files: dict[str, Any] | None = None


@contextmanager
def files_parsed_once() -> Iterator[None]:
    """Within the block, parse each file once; changes of files are ignored."""
    global _parsed_files  # noqa: PLW0603
    before, _parsed_files = _parsed_files, {} if _parsed_files is None else _parsed_files
    try:
        yield
    finally:
        _parsed_files = before


def _parsed(file: str | Path) -> Any:
    """Return the content of a YAML file. Raises ConfigError."""
    if _parsed_files is None:
        return read_yaml(file)
    if str(file) not in _parsed_files:
        _parsed_files[str(file)] = read_yaml(file)
    return _parsed_files[str(file)]


def is_tir(kind: str, file: str | Path) -> bool:
    """Return True if a tire file is a tire property file (.tir), which describes a tire completely."""
    return kind == "tires" and str(file).lower().endswith(".tir")


def content_of_tir(file: Path) -> dict[str, Any]:
    """Return the content of a tire file that names a tire property file."""
    return {"type": "magic_formula", "file": str(file.resolve())}


def file_of(kind: str, name: str, origin: Origin) -> Path:
    """Return the file of a name with an origin, see `find_config`. Raises ConfigError."""
    is_table = kind in TABLES
    if is_table and not name.lower().endswith(column_file.SUFFIXES):
        raise origin.wrong(name, TABLE)
    try:
        return find_config(kind, name, origin.folder_of, origin.key)
    except ConfigError as error:
        if is_table:
            raise origin.wrong(name, f"{TABLE}, {error.expected}") from None
        raise error if origin.is_file else origin.wrong(name, error.expected) from None


def with_base(kind: str, layer: Layer, above: tuple[Path, ...] = ()) -> Layer:
    """Return a layer, merged into the base that its content names, if any. Raises ConfigError."""
    if not isinstance(layer.content, dict) or layer.content.get("base") is None:
        return layer
    name, origin = layer.content["base"], layer.origin_of(("base",))
    if not isinstance(name, str) or not name.strip():
        raise origin.wrong(name, "the name of a base file")
    file = file_of(kind, name, origin)
    if any(samefile(file, other) for other in above):
        chain = " -> ".join(path.name for path in (*above, file))
        raise origin.wrong(name, f"a base other than the file itself: {chain}")
    below = read_layers(kind, file, above)
    if not isinstance(below.content, dict):
        raise ConfigError(file, "", below.content, "a mapping of keys to values")
    _drop_replaced(kind, below, layer)
    if kind == "maneuvers":
        _check_parameters(below.content, layer, name)
    return merged(below, Layer({key: value for key, value in layer.content.items() if key != "base"}, layer.origins))


WHOLE_ENTRIES = {"datasheets": "figures"}
"""By kind of file: section whose entries replace those of the base as a whole. A published value has no use for the range or the sources of
another one."""


def _drop_replaced(kind: str, below: Layer, above: Layer) -> None:
    """Remove the entries of WHOLE_ENTRIES from a base that the file above it has, too."""
    name = WHOLE_ENTRIES.get(kind)
    if name is None:
        return
    entries, new = below.content.get(name), above.content.get(name)
    if isinstance(entries, dict) and isinstance(new, dict):
        below.content[name] = {key: entry for key, entry in entries.items() if key not in new}
        for key in new:
            below.discard((name, key))


def _check_parameters(below: dict[str, Any], layer: Layer, base: str) -> None:
    """Check that parameters of a maneuver which its base does not have are used. Raises ConfigError: they have no effect."""
    new, known = layer.content.get(PARAMETERS), below.get(PARAMETERS)
    if not isinstance(new, dict):
        return
    known = known if isinstance(known, dict) else {}
    for name in new:
        if isinstance(name, str) and name not in known and not is_used(name, below) and not is_used(name, layer.content):
            raise layer.origin_of((PARAMETERS, name)).wrong(name, unknown_parameter(name, known, base))


def merged(below: Layer, above: Layer) -> Layer:
    """Return the mapping of a layer with the changes of another layer."""
    below = Layer(below.content, {path: one._replace(depth=one.depth + 1) for path, one in below.origins.items()})
    origins = dict(below.origins)
    out = Layer({}, origins)
    # a missing key is reported for the top file
    for key in below.content:
        origins.setdefault((key,), below.origin_of((key,)))
    origins[()] = above.origins[()]
    out.content = _merged(below.content, above.content, (), out, above)
    return out


def _merged(below: dict[Any, Any], above: dict[Any, Any], path: KeyPath, out: Layer, changes: Layer) -> dict[Any, Any]:
    """Return the merged mapping at a path; `out` gets the origins."""
    result = dict(below)
    for key, value in above.items():
        at = (*path, key)
        for other in other_spellings(key, result):
            del result[other]
            out.discard((*path, other))
        old = result.get(key)
        if value is None:
            result.pop(key, None)
            out.discard(at)
        elif isinstance(old, dict) and isinstance(value, dict) and "base" not in value:
            for inside in old:
                out.origins.setdefault((*at, inside), out.origin_of((*at, inside)))
            out.origins[at] = changes.origin_of(at)
            result[key] = _merged(old, value, at, out, changes)
        else:
            replaces = isinstance(value, dict) and "base" in value and value["base"] is None
            result[key] = {name: item for name, item in value.items() if name != "base"} if replaces else value
            out.put_origins(at, changes.origins_at(at))
    return result


def other_spellings(key: Any, known: dict[Any, Any]) -> list[Any]:
    """Return the known keys that are `key` in another unit or without a unit."""
    if not isinstance(key, str) or key in known:
        return []
    return [other for other in known if isinstance(other, str) and _without_unit(other) == _without_unit(key)]


def _without_unit(key: str) -> str:
    """Return a key without its unit."""
    name, _, suffix = key.rpartition("_")
    return name if name and suffix in UNITS else key


def own_copy(value: Any) -> Any:
    """Return a deep copy in plain values. An object that YAML aliases share becomes separate objects, so that a change affects one only."""
    kind = type(value)
    if kind in _IMMUTABLE:
        return value
    if kind is dict:
        return {key: item if type(item) in _IMMUTABLE else own_copy(item) for key, item in value.items()}
    if kind is list:
        return [item if type(item) in _IMMUTABLE else own_copy(item) for item in value]
    return _plain_copy(value)


_IMMUTABLE = frozenset({float, int, str, bool, type(None)})
"""Types of nearly all values of a file, which need no copy."""


def _plain_copy(value: Any) -> Any:
    """Return a copy of a value of a type that YAML and JSON do not have."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, dict):
        return {key: own_copy(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [own_copy(item) for item in value]
    return str(value) if isinstance(value, Path) else value
