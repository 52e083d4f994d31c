"""Outlet that writes the ruts at the end of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from simulator.telemetry.atomic_files import RUTS_NAME, write_whole

if TYPE_CHECKING:
    from simulator.session import Session
from simulator.outlets.telemetry import SELDOM


class RutFileOutlet:
    """Leaves what a session remembers of the soil in the folder of its run, when it ends; nothing where nobody drove on soil.

    Parameters
    ----------
    session : whose memory it is
    folder : existing folder
    terrain : how the ground is called
    """

    def __init__(self, session: Session, folder: Path, terrain: str) -> None:
        self.every = SELDOM * session.driver_every
        self._soil, self._file, self._terrain = session.soil, folder / RUTS_NAME, terrain

    def publish(self, session: Session) -> None:
        """Nothing: the memory grows by itself."""

    def close(self) -> None:
        """Write the file. Raises OutputError."""
        if not self._soil.is_virgin:
            write_whole(self._file, self._write)

    def _write(self, file: Path) -> None:
        with open(file, "wb") as stream:
            self._soil.save(stream, self._terrain)
