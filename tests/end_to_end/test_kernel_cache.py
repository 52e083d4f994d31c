"""Compiled kernels on disk: broken files are recompiled, and compiling is announced."""

import os
import subprocess
import sys

import pytest
from program import environment

PROGRAM = """
import numpy as np
from simulator.base import compile_events as compiling
compiled = []
with compiling.on_compile(lambda name, begins: compiled.append((name, begins))):
    from simulator.base.rotations import rotation_of_quaternion
    R = np.zeros((3, 3))
    rotation_of_quaternion(np.array([1.0, 0.0, 0.0, 0.0]), R)
print(R.trace(), compiled)
"""
FRESH = "3.0 [('rotation_of_quaternion', True), ('rotation_of_quaternion', False)]\n"
FROM_DISK = "3.0 []\n"


def use(cache):
    """What a process says that uses a kernel: its result, and whether it was compiled."""
    variables = {**environment(), "XDG_CACHE_HOME": str(cache)}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=variables, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def files(cache):
    return sorted(path for path in cache.rglob("*.nb*") if path.is_file())


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cache")
    assert use(folder) == FRESH
    assert use(folder) == FROM_DISK
    return folder


@pytest.mark.parametrize("damage", [lambda b: b"", lambda b: b[: len(b) // 2], lambda b: b[:-1] + b"x", lambda b: bytes(len(b))])
@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_a_broken_file_is_compiled_again(cache, suffix, damage):
    for path in files(cache):
        if path.suffix == suffix:
            path.write_bytes(damage(path.read_bytes()))
    assert use(cache) == FRESH
    assert len(files(cache)) == 2, "nothing piles up"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs a folder that cannot be written")
def test_a_cache_that_cannot_be_written(cache):
    folder = files(cache)[0].parent
    for path in files(cache):
        path.unlink()
    folder.chmod(0o500)
    try:
        assert use(cache) == FRESH
    finally:
        folder.chmod(0o700)


def test_a_file_that_is_a_folder(cache):
    index = next(path for path in files(cache) if path.suffix == ".nbi")
    index.unlink()
    index.mkdir()
    assert use(cache) == FRESH
    index.rmdir()
    assert use(cache) == FRESH
