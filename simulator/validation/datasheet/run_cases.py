"""Execution of the cases of the datasheet: maneuvers, series and searches. Equal runs are executed once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from simulator.api.simulation import Simulation
from simulator.base.errors import JounceError
from simulator.base.json_output import json_text
from simulator.builder.builder import find_config
from simulator.maneuvers.series_file import PARTS, Outcome, Run
from simulator.run.series import load_series
from simulator.validation.datasheet.definitions import CASES, Case


@dataclass(frozen=True)
class CaseRun:
    """One run and its result."""

    run: Run
    passed: bool | None
    metrics: Mapping[str, float | None] = field(default_factory=dict)
    """Metrics by name with unit, as in `Result`; empty if the run failed."""
    reason: str = ""
    """Reason of a failure or an early end, or the violated limits."""


@dataclass(frozen=True)
class CaseResult:
    """Result of a case."""

    runs: tuple[CaseRun, ...] = ()
    found: tuple[Mapping[str, Any], ...] = ()
    """Results of a search, as in series.json."""
    reason: str = ""
    """Reason for a missing or incomplete result."""


class Drives:
    """All cases of one vehicle.

    Parameters
    ----------
    vehicle : name or path
    changes : values by key path, as for a `Simulation`
    progress : called before each run with the case, and the name and parameters of the run
    """

    def __init__(self, vehicle: str, changes: Mapping[str, Any], progress: Callable[[str, str], None]) -> None:
        self.vehicle, self._changes, self._progress = vehicle, dict(changes), progress
        self._cases: dict[str, CaseResult] = {}
        self._runs: dict[str, CaseRun] = {}

    def result(self, name: str) -> CaseResult:
        """Return the result of a case, which runs on first use. Errors become reasons and are not raised."""
        if name not in self._cases:
            case = CASES[name]
            self._cases[name] = (
                self._series(name, case) if case.series else CaseResult((self._drive(name, Run(case.run, case.parameters), case),))
            )
        return self._cases[name]

    def _series(self, name: str, case: Case) -> CaseResult:
        """Execute the runs of a series up to the first error."""
        file = find_config("series", case.run)
        runs: list[CaseRun] = []
        try:
            series = load_series(file)
            for run in series.runs():
                runs.append(self._drive(name, run, terrain=series.terrain))
                series.note(Outcome(run, runs[-1].passed, runs[-1].metrics))
        except JounceError as error:
            reasons = [one.reason for one in runs if one.reason and not one.metrics]
            return CaseResult(tuple(runs), tuple(series.found), "; ".join(dict.fromkeys([*reasons, str(error)])))
        return CaseResult(tuple(runs), tuple(series.found))

    def _drive(self, name: str, run: Run, case: Case | None = None, terrain: str | None = None) -> CaseRun:
        """Execute a run on the terrain of the run, else on `terrain`, else on the terrain of the maneuver."""
        given = {f"maneuver.parameters.{key}": value for key, value in run.parameters.items() if key not in PARTS}
        changes = {**self._changes, **given}
        if case is not None and case.metrics:
            changes["maneuver.metrics"] = [dict(metric) for metric in case.metrics]
        terrain = run.parameters.get("terrain", terrain)
        key = json_text([run.maneuver, terrain, changes])
        if key not in self._runs:
            self._progress(name, run.label)
            self._runs[key] = self._simulate(run, terrain, changes)
        known = self._runs[key]
        return CaseRun(run, known.passed, known.metrics, known.reason)

    def _simulate(self, run: Run, terrain: str | None, changes: Mapping[str, Any]) -> CaseRun:
        try:
            result = Simulation(self.vehicle, terrain, maneuver=run.maneuver, changes=changes, channels=("time",)).run()
        except JounceError as error:
            return CaseRun(run, False, {}, str(error))
        wrong = ", ".join(f"{check['metric']} {_shown(check['value'])}" for check in result.checks if not check["pass"])
        return CaseRun(run, result.passed, result.metrics, result.given_up or (f"limits violated: {wrong}" if wrong else ""))


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"
