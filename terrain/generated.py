"""Ground that a generator generates at its first use: `type: generated` in a terrain file.

The files of the ground are saved in the cache folder of the user, in a folder named after the digest of the generator and its parameters.
A folder with a missing or corrupt file is generated again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import Any

from simulator.base.disk_cache import digest_of
from simulator.base.errors import HighFeatureWarning, OutputError
from simulator.base.fields import Field, Text
from simulator.base.jit import source_digest
from simulator.base.user_folders import user_cache
from simulator.base.values import Values
from terrain.generators import kinds
from terrain.generators.contents import contents
from terrain.ground import Ground
from terrain.kinds import CONTRACT, TerrainFile, TerrainKind
from terrain.load_terrain import load_terrain

CACHE = "terrains"
"""Name of the cache folder."""
INDEX = "terrain.json"
"""File of a cached terrain: content of its terrain file and its digest, digests of the other files."""
STEM = "generated"
"""Start of the names of the other files."""
MAX_TERRAINS = 24
"""Maximum number of cached terrains; the least recently used are deleted."""
GENERATED_FILE = (
    Field("generator", kinds.SECTION, "generator with its seed and parameters, as those of `jounce terrain make`"),
    Field("begin_at", Text("the name of a place"), "name of the start among the places of the generator; default: the first place", None),
)
"""Fields of a terrain file with ``type: generated``, in addition to those of all terrain files."""


def read_generated(f: TerrainFile) -> Ground:
    """Return the ground of a terrain file with ``type: generated``, from the cache or generated now. Raises ConfigError."""
    section: Values = f.mapping["generator"]
    digest = digest_of(source_digest(kinds.__file__), dict(section))
    folder = user_cache(CACHE) / digest
    mapping = _cached(folder)
    if mapping is None:
        mapping, folder = _generate(section, folder)
    if "begin_at" in f.mapping:
        mapping = mapping | {"begin_at": _place(f.mapping, mapping["places"])}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HighFeatureWarning)  # nobody can change the features of the generator
            return load_terrain(mapping, folder / f"{f.name}.yaml", f.folder, f.soils)
    finally:
        if folder.name != digest:
            shutil.rmtree(folder, ignore_errors=True)


def _place(values: Values, places: dict[str, Any]) -> str:
    """Return the name of the start. Raises ConfigError for an unknown place."""
    if values["begin_at"] not in places:
        raise values.error("begin_at", f"one of the places of the generator ({', '.join(places)})")
    return str(values["begin_at"])


def _cached(folder: Path) -> dict[str, Any] | None:
    """Return the content of the terrain file of a cached terrain; None if a file is missing or corrupt."""
    try:
        index = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        if _digest(json.dumps(index["terrain"]).encode()) != index["digest"]:
            return None
        for name, digest in index["files"].items():
            if _digest((folder / name).read_bytes()) != digest:
                return None
        with contextlib.suppress(OSError):
            os.utime(folder)
        return dict(index["terrain"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _generate(section: Values, target: Path) -> tuple[dict[str, Any], Path]:
    """Generate a terrain into the cache; return the content of its terrain file and its folder.

    The folder is `target`, or a temporary one that the caller deletes if `target` cannot be replaced. Raises ConfigError, OutputError.
    """
    mapping, files = contents(kinds.generate(section["type"], int(section["seed"]), section), STEM)
    text = json.dumps(mapping, default=lambda array: array.tolist())
    plain = json.loads(text)
    index = {"terrain": plain, "digest": _digest(text.encode()), "files": {name: _digest(data) for name, data in files.items()}}
    folder = _written({**files, INDEX: json.dumps(index).encode()}, target.parent)
    if folder.parent != target.parent or _cached(target) is not None:  # another process, which may read its files now, was faster
        return plain, folder
    shutil.rmtree(target, ignore_errors=True)
    try:
        folder.rename(target)
    except OSError:  # another process has just generated the same terrain, or the corrupt one cannot be deleted
        return plain, folder
    _delete_oldest(target.parent)
    return plain, target


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _written(files: dict[str, bytes], cache: Path) -> Path:
    """Write files into a new folder in the cache, or among the temporary files if the disk of the cache is full; return it. Raises OutputError."""
    problem = ""
    for parent in (cache, Path(tempfile.gettempdir())):
        folder = None
        try:
            parent.mkdir(parents=True, exist_ok=True)
            folder = Path(tempfile.mkdtemp(prefix=".", dir=parent))
            for name, data in files.items():
                (folder / name).write_bytes(data)
        except OSError as error:
            problem = problem or error.strerror or str(error)
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
        else:
            return folder
    size = sum(map(len, files.values())) / 1e6
    raise OutputError(f"{cache}: cannot be written ({problem}); expected space for {size:.1f} MB of a generated terrain")


def _delete_oldest(folder: Path) -> None:
    """Delete the least recently used terrains beyond MAX_TERRAINS."""
    with contextlib.suppress(OSError):
        found = sorted((path for path in folder.iterdir() if path.is_dir()), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in found[MAX_TERRAINS:]:
            shutil.rmtree(path, ignore_errors=True)


GENERATED = TerrainKind(
    "generated", read_generated, CONTRACT, GENERATED_FILE, "a terrain of `jounce terrain make`, generated at its first use"
)
