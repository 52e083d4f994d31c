"""Runner of a log format, which writes the log of a session at its end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from simulator.base.errors import JounceError
from simulator.base.plugin_thread import PluginThread
from simulator.outlets.contract import LogOutlet
from simulator.outlets.telemetry import SELDOM
from simulator.telemetry.finished_log import FinishedLog
from simulator.telemetry.writer import PARQUET_NAME

if TYPE_CHECKING:
    from simulator.session import Session

PATIENCE = 600.0
"""s that a session waits for the files of a log format."""


class LogOutletRunner:
    """Log format in a session. It is closed after the telemetry, which is the last outlet.

    Parameters
    ----------
    name : name of the kind
    outlet : log format
    folder : folder of the run
    """

    label = "log format"
    """Name of the outlet in messages."""
    every = SELDOM
    missed = dropped = 0

    def __init__(self, name: str, outlet: LogOutlet, folder: Path) -> None:
        self.name = name
        self._outlet, self._file = outlet, folder / PARQUET_NAME

    def publish(self, session: Session) -> None:
        """Do nothing; the log has all rows."""

    def close(self) -> None:
        """Write the log, if there is one. Raises JounceError: the outlet failed, or took more than PATIENCE."""
        if not self._file.exists():  # the log could not be written, which is reported
            return
        thread = PluginThread(f"outlet {self.name}", self._write, patience=PATIENCE)
        thread.submit()
        thread.result(wait=True)
        error = thread.error
        thread.close()
        if error:
            raise JounceError(error)

    def _write(self) -> None:
        self._outlet.write_log(FinishedLog(self._file))
