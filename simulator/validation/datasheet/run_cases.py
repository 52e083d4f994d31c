"""Drives the cases of facts: maneuvers one by one, series and searches as their files say; the same run is driven once."""

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
    """One run and what came of it."""

    run: Run
    passed: bool | None
    metrics: Mapping[str, float | None] = field(default_factory=dict)
    """By name with unit, as in `Result`; empty when it failed."""
    reason: str = ""
    """Why it failed, ended before its end, or which limits it has not kept."""


@dataclass(frozen=True)
class CaseResult:
    """What came of a case."""

    runs: tuple[CaseRun, ...] = ()
    found: tuple[Mapping[str, Any], ...] = ()
    """What a search has found, as in series.json."""
    reason: str = ""
    """Why it has no result, or only a part of one."""


class Drives:
    """All cases of one vehicle.

    Parameters
    ----------
    vehicle : by name or path
    changes : values by key path, as of a `Simulation`
    told : called before each run with the case and the run's name and parameters
    """

    def __init__(self, vehicle: str, changes: Mapping[str, Any], told: Callable[[str, str], None]) -> None:
        self.vehicle, self._changes, self._told = vehicle, dict(changes), told
        self._cases: dict[str, CaseResult] = {}
        self._runs: dict[str, CaseRun] = {}

    def result(self, name: str) -> CaseResult:
        """Of a case, driven when it is asked for first. Never raises for what goes wrong on the way."""
        if name not in self._cases:
            case = CASES[name]
            self._cases[name] = (
                self._series(name, case) if case.series else CaseResult((self._drive(name, Run(case.run, case.parameters), case),))
            )
        return self._cases[name]

    def _series(self, name: str, case: Case) -> CaseResult:
        """Run after run of a series, as far as it comes."""
        file = find_config("series", case.run)
        driven: list[CaseRun] = []
        try:
            series = load_series(file)
            for run in series.runs():
                driven.append(self._drive(name, run, terrain=series.terrain))
                series.note(Outcome(run, driven[-1].passed, driven[-1].metrics))
        except JounceError as error:
            reasons = [one.reason for one in driven if one.reason and not one.metrics]
            return CaseResult(tuple(driven), tuple(series.found), "; ".join(dict.fromkeys([*reasons, str(error)])))
        return CaseResult(tuple(driven), tuple(series.found))

    def _drive(self, name: str, run: Run, case: Case | None = None, terrain: str | None = None) -> CaseRun:
        """One run; on the terrain that it says, else on this one, else on that of the maneuver."""
        given = {f"maneuver.parameters.{key}": value for key, value in run.parameters.items() if key not in PARTS}
        changes = {**self._changes, **given}
        if case is not None and case.metrics:
            changes["maneuver.metrics"] = [dict(metric) for metric in case.metrics]
        terrain = run.parameters.get("terrain", terrain)
        key = json_text([run.maneuver, terrain, changes])
        if key not in self._runs:
            self._told(name, run.label)
            self._runs[key] = self._simulate(run, terrain, changes)
        kept = self._runs[key]
        return CaseRun(run, kept.passed, kept.metrics, kept.reason)

    def _simulate(self, run: Run, terrain: str | None, changes: Mapping[str, Any]) -> CaseRun:
        try:
            result = Simulation(self.vehicle, terrain, maneuver=run.maneuver, changes=changes, channels=("time",)).run()
        except JounceError as error:
            return CaseRun(run, False, {}, str(error))
        wrong = ", ".join(f"{check['metric']} {_shown(check['value'])}" for check in result.checks if not check["pass"])
        return CaseRun(run, result.passed, result.metrics, result.given_up or (f"not kept: {wrong}" if wrong else ""))


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"
