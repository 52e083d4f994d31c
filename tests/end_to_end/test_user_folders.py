"""Users without a home folder, or with one that cannot be written: a numeric user of a container, a shared read-only cache."""

from __future__ import annotations

import os
import stat
import subprocess
import sys

import pytest
from program import ROOT

from simulator.base import user_folders

pytestmark = pytest.mark.skipif(os.name != "posix", reason="numeric users and folders of POSIX")

HOMELESS = """
import os, pwd, sys
os.environ.pop("HOME", None)
def unknown(number):
    raise KeyError(number)
pwd.getpwuid = unknown
"""
"""Makes this process that of a user without a variable HOME and without an entry in the password file."""

READ_ONLY = """
from simulator.base import user_folders
writable = user_folders._is_writable
user_folders._is_writable = lambda folder: "cache" not in folder.parts and writable(folder)
"""
"""Makes the cache of the user one that cannot be written, also for root."""

KERNEL = """
import numpy as np
from simulator.base import compile_events, jit
compiled = []
with compile_events.on_compile(lambda name, begins: compiled.append(name)):
    from simulator.base.rotations import rotation_of_quaternion
    rotation_of_quaternion(np.array([1.0, 0.0, 0.0, 0.0]), np.zeros((3, 3)))
print(len(compiled) // 2, jit.is_cache_persistent())
"""

COMMAND = """
from simulator.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def python(tmp_path, *parts, arguments=(), check=True, **variables):
    """Run a program; the folder of temporary files is tmp_path/temporary."""
    (tmp_path / "temporary").mkdir(exist_ok=True)
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path / "temporary"), **variables}
    program = "import sys\n" + "".join(parts)
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=check)


@pytest.mark.parametrize(
    "arguments", [("list", "vehicles"), ("devices", "--json"), ("check", "configs/terrains/flat.yaml"), ("terrain", "info", "flat")]
)
def test_commands_of_a_user_without_a_home_folder(tmp_path, arguments):
    there = [str(ROOT / name) if name.endswith(".yaml") else name for name in arguments]
    done = python(tmp_path, HOMELESS, COMMAND, arguments=there, check=False)
    assert "Traceback" not in done.stderr
    assert done.returncode == 0, done.stderr


def test_kernels_of_a_user_without_a_home_folder_are_compiled_once(tmp_path):
    first, second = (python(tmp_path, HOMELESS, KERNEL).stdout for _ in range(2))
    assert (first, second) == ("1 True\n", "0 True\n")
    (folder,) = (tmp_path / "temporary").iterdir()
    assert folder.name == f"jounce-{os.getuid()}"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_plot_of_a_user_without_a_home_folder(tmp_path):
    text = "import matplotlib.font_manager\nprint(matplotlib.get_cachedir())\n"
    text = "from simulator.base.user_folders import provide_for_matplotlib\nprovide_for_matplotlib()\n" + text
    done = python(tmp_path, HOMELESS, text)
    assert done.stdout.strip() == str(tmp_path / "temporary" / f"jounce-{os.getuid()}" / "matplotlib")
    assert "MPLCONFIGDIR" not in done.stderr


def test_a_filled_cache_that_cannot_be_written_is_used(tmp_path):
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    assert python(tmp_path, KERNEL, **cache).stdout == "1 True\n"
    assert python(tmp_path, READ_ONLY, KERNEL, **cache).stdout == "0 True\n"


def test_an_empty_cache_that_cannot_be_written_is_replaced_once(tmp_path):
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    (tmp_path / "cache/jounce/kernels").mkdir(parents=True)
    assert [python(tmp_path, READ_ONLY, KERNEL, **cache).stdout for _ in range(2)] == ["1 True\n", "0 True\n"]
    assert len(os.listdir(tmp_path / "temporary")) == 1


@pytest.mark.parametrize("trap", ["link", "open to all"])
def test_kernels_are_not_loaded_from_a_folder_that_others_can_change(tmp_path, trap):
    """And the folder of a single process does not stay."""
    private = tmp_path / "temporary" / f"jounce-{os.getuid()}"
    (tmp_path / "theirs").mkdir()
    private.parent.mkdir()
    if trap == "link":
        private.symlink_to(tmp_path / "theirs")
    else:
        private.mkdir()
        private.chmod(0o777)
    assert python(tmp_path, HOMELESS, KERNEL).stdout == "1 False\n"
    assert os.listdir(tmp_path / "theirs") == []
    assert os.listdir(tmp_path / "temporary") == [private.name]


def test_no_folder_can_be_written(tmp_path):
    nowhere = READ_ONLY + "import tempfile\nuser_folders._is_writable = lambda folder: False\n"
    nowhere += "def none(*_, **__):\n    raise FileNotFoundError('no usable temporary directory')\ntempfile.mkdtemp = none\n"
    assert python(tmp_path, nowhere, KERNEL, XDG_CACHE_HOME=str(tmp_path / "cache")).stdout == "1 False\n"


def bytecode_folders(monkeypatch, tmp_path, cached, dont_write):
    """`sys.pycache_prefix` after a start, with the bytecode of the sources at `cached`."""
    monkeypatch.setattr(user_folders.__spec__, "cached", str(cached))
    monkeypatch.setattr(user_folders, "user_cache", tmp_path.joinpath)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    monkeypatch.setattr(sys, "dont_write_bytecode", dont_write)
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", "")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    user_folders.provide_bytecode()
    return sys.pycache_prefix


def test_bytecode_that_cannot_be_saved_beside_the_sources_goes_to_the_cache(monkeypatch, tmp_path):
    assert bytecode_folders(monkeypatch, tmp_path, tmp_path / "none.pyc", True) == str(tmp_path / "bytecode")
    assert not sys.dont_write_bytecode
    assert os.environ["PYTHONPYCACHEPREFIX"] == str(tmp_path / "bytecode") and "PYTHONDONTWRITEBYTECODE" not in os.environ


def test_bytecode_beside_the_sources_is_used(monkeypatch, tmp_path):
    (tmp_path / "user_folders.pyc").touch()
    assert bytecode_folders(monkeypatch, tmp_path, tmp_path / "user_folders.pyc", True) is None
    assert bytecode_folders(monkeypatch, tmp_path, tmp_path / "none.pyc", False) is None
    assert os.environ["PYTHONDONTWRITEBYTECODE"] == "1"
