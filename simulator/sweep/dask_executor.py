"""Executor for a running Dask cluster: `dask scheduler`, and `dask worker` on every machine with Jounce.

Requests and responses are JSON text. Only a few chunks per worker are in flight, so memory does not grow with the number of runs. Dask
repeats a chunk when its worker disappears. If a chunk kills several workers, its runs are repeated one by one. A run that kills its
workers again becomes a failed row. Workers with a different version of the code receive no runs.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from simulator.base.console import print_error
from simulator.base.errors import JounceError
from simulator.base.machine import software
from simulator.sweep.case import code_digest
from simulator.sweep.executor import ExecutorLostError
from simulator.sweep.job import drive, process_cache, read_chunk

PATIENCE = 30.0
"""Timeout for the response of a scheduler in s."""
LEAVING = 2.0
"""Timeout for closing the connection in s."""
BEAT = 0.2
"""Interval between two checks for a request to stop in s."""
REFRESH = 2.0
"""Interval between two updates of the list of workers in s."""
EACH = 2
"""Chunks per worker: the running one and the next one."""
NO_MESSAGE_LOG = {"distributed.admin.low-level-log-length": 0}
"""Dask settings that disable its log of the last thousand messages of a connection; chunks are messages."""
AGAIN_KEY = "again"
"""Key that marks a chunk whose workers died."""

Chunk = dict[str, Any]

_one_at_a_time = threading.Lock()
"""Lock of a worker with several threads: only one run at a time uses the process."""


def packed(chunk: Chunk) -> bytes:
    """Return the compressed chunk. Its runs are nearly equal, so it shrinks to a fiftieth; scheduler and connections hold it in memory."""
    return zlib.compress(msgspec.json.encode(chunk), 1)


def unpacked(chunk: bytes) -> Chunk:
    """Return the chunk from its compressed form."""
    return read_chunk(zlib.decompress(chunk))


class WrongCodeError(JounceError):
    """The code of a worker differs from the code of the sender of the chunk."""


def drive_text(chunk: bytes, code: str) -> bytes:
    """Run a compressed chunk in a worker and return the response as JSON.

    `code` is the digest that the code of the worker must have. Raises WrongCodeError.
    """
    request = unpacked(chunk)
    if code_digest(request["plugins"]) != code:
        raise WrongCodeError("different code")
    with _one_at_a_time:
        return msgspec.json.encode(drive(request))


def get_ready(plugins: list[str]) -> dict[str, str]:
    """Prepare a worker: compile or load all kernels.

    Return {"code", "software"}, which its numbers depend on, or {"trouble": reason} if the worker cannot be used.
    """
    try:
        code = code_digest(plugins)
    except JounceError as error:
        return {"trouble": f"{error}; plugin files must exist on the worker under the same path"}
    with _one_at_a_time:
        process_cache()
    return {"code": code, "software": software()}


class Work(NamedTuple):
    """Functions that workers execute."""

    get_ready: Callable[[list[str]], dict[str, str]] = get_ready
    drive: Callable[[bytes, str], bytes] = drive_text
    code: Callable[[list[str]], str] = code_digest
    """Digest of the code of the sender, including plugin files. The workers must have the same digest."""


RUNS = Work()


@dataclass
class Pending:
    """A chunk in flight."""

    chunk: Chunk
    allowed: frozenset[str] | None
    """Addresses of the workers that may run the chunk; None: all workers."""


class DaskCluster:
    """Workers of a Dask scheduler.

    Parameters
    ----------
    scheduler : address of the scheduler, "tcp://host:port"
    say : called with each line for the user
    work : functions that workers execute

    Raises JounceError: Dask is not installed, or no scheduler responds.
    """

    def __init__(self, scheduler: str, say: Callable[[str], None] = print_error, work: Work = RUNS) -> None:
        dask, distributed = _dask()
        self._scheduler, self._say, self._work = scheduler, say, work
        _keep_quiet()
        try:
            with dask.config.set(NO_MESSAGE_LOG):
                self._client = distributed.Client(scheduler, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError, RuntimeError) as error:
            raise JounceError(f"--scheduler {scheduler}: no Dask scheduler responds: {error or type(error).__name__}") from None
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._pending: dict[Any, Pending] = {}
        self._preparing: dict[str, Any] = {}
        """Workers that are preparing, with the futures of their responses."""
        self._ready: set[str] = set()
        self._refused: dict[str, str] = {}
        self._code, self._plugins = "", list[str]()
        self._strict = False
        """True if chunks go to ready workers only, because an unusable worker exists."""
        self._ended = self._busy = self._lonely = False
        self._looked = -REFRESH

    @property
    def workers(self) -> int:
        """Number of ready workers, at least one."""
        return max(1, len(self._ready))

    def chunks(self, todo: Iterator[Chunk]) -> Iterator[dict[str, Any]]:
        """Run chunks as defined by `simulator.sweep.executor.Executor`.

        Raises
        ------
        ExecutorLostError : the scheduler is lost
        JounceError : no connected worker can be used
        """
        self._busy = True
        try:
            yield from self._chunks(todo)
        finally:
            self._busy = False
            if self._client.status == "running":
                self._client.cancel(list(self._pending), force=True)
            self._pending.clear()
            if self._ended:
                self._client.close(timeout=LEAVING)

    def close(self) -> None:
        """Disconnect from the cluster. The workers finish their running chunks."""
        self._ended = True  # a signal handler may call this while the client is busy
        if not self._busy:
            self._client.close(timeout=LEAVING)

    def _chunks(self, todo: Iterator[Chunk]) -> Iterator[dict[str, Any]]:
        waiting: list[Chunk] = []
        """Chunks to run again."""
        first = next(todo, None)
        if first is None:
            return
        self._begin(first["plugins"])
        waiting.append(first)
        while not self._ended:
            self._look_around()
            free_slots = EACH * len(self._ready) - len(self._pending)
            while free_slots > 0 and (chunk := waiting.pop() if waiting else next(todo, None)) is not None:
                self._submit(chunk)
                free_slots -= 1
            if not self._pending and not waiting and self._ready:
                return
            for future in self._finished():
                answer = self._answer(future, waiting)
                if answer is not None:
                    yield answer

    def _begin(self, plugins: list[str]) -> None:
        """Reset the workers if the plugins differ from those of the previous call."""
        if self._code and plugins == self._plugins:
            return
        self._plugins, self._code = list(plugins), self._work.code(plugins)
        self._ready, self._refused, self._preparing, self._strict = set(), {}, {}, False

    def _submit(self, chunk: Chunk) -> None:
        allowed = frozenset(self._ready) if self._strict else None
        where: dict[str, Any] = {} if allowed is None else {"workers": list(allowed), "allow_other_workers": False}
        future = self._client.submit(self._work.drive, packed(chunk), self._code, pure=False, **where)
        self._pending[future] = Pending(chunk, allowed)
        future.add_done_callback(self._done.put)

    def _finished(self) -> Iterable[Any]:
        """Wait for the first completed future and return all completed futures. Raises ExecutorLostError."""
        results = []
        try:
            results.append(self._done.get(timeout=BEAT))
            while True:
                results.append(self._done.get_nowait())
        except queue.Empty:
            pass
        self._need_scheduler()
        return results

    def _need_scheduler(self) -> None:
        """Raise ExecutorLostError if the scheduler is lost."""
        if self._client.status != "running" and not self._ended:
            raise ExecutorLostError(f"the scheduler at {self._scheduler} is lost; hint: restart it and its workers")

    def _answer(self, future: Any, waiting: list[Chunk]) -> dict[str, Any] | None:
        """Return the response to a chunk, or None if the chunk is put back into `waiting`."""
        pending = self._pending.pop(future, None)
        if pending is None or self._ended:
            return None
        try:
            answer: dict[str, Any] = msgspec.json.decode(future.result())
            return answer
        except CancelledError:  # canceled by this class, or the scheduler was restarted
            waiting.append(pending.chunk)
            return None
        except (ImportError, WrongCodeError):  # from a new worker, which is rejected after its response
            waiting.append(pending.chunk)
            self._strict = True
            return None
        except Exception as raised:
            error = raised
        if type(error).__name__ == "KilledWorker" and AGAIN_KEY not in pending.chunk:
            waiting += [{**pending.chunk, "cases": [case], AGAIN_KEY: True} for case in reversed(pending.chunk["cases"])]
            return None
        return {"worker": "none", "rows": [_lost(case["run"], error) for case in pending.chunk["cases"]]}

    def _look_around(self) -> None:
        """Prepare new workers, read their responses and drop lost workers. Raises JounceError: no worker can be used."""
        self._take_answers()
        if time.monotonic() - self._looked < REFRESH:
            return
        self._looked = time.monotonic()
        self._need_scheduler()
        there = self._client.nthreads()
        self._ready &= set(there)
        for address, threads in there.items():
            if address not in self._preparing and address not in self._ready and address not in self._refused:
                self._prepare(address, threads)
        self._free_the_stranded()
        self._report_missing_workers(bool(there))

    def _prepare(self, address: str, threads: int) -> None:
        if threads > 1:
            self._say(f"worker {address} has {threads} threads but runs one case at a time; hint: start it with --nthreads 1")
        self._preparing[address] = self._client.submit(
            self._work.get_ready, self._plugins, workers=[address], allow_other_workers=False, pure=False, priority=1
        )

    def _take_answers(self) -> None:
        for address, future in list(self._preparing.items()):
            if not future.done():
                continue
            del self._preparing[address]
            if future.status == "finished":
                trouble = self._trouble_of(address, future.result())
            elif future.status == "error" and isinstance(future.exception(), ImportError):
                trouble = f"has no Jounce of this version ({future.exception()}); hint: install it on the worker"
            else:
                continue  # the worker disappeared; it is prepared again if it returns
            if trouble:
                self._refused[address], self._strict = trouble, True
                self._say(f"worker {address} is not used: it {trouble}")
            else:
                self._ready.add(address)

    def _trouble_of(self, address: str, response: dict[str, str]) -> str:
        """Return the reason why a worker cannot be used, or an empty string."""
        if "trouble" in response:
            return f"cannot be used: {response['trouble']}"
        if response["code"] != self._code:
            return "has a different version of Jounce or of a plugin"
        if response["software"] != software():
            self._say(f"worker {address} has {response['software']}, this machine has {software()}; the last digits of results may differ")
        return ""

    def _free_the_stranded(self) -> None:
        """Resubmit chunks for which no allowed worker is left."""
        stranded = [one for one, pending in self._pending.items() if pending.allowed is not None and not pending.allowed & self._ready]
        if stranded and self._ready:
            self._client.cancel(stranded, force=True)

    def _report_missing_workers(self, any_connected: bool) -> None:
        if self._ready or self._preparing:
            self._lonely = False
        elif any_connected:
            names = "; ".join(f"{address} {trouble}" for address, trouble in self._refused.items())
            raise JounceError(f"--scheduler {self._scheduler}: no worker can be used: {names}")
        elif not self._lonely:
            self._lonely = True
            self._say(f"no workers at {self._scheduler}; waiting for workers (hint: dask worker {self._scheduler} --nthreads 1)")


def _dask() -> tuple[Any, Any]:
    try:
        import dask
        import distributed
    except ImportError:
        from simulator.base.installation import install_extra

        raise JounceError(f"--scheduler: Dask is not installed; hint: run {install_extra('cluster')}") from None
    return dask, distributed


def _keep_quiet() -> None:
    """Silence the loggers of Dask; this module reports errors in shorter form."""
    for name in ("distributed", *logging.root.manager.loggerDict):
        if name.startswith("distributed"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _lost(run: str, error: BaseException) -> dict[str, Any]:
    """Return the row of a run that killed its workers, or whose worker failed for another reason."""
    killed = type(error).__name__ == "KilledWorker"
    reason = f"{error.allowed_failures + 1} workers died" if killed else f"{type(error).__name__}: {error}"  # type: ignore[attr-defined]
    machine = {"wall_s": 0.0, "simulating_s": 0.0, "simulated_s": 0.0}
    return {"run": run, "passed": None, "metrics": {}, "failure": reason, "lost": True, "machine": machine}
