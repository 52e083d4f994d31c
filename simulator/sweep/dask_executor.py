"""Runs driven by the workers of a Dask cluster that somebody has started: `dask scheduler`, and `dask worker` wherever Jounce is installed.

What goes there and comes back is text, JSON. A few chunks for each worker are under way at a time, so nothing here grows with the number of
runs. Dask drives a chunk again whose worker is gone; one that takes several workers with it is driven run by run, and a run that does so
becomes a row that says it. Workers with other code than ours get nothing.
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
from simulator.sweep.job import drive, read_chunk, stock

EXTRA = "pip install 'jounce[cluster]'"
PATIENCE = 30.0
"""s in which a scheduler answers."""
LEAVING = 2.0
"""s that taking leave of it may take."""
BEAT = 0.2
"""s between two looks at whether somebody wants to end it."""
REFRESH = 2.0
"""s between two looks at which workers there are."""
EACH = 2
"""Chunks for a worker: the one that it drives, and the next."""
NOTHING_REMEMBERED = {"distributed.admin.low-level-log-length": 0}
"""Dask keeps the last thousand messages of a connection, and chunks are messages."""
AGAIN = "again"
"""Key of a chunk whose workers died."""

Chunk = dict[str, Any]

_one_at_a_time = threading.Lock()
"""In a worker with several threads: a run has the process for itself."""


def packed(chunk: Chunk) -> bytes:
    """A chunk on its way: its runs say nearly the same, and become a fiftieth. Scheduler and connections hold it for a while."""
    return zlib.compress(msgspec.json.encode(chunk), 1)


def unpacked(chunk: bytes) -> Chunk:
    """The other way round."""
    return read_chunk(zlib.decompress(chunk))


class WrongCodeError(JounceError):
    """A worker has other code than whoever asks it to drive."""


def drive_text(chunk: bytes, code: str) -> bytes:
    """`drive` in a worker, with JSON on both sides, packed on the way there; `code` as its own has to be. Raises WrongCodeError."""
    asked = unpacked(chunk)
    if code_digest(asked["plugins"]) != code:
        raise WrongCodeError("other code")
    with _one_at_a_time:
        return msgspec.json.encode(drive(asked))


def get_ready(plugins: list[str]) -> dict[str, str]:
    """In a worker: what its numbers depend on, {"code", "software"}, or {"trouble": why it has none}; everything is compiled or loaded."""
    try:
        code = code_digest(plugins)
    except JounceError as error:
        return {"trouble": f"{error}; files of plugins have to lie there too, under the same path"}
    with _one_at_a_time:
        stock()
    return {"code": code, "software": software()}


class Work(NamedTuple):
    """What workers are asked to do."""

    get_ready: Callable[[list[str]], dict[str, str]] = get_ready
    drive: Callable[[bytes, str], bytes] = drive_text
    code: Callable[[list[str]], str] = code_digest
    """Of whoever hands it out, with files of plugins: that of the workers has to be the same."""


RUNS = Work()


@dataclass
class Pending:
    """A chunk that is under way."""

    chunk: Chunk
    allowed: frozenset[str] | None
    """Addresses of the workers that may drive it; all when None."""


class DaskCluster:
    """The workers of a scheduler.

    Parameters
    ----------
    scheduler : its address, "tcp://host:port"
    say : told what somebody should know, in lines
    work : what the workers do, if it is not to drive runs

    Raises JounceError: Dask is not installed, or no scheduler answers.
    """

    def __init__(self, scheduler: str, say: Callable[[str], None] = print_error, work: Work = RUNS) -> None:
        dask, distributed = _dask()
        self._scheduler, self._say, self._work = scheduler, say, work
        _keep_quiet()
        try:
            with dask.config.set(NOTHING_REMEMBERED):
                self._client = distributed.Client(scheduler, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError, RuntimeError) as error:
            raise JounceError(f"--scheduler {scheduler}: no Dask scheduler answers there: {error or type(error).__name__}") from None
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._pending: dict[Any, Pending] = {}
        self._asked: dict[str, Any] = {}
        """Workers that are getting ready."""
        self._good: set[str] = set()
        self._refused: dict[str, str] = {}
        self._code, self._plugins = "", list[str]()
        self._strict = False
        """Whether chunks go to good workers only: there is one of another sort."""
        self._ended = self._busy = self._lonely = False
        self._looked = -REFRESH

    @property
    def workers(self) -> int:
        """How many drive, at least one."""
        return max(1, len(self._good))

    def chunks(self, todo: Iterator[Chunk]) -> Iterator[dict[str, Any]]:
        """As `simulator.sweep.executor.Executor` says.

        Raises
        ------
        ExecutorLostError : it is gone
        JounceError : there are workers, and none that can be used
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
        """Leave the cluster; its workers end the chunks that they are at."""
        self._ended = True  # a signal may have come while the client is at something
        if not self._busy:
            self._client.close(timeout=LEAVING)

    def _chunks(self, todo: Iterator[Chunk]) -> Iterator[dict[str, Any]]:
        waiting: list[Chunk] = []
        """Chunks to be driven again."""
        first = next(todo, None)
        if first is None:
            return
        self._begin(first["plugins"])
        waiting.append(first)
        while not self._ended:
            self._look_around()
            room = EACH * len(self._good) - len(self._pending)
            while room > 0 and (chunk := waiting.pop() if waiting else next(todo, None)) is not None:
                self._submit(chunk)
                room -= 1
            if not self._pending and not waiting and self._good:
                return
            for future in self._finished():
                answer = self._answer(future, waiting)
                if answer is not None:
                    yield answer

    def _begin(self, plugins: list[str]) -> None:
        """Whoever was asked before may have other plugins."""
        if self._code and plugins == self._plugins:
            return
        self._plugins, self._code = list(plugins), self._work.code(plugins)
        self._good, self._refused, self._asked, self._strict = set(), {}, {}, False

    def _submit(self, chunk: Chunk) -> None:
        allowed = frozenset(self._good) if self._strict else None
        where: dict[str, Any] = {} if allowed is None else {"workers": list(allowed), "allow_other_workers": False}
        future = self._client.submit(self._work.drive, packed(chunk), self._code, pure=False, **where)
        self._pending[future] = Pending(chunk, allowed)
        future.add_done_callback(self._done.put)

    def _finished(self) -> Iterable[Any]:
        """Futures that are done, after a wait for the first of them. Raises ExecutorLostError."""
        found = []
        try:
            found.append(self._done.get(timeout=BEAT))
            while True:
                found.append(self._done.get_nowait())
        except queue.Empty:
            pass
        self._need_scheduler()
        return found

    def _need_scheduler(self) -> None:
        """Raises ExecutorLostError."""
        if self._client.status != "running" and not self._ended:
            raise ExecutorLostError(f"the scheduler at {self._scheduler} is gone: start it again, with its workers")

    def _answer(self, future: Any, waiting: list[Chunk]) -> dict[str, Any] | None:
        """The answer to a chunk; None where it goes on to `waiting`."""
        pending = self._pending.pop(future, None)
        if pending is None or self._ended:
            return None
        try:
            answer: dict[str, Any] = msgspec.json.decode(future.result())
            return answer
        except CancelledError:  # by us, or because the scheduler is not what it was
            waiting.append(pending.chunk)
            return None
        except (ImportError, WrongCodeError):  # of a worker that came lately, and is refused as soon as it was asked
            waiting.append(pending.chunk)
            self._strict = True
            return None
        except Exception as raised:
            error = raised
        if type(error).__name__ == "KilledWorker" and AGAIN not in pending.chunk:
            waiting += [{**pending.chunk, "cases": [case], AGAIN: True} for case in reversed(pending.chunk["cases"])]
            return None
        return {"worker": "none", "rows": [_lost(case["run"], error) for case in pending.chunk["cases"]]}

    def _look_around(self) -> None:
        """Ask workers that are new what they have, and take their answers; leave those out that are gone. Raises JounceError: nobody is left
        whom we could use."""
        self._take_answers()
        if time.monotonic() - self._looked < REFRESH:
            return
        self._looked = time.monotonic()
        self._need_scheduler()
        there = self._client.nthreads()
        self._good &= set(there)
        for address, threads in there.items():
            if address not in self._asked and address not in self._good and address not in self._refused:
                self._ask(address, threads)
        self._free_the_stranded()
        self._tell_of_nobody(bool(there))

    def _ask(self, address: str, threads: int) -> None:
        if threads > 1:
            self._say(f"worker {address} has {threads} threads, and drives one run at a time all the same: start it with --nthreads 1")
        self._asked[address] = self._client.submit(
            self._work.get_ready, self._plugins, workers=[address], allow_other_workers=False, pure=False, priority=1
        )

    def _take_answers(self) -> None:
        for address, future in list(self._asked.items()):
            if not future.done():
                continue
            del self._asked[address]
            if future.status == "finished":
                trouble = self._trouble_of(address, future.result())
            elif future.status == "error" and isinstance(future.exception(), ImportError):
                trouble = f"has no Jounce of this version ({future.exception()}); install it there"
            else:
                continue  # it has gone meanwhile; if it is there, it is asked again
            if trouble:
                self._refused[address], self._strict = trouble, True
                self._say(f"worker {address} is left out: it {trouble}")
            else:
                self._good.add(address)

    def _trouble_of(self, address: str, said: dict[str, str]) -> str:
        """Why a worker cannot be used; empty when it can."""
        if "trouble" in said:
            return f"cannot be used: {said['trouble']}"
        if said["code"] != self._code:
            return "has another version of Jounce, or of a plugin, than the one that started this"
        if said["software"] != software():
            self._say(f"worker {address} has {said['software']}, here are {software()}: its numbers may differ in their last digits")
        return ""

    def _free_the_stranded(self) -> None:
        """Have chunks driven elsewhere for which no allowed worker is left."""
        stranded = [one for one, pending in self._pending.items() if pending.allowed is not None and not pending.allowed & self._good]
        if stranded and self._good:
            self._client.cancel(stranded, force=True)

    def _tell_of_nobody(self, anybody: bool) -> None:
        if self._good or self._asked:
            self._lonely = False
        elif anybody:
            names = "; ".join(f"{address} {trouble}" for address, trouble in self._refused.items())
            raise JounceError(f"--scheduler {self._scheduler}: none of its workers can be used: {names}")
        elif not self._lonely:
            self._lonely = True
            self._say(f"no workers at {self._scheduler}: waiting for some (dask worker {self._scheduler} --nthreads 1)")


def _dask() -> tuple[Any, Any]:
    try:
        import dask
        import distributed
    except ImportError:
        raise JounceError(f"--scheduler: Dask is not installed ({EXTRA})") from None
    return dask, distributed


def _keep_quiet() -> None:
    """What goes wrong is said here, in fewer words."""
    for name in ("distributed", *logging.root.manager.loggerDict):
        if name.startswith("distributed"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _lost(run: str, error: BaseException) -> dict[str, Any]:
    """The row of a run that its workers did not survive, or whose worker failed in what is none of the run."""
    killed = type(error).__name__ == "KilledWorker"
    reason = f"its workers died, {error.allowed_failures + 1} of them" if killed else f"{type(error).__name__}: {error}"  # type: ignore[attr-defined]
    machine = {"wall_s": 0.0, "simulating_s": 0.0, "simulated_s": 0.0}
    return {"run": run, "passed": None, "metrics": {}, "failure": reason, "lost": True, "machine": machine}
