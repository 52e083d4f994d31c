"""Conformance of outlets that write the log in another format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from simulator.base.records import record
from simulator.conformance.findings import Findings
from simulator.conformance.samples import readout_of
from simulator.outlets.contract import LogOutlet
from simulator.telemetry.finished_log import FinishedLog
from simulator.telemetry.run_folder import EVENTS
from simulator.telemetry.writer import PARQUET_NAME, LogOptions, TelemetryWriter
from vehicles.command import COMMAND
from vehicles.readout import READOUT

ROWS = 50
WALL = (("wall_time", (), "s", "wall time since the start of the log"),)


def check_log_format(make: Callable[[Path], LogOutlet], new_folder: Callable[[], Path], findings: Findings) -> None:
    """Check a log format, which `make` creates for a folder."""
    with findings.check("write_log"):
        files = _written(make, new_folder(), ROWS)
    if findings.failed:
        return
    with findings.check("files") as check:
        check.need(bool(files), "it writes no file into the folder of the run")
    with findings.check("write_log without rows"):
        _written(make, new_folder(), 0)
    with findings.check("determinism") as check:
        if _written(make, new_folder(), ROWS) != files:
            check.warn("a new outlet writes other files for the same log; use the times of the log, not the clock")


def _written(make: Callable[[Path], LogOutlet], folder: Path, rows: int) -> dict[str, bytes]:
    """Return the files that an outlet writes for a made-up log."""
    readout, command, wall = record(READOUT), record(COMMAND), record(WALL)
    sources = [("", READOUT, readout), ("command_", COMMAND, command), ("", WALL, wall)]
    options = LogOptions(about={"started": "2026-01-01T00:00:00.000+00:00", "vehicle": "made up"})
    outlet = make(folder)
    with TelemetryWriter(folder, sources, 1, options, ["wall_time"]) as log:
        for n in range(rows):
            readout[:] = readout_of(n)[1]
            readout[0]["time"] = wall[0]["wall_time"] = 0.01 * n
            log.publish()
    outlet.write_log(FinishedLog(folder / PARQUET_NAME))
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in (PARQUET_NAME, EVENTS))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
