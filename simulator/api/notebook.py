"""What a notebook shows of simulations, results and batches: tables, plots, a 3-D replay, a progress bar."""

from __future__ import annotations

import html
import math
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.base.progress_line import blocks

if TYPE_CHECKING:
    from simulator.telemetry.log import Log

SHOWN = ("v_WB_B_x", "a_WB_B_y", "roll", "pitch", "engine_speed")
"""Columns of the table of a simulation, as far as it has them."""
PLOTTED = ("v_WB_B_x", "a_WB_B_y", "roll")
"""Columns of the plot, as far as the log has them."""
MAX_ROWS = 60
"""Rows of a table of a batch."""
PERIOD = 0.2
"""s between two updates of a progress bar."""


class ProgressBar:
    """Progress bar on one line of a notebook or terminal, for `progress` of `run_batch`, `run_sweep` and `Simulation.advance`.

    Parameters
    ----------
    name : text before the bar

    >>> ProgressBar("batch").text(3, 12)
    'batch [######------------------] 3 / 12'
    """

    def __init__(self, name: str = "jounce") -> None:
        self._name, self._next, self._ended = name, 0.0, False

    def __call__(self, done: float, total: float) -> None:
        """Show that `done` of `total` cases or seconds are done. The line ends with the last one."""
        ends = done >= total
        if (ends and not self._ended) or (not ends and time.monotonic() >= self._next):
            self._next, self._ended = time.monotonic() + PERIOD, ends
            sys.stderr.write(f"\r{self.text(done, total)}" + "\n" * ends)
            sys.stderr.flush()

    def text(self, done: float, total: float) -> str:
        """Return the line."""
        return f"{self._name} [{blocks(done / total if total > 0.0 else 1.0)}] {done:g} / {total:g}"


class Replay:
    """3-D replay of a drive, a page in one file. A notebook shows it in a frame.

    Attributes
    ----------
    file : path of the page, which a browser opens without network
    """

    def __init__(self, file: Path) -> None:
        self.file = file

    def _repr_html_(self) -> str:
        page = html.escape(self.file.read_text(encoding="utf-8"))
        return f'<iframe title="replay" width="100%" height="460" style="border: 0" srcdoc="{page}"></iframe>'

    def __repr__(self) -> str:
        return f"<Replay in {self.file}>"


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in HTML."""
    lines = [f"<tr>{''.join(f'<td>{html.escape(cell(one))}</td>' for one in row)}</tr>" for row in rows]
    head = f"<tr>{''.join(f'<th>{html.escape(one)}</th>' for one in heads)}</tr>" if any(heads) else ""
    return f"<table>{head}{''.join(lines)}</table>"


def cell(value: object) -> str:
    """Return a value as text: numbers with four digits, nothing for None and NaN."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def plot_of(log: Log) -> str:
    """Return a plot of the log as an image in HTML; empty for a log without rows or without the usual columns."""
    names = [name for name in PLOTTED if name in log.columns]
    if not names or "time" not in log.columns or log.rows < 2:
        return ""
    import base64

    from simulator.report.png_renderer import png_of

    picture = base64.b64encode(png_of(log.plot(*names))).decode()
    return f'<img style="max-width: 100%" alt="{html.escape(", ".join(names))} over time" src="data:image/png;base64,{picture}">'


def checks_table(checks: Sequence[dict[str, Any]]) -> str:
    """Return the limits of a maneuver with their verdicts; empty without limits."""
    rows = [(one["metric"], one["value"], one["min"], one["max"], "pass" if one["pass"] else "FAIL") for one in checks]
    return table(("limit", "value", "min", "max", ""), rows) if rows else ""
