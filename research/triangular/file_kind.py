"""Kind of file `triangular`: equations of a mechanism, for `python -m research check` and `schema`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from simulator.catalog.file_kinds import FileKind, register

PROBLEMS = Path(__file__).with_name("problems")
"""Folder of the files that belong to Jounce."""


class _ProblemKind(FileKind):
    """Kind of files with a folder of its own instead of one in `configs`."""

    @property
    def folder(self) -> str:
        """See `FileKind.folder`."""
        return "triangular/problems"

    @property
    def place(self) -> str:
        """See `FileKind.place`."""
        return "research/triangular/problems"

    def files(self) -> list[Path]:
        """Return the files of the folder."""
        return sorted(PROBLEMS.glob("[!.]*.yaml"))


def register_file_kind() -> None:
    """Register the kind of file."""
    description = "equations of a mechanism for triangularization"
    register(_ProblemKind("triangular", description, _check, "research.triangular.problem_file:FILE", based=False))


def _check(file: str) -> Any:
    from research.triangular.problem_file import load_problem

    return load_problem(file)
