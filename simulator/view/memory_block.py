"""Blocks of shared memory between the processes of a drive."""

from __future__ import annotations

import contextlib
import sys
from multiprocessing import resource_tracker, shared_memory

from simulator.base.errors import DeviceError
from simulator.view.drive_lock import SHARED_MEMORY, hold, new_block


def create_block(name: str | None, size: int) -> shared_memory.SharedMemory:
    """Create a block, with a free name if `name` is None. Raises DeviceError."""
    try:
        memory = new_block(size) if name is None else shared_memory.SharedMemory(name, create=True, size=size)
    except FileExistsError:
        raise DeviceError(f"shared memory {name}: block name already in use; expected a free name") from None
    except OSError as error:
        raise DeviceError(f"shared memory: cannot create a block ({error.strerror}); expected free shared memory") from None
    hold(memory)
    if SHARED_MEMORY.is_dir():
        _track(memory, False)
    return memory


def _track(memory: shared_memory.SharedMemory, on: bool) -> None:
    """Register a block with Python's resource tracker, or unregister it, so that only `drive_lock.sweep` removes stale blocks."""
    if sys.platform != "win32" and getattr(memory, "_track", True):
        (resource_tracker.register if on else resource_tracker.unregister)(memory._name, "shared_memory")  # type: ignore[attr-defined]


def attach_block(name: str, what: str) -> shared_memory.SharedMemory:
    """Open the block of another process; `what` names it in messages. Raises DeviceError: it does not exist."""
    try:
        if sys.version_info >= (3, 13):
            return shared_memory.SharedMemory(name, track=False)
        memory = shared_memory.SharedMemory(name)
    except (FileNotFoundError, ValueError):
        raise DeviceError(f"shared memory {name}: {what} not found; expected a name from the host") from None
    # Before Python 3.13 the resource tracker removes a block when any process that opened it exits (cpython 82300).
    _track(memory, False)
    return memory


def close_block(memory: shared_memory.SharedMemory, unlink: bool) -> None:
    """Close a block, and remove it with `unlink`."""
    try:
        memory.close()
    except BufferError:
        # an array still uses the block; the mapping ends with the process
        memory._mmap = memory._buf = None  # type: ignore[attr-defined]
    if unlink:
        _track(memory, True)  # `unlink` unregisters the block again
        with contextlib.suppress(FileNotFoundError):
            memory.unlink()


def check_version(same: bool, name: str) -> None:
    """Raise DeviceError unless a block has the layout of this version of Jounce."""
    if not same:
        raise DeviceError(f"shared memory {name}: written by another version of Jounce; hint: close the other window and restart")
