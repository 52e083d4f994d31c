"""Outlet that writes the ruts at the end of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from simulator.telemetry.atomic_files import write_whole
from simulator.telemetry.run_folder import RUTS_NAME

if TYPE_CHECKING:
    from simulator.session import Session
from simulator.outlets.telemetry import SELDOM


class RutFileOutlet:
    """Writes the ruts of a session into the folder of its run at the end; writes nothing if no wheel was on soil.

    Parameters
    ----------
    session : session with the soil memory
    folder : existing folder
    terrain : name of the terrain
    """

    label = "rut file"
    """Name of the outlet in messages."""

    def __init__(self, session: Session, folder: Path, terrain: str) -> None:
        self.every = SELDOM * session.driver_every
        self._soil, self._file, self._terrain = session.soil, folder / RUTS_NAME, terrain

    def publish(self, session: Session) -> None:
        """Do nothing; the session updates the ruts."""

    def close(self) -> None:
        """Write the file. Raises OutputError."""
        if not self._soil.is_virgin:
            write_whole(self._file, self._write)

    def _write(self, file: Path) -> None:
        with open(file, "wb") as stream:
            self._soil.save(stream, self._terrain)
