"""Safe reader of NumPy files (`.npy`, `.npz`) and JSON files.

A header of a few bytes can declare petabytes, and a small archive can unpack to as much. The reader therefore checks the sizes before it
reads, and accepts only numbers and texts.
"""

from __future__ import annotations

import json
import math
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from simulator.base.errors import UnreadableError
from simulator.base.inputfile import checked_size, read_unicode

MAX_BYTES = 1 << 30
"""Maximum size of a file, and of an unpacked archive [bytes]."""
MAX_MEMBERS = 1000
KINDS = "biufSU"
"""NumPy kinds of accepted values: booleans, numbers, texts."""
HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
CHUNK = 1 << 20


class _ArrayError(Exception):
    """Error of an array."""


def read_npy(path: str | Path, expected: str) -> NDArray[Any]:
    """Return the array of a `.npy` file. Raises ConfigError."""
    size = checked_size(path, expected, MAX_BYTES)
    try:
        with open(path, "rb") as stream:
            return _array(stream, size)
    except Exception as error:  # the header parser of NumPy raises a dozen exception classes for damaged bytes
        raise UnreadableError(path, "", _reason(error), expected) from None


def read_npz(path: str | Path, expected: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of an `.npz` archive by name. Raises ConfigError."""
    checked_size(path, expected, MAX_BYTES)
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            if len(members) > MAX_MEMBERS or sum(member.file_size for member in members) > MAX_BYTES:
                raise _ArrayError(f"{len(members)} arrays, {sum(member.file_size for member in members)} bytes unpacked")
            arrays = {}
            for member in members:
                if not member.filename.endswith(".npy"):
                    raise _ArrayError(f"member {member.filename!r}, not an array")
                with archive.open(member) as stream:
                    arrays[member.filename.removesuffix(".npy")] = _array(stream, member.file_size)
            return arrays
    except Exception as error:  # zipfile and its decompressors raise a dozen exception classes for damaged bytes
        raise UnreadableError(path, "", _reason(error), expected) from None


def read_json(path: str | Path, expected: str, most: int = 1 << 28) -> Any:
    """Return the content of a JSON file. Raises ConfigError, also if the nesting exceeds the recursion limit of Python."""
    try:
        return json.loads(read_unicode(path, expected, most))
    except (ValueError, RecursionError) as error:
        raise UnreadableError(path, "", _reason(error), expected) from None


def _array(stream: IO[bytes], size: int) -> NDArray[Any]:
    """Return the array at the beginning of a stream of `size` bytes."""
    version = npy.read_magic(stream)
    if version not in HEADERS:
        raise _ArrayError(f"format {version[0]}.{version[1]}")
    shape, in_columns, kind = HEADERS[version](stream)
    if kind.hasobject or kind.kind not in KINDS:
        raise _ArrayError(f"values of type {kind}")
    if not all(isinstance(n, int) and n >= 0 for n in shape):
        raise _ArrayError(f"shape {shape}")
    length = math.prod(shape) * kind.itemsize
    if length > size - stream.tell():
        raise _ArrayError(f"shape {shape} of {kind}: more than the {size} bytes of the file")
    if length == 0:
        return np.zeros(shape, kind)
    content = bytearray()
    while len(content) < length:
        chunk = stream.read(min(CHUNK, length - len(content)))
        if not chunk:
            raise _ArrayError(f"{len(content)} of {length} bytes")
        content += chunk
    return np.frombuffer(content, kind, math.prod(shape)).reshape(shape, order="F" if in_columns else "C")


def _reason(error: Exception) -> str:
    """Return the first line of an error, or that the file is damaged: decompressors give a number, or no text."""
    text = next(iter(str(error).splitlines()), "")
    return text if text and not isinstance(error, zlib.error) else "damaged or cut off"
