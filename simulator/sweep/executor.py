"""What drives the runs of a sweep: processes of this machine, or a cluster. All that goes there and comes back is plain data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from simulator.base.errors import JounceError


class ExecutorLostError(JounceError):
    """What drives the runs is gone, as a whole; what was driven is kept, and the sweep can go on."""


class Executor(Protocol):
    """Drives chunks of runs with `simulator.sweep.job.drive`, several at a time."""

    @property
    def workers(self) -> int:
        """How many chunks are driven at a time; it may change while it goes on."""
        ...

    def chunks(self, todo: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Drive chunks and give the answers as they come, in any order.

        Parameters
        ----------
        todo : chunks as `drive` takes them. They are made when they are asked for, out of what the answers until then have taken: so not
            more of them are taken than the workers need, one or two for each. The one thread that iterates over the answers takes them.

        Returns
        -------
        answers of `drive`; every run of every chunk is in one of them, those whose worker died as rows with a `failure` and `lost` set to
        True. A chunk whose worker died is driven again run by run, each once.

        Raises ExecutorLostError.
        """
        ...

    def close(self) -> None:
        """Give up what goes on; `chunks`, perhaps waiting in another thread, ends without further answers. May be called again."""
        ...
