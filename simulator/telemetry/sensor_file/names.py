"""Names of the files of sensor data, and the packages that read and write them."""

from __future__ import annotations

from importlib import util
from pathlib import Path

from simulator.base.errors import JounceError
from simulator.base.installation import install_extra

FILE_NAME = "sensors.mcap"
"""File of sensor data; sensors-2.mcap ... after restarts of the drive, each of which is a jump back in time."""
EXTRA = "sensors"
"""Extra with the package mcap."""


def numbered(folder: Path, number: int) -> Path:
    """Return the file of a run after `number` - 1 restarts."""
    file = folder / FILE_NAME
    return file if number == 1 else file.with_stem(f"{file.stem}-{number}")


def files_in(folder: Path) -> list[Path]:
    """Return the files of sensor data in the folder of a run, in the order of their names, also those of earlier killed runs."""
    return sorted(folder.glob("sensors*.mcap"), key=lambda file: (len(file.name), file.name))


def is_installed() -> bool:
    """Return whether the package mcap is installed."""
    return util.find_spec("mcap") is not None


def need_package(purpose: str) -> None:
    """Check that the package mcap is installed. Raises JounceError."""
    if not is_installed():
        raise JounceError(missing(purpose))


def missing(purpose: str) -> str:
    """Return the message for a missing package, with the command that installs it."""
    return f"{purpose}: the package mcap is not installed; hint: run {install_extra(EXTRA)}"
