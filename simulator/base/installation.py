"""Commands that install optional packages into the environment that runs Jounce, for messages.

A message names the running interpreter and the source of the installation: the `pip` on the PATH may belong to another environment, and the
name jounce in a package index may be a package of somebody else.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib import metadata, util
from pathlib import Path
from urllib.parse import urlparse
from urllib.request import url2pathname

ROOT = Path(__file__).resolve().parents[2]
"""Folder that contains the running packages: a checkout, or site-packages."""


def install_extra(extra: str) -> str:
    """Return a command that installs the packages of an extra, for example `terrain`, or of several: `terrain,video`."""
    distribution = _distribution()
    source = None if distribution is None else _source(distribution, extra)
    return _command(source or [one for name in extra.split(",") for one in _requirements(distribution, name)])


def install_package(requirement: str) -> str:
    """Return a command that installs a package."""
    return _command([requirement])


def _command(arguments: Sequence[str]) -> str:
    return shlex.join([*_installer(), *arguments])


def _installer() -> list[str]:
    """Return the words of a command that installs into the running environment, which may have no pip."""
    if util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "install"]
    if shutil.which("uv") is not None:
        return ["uv", "pip", "install", "--python", sys.executable]
    base = getattr(sys, "_base_executable", None) or "python3"
    for python in dict.fromkeys((base, shutil.which("python3"), shutil.which("python"))):
        if python and python != sys.executable and _has_pip(python):
            return [python, "-m", "pip", "--python", sys.executable, "install"]
    return ["pip", "--python", sys.executable, "install"]


def _has_pip(python: str) -> bool:
    try:
        return subprocess.run([python, "-m", "pip", "--version"], capture_output=True, timeout=20.0, check=False).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


def _distribution() -> metadata.Distribution | None:
    """Return the installed distribution of the running packages; None if they run from a folder that is not installed."""
    for distribution in metadata.distributions(name="jounce"):
        folder = _folder(distribution)
        is_here = os.path.exists(str(distribution.locate_file("simulator/__init__.py"))) and Path(str(distribution.locate_file(""))) == ROOT
        if is_here or (folder is not None and folder.resolve() == ROOT):
            return distribution
    return None


def _origin(distribution: metadata.Distribution) -> dict:
    """Return the origin of an installation (PEP 610); empty if it was installed from an index."""
    try:
        found = json.loads(distribution.read_text("direct_url.json") or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _folder(distribution: metadata.Distribution) -> Path | None:
    """Return the file or folder from which a distribution was installed; None if it is not on this machine."""
    url = urlparse(str(_origin(distribution).get("url", "")))
    path = Path(url2pathname(url.path)) if url.scheme == "file" else None
    return path if path is not None and path.exists() else None


def _source(distribution: metadata.Distribution, extra: str) -> list[str] | None:
    """Return the arguments that install the extra from the source of the installation; None if the source is unknown or gone."""
    origin, path = _origin(distribution), _folder(distribution)
    url = str(origin.get("url", ""))
    if path is not None and path.is_dir():
        is_editable = bool(origin.get("dir_info", {}).get("editable"))
        return [*(["-e"] if is_editable else []), f"{path}[{extra}]"]
    if "vcs_info" in origin:
        vcs = origin["vcs_info"]
        return [f"jounce[{extra}] @ {vcs.get('vcs', 'git')}+{url}@{vcs.get('commit_id', '')}"]
    return [f"jounce[{extra}] @ {url}"] if path is not None or urlparse(url).scheme in ("http", "https") else None


def _requirements(distribution: metadata.Distribution | None, extra: str) -> Iterator[str]:
    """Yield the requirements of an extra."""
    if distribution is None:
        import tomllib

        try:
            project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        except (OSError, ValueError, KeyError):
            return
        yield from project["optional-dependencies"][extra]
        return
    for requirement in distribution.requires or ():
        text, _, marker = requirement.partition(";")
        if extra in marker.replace("'", '"').split('"')[1::2]:
            yield text.strip()
