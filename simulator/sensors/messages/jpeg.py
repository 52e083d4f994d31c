"""Encoder of JPEG images in a process of its own: the encoder of Pillow holds the lock of the interpreter, which delays the ticks of a session.

This file is also the program of the process: it needs Pillow only. The process ends with the standard input.
"""

from __future__ import annotations

import atexit
import contextlib
import io
import os
import signal
import struct
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

QUALITY = 90
"""Quality of JPEG images, 1 to 95."""
_HEAD, _LENGTH = struct.Struct("<IIB"), struct.Struct("<I")
_process: subprocess.Popen[bytes] | None = None
_lock = threading.Lock()


def jpeg_bytes(pixels: NDArray[np.uint8]) -> bytes:
    """Return an image (h, w) or (h, w, 3) as the bytes of a JPEG file. Without another process, this one encodes it."""
    height, width = pixels.shape[:2]
    mode = "RGB" if pixels.ndim == 3 else "L"
    data = pixels.copy(order="C").reshape(-1).data
    with _lock:
        try:
            return _encoded_elsewhere(_HEAD.pack(width, height, len(mode)), data)
        except (OSError, struct.error):
            _end()
            return _encode(data, (width, height), mode)


def _encoded_elsewhere(head: bytes, data: memoryview) -> bytes:
    """Return the image that the process encodes. Raises OSError, struct.error: it has ended, or cannot be started."""
    global _process  # noqa: PLW0603 (one process for all cameras)
    if _process is None:
        atexit.register(_end)
        _process = subprocess.Popen([sys.executable, "-P", __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    assert _process.stdin is not None and _process.stdout is not None
    for part in (memoryview(head), data):
        while part:
            part = part[_process.stdin.write(part) :]  # noqa: PLW2901
    length = _LENGTH.unpack(_read(_process.stdout, _LENGTH.size))[0]
    image = _read(_process.stdout, length)
    if len(image) < length:
        raise BrokenPipeError("the encoder has ended")
    return image


def _end() -> None:
    """End the process; the next image starts a new one."""
    global _process
    process, _process = _process, None
    if process is not None:
        process.kill()
        process.communicate()


def _encode(data: Any, size: tuple[int, int], mode: str) -> bytes:
    from PIL import Image

    out = io.BytesIO()
    Image.frombytes(mode, size, bytes(data)).save(out, "jpeg", quality=QUALITY)
    return out.getvalue()


def _read(stream: BinaryIO | Any, count: int) -> bytes:
    """Return bytes of a pipe, fewer at its end."""
    parts: list[bytes] = []
    while count and (part := stream.read(count)):
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _serve() -> None:
    """Encode images from the standard input until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the drive, which still encodes its last images
    with contextlib.suppress(OSError, AttributeError):
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))  # the parent may have a real-time priority
    while len(head := _read(sys.stdin.buffer, _HEAD.size)) == _HEAD.size:
        width, height, channels = _HEAD.unpack(head)
        image = _encode(_read(sys.stdin.buffer, width * height * channels), (width, height), "RGB" if channels == 3 else "L")
        sys.stdout.buffer.write(_LENGTH.pack(len(image)) + image)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        _serve()
