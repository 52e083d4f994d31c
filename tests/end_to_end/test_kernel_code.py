"""Kernels that call kernels: the code of a large kernel exists once, in the process and on disk, and is reused."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from simulator.base.compile_lock import POSSIBLE
from tests.end_to_end.program import environment

LARGE = (
    "\n".join(f"    a[{i}] = a[{i}] * 1.5 + {i}.0" for i in range(8))
    + "\n"
    + "\n".join(f"    a[{i % 8}] += a[{(3 * i + 1) % 8}] * {i % 3 - 1}.25" for i in range(300))
)
LIBRARY = f"""
from simulator.base.jit import inline, kernel

@kernel
def large(a):
{LARGE}

@kernel
def small(a):
    return a[0] + 1.0

@inline
def piece(a):
    large(a)
    return small(a)

@kernel
def middle(a):
    return piece(a) + 1.0

@kernel
def top(a):
    large(a)
    return middle(a)
"""
MAIN = """
import sys
import numpy as np
from simulator.base import compile_events as compiling
compiled = []
with compiling.on_compile(lambda name, begins: compiled.append(name) if begins else None):
    import library
    a = np.ones(8)
    result = library.top(a), library.piece(a)
print(float.hex(result[0]), float.hex(result[1]), *compiled)
"""
FOREIGN = """
import numba, numpy as np
import library

@numba.njit(cache=True)
def theirs(a):
    return library.middle(a)

print(float.hex(theirs(np.ones(8))), *theirs.stats.cache_hits.values())
"""
LIES = """
import library
import numpy as np
library.top(np.ones(8))
def defined(dispatcher):
    module = next(iter(dispatcher.overloads.values())).library.own_module()
    return sorted({name for name in ("large", "small", "middle", "top") for f in module.functions
                   if not f.is_declaration and f"7library{len(name)}{name}" in f.name and "cpython" not in f.name})
print(defined(library.top), defined(library.large))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a library of kernels, and programs that use it."""
    made = tmp_path_factory.mktemp("kernels")
    for name, text in (("library", LIBRARY), ("main", MAIN), ("foreign", FOREIGN), ("lies", LIES)):
        (made / f"{name}.py").write_text(text)
    return made


def say(folder: Path, program: str, cache: str, **variables: str) -> list[str]:
    """The words that a process says."""
    done = subprocess.run(
        [sys.executable, f"{program}.py"],
        cwd=folder,
        env={**environment(), "XDG_CACHE_HOME": str(folder / cache), "PYTHONDONTWRITEBYTECODE": "1", **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


def test_kernels_are_found_again_with_what_they_call(folder: Path) -> None:
    plain = say(folder, "main", "main", NUMBA_DISABLE_JIT="1")
    assert say(folder, "main", "main") == [*plain, "top", "large", "middle", "small", "piece"]
    assert say(folder, "main", "main") == plain


@pytest.mark.full("a lost kernel that is not compiled again because the kernel that calls it is found")
@pytest.mark.parametrize("lost", ["large", "top"])
def test_a_kernel_that_is_lost_is_compiled_again(folder: Path, lost: str) -> None:
    said = say(folder, "main", "lost")
    gone = list((folder / "lost").rglob(f"library.{lost}-*.nbc"))
    assert gone
    for path in gone:
        path.unlink()
    again = say(folder, "main", "lost")
    assert again[:2] == said[:2]
    assert lost in again[2:]
    assert say(folder, "main", "lost") == said[:2]


def test_the_code_of_a_large_kernel_lies_once(folder: Path) -> None:
    text = " ".join(say(folder, "lies", "lies"))
    assert text == "['top'] ['large']", "small ones vanish in it"


def test_others_get_copies_that_are_good_in_another_process(folder: Path) -> None:
    first = say(folder, "foreign", "foreign")
    assert say(folder, "foreign", "foreign") == [*first, "1"]


@pytest.mark.skipif(not POSSIBLE, reason="needs locks of parts of a file")
def test_two_processes_compile_a_kernel_once(folder: Path) -> None:
    program = MAIN.replace("compiled = []", "from simulator.base.compile_lock import share_compilation\ncompiled = []").replace(
        "with compiling", "with share_compilation(int(sys.argv[1])), compiling"
    )
    (folder / "shared.py").write_text(program)
    claims = os.memfd_create("claims") if hasattr(os, "memfd_create") else os.open(folder / "claims", os.O_RDWR | os.O_CREAT)
    variables = {**environment(), "XDG_CACHE_HOME": str(folder / "shared"), "PYTHONDONTWRITEBYTECODE": "1"}
    both = [
        subprocess.Popen(
            [sys.executable, "shared.py", str(claims)], cwd=folder, env=variables, stdout=subprocess.PIPE, text=True, pass_fds=[claims]
        )
        for _ in range(2)
    ]
    said = [process.communicate(timeout=120)[0].split() for process in both]
    os.close(claims)
    assert [process.returncode for process in both] == [0, 0]
    assert said[0][:2] == said[1][:2]
    assert sorted(said[0][2:] + said[1][2:]) == ["large", "middle", "piece", "small", "top"]
