"""Compiled kernels on disk, so that a power cut, a full disk or two processes at once cannot make a later start fail.

Numba's own cache believes what it finds: half an index is a traceback at every start, half a library a crash inside the compiler. Here
every file ends with a digest of what stands before it. A file whose digest is wrong counts as absent, and its kernel is compiled again.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile

from simulator.base import cleanup, compile_events, compile_lock
from simulator.base.kernel_code import KernelLibrary

DIGEST = hashlib.sha256().digest_size


class KernelCache(FunctionCache):
    """Cache of one kernel in a folder of ours; where numba keeps other people's is left as it is."""

    def __init__(self, function: Callable, folder: Path) -> None:
        self._impl_class: Any = partial(_Kept, folder=folder)
        super().__init__(function)
        self._function_name = function.__qualname__
        self._cache_file = _CheckedFiles(self._cache_path, self._impl.filename_base, self._impl.locator.get_source_stamp())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The kernel for these types as it lies on disk, or None when it has to be compiled."""
        found = super().load_overload(sig, target_context)
        if found is None and not compile_lock.claim(self._claim(sig)):
            found = super().load_overload(sig, target_context)
            if found is not None:
                compile_lock.release(self._claim(sig))
        if found is None:
            compile_events.notify(self._function_name, True)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a kernel that was just compiled; where the disk refuses, it is compiled again at the next start."""
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)
        compile_lock.release(self._claim(sig))
        compile_events.notify(self._function_name, False)

    def _claim(self, sig: Any) -> str:
        """What a kernel for these types is called between processes."""
        return f"{self._impl.filename_base} {sig}"


class _Place:
    """Where numba finds a kernel: the folder is already named after the source."""

    def __init__(self, function: Callable, folder: Path) -> None:
        self._py_file = function.__code__.co_filename
        self._line, self._folder = function.__code__.co_firstlineno, folder

    def get_cache_path(self) -> str:
        return str(self._folder)

    def ensure_cache_path(self) -> None:
        """Raises OSError."""
        self._folder.mkdir(parents=True, exist_ok=True)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return str(self._line)


class _Kept(CompileResultCacheImpl):
    """How a kernel becomes a file, at a place of ours, whatever is configured for other people's."""

    def __init__(self, function: Callable, folder: Path) -> None:
        self._locator = _Place(function, folder)
        self._lineno = function.__code__.co_firstlineno
        name = f"{function.__module__}.{function.__qualname__}"
        self._filename_base = self.get_filename_base(name, getattr(sys, "abiflags", ""))

    def reduce(self, data: Any) -> Any:
        """Picklable parts of a compiled kernel, and which kernels it calls."""
        library = data.library
        mine = isinstance(library, KernelLibrary)
        return (mine, library.origin, [called.origin for called in library.called]) if mine else (mine, None, []), super().reduce(data)

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """A compiled kernel out of its parts, after those that it calls; None when one of them is not what it was."""
        (mine, origin, calls), parts = payload
        called = {found.library(): None for found in calls}
        if None in called:
            return None
        compiled = super().rebuild(target_context, parts)
        if mine:
            compiled.library.__class__ = KernelLibrary
            compiled.library.origin, compiled.library.called = origin, called
        return compiled


class _CheckedFiles(IndexDataCacheFile):
    """Index and data files of one kernel, each closed by a digest (unpickling stops before it)."""

    def save(self, key: Any, data: Any) -> None:
        """The data first, under a name that only this key has: two processes that save at once do not take each other's place."""
        name = self._data_name(int.from_bytes(hashlib.sha256(repr(key).encode()).digest()[:8], "big"))
        overloads = self._load_index()
        self._save_data(name, data)
        self._save_index({**overloads, key: name})

    def _load_index(self) -> dict[Any, str]:
        return super()._load_index() if _is_whole(Path(self._index_path)) else {}

    def _load_data(self, name: str) -> Any:
        path = Path(self._data_path(name))
        if not _is_whole(path):
            raise FileNotFoundError(path)  # which numba takes for: not compiled yet
        return super()._load_data(name)

    @contextlib.contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        content = io.BytesIO()
        yield content
        with cleanup.defer_exit(), super()._open_for_write(filepath) as file:
            file.write(content.getvalue() + hashlib.sha256(content.getvalue()).digest())


def _is_whole(path: Path) -> bool:
    """Whether a file is as it was written."""
    try:
        content = path.read_bytes()
    except OSError:
        return False
    return hashlib.sha256(content[:-DIGEST]).digest() == content[-DIGEST:]
