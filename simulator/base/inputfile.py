"""Reading files that come from elsewhere: only ordinary files, of a size that can be meant, and never more of them than that."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from simulator.base.errors import ConfigError

KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)
"""What a path may lead to besides an ordinary file. Reading some of them never ends."""


def checked_size(path: str | Path, expected: str, most: int) -> int:
    """Size [bytes] of an ordinary file. Raises ConfigError when there is none, when it is something else, or larger than `most` bytes."""
    try:
        about = os.stat(path)
    except (OSError, ValueError) as error:
        raise ConfigError(path, "", getattr(error, "strerror", None) or str(error), f"{expected} that can be read") from None
    if not stat.S_ISREG(about.st_mode):
        found = next((word for is_kind, word in KINDS if is_kind(about.st_mode)), "something else")
        raise ConfigError(path, "", found, expected)
    if about.st_size > most:
        raise ConfigError(path, "", f"{about.st_size} bytes", f"{expected} of at most {most} bytes")
    return about.st_size


def read_bytes(path: str | Path, expected: str, most: int) -> bytes:
    """Content of a file. Raises ConfigError as `checked_size`, and when the file grew beyond `most` meanwhile."""
    checked_size(path, expected, most)
    try:
        with open(path, "rb") as stream:
            content = stream.read(most + 1)
    except OSError as error:
        raise ConfigError(path, "", error.strerror or str(error), f"{expected} that can be read") from None
    if len(content) > most:
        raise ConfigError(path, "", f"more than {most} bytes", f"{expected} of at most {most} bytes")
    return content


def read_utf8(path: str | Path, expected: str, most: int) -> str:
    """Text of a file in UTF-8, with or without a byte order mark. Raises ConfigError as `read_bytes`."""
    try:
        return read_bytes(path, expected, most).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigError(path, "", "bytes that are not UTF-8", expected) from None
