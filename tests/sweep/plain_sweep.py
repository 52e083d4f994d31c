"""A sweep of runs that take no time, driven by `plain_worker`; as a program it drives so many of them, to be killed."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from simulator.base.signals import EndedBySignal, exit_code
from simulator.sweep.case import LETTERS, Case
from simulator.sweep.engine import sweep
from simulator.sweep.process_executor import LocalProcesses

WORKER = "tests.sweep.plain_worker"


class PlainCases:
    """Runs by what the worker is told of each."""

    about: Mapping[str, Any] = {"name": "plain", "title": "Plain runs"}
    varied = ("x", "word")

    def __init__(self, mappings: list[dict[str, Any]]) -> None:
        self._mappings = mappings

    def __len__(self) -> int:
        return len(self._mappings)

    def __getitem__(self, number: int) -> Case:
        return Case(number, self.point_of(number), self._mappings[number], self.run_of(number))

    def run_of(self, number: int) -> str:
        """The digest of a run."""
        return hashlib.sha256(json.dumps(self._mappings[number]).encode()).hexdigest()[:LETTERS]

    def point_of(self, number: int) -> dict[str, Any]:
        """What varies in a run."""
        return {"x": self._mappings[number]["x"], "word": "even" if number % 2 == 0 else None}


def drive(mappings: list[dict[str, Any]], folder: Path, workers: int = 2, **options: Any) -> Path:
    """Drive runs into a folder; the path of their table."""
    executor = LocalProcesses(workers, WORKER)
    try:
        return sweep(PlainCases(mappings), folder, executor, **options)
    finally:
        executor.close()


def slow(count: int) -> list[dict[str, Any]]:
    """Runs of a hundredth of a second."""
    return [{"x": x, "sleep": 0.01} for x in range(count)]


if __name__ == "__main__":
    try:
        drive(slow(int(sys.argv[2])), Path(sys.argv[1]))
    except EndedBySignal as end:
        sys.exit(exit_code(end.number))
