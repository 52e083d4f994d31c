"""Commit of the measured source code."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = ("simulator", "vehicles", "terrain", "washout", "research", "configs")
"""Folders with the measured code and its files."""
UNKNOWN = "unknown"


def commit(root: Path = ROOT) -> str:
    """Return the short hash of a checkout, with a + for modified tracked files, or UNKNOWN without a repository."""
    try:
        short = _git(root, "rev-parse", "--short=7", "HEAD")
        changed = _git(root, "status", "--porcelain", "--untracked-files=no", "--", *FOLDERS)
    except (OSError, subprocess.CalledProcessError):
        return UNKNOWN
    return short + "+" * bool(changed)


def _git(root: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=True).stdout.strip()
