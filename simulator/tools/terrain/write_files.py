"""Writing of several files that belong together: all of them, or none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from simulator.base.errors import OutputError
from simulator.telemetry.atomic_files import write_bytes


def check_new(files: Iterable[Path]) -> None:
    """Raise OutputError if one of the files exists."""
    for path in files:
        if path.exists():
            raise OutputError(f"{path}: file exists")


def write_all(files: Mapping[Path, bytes | str]) -> None:
    """Write all files, or none. Raises OutputError."""
    done: list[Path] = []
    try:
        for path, content in files.items():
            write_bytes(path, content.encode() if isinstance(content, str) else content)
            done.append(path)
    except OutputError:
        for path in done:
            path.unlink(missing_ok=True)
        raise
