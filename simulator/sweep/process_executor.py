"""Executor that runs cases in processes of this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

import msgspec

from simulator.base.line_process import LineProcess, ProcessDiedError

WORKER = "simulator.sweep.worker"
ONE_THREAD = dict.fromkeys(("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Environment of a worker: numerical libraries use one thread, since a worker has one core."""
AGAIN_KEY = "again"
"""Key that marks a chunk whose worker died once."""

Chunk = dict[str, Any]


def cores() -> int:
    """Return the number of processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class LocalProcesses:
    """Pool of local worker processes, started with the first chunks. The threads of this class only wait for them.

    Parameters
    ----------
    processes : number of processes
    worker : module that each process runs; it reads and answers chunks as lines of JSON, like `simulator.sweep.job.drive`
    """

    def __init__(self, processes: int, worker: str = WORKER) -> None:
        self.workers = processes
        self._processes = [LineProcess(worker, environment=ONE_THREAD) for _ in range(processes)]

    def chunks(self, todo: Iterator[Chunk]) -> Iterator[dict[str, Any]]:
        """Run chunks as defined by `simulator.sweep.executor.Executor`. The processes stay alive for the next call."""
        with ThreadPoolExecutor(self.workers, "sweep") as threads:
            try:
                yield from self._chunks(todo, threads)
            except BaseException:
                self.close()  # otherwise the threads would wait for the processes
                raise

    def _chunks(self, todo: Iterator[Chunk], threads: ThreadPoolExecutor) -> Iterator[dict[str, Any]]:
        again: list[Chunk] = []
        """Single-run chunks from chunks whose worker died."""
        responses: list[dict[str, Any]] = []
        idle = list(range(self.workers))
        running: dict[Future[dict[str, Any]], tuple[int, Chunk]] = {}
        while True:
            while idle and (chunk := again.pop() if again else next(todo, None)) is not None:
                worker = idle.pop(0)
                running[threads.submit(self._ask, worker, chunk)] = worker, chunk
            yield from responses  # while the processes are working
            if not running:
                return
            responses = []
            for one in wait(running, return_when=FIRST_COMPLETED).done:
                worker, chunk = running.pop(one)
                idle.append(worker)
                try:
                    responses.append({**one.result(), "worker": f"local_{worker}"})
                except ProcessDiedError as error:
                    if self._processes[worker].ended:
                        return
                    if AGAIN_KEY in chunk:
                        rows = [_lost(case["run"], str(error)) for case in chunk["cases"]]
                        responses.append({"rows": rows, "worker": f"local_{worker}"})
                    else:
                        again += [{**chunk, "cases": [case], AGAIN_KEY: True} for case in reversed(chunk["cases"])]

    def close(self) -> None:
        """Kill the processes."""
        for process in self._processes:
            process.end()

    def _ask(self, worker: int, chunk: Chunk) -> dict[str, Any]:
        response: dict[str, Any] = msgspec.json.decode(self._processes[worker].ask(msgspec.json.encode(chunk)))
        return response


def _lost(run: str, reason: str) -> dict[str, Any]:
    """Return the row of a run whose worker died."""
    machine = {"wall_s": 0.0, "simulated_s": 0.0}
    return {"run": run, "passed": None, "metrics": {}, "failure": f"{reason}, twice", "lost": True, "machine": machine}
