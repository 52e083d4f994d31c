"""Which of two processes compiles a kernel: who asks first does, the other one waits for it and takes it from the disk.

Both hold a file that has no name and no content. A claim is a lock on one byte of it, and ends with the process that has it at the latest;
claims cannot wait in a circle, since kernels do not call each other in one.
"""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from collections.abc import Iterator

try:
    import fcntl
except ImportError:  # no such locks there: every process compiles for itself
    fcntl = None  # type: ignore[assignment]

POSSIBLE = fcntl is not None

_file: int | None = None
_held: set[int] = set()


@contextlib.contextmanager
def share_compilation(file: int | None = None) -> Iterator[int]:
    """Share what is compiled from here on with whoever holds the same file, a new one when none is given; its number is returned."""
    global _file  # noqa: PLW0603 (a process has one compiler)
    with contextlib.ExitStack() as stack:
        _file = stack.enter_context(tempfile.TemporaryFile()).fileno() if file is None else file
        try:
            yield _file
        finally:
            _file = None
            _held.clear()


def claim(kernel: str) -> bool:
    """Be the one who compiles a kernel, as soon as nobody else does. False when that had to be waited for, and the kernel may be there."""
    if _file is None:
        return True
    place = _place(kernel)
    _held.add(place)
    try:
        fcntl.lockf(_file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
    except OSError:
        fcntl.lockf(_file, fcntl.LOCK_EX, 1, place)
        return False
    return True


def release(kernel: str) -> None:
    """The kernel has been compiled and lies on the disk."""
    if _place(kernel) in _held and _file is not None:
        _held.remove(_place(kernel))
        fcntl.lockf(_file, fcntl.LOCK_UN, 1, _place(kernel))


def _place(kernel: str) -> int:
    return int.from_bytes(hashlib.sha256(kernel.encode()).digest()[:6], "big")
