"""Compiled kernels on disk: broken files are recompiled, and compiling is announced."""

import os
import platform
import shutil
import subprocess
import sys
import time
import types

import llvmlite.binding as llvm
import pytest
from program import ROOT, environment

from simulator.base import kernel_cache, kernel_eviction, prebuilt_kernels

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


def use(cache, installation=ROOT, **variables):
    """What a process says that uses a kernel: its result, and whether it was compiled."""
    variables = {**environment(), "XDG_CACHE_HOME": str(cache), **variables}
    variables["PYTHONPATH"] = str(installation)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=installation, env=variables, capture_output=True, text=True, check=False, timeout=120
    )
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


@pytest.fixture(scope="module")
def moved(tmp_path_factory):
    """Another installation with the same files."""
    folder = tmp_path_factory.mktemp("installation")
    for name in ("simulator", "vehicles", "terrain", "washout"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "_kernels"))
    return folder


def test_another_installation_uses_the_same_kernels(cache, moved):
    assert use(cache) in (FRESH, FROM_DISK)
    assert use(cache, moved) == FROM_DISK


def test_kernels_of_a_wheel_are_used_if_the_processor_has_their_features(tmp_path, moved):
    supported = platform.machine() == "x86_64" and all(llvm.get_host_cpu_features().get(name) for name in prebuilt_kernels.FEATURES)
    assert use(tmp_path / "build", moved, **prebuilt_kernels.VARIABLES) == FRESH
    shutil.copytree(tmp_path / "build" / "jounce" / "kernels", moved / "simulator" / "_kernels")
    try:
        assert use(tmp_path / "user", moved) == (FROM_DISK if supported else FRESH)
        assert bool(files(tmp_path / "user")) == (not supported)
        (data,) = (path for path in files(moved / "simulator" / "_kernels") if path.suffix == ".nbc")
        data.write_bytes(data.read_bytes()[:-1] + b"x")
        assert use(tmp_path / "user", moved) == FRESH, "a broken file is ignored"
    finally:
        shutil.rmtree(moved / "simulator" / "_kernels")


def folder_of(root, name, days, size=10):
    """A folder of kernels that was used some days ago."""
    folder = root / name
    folder.mkdir()
    (folder / "kernel.nbc").write_bytes(bytes(size))
    os.utime(folder, (time.time() - 86400.0 * days,) * 2)
    return folder


def test_unused_kernels_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_eviction, "MAX_BYTES", 25)
    ages = {"running": 0.1, "today": 0.5, "yesterday": 1.5, "last_week": 7, "last_month": 31}
    folders = {name: folder_of(tmp_path, name, days) for name, days in ages.items()}
    kernel_eviction.mark_used(folders["last_week"])
    kernel_eviction.evict(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"last_week", "running", "today"}
    kernel_eviction.evict(tmp_path / "missing")


def test_an_index_with_types_of_a_module_that_is_gone(tmp_path, monkeypatch):
    """As after the removal of a plugin that has called the kernel: the kernel is compiled again."""
    monkeypatch.setitem(sys.modules, "gone", types.ModuleType("gone"))
    sys.modules["gone"].Layout = type("Layout", (), {"__module__": "gone"})
    found = kernel_cache._CheckedFiles(str(tmp_path), "kernel", "stamp")
    found._save_index({sys.modules["gone"].Layout: "data"})
    assert list(found._load_index().values()) == ["data"]
    monkeypatch.delitem(sys.modules, "gone")
    assert found._load_index() == {}
