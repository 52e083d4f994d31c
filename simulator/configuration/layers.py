"""Contents of files laid over each other, with who said what.

A file may say `base: NAME`, the name of another file of its kind, and then holds only what is different there: mappings are merged key by
key, anything else is replaced, `null` takes a key out. A mapping that says `base: null` replaces the one below as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from os.path import samefile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from simulator.base.errors import ConfigError
from simulator.base.records import join
from simulator.base.units import SUFFIXES
from simulator.base.yaml_reader import read_yaml
from simulator.configuration.file_lookup import find_config
from simulator.configuration.key_path import KeyPath, written
from simulator.configuration.renamed_keys import modernized, moved

UNITS = frozenset(suffix for suffixes in SUFFIXES.values() for suffix in suffixes)
"""What may stand behind the last underscore of a key and is its unit."""


class Origin(NamedTuple):
    """Who said something."""

    who: str
    """A file, or words of the command line such as `--set vehicle.chassis.mass`."""
    key: str = ""
    """Key path in the file, or below what was set."""
    is_file: bool = True

    @property
    def folder_of(self) -> str | None:
        """The file beside which a name that is said here is looked up; None for the command line."""
        return self.who if self.is_file else None

    def wrong(self, value: object, expected: str) -> ConfigError:
        """What to raise about the value that was said."""
        return ConfigError(self.who, self.key, value, expected)


@dataclass
class Layer:
    """A content, and who said each part of it: the origin of the longest path that is known counts, the root is always there."""

    content: Any
    origins: dict[KeyPath, Origin] = field(default_factory=dict)

    def origin(self, path: KeyPath) -> tuple[Origin, KeyPath]:
        """Who said what stands at a path, and the rest of the path below what he said."""
        for n in range(len(path), -1, -1):
            found = self.origins.get(path[:n])
            if found is not None:
                return found, path[n:]
        raise KeyError(path)

    def origin_of(self, path: KeyPath) -> Origin:
        """The same with the whole path as its key."""
        origin, rest = self.origin(path)
        return origin._replace(key=joined(origin.key, rest))

    def origins_at(self, path: KeyPath) -> dict[KeyPath, Origin]:
        """The origins of what stands at a path, by the path below it."""
        return {(): self.origin_of(path), **{known[len(path) :]: one for known, one in self.origins.items() if known[: len(path)] == path}}

    def put_origins(self, path: KeyPath, origins: dict[KeyPath, Origin]) -> None:
        """Origins of everything below a path, instead of those that were there."""
        self.forget(path)
        self.origins.update({(*path, *below): origin for below, origin in origins.items()})

    def forget(self, path: KeyPath) -> None:
        """The origins at and below a path."""
        for known in [known for known in self.origins if known[: len(path)] == path]:
            del self.origins[known]


def joined(key: str, rest: KeyPath) -> str:
    """A key path as text with a path behind it."""
    below = written(rest)
    return key + below if below.startswith("[") else join(key, below)


def read_layers(kind: str, file: str | Path, above: tuple[Path, ...] = ()) -> Layer:
    """Content of a file laid over that of its base, if it names one.

    Parameters
    ----------
    kind : folder of `configs`
    above : the files that build on it

    Raises
    ------
    ConfigError : a file cannot be read, or one builds on itself
    """
    content = content_of_tir(Path(file)) if is_tir(kind, file) else own_copy(_parsed(file))
    return with_base(kind, Layer(content, {(): Origin(str(file))}), (*above, Path(file)))


_kept: dict[str, Any] | None = None


@contextmanager
def files_parsed_once() -> Iterator[None]:
    """Inside, a file is parsed when it is first named and taken to stay as it is."""
    global _kept  # noqa: PLW0603
    before, _kept = _kept, {} if _kept is None else _kept
    try:
        yield
    finally:
        _kept = before


def _parsed(file: str | Path) -> Any:
    """Content of a YAML file. Raises ConfigError."""
    if _kept is None:
        return read_yaml(file)
    if str(file) not in _kept:
        _kept[str(file)] = read_yaml(file)
    return _kept[str(file)]


def is_tir(kind: str, file: str | Path) -> bool:
    """Whether a file in the place of a tire file is a tire property file, which says all of a tire by itself."""
    return kind == "tires" and str(file).lower().endswith(".tir")


def content_of_tir(file: Path) -> dict[str, Any]:
    """The tire file that stands for a tire property file."""
    return {"type": "magic_formula", "file": str(file.resolve())}


def file_of(kind: str, name: str, origin: Origin) -> Path:
    """The file of a name that somebody says, as `find_config`. Raises ConfigError."""
    try:
        return find_config(kind, name, origin.folder_of, origin.key)
    except ConfigError as error:
        raise error if origin.is_file else origin.wrong(name, error.expected) from None


def with_base(kind: str, layer: Layer, above: tuple[Path, ...] = ()) -> Layer:
    """Return a layer with the present names of its keys, over the base that its content names, if any. Raises ConfigError."""
    layer = with_new_names(kind, layer)
    if not isinstance(layer.content, dict) or layer.content.get("base") is None:
        return layer
    name, origin = layer.content["base"], layer.origin_of(("base",))
    if not isinstance(name, str) or not name.strip():
        raise origin.wrong(name, "the name of a file to build on")
    file = file_of(kind, name, origin)
    if any(samefile(file, other) for other in above):
        chain = " -> ".join(path.name for path in (*above, file))
        raise origin.wrong(name, f"a file that does not build on itself: {chain}")
    below = read_layers(kind, file, above)
    if not isinstance(below.content, dict):
        raise ConfigError(file, "", below.content, "a mapping of keys to values")
    return merged(below, Layer({key: value for key, value in layer.content.items() if key != "base"}, layer.origins))


def with_new_names(kind: str, layer: Layer) -> Layer:
    """Return a layer in which old keys and values are replaced; each gives a warning."""
    root = layer.origins[()]
    content, found = modernized(kind, layer.content, root.who if root.is_file and not root.key else None)
    if not found:
        return layer
    origins = {moved(path, found): origin for path, origin in layer.origins.items()}
    for one in found:  # a message names the key that the file has
        new = moved(one.path, found)
        origins.setdefault(new, layer.origin_of(one.path))
    return Layer(content, origins)


def merged(below: Layer, above: Layer) -> Layer:
    """The mapping of one layer with the changes of another."""
    origins = dict(below.origins)
    out = Layer({}, origins)
    # what nobody says is missing in the file on top
    for key in below.content:
        origins.setdefault((key,), below.origin_of((key,)))
    origins[()] = above.origins[()]
    out.content = _merged(below.content, above.content, (), out, above)
    return out


def _merged(below: dict[Any, Any], above: dict[Any, Any], path: KeyPath, out: Layer, said: Layer) -> dict[Any, Any]:
    result = dict(below)
    for key, value in above.items():
        at = (*path, key)
        for other in other_spellings(key, result):
            del result[other]
            out.forget((*path, other))
        old = result.get(key)
        if value is None:
            result.pop(key, None)
            out.forget(at)
        elif isinstance(old, dict) and isinstance(value, dict) and "base" not in value:
            for inside in old:
                out.origins.setdefault((*at, inside), out.origin_of((*at, inside)))
            out.origins[at] = said.origin_of(at)
            result[key] = _merged(old, value, at, out, said)
        else:
            replaces = isinstance(value, dict) and "base" in value and value["base"] is None
            result[key] = {name: item for name, item in value.items() if name != "base"} if replaces else value
            out.put_origins(at, said.origins_at(at))
    return result


def other_spellings(key: Any, known: dict[Any, Any]) -> list[Any]:
    """Keys among the known ones that say the same as `key` in another unit, or without one."""
    if not isinstance(key, str) or key in known:
        return []
    return [other for other in known if isinstance(other, str) and _bare(other) == _bare(key)]


def _bare(key: str) -> str:
    name, _, suffix = key.rpartition("_")
    return name if name and suffix in UNITS else key


def own_copy(value: Any) -> Any:
    """The same in plain values, without anchors: what YAML makes one object in two places becomes two, so that a change stays in its place."""
    kind = type(value)
    if kind in _AS_IT_IS:
        return value
    if kind is dict:
        return {key: item if type(item) in _AS_IT_IS else own_copy(item) for key, item in value.items()}
    if kind is list:
        return [item if type(item) in _AS_IT_IS else own_copy(item) for item in value]
    return _plain_copy(value)


_AS_IT_IS = frozenset({float, int, str, bool, type(None)})
"""Of these are nearly all values of a file."""


def _plain_copy(value: Any) -> Any:
    """The same of what neither YAML nor JSON makes."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, dict):
        return {key: own_copy(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [own_copy(item) for item in value]
    return str(value) if isinstance(value, Path) else value
