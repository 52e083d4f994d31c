"""Commands in messages about optional packages: they name the running interpreter and the source of the installation."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from simulator.base import installation
from simulator.tools.doctor.storage import EXTRAS

PAGES = Path(__file__).parents[2]
METADATA = """Metadata-Version: 2.4
Name: jounce
Version: 0.2.0
Requires-Dist: numpy>=2.0
Requires-Dist: rasterio>=1.4; extra == 'terrain'
Requires-Dist: trimesh>=4; extra == 'terrain'
Requires-Dist: cma>=4; extra == 'optimize'
"""
PACKAGES = ["rasterio>=1.4", "trimesh>=4"]


def install(tmp_path, monkeypatch, origin, running):
    """Install Jounce into site-packages; the running packages are in the folder `running`."""
    site = tmp_path / "site-packages"
    for folder in (site, running):
        (folder / "simulator").mkdir(parents=True, exist_ok=True)
    (running / "simulator" / "__init__.py").touch()
    info = site / "jounce-0.2.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(METADATA)
    if origin is not None:
        (info / "direct_url.json").write_text(json.dumps(origin))
    monkeypatch.setattr(installation.metadata, "distributions", lambda name: [metadata.PathDistribution(info)])
    monkeypatch.setattr(installation, "ROOT", running)


def words(extra="terrain"):
    """Arguments of pip in the command for an extra."""
    before, _, after = installation.install_extra(extra).partition(" install ")
    assert sys.executable in shlex.split(before)
    return shlex.split(after)


def test_the_extra_all_has_every_extra_of_a_user_and_the_doctor_knows_them():
    extras = tomllib.loads((PAGES / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    of_users = set(extras) - {"all", "test", "dev", "docs"}
    assert set(re.findall(r"\w+", extras["all"][0])) - {"jounce"} == of_users
    assert set(EXTRAS) == of_users


def test_no_page_or_message_installs_a_package_of_somebody_else():
    """The name jounce in a package index may not be ours."""
    files = [
        *PAGES.glob("*.md"),
        *(PAGES / "docs").rglob("*.md"),
        *(PAGES / "simulator").rglob("*.py"),
        *(PAGES / "examples").rglob("*.py"),
    ]
    wrong = re.compile(r"(?:pipx? install|uv (?:pip|tool) install|uv add|pipx run|uvx)\s+['\"]?jounce(?![\w/.@-]| @)")
    assert [file.name for file in files if wrong.search(file.read_text(encoding="utf-8"))] == []
    assert wrong.search("pip install 'jounce[ros2]'") and wrong.search("`pipx run jounce`") and not wrong.search("uv run jounce drive")


@pytest.mark.parametrize("editable", [True, False])
def test_a_checkout(tmp_path, monkeypatch, editable):
    clone = tmp_path / "my clone"
    running = clone if editable else tmp_path / "site-packages"
    install(tmp_path, monkeypatch, {"url": clone.as_uri(), "dir_info": {"editable": True} if editable else {}}, running)
    clone.mkdir(exist_ok=True)
    assert words() == [*(["-e"] if editable else []), f"{clone}[terrain]"]


def test_a_wheel(tmp_path, monkeypatch):
    wheel = tmp_path / "jounce-0.2.0-py3-none-any.whl"
    wheel.touch()
    install(tmp_path, monkeypatch, {"url": wheel.as_uri(), "archive_info": {}}, tmp_path / "site-packages")
    assert words() == [f"jounce[terrain] @ {wheel.as_uri()}"]
    assert words("terrain,optimize") == [f"jounce[terrain,optimize] @ {wheel.as_uri()}"]
    wheel.unlink()
    assert words() == PACKAGES
    assert words("terrain,optimize") == [*PACKAGES, "cma>=4"]


def test_a_repository(tmp_path, monkeypatch):
    origin = {"url": "https://example.com/jounce", "vcs_info": {"vcs": "git", "commit_id": "0a1b"}}
    install(tmp_path, monkeypatch, origin, tmp_path / "site-packages")
    assert words() == ["jounce[terrain] @ git+https://example.com/jounce@0a1b"]


@pytest.mark.parametrize("extra", ["terrain", "optimize"])
def test_without_a_source_the_name_of_the_project_is_not_used(tmp_path, monkeypatch, extra):
    """The project of this name in an index may be that of somebody else."""
    install(tmp_path, monkeypatch, None, tmp_path / "site-packages")
    assert words(extra) == {"terrain": PACKAGES, "optimize": ["cma>=4"]}[extra]


def test_a_checkout_that_is_not_installed(tmp_path, monkeypatch):
    """Installing it would replace the Jounce of the environment."""
    here = tmp_path / "here"
    here.mkdir()
    (here / "pyproject.toml").write_text('[project]\noptional-dependencies = {terrain = ["rasterio>=1.4", "trimesh>=4"]}\n')
    install(tmp_path, monkeypatch, {"url": (tmp_path / "other").as_uri(), "dir_info": {"editable": True}}, here)
    (tmp_path / "other").mkdir()
    assert words() == PACKAGES


def test_an_environment_without_pip(tmp_path, monkeypatch):
    monkeypatch.setattr(installation.util, "find_spec", lambda name: None)
    monkeypatch.setattr(installation.shutil, "which", {"uv": "/bin/uv"}.get)
    assert installation.install_package("sympy") == shlex.join(["uv", "pip", "install", "--python", sys.executable, "sympy"])
    monkeypatch.setattr(installation.shutil, "which", lambda name: None)
    monkeypatch.setattr(installation.sys, "_base_executable", "/other/python")
    monkeypatch.setattr(installation, "_has_pip", lambda python: True)
    expected = ["/other/python", "-m", "pip", "--python", sys.executable, "install", "sympy"]
    assert installation.install_package("sympy") == shlex.join(expected)


@pytest.mark.parametrize("shared_pip", [True, False])
def test_the_command_works_in_an_environment_without_pip(tmp_path, shared_pip):
    """As `make drive` and pipx create it; pipx adds the folder of its own pip. No network: a package in a folder is installed."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    root = Path(__file__).resolve().parents[2]
    if shared_pip:
        base = [sys._base_executable, "-c", "import pip; print(pip.__path__[0])"]
        found = subprocess.run(base, capture_output=True, text=True, check=False)
        if found.returncode:
            pytest.skip("needs a pip to share")
        shutil.copytree(found.stdout.strip(), tmp_path / "shared" / "pip")
        (site,) = (tmp_path / "venv").rglob("site-packages")
        (site / "pipx_shared.pth").write_text(str(tmp_path / "shared"))
    program = "import sys; sys.path.append(sys.argv[1]); from simulator.base.installation import install_package as i; print(i('x'))"
    command = subprocess.run([python, "-c", program, root], capture_output=True, text=True, check=True).stdout
    arguments = shlex.split(command)
    assert str(python) in arguments
    assert (arguments[0] == str(python)) == shared_pip
    asked = subprocess.run([*arguments[: arguments.index("install")], "list"], capture_output=True, text=True, check=False)
    assert asked.returncode == 0, (command, asked.stderr)
