"""Compiled kernels that a wheel carries: machine code for a generic level of x86-64 processors.

`make wheel` compiles the kernels for this level into FOLDER. A process reads a kernel from FOLDER if its own cache lacks the kernel, and if
the processor has the features of the level. The arithmetic of a kernel does not depend on the processor, so its results have the same bits.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import llvmlite.binding as llvm

FOLDER = Path(__file__).resolve().parents[1] / "_kernels"
"""Folder of the kernels in an installed wheel; a checkout has none."""

CPU = "x86-64-v3"
"""Level of the processor, as LLVM names it."""

FEATURES = ("avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3")
"""Features of a processor of this level, as LLVM names them."""

VARIABLES = {"NUMBA_CPU_NAME": CPU, "NUMBA_CPU_FEATURES": ""}
"""Environment variables with which numba compiles for this level."""


@cache
def generic_code() -> Any | None:
    """Return the identity of machine code of the level, in place of numba's code generator; None if this processor cannot run it."""
    if not FOLDER.is_dir() or not llvm.get_process_triple().startswith("x86_64"):
        return None
    found = llvm.get_host_cpu_features()
    if not all(found.get(name) for name in FEATURES):
        return None
    return SimpleNamespace(magic_tuple=lambda: (llvm.get_process_triple(), CPU, ""))
