"""Configuration of a session as one mapping, in which the contents of files replace their names.

`vehicle.tires.friction` is therefore a key path of the configuration, although the key is in another file. An override can replace it, and
a log can store the complete mapping. The configuration also stores the origin of each value, for messages and for the lookup of names in
the folder of the file that contains them. Readers get the content after all bases and overrides are merged.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from os.path import isfile, realpath
from pathlib import Path
from typing import Any, NamedTuple

from simulator.base import renamed
from simulator.base.errors import ConfigError, ErrorCollector, raise_all
from simulator.base.inputfile import read_bytes
from simulator.configuration.file_lookup import SUFFIXES, data_folder, find_config
from simulator.configuration.file_tables import TABLES, files_named
from simulator.configuration.key_path import KeyPath, parse, written
from simulator.configuration.layers import Layer, Origin, file_of, joined, other_spellings, own_copy, read_layers, with_base, with_new_names
from simulator.configuration.overrides import Override
from simulator.configuration.renamed_keys import modernized, new_key, new_value
from simulator.motion.protocols.kinds import stream_words

REFERENCES = (
    # key path of a name or content   kind of file
    ("vehicle", "vehicles"),
    ("vehicle.tires", "tires"),
    ("vehicle.tires.*", "tires"),
    ("vehicle.drivetrain", "drivetrains"),
    ("vehicle.axles.*.file", "mechanisms"),
    ("terrain", "terrains"),
    ("soils.*", "soils"),
    ("maneuver", "maneuvers"),
    ("washout", "washouts"),
    ("platform", "platforms"),
)
"""Names of files in a session, and in the files that it names."""

_PLACES = tuple((parse(place), kind) for place, kind in REFERENCES)

SOILS_OF_A_TERRAIN = (
    "terrain.surface",
    "terrain.soil",
    "terrain.patches.*.surface",
    "terrain.patches.*.soil",
    "terrain.roads.*.surface",
    "terrain.soils.patches.*.soil",
)
"""Key paths of names of soils; all references to a name share the content `soils.NAME`."""

TYPED = (("driver",), ("outlets", "motion", "protocol"), ("outlets", "streams", "*", "protocol"))
"""Key paths at which a name is short for a mapping with this `type` only."""

STREAM = ("outlets", "streams", "*")
"""Key path at which a text is short for a mapping (`simulator.motion.protocols.kinds.stream_words`)."""

DEFAULTS = {"vehicle": "hmmwv", "terrain": "jacksboro", "washout": "small_hexapod", "platform": "small_hexapod"}
"""Default names; the maneuver, if any, sets the default vehicle and terrain."""

LARGEST_INPUT = 1 << 30
"""Maximum size of a binary file [bytes], such as elevation data."""


_SOIL_NAMES = tuple(parse(place) for place in SOILS_OF_A_TERRAIN)


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
    """

    def __init__(self, layer: Layer | None = None) -> None:
        self.layer = with_new_names("sessions", layer or Layer({}, {(): Origin("the session", is_file=False)}))
        self.names: dict[str, str] = {}
        """Names of files by key path, for messages and reports."""
        self.files: dict[str, str] = {}
        """SHA-256 of the binary files, by the key path of their name."""
        self.soils_used: set[str] = set()
        self.settings: list[str] = []
        """Overrides and options as given on the command line."""
        self._expanded: set[KeyPath] = set()
        self._noted: set[KeyPath] = set()
        """Key paths whose binary files have been recorded; still valid if only numbers change."""
        self._labels: dict[KeyPath, str] = {}

    @classmethod
    def of(cls, place: str, name: str, source: object = None) -> Configuration:
        """Return a configuration with a single file, by its name; `source` is the file that contains the name."""
        one = cls()
        one.put(place, name, Origin(dict(REFERENCES)[place], is_file=False) if source is None else Origin(str(source), place))
        return one

    def has(self, place: str) -> bool:
        """Return True if a key path has a value."""
        return self._look(parse(place)) is not None

    def raw(self, place: str) -> Any:
        """Return the value at a key path, or None. A name is not yet replaced by its content, unless it was read before."""
        return self._look(parse(place))

    def origin(self, place: str) -> Origin:
        """Return the origin of the value at a key path."""
        return self.layer.origin_of(parse(place))

    def settings_below(self, path: KeyPath) -> list[Origin]:
        """Return the origins from the command line at and below a path, the last one last."""
        return [one for known, one in self.layer.origins.items() if known[: len(path)] == path and not one.is_file]

    def put(self, place: str, value: Any, origin: Origin) -> None:
        """Set a value with its origin."""
        self.set(Override(parse(place), value, ""), origin)

    def set(self, setting: Override, origin: Origin | None = None) -> None:
        """Apply an override: replace the value at its key path, or remove it for None. Raises ConfigError."""
        origin, path = origin or setting.origin, self._into_drivetrain(self._across_soils(setting.path))
        created: KeyPath = ()
        for n in range(len(path)):
            self._expand(path[:n])
            self._open(path[:n])
            node = self._look(path[:n])
            path = self._with_new_name(path, n, origin)
            path = (*path[:n], self._checked_part(node, path[:n], path[n], setting, origin), *path[n + 1 :])
            if n < len(path) - 1:
                self._fill(path[: n + 1])
                if isinstance(node, dict) and node.get(path[n]) is None:
                    node[path[n]] = {}
                    created = created or path[: n + 1]
        value = self._with_new_names_below(path, setting.value, origin)
        self._replace(path, value if origin.is_file else _soil_from_here(path, value))
        self.layer.put_origins(path, {(): origin})
        if created:
            self.layer.origins[created] = origin

    def _with_new_name(self, path: KeyPath, n: int, origin: Origin) -> KeyPath:
        """Return a path whose part `n` is not an old key; an old key gives a warning."""
        place, kind = self._file_at(path[:n]) or ((), "sessions")
        new = new_key(kind, path[len(place) : n], path[n], self._look(path[:n]))
        if new is None:
            return path
        renamed.warn(written(path[: n + 1]), written((*path[:n], new)), None if origin.is_file else origin.source.split(" ")[0])
        return (*path[:n], new, *path[n + 1 :])

    def _with_new_names_below(self, path: KeyPath, value: Any, origin: Origin) -> Any:
        """Return a value for a path in which old keys and values are replaced."""
        place, kind = self._file_at(path) or ((), "sessions")
        section, source = path[len(place) :], None if origin.is_file else origin.source
        if section and (new := new_value(kind, section[:-1], section[-1], value)) is not None:
            renamed.warn(str(value), new, source)
            return new
        return modernized(kind, value, source, section)[0]

    def expand_all(self) -> None:
        """Replace all names of a session, including default names, by the contents of the files, and record the digests of binary files.

        Raises ConfigError: a file cannot be found or read.
        """
        with ErrorCollector() as errors:
            for place in (*DEFAULTS, *(["maneuver"] if self.has("maneuver") else [])):
                with errors.part():
                    self._fill((place,))
            for pattern, _ in REFERENCES:
                for path in list(self._matching(parse(pattern), self.layer.content, ())):
                    with errors.part():
                        self._expand(path)
                        self._note_files(path)
            for place_of_soil in SOILS_OF_A_TERRAIN:
                for path in list(self._matching(parse(place_of_soil), self.layer.content, ())):
                    name = self._look(path)
                    if isinstance(name, str):
                        with errors.part():
                            self.soil(name, Path(self._label(("terrain",))))

    def with_changes(self, changes: Iterable[tuple[Override, Origin]]) -> tuple[Configuration, dict[KeyPath, FileChange]]:
        """Return a configuration with overrides, and the changed files by key path. All names of this configuration must be expanded.

        The two configurations share the unchanged parts: do not modify either of them afterwards, nor build from it; use a `copy`.

        Raises ConfigError.
        """
        other = Configuration(Layer(dict(self.layer.content), dict(self.layer.origins)))
        other.names, other.files, other.soils_used = dict(self.names), dict(self.files), set(self.soils_used)
        other._expanded, other._noted, other._labels = set(self._expanded), set(self._noted), dict(self._labels)
        touched: dict[KeyPath, FileChange] = {}
        for setting, origin in changes:
            path = other._into_drivetrain(other._across_soils(setting.path))
            other._separate(path)
            other.set(setting._replace(path=path), origin)
            found = other._file_at(path)
            if found is not None:
                touched.setdefault(found[0], FileChange(found[1], [])).paths.append(path[len(found[0]) :])
        for place in touched:
            other._note_files(place)
        return other, touched

    def copy(self) -> Configuration:
        """Return a deep copy."""
        other, _ = self.with_changes(())
        other.layer.content = own_copy(self.layer.content)
        return other

    def plain(self) -> dict[str, Any]:
        """Return the content in JSON types, with the names and the digests of files under `recorded`. Do not modify the result."""
        content = {key: value for key, value in self.layer.content.items() if key != "recorded"}
        return {"recorded": {"names": self.names, "files": self.files}, **content}

    def _separate(self, path: KeyPath) -> None:
        """Copy the mappings and lists along a path, so that they are not shared."""
        node: Any = self.layer.content
        for part in path[:-1]:
            at = int(part) if isinstance(node, list) and str(part).isdigit() else part
            inside = node.get(at) if isinstance(node, dict) else node[at] if isinstance(at, int) and at < len(node) else None
            if not isinstance(inside, dict | list):
                return
            copied = copy.copy(inside)
            node[at] = copied
            node = copied

    def _file_at(self, path: KeyPath) -> tuple[KeyPath, str] | None:
        """Return path and kind of the innermost file content that contains a path; None for the session file."""
        for n in range(len(path), 0, -1):
            kind = self._kind(path[:n])
            if kind is not None:
                return path[:n], kind
        return None

    def _replace(self, path: KeyPath, value: Any) -> None:
        """Replace the value at a path with an existing parent; None removes the key."""
        node = self._look(path[:-1])
        self._forget(path)
        if not isinstance(value, int | float):
            self._noted -= {path[:n] for n in range(len(path) + 1)}
        if isinstance(node, dict):
            for other in other_spellings(path[-1], node):
                del node[other]
                self._forget((*path[:-1], other))
        if value is None and isinstance(node, dict):
            node.pop(path[-1], None)
        else:
            node[path[-1]] = own_copy(value)

    @contextmanager
    def reading(self, place: str | KeyPath) -> Iterator[tuple[Any, str]]:
        """Yield the content at a key path and the file for messages. Errors of the reader get the origin of the value."""
        path = _path(place)
        self._fill(path)
        self._expand(path)
        self._note_files(path)
        with self.about(path) as label:
            yield own_copy(self._look(path)), label

    @contextmanager
    def about(self, place: str | KeyPath) -> Iterator[str]:
        """Yield the file for messages about a key path that was read. Errors within the block get the origin of the value."""
        path = _path(place)
        try:
            yield self._label(path)
        except ConfigError as error:
            errors = [self.with_origin(path, one) for one in error.errors]
        else:
            return
        raise_all(errors)

    def with_origin(self, at: KeyPath, error: ConfigError) -> ConfigError:
        """Return an error about the content at or below a path with the file or option of the value."""
        inside = [path for path, label in self._labels.items() if label == error.file and path[: len(at)] == at]
        if not inside:
            return error
        return self.wrong(min(inside, key=len), error)

    def wrong(self, at: KeyPath, error: ConfigError) -> ConfigError:
        """Return an error whose key is relative to a path with the file or option of the value."""
        rest = parse(error.key)
        if written(rest) != error.key:
            origin = self.layer.origin_of(at)
            return error.moved_to(origin.source, joined(origin.key, (error.key,) if error.key else ()))
        path = (*at, *rest)
        origin, below = self.layer.origin(path)
        if origin.is_file and (settings := self.settings_below(path)):
            origin, below = settings[-1], ()
        return error.moved_to(origin.source, joined(origin.key, below))

    def soil(self, name: str, source: Path) -> tuple[Any, str]:
        """Return content and file of a soil by its name in a terrain. Raises ConfigError: not found."""
        path = ("soils", name)
        self._fill(path, Origin(str(source)))
        self._expand(path)
        self.soils_used.add(name)
        return self._look(path), self._label(path)

    def _note_files(self, path: KeyPath) -> None:
        """Record the digests of the binary files that the content at a path names.

        Raises ConfigError if a digest differs from the digest in a recorded configuration.
        """
        kind = self._kind(path)
        if kind is not None and path not in self._noted:
            for below in list(files_named(TABLES[kind], self._look(path))):
                self._note_file((*path, *below))
            self._noted.add(path)

    def _note_file(self, path: KeyPath) -> None:
        """Record the digest of a binary file, in the folder of the file that names it or in the assets.

        The reader of the content reports a missing file.
        """
        name, place = self._look(path), written(path)
        if place in self.files:
            return
        file = next((one for one in (self.relative_to_origin(place), data_folder("assets") / name) if isfile(one)), None)
        if file is not None:
            self.note_file(place, file)
        elif (digest := self._recorded_digest(path)) is not None:
            raise ConfigError(name, "", "file not found", f"the file that the run read, SHA-256 {digest[:16]}...")

    def relative_to_origin(self, place: str) -> Path:
        """Return the path of a name at a key path, relative to the folder of the file that contains it, or to the current folder."""
        origin = self.layer.origin_of(parse(place))
        return (Path(origin.source).parent if origin.is_file else Path()) / str(self._look(parse(place)))

    def note_file(self, place: str, file: Path) -> None:
        """Record path and digest of a binary file for a rerun. Raises ConfigError if the digest differs from the recorded one."""
        path = parse(place)
        digest = hashlib.sha256(read_bytes(file, "a file to read", LARGEST_INPUT)).hexdigest()
        recorded = self._recorded_digest(path)
        if recorded is not None and recorded != digest:
            raise ConfigError(file, "", f"SHA-256 {digest[:16]}...", f"the file of the run, with SHA-256 {recorded[:16]}...")
        self.files[place] = digest
        assets, real = realpath(data_folder("assets")), realpath(file)
        self._look(path[:-1])[path[-1]] = Path(real).relative_to(assets).as_posix() if real.startswith(assets) else real

    def _recorded_digest(self, path: KeyPath) -> str | None:
        """Return the digest of the file that a run read at a path; None if the command line replaces the name."""
        is_replaced = not self.layer.origin_of(path).is_file
        return None if is_replaced else self.recorded.get("files", {}).get(written(path))

    @property
    def recorded(self) -> dict[str, Any]:
        """Section `recorded` of the configuration in a log; empty for a session file of the user."""
        found = self.layer.content.get("recorded")
        return found if isinstance(found, dict) else {}

    def complete(self) -> dict[str, Any]:
        """Return the mapping in plain values, with contents in place of all names."""
        for pattern, _ in REFERENCES:
            for path in list(self._matching(parse(pattern), self.layer.content, ())):
                self._expand(path)
        return own_copy({key: value for key, value in self.layer.content.items() if key != "recorded"})

    def name(self, place: str) -> str:
        """Return the name of the content at a key path: the name of its file, or its key `name`."""
        value = self.raw(place)
        if place in self.names or place in (recorded := self.recorded.get("names", {})):
            return self.names.get(place) or str(recorded[place])
        return value if isinstance(value, str) else str(value.get("name", "")) if isinstance(value, dict) else ""

    def _look(self, path: KeyPath) -> Any:
        """Return the value at a path, or None."""
        node = self.layer.content
        for part in path:
            if isinstance(node, dict):
                node = node.get(part)
            elif isinstance(node, list) and isinstance(part, int) and part < len(node):
                node = node[part]
            else:
                return None
        return node

    def _matching(self, pattern: KeyPath, node: Any, path: KeyPath) -> Iterator[KeyPath]:
        """Yield the paths at and below a node that match a pattern."""
        if not pattern:
            yield path
        elif isinstance(node, list) and pattern[0] == "*":
            for n, inside in enumerate(node):
                yield from self._matching(pattern[1:], inside, (*path, n))
        elif isinstance(node, dict):
            for key in node if pattern[0] == "*" else [pattern[0]] if pattern[0] in node else []:
                yield from self._matching(pattern[1:], node[key], (*path, key))

    def _kind(self, path: KeyPath) -> str | None:
        """Return the kind of the file named at a path, or None."""
        kind = _kind_at(path)
        if kind != "tires":
            return kind
        return kind if is_one_for_each(self._look(path[:2])) == (len(path) == 3) else None

    def _expand(self, path: KeyPath) -> None:
        """Replace the name of a file by its content, merged with its base; only once."""
        kind, value = self._kind(path), self._look(path)
        if kind is None or path in self._expanded or value is None:
            return
        origin, place = self.layer.origin_of(path), written(path)
        if isinstance(value, str):
            file = file_of(kind, value, origin)
            if place not in self.names:
                self.names[place] = value
            found, self._labels[path] = read_layers(kind, file), str(file)
        elif isinstance(value, dict):
            found = with_base(kind, Layer(value, self.layer.origins_at(path)))
            if isinstance(value.get("base"), str):
                self.names.setdefault(place, value["base"])
            self._labels[path] = origin.source if not origin.is_file else f"{origin.source}: {origin.key}"
        else:
            raise origin.wrong(value, "a name, the path of a file, or the content of such a file")
        if not isinstance(found.content, dict):
            raise ConfigError(self._labels[path], "", found.content, "a mapping of keys to values")
        self._look(path[:-1])[path[-1]] = found.content
        self.layer.put_origins(path, found.origins)
        self._expanded.add(path)

    def _open(self, path: KeyPath) -> None:
        """Replace the name of a registered kind, or the text of a stream, by a mapping, so that its parameters can be set."""
        value = self._look(path)
        if not isinstance(value, str):
            return
        if _fits(path, STREAM):
            mapping = stream_words(value)
        elif any(_fits(path, pattern) for pattern in TYPED):
            mapping = {"type": value}
        else:
            return
        origin = self.layer.origin_of(path)
        self._look(path[:-1])[path[-1]] = mapping
        self.layer.put_origins(path, {(): origin, **{(key,): origin for key in mapping}})

    def _fill(self, path: KeyPath, origin: Origin | None = None) -> None:
        """Set the default name at a path without a value: the name of a soil, the vehicle or terrain of the maneuver, or DEFAULTS."""
        if self._look(path) is not None:
            return
        if path == ("soils",):
            self.layer.content["soils"] = {}
        elif path[:1] == ("soils",) and len(path) == 2:
            self._fill(path[:1])
            self.layer.content["soils"][path[1]] = path[1]
            self.layer.put_origins(path, {(): origin or Origin(f"--set {written(path)}", is_file=False)})
        elif len(path) == 1 and path[0] in DEFAULTS:
            name, source = DEFAULTS[str(path[0])], Origin("the session", is_file=False)
            if path[0] in ("vehicle", "terrain") and self.has("maneuver"):
                self._expand(("maneuver",))
                own = self._look(("maneuver", path[0]))
                if isinstance(own, str):
                    name, source = own, self.layer.origin_of(("maneuver", path[0]))
            self.layer.content[path[0]] = name
            self.layer.put_origins(path, {(): source})

    def _label(self, path: KeyPath) -> str:
        """Return the file of a path for messages."""
        return self._labels.get(path) or self.layer.origin_of(path).source

    def _forget(self, path: KeyPath) -> None:
        """Discard files, names and origins of the content at and below a path."""
        for known in [known for known in self._expanded if known[: len(path)] == path]:
            self._expanded.discard(known)
            self._noted.discard(known)
            self._labels.pop(known, None)
            self.names.pop(written(known), None)
        for place in [place for place in self.files if parse(place)[: len(path)] == path]:
            del self.files[place]
        self.layer.forget(path)

    def _across_soils(self, path: KeyPath) -> KeyPath:
        """Return a path through the name of a soil in a terrain as a path through `soils`."""
        if path[:1] != ("terrain",):
            return path
        self._fill(("terrain",))
        self._expand(("terrain",))
        for pattern in map(parse, SOILS_OF_A_TERRAIN):
            n = len(pattern)
            head = tuple(int(part) if isinstance(part, str) and part.isdigit() else part for part in path[:n])
            if len(path) > n and all(want in ("*", part) for want, part in zip(pattern, head, strict=True)):
                name = self._look(head)
                if isinstance(name, str):
                    self.soil(name, Path(self._label(("terrain",))))
                    return ("soils", name, *path[n:])
        return path

    def _into_drivetrain(self, path: KeyPath) -> KeyPath:
        """Return a path into a drivetrain with the section `drivetrain` of its file, which is optional in a key path."""
        if path[:2] != ("vehicle", "drivetrain") or len(path) < 3:
            return path
        for n in (1, 2):
            self._fill(path[:n])
            self._expand(path[:n])
        section = self._look((*path[:2], "drivetrain"))
        return (*path[:2], "drivetrain", *path[2:]) if isinstance(section, dict) and path[2] in section else path

    def _checked_part(self, node: Any, at: KeyPath, part: str | int, setting: Override, origin: Origin) -> str | int:
        """Return a key, or an existing index of a list. Raises ConfigError."""
        if isinstance(node, list):
            index = int(part) if str(part).isdigit() else -1
            if not 0 <= index < len(node):
                raise origin.wrong(setting.value, f"an index of {written(at)} from 0 to {len(node) - 1}, not {part}")
            return index
        if not isinstance(node, dict):
            raise origin.wrong(setting.value, f"an existing key; {written(at)} is {node!r} and has no keys")
        return str(part)


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
        one.settings.append(f"{setting.text}={setting.value}")
    return one


@lru_cache(maxsize=1000)
def _kind_at(path: KeyPath) -> str | None:
    """Return the kind of file that can be named at a path, or None."""
    return next((kind for parts, kind in _PLACES if _fits(path, parts)), None)


def _fits(path: KeyPath, pattern: KeyPath) -> bool:
    """Return True if a path matches a pattern, in which * is any part."""
    return len(path) == len(pattern) and all(want in ("*", part) for want, part in zip(pattern, path, strict=True))


def _path(place: str | KeyPath) -> KeyPath:
    """Return a key path as a tuple."""
    return parse(place) if isinstance(place, str) else place


def is_one_for_each(tires: Any) -> bool:
    """Return True if the tires are given by axle or by wheel, not one for all wheels: a tire contains numbers, or its `type`."""
    return isinstance(tires, dict) and not {"base", "type"} & set(tires) and all(isinstance(value, str | dict) for value in tires.values())


def _soil_from_here(path: KeyPath, value: Any) -> Any:
    """Return a value for a path. The path of a soil file from the command line is relative to the current folder, not to that of the terrain."""
    named = any(len(one) == len(path) and all(a in ("*", b) for a, b in zip(one, path, strict=True)) for one in _SOIL_NAMES)
    return realpath(value) if named and isinstance(value, str) and value.lower().endswith(SUFFIXES) and isfile(value) else value
