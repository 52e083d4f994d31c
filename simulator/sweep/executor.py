"""Protocol of executors: local processes or a cluster. Requests and responses are plain data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from simulator.base.errors import JounceError


class ExecutorLostError(JounceError):
    """The executor is lost as a whole. Completed runs are saved, and the sweep can be resumed."""


class Executor(Protocol):
    """Executor that runs chunks with `simulator.sweep.job.drive`, several at a time."""

    @property
    def workers(self) -> int:
        """Number of chunks that run at a time. The number may change during the sweep."""
        ...

    def chunks(self, todo: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Run chunks and yield the responses as they arrive, in any order.

        Parameters
        ----------
        todo : chunks as `drive` takes them. Each chunk is created on demand, with a size that depends on the earlier run times. The
            executor therefore takes only one or two chunks per worker in advance. It takes them in the thread that iterates over the
            responses.

        Returns
        -------
        responses of `drive`. Every run of every chunk is in one of them. Runs whose worker died are rows with a `failure` and `lost` set
        to True. After a worker dies, the runs of its chunk are repeated one by one, once each.

        Raises ExecutorLostError.
        """
        ...

    def close(self) -> None:
        """Cancel the running chunks. `chunks`, which may wait in another thread, ends without further responses. Repeated calls are
        allowed."""
        ...
