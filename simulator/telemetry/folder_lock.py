"""One owner per folder: two runs that write into the same one would mix their files.

The owner holds a system lock on a small file in the folder. The system takes the lock back when its process ends in whatever way, so
a killed run leaves at most an empty claim.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from datetime import datetime
from pathlib import Path
from types import TracebackType

from simulator.base.errors import OutputError

LOCK_NAME = ".jounce.lock"

_TAKEN = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)


class FolderInUseError(OutputError):
    """Another run, of this process or another one, writes into the folder."""


class FolderLock:
    """Ownership of a folder, from the construction to `release` or the end of the process. Use it as a context manager, or release it.

    Parameters
    ----------
    folder : existing folder

    Raises
    ------
    FolderInUseError : somebody else owns it; the message names the process
    OutputError : nothing can be written there
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.sure = True
        """False on a file system without locks: then nobody can say whether somebody else writes there."""
        self._file = self.folder / LOCK_NAME
        self._descriptor: int | None = None
        while self._descriptor is None:
            self._descriptor = self._take()
        # for the message to somebody who comes later; a full disk must not refuse the run here
        with contextlib.suppress(OSError):
            os.ftruncate(self._descriptor, 0)
            os.write(self._descriptor, f"process {os.getpid()} since {datetime.now():%Y-%m-%d %H:%M:%S}".encode())

    def release(self) -> None:
        """Give the folder up and remove the lock file; calling it again does nothing."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None:
            return
        if sys.platform == "win32":  # an open file cannot be removed there
            os.close(descriptor)
            with contextlib.suppress(OSError):
                self._file.unlink()
            return
        # removed while it is still locked: whoever has opened it meanwhile sees that it is no longer the file of that name
        with contextlib.suppress(OSError):
            self._file.unlink()
        os.close(descriptor)

    def __enter__(self) -> FolderLock:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.release()

    def _take(self) -> int | None:
        """Descriptor of the locked file; None when the file was removed by its last owner in between. Raises as the class."""
        try:
            descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise OutputError(f"{self.folder}: cannot be written: {error.strerror or error}") from None
        try:
            self.sure = _lock(descriptor)
        except OSError:
            owner = os.read(descriptor, 200).decode(errors="replace").strip() or "it has just begun"
            os.close(descriptor)
            raise FolderInUseError(
                f"{self.folder}: another run writes there ({owner}); wait for its end or choose another folder"
            ) from None
        try:
            same = os.path.samestat(os.fstat(descriptor), os.stat(self._file))
        except OSError:
            same = False
        if same:
            return descriptor
        os.close(descriptor)
        return None


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> bool:
        # a byte far behind the text, which others may then still read
        os.lseek(descriptor, 1 << 20, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
        return True

else:
    import fcntl

    def _lock(descriptor: int) -> bool:
        """Lock without waiting; False where the file system knows no locks. Raises OSError when it is locked."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _TAKEN:
                raise
            return False
        return True
