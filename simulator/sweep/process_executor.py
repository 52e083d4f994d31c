"""Runs driven by processes of this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

import msgspec

from simulator.base.line_process import LineProcess, ProcessDiedError

WORKER = "simulator.sweep.worker"
ONE_THREAD = dict.fromkeys(("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""A worker has one core, and libraries of numbers are told so."""
AGAIN = "again"
"""Key of a chunk whose worker died once."""

Chunk = dict[str, Any]


def cores() -> int:
    """Processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class LocalProcesses:
    """Processes that are started with the first chunks; the threads here only wait for them.

    Parameters
    ----------
    processes : how many
    worker : module that each of them runs; it answers chunks, as lines of JSON, as `simulator.sweep.job.drive` does
    """

    def __init__(self, processes: int, worker: str = WORKER) -> None:
        self.workers = processes
        self._processes = [LineProcess(worker, environment=ONE_THREAD) for _ in range(processes)]

    def chunks(self, todo: Iterator[Chunk]) -> Iterator[dict[str, Any]]:
        """As `simulator.sweep.executor.Executor` says. The processes stay, for the next call."""
        with ThreadPoolExecutor(self.workers, "sweep") as threads:
            try:
                yield from self._chunks(todo, threads)
            except BaseException:
                self.close()  # or the threads would wait for them
                raise

    def _chunks(self, todo: Iterator[Chunk], threads: ThreadPoolExecutor) -> Iterator[dict[str, Any]]:
        again: list[Chunk] = []
        """Runs of chunks whose worker died, one by one."""
        answers: list[dict[str, Any]] = []
        idle = list(range(self.workers))
        driven: dict[Future[dict[str, Any]], tuple[int, Chunk]] = {}
        while True:
            while idle and (chunk := again.pop() if again else next(todo, None)) is not None:
                worker = idle.pop(0)
                driven[threads.submit(self._ask, worker, chunk)] = worker, chunk
            yield from answers  # while the processes are at work
            if not driven:
                return
            answers = []
            for one in wait(driven, return_when=FIRST_COMPLETED).done:
                worker, chunk = driven.pop(one)
                idle.append(worker)
                try:
                    answers.append({**one.result(), "worker": f"local_{worker}"})
                except ProcessDiedError as error:
                    if self._processes[worker].ended:
                        return
                    if AGAIN in chunk:
                        rows = [_lost(case["run"], str(error)) for case in chunk["cases"]]
                        answers.append({"rows": rows, "worker": f"local_{worker}"})
                    else:
                        again += [{**chunk, "cases": [case], AGAIN: True} for case in reversed(chunk["cases"])]

    def close(self) -> None:
        """Kill the processes."""
        for process in self._processes:
            process.end()

    def _ask(self, worker: int, chunk: Chunk) -> dict[str, Any]:
        answer: dict[str, Any] = msgspec.json.decode(self._processes[worker].ask(msgspec.json.encode(chunk)))
        return answer


def _lost(run: str, reason: str) -> dict[str, Any]:
    """The row of a run that its workers did not survive."""
    machine = {"wall_s": 0.0, "simulated_s": 0.0}
    return {"run": run, "passed": None, "metrics": {}, "failure": f"{reason}, twice", "lost": True, "machine": machine}
