"""Command `jounce check --fix`: replace old keys and values in files; comments and layout stay."""

from __future__ import annotations

import os
import re
import shutil
import warnings
from collections.abc import Iterator, Mapping, Sequence
from os.path import isfile
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from simulator.base import renamed
from simulator.base.console import print_error, print_line
from simulator.base.errors import ConfigError, DeprecatedNameWarning, JounceError
from simulator.base.inputfile import encoding_of, read_bytes
from simulator.base.yaml_loader import MOST_BYTES, StrictLoader
from simulator.base.yaml_reader import parse_yaml, read_text
from simulator.catalog.file_kinds import kind_named, kind_of
from simulator.configuration.key_path import KeyPath, parse, written
from simulator.configuration.references import REFERENCES, fits, is_one_for_each
from simulator.configuration.renamed_keys import Replacement, new_key, new_value, replacements
from simulator.fitting.keys import DRIVEN, base_of, configured
from simulator.telemetry.atomic_files import write_whole

NOT_YAML = (".urdf", ".xml", ".tir")

_DRIVEN = tuple((name, f"{name}s") for name in DRIVEN)
_PARTS_OF_A_STEP = (("vehicle", "vehicles"), ("terrain", "terrains"))

PLACES: Mapping[str, tuple[tuple[KeyPath, str], ...]] = {
    "sessions": REFERENCES,
    "vehicles": tuple((place[1:], kind) for place, kind in REFERENCES if place[0] == "vehicle" and len(place) > 1),
    "maneuvers": ((("vehicle",), "vehicles"), (("terrain",), "terrains")),
    "sweeps": tuple(((name,), kind) for name, kind in _DRIVEN),
    "fits": tuple(((*above, name), kind) for above in ((), ("data", "*")) for name, kind in _DRIVEN),
    "optimizations": tuple(((*above, name), kind) for above in ((), ("drives", "*")) for name, kind in _DRIVEN),
    "series": (
        (("series", "*", "run"), "maneuvers"),
        (("search", "run"), "maneuvers"),
        *(((*step, "given", name), kind) for step in (("series", "*"), ("search",)) for name, kind in _PARTS_OF_A_STEP),
        *((("series", "*", "each", name, "*"), kind) for name, kind in _PARTS_OF_A_STEP),
    ),
}
"""Paths of a file, by its kind, where a name of another file or its content is, with the kind of that file."""

SETTINGS: Mapping[str, tuple[KeyPath, ...]] = {
    "sweeps": (("set",), ("vary", "*", "list", "*")),
    "fits": (("set",), ("data", "*", "set")),
    "optimizations": (("set",), ("drives", "*", "set")),
}
"""Paths of mappings of key paths of a session to a value."""

SETTINGS_OF_SEVERAL: Mapping[str, tuple[KeyPath, ...]] = {"sweeps": (("vary", "*", "grid"), ("vary", "*", "list"))}
"""Paths of mappings of key paths of a session to a list of values."""

DISTRIBUTIONS: Mapping[str, tuple[KeyPath, ...]] = {"sweeps": (("vary", "*", "sample", "of"),)}
"""Paths of mappings of key paths of a session to a distribution."""

_KEYS_OF_PARAMETERS = (("parameters", "*", "key"), ("parameters", "*", "key", "*"))
KEY_PATHS: Mapping[str, tuple[KeyPath, ...]] = {"fits": _KEYS_OF_PARAMETERS, "optimizations": _KEYS_OF_PARAMETERS}
"""Paths of a key path of a session."""

COLUMNS: Mapping[str, tuple[KeyPath, ...]] = {
    "sessions": (("outlets", "telemetry", "channels", "*"),),
    "sweeps": (("channels", "*"),),
    "comparisons": (("channels", "*"), ("bands", "*", "channel"), ("bands", "*", "over"), ("columns", "*"), ("align",)),
    "maneuvers": (("metrics", "*", "channels", "*"),),
}
"""Paths of a column of the telemetry, perhaps with a minus sign."""

COLUMN_KEYS: Mapping[str, tuple[KeyPath, ...]] = {"fits": (("channels",), ("data", "*", "columns"))}
"""Paths of mappings whose keys are columns of the telemetry."""

EXPRESSIONS: Mapping[str, tuple[KeyPath, ...]] = {"maneuvers": (("metrics", "*", "of"),)}
"""Paths of an expression of columns."""

_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")
"""Anchor and tag in front of a scalar."""


Values = list[tuple[KeyPath, Any]]
"""Values of a key path of a session, with their paths below the key path."""


class Edit(NamedTuple):
    """Replacement of a part of a text."""

    start: int
    end: int
    """Characters of the text."""
    text: str
    line: int
    old: str
    new: str


def run_fix_command(files: Sequence[str], kind: str | None) -> int:
    """Run `jounce check --fix` and return the exit code: 2 if a file cannot be read or written. Raises ConfigError: unknown kind."""
    given = None if kind is None else kind_named(kind).folder
    failed = False
    for file in files:
        try:
            edits = fix_file(file, given)
        except JounceError as error:
            print_error(str(error))
            failed = True
            continue
        for edit in edits:
            print_line(f"{file}:{edit.line}: {edit.old} -> {edit.new}")
        if not edits:
            print_line(f"{file}: nothing to replace")
    return 2 if failed else 0


def fix_file(file: str | Path, kind: str | None = None) -> list[Edit]:
    """Replace old keys and values in a file.

    Parameters
    ----------
    kind : folder of `configs`; None: derived from the file

    Returns
    -------
    replacements in the order of the lines; the file is unchanged if there are none

    Raises
    ------
    ConfigError : the file cannot be read, or its kind is ambiguous
    OutputError : the file cannot be written
    """
    if str(file).lower().endswith(NOT_YAML):
        return []
    text = read_text(file, "a YAML text file")
    mark, encoding = encoding_of(read_bytes(file, "a YAML text file", MOST_BYTES))
    parse_yaml(text, file)  # reports a malformed file
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecatedNameWarning)
        edits = edits_of(text, Path(file), kind or kind_of(str(file)).folder)
    if edits:
        new = fixed(text, edits)
        parse_yaml(new, file)
        real = Path(os.path.realpath(file))
        write_whole(real, lambda part: _write(part, mark + new.encode(encoding), real))
    return edits


def _write(part: Path, content: bytes, like: Path) -> None:
    part.write_bytes(content)
    shutil.copymode(like, part)


def fixed(text: str, edits: Sequence[Edit]) -> str:
    """Return a text with replacements."""
    for edit in reversed(edits):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def edits_of(text: str, file: Path, kind: str) -> list[Edit]:
    """Return the replacements in the text of a file of a kind, in the order of the text."""
    loader = StrictLoader(text)
    try:
        root = loader.get_single_node()
        content = None if root is None else loader.construct_document(root)
        nodes = dict(_nodes(loader, root, ())) if root is not None else {}
    finally:
        loader.dispose()
    found: dict[int, Edit] = {}
    for one in OldNames(file, kind, content).all():
        key, value = nodes.get(one.path, (None, None))
        edit = _edit(text, value if one.value else key, one)
        if edit is not None:
            found.setdefault(edit.start, edit)
    return [found[start] for start in sorted(found)]


def _nodes(loader: StrictLoader, node: yaml.Node, path: KeyPath) -> Iterator[tuple[KeyPath, tuple[yaml.Node | None, yaml.Node]]]:
    """Yield key and value of each path at and below a node that was constructed, which puts merged mappings in front of its own keys."""
    if isinstance(node, yaml.SequenceNode):
        for n, inside in enumerate(node.value):
            yield (*path, n), (None, inside)
            yield from _nodes(loader, inside, (*path, n))
    elif isinstance(node, yaml.MappingNode):
        for key, inside in node.value:
            at = (*path, loader.construct_object(key, deep=True))
            yield at, (key, inside)
            yield from _nodes(loader, inside, at)


def _edit(text: str, node: yaml.Node | None, one: Replacement) -> Edit | None:
    """Return the replacement of a scalar; None for a scalar with another spelling in the text, for example with escapes."""
    if not isinstance(node, yaml.ScalarNode):
        return None
    start, end = node.start_mark.index, node.end_mark.index
    properties = _PROPERTIES.match(text, start, end)
    start += len(properties[0]) if properties else 0
    quote = text[start] if text[start : start + 1] in ("'", '"') else ""
    if text[start:end] != f"{quote}{one.old}{quote}":
        return None
    line = text.count("\n", 0, start) + 1
    return Edit(start, end, f"{quote}{one.new}{quote}", line, one.old, one.new)


class OldNames:
    """Old names in the content of a file, those of nested contents first.

    Parameters
    ----------
    file : path of the file; names of other files are looked up in its folder first
    kind : folder of `configs`
    """

    def __init__(self, file: Path, kind: str, content: Any) -> None:
        self._file, self._kind, self._content = file, kind, content
        self._vehicle: dict[str, Any] | None = None

    def all(self) -> Iterator[Replacement]:
        """Yield the old names with their paths in the file."""
        yield from self._in_content(self._kind, self._content, ())

    def _in_content(self, kind: str, content: Any, at: KeyPath) -> Iterator[Replacement]:
        """Yield the old names of the content of a file of a kind, which is at a path of this file."""
        yield from self._in_references(kind, content, (), at)
        for path, key, values in _settings(kind, content):
            yield from self._in_setting(key, values, (*at, *path))
            if (new := self._present_key_path(key)) not in (key, *_at(content, path)):
                yield Replacement((*at, *path, key), key, new)
        for path, value in _matching(KEY_PATHS, kind, content):
            if isinstance(value, str) and (new := self._present_key_path(value)) != value:
                yield Replacement((*at, *path), value, new, value=True)
        yield from _columns(kind, content, at)
        for one in replacements(kind, content):
            yield one._replace(path=(*at, *one.path))

    def _in_references(self, kind: str, content: Any, section: KeyPath, at: KeyPath) -> Iterator[Replacement]:
        """Yield the old names that another file has, by its name or as content, at and below a section of a content."""
        if isinstance(content, Mapping):
            if not section and isinstance(content.get("base"), str):
                yield from self._in_reference(kind, content["base"], (*at, "base"))
            inner: Iterator[tuple[Any, Any]] = iter(content.items())
        elif isinstance(content, list):
            inner = iter(enumerate(content))
        else:
            return
        for key, inside in inner:
            path, where = (*section, key), (*at, key)
            other = _kind_at(PLACES.get(kind, ()), path, content)
            if other is None or isinstance(inside, list):
                yield from self._in_references(kind, inside, path, where)
            else:
                yield from self._in_reference(other, inside, where)

    def _in_reference(self, kind: str, value: Any, at: KeyPath) -> Iterator[Replacement]:
        """Yield the old names of a value that is the name of a file of a kind, or its content."""
        if isinstance(value, Mapping):
            yield from self._in_content(kind, value, at)
        elif isinstance(value, str) and (kind, value) in renamed.FILES and not self._is_own(value):
            yield Replacement(at, value, renamed.FILES[kind, value], value=True)

    def _is_own(self, name: str) -> bool:
        """Return whether a file of this name, other than the file itself, is in the folder of the file."""
        found = [self._file.parent / spelling for spelling in (f"{name}.yaml", name)]
        return any(isfile(one) and not one.samefile(self._file) for one in found)

    def _in_setting(self, key: str, values: Values, at: KeyPath) -> Iterator[Replacement]:
        """Yield the old names in the values of a key path of a session."""
        path = parse(key)
        place, kind = _file_of(path)
        section = path[len(place) :]
        for below, value in values:
            where = (*at, key, *below)
            if not section:
                yield from self._in_reference(kind, value, where)
            elif isinstance(value, Mapping | list):
                yield from self._in_references(kind, value, section, where)
                for one in replacements(kind, value, section):
                    yield one._replace(path=(*where, *one.path[len(section) :]))
            elif (new := new_value(kind, section[:-1], section[-1], value)) is not None:
                yield Replacement(where, value, new, value=True)

    def _present_key_path(self, text: str) -> str:
        """Return a key path of a session with the present keys."""
        path = parse(text)
        if written(path) != text:
            return text
        for n, part in enumerate(path):
            place, kind = _file_of(path[:n])
            new = new_key(kind, path[len(place) : n], part, self._section(path[:n]))
            path = path if new is None else (*path[:n], new, *path[n + 1 :])
        return written(path)

    def _section(self, path: KeyPath) -> Any:
        """Return the content of a controller, the type of which decides about its keys; None for any other section."""
        if path[:2] != ("vehicle", "controllers") or len(path) != 3:
            return None
        if self._vehicle is None:
            self._vehicle = self._read_vehicle()
        controllers = self._vehicle.get("controllers")
        index = int(path[2]) if str(path[2]).isdigit() else -1
        return controllers[index] if isinstance(controllers, list) and 0 <= index < len(controllers) else None

    def _read_vehicle(self) -> dict[str, Any]:
        """Return the content of the vehicle of a sweep, fit or optimization; empty if it cannot be read."""
        named = {name: self._content[name] for name in DRIVEN if isinstance(self._content.get(name), str)}
        try:
            with configured(base_of(named), str(self._file)).reading("vehicle") as (vehicle, _):
                return vehicle if isinstance(vehicle, dict) else {}
        except ConfigError:
            return {}


def _settings(kind: str, content: Any) -> Iterator[tuple[KeyPath, str, Values]]:
    """Yield the key paths of a session in a content: path of the mapping, key path, values."""
    for table, values_of in ((SETTINGS, _single), (SETTINGS_OF_SEVERAL, _several), (DISTRIBUTIONS, _choices)):
        for path, mapping in _matching(table, kind, content):
            for key, value in mapping.items() if isinstance(mapping, Mapping) else ():
                if isinstance(key, str):
                    yield path, key, values_of(value)


def _single(value: Any) -> Values:
    return [((), value)]


def _several(value: Any) -> Values:
    return [((n,), one) for n, one in enumerate(value)] if isinstance(value, list) else []


def _choices(value: Any) -> Values:
    return [(("of", *below), one) for below, one in _several(value.get("of"))] if isinstance(value, Mapping) else []


def _at(content: Any, path: KeyPath) -> Any:
    """Return the value at a path of a content."""
    for part in path:
        content = content[part]
    return content


def _columns(kind: str, content: Any, at: KeyPath) -> Iterator[Replacement]:
    """Yield the old columns of the telemetry in a content."""
    for path, value in _matching(COLUMNS, kind, content):
        if isinstance(value, str):
            sign = "-" if value.startswith("-") else ""
            new = sign + renamed.present_column(value.removeprefix(sign))
            if new != value:
                yield Replacement((*at, *path), value, new, value=True)
    for path, value in _matching(COLUMN_KEYS, kind, content):
        for key in value if isinstance(value, Mapping) else ():
            if isinstance(key, str) and (new := renamed.present_column(key)) != key and new not in value:
                yield Replacement((*at, *path, key), key, new)
    for path, value in _matching(EXPRESSIONS, kind, content):
        if isinstance(value, str) and (new := renamed.in_expression(value)) != value:
            yield Replacement((*at, *path), value, new, value=True)


def _matching(table: Mapping[str, tuple[KeyPath, ...]], kind: str, content: Any) -> Iterator[tuple[KeyPath, Any]]:
    """Yield the paths of a table that a content of a kind has, with their values."""
    for pattern in table.get(kind, ()):
        yield from _below(content, pattern, ())


def _below(content: Any, pattern: KeyPath, path: KeyPath) -> Iterator[tuple[KeyPath, Any]]:
    if not pattern:
        yield path, content
    elif isinstance(content, list) and pattern[0] == "*":
        for n, inside in enumerate(content):
            yield from _below(inside, pattern[1:], (*path, n))
    elif isinstance(content, Mapping):
        for key in list(content) if pattern[0] == "*" else [pattern[0]] if pattern[0] in content else []:
            yield from _below(content[key], pattern[1:], (*path, key))


def _kind_at(places: Sequence[tuple[KeyPath, str]], path: KeyPath, parent: Any) -> str | None:
    """Return the kind of the file that may be named at a path, of which `parent` contains the last part; None elsewhere."""
    for pattern, kind in places:
        if fits(path, pattern):
            if kind != "tires":
                return kind
            if is_one_for_each(parent if pattern[-1] == "*" else parent.get(path[-1])) == (pattern[-1] == "*"):
                return kind
    return None


def _file_of(path: KeyPath) -> tuple[KeyPath, str]:
    """Return the place and the kind of the file to which a key path of a session leads."""
    for n in range(len(path), 0, -1):
        for pattern, kind in REFERENCES:
            if (kind, pattern[-1]) == ("tires", "*"):  # the rules of tires hold at any depth
                continue
            if fits(path[:n], pattern):
                return path[:n], kind
    return (), "sessions"
