"""Files of sensor data next to a log: what they contain, with repair of the files of a killed run."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from simulator.base.errors import JounceError
from simulator.telemetry.folder_lock import FolderInUseError, FolderLock
from simulator.telemetry.sensor_file.names import need_package
from simulator.telemetry.sensor_file.reader import SensorFile
from simulator.telemetry.sensor_file.repair import is_complete, repair


class SensorFileInfo(NamedTuple):
    """Description of a file."""

    file: Path
    size: int
    """Size in bytes."""
    messages: int = 0
    recovered: bool = False
    """True if this call repaired the file."""
    trouble: str = ""
    """Reason why the file could not be read or repaired."""

    def to_json(self) -> dict[str, Any]:
        """Return the description for JSON."""
        return self._asdict() | {"file": str(self.file)}


def files_of(log: Path) -> list[Path]:
    """Return the files of the run of a log: sensors.mcap ... for telemetry.parquet, sensors_TIME.mcap ... for that of an earlier killed run."""
    stem = log.stem.replace("telemetry", "sensors", 1)
    if stem == log.stem:
        return []
    return [*log.parent.glob(f"{stem}.mcap"), *sorted(log.parent.glob(f"{stem}-[0-9]*.mcap"), key=lambda file: (len(file.name), file.name))]


def inspect_files(log: Path) -> list[SensorFileInfo]:
    """Return the descriptions of the files of the run of a log; files of a killed run are repaired first."""
    return [_inspect(file) for file in files_of(log)]


def _inspect(file: Path) -> SensorFileInfo:
    size = file.stat().st_size
    try:
        need_package(str(file))
        recovered = not is_complete(file)
        if recovered:
            with FolderLock(file.parent):
                repair(file)
        with SensorFile(file) as opened:
            return SensorFileInfo(file, opened.size, opened.messages_count, recovered)
    except FolderInUseError:
        return SensorFileInfo(file, size, trouble=f"{file}: still being written")
    except JounceError as error:
        return SensorFileInfo(file, size, trouble=str(error))
