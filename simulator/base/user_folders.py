"""Folders of the user: configuration and caches.

A user may have no home folder, for example a numeric user of a container, or one that cannot be written. A private folder among the temporary
files, the same at each start, then replaces the cache folder.
"""

from __future__ import annotations

import atexit
import os
import stat
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from simulator.base import cleanup

BYTECODE = "bytecode"
"""Name of the cache folder of translated source files."""


def config_home() -> Path | None:
    """Return the folder of the user's configuration files, which need not exist; None for a user without a home folder."""
    return _home("XDG_CONFIG_HOME", ".config", ("APPDATA", "Roaming"), "Application Support")


@cache
def user_cache(name: str) -> Path:
    """Return a folder in the cache folder of the user, or in a temporary folder if the cache folder cannot be written."""
    return next(filter(_is_writable, _lasting_folders(name)), None) or _new_temporary_folder(name)


@cache
def read_only_cache(name: str) -> Path | None:
    """Return the folder in the cache folder of the user if it exists and cannot be written: its files remain usable. Else None."""
    base = _users_caches()
    return base / name if base is not None and user_cache(name) != base / name and os.path.isdir(base / name) else None


def is_persistent(name: str) -> bool:
    """Return True if other processes and later starts use the same folder."""
    return user_cache(name) in _lasting_folders(name)


def provide_for_matplotlib() -> None:
    """Give matplotlib a folder for its fonts unless the user has one: without a home folder it fails, or warns at each start."""
    if "MPLCONFIGDIR" not in os.environ and not _may_be_created(config_home()):
        os.environ["MPLCONFIGDIR"] = str(user_cache("matplotlib"))


def provide_bytecode() -> None:
    """Let this process and its children save bytecode in the cache folder of the user if none can be saved beside the source files.

    That is the case in containers that set PYTHONDONTWRITEBYTECODE, and in folders of another user. Otherwise each process translates
    all source files, which takes seconds.
    """
    cached = __spec__.cached if __spec__ is not None else None
    can_save = not sys.dont_write_bytecode and os.access(os.path.dirname(__file__), os.W_OK)
    if sys.pycache_prefix is None and not can_save and not (cached and os.path.exists(cached)):
        sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(user_cache(BYTECODE))
        sys.dont_write_bytecode = False
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def _lasting_folders(name: str) -> Iterator[Path]:
    """Yield the folders that further starts of the program use, too. The second is created only if the first does not suffice."""
    for find in (_users_caches, _private_caches):
        base = find()
        if base is not None:
            yield base / name


def _home(variable: str, folder: str, on_windows: tuple[str, str], on_mac: str) -> Path | None:
    """Return a folder of the user: of a variable, or at its usual place in the home folder; None without a home folder."""
    try:
        if sys.platform == "win32":
            return Path(os.environ.get(on_windows[0]) or Path.home() / "AppData" / on_windows[1])
        if sys.platform == "darwin":
            return Path.home() / "Library" / on_mac
        return Path(os.environ.get(variable) or Path.home() / folder)
    except RuntimeError:  # no variable HOME, and no entry of the user in the password file
        return None


def _users_caches() -> Path | None:
    base = _home("XDG_CACHE_HOME", ".cache", ("LOCALAPPDATA", "Local"), "Caches")
    return None if base is None else base / "jounce"


@cache
def _private_caches() -> Path | None:
    """Return a folder among the temporary files that only this user can change; None if there is none. Kernels are loaded from it."""
    if os.name != "posix":
        return None
    import tempfile  # imported here and below: most commands need no temporary folder

    try:
        folder = Path(tempfile.gettempdir()) / f"jounce-{os.getuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        status = os.lstat(folder)
    except OSError:
        return None
    is_private = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o022
    return folder if is_private else None


def _is_writable(folder: Path) -> bool:
    import tempfile

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _may_be_created(folder: Path | None) -> bool:
    """Return True if a folder exists and can be written, or can be created."""
    existing = next((one for one in (folder, *folder.parents) if os.path.isdir(one)), None) if folder is not None else None
    return existing is not None and os.access(existing, os.W_OK)


def _new_temporary_folder(name: str) -> Path:
    """Return a temporary folder for this process; a folder that does not exist if no folder can be written."""
    import shutil
    import tempfile

    try:
        with cleanup.defer_exit():
            folder = tempfile.mkdtemp(prefix=f"jounce-{name}-")
            cleanup.register_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    except OSError:
        return Path(os.devnull, name)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)
