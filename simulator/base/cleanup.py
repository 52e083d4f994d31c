"""What must not stay behind when the program is told to leave at once: child processes, shared memory, temporary files, new folders.

Whatever is made is made and noted in one piece, `with defer_exit():`, so that leaving cannot come in between.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import subprocess

PATIENCE = 2.0
"""s that leaving waits for something that is being made."""

_lock = threading.RLock()
_removals: dict[object, Callable[[], Any]] = {}
_children: list[subprocess.Popen] = []


@contextlib.contextmanager
def defer_exit() -> Iterator[None]:
    """Hold back leaving while something is made and noted with `register_cleanup`; a moment only. Once leaving has begun this never returns."""
    with _lock:
        yield


def register_cleanup(remove: Callable[[], Any]) -> Callable[[], None]:
    """Have `remove` called if the program leaves at once; calling what is returned forgets it again."""
    key = object()
    _removals[key] = remove
    return lambda: _removals.pop(key, None) and None


def start_child(command: list[str], **options: Any) -> subprocess.Popen:
    """`subprocess.Popen` of a child that does not outlive the program, in a session of its own: a terminal's signals are for us alone."""
    import subprocess  # not at the top: signals are heard before it is loaded

    with defer_exit():
        child: subprocess.Popen = subprocess.Popen(command, start_new_session=True, **options)
        _children[:] = [other for other in _children if other.returncode is None]
        _children.append(child)
    return child


def remove_all() -> None:
    """End the children and call what was kept, the latest first; after this nothing more is made."""
    _lock.acquire(timeout=PATIENCE)  # for good
    for child in _children:
        with contextlib.suppress(OSError):
            child.kill()
    for remove in reversed(tuple(_removals.values())):
        with contextlib.suppress(Exception):  # the others are removed all the same
            remove()
