"""Conformance of automatic drivers and of input sources: both fill the command."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Protocol, cast

import numpy as np

from simulator.base.field_records import filled, rows
from simulator.base.fields import Number
from simulator.base.plugin_thread import BUDGET
from simulator.base.records import Record, record
from simulator.base.values import Values
from simulator.conformance.findings import Check, Findings
from simulator.conformance.guarded_records import GuardedRecords, finite_faults
from simulator.conformance.parameters import check_parameters, limits, parameter_values
from simulator.conformance.samples import CALLS, SEED, level_ground, readout_of, readouts
from simulator.driver.contract import Driver, DriverKind, DriverSettings, reads_sensors
from simulator.driver.input_devices.contract import InputContext, InputSource, InputSourceKind, checked_command
from simulator.driver.input_devices.device_profiles import KeyboardProfile
from simulator.driver.internal_model import InternalModel
from simulator.driver.vehicle_identification import lazy_internal_model
from simulator.sensors.measurement import NO_ARRAYS, Measurement
from vehicles.command import COMMAND
from vehicles.vehicle import Vehicle

PERIOD = 0.01
"""s. Time between two calls of a driver or an input source."""


class Reader(Protocol):
    """Driver or input source, called with time, state of the vehicle, and command."""

    def __call__(self, t: float, readout: Record, command: Record) -> None: ...


class _NoKeys:
    """Keyboard of which no key is pressed."""

    frames = 1

    def down(self, key: str) -> bool:
        return False

    def taps(self, key: str) -> int:
        return 0


class _StraightAhead:
    """Maneuver with a driver that coasts straight ahead."""

    has_place = is_timed = False

    def driver(
        self, spawn: tuple[float, float, float], traits: InternalModel | None = None, settings: DriverSettings | None = None
    ) -> Driver:
        return self  # type: ignore[return-value]

    def read(self, t: float, readout: Record, command: Record) -> None:
        command[0]["selector"] = 1


class NothingMeasured(dict[str, Measurement]):
    """Measurements before the first delivery, by any name."""

    def __missing__(self, name: str) -> Measurement:
        return Measurement(math.nan, math.nan, math.inf, "", record(()), NO_ARRAYS)


@cache
def vehicle() -> Vehicle:
    """Return the vehicle of the checks."""
    from simulator.builder.builder import build_vehicle

    return build_vehicle("hmmwv", check_step=False)


def internal_model() -> InternalModel:
    """Return the driver's model of this vehicle."""
    return lazy_internal_model(vehicle())


def check_driver(kind: DriverKind, findings: Findings, example: Mapping[str, Any]) -> None:
    """Check an automatic driver."""
    check_parameters(findings, kind.parameters, numbers_only=False)
    if findings.failed:
        return

    def new(values: Mapping[str, Any]) -> Reader:
        maneuver = _StraightAhead() if kind.follows_maneuver else None
        random = np.random.default_rng(SEED)
        numbers = tuple(one for one in kind.parameters if isinstance(one.kind, Number))
        others = {one.name: values[one.name] for one in kind.parameters if one not in numbers and one.name in values}
        settings = DriverSettings(
            filled(rows(numbers), values), level_ground(), maneuver, random, internal_model(), values=others, vehicle=vehicle(), seed=SEED
        )
        driver = kind.make(settings)
        if reads_sensors(driver):
            return lambda t, readout, command: driver.read(t, readout, command, NothingMeasured())
        return cast("Driver", driver).read

    values = parameter_values(kind.parameters, example)
    if findings.created(lambda: new(values), bool(example)) is not None:
        _check_commands(findings, new, values, kind)


def check_input_source(kind: InputSourceKind, findings: Findings, example: Mapping[str, Any]) -> None:
    """Check an input source."""
    check_parameters(findings, kind.parameters)
    if findings.failed:
        return
    values = parameter_values(kind.parameters, example)
    source = findings.created(lambda: (_new_source(kind, values),), bool(example))
    if source is None or not _is_present(kind, source[0], findings):
        return

    def new(given: Mapping[str, Any]) -> Reader:
        one = _new_source(kind, given)
        assert one is not None
        return lambda t, readout, command: one.read(t, float(readout[0]["v_WB_B"][0]), command)

    _check_commands(findings, new, values, kind)


def _new_source(kind: InputSourceKind, values: Mapping[str, Any]) -> InputSource | None:
    context = InputContext(_NoKeys(), KeyboardProfile(kind="keyboard", name="none"), [], 13.6)  # type: ignore[arg-type]
    return kind.make(context, filled(rows(kind.parameters), values))


def _is_present(kind: InputSourceKind, source: InputSource | None, findings: Findings) -> bool:
    """Return True if there is a source; check its attributes."""
    with findings.check("attributes") as check:
        if source is None:
            check.warn(f"not checked further, since `make` returned None: {kind.missing}")
        else:
            for name, expected in (("used", bool), ("connected", bool), ("events", list)):
                attribute = getattr(source, name, None)
                check.need(isinstance(attribute, expected), f"{name}: expected a {expected.__name__}; got {type(attribute).__name__}")
    return source is not None and not findings.failed


def _check_commands(findings: Findings, new: Callable[[Mapping[str, Any]], Reader], values: Values, kind: Any) -> None:
    """Check the commands of a driver or an input source."""
    with findings.check("writing") as writing, findings.check("finite output") as finite, findings.check("range of the command") as ranges:
        read, command = new(values), GuardedRecords(COMMAND)
        for n in range(CALLS):
            description, readout = readout_of(n)
            before = readout.tobytes()
            read(n * PERIOD, readout, command.records)
            _check_command(finite, ranges, command.records, description)
            writing.need(readout.tobytes() == before, "changes the readout; copy what must change")
            writing.need(command.is_intact, "writes beyond the command; check the indices")
    with findings.check("limits of the parameters") as check:
        for description, extreme in limits(kind.parameters, values):
            read, command = new(extreme), GuardedRecords(COMMAND)
            for n, (_, readout) in enumerate(readouts()):
                read(n * PERIOD, readout, command.records)
                _check_command(check, Check(), command.records, description)
    with findings.check("determinism") as check:
        message = (
            "a new object with the same seed gives other commands; take random numbers from settings.random, and store nothing in modules"
        )
        check.need(_commands(new(values)) == _commands(new(values)), message)
    read, command, readout = new(values), GuardedRecords(COMMAND), readout_of(1)[1]
    findings.median_time(lambda: read(0.0, readout, command.records), PERIOD, f"the period of a driver, at most {BUDGET:g} s")


def _check_command(finite: Check, ranges: Check, command: Record, description: str) -> None:
    """Check that a command is finite and within its ranges."""
    faults = finite_faults(command)
    for fault in faults:
        finite.fail(f"{description}: {fault}")
    if not faults:
        clipped = checked_command(command)
        for name in command.dtype.names or ():
            if clipped[0][name] != command[0][name]:
                ranges.warn(
                    f"{description}: {name} = {command[0][name]:g}, which is clipped to {clipped[0][name]:g}; clip it in the plugin"
                )


def _commands(read: Reader) -> bytes:
    """Return the bytes of all commands."""
    results, command = b"", GuardedRecords(COMMAND)
    for n in range(CALLS):
        read(n * PERIOD, readout_of(n)[1], command.records)
        results += command.content
    return results
