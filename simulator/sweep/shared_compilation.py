"""Many processes of a machine start at once, and every kernel is compiled by one of them: the others wait and take it from the disk.

Both ways stand on locks of a file beside the kernels. Where there are no such locks every process compiles for itself.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import BinaryIO

from simulator.base import compile_lock
from simulator.base.jit import cache_folder, cache_is_kept
from simulator.builder.warm_up import compile_kernels

CLAIMS = "claims"
LOOK, ALL = 0, 1
"""Bytes of the file: to find out whether there are locks, and for whoever compiles all that every vehicle needs."""


def compile_or_wait() -> None:
    """Have the kernels of a usual vehicle, compiled here unless another process does it at the moment."""
    with _claims() as file:
        if file is not None:
            compile_lock.fcntl.lockf(file, compile_lock.fcntl.LOCK_EX, 1, ALL)
        compile_kernels(lambda line: None)


@contextlib.contextmanager
def compiled_once() -> Iterator[None]:
    """Inside, a kernel that is missing is compiled by who comes to it first. What was claimed and could not be compiled is free again at the
    end."""
    with _claims() as file, contextlib.ExitStack() as stack:
        if file is not None:
            stack.enter_context(compile_lock.share_compilation(file.fileno()))
        yield


@contextlib.contextmanager
def _claims() -> Iterator[BinaryIO | None]:
    """The file, None where it is of no use. The system takes all locks on it back when it is closed."""
    if not (compile_lock.POSSIBLE and cache_is_kept()):
        yield None
        return
    with open(cache_folder() / CLAIMS, "a+b") as file:
        try:
            compile_lock.fcntl.lockf(file, compile_lock.fcntl.LOCK_SH | compile_lock.fcntl.LOCK_NB, 1, LOOK)
        except OSError:
            yield None
        else:
            yield file
