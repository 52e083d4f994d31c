"""Lock of a run folder: two runs that write into the same folder would mix their files.

The owner holds a system lock on a small file in the folder. The system releases the lock when the process ends in any way. A forced exit
after a signal also removes the file; a killed run leaves at most a file without a lock.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from datetime import datetime
from pathlib import Path
from types import TracebackType

from simulator.base import cleanup
from simulator.base.errors import OutputError

LOCK_NAME = ".jounce.lock"

_TAKEN = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)


class FolderInUseError(OutputError):
    """Another run, of this or another process, writes into the folder."""


class FolderLock:
    """Ownership of a folder from construction to `release` or the end of the process. Use it as a context manager, or call `release`.

    Parameters
    ----------
    folder : existing folder

    Raises
    ------
    FolderInUseError : another owner holds the lock; the message names the process
    OutputError : the folder is not writable
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.sure = True
        """False on a file system without locks: another process may write to the folder unnoticed."""
        self._file = self.folder / LOCK_NAME
        self._descriptor: int | None = None
        self._process = os.getpid()
        with cleanup.defer_exit():
            while self._descriptor is None:
                self._descriptor = self._take()
            self._unregister = cleanup.register_cleanup(self._release_of_process)
        # text for the message of a later process; a full disk must not stop the run here
        with contextlib.suppress(OSError):
            os.ftruncate(self._descriptor, 0)
            os.write(self._descriptor, f"process {os.getpid()} since {datetime.now():%Y-%m-%d %H:%M:%S}".encode())

    def _release_of_process(self) -> None:
        """Release the folder at a forced exit; a copy in a forked process does not own the folder."""
        if os.getpid() == self._process:
            self.release()

    def release(self) -> None:
        """Release the folder and remove the lock file; further calls have no effect."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None:
            return
        self._unregister()
        if sys.platform == "win32":  # Windows cannot remove an open file
            os.close(descriptor)
            with contextlib.suppress(OSError):
                self._file.unlink()
            return
        # removed while still locked: a process that has opened the file in the meantime detects that the name is gone
        with contextlib.suppress(OSError):
            self._file.unlink()
        os.close(descriptor)

    def __enter__(self) -> FolderLock:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.release()

    def _take(self) -> int | None:
        """Return the descriptor of the locked file; None if the last owner removed the file in the meantime. Raises as the class."""
        try:
            descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise OutputError(f"{self.folder}: cannot be written: {error.strerror or error}") from None
        try:
            self.sure = _lock(descriptor)
        except OSError:
            owner = os.read(descriptor, 200).decode(errors="replace").strip() or "just started"
            os.close(descriptor)
            raise FolderInUseError(
                f"{self.folder}: in use by another run ({owner}); hint: wait for its end or choose another folder"
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
        # a byte far behind the text, so that other processes can still read the text
        os.lseek(descriptor, 1 << 20, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
        return True

else:
    import fcntl

    def _lock(descriptor: int) -> bool:
        """Lock without waiting; return False if the file system does not support locks. Raises OSError if it is locked."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _TAKEN:
                raise
            return False
        return True
