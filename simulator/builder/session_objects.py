"""Objects of a session, added to those of its terrain, so that a log contains all of them once."""

from __future__ import annotations

from pathlib import Path

from simulator.configuration.configuration import Configuration
from simulator.configuration.layers import own_copy


def put_objects(configuration: Configuration) -> None:
    """Move the objects of a checked session to its terrain. Messages name the file and key of the session. Raises ConfigError."""
    entries = configuration.raw("objects")
    if not entries:
        return
    configuration.named.fill(("terrain",))
    configuration.named.expand(("terrain",))
    layer = configuration.layer
    layer.separate(("terrain", "objects"))
    terrain = layer.at(("terrain",))
    before = list(terrain.get("objects") or ())
    origins = [configuration.origins.of(f"objects[{n}]") for n in range(len(entries))]
    terrain["objects"] = before + [
        _with_file_beside(own_copy(one), Path(origin.source)) for one, origin in zip(entries, origins, strict=True)
    ]
    for n, origin in enumerate(origins):
        layer.put_origins(("terrain", "objects", len(before) + n), {(): origin})
    del layer.content["objects"]
    layer.discard(("objects",))


def _with_file_beside(section: dict, source: Path) -> dict:
    """Return the section of an object; a mesh file in the folder of the session gets its full path, because the terrain is elsewhere."""
    name = section.get("file")
    if isinstance(name, str) and (source.parent / name).is_file():
        section["file"] = str((source.parent / name).resolve())
    return section
