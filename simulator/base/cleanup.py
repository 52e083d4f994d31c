"""Clean up child processes, shared memory, temporary files and new folders at forced exit.

A resource is created and registered inside `with defer_exit():`, so that a forced exit cannot happen between the two.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import subprocess

PATIENCE = 2.0
"""Time [s] that a forced exit waits for a resource that is being created."""

_lock = threading.RLock()
_removals: dict[object, Callable[[], Any]] = {}
_children: list[subprocess.Popen] = []


@contextlib.contextmanager
def defer_exit() -> Iterator[None]:
    """Defer a forced exit while a resource is created and registered; keep the block short. Never returns once a forced exit has begun."""
    with _lock:
        yield


def register_cleanup(remove: Callable[[], Any]) -> Callable[[], None]:
    """Register `remove` to be called at forced exit, and return a function that removes the registration."""
    key = object()
    _removals[key] = remove
    return lambda: _removals.pop(key, None) and None


def start_child(command: list[str], **options: Any) -> subprocess.Popen:
    """Start a child process that is killed at forced exit. The child has its own session, so signals of the terminal do not reach it."""
    import subprocess  # imported here: signal handlers are installed before this slow import

    with defer_exit():
        child: subprocess.Popen = subprocess.Popen(command, start_new_session=True, **options)
        _children[:] = [other for other in _children if other.returncode is None]
        _children.append(child)
    return child


def remove_all() -> None:
    """Kill the children and call the registered functions, the last one first. No resource can be created afterwards."""
    _lock.acquire(timeout=PATIENCE)  # never released
    for child in _children:
        with contextlib.suppress(OSError):
            child.kill()
    for remove in reversed(tuple(_removals.values())):
        with contextlib.suppress(Exception):  # continue with the other resources
            remove()
