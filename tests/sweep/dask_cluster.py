"""A Dask cluster of local processes that can be killed."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

from tests.end_to_end.program import ROOT, environment

PATIENCE = 60.0
"""s for everything to be there; on a machine that has nothing else to do two are enough."""


class Cluster:
    """A scheduler and workers of one thread, which nobody starts again; what one of them dies of is not given to a second one.

    Parameters
    ----------
    folder : theirs
    """

    def __init__(self, folder: Path) -> None:
        self._file, self._folder = folder / "scheduler.json", folder
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(self._file))
        self.workers: dict[str, subprocess.Popen[bytes]] = {}
        deadline = time.monotonic() + PATIENCE
        while not self._file.exists() or not self._file.read_text().strip():
            assert time.monotonic() < deadline and self.scheduler.poll() is None
            time.sleep(0.05)

    @property
    def address(self) -> str:
        """Of the scheduler."""
        return str(json.loads(self._file.read_text())["address"])

    def add_worker(self, name: str, **variables: str) -> None:
        """One more, with these environment variables."""
        place = ("--local-directory", str(self._folder / name), "--memory-limit", "0", "--name", name)
        self.workers[name] = self._start("worker", self.address, "--nthreads", "1", "--no-nanny", *place, **variables)

    def end(self) -> None:
        """Kill all that is left of it."""
        for process in (*self.workers.values(), self.scheduler):
            process.terminate()
        for process in (*self.workers.values(), self.scheduler):
            try:
                process.wait(5.0)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _start(self, what: str, *arguments: str, **variables: str) -> subprocess.Popen[bytes]:
        settings = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0", "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.Popen(
            [sys.executable, "-m", "dask", what, "--no-dashboard", *arguments],
            cwd=ROOT,
            env={**environment(), **settings, **variables},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
