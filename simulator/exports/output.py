"""Files and folders of an export: each is complete or does not exist, and nothing is replaced without consent."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from simulator.base import cleanup
from simulator.base.errors import JounceError, OutputError
from simulator.base.json_output import json_text
from simulator.telemetry.atomic_files import create_folder, write_text, write_whole

ABOUT = "jounce.json"
"""File in each exported folder with the origin of its data. An export replaces only folders that have it."""


class Output:
    """Folder that receives the exports of a run: all files are planned, and so checked, before `write` creates the first one.

    Parameters
    ----------
    folder : created with the first file
    overwrite : True to replace files and folders of an earlier export

    Attributes
    ----------
    written : files and folders in the order of their creation
    """

    def __init__(self, folder: Path, overwrite: bool) -> None:
        self.folder, self._overwrite = folder, overwrite
        self.written: list[Path] = []
        self._planned: list[Callable[[], None]] = []

    def need_free(self, names: Iterable[str]) -> list[Path]:
        """Return the paths of files or folders. Raises JounceError: one exists and may not be replaced."""
        paths = [self.folder / name for name in names]
        for path in paths:
            if os.path.lexists(path) and not self._overwrite:
                raise JounceError(f"{path}: exists; hint: --overwrite replaces the files of an earlier export")
            if path.is_dir() and not (path / ABOUT).is_file():
                raise JounceError(f"{path}: a folder that no export wrote; hint: choose another folder with --out")
        return paths

    def file(self, path: Path, write: Callable[[Path], Any]) -> None:
        """Plan a file: `write` fills a temporary file in the same folder. Raises OutputError."""
        if path.is_dir():
            raise OutputError(f"{path}: is a folder; hint: choose another folder with --out")
        self._planned.append(lambda: self._write_file(path, write))

    def directory(self, path: Path, about: dict[str, Any], fill: Callable[[Path], Any]) -> None:
        """Plan a folder: `fill` creates and fills a folder with this name in a temporary one, which is then moved here."""
        self._planned.append(lambda: self._write_directory(path, about, fill))

    def write(self) -> None:
        """Write what is planned. Raises OutputError; JounceError, ConfigError: the run has broken content."""
        create_folder(self.folder)
        for write in self._planned:
            write()

    def _write_file(self, path: Path, write: Callable[[Path], Any]) -> None:
        write_whole(path, write)
        self.written.append(path)

    def _write_directory(self, path: Path, about: dict[str, Any], fill: Callable[[Path], Any]) -> None:
        temporary, old = path.with_name(f".{path.name}.part"), path.with_name(f".{path.name}.old")
        new = temporary / path.name
        unregister = cleanup.register_cleanup(lambda: shutil.rmtree(temporary, ignore_errors=True))
        try:
            for one in (temporary, old):
                if one.exists():  # of a killed export
                    shutil.rmtree(one)
            temporary.mkdir()
            fill(new)
            write_text(new / ABOUT, json_text(about) + "\n")
            if path.is_dir():
                os.rename(path, old)
            elif os.path.lexists(path):
                path.unlink()
            os.rename(new, path)
        except OSError as error:
            with contextlib.suppress(OSError):
                if old.is_dir() and not path.exists():
                    os.rename(old, path)
            raise OutputError(f"{path}: cannot be written: {os.strerror(error.errno) if error.errno else error}") from None
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
            shutil.rmtree(old, ignore_errors=True)
            unregister()
        self.written.append(path)


@contextlib.contextmanager
def scratch_folder(path: Path) -> Iterator[Path]:
    """Create a folder next to a file for temporary files of a library, and remove it also at a forced exit. Raises OSError."""
    folder = path.with_name(f"{path.name}.scratch")
    unregister = cleanup.register_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    try:
        shutil.rmtree(folder, ignore_errors=True)  # of a killed export
        folder.mkdir()
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        unregister()


def numbered(name: str, number: int) -> str:
    """Return the name of a file of a start of the drive: NAME.EXT, NAME-2.EXT after a restart ..."""
    return name if number == 1 else str(Path(name).with_stem(f"{Path(name).stem}-{number}"))
