"""Arrays of NumPy's files (`.npy`, `.npz`), read by a reader of our own that believes no header.

A header of a few bytes may claim petabytes, and a small archive may unpack to as much. So sizes are compared before anything is read,
and nothing is read that is not numbers or texts.
"""

from __future__ import annotations

import json
import math
import zipfile
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.inputfile import checked_size, read_utf8

MOST_BYTES = 1 << 30
"""Of one file, and of what an archive unpacks to."""
MOST_MEMBERS = 1000
KINDS = "biufSU"
"""Kinds of values: truth values, numbers, texts."""
HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
CHUNK = 1 << 20


class _ArrayError(Exception):
    """What is wrong with an array."""


def read_npy(path: str | Path, expected: str) -> NDArray[Any]:
    """Array of a `.npy` file. Raises ConfigError."""
    size = checked_size(path, expected, MOST_BYTES)
    try:
        with open(path, "rb") as stream:
            return _array(stream, size)
    except Exception as error:  # NumPy's header parser raises a dozen kinds for damaged bytes
        raise ConfigError(path, "", _why(error), expected) from None


def read_npz(path: str | Path, expected: str) -> dict[str, NDArray[Any]]:
    """Arrays of an `.npz` archive by name. Raises ConfigError."""
    checked_size(path, expected, MOST_BYTES)
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            if len(members) > MOST_MEMBERS or sum(member.file_size for member in members) > MOST_BYTES:
                raise _ArrayError(f"{len(members)} arrays, {sum(member.file_size for member in members)} bytes unpacked")
            arrays = {}
            for member in members:
                if not member.filename.endswith(".npy"):
                    raise _ArrayError(f"a member {member.filename!r} that is no array")
                with archive.open(member) as stream:
                    arrays[member.filename.removesuffix(".npy")] = _array(stream, member.file_size)
            return arrays
    except Exception as error:  # zipfile and its decompressors raise a dozen kinds for damaged bytes
        raise ConfigError(path, "", _why(error), expected) from None


def read_json(path: str | Path, expected: str, most: int = 1 << 28) -> Any:
    """Content of a JSON file. Raises ConfigError, also for one nested deeper than Python follows."""
    try:
        return json.loads(read_utf8(path, expected, most))
    except (ValueError, RecursionError) as error:
        raise ConfigError(path, "", _why(error), expected) from None


def _array(stream: IO[bytes], size: int) -> NDArray[Any]:
    """Array at the beginning of a stream of `size` bytes."""
    version = npy.read_magic(stream)
    if version not in HEADERS:
        raise _ArrayError(f"format {version[0]}.{version[1]}")
    shape, in_columns, kind = HEADERS[version](stream)
    if kind.hasobject or kind.kind not in KINDS:
        raise _ArrayError(f"values of type {kind}")
    if not all(isinstance(n, int) and n >= 0 for n in shape):
        raise _ArrayError(f"shape {shape}")
    wanted = math.prod(shape) * kind.itemsize
    if wanted > size - stream.tell():
        raise _ArrayError(f"shape {shape} of {kind}: more than the {size} bytes of the file")
    if wanted == 0:
        return np.zeros(shape, kind)
    content = bytearray()
    while len(content) < wanted:
        piece = stream.read(min(CHUNK, wanted - len(content)))
        if not piece:
            raise _ArrayError(f"{len(content)} of {wanted} bytes")
        content += piece
    return np.frombuffer(content, kind, math.prod(shape)).reshape(shape, order="F" if in_columns else "C")


def _why(error: Exception) -> str:
    return next(iter(str(error).splitlines()), "") or type(error).__name__
