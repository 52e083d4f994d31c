"""Shared compilation for worker processes: one process compiles each kernel, the others wait and load it from disk.

This uses locks on a file in the kernel cache. Without file locks, every process compiles for itself.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import BinaryIO

from simulator.base import compile_lock
from simulator.base.jit import cache_folder, is_cache_persistent
from simulator.builder.warm_up import compile_kernels

CLAIMS = "claims"
LOOK, ALL = 0, 1
"""Bytes of the lock file: one to test whether locks work, one for the kernels that every vehicle needs."""


def compile_or_wait() -> None:
    """Compile the kernels of a usual vehicle, or wait for the process that compiles them."""
    with _claims() as file:
        if file is not None:
            compile_lock.fcntl.lockf(file, compile_lock.fcntl.LOCK_EX, 1, ALL)
        compile_kernels(lambda line: None)


@contextlib.contextmanager
def compiled_once() -> Iterator[None]:
    """Within this context, the first process that needs a missing kernel compiles it. Locks of failed compilations are released at the
    end."""
    with _claims() as file, contextlib.ExitStack() as stack:
        if file is not None:
            stack.enter_context(compile_lock.share_compilation(file.fileno()))
        yield


@contextlib.contextmanager
def _claims() -> Iterator[BinaryIO | None]:
    """Yield the lock file, or None if locks are not available. The operating system releases all locks when the file is closed."""
    if not (compile_lock.POSSIBLE and is_cache_persistent()):
        yield None
        return
    with open(cache_folder() / CLAIMS, "a+b") as file:
        try:
            compile_lock.fcntl.lockf(file, compile_lock.fcntl.LOCK_SH | compile_lock.fcntl.LOCK_NB, 1, LOOK)
        except OSError:
            yield None
        else:
            yield file
