"""Run `python -m research` as a user: in this process, or as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from research.command import main
from tests.end_to_end.program import ROOT, environment


def call(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """`python -m research ARGUMENTS` in this process: exit code, stdout and stderr."""
    capsys.readouterr()
    try:
        code = main([str(argument) for argument in arguments])
    except SystemExit as end:  # argparse
        code = end.code
    out, err = capsys.readouterr()
    return code, out, err


def start(*arguments: object, cwd: Path, path: tuple[Path, ...] = ()) -> subprocess.Popen[str]:
    """`python -m research ARGUMENTS` in a process of its own, with these folders first on the path of modules."""
    command = [sys.executable, "-m", "research", *map(str, arguments)]
    variables = {**environment(), "PYTHONPATH": os.pathsep.join(map(str, (*path, ROOT)))}
    return subprocess.Popen(command, cwd=cwd, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
