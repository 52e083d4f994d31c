"""A sweep from its resolved runs to its table: what the journals lack is driven, what is driven is kept.

    sweep(cases, folder, executor, *, channels=(), plugins=(), progress=None) -> Path of table.parquet

`folder` holds ``journals/``, ``runs/`` where channels are asked for, and at the end ``table.parquet`` and ``machine.parquet``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Progress(NamedTuple):
    """How far a sweep is."""

    done: int
    """Runs with a row, those of earlier starts included."""
    of: int
    failed: int
    """Of those that are done, how many have no result."""
    left: float | None
    """s of wall time until the end, as the last minutes went; None as long as nobody can say."""


Progressed = Callable[[Progress], None]
