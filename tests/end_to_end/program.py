"""Run the program as a user: in this process through `main`, or as a separate process outside the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from simulator.cli.main import main

ROOT = Path(__file__).resolve().parents[2]


def environment() -> dict[str, str]:
    """Without a display, the package found wherever the process starts."""
    kept = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return {**kept, "PYTHONPATH": str(ROOT)}


def start(*arguments: object, cwd: Path, **variables: str) -> subprocess.Popen[str]:
    """`jounce ARGUMENTS` in a process of its own, with these environment variables besides."""
    command = [sys.executable, "-m", "simulator", *map(str, arguments)]
    return subprocess.Popen(command, cwd=cwd, env={**environment(), **variables}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str], timeout: float = 120.0) -> tuple[int, str, str]:
    """Exit code, stdout and stderr."""
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        pytest.fail(f"{process.args} did not end")
    return process.returncode, out, err


def call(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """`jounce ARGUMENTS` in this process: exit code, stdout and stderr."""
    capsys.readouterr()
    try:
        code = main([str(argument) for argument in arguments])
    except SystemExit as end:  # argparse
        code = end.code
    out, err = capsys.readouterr()
    return code, out, err


def refused(result: tuple[int, str, str]) -> str:
    """What a command says that was given bad input: a line for each fault."""
    code, out, err = result
    assert code == 2, (code, out, err)
    assert err and all(line.startswith("jounce: ") for line in err.splitlines()), err
    assert "Traceback" not in err
    return err.strip()
