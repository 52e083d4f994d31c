"""Worker process of a score. It reads tasks as lines of JSON, drives them, and writes a line for each. It exits at the end of its input,
even during a drive, because the parent process is gone then."""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from pathlib import Path
from typing import Any

import msgspec

from simulator.base.errors import JounceError
from simulator.base.registry import load_plugins
from simulator.scores.contract import ERROR, OUTCOME, REASON, Row, ScoreTask
from simulator.scores.kinds import benchmark_of
from simulator.sweep.shared_compilation import compile_or_wait, compiled_once


def main() -> None:
    """Drive tasks until the input ends."""
    out, sys.stdout = sys.stdout.buffer, sys.stderr  # keep output of plugins out of the responses
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(lines,), daemon=True).start()
    while True:
        chunk = msgspec.json.decode(lines.get())
        rows = [_row(case, Path(chunk["folder"]), chunk["plugins"]) for case in chunk["cases"]]
        out.write(msgspec.json.encode({"rows": rows}) + b"\n")
        out.flush()


def _read(lines: queue.SimpleQueue[bytes]) -> None:
    for line in sys.stdin.buffer:
        lines.put(line)
    os._exit(0)


def _row(case: dict[str, Any], folder: Path, plugins: list[str]) -> dict[str, Any]:
    """Drive a task and return its record for the journal."""
    started = time.perf_counter()
    metrics = drive_task(ScoreTask(**{**case["task"], "files": tuple(case["task"]["files"])}), folder, plugins)
    machine = {"wall_s": time.perf_counter() - started, "simulated_s": 0.0}
    return {"run": case["run"], "passed": None, "metrics": metrics, "failure": "", "machine": machine}


def drive_task(task: ScoreTask, folder: Path, plugins: list[str]) -> Row:
    """Return the row of a task; errors are in it."""
    try:
        load_plugins(plugins)
        compile_or_wait()
        with compiled_once():
            return {**task.known, **benchmark_of(task.benchmark).drive(task, folder)}
    except JounceError as error:
        return failed(task, str(error))
    except Exception as error:  # an error in Jounce or in a plugin: record it and continue with the next task
        return failed(task, f"{type(error).__name__}: {error}")


def failed(task: ScoreTask, reason: str) -> Row:
    """Return the row of a task without a result."""
    return {**task.known, OUTCOME: ERROR, REASON: " ".join(reason.split())}


if __name__ == "__main__":
    main()
