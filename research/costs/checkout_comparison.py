"""Command `python -m research bench --baseline CHECKOUT`: compare the speed of this code with that of another checkout on this machine.

Each side has one process. Both are warm and run on one processor core, because cores may differ in speed. A repeat runs a figure
alternately in both processes, in SLICES of some milliseconds, so that speed changes of the core affect both. The figure is the median
over the repeats of the ratio of this code to the other.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from simulator.base.cleanup import start_child
from simulator.base.errors import ConfigError, JounceError
from simulator.base.json_output import json_text
from simulator.benchmarks.machine_info import machine

HERE = Path(__file__).resolve().parents[2]
WORKER = Path(__file__).with_name("checkout_worker.py")

SLICES = 8
"""Number of slices of a repeat for each side."""

LABELS = {
    "evaluation": "evaluation (14 accelerations)",
    "step_hard": "step, hard ground",
    "step_rough": "step, rough ground",
    "step_soil": "step, soil",
    "evaluation_five_link": "evaluation, five-link rear axle",
    "step_five_link": "step, five-link rear axle",
    "step_tables": "step, suspension from tables",
    "tick": "tick, hard ground",
}


class Side:
    """Worker of one checkout.

    Raises
    ------
    JounceError : the worker ended without a result
    """

    def __init__(self, checkout: Path) -> None:
        self.checkout = checkout
        environment = {**os.environ, "PYTHONPATH": str(checkout), "PYTHONDONTWRITEBYTECODE": "1"}
        self._process = start_child(
            [sys.executable, "-W", "ignore", str(WORKER)],
            cwd=checkout,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.figures: list[str] = []

    def stay_on(self, core: int) -> None:
        """Restrict the process to a processor core, where the system supports this."""
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(self._process.pid, {core})

    def wait(self) -> None:
        """Wait until everything is compiled and warm."""
        self.figures = self._read_line().split()

    def run(self, figure: str) -> float:
        """Return the time of a round in microseconds, for one repeat."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{figure}\n")
        self._process.stdin.flush()
        return float(self._read_line())

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _read_line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise JounceError(f"{self.checkout}: cannot measure its code (exit code {self._process.wait()})")
        return line


def compare(checkout: str, repeats: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Return {"figures": {name: {"us": here, "us_there": there, "ratio": median of here over there}}, ...}. Raises ConfigError,
    JounceError."""
    there = Path(os.path.realpath(checkout))
    if not any((there / "simulator" / name).is_file() for name in ("builder/builder.py", "build.py")):
        raise ConfigError(checkout, "", "nothing", "the root folder of a checkout of Jounce")
    say("starting and compiling both sides")
    sides = [Side(HERE), Side(there)]
    try:
        core = max(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0
        for side in sides:
            side.wait()
            side.stay_on(core)
        found: dict[str, Any] = {}
        for name in (name for name in sides[0].figures if name in sides[1].figures):
            pairs = []
            for n in range(repeats + 1):
                ours, theirs = _repeat(sides, name)
                if n > 0:  # the first repeat is a warm-up
                    pairs.append((ours, theirs))
            ratio = statistics.median(ours / theirs for ours, theirs in pairs)
            us, us_there = (statistics.median(times) for times in zip(*pairs, strict=True))
            found[name] = {"us": us, "us_there": us_there, "ratio": ratio}
            say(f"{LABELS[name]}: {ratio:.3f}")
    finally:
        for side in sides:
            side.close()
    return {"figures": found, "here": str(HERE), "there": str(there), "repeats": repeats, "machine": machine()}


def _repeat(sides: list[Side], name: str) -> tuple[float, float]:
    """Return the times of a round of a figure in microseconds, here and there."""
    spent = [0.0, 0.0]
    for n in range(SLICES):
        for side in (0, 1) if n % 2 == 0 else (1, 0):
            spent[side] += sides[side].run(name)
    return spent[0] / SLICES, spent[1] / SLICES


def run_baseline_command(checkout: str, repeats: int, as_json: bool, say: Callable[[str], None]) -> int:
    """Run `python -m research bench --baseline`. Return 0, since the command reports without a verdict. Raises ConfigError, JounceError."""
    result = compare(checkout, max(1, repeats), say)
    if as_json:
        print(json_text(result))
        return 0
    from rich.console import Console
    from rich.table import Table

    table = Table("part", "us here", "us there", "here / there")
    for name, figure in result["figures"].items():
        table.add_row(LABELS[name], f"{figure['us']:.3f}", f"{figure['us_there']:.3f}", f"{figure['ratio']:.3f}")
    console = Console()
    console.print(table)
    console.print(f"median of {result['repeats']} pairs; there: {result['there']}")
    return 0
