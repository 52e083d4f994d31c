"""Configuration of a session as one mapping, in which the contents of files replace their names.

`vehicle.tires.friction` is therefore a key path of the configuration, although the key is in another file. An override can replace it, and
a log can store the complete mapping. The configuration also stores the origin of each value, for messages and for the lookup of names in
the folder of the file that contains them. Readers get the content after all bases and overrides are merged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os.path import isfile, realpath
from pathlib import Path
from typing import Any, NamedTuple

from simulator.base.errors import ConfigError, ErrorCollector
from simulator.base.fields import ListOf
from simulator.configuration.binary_files import BinaryFiles
from simulator.configuration.file_lookup import SUFFIXES, find_config
from simulator.configuration.key_path import KeyPath, parse, written
from simulator.configuration.layers import Layer, Origin, other_spellings, own_copy, read_layers
from simulator.configuration.message_origins import MessageOrigins
from simulator.configuration.named_files import NamedFiles
from simulator.configuration.overrides import Override
from simulator.configuration.references import DEFAULTS, kind_at, names_soil
from simulator.maneuvers.parameters import KEY as PARAMETERS
from simulator.maneuvers.parameters import is_used, unknown_parameter
from simulator.sensors.kinds import SENSOR_FILE


class FileChange(NamedTuple):
    """Changed keys of a file."""

    kind: str
    """Kind of the file."""
    paths: list[KeyPath]
    """Key paths in the file."""


class Configuration:
    """Mapping of a session, built by `put` and `set`, read by `reading`.

    Parameters
    ----------
    layer : content of a session file with its origins; default: empty

    Attributes
    ----------
    layer : content and origins
    named : files whose contents replace their names
    binary : digests of the binary files
    origins : file or option of a value, for messages
    settings : overrides and options as given on the command line
    """

    def __init__(self, layer: Layer | None = None) -> None:
        self.layer = layer or Layer({}, {(): Origin("the session", is_file=False)})
        self.settings: list[str] = []
        self._compose(NamedFiles(self.layer), BinaryFiles(self.layer))

    def _compose(self, named: NamedFiles, binary: BinaryFiles) -> None:
        self.named, self.binary, self.origins = named, binary, MessageOrigins(self.layer, named)

    @classmethod
    def of(cls, place: str, name: str, source: object = None) -> Configuration:
        """Return a configuration with a single file, by its name; `source` is the file that contains the name."""
        one, kind = cls(), kind_at(parse(place))
        assert kind is not None, place
        one.put(place, name, Origin(kind, is_file=False) if source is None else Origin(str(source), place))
        return one

    def has(self, place: str) -> bool:
        """Return True if a key path has a value."""
        return self.raw(place) is not None

    def raw(self, place: str) -> Any:
        """Return the value at a key path, or None. A name is not yet replaced by its content, unless it was read before."""
        return self.layer.at(parse(place))

    def name(self, place: str) -> str:
        """Return the name of the content at a key path: the name of its file, or its key `name`."""
        value = self.raw(place)
        if place in self.named.names or place in (recorded := self.layer.recorded.get("names", {})):
            return self.named.names.get(place) or str(recorded[place])
        return value if isinstance(value, str) else str(value.get("name", "")) if isinstance(value, dict) else ""

    @contextmanager
    def reading(self, place: str | KeyPath) -> Iterator[tuple[Any, str]]:
        """Yield the content at a key path and the file for messages. Errors of the reader get the origin of the value."""
        path = parse(place) if isinstance(place, str) else place
        self.named.fill(path)
        self.named.expand(path)
        self.named.expand_columns(path)
        self.binary.note_all(path, self.named.kind(path))
        with self.origins.about(path) as label:
            yield own_copy(self.layer.at(path)), label

    def note_sensor_files(self) -> None:
        """Find the files that the sensors name, and record their digests. Raises ConfigError."""
        if self.has("sensors"):
            self.binary.note_in(("sensors",), ListOf(SENSOR_FILE))

    def put(self, place: str, value: Any, origin: Origin) -> None:
        """Set a value with its origin."""
        self.set(Override(parse(place), value, ""), origin)

    def set(self, setting: Override, origin: Origin | None = None) -> None:
        """Apply an override: replace the value at its key path, or remove it for None. Raises ConfigError."""
        origin, path = origin or setting.origin, self.named.resolved(setting.path)
        created: KeyPath = ()
        for n in range(len(path)):
            self.named.open(path[:n])
            node = self.layer.at(path[:n])
            path = (*path[:n], _checked_part(node, path[:n], path[n], setting, origin), *path[n + 1 :])
            self._check_parameter(path[: n + 1], origin)
            if n < len(path) - 1:
                self.named.fill(path[: n + 1])
                if isinstance(node, dict) and node.get(path[n]) is None:
                    node[path[n]] = {}
                    created = created or path[: n + 1]
        self._replace(path, setting.value if origin.is_file else _soil_from_here(path, setting.value))
        self.layer.put_origins(path, {(): origin})
        if created:
            self.layer.origins[created] = origin

    def _check_parameter(self, path: KeyPath, origin: Origin) -> None:
        """Check that a parameter of a maneuver which an override sets has an effect. Raises ConfigError: no key of the maneuver uses it."""
        place, kind = self.named.around(path[:-1]) or ((), "sessions")
        if kind != "maneuvers" or path[len(place) : -1] != (PARAMETERS,):
            return
        content, name = self.layer.at(place), str(path[-1])
        known = content.get(PARAMETERS) or {} if isinstance(content, dict) else {}
        if isinstance(known, dict) and name not in known and not is_used(name, content):
            raise origin.wrong(name, unknown_parameter(name, known, self.name(written(place))))

    def _replace(self, path: KeyPath, value: Any) -> None:
        """Replace the value at a path with an existing parent; None removes the key."""
        node = self.layer.at(path[:-1])
        self._discard(path, value)
        if isinstance(node, dict):
            for other in other_spellings(path[-1], node):
                del node[other]
                self._discard((*path[:-1], other), value)
        if value is None and isinstance(node, dict):
            node.pop(path[-1], None)
        else:
            node[path[-1]] = own_copy(value)

    def _discard(self, path: KeyPath, value: Any) -> None:
        """Discard files, names and origins of the content at and below a path, which a value replaces."""
        self.named.discard(path)
        self.binary.discard(path, value)
        self.layer.discard(path)

    def expand_all(self) -> None:
        """Replace all names of a session, including default names, by the contents of the files, and record the digests of binary files.

        Raises ConfigError: a file cannot be found or read.
        """
        named = self.named
        with ErrorCollector() as errors:
            for place in (*DEFAULTS, *(["maneuver"] if self.has("maneuver") else [])):
                with errors.part():
                    named.fill((place,))
            for path in named.paths():
                with errors.part():
                    named.expand(path)
                    self.binary.note_all(path, named.kind(path))
            with errors.part():
                self.note_sensor_files()
            for path in named.soil_names():
                name = self.layer.at(path)
                if isinstance(name, str):
                    with errors.part():
                        named.soil(name, Path(named.label(("terrain",))))

    def with_changes(self, changes: Iterable[tuple[Override, Origin]]) -> tuple[Configuration, dict[KeyPath, FileChange]]:
        """Return a configuration with overrides, and the changed files by key path. All names of this configuration must be expanded.

        The two configurations share the unchanged parts: do not modify either of them afterwards, nor build from it; use a `copy`.

        Raises ConfigError.
        """
        other = Configuration(Layer(dict(self.layer.content), dict(self.layer.origins)))
        other._compose(self.named.copy(other.layer), self.binary.copy(other.layer))
        touched: dict[KeyPath, FileChange] = {}
        for setting, origin in changes:
            path = other.named.resolved(setting.path)
            other.layer.separate(path)
            other.set(setting._replace(path=path), origin)
            named_file = other.named.around(path)
            if named_file is not None:
                touched.setdefault(named_file[0], FileChange(named_file[1], [])).paths.append(path[len(named_file[0]) :])
        for place in touched:
            other.binary.note_all(place, other.named.kind(place))
        return other, touched

    def section(self, path: KeyPath) -> Configuration:
        """Return the files that a section of the session names as a configuration of their own; they are recorded in this one. Raises
        ConfigError."""
        for place in self.named.paths():
            if place[: len(path)] == path:
                self.named.expand(place)
                self.binary.note_all(place, self.named.kind(place))
        other = Configuration(Layer(own_copy(self.layer.at(path)), self.layer.origins_at(path)))
        other.named.take(self.named, path)
        return other

    def copy(self) -> Configuration:
        """Return a deep copy."""
        other, _ = self.with_changes(())
        other.layer.content = own_copy(self.layer.content)
        return other

    def plain(self) -> dict[str, Any]:
        """Return the content in JSON types, with the names and the digests of files under `recorded`. Do not modify the result."""
        return {"recorded": {"names": self.named.names, "files": self.binary.digests}, **self._own()}

    def complete(self) -> dict[str, Any]:
        """Return the mapping in plain values, with contents in place of all names."""
        for path in self.named.paths():
            self.named.expand(path)
        return own_copy(self._own())

    def _own(self) -> dict[str, Any]:
        """Return the content without the section `recorded`."""
        return {key: value for key, value in self.layer.content.items() if key != "recorded"}


def configuration(session: str | None = None, settings: Iterable[Override] = ()) -> Configuration:
    """Return the configuration of a session file, by name or path, with overrides in their order. Raises ConfigError."""
    layer = None
    if session is not None:
        layer = read_layers("sessions", find_config("sessions", session))
        if not isinstance(layer.content, dict):
            raise ConfigError(layer.origins[()].source, "", layer.content, "a mapping of keys to values")
    one = Configuration(layer)
    for setting in sorted(settings, key=lambda one: len(one.path)):  # names before keys in their files
        one.set(setting)
        one.settings.append(setting.as_given)
    return one


def _checked_part(node: Any, at: KeyPath, part: str | int, setting: Override, origin: Origin) -> str | int:
    """Return a key, or an existing index of a list. Raises ConfigError."""
    if isinstance(node, list):
        index = int(part) if str(part).isdigit() else -1
        if not 0 <= index < len(node):
            raise origin.wrong(setting.value, f"an index of {written(at)} from 0 to {len(node) - 1}, not {part}")
        return index
    if not isinstance(node, dict):
        raise origin.wrong(setting.value, f"an existing key; {written(at)} is {node!r} and has no keys")
    return str(part)


def _soil_from_here(path: KeyPath, value: Any) -> Any:
    """Return a value for a path. The path of a soil file from the command line is relative to the current folder, not to that of the terrain."""
    return realpath(value) if names_soil(path) and isinstance(value, str) and value.lower().endswith(SUFFIXES) and isfile(value) else value
