"""Configuration of numba: decorators of kernels and their disk cache. No other module configures numba.

`kernel` compiles a function on its first call and saves the machine code on disk. By default, numba checks only the file of the
function itself and keeps using old code after a change of a *called* function (numba issue 1833). Here the name of the cache folder of
a module is a digest of the module and of all Jounce modules that it imports, directly or indirectly. A change in one of these modules
recompiles the kernels; a change elsewhere does not.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite.binding as llvm
import numba
from numba.extending import intrinsic, overload

from simulator.base import prebuilt_kernels
from simulator.base.kernel_cache import KernelCache
from simulator.base.kernel_code import InlineCompiler, InlineDispatcher, KernelCompiler, KernelDispatcher
from simulator.base.user_folders import is_persistent, read_only_cache, user_cache

# The loop over the four corners reads and writes hundreds of fields of a few records. By default, LLVM stops the proof that the records
# do not overlap after 100 comparisons, and then does not vectorize the loop (a factor of 4 on the kinematics).
llvm.set_option("", "--memory-check-merge-threshold=1000000")

F = TypeVar("F", bound=Callable)

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("simulator", "vehicles", "terrain", "washout")
"""Packages of a wheel."""
_IMPORT = re.compile(
    rf"^\s*(?:from|import)\s+((?:{'|'.join((*PACKAGES, 'research'))})(?:\.\w+)*)(?:\s+import\s+(\([^)]*\)|[^\n#]*))?", re.MULTILINE
)


COMPILES = not numba.config.DISABLE_JIT  # type: ignore[attr-defined]
"""False if the compiler of numba is switched off (NUMBA_DISABLE_JIT=1): kernels are plain functions then."""

KERNELS = "kernels"
"""Name of the cache folder of the compiled kernels."""

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
"""Options of every kernel; the last one removes the heap (the runtime NRT of numba)."""


def kernel(function: F) -> F:
    """Compile `function` to machine code that releases the GIL; cached on disk, IEEE arithmetic, 1/0 = inf as in NumPy.

    Kernels have no heap: a kernel that creates an array does not compile. Without the heap, the compiler does not count references to the
    parts of records, which otherwise takes a third of the time of a vehicle evaluation.

    A kernel called by another kernel is never inlined; see `simulator.base.kernel_code`. By default, numba also inlines a kernel whose first
    caller is an inline function.
    """
    if not COMPILES:
        return function
    options = {"nopython": True, "boundscheck": None, "forceinline": False, **OPTIONS}
    compiled = KernelDispatcher(function, targetoptions=options, pipeline_class=KernelCompiler)
    use_cache(compiled, function)
    return cast(F, compiled)


def use_cache(compiled: Any, function: Callable) -> None:
    """Save the machine code of a function in the cache folder of Jounce."""
    digest = _digest(function.__code__.co_filename)
    read_only = read_only_cache(KERNELS)
    compiled._cache = KernelCache(function, cache_folder() / digest, None if read_only is None else read_only / digest)


def inline(function: F) -> F:
    """Compile `function` as part of every kernel that calls it.

    For vector algebra and the parts of a long loop: a remaining call would prevent the vectorization of the loop over the four corners.
    A call from Python runs the function as a kernel.
    """
    if not COMPILES:
        return function
    options = {"nopython": True, "boundscheck": None, "forceinline": True, **OPTIONS}
    return cast(F, InlineDispatcher(function, targetoptions=options, pipeline_class=InlineCompiler, as_kernel=kernel))


def fma(a: float, b: float, c: float) -> float:
    """Return a b + c; in a kernel as one instruction that rounds once: the same bits on every machine, half the time of a long sum of products."""
    return a * b + c


@intrinsic
def _fma(_context, a, b, c):
    """Return the fma instruction of the processor, for doubles."""
    return a(a, b, c), lambda _, builder, __, arguments: builder.fma(*arguments)


@overload(fma, jit_options=OPTIONS | {"forceinline": True})  # type: ignore[arg-type]
def _fma_in_kernels(a, b, c):
    return lambda a, b, c: _fma(a, b, c)  # type: ignore[call-arg] # noqa: PLW0108 (numba reads the arguments off the lambda)


def source_digest(file: str) -> str:
    """Return the digest of a source file and of all Jounce files that it imports, directly or indirectly."""
    return _digest(file)


def is_compiled(file: str) -> bool:
    """Return True if compiled kernels of the present state of a source file and its imports are on disk."""
    prebuilt = None if prebuilt_kernels.generic_code() is None else prebuilt_kernels.FOLDER
    folders = (cache_folder(), read_only_cache(KERNELS), prebuilt)
    return any(any((folder / _digest(file)).rglob("*.nbc")) for folder in folders if folder is not None)


def cache_folder() -> Path:
    """Return the folder of the compiled kernels."""
    return user_cache(KERNELS)


@cache
def is_cache_persistent() -> bool:
    """Return True if other processes can load the kernels compiled by this process."""
    return COMPILES and is_persistent(KERNELS)


@cache
def _digest(file: str) -> str:
    """Return the digest of a source file and its imports; equal files in another folder have the same digest."""
    digest = hashlib.sha256(numba.__version__.encode())
    for content in sorted(_content(path) for path in _closure(file)):
        digest.update(content)
    return digest.hexdigest()[:16]


@cache
def _content(file: str) -> bytes:
    """Return the path of a Jounce file in its installation, or the name of the file of a plugin, and the digest of its content."""
    path = Path(file)
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
    return name.encode() + hashlib.sha256(path.read_bytes()).digest()


def _closure(file: str) -> set[str]:
    """Return a source file and all files that it imports, directly or indirectly."""
    seen: set[str] = set()
    waiting = [file] if Path(file).is_file() else []
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            waiting.extend(_imports(path))
    return seen


@cache
def _imports(file: str) -> tuple[str, ...]:
    """Return the Jounce files that a source file imports directly; for a plugin, also all modules of its folder."""
    path = Path(file)
    found = [] if ROOT in path.parents else list(path.parent.glob("*.py"))
    for module, names in _IMPORT.findall(path.read_text(encoding="utf-8")):
        base = ROOT.joinpath(*module.split("."))
        found += [base.with_suffix(".py"), base / "__init__.py"]
        found += [base / f"{name}.py" for name in re.findall(r"\w+", names)]
    return tuple(str(candidate) for candidate in found if candidate.is_file())
