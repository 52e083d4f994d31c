"""Disk cache of arrays, keyed by the digest of all inputs of their computation.

A file is a checksum and an archive of arrays. It is written under a temporary name and then renamed. Arrays of a corrupt file, or of a file
of another version, are computed again. If the folder is not writable, the arrays are computed each time.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import io
import os
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.user_folders import read_only_cache, user_cache

Arrays = dict[str, NDArray[Any]]

MAX_FILES = 24
"""Maximum number of files in a folder; the least recently used are deleted."""

CHECKSUM = 32
"""Length of the checksum at the beginning of a file [bytes]."""


def digest_of(*values: Any) -> str:
    """Return the digest of arrays, dataclasses, mappings, sequences and plain values. Every bit of the values counts."""
    digest = hashlib.sha256()
    _feed(values, digest.update)
    return digest.hexdigest()[:32]


def _feed(value: Any, update: Callable[[bytes], None]) -> None:
    if isinstance(value, np.ndarray):
        update(f"array {value.dtype.str} {value.shape} ".encode() + np.ascontiguousarray(value).tobytes())
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        update(type(value).__name__.encode())
        _feed([(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)], update)
    elif isinstance(value, Mapping):
        _feed(sorted(value.items()), update)
    elif isinstance(value, (list, tuple)):
        update(f"list {len(value)} ".encode())
        for one in value:
            _feed(one, update)
    else:
        update(f"{type(value).__name__} {value!r} ".encode())


def cached_arrays(name: str, digest: str, compute: Callable[[], Arrays]) -> Arrays:
    """Return the arrays of a digest from a cache folder of the user, or compute and save them. Raises what `compute` raises."""
    folder, read_only = user_cache(name), read_only_cache(name)
    path = folder / f"{digest}.tables"
    found = _read(path)
    if found is None and read_only is not None:
        found = _read(read_only / path.name)
    if found is None:
        found = compute()
        with contextlib.suppress(OSError):
            _write(path, found)
    else:
        with contextlib.suppress(OSError):
            os.utime(path)
    return found


def _read(path: Path) -> Arrays | None:
    try:
        content = path.read_bytes()
        if hashlib.sha256(content[CHECKSUM:]).digest() != content[:CHECKSUM]:
            return None
        with np.load(io.BytesIO(content[CHECKSUM:]), allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None


def _write(path: Path, arrays: Arrays) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    content = buffer.getvalue()
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as out:
        try:
            out.write(hashlib.sha256(content).digest() + content)
            out.close()
            os.replace(out.name, path)
        except BaseException:
            os.unlink(out.name)
            raise
    files = sorted(path.parent.glob("*.tables"), key=lambda file: file.stat().st_mtime, reverse=True)
    for old in files[MAX_FILES:]:
        old.unlink(missing_ok=True)
