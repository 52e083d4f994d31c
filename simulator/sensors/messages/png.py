"""Encoder of PNG images, which does not hold the lock of the interpreter: an encoder that does would delay the ticks of a session.

[PNG specification, third edition]: each row has the filter Sub (difference from the pixel to the left), then all rows are deflated.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

SIGNATURE = b"\x89PNG\r\n\x1a\n"
LEVEL = 1
"""Compression level of deflate: a higher level takes several times as long for a few percent."""
GRAY, RGB = 0, 2
SUB = 1
"""Number of the filter."""


def png_bytes(pixels: NDArray[Any]) -> bytes:
    """Return an image (h, w) or (h, w, 3) of 8 or 16 bits without sign as the bytes of a PNG file. Raises ValueError: another type."""
    if pixels.dtype.kind != "u" or pixels.dtype.itemsize > 2 or (pixels.ndim == 3 and pixels.shape[2] != 3) or pixels.ndim not in (2, 3):
        raise ValueError(f"image of {pixels.dtype} with the shape {pixels.shape}; expected 8 or 16 bits, (h, w) or (h, w, 3)")
    height, width = pixels.shape[:2]
    step = pixels.dtype.itemsize * (3 if pixels.ndim == 3 else 1)
    rows = np.ascontiguousarray(pixels, pixels.dtype.newbyteorder(">")).view(np.uint8).reshape(height, width * step)
    filtered = np.empty((height, 1 + width * step), np.uint8)
    filtered[:, 0] = SUB
    filtered[:, 1 : 1 + step] = rows[:, :step]
    np.subtract(rows[:, step:], rows[:, :-step], out=filtered[:, 1 + step :])
    kind = RGB if pixels.ndim == 3 else GRAY
    head = struct.pack(">IIBBBBB", width, height, 8 * pixels.dtype.itemsize, kind, 0, 0, 0)
    return SIGNATURE + _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(filtered.data, LEVEL)) + _chunk(b"IEND", b"")


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(data, zlib.crc32(name)))
