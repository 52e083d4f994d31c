"""The only place that configures numba.

`kernel` compiles a function on its first call and keeps the machine code on disk. Numba alone looks only at the file of the
function itself and would go on using old code after a change in a *called* function (numba issue 1833). Here the cache folder of
each module is named by a digest of that module and of every module of ours it imports, directly or not, so an edit anywhere below
compiles again, and an edit elsewhere does not.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite.binding as llvm
import numba
from numba.extending import intrinsic, overload

from simulator.base.kernel_cache import KernelCache
from simulator.base.kernel_code import InlineCompiler, InlineDispatcher, KernelCompiler

# The loop over the four corners reads and writes hundreds of fields of a few records. LLVM gives up proving that the records do not
# overlap after 100 comparisons, and with that gives up the vector lanes (a factor of 4 on the kinematics); let it go on.
llvm.set_option("", "--memory-check-merge-threshold=1000000")

F = TypeVar("F", bound=Callable)

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("simulator", "vehicles", "terrain", "washout")
_IMPORT = re.compile(rf"^\s*(?:from|import)\s+((?:{'|'.join(PACKAGES)})(?:\.\w+)*)(?:\s+import\s+(\([^)]*\)|[^\n#]*))?", re.MULTILINE)


COMPILES = not numba.config.DISABLE_JIT  # type: ignore[attr-defined]
"""False when numba's compiler is switched off (NUMBA_DISABLE_JIT=1): kernels are plain functions then."""

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
"""Of every kernel; the last one takes the heap away (the runtime that numba calls NRT)."""


def kernel(function: F) -> F:
    """Compile `function` to machine code that releases the GIL; cached on disk, IEEE arithmetic, 1/0 = inf as in NumPy.

    Kernels have no heap: one that makes an array does not compile. Without it the compiler need not count references to every part
    of a record that a kernel looks at, which otherwise takes a third of the time of an evaluation of the vehicle.

    A kernel that calls a kernel calls it, whoever compiled it first; see `simulator.base.kernel_code`. Numba alone makes a kernel that is
    first met inside an inline function an inline function too.
    """
    if not COMPILES:
        return function
    compiled = numba.njit(pipeline_class=KernelCompiler, forceinline=False, **OPTIONS)(function)
    use_cache(compiled, function)
    return cast(F, compiled)


def use_cache(compiled: Any, function: Callable) -> None:
    """Keep what numba makes of a function in our folder on disk."""
    compiled._cache = KernelCache(function, cache_folder() / _digest(function.__code__.co_filename))


def inline(function: F) -> F:
    """Compile `function` as part of every kernel that calls it.

    For the vector algebra and the pieces of a long loop: a call left inside would keep the compiler from running the loop over the
    four corners in the processor's vector lanes. Python may call it too, and gets a kernel of it.
    """
    if not COMPILES:
        return function
    options = {"nopython": True, "boundscheck": None, "forceinline": True, **OPTIONS}
    piece = InlineDispatcher(function, targetoptions=options, pipeline_class=InlineCompiler)
    piece.as_kernel = kernel(function)
    return cast(F, piece)


def fma(a: float, b: float, c: float) -> float:
    """a b + c, in a kernel as one instruction that rounds once: the same bits on every machine, half the work of a long sum of products."""
    return a * b + c


@intrinsic
def _fma(_context, a, b, c):
    """The processor's own, for doubles."""
    return a(a, b, c), lambda _, builder, __, arguments: builder.fma(*arguments)


@overload(fma, jit_options=OPTIONS | {"forceinline": True})  # type: ignore[arg-type]
def _fma_in_kernels(a, b, c):
    return lambda a, b, c: _fma(a, b, c)  # type: ignore[call-arg] # noqa: PLW0108 (numba reads the arguments off the lambda)


def source_digest(file: str) -> str:
    """Digest of a source file and of every file of ours that it imports, directly or not: of what it does."""
    return _digest(file)


def is_compiled(file: str) -> bool:
    """True when kernels of this source file, as it and what it imports are now, lie compiled on disk."""
    return any((cache_folder() / _digest(file)).rglob("*.nbc"))


def cache_folder() -> Path:
    """Folder of the compiled kernels."""
    return user_cache("kernels")


@cache
def user_cache(name: str) -> Path:
    """Folder of that name in the user's cache folder, or a private temporary one when that cannot be written."""
    folder = _users_folder(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return Path(tempfile.mkdtemp(prefix=f"jounce-{name}-"))


@cache
def cache_is_kept() -> bool:
    """Whether other processes find what this one has compiled."""
    return COMPILES and cache_folder() == _users_folder("kernels")


def _users_folder(name: str) -> Path:
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "jounce" / name


@cache
def _digest(file: str) -> str:
    """Digest of a source file, of where it lies (numba compiles again elsewhere) and of every file of ours it imports, directly or not."""
    digest = hashlib.sha256(f"{numba.__version__} {ROOT}".encode())
    for path in sorted(_closure(Path(file))):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _closure(file: Path) -> set[Path]:
    seen: set[Path] = set()
    waiting = [file]
    while waiting:
        path = waiting.pop()
        if path in seen or not path.is_file():
            continue
        seen.add(path)
        waiting.extend(_imports(path))
        if ROOT not in path.parents:
            waiting.extend(path.parent.glob("*.py"))  # whoever lives elsewhere may import what lies beside him
    return seen


@cache
def _imports(path: Path) -> tuple[Path, ...]:
    found = []
    for module, names in _IMPORT.findall(path.read_text(encoding="utf-8")):
        base = ROOT.joinpath(*module.split("."))
        found += [base.with_suffix(".py"), base / "__init__.py"]
        found += [base / f"{name}.py" for name in re.findall(r"\w+", names)]
    return tuple(candidate for candidate in found if candidate.is_file())
