"""Objects of a session and of its maneuver, added to those of its terrain, so that a log contains all of them once."""

from __future__ import annotations

from pathlib import Path

from simulator.configuration.configuration import Configuration
from simulator.configuration.key_path import KeyPath, written
from simulator.configuration.layers import own_copy


def put_objects(configuration: Configuration) -> None:
    """Move the objects of a checked session and of its maneuver to its terrain. Messages name their file and key. Raises ConfigError."""
    _move(configuration, ("objects",))
    if configuration.has("maneuver"):
        configuration.named.fill(("maneuver",))
        configuration.named.expand(("maneuver",))
        _move(configuration, ("maneuver", "objects"))


def _move(configuration: Configuration, place: KeyPath) -> None:
    """Move the objects at a place to the terrain; a list that is none is left to the reader of its file."""
    layer = configuration.layer
    entries = configuration.raw(written(place)) if isinstance(layer.at(place[:-1]), dict) else None
    if not entries or not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
        return
    configuration.named.fill(("terrain",))
    configuration.named.expand(("terrain",))
    layer.separate(("terrain", "objects"))
    terrain = layer.at(("terrain",))
    before = list(terrain.get("objects") or ())
    origins = [configuration.origins.of(f"{written(place)}[{n}]") for n in range(len(entries))]
    terrain["objects"] = before + [
        _with_file_beside(own_copy(one), Path(origin.source)) for one, origin in zip(entries, origins, strict=True)
    ]
    for n, origin in enumerate(origins):
        layer.put_origins(("terrain", "objects", len(before) + n), {(): origin})
    del layer.at(place[:-1])[place[-1]]
    layer.discard(place)


def _with_file_beside(section: dict, source: Path) -> dict:
    """Return the section of an object; a mesh file in the folder of its file gets its full path, because the terrain is elsewhere."""
    name = section.get("file")
    if isinstance(name, str) and (source.parent / name).is_file():
        section["file"] = str((source.parent / name).resolve())
    return section
