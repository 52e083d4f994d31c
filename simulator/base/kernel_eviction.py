"""Removal of compiled kernels that no process uses any more, such as those of older sources."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

MAX_AGE = 30 * 86400.0
"""Time [s] after which an unused folder is removed."""
MAX_BYTES = 500_000_000
"""Maximum size of all folders. Above this size, the least recently used folders are removed."""
MIN_AGE = 86400.0
"""Time [s] for which a used folder stays in any case: a running process may still need its kernels."""


class _Folder(NamedTuple):
    used: float
    bytes: int
    path: Path


@cache
def mark_used(folder: Path) -> None:
    """Record that a folder is used now, once per process."""
    with contextlib.suppress(OSError):
        os.utime(folder)


@cache
def evict(root: Path) -> None:
    """Remove the folders in `root` that are too old, and the least recently used ones if all are too large together; once per process."""
    now = time.time()
    folders = sorted(_folders(root), reverse=True)
    total = 0
    for folder in folders:
        total += folder.bytes
        age = now - folder.used
        if age > MAX_AGE or (total > MAX_BYTES and age > MIN_AGE):
            shutil.rmtree(folder.path, ignore_errors=True)
            total -= folder.bytes


def _folders(root: Path) -> Iterator[_Folder]:
    """Yield the folders of compiled kernels."""
    with contextlib.suppress(OSError):
        for path in root.iterdir():
            with contextlib.suppress(OSError):
                if path.is_dir():
                    yield _Folder(path.stat().st_mtime, sum(file.stat().st_size for file in path.iterdir()), path)
