"""Safe reading of input files: regular files only, up to a maximum size."""

from __future__ import annotations

import codecs
import os
import stat
from pathlib import Path

from simulator.base.errors import ConfigError, UnreadableError

KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)
"""Types of files other than regular files. Reading some of them never ends."""


MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Byte order marks with their encodings; the mark of UTF-16 is the start of that of UTF-32."""
OLD_ENCODING = "cp1252"
"""Encoding of files without a byte order mark that are not UTF-8: that of Windows in western Europe and America."""


def check_regular(path: str | os.PathLike[str], expected: str) -> None:
    """Raise ConfigError if a file exists and is not regular, or is a loop of links; for a reader that reports a missing file itself."""
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, ValueError) as error:
        raise UnreadableError(path, "", getattr(error, "strerror", None) or str(error), f"{expected} that can be read") from None
    if not stat.S_ISREG(mode):
        raise ConfigError(path, "", next((word for is_kind, word in KINDS if is_kind(mode)), "something else"), expected)


def checked_size(path: str | Path, expected: str, most: int) -> int:
    """Return the size of a regular file [bytes]. Raises ConfigError if the file is missing, not regular, or larger than `most` bytes."""
    try:
        status = os.stat(path)
    except (OSError, ValueError) as error:
        raise UnreadableError(path, "", getattr(error, "strerror", None) or str(error), f"{expected} that can be read") from None
    check_regular(path, expected)
    if status.st_size > most:
        raise ConfigError(path, "", f"{status.st_size} bytes", f"{expected} of at most {most} bytes")
    return status.st_size


def read_bytes(path: str | Path, expected: str, most: int) -> bytes:
    """Return the content of a file. Raises ConfigError as `checked_size`, also if the file grows beyond `most` while it is read."""
    checked_size(path, expected, most)
    try:
        with open(path, "rb") as stream:
            content = stream.read(most + 1)
    except OSError as error:
        raise UnreadableError(path, "", error.strerror or str(error), f"{expected} that can be read") from None
    if len(content) > most:
        raise ConfigError(path, "", f"more than {most} bytes", f"{expected} of at most {most} bytes")
    return content


def read_unicode(path: str | Path, expected: str, most: int) -> str:
    """Return the text of a file in UTF-8, or in the encoding of its byte order mark. Raises ConfigError as `read_bytes`."""
    content = read_bytes(path, expected, most)
    mark, encoding = encoding_of(content)
    try:
        return content[len(mark) :].decode(encoding)
    except UnicodeDecodeError:
        raise ConfigError(path, "", f"bytes that are not {encoding.upper()}", expected) from None


def encoding_of(content: bytes) -> tuple[bytes, str]:
    """Return the byte order mark of a text, empty if there is none, and its encoding, then UTF-8."""
    return next((one for one in MARKS if content.startswith(one[0])), (b"", "utf-8"))


def read_any_text(path: str | Path, expected: str, most: int) -> str:
    """Return the text of a file of another program. Raises ConfigError as `read_bytes`, and for binary data."""
    text = decoded(read_bytes(path, expected, most))
    if "\0" in text:
        raise ConfigError(path, "", "binary data", expected)
    return text


def as_utf8(content: bytes) -> bytes:
    """Return bytes that may be text without their byte order mark, in UTF-8 if the mark names another encoding."""
    mark, encoding = encoding_of(content)
    rest = content[len(mark) :]
    return rest if encoding == "utf-8" else rest.decode(encoding, "replace").encode()


def decoded(content: bytes) -> str:
    """Return the text of bytes in the encoding of their byte order mark, else in UTF-8, else in OLD_ENCODING; without the mark."""
    content = as_utf8(content)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode(OLD_ENCODING, "replace")
