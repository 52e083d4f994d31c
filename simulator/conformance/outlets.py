"""Conformance of outlets."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.field_records import filled, rows
from simulator.base.plugin_thread import BUDGET
from simulator.base.records import record
from simulator.base.values import Values
from simulator.conformance.findings import Findings
from simulator.conformance.log_formats import check_log_format
from simulator.conformance.parameters import check_parameters, limits, parameter_values
from simulator.conformance.samples import CALLS, SEED, random_values, readout_of
from simulator.event_effects.kinds import COMMANDS
from simulator.events.event import Event, Origin
from simulator.outlets.contract import HearingOutlet, LogOutlet, OutletKind, OutletSample, OutletSettings, PluginOutlet
from vehicles.command import COMMAND
from washout.perceived_motion import FELT
from washout.platform_procedure import PLATFORM_STATES


def check_outlet(kind: OutletKind, findings: Findings, example: Mapping[str, Any]) -> None:
    """Check an outlet."""
    check_parameters(findings, kind.parameters)
    with findings.check("rate") as check:
        check.need(0.1 <= kind.rate <= 2e4, f"default rate {kind.rate:g} Hz; expected 0.1 to 20000 Hz")
    if findings.failed:
        return
    values = parameter_values(kind.parameters, example)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        outlet = findings.created(lambda: _new_outlet(kind, values, folder), bool(example))
        if outlet is None:
            return
        if isinstance(outlet, LogOutlet):
            make = partial(_new_outlet, kind, values)
            check_log_format(make, partial(_new_folder, folder), findings)
            return
        _check_run(outlet, findings)
        if not findings.failed:
            _check_empty(kind, values, findings, folder)
            _check_limits(kind, values, findings, folder)
            _check_repeated(kind, values, findings, folder)
            _check_time(kind, values, findings, folder)


def _new_outlet(kind: OutletKind, values: Mapping[str, Any], folder: Path) -> Any:
    return kind.make(OutletSettings(filled(rows(kind.parameters), values), folder, 1.0 / kind.rate))


def samples() -> list[OutletSample]:
    """Return samples in all states of the platform, with a sensor and without one."""
    random, outlet_samples = np.random.default_rng(SEED), []
    for n in range(CALLS):
        _, readout = readout_of(n)
        command, felt = record(COMMAND), record(FELT)
        random_values(FELT, felt, random, 1.0)
        command[0]["throttle"], command[0]["steering"] = random.uniform(0.0, 1.0), random.uniform(-1.0, 1.0)
        pose, legs = random.uniform(-0.2, 0.2, 6), random.uniform(1.0, 1.4, 6)
        sensors = {"imu": record((("f_S", (3,), "m/s2", "specific force"),))} if n % 2 else {}
        state = PLATFORM_STATES[n % len(PLATFORM_STATES)]
        outlet_samples.append(OutletSample(0.01 * n, readout.copy(), command, pose, legs, state, felt, sensors))
    return outlet_samples


def events() -> list[Event]:
    """Return one event of each kind that an outlet may hear."""
    commands = [Event(name, None, Origin.WINDOW, 100, 0.1) for name in COMMANDS]
    values = {"pause": True, "platform": "park", "intensity": 0.5}
    commands = [replace(event, value=values.get(event.kind)) for event in commands]
    occurrences = (
        ("incident", {"number": 1, "time_s": 0.1, "reason": "roll-over"}),
        ("fault", {"part": "platform", "begins": True}),
        ("end", None),
    )
    return [*commands, *(Event(kind, value, Origin.SESSION, 100, 0.1) for kind, value in occurrences)]


def _check_run(outlet: PluginOutlet, findings: Findings) -> None:
    """Check an outlet over a run."""
    with findings.check("publish"):
        for sample in samples():
            outlet.publish(sample)
    if isinstance(outlet, HearingOutlet):
        with findings.check("hear"):
            for event in events():
                outlet.hear(event)
    with findings.check("close"):
        outlet.close()


def _check_empty(kind: OutletKind, values: Values, findings: Findings, folder: Path) -> None:
    """Check that an outlet can close without a sample."""
    with findings.check("close without a sample"):
        _new_outlet(kind, values, _new_folder(folder)).close()


def _check_limits(kind: OutletKind, values: Values, findings: Findings, folder: Path) -> None:
    """Check an outlet with each parameter at the limits of its range."""
    with findings.check("limits of the parameters"):
        for _, extreme in limits(kind.parameters, values):
            _run(kind, extreme, _new_folder(folder))


def _check_repeated(kind: OutletKind, values: Values, findings: Findings, folder: Path) -> None:
    """Check that a new outlet writes the same files."""
    with findings.check("determinism") as check:
        if _run(kind, values, _new_folder(folder)) != _run(kind, values, _new_folder(folder)):
            check.warn("a new outlet writes other files for the same samples; use the time of the sample, not that of the clock")


def _check_time(kind: OutletKind, values: Values, findings: Findings, folder: Path) -> None:
    """Compare the time of a publication with the period and with the budget in real time."""
    outlet, sample = _new_outlet(kind, values, _new_folder(folder)), samples()[1]
    budget = min(1.0 / kind.rate, BUDGET)
    findings.median_time(lambda: outlet.publish(sample), budget, f"the period at {kind.rate:g} Hz, at most {BUDGET:g} s")
    outlet.close()


def _run(kind: OutletKind, values: Mapping[str, Any], folder: Path) -> dict[str, bytes]:
    """Return the files that an outlet writes in a run."""
    outlet = _new_outlet(kind, values, folder)
    for sample in samples():
        outlet.publish(sample)
    outlet.close()
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def _new_folder(folder: Path) -> Path:
    """Return a new empty folder in a folder."""
    return Path(tempfile.mkdtemp(dir=folder))
