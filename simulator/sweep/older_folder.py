"""Resume the folder of a sweep that another version of the program began.

The digest of a run covers the sources of the program, so a new version has other digests for the same runs. The runs of the folder are
valid if the folder has the same plan, and if some of its finished runs give the same metrics with this version, but for rounding.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from simulator.base.arrow_file import arrow_file
from simulator.base.errors import ConfigError
from simulator.outlets.telemetry import ALWAYS
from simulator.sweep.case import Case, Cases
from simulator.sweep.configuration_cache import Point
from simulator.sweep.executor import Executor
from simulator.sweep.journal import JOURNALS, Row, read_rows
from simulator.sweep.result_table import PLAN, write_plan
from simulator.telemetry.channels import chosen
from simulator.telemetry.parquet import read_units

SAME = ("name", "runs", "base", "sections", "wanted", "limits")
"""Keys of ``sweep.json`` in which two versions of one sweep agree."""
REPEATED = 3
"""Finished runs that are repeated. Larger: a slower start; smaller: a changed file may be missed."""
ROUNDING = 1e-9
"""Relative difference of a metric of two versions that is rounding: a metric of one version comes from another order of the same sums.

A changed vehicle, soil or maneuver gives differences above 1e-6. Larger: a changed file may be missed; smaller: a sweep of an older
version cannot be resumed."""


class OlderCases:
    """The runs of a sweep with the digests that the folder has for them."""

    def __init__(self, cases: Cases, runs: Sequence[str]) -> None:
        self._cases, self._runs = cases, tuple(runs)
        self.varied, self.about = cases.varied, cases.about

    def __len__(self) -> int:
        return len(self._runs)

    def __getitem__(self, number: int) -> Case:
        case = self._cases[number]
        return Case(case.number, case.given, case.mapping, self._runs[number])

    def run_of(self, number: int) -> str:
        """Return the digest of a run in the folder."""
        return self._runs[number]

    def point_of(self, number: int) -> Point:
        """Return what varies in a run."""
        return self._cases.point_of(number)


def older_cases(
    folder: Path, cases: Cases, channels: Collection[str], about: Mapping[str, Any], other: Mapping[str, Any]
) -> OlderCases | None:
    """Return the runs with the digests of a folder, or None when the folder holds another sweep.

    Parameters
    ----------
    channels : columns of the logs that the sweep keeps
    about, other : content of ``sweep.json`` of the sweep, and as it is in the folder
    """
    import pyarrow.parquet as pq

    if any(about.get(key) != other.get(key) for key in SAME) or not _has_channels(folder / "runs", channels):
        return None
    try:
        with arrow_file(folder / PLAN) as source:
            plan = pq.read_table(source)
    except (OSError, ValueError):
        return None
    with tempfile.TemporaryDirectory() as own:
        write_plan(cases, Path(own))
        present = pq.read_table(Path(own) / PLAN)
    if not plan.drop_columns(["run"]).equals(present.drop_columns(["run"])):
        return None
    return OlderCases(cases, plan["run"].to_pylist())


def _has_channels(logs: Path, channels: Collection[str]) -> bool:
    """Return whether the logs of the folder have these channels, and no others. Without logs, no run may have finished that needs one."""
    file = next(logs.glob("*.parquet"), None)
    if not channels:
        return file is None
    if file is None:
        return all(row["failure"] for row in read_rows(logs.parent / JOURNALS))
    fields = {name: words.get("field", name) for name, words in read_units(file).items()}
    try:
        return set(chosen(fields, [*ALWAYS, *channels])) == set(fields)
    except ConfigError:
        return False


def differing_run(cases: Cases, finished: Sequence[tuple[int, Row]], executor: Executor, setting: Mapping[str, Any]) -> int | None:
    """Repeat some finished runs; return the number of the first whose metrics differ by more than ROUNDING, or None."""
    step = max(1, len(finished) // REPEATED)
    for number, row in finished[::step][:REPEATED]:
        case = cases[number]
        chunk = {"cases": [{"run": case.run, "mapping": case.mapping}], **setting}
        for answer in executor.chunks(iter([chunk])):
            if not _agree(answer["rows"][0].get("metrics"), row.get("metrics")):
                return number
    return None


def _agree(now: Mapping[str, Any] | None, older: Mapping[str, Any] | None) -> bool:
    """Return whether two runs have the same metrics, but for rounding."""
    if now is None or older is None or now.keys() != older.keys():
        return now == older
    return all(_same(now[name], older[name]) for name in now)


def _same(now: Any, older: Any) -> bool:
    """Return whether two values of a metric are equal, but for rounding."""
    if isinstance(now, float) and isinstance(older, float):
        return math.isclose(now, older, rel_tol=ROUNDING) or (math.isnan(now) and math.isnan(older))
    return bool(now == older)
