"""Lock of the compilation of a kernel: the first of several processes compiles it, the others wait and load it from disk.

The processes share an open file without name and content. The lock of a kernel is a lock on one byte of the file, which the system releases
when the process ends. The locks cannot form a deadlock, because kernels do not call each other in a circle.
"""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from collections.abc import Iterator

try:
    import fcntl
except ImportError:  # no file locks on this system: each process compiles all kernels
    fcntl = None  # type: ignore[assignment]

POSSIBLE = fcntl is not None

_file: int | None = None
_locked: set[int] = set()


@contextlib.contextmanager
def share_compilation(file: int | None = None) -> Iterator[int]:
    """Share the compilation with the processes that have the same file open; yield its descriptor. A new file is created if none is given."""
    global _file  # noqa: PLW0603 (a process has one compiler)
    with contextlib.ExitStack() as stack:
        _file = stack.enter_context(tempfile.TemporaryFile()).fileno() if file is None else file
        try:
            yield _file
        finally:
            _file = None
            _locked.clear()


def claim(kernel: str) -> bool:
    """Lock the compilation of a kernel, and wait for another process that compiles it.

    Returns False after waiting: the kernel may be on disk then.
    """
    if _file is None:
        return True
    offset = _offset(kernel)
    _locked.add(offset)
    try:
        fcntl.lockf(_file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, offset)
    except OSError:
        fcntl.lockf(_file, fcntl.LOCK_EX, 1, offset)
        return False
    return True


def release(kernel: str) -> None:
    """Release the lock of a kernel that has been compiled and saved."""
    if _offset(kernel) in _locked and _file is not None:
        _locked.remove(_offset(kernel))
        fcntl.lockf(_file, fcntl.LOCK_UN, 1, _offset(kernel))


def _offset(kernel: str) -> int:
    """Return the offset of the byte that stands for a kernel."""
    return int.from_bytes(hashlib.sha256(kernel.encode()).digest()[:6], "big")
