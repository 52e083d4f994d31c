"""Arrays that take long to make, kept on disk by the digest of everything that they follow from.

A file is a checksum and an archive of arrays. It is written beside its place and moved there in one go; one that is broken, or of another
version, is made again. A folder that cannot be written only costs the time.
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

Arrays = dict[str, NDArray[Any]]

MOST_FILES = 24
"""Files in a folder; those used longest ago go first."""

CHECKSUM = 32
"""Bytes at the beginning of a file."""


def digest_of(*values: Any) -> str:
    """Digest of arrays, dataclasses, mappings, sequences and plain values, of all their bits."""
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


def cached_arrays(folder: Path, digest: str, make: Callable[[], Arrays]) -> Arrays:
    """The arrays of that digest out of a folder, or made now and put there; `make` may raise what it likes."""
    path = folder / f"{digest}.tables"
    found = _read(path)
    if found is None:
        found = make()
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
        out.write(hashlib.sha256(content).digest() + content)
    os.replace(out.name, path)
    files = sorted(path.parent.glob("*.tables"), key=lambda file: file.stat().st_mtime, reverse=True)
    for old in files[MOST_FILES:]:
        old.unlink(missing_ok=True)
