"""Disk cache of compiled kernels that tolerates power failures, full disks and concurrent processes.

The cache of numba does not check its files: a truncated index raises an exception at every start, a truncated library crashes the compiler.
Here each file ends with a digest of its content. A file with a wrong digest is ignored, and its kernel is recompiled. The code is compressed.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import pickle
import sys
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile

from simulator.base import cleanup, compile_events, compile_lock, prebuilt_kernels
from simulator.base.kernel_code import KernelLibrary
from simulator.base.kernel_eviction import evict, mark_used

DIGEST = hashlib.sha256().digest_size
COMPRESSION = 1
"""Level of zlib. Machine code shrinks to a quarter at every level; a higher level takes longer."""


class KernelCache(FunctionCache):
    """Cache of one kernel in a folder of Jounce; the cache of other numba functions is unchanged.

    Parameters
    ----------
    folder : folder of the module, created by the first saved kernel
    read_only : folder of the module in a cache that cannot be written, for kernels that `folder` lacks
    """

    def __init__(self, function: Callable, folder: Path, read_only: Path | None = None) -> None:
        self._impl_class: Any = partial(_CacheFormat, folder=folder)
        super().__init__(function)
        self._function_name, self._folder = function.__qualname__, folder
        self._cache_file = self._files(folder, None if read_only is None else self._files(read_only))

    def _files(self, folder: Path, further: _CheckedFiles | None = None) -> _CheckedFiles:
        return _CheckedFiles(str(folder), self._impl.filename_base, folder.name, further)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the kernel for a signature from disk, or None if it must be compiled."""
        found = super().load_overload(sig, target_context)
        if found is not None:
            mark_used(self._folder)
            return found
        found = self._prebuilt(sig, target_context)
        if found is None and not compile_lock.claim(self._claim(sig)):
            found = super().load_overload(sig, target_context)
            if found is not None:
                compile_lock.release(self._claim(sig))
        if found is None:
            compile_events.notify(self._function_name, True)
        return found

    def _prebuilt(self, sig: Any, target_context: Any) -> Any:
        """Return the kernel for a signature that a wheel carries, or None."""
        code = prebuilt_kernels.generic_code()
        folder = prebuilt_kernels.FOLDER / self._folder.name
        if code is None or not folder.is_dir():
            return None
        parts = self._files(folder).load(self._index_key(sig, code))
        return None if parts is None else self._impl.rebuild(target_context, parts)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save a compiled kernel. If it cannot be written, it is recompiled at the next start."""
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)
            evict(self._folder.parent)
        compile_lock.release(self._claim(sig))
        compile_events.notify(self._function_name, False)

    def _claim(self, sig: Any) -> str:
        """Return the name of a kernel and its signature, which all processes share."""
        return f"{self._impl.filename_base} {sig}"


class _Locator:
    """Cache locator of numba; the name of the folder is the digest of the source."""

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


class _CacheFormat(CompileResultCacheImpl):
    """Serialization of a kernel, in the folder of Jounce regardless of the configuration of numba."""

    def __init__(self, function: Callable, folder: Path) -> None:
        self._locator = _Locator(function, folder)
        self._lineno = function.__code__.co_firstlineno
        name = f"{function.__module__}.{function.__qualname__}"
        self._filename_base = self.get_filename_base(name, getattr(sys, "abiflags", ""))

    def reduce(self, data: Any) -> Any:
        """Return the picklable parts of a compiled kernel and the origins of the kernels that it calls."""
        library = data.library
        is_ours = isinstance(library, KernelLibrary)
        return (is_ours, library.origin, [called.origin for called in library.called]) if is_ours else (is_ours, None, []), super().reduce(
            data
        )

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """Return a compiled kernel from its parts, after loading the kernels that it calls; None if one of them has changed."""
        (is_ours, origin, calls), parts = payload
        called = {found.library(): None for found in calls}
        if None in called:
            return None
        compiled = super().rebuild(target_context, parts)
        if is_ours:
            compiled.library.__class__ = KernelLibrary
            compiled.library.origin, compiled.library.called = origin, called
        return compiled


class _CheckedFiles(IndexDataCacheFile):
    """Index and data files of one kernel, each with a digest at the end; the data are compressed. `more` is read in addition."""

    def __init__(self, folder: str, name: str, stamp: str, more: _CheckedFiles | None = None) -> None:
        super().__init__(folder, name, stamp)
        self._more = more

    def load(self, key: Any) -> Any:
        """Return the data of a key; None if there are none."""
        found = super().load(key)
        return self._more.load(key) if found is None and self._more is not None else found

    def save(self, key: Any, data: Any) -> None:
        """Save the data under a name unique to the key, then the index: concurrent processes do not overwrite each other's data."""
        name = self._data_name(int.from_bytes(hashlib.sha256(repr(key).encode()).digest()[:8], "big"))
        overloads = self._load_index()
        self._save_data(name, data)
        self._save_index({**overloads, key: name})

    def _load_index(self) -> dict[Any, str]:
        try:
            return super()._load_index() if _is_valid(Path(self._index_path)) else {}
        except (ImportError, AttributeError):  # the types of a caller that is not there any more, for example of a plugin
            return {}

    def _load_data(self, name: str) -> Any:
        path = Path(self._data_path(name))
        if not _is_valid(path):
            raise FileNotFoundError(path)  # numba then compiles the kernel
        return pickle.loads(zlib.decompress(path.read_bytes()[:-DIGEST]))

    def _save_data(self, name: str, data: Any) -> None:
        with self._open_for_write(self._data_path(name)) as file:
            file.write(zlib.compress(self._dump(data), COMPRESSION))

    @contextlib.contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        content = io.BytesIO()
        yield content
        with cleanup.defer_exit(), super()._open_for_write(filepath) as file:
            file.write(content.getvalue() + hashlib.sha256(content.getvalue()).digest())


def _is_valid(path: Path) -> bool:
    """Return True if the digest of a file is correct."""
    try:
        content = path.read_bytes()
    except OSError:
        return False
    return hashlib.sha256(content[:-DIGEST]).digest() == content[-DIGEST:]
