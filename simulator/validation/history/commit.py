"""Which state of the program is measured: its commit."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
UNKNOWN = "unknown"


def commit(root: Path = ROOT) -> str:
    """Short hash of a checkout, a + behind it when tracked files are changed; UNKNOWN where there is none."""
    try:
        short = _git(root, "rev-parse", "--short=7", "HEAD")
        changed = _git(
            root, "status", "--porcelain", "--untracked-files=no", "--", "simulator", "vehicles", "terrain", "washout", "configs"
        )
    except (OSError, subprocess.CalledProcessError):
        return UNKNOWN
    return short + "+" * bool(changed)


def _git(root: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=True).stdout.strip()
