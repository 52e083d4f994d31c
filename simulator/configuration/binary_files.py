"""Binary files that a session names, such as elevation data: their paths, and their digests for a rerun."""

from __future__ import annotations

import hashlib
from os.path import isfile, realpath
from pathlib import Path
from typing import Any

from simulator.base.errors import ConfigError
from simulator.base.fields import FieldType
from simulator.base.inputfile import read_bytes
from simulator.configuration.file_lookup import data_folder
from simulator.configuration.file_tables import files_named, table_of
from simulator.configuration.key_path import KeyPath, parse, written
from simulator.configuration.layers import Layer

MAX_SIZE = 1 << 30
"""Maximum size of a binary file [bytes]."""


class BinaryFiles:
    """Binary files of a session.

    Parameters
    ----------
    layer : content of the session; noted files get their path in it

    Attributes
    ----------
    digests : SHA-256 by the key path of the name of a file
    """

    def __init__(self, layer: Layer) -> None:
        self._layer = layer
        self.digests: dict[str, str] = {}
        self._noted: set[KeyPath] = set()
        """Key paths of contents whose files have been noted; still valid if only numbers change."""

    def copy(self, layer: Layer) -> BinaryFiles:
        """Return the same for a copy of the layer."""
        other = BinaryFiles(layer)
        other.digests, other._noted = dict(self.digests), set(self._noted)
        return other

    def path_of(self, place: str) -> Path:
        """Return the path of a name at a key path, relative to the folder of the file that contains it, or to the current folder."""
        origin = self._layer.origin_of(parse(place))
        return (Path(origin.source).parent if origin.is_file else Path()) / str(self._layer.at(parse(place)))

    def note_all(self, path: KeyPath, kind: str | None) -> None:
        """Note the files that the content of a kind of file at a path names.

        Raises ConfigError if a digest differs from the digest in a recorded configuration.
        """
        if kind is not None:
            self.note_in(path, table_of(kind))

    def note_in(self, path: KeyPath, kind: FieldType) -> None:
        """Note the files that the content of a field type at a path names. Raises ConfigError as `note_all`."""
        if path not in self._noted:
            for below in list(files_named(kind, self._layer.at(path))):
                self._find((*path, *below))
            self._noted.add(path)

    def note(self, place: str, file: Path) -> None:
        """Record path and digest of a file for a rerun. Raises ConfigError if the digest differs from the recorded one."""
        path = parse(place)
        digest = hashlib.sha256(read_bytes(file, "a file to read", MAX_SIZE)).hexdigest()
        recorded = self._recorded_digest(path)
        if recorded is not None and recorded != digest:
            raise ConfigError(file, "", f"SHA-256 {digest[:16]}...", f"the file of the run, with SHA-256 {recorded[:16]}...")
        self.digests[place] = digest
        assets, real = realpath(data_folder("assets")), realpath(file)
        self._layer.at(path[:-1])[path[-1]] = Path(real).relative_to(assets).as_posix() if real.startswith(assets) else real

    def discard(self, path: KeyPath, value: Any) -> None:
        """Discard the files of the content at and below a path, which a value replaces."""
        self._noted = {known for known in self._noted if known[: len(path)] != path}
        if not isinstance(value, int | float):
            self._noted -= {path[:n] for n in range(len(path) + 1)}
        for place in [place for place in self.digests if parse(place)[: len(path)] == path]:
            del self.digests[place]

    def _find(self, path: KeyPath) -> None:
        """Note a file in the folder of the file that names it or in the assets. The reader of the content reports a missing file."""
        name, place = self._layer.at(path), written(path)
        if place in self.digests:
            return
        file = next((one for one in (self.path_of(place), data_folder("assets") / name) if isfile(one)), None)
        if file is not None:
            self.note(place, file)
        elif (digest := self._recorded_digest(path)) is not None:
            raise ConfigError(name, "", "file not found", f"the file that the run read, SHA-256 {digest[:16]}...")

    def _recorded_digest(self, path: KeyPath) -> str | None:
        """Return the digest of the file that a run read at a path; None if the command line replaces the name."""
        is_replaced = not self._layer.origin_of(path).is_file
        return None if is_replaced else self._layer.recorded.get("files", {}).get(written(path))
