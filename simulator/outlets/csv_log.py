"""Log of a run as CSV."""

from __future__ import annotations

from pathlib import Path

from simulator.base.arrow_file import arrow_file
from simulator.outlets.contract import CONTRACT, OutletKind, OutletSettings
from simulator.telemetry.atomic_files import write_whole
from simulator.telemetry.finished_log import FinishedLog

FILE_NAME = "telemetry.csv"
"""Name of the file in a run folder; also in `simulator.telemetry.run_folder.RESULTS`."""


class CsvLog:
    """Writes the log as CSV, header `name [unit]`."""

    def __init__(self, settings: OutletSettings) -> None:
        self._file = settings.folder / FILE_NAME

    def write_log(self, log: FinishedLog) -> None:
        """Write the file. Raises OutputError, ConfigError."""
        write_whole(self._file, lambda path: _write(path, log))


def _write(path: Path, log: FinishedLog) -> None:
    import pyarrow as pa
    import pyarrow.csv as pc

    schema = pa.schema([pa.field(f"{one.name} [{one.unit}]", pa.from_numpy_dtype(one.kind)) for one in log.columns])
    with arrow_file(path, "wb") as target, pc.CSVWriter(target, schema) as out:
        for group in log.groups():
            out.write_table(pa.table([group[one.name] for one in log.columns], schema=schema))


KIND = OutletKind("csv", CsvLog, CONTRACT, meaning="log as CSV, telemetry.csv")
