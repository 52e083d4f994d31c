"""Log of a run as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from numpy.typing import NDArray

from simulator.base.arrow_file import arrow_file
from simulator.outlets.contract import CONTRACT, OutletKind, OutletSettings
from simulator.telemetry.atomic_files import write_whole
from simulator.telemetry.channels import Channel
from simulator.telemetry.finished_log import FinishedLog, LogColumn

FILE_NAME = "telemetry.csv"
"""Name of the file in a run folder; also in `simulator.telemetry.run_folder.RESULTS`."""


class CsvLog:
    """Writes the log as CSV, header `name [unit]`."""

    def __init__(self, settings: OutletSettings) -> None:
        self._file = settings.folder / FILE_NAME

    def write_log(self, log: FinishedLog) -> None:
        """Write the file. Raises OutputError, ConfigError."""
        write_whole(self._file, lambda path: write_csv(path, log.columns, log.groups()))


def write_csv(path: Path, columns: Sequence[LogColumn] | Sequence[Channel], groups: Iterable[Mapping[str, NDArray]]) -> None:
    """Write columns of a log as CSV, header `name [unit]`, from groups of rows. Raises OSError, ConfigError."""
    import pyarrow as pa
    import pyarrow.csv as pc

    schema = pa.schema([pa.field(f"{one.name} [{one.unit}]", pa.from_numpy_dtype(one.kind)) for one in columns])
    with arrow_file(path, "wb") as target, pc.CSVWriter(target, schema) as out:
        for group in groups:
            out.write_table(pa.table([group[one.name] for one in columns], schema=schema))


KIND = OutletKind("csv", CsvLog, CONTRACT, meaning="log as CSV, telemetry.csv")
