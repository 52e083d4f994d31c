"""Notify listeners that a kernel is compiled. The module does not import the compiler: the command line imports it first."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

Listener = Callable[[str, bool], None]
"""Function called with the name of a kernel before it is compiled (True) and after (False); not called for kernels loaded from disk."""

_listeners: list[Listener] = []


@contextlib.contextmanager
def on_compile(listener: Listener) -> Iterator[None]:
    """Call `listener` for each kernel that is compiled within the block."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def notify(name: str, begins: bool) -> None:
    """Notify the listeners that the compilation of a kernel begins or has ended."""
    for listener in tuple(_listeners):
        listener(name, begins)
