"""What a drive has in the temporary folder and in shared memory: named after the user, locked while its host lives, swept when it is gone.

A lock goes with the process that holds it, however that ends, so what can be locked belongs to nobody any more. Files of a living drive and
of other users are never touched.
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
"""Of every folder and block of this user. Short: some systems allow 31 letters for a block."""
SHARED_MEMORY = Path("/dev/shm")
"""Where Linux shows blocks of shared memory as files."""
ABOUT = "drive.json"
TRIES = 20
LOOK = 0.25
"""s between two looks whether the host still lives."""
GRACE = 0.75
"""s that a view may take to leave by itself when the host is gone."""


class DriveLock:
    """A folder in the temporary folder that is locked until `release`, or until this process ends.

    Raises DeviceError when it cannot be made.
    """

    def __init__(self) -> None:
        self.folder, self._lock = _locked_folder()

    def describe(self, about: dict[str, Any]) -> None:
        """Write what others must know to attach a view: afterwards `running` finds this drive."""
        new = self.folder / f"{ABOUT}.new"
        new.write_text(json_text({"pid": os.getpid(), "began": time.time(), **about}), encoding="utf-8")
        new.replace(self.folder / ABOUT)

    def release(self) -> None:
        """Remove the folder; calling it again does nothing."""
        if self._lock >= 0:
            if sys.platform == "win32":  # an open file cannot be removed there
                os.close(self._lock)
            shutil.rmtree(self.folder, ignore_errors=True)
            if sys.platform != "win32":
                os.close(self._lock)
            self._lock = -1


class HostWatch:
    """Seen from a view: whether the process that holds a claim still lives.

    Parameters
    ----------
    folder : that of the claim
    leave : end this process by force when the host is gone and it has not left by itself after GRACE, even if it hangs

    Raises DeviceError when there is no such claim.
    """

    def __init__(self, folder: Path, leave: bool = False) -> None:
        try:
            self._lock = os.open(folder / "lock", os.O_RDWR)
        except OSError:
            raise DeviceError(f"{folder}: no drive; expected the folder of a drive that runs") from None
        self.gone = False
        """Did the host end without a word?"""
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
    """Descriptions of the drives of this user that live now, each with its `folder` besides, the latest first."""
    found = []
    for folder in _folders():
        try:
            lock = os.open(folder / "lock", os.O_RDWR)
        except OSError:
            continue
        try:
            if not _lock(lock, shared=True):
                found.append({**json.loads((folder / ABOUT).read_text(encoding="utf-8")), "folder": folder})
        except (OSError, ValueError):
            continue  # it is just beginning or ending
        finally:
            os.close(lock)
    return sorted(found, key=lambda about: -float(about["began"]))


def sweep() -> None:
    """Remove the folders and blocks of this user whose host is gone."""
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
    """A block of shared memory of this user under a new name, which `sweep` leaves alone as long as this process lives."""
    for _ in range(TRIES):
        with contextlib.suppress(FileExistsError):
            memory = shared_memory.SharedMemory(PREFIX + secrets.token_hex(4), create=True, size=size)
            if hold(memory):
                _reserve(memory, size)
                return memory
            memory.close()
    raise DeviceError("shared memory: no block can be made; expected room in shared memory")


def _reserve(memory: shared_memory.SharedMemory, size: int) -> None:
    """Take the memory of a block at once: where none is left, the first write to it would end the process. Raises OSError."""
    if not hasattr(os, "posix_fallocate"):
        return
    try:
        os.posix_fallocate(memory._fd, 0, size)  # type: ignore[attr-defined]
    except OSError:
        memory.close()
        memory.unlink()
        raise


def hold(memory: shared_memory.SharedMemory) -> bool:
    """Lock a block that was just made, until it is closed; False when it was swept before that."""
    handle = getattr(memory, "_fd", -1)
    if handle < 0 or not sys.platform.startswith("linux") or not SHARED_MEMORY.is_dir():
        return True
    return _lock(handle, shared=True) and _is(SHARED_MEMORY / memory.name, handle)


def _locked_folder() -> tuple[Path, int]:
    parent = Path(tempfile.gettempdir())
    for _ in range(TRIES):
        folder = parent / (PREFIX + secrets.token_hex(4))
        try:
            folder.mkdir(mode=0o700)
            lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        except (FileExistsError, FileNotFoundError):
            continue
        except OSError as error:
            raise DeviceError(f"{parent}: no folder can be made there ({error.strerror}); expected a writable temporary folder") from None
        # it may have been swept before it was locked
        if _lock(lock) and _is(folder / "lock", lock):
            return folder, lock
        os.close(lock)
    raise DeviceError(f"{parent}: no folder can be locked there; expected a temporary folder on a disk of this machine")


def _folders() -> list[Path]:
    """Folders of this user's claims, living or not; no links."""
    found = []
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            about = folder.lstat()
            if stat.S_ISDIR(about.st_mode) and about.st_uid == USER:
                found.append(folder)
    return found


@contextlib.contextmanager
def _free(file: Path, flags: int) -> Iterator[bool]:
    """Whether nobody holds the lock of a file; meanwhile it is held here."""
    handle = os.open(file, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        yield _lock(handle)
    finally:
        os.close(handle)


def _is(file: Path, handle: int) -> bool:
    """Is an open file still the one under that name?"""
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
        """Lock an open file at once; False when another process holds it (or this one, by another handle)."""
        try:
            fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def _unlock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)
