"""Who is told that a kernel is being compiled. Light: the command line uses it before anything of the compiler is loaded."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

Listener = Callable[[str, bool], None]
"""Called with the name of a kernel before it is compiled (True) and after (False); kernels that lie compiled on disk are not named."""

_listeners: list[Listener] = []


@contextlib.contextmanager
def on_compile(listener: Listener) -> Iterator[None]:
    """Have `listener` called whenever a kernel is compiled."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def notify(name: str, begins: bool) -> None:
    """Say that the compilation of a kernel begins, or has ended."""
    for listener in tuple(_listeners):
        listener(name, begins)
