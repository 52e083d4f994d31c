"""Expansion: in a session, the contents of files replace their names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from simulator.base.errors import ConfigError
from simulator.configuration.key_path import KeyPath, written
from simulator.configuration.layers import TABLE, Layer, Origin, file_of, other_spellings, read_layers, with_base
from simulator.configuration.references import (
    COLUMNS,
    CURVES,
    DEFAULTS,
    REFERENCES,
    SOILS_OF_A_TERRAIN,
    STREAM,
    TABLE_AXLE,
    TYPED,
    fits,
    is_one_for_each,
    kind_at,
)
from simulator.motion.protocols.kinds import stream_words


class NamedFiles:
    """Files that a session names, read on demand, each once.

    Parameters
    ----------
    layer : content of the session with its origins; contents replace names in it

    Attributes
    ----------
    names : names of files by key path, for messages and reports
    soils_used : names of the soils that a terrain uses
    """

    def __init__(self, layer: Layer) -> None:
        self._layer = layer
        self.names: dict[str, str] = {}
        self.soils_used: set[str] = set()
        self._expanded: set[KeyPath] = set()
        self._labels: dict[KeyPath, str] = {}
        """Files of the contents, for messages."""

    def copy(self, layer: Layer) -> NamedFiles:
        """Return the same for a copy of the layer."""
        other = NamedFiles(layer)
        other.names, other.soils_used = dict(self.names), set(self.soils_used)
        other._expanded, other._labels = set(self._expanded), dict(self._labels)
        return other

    def take(self, other: NamedFiles, path: KeyPath) -> None:
        """Take over the files that another session names below a path, which is the root of this one."""
        n, head = len(path), written(path)
        self._expanded = {one[n:] for one in other._expanded if one[:n] == path}
        self._labels = {one[n:]: label for one, label in other._labels.items() if one[:n] == path}
        self.names = {place[len(head) + 1 :]: name for place, name in other.names.items() if place.startswith(f"{head}.")}

    def kind(self, path: KeyPath) -> str | None:
        """Return the kind of the file named at a path, or None."""
        kind = kind_at(path)
        if kind == "mechanisms" and self._layer.at((*path[:-1], "suspension")) == TABLE_AXLE:
            return CURVES
        if kind != "tires":
            return kind
        n = path.index("tires") + 1
        return kind if is_one_for_each(self._layer.at(path[:n])) == (len(path) > n) else None

    def around(self, path: KeyPath) -> tuple[KeyPath, str] | None:
        """Return path and kind of the innermost file content that contains a path; None for the session file."""
        for n in range(len(path), 0, -1):
            kind = self.kind(path[:n])
            if kind is not None:
                return path[:n], kind
        return None

    def paths(self) -> Iterator[KeyPath]:
        """Yield the paths of all names of files, those in other files after these files were read."""
        for pattern, _ in REFERENCES:
            yield from list(self._layer.matching(pattern))

    def label(self, path: KeyPath) -> str:
        """Return the file of a path for messages."""
        return self._labels.get(path) or self._layer.origin_of(path).source

    def labeled(self, at: KeyPath, file: str) -> KeyPath | None:
        """Return the outermost path at or below a path whose content is that of a file, or None."""
        inside = [path for path, label in self._labels.items() if label == file and path[: len(at)] == at]
        return min(inside, key=len) if inside else None

    def expand(self, path: KeyPath) -> None:
        """Replace the name of a file by its content, merged with its base; only once. Raises ConfigError."""
        kind, value = self.kind(path), self._layer.at(path)
        if kind is None or path in self._expanded or value is None:
            return
        origin, place = self._layer.origin_of(path), written(path)
        if kind == COLUMNS:
            self._put_columns(path, value, origin)
            return
        if isinstance(value, str):
            file = file_of(kind, value, origin)
            if place not in self.names:
                self.names[place] = value
            layer, self._labels[path] = read_layers(kind, file), str(file)
        elif isinstance(value, dict):
            layer = with_base(kind, Layer(value, self._layer.origins_at(path)))
            if isinstance(value.get("base"), str):
                self.names.setdefault(place, value["base"])
            self._labels[path] = origin.source if not origin.is_file else f"{origin.source}: {origin.key}"
        else:
            raise origin.wrong(value, "a name, the path of a file, or the content of such a file")
        if not isinstance(layer.content, dict):
            raise ConfigError(self._labels[path], "", layer.content, "a mapping of keys to values")
        self._layer.put(path, layer)
        self._expanded.add(path)

    def expand_columns(self, path: KeyPath) -> None:
        """Replace the names of CSV files in a content by their columns."""
        for pattern, kind in REFERENCES:
            if kind == COLUMNS and fits(path, pattern[: len(path)]):
                for below in list(self._layer.matching(pattern)):
                    self.expand(below)

    def _put_columns(self, path: KeyPath, value: Any, origin: Origin) -> None:
        """Replace the key at a path, the name of a CSV file, by the columns of the file. Raises ConfigError."""
        if not isinstance(value, str):
            raise origin.wrong(value, f"the name of {TABLE}")
        layer, section = read_layers(COLUMNS, file_of(COLUMNS, value, origin)), path[:-1]
        del self._layer.at(section)[path[-1]]
        self._layer.discard(path)
        for heading, numbers in layer.content.items():
            name, _, unit = heading.rstrip("]").partition(" [")
            key = f"{name}_{unit}" if unit else name
            for other in other_spellings(key, self._layer.at(section)):
                del self._layer.at(section)[other]
            self._layer.put((*section, key), Layer(numbers, {(): Origin(layer.origins[()].source, heading)}))

    def open(self, path: KeyPath) -> None:
        """Replace the name of a file, of a registered kind, or the text of a stream, by a mapping, so that its keys can be set."""
        self.expand(path)
        value = self._layer.at(path)
        if not isinstance(value, str):
            return
        if fits(path, STREAM):
            mapping = stream_words(value)
        elif any(fits(path, pattern) for pattern in TYPED):
            mapping = {"type": value}
        else:
            return
        origin = self._layer.origin_of(path)
        self._layer.put(path, Layer(mapping, {(): origin, **{(key,): origin for key in mapping}}))

    def fill(self, path: KeyPath, origin: Origin | None = None) -> None:
        """Set the default name at a path without a value: the name of a soil, the vehicle or terrain of the maneuver, or DEFAULTS."""
        layer = self._layer
        if layer.at(path) is not None:
            return
        if path == ("soils",):
            layer.content["soils"] = {}
        elif path[:1] == ("soils",) and len(path) == 2:
            self.fill(path[:1])
            layer.put(path, Layer(path[1], {(): origin or Origin(f"--set {written(path)}", is_file=False)}))
        elif len(path) == 1 and path[0] in DEFAULTS:
            name, source = DEFAULTS[str(path[0])], Origin("the session", is_file=False)
            if path[0] in ("vehicle", "terrain") and layer.at(("maneuver",)) is not None:
                self.expand(("maneuver",))
                own = layer.at(("maneuver", path[0]))
                if isinstance(own, str):
                    name, source = own, layer.origin_of(("maneuver", path[0]))
            layer.put(path, Layer(name, {(): source}))

    def soil(self, name: str, source: Path) -> tuple[Any, str]:
        """Return content and file of a soil by its name in a terrain. Raises ConfigError: not found."""
        path = ("soils", name)
        self.fill(path, Origin(str(source)))
        self.expand(path)
        self.soils_used.add(name)
        return self._layer.at(path), self.label(path)

    def soil_names(self) -> Iterator[KeyPath]:
        """Yield the paths of all names of soils in the terrain."""
        for pattern in SOILS_OF_A_TERRAIN:
            yield from list(self._layer.matching(pattern))

    def resolved(self, path: KeyPath) -> KeyPath:
        """Return the path of the content that a path of the user means: a soil of the terrain is in `soils`, and the section `drivetrain` of
        a drivetrain file is optional."""
        return self._into_drivetrain(self._across_soils(path))

    def discard(self, path: KeyPath) -> None:
        """Discard files and names of the content at and below a path."""
        for known in [known for known in self._expanded if known[: len(path)] == path]:
            self._expanded.discard(known)
            self._labels.pop(known, None)
            self.names.pop(written(known), None)

    def _across_soils(self, path: KeyPath) -> KeyPath:
        """Return a path through the name of a soil in a terrain as a path through `soils`."""
        if path[:1] != ("terrain",):
            return path
        self.fill(("terrain",))
        self.expand(("terrain",))
        for pattern in SOILS_OF_A_TERRAIN:
            n = len(pattern)
            head = tuple(int(part) if isinstance(part, str) and part.isdigit() else part for part in path[:n])
            if len(path) > n and fits(head, pattern):
                name = self._layer.at(head)
                if isinstance(name, str):
                    self.soil(name, Path(self.label(("terrain",))))
                    return ("soils", name, *path[n:])
        return path

    def _into_drivetrain(self, path: KeyPath) -> KeyPath:
        """Return a path into a drivetrain with the section `drivetrain` of its file."""
        if path[:2] != ("vehicle", "drivetrain") or len(path) < 3:
            return path
        for n in (1, 2):
            self.fill(path[:n])
            self.expand(path[:n])
        section = self._layer.at((*path[:2], "drivetrain"))
        return (*path[:2], "drivetrain", *path[2:]) if isinstance(section, dict) and path[2] in section else path
