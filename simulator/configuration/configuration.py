"""All that a session is made of as one mapping: what a file names is put in the place of the name.

So `vehicle.tires.friction` is a place in it although it stands in another file, a setting has a place to go to, and the whole can be
written into a log and read from there. Who said what is kept beside it, for messages and for names, which are looked up beside the file
that says them. Nobody reads from it before everything is laid over each other: what is checked is what counts.
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
    # where a name, or the content in its place, may stand   kind of file
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
"""What a session names, and what is named by what it names."""

_PLACES = tuple((parse(place), kind) for place, kind in REFERENCES)

SOILS_OF_A_TERRAIN = (
    "terrain.surface",
    "terrain.soil",
    "terrain.patches.*.surface",
    "terrain.patches.*.soil",
    "terrain.roads.*.surface",
    "terrain.soils.patches.*.soil",
)
"""Where the name of a soil stands; its content is one for all that name it, `soils.NAME`."""

TYPED = (("driver",), ("outlets", "motion", "protocol"), ("outlets", "streams", "*", "protocol"))
"""Where a name is short for a mapping with nothing but that `type`."""

STREAM = ("outlets", "streams", "*")
"""Where words are short for a mapping (`simulator.motion.protocols.kinds.stream_words`)."""

DEFAULTS = {"vehicle": "hmmwv", "terrain": "jacksboro", "washout": "small_hexapod", "platform": "small_hexapod"}
"""Names that hold where nobody says one; vehicle and terrain are those of the maneuver, if there is one."""

LARGEST_INPUT = 1 << 30
"""Bytes of a file that is not text, such as a height map."""


_SOIL_NAMES = tuple(parse(place) for place in SOILS_OF_A_TERRAIN)


class FileChange(NamedTuple):
    """What is said otherwise in a file."""

    kind: str
    """Of file."""
    paths: list[KeyPath]
    """In it."""


class Configuration:
    """The mapping, built up by `put` and `set`, read by `reading`.

    Parameters
    ----------
    layer : content of a session file with its origins; nothing when not given
    """

    def __init__(self, layer: Layer | None = None) -> None:
        self.layer = with_new_names("sessions", layer or Layer({}, {(): Origin("the session", is_file=False)}))
        self.names: dict[str, str] = {}
        """What was named at a place, for people."""
        self.files: dict[str, str] = {}
        """SHA-256 of the files that are no text, by the place that names them."""
        self.soils_used: set[str] = set()
        self.settings: list[str] = []
        """Settings and options of the command line, as they were given."""
        self._expanded: set[KeyPath] = set()
        self._noted: set[KeyPath] = set()
        """Places whose files have been noted, as long as only numbers change there."""
        self._labels: dict[KeyPath, str] = {}

    @classmethod
    def of(cls, place: str, name: str, said_by: object = None) -> Configuration:
        """One that holds a single thing, by its name; `said_by` is the file that names it."""
        one = cls()
        one.put(place, name, Origin(dict(REFERENCES)[place], is_file=False) if said_by is None else Origin(str(said_by), place))
        return one

    def has(self, place: str) -> bool:
        """Whether something is said of a place."""
        return self._look(parse(place)) is not None

    def raw(self, place: str) -> Any:
        """What stands at a place, names as names unless they were needed already; None when there is nothing."""
        return self._look(parse(place))

    def origin(self, place: str) -> Origin:
        """Who said what stands at a place."""
        return self.layer.origin_of(parse(place))

    def settings_below(self, path: KeyPath) -> list[Origin]:
        """Settings of the command line at and below a path, the latest last."""
        return [one for known, one in self.layer.origins.items() if known[: len(path)] == path and not one.is_file]

    def put(self, place: str, value: Any, origin: Origin) -> None:
        """Let a value stand at a place, as somebody says it."""
        self.set(Override(parse(place), value, ""), origin)

    def set(self, setting: Override, origin: Origin | None = None) -> None:
        """Let a setting take effect: what stands at its place is replaced, or taken out by None. Raises ConfigError."""
        origin, path = origin or setting.origin, self._into_drivetrain(self._across_soils(setting.path))
        made: KeyPath = ()
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
                    made = made or path[: n + 1]
        value = self._with_new_names_below(path, setting.value, origin)
        self._replace(path, value if origin.is_file else _soil_from_here(path, value))
        self.layer.put_origins(path, {(): origin})
        if made:
            self.layer.origins[made] = origin

    def _with_new_name(self, path: KeyPath, n: int, origin: Origin) -> KeyPath:
        """Return a path whose part `n` is not an old key; an old key gives a warning."""
        place, kind = self._file_at(path[:n]) or ((), "sessions")
        new = new_key(kind, path[len(place) : n], path[n], self._look(path[:n]))
        if new is None:
            return path
        renamed.warn(written(path[: n + 1]), written((*path[:n], new)), None if origin.is_file else origin.who.split(" ")[0])
        return (*path[:n], new, *path[n + 1 :])

    def _with_new_names_below(self, path: KeyPath, value: Any, origin: Origin) -> Any:
        """Return a value for a path in which old keys and values are replaced."""
        place, kind = self._file_at(path) or ((), "sessions")
        section, who = path[len(place) :], None if origin.is_file else origin.who
        if section and (new := new_value(kind, section[:-1], section[-1], value)) is not None:
            renamed.warn(str(value), new, who)
            return new
        return modernized(kind, value, who, section)[0]

    def expand_all(self) -> None:
        """Put the contents of files in the place of all names that a session stands on, also of those that nobody says, and note the digests
        of the files that are no text. Raises ConfigError: a file cannot be found or read."""
        with ErrorCollector() as faults:
            for place in (*DEFAULTS, *(["maneuver"] if self.has("maneuver") else [])):
                with faults.part():
                    self._fill((place,))
            for pattern, _ in REFERENCES:
                for path in list(self._matching(parse(pattern), self.layer.content, ())):
                    with faults.part():
                        self._expand(path)
                        self._note_files(path)
            for place_of_soil in SOILS_OF_A_TERRAIN:
                for path in list(self._matching(parse(place_of_soil), self.layer.content, ())):
                    name = self._look(path)
                    if isinstance(name, str):
                        with faults.part():
                            self.soil(name, Path(self._label(("terrain",))))

    def with_changes(self, changes: Iterable[tuple[Override, Origin]]) -> tuple[Configuration, dict[KeyPath, FileChange]]:
        """Another one that says something else in some places; the places of the files that this changes.

        It shares with this one, in which all is expanded, whatever is the same: neither may be set or built afterwards, but a `copy` of it.

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
            where = other._file_at(path)
            if where is not None:
                touched.setdefault(where[0], FileChange(where[1], [])).paths.append(path[len(where[0]) :])
        for place in touched:
            other._note_files(place)
        return other, touched

    def copy(self) -> Configuration:
        """One more that says the same and shares nothing with it."""
        other, _ = self.with_changes(())
        other.layer.content = own_copy(self.layer.content)
        return other

    def plain(self) -> dict[str, Any]:
        """What it says as JSON holds it, with its names and the digests of files under `recorded`; not to be changed."""
        content = {key: value for key, value in self.layer.content.items() if key != "recorded"}
        return {"recorded": {"names": self.names, "files": self.files}, **content}

    def _separate(self, path: KeyPath) -> None:
        """Make the mappings and lists on a path its own."""
        node: Any = self.layer.content
        for part in path[:-1]:
            at = int(part) if isinstance(node, list) and str(part).isdigit() else part
            inside = node.get(at) if isinstance(node, dict) else node[at] if isinstance(at, int) and at < len(node) else None
            if not isinstance(inside, dict | list):
                return
            own = copy.copy(inside)
            node[at] = own
            node = own

    def _file_at(self, path: KeyPath) -> tuple[KeyPath, str] | None:
        """The innermost place at or above a path whose content is that of a file, with its kind; None where it is the session's own."""
        for n in range(len(path), 0, -1):
            kind = self._kind(path[:n])
            if kind is not None:
                return path[:n], kind
        return None

    def _replace(self, path: KeyPath, value: Any) -> None:
        """Another value at a path whose parent is there; None takes a key out."""
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
        """The content at a place, for a reader to check, and the file he names in messages. What he complains of is said to be where it was said."""
        path = _path(place)
        self._fill(path)
        self._expand(path)
        self._note_files(path)
        with self.about(path) as label:
            yield own_copy(self._look(path)), label

    @contextmanager
    def about(self, place: str | KeyPath) -> Iterator[str]:
        """The file that a reader of a place names in messages, after it was read. What he complains of is said to be where it was said."""
        path = _path(place)
        try:
            yield self._label(path)
        except ConfigError as error:
            faults = [self.blamed(path, one) for one in error.errors]
        else:
            return
        raise_all(faults)

    def blamed(self, at: KeyPath, error: ConfigError) -> ConfigError:
        """A complaint about the content of a place, or of one below, as one about the file or the setting that says it."""
        inside = [path for path, label in self._labels.items() if label == error.file and path[: len(at)] == at]
        if not inside:
            return error
        return self.wrong(min(inside, key=len), error)

    def wrong(self, at: KeyPath, error: ConfigError) -> ConfigError:
        """The same for a complaint whose key begins at a path."""
        rest = parse(error.key)
        if written(rest) != error.key:
            origin = self.layer.origin_of(at)
            return ConfigError(origin.who, joined(origin.key, (error.key,) if error.key else ()), error.value, error.expected)
        path = (*at, *rest)
        origin, below = self.layer.origin(path)
        if origin.is_file and (settings := self.settings_below(path)):
            origin, below = settings[-1], ()
        return ConfigError(origin.who, joined(origin.key, below), error.value, error.expected)

    def soil(self, name: str, said_by: Path) -> tuple[Any, str]:
        """Content and file of a soil by the name that a terrain says. Raises ConfigError: there is none."""
        path = ("soils", name)
        self._fill(path, Origin(str(said_by)))
        self._expand(path)
        self.soils_used.add(name)
        return self._look(path), self._label(path)

    def _note_files(self, path: KeyPath) -> None:
        """Note the digest of every file that is no text and that the content of a place names, as its table has it.

        Raises ConfigError when it is not the file that the configuration was recorded with.
        """
        kind = self._kind(path)
        if kind is not None and path not in self._noted:
            for below in list(files_named(TABLES[kind], self._look(path))):
                self._note_file((*path, *below))
            self._noted.add(path)

    def _note_file(self, path: KeyPath) -> None:
        """The same of one of them: it is looked for beside the file that says it and among the assets. Where there is none, whoever reads
        the content says so."""
        name, place = self._look(path), written(path)
        if place in self.files:
            return
        file = next((one for one in (self.beside(place), data_folder("assets") / name) if isfile(one)), None)
        if file is not None:
            self.note_file(place, file)
        elif (digest := self._recorded_digest(path)) is not None:
            raise ConfigError(name, "", "no such file", f"the file that the run read, SHA-256 {digest[:16]}...: it is gone")

    def beside(self, place: str) -> Path:
        """The path that is said at a place, from the folder of the file that says it; as it is from the command line."""
        origin = self.layer.origin_of(parse(place))
        return (Path(origin.who).parent if origin.is_file else Path()) / str(self._look(parse(place)))

    def note_file(self, place: str, file: Path) -> None:
        """Keep the path of a file that is no text and its digest, so that a rerun finds it. Raises ConfigError: it is not the one recorded."""
        path = parse(place)
        digest = hashlib.sha256(read_bytes(file, "a file to read", LARGEST_INPUT)).hexdigest()
        recorded = self._recorded_digest(path)
        if recorded is not None and recorded != digest:
            raise ConfigError(file, "", f"SHA-256 {digest[:16]}...", f"the file of the run, {recorded[:16]}...: it has changed since")
        self.files[place] = digest
        assets, real = realpath(data_folder("assets")), realpath(file)
        self._look(path[:-1])[path[-1]] = Path(real).relative_to(assets).as_posix() if real.startswith(assets) else real

    def _recorded_digest(self, path: KeyPath) -> str | None:
        """Of the file that a run read at a place, unless another one is set there."""
        said_anew = not self.layer.origin_of(path).is_file
        return None if said_anew else self.recorded.get("files", {}).get(written(path))

    @property
    def recorded(self) -> dict[str, Any]:
        """What a run says of itself in the configuration that it leaves; empty in a file that somebody wrote."""
        found = self.layer.content.get("recorded")
        return found if isinstance(found, dict) else {}

    def complete(self) -> dict[str, Any]:
        """The mapping with contents in the place of all names, in plain values."""
        for pattern, _ in REFERENCES:
            for path in list(self._matching(parse(pattern), self.layer.content, ())):
                self._expand(path)
        return own_copy({key: value for key, value in self.layer.content.items() if key != "recorded"})

    def name(self, place: str) -> str:
        """How what stands at a place is called: by its name where there is one, else by what it says of itself."""
        value = self.raw(place)
        if place in self.names or place in (said := self.recorded.get("names", {})):
            return self.names.get(place) or str(said[place])
        return value if isinstance(value, str) else str(value.get("name", "")) if isinstance(value, dict) else ""

    def _look(self, path: KeyPath) -> Any:
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
        if not pattern:
            yield path
        elif isinstance(node, list) and pattern[0] == "*":
            for n, inside in enumerate(node):
                yield from self._matching(pattern[1:], inside, (*path, n))
        elif isinstance(node, dict):
            for key in node if pattern[0] == "*" else [pattern[0]] if pattern[0] in node else []:
                yield from self._matching(pattern[1:], node[key], (*path, key))

    def _kind(self, path: KeyPath) -> str | None:
        """Kind of file that is named at a path."""
        kind = _kind_at(path)
        if kind != "tires":
            return kind
        return kind if is_one_for_each(self._look(path[:2])) == (len(path) == 3) else None

    def _expand(self, path: KeyPath) -> None:
        """Put the content of a file in the place of its name, and of its base; once."""
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
            self._labels[path] = origin.who if not origin.is_file else f"{origin.who}: {origin.key}"
        else:
            raise origin.wrong(value, "a name, the path of a file, or what such a file holds")
        if not isinstance(found.content, dict):
            raise ConfigError(self._labels[path], "", found.content, "a mapping of keys to values")
        self._look(path[:-1])[path[-1]] = found.content
        self.layer.put_origins(path, found.origins)
        self._expanded.add(path)

    def _open(self, path: KeyPath) -> None:
        """Put a mapping in the place of the name of a tenant, so that its parameters have a place, and of the words of a stream."""
        value = self._look(path)
        if not isinstance(value, str):
            return
        if _fits(path, STREAM):
            said = stream_words(value)
        elif any(_fits(path, pattern) for pattern in TYPED):
            said = {"type": value}
        else:
            return
        origin = self.layer.origin_of(path)
        self._look(path[:-1])[path[-1]] = said
        self.layer.put_origins(path, {(): origin, **{(key,): origin for key in said}})

    def _fill(self, path: KeyPath, origin: Origin | None = None) -> None:
        """A name for what nobody says: of a soil its own, of vehicle and terrain that in the maneuver, else the usual one."""
        if self._look(path) is not None:
            return
        if path == ("soils",):
            self.layer.content["soils"] = {}
        elif path[:1] == ("soils",) and len(path) == 2:
            self._fill(path[:1])
            self.layer.content["soils"][path[1]] = path[1]
            self.layer.put_origins(path, {(): origin or Origin(f"--set {written(path)}", is_file=False)})
        elif len(path) == 1 and path[0] in DEFAULTS:
            name, said = DEFAULTS[str(path[0])], Origin("the session", is_file=False)
            if path[0] in ("vehicle", "terrain") and self.has("maneuver"):
                self._expand(("maneuver",))
                there = self._look(("maneuver", path[0]))
                if isinstance(there, str):
                    name, said = there, self.layer.origin_of(("maneuver", path[0]))
            self.layer.content[path[0]] = name
            self.layer.put_origins(path, {(): said})

    def _label(self, path: KeyPath) -> str:
        return self._labels.get(path) or self.layer.origin_of(path).who

    def _forget(self, path: KeyPath) -> None:
        """What stands at and below a path is no longer what it was read from."""
        for known in [known for known in self._expanded if known[: len(path)] == path]:
            self._expanded.discard(known)
            self._noted.discard(known)
            self._labels.pop(known, None)
            self.names.pop(written(known), None)
        for place in [place for place in self.files if parse(place)[: len(path)] == path]:
            del self.files[place]
        self.layer.forget(path)

    def _across_soils(self, path: KeyPath) -> KeyPath:
        """A path through the name of a soil in a terrain as one through the soils."""
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
        """A path into a drivetrain with the section `drivetrain` of its file, which need not be said."""
        if path[:2] != ("vehicle", "drivetrain") or len(path) < 3:
            return path
        for n in (1, 2):
            self._fill(path[:n])
            self._expand(path[:n])
        section = self._look((*path[:2], "drivetrain"))
        return (*path[:2], "drivetrain", *path[2:]) if isinstance(section, dict) and path[2] in section else path

    def _checked_part(self, node: Any, at: KeyPath, part: str | int, setting: Override, origin: Origin) -> str | int:
        """A key, or a place in a list that is there. Raises ConfigError."""
        if isinstance(node, list):
            index = int(part) if str(part).isdigit() else -1
            if not 0 <= index < len(node):
                raise origin.wrong(setting.value, f"a place of {written(at)} from 0 to {len(node) - 1}, not {part}")
            return index
        if not isinstance(node, dict):
            raise origin.wrong(setting.value, f"a key that is there: {written(at)} is {node!r}, and nothing is below it")
        return str(part)


def configuration(session: str | None = None, settings: Iterable[Override] = ()) -> Configuration:
    """A configuration from a session file by name or path, with settings above it in their order. Raises ConfigError."""
    layer = None
    if session is not None:
        layer = read_layers("sessions", find_config("sessions", session))
        if not isinstance(layer.content, dict):
            raise ConfigError(layer.origins[()].who, "", layer.content, "a mapping of keys to values")
    one = Configuration(layer)
    for setting in sorted(settings, key=lambda one: len(one.path)):  # names before what is in their files
        one.set(setting)
        one.settings.append(f"{setting.said}={setting.value}")
    return one


@lru_cache(maxsize=1000)
def _kind_at(path: KeyPath) -> str | None:
    """Kind of file that may be named at a path."""
    return next((kind for parts, kind in _PLACES if _fits(path, parts)), None)


def _fits(path: KeyPath, pattern: KeyPath) -> bool:
    """Whether a path is one of a pattern, in which * is any part."""
    return len(path) == len(pattern) and all(want in ("*", part) for want, part in zip(pattern, path, strict=True))


def _path(place: str | KeyPath) -> KeyPath:
    return parse(place) if isinstance(place, str) else place


def is_one_for_each(tires: Any) -> bool:
    """Whether the tires are said axle by axle or wheel by wheel, and not one for all: a tire has numbers, or says its type."""
    return isinstance(tires, dict) and not {"base", "type"} & set(tires) and all(isinstance(value, str | dict) for value in tires.values())


def _soil_from_here(path: KeyPath, value: Any) -> Any:
    """A value for a place: the path of a soil file that the command line says holds from the current folder, not from that of the terrain."""
    named = any(len(one) == len(path) and all(a in ("*", b) for a, b in zip(one, path, strict=True)) for one in _SOIL_NAMES)
    return realpath(value) if named and isinstance(value, str) and value.lower().endswith(SUFFIXES) and isfile(value) else value
