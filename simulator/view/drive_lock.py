"""Resources of a drive in the temporary folder and in shared memory: named after the user, locked while the host lives, and removed later.

The lock is released when its process ends, for any reason. Therefore a resource that can be locked is unused and may be removed. Files of
running drives and of other users are never touched.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from multiprocessing import shared_memory
from pathlib import Path
from typing import Any

from simulator.base.errors import DeviceError
from simulator.base.json_output import json_text

USER = os.getuid() if sys.platform != "win32" else 0
PREFIX = f"jounce-{USER}-"
"""Prefix of every folder and block of this user. Short, because some systems allow 31 characters for a block."""
SHARED_MEMORY = Path("/dev/shm")
"""Folder in which Linux shows blocks of shared memory as files."""
ABOUT = "drive.json"
ATTEMPTS = 20
LOOK = 0.25
"""s between two checks whether the host still lives."""
GRACE = 0.75
"""s for a view to end by itself when the host has ended."""


class DriveLock:
    """Folder in the temporary folder that is locked until `release`, or until this process ends.

    Raises DeviceError when it cannot be created.
    """

    def __init__(self) -> None:
        self.folder, self._lock = _locked_folder()

    def describe(self, about: dict[str, Any]) -> None:
        """Write the data that a further view needs; afterwards `running` lists this drive."""
        new = self.folder / f"{ABOUT}.new"
        new.write_text(json_text({"pid": os.getpid(), "began": time.time(), **about}), encoding="utf-8")
        new.replace(self.folder / ABOUT)

    def release(self) -> None:
        """Remove the folder; a second call does nothing."""
        if self._lock >= 0:
            if sys.platform == "win32":  # Windows cannot remove an open file
                os.close(self._lock)
            shutil.rmtree(self.folder, ignore_errors=True)
            if sys.platform != "win32":
                os.close(self._lock)
            self._lock = -1


class HostWatch:
    """Watch of a view on its host process, which holds a drive lock.

    Parameters
    ----------
    folder : folder of the drive lock
    leave : end this process by force when the host has ended and this process has not ended after GRACE, even if it hangs

    Raises DeviceError when the drive lock does not exist.
    """

    def __init__(self, folder: Path, leave: bool = False) -> None:
        try:
            self._lock = os.open(folder / "lock", os.O_RDWR)
        except OSError:
            raise DeviceError(f"{folder}: no drive; expected the folder of a running drive") from None
        self.folder = folder
        self.gone = False
        """True when the host process has ended."""
        self._leave = leave
        threading.Thread(target=self._look, name="host watch", daemon=True).start()

    def _look(self) -> None:
        while not _lock(self._lock, shared=True):
            time.sleep(LOOK)
        _unlock(self._lock)
        self.gone = True
        if self._leave:
            sweep()
            time.sleep(GRACE)
            os._exit(0)


def running() -> list[dict[str, Any]]:
    """Return the descriptions of the running drives of this user, each with its `folder`, the latest first."""
    drives = []
    for folder in _folders():
        try:
            lock = os.open(folder / "lock", os.O_RDWR)
        except OSError:
            continue
        try:
            if not _lock(lock, shared=True):
                drives.append({**json.loads((folder / ABOUT).read_text(encoding="utf-8")), "folder": folder})
        except (OSError, ValueError):
            continue  # the drive is just starting or ending
        finally:
            os.close(lock)
    return sorted(drives, key=lambda about: -float(about["began"]))


def sweep() -> None:
    """Remove the folders and blocks of this user whose host has ended."""
    for folder in _folders():
        with contextlib.suppress(OSError), _free(folder / "lock", os.O_RDWR | os.O_CREAT) as free:
            if free:
                shutil.rmtree(folder, ignore_errors=True)
    if sys.platform.startswith("linux") and SHARED_MEMORY.is_dir():
        for block in SHARED_MEMORY.glob(f"{PREFIX}*"):
            with contextlib.suppress(OSError), _free(block, os.O_RDWR) as free:
                if free:
                    block.unlink()


def new_block(size: int) -> shared_memory.SharedMemory:
    """Create a block of shared memory of this user with a new name, which `sweep` does not remove as long as this process lives."""
    for _ in range(ATTEMPTS):
        with contextlib.suppress(FileExistsError):
            memory = shared_memory.SharedMemory(PREFIX + secrets.token_hex(4), create=True, size=size)
            if hold(memory):
                _reserve(memory, size)
                return memory
            memory.close()
    raise DeviceError("shared memory: cannot create a block; expected free shared memory")


def _reserve(memory: shared_memory.SharedMemory, size: int) -> None:
    """Allocate the memory of a block at once; if none is left, the first write would kill the process. Raises OSError."""
    if not hasattr(os, "posix_fallocate"):
        return
    try:
        os.posix_fallocate(memory._fd, 0, size)  # type: ignore[attr-defined]
    except OSError:
        memory.close()
        memory.unlink()
        raise


def hold(memory: shared_memory.SharedMemory) -> bool:
    """Lock a new block until it is closed; return False when it was removed before that."""
    handle = getattr(memory, "_fd", -1)
    if handle < 0 or not sys.platform.startswith("linux") or not SHARED_MEMORY.is_dir():
        return True
    return _lock(handle, shared=True) and _is_same_file(SHARED_MEMORY / memory.name, handle)


def _locked_folder() -> tuple[Path, int]:
    parent = Path(tempfile.gettempdir())
    for _ in range(ATTEMPTS):
        folder = parent / (PREFIX + secrets.token_hex(4))
        try:
            folder.mkdir(mode=0o700)
            lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        except (FileExistsError, FileNotFoundError):
            continue
        except OSError as error:
            raise DeviceError(f"{parent}: cannot create a folder ({error.strerror}); expected a writable temporary folder") from None
        # `sweep` of another process may have removed it before it was locked
        if _lock(lock) and _is_same_file(folder / "lock", lock):
            return folder, lock
        os.close(lock)
    raise DeviceError(f"{parent}: cannot lock a folder; expected a temporary folder on a local disk")


def _folders() -> list[Path]:
    """Return the folders of this user's drives, running or not; no links."""
    folders = []
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            about = folder.lstat()
            if stat.S_ISDIR(about.st_mode) and about.st_uid == USER:
                folders.append(folder)
    return folders


@contextlib.contextmanager
def _free(file: Path, flags: int) -> Iterator[bool]:
    """Lock a file temporarily; yield whether it was free."""
    handle = os.open(file, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        yield _lock(handle)
    finally:
        os.close(handle)


def _is_same_file(file: Path, handle: int) -> bool:
    """Return whether an open file is still the file with that name."""
    try:
        return os.path.samestat(os.stat(file), os.fstat(handle))
    except OSError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int, shared: bool = False) -> bool:
        try:
            os.lseek(handle, 0, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(handle: int) -> None:
        os.lseek(handle, 0, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(handle: int, shared: bool = False) -> bool:
        """Lock an open file without waiting; return False when another process (or another handle of this process) holds the lock."""
        try:
            fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def _unlock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)
