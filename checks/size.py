"""Lines and files of each package beside their budget, the table `tool.jounce.size` of pyproject.toml.

A package fails that exceeds its budget by more than 3 %. To grow it on purpose, change the budget in the same commit.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOLERANCE = 0.03
"""1. Share by which a package may exceed its budget."""


def size_of(package: Path) -> tuple[int, int]:
    """Return the number of lines and of Python files of a package."""
    files = [file for file in package.rglob("*.py") if "__pycache__" not in file.parts]
    return sum(file.read_bytes().count(b"\n") for file in files), len(files)


def too_large(size: tuple[int, int], budget: tuple[int, int]) -> bool:
    """Return whether lines or files exceed the budget by more than the tolerance."""
    return any(present > (1.0 + TOLERANCE) * limit for present, limit in zip(size, budget, strict=True))


def main(root: Path = ROOT) -> int:
    """Print the table; return the exit code."""
    budgets = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["jounce"]["size"]
    print(f"{'package':<12}{'lines':>9}{'budget':>9}{'files':>7}{'budget':>8}")
    failed = []
    for name, budget in budgets.items():
        lines, files = size_of(root / name)
        print(f"{name:<12}{lines:>9}{budget['lines']:>9}{files:>7}{budget['files']:>8}")
        if too_large((lines, files), (budget["lines"], budget["files"])):
            failed.append(name)
    for name in failed:
        print(
            f"pyproject.toml: tool.jounce.size.{name}: exceeded by more than 3 %; expected fewer lines and files, or a larger budget",
            file=sys.stderr,
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
