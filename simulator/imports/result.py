"""Result of an import: what had no counterpart, and files that are written together or not at all."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from simulator.base import cleanup
from simulator.base.errors import JounceError, OutputError, UnreadableError, one_line
from simulator.telemetry.atomic_files import create_folder, uninterrupted

MAX_NAME = 60
"""Maximum number of letters of a file name that is made from a name of the source."""
MAX_COMMENT = 300
"""Maximum number of letters of a comment; texts of a source may be long."""


@dataclass
class Losses:
    """What of a source has no counterpart, by kind.

    Attributes
    ----------
    counts : number of cases of each kind
    first : name and line of the first case of each kind; empty: neither
    """

    counts: dict[str, int] = field(default_factory=dict)
    first: dict[str, str] = field(default_factory=dict)

    def add(self, what: str, line: int = 0, name: str = "", count: int = 1) -> None:
        """Add `count` cases. `what` is a phrase that stays the same for all of a kind; `line`, of the source, and `name` say where it is."""
        self.counts[what] = self.counts.get(what, 0) + count
        self.first.setdefault(what, ", ".join(filter(None, (name, f"line {line}" if line else ""))))

    def lines(self) -> list[str]:
        """Return one printable line for each kind: its number, the phrase, and the place of the first case."""
        return [
            one_line(f"{count} x {what}" + (f" ({'first: ' if count > 1 else ''}{self.first[what]})" if self.first[what] else ""))
            for what, count in self.counts.items()
        ]


def comments(lines: Iterable[str]) -> str:
    """Return lines as comments of a YAML file. A text of the source cannot end its comment: line ends and control characters are escaped."""
    return "".join(f"# {one_line(line)[:MAX_COMMENT]}\n" for line in lines)


def file_name(text: str) -> str:
    """Return a name for files, made from the name of a source."""
    return re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_")[:MAX_NAME] or "imported"


def check_free(folder: Path, names: Iterable[str], overwrite: bool) -> None:
    """Raise OutputError if a folder has one of the files, and `overwrite` is not given."""
    for path in (folder / name for name in names):
        if path.is_dir():
            raise OutputError(f"{path}: folder exists; expected no folder with the name of a file")
        if os.path.lexists(path) and not overwrite:
            raise OutputError(f"{path}: file exists; hint: use --overwrite to replace the files, or --out for another folder")


def check_result(files: Mapping[str, bytes | str], check: Callable[[str], object], source: object, expected: str) -> None:
    """Check the first file of a result in a temporary folder, before it is written. Raises ConfigError about the source: the file is not accepted.

    Parameters
    ----------
    check : function of the path of the first file; raises JounceError
    expected : what the source should be
    """
    with tempfile.TemporaryDirectory(prefix="jounce-import-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace"))
        try:
            check(str(Path(folder) / next(iter(files))))
        except JounceError as error:
            problem = str(error).replace(folder + os.sep, "").splitlines()[0]
            raise UnreadableError(source, "", f"the result is refused: {problem}", expected) from None


def write_result(folder: Path, files: Mapping[str, bytes | str], overwrite: bool) -> list[Path]:
    """Write all files of a result into a folder, or none. Raises OutputError: a file exists, and `overwrite` is not given; the disk refuses.

    Parameters
    ----------
    files : contents by name
    """
    paths = [folder / name for name in files]
    check_free(folder, files, overwrite)
    create_folder(folder)
    try:
        with cleanup.defer_exit():
            staging = Path(tempfile.mkdtemp(prefix=".import-", dir=folder))
        unregister = cleanup.register_cleanup(lambda: shutil.rmtree(staging, ignore_errors=True))
    except OSError as error:
        raise OutputError(f"{folder}: cannot be written: {error.strerror or error}") from None
    try:
        for name, content in files.items():
            (staging / name).write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace"))
        with uninterrupted():
            for path in paths:
                os.replace(staging / path.name, path)
    except OSError as error:
        raise OutputError(f"{error.filename or folder}: cannot be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        unregister()
    return paths
