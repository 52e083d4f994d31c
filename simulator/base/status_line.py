"""Status line of a command."""

from __future__ import annotations

import sys
from typing import Any


class StatusLine:
    """Line on the error stream of a terminal that shows the current step, cleared at the end; off without a terminal or with JSON output.

    Parameters
    ----------
    quiet : True with JSON output
    """

    def __init__(self, quiet: bool) -> None:
        self._shown = not quiet and sys.stderr.isatty()
        self._status: Any = None

    def __call__(self, text: str) -> None:
        """Replace the displayed text."""
        if not self._shown:
            return
        if self._status is None:
            from rich.console import Console

            self._status = Console(stderr=True, markup=False).status(text)
            self._status.start()
        self._status.update(text)

    def __enter__(self) -> StatusLine:
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()
