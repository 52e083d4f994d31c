"""Conformance of faults."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from simulator.base.errors import ConfigError
from simulator.base.records import Record
from simulator.base.values import Values
from simulator.builder.builder import build_vehicle
from simulator.conformance.findings import Check, Findings
from simulator.conformance.parameters import EXAMPLE, check_parameters, limits, parameter_values
from simulator.conformance.samples import level_ground, readouts
from simulator.faults.contract import Fault, FaultContext, FaultKind, FaultTargets
from simulator.faults.kinds import SHORTEST_RAMP
from vehicles.own_parameters import RECORDS, OwnParameters
from vehicles.vehicle import Vehicle

VEHICLES = ("hmmwv", "sedan")
"""Vehicles on which a fault is tried: the first one that it fits."""
SENSORS = ("imu",)
BUDGET = 1e-3
"""s. A tenth of the time between two changes: faults may not delay a drive."""
LEVELS = (1e-6, 0.01, 0.5, 1.0)


def check_fault(kind: FaultKind, findings: Findings, example: Mapping[str, Any]) -> None:
    """Check a fault."""
    check_parameters(findings, kind.parameters, numbers_only=False)
    with findings.check("ramp") as check:
        check.need(kind.ramp >= SHORTEST_RAMP, f"default ramp {kind.ramp:g} s; expected at least {SHORTEST_RAMP:g} s")
        known = {field.name for field in kind.parameters}
        check.need(set(kind.subject) <= known, f"subject {', '.join(kind.subject)}; expected names of parameters")
    if findings.failed:
        return
    values = parameter_values(kind.parameters, example)
    created = findings.created(lambda: _created(kind, values), bool(example))
    if created is None:
        return
    vehicle, fault = created
    with findings.check("finite output") as check:
        for level in LEVELS:
            for description, readout in readouts():
                _check_numbers(check, f"level {level:g}, {description}", fault, vehicle, level, readout)
    with findings.check("writing") as check:
        parameters = OwnParameters(vehicle.model, vehicle.tires)
        before = _bytes(vehicle, None)
        fault.apply(1.0, _targets(parameters, readouts()[0][1]))
        check.need(_bytes(vehicle, None) == before, "changes parameters that other vehicles share; change those of `on.parameters.model`")
    with findings.check("limits of the parameters") as check:
        for description, extreme in limits(kind.parameters, values):
            try:
                _, one = _created(kind, _as_values(values, extreme))
            except ConfigError:  # a value that does not fit the vehicle
                continue
            _check_numbers(check, description, one, vehicle, 1.0, readouts()[0][1])
    with findings.check("determinism") as check:
        first, second = (_after(fault, vehicle) for _ in range(2))
        check.need(first == second, "the same level gives other numbers; store nothing between two calls")
    parameters = OwnParameters(vehicle.model, vehicle.tires)

    def change() -> None:
        parameters.restore()
        fault.apply(0.5, _targets(parameters, readouts()[0][1]))

    findings.median_time(change, BUDGET, "a tenth of the 10 ms between two calls")


def _created(kind: FaultKind, values: Values) -> tuple[Vehicle, Fault]:
    """Return the first vehicle that the fault fits, and the fault. Raises ConfigError."""
    for name in VEHICLES[:-1]:
        try:
            return _vehicle(name), kind.make(values, FaultContext(_vehicle(name), SENSORS))
        except ConfigError:
            continue
    vehicle = _vehicle(VEHICLES[-1])
    return vehicle, kind.make(values, FaultContext(vehicle, SENSORS))


@cache
def _vehicle(name: str) -> Vehicle:
    return build_vehicle(name, check_step=False)


def _as_values(like: Values, numbers: Mapping[str, Any]) -> Values:
    out = Values(EXAMPLE, "")
    out.update(numbers)
    out.spelled, out.units = like.spelled, like.units
    return out


def _targets(parameters: OwnParameters, readout: Record) -> FaultTargets:
    return FaultTargets(parameters, level_ground().arrays, readout)


def _check_numbers(check: Check, description: str, fault: Fault, vehicle: Vehicle, level: float, readout: Record) -> None:
    """Check that a fault makes no parameter a NaN, and requests possible losses."""
    on = _targets(OwnParameters(vehicle.model, vehicle.tires), readout)
    fault.apply(level, on)
    for name, record in _records(on.parameters):
        for row in _numbers_of(record):
            check.need(not np.isnan(record[row]).any(), f"{description}: {row} of {name} is not a number")
    check.need(bool(np.isfinite(on.wind).all()), f"{description}: the wind is not finite")
    check.need(0.0 <= on.throttle <= 1.0, f"{description}: throttle {on.throttle:g}; expected 0 to 1")
    check.need(0.0 <= on.packet_loss <= 1.0 and on.packet_delay >= 0.0, f"{description}: packet loss or delay out of range")


def _numbers_of(record: Record) -> list[str]:
    dtype = record.dtype
    return [name for name in dtype.names or () if dtype[name].base.kind == "f"]


def _records(parameters: OwnParameters) -> list[tuple[str, Record]]:
    return [*((name, getattr(parameters.model, name)) for name in RECORDS), *parameters.tire_models.items()]


def _bytes(vehicle: Vehicle, parameters: OwnParameters | None) -> bytes:
    model = vehicle.model if parameters is None else parameters.model
    own = vehicle.tires.own if parameters is None else parameters.tire_models
    return b"".join([*(getattr(model, name).tobytes() for name in RECORDS), *(table.tobytes() for table in own.values())])


def _after(fault: Fault, vehicle: Vehicle) -> tuple[bytes, str]:
    """Return the parameters and requests after a level of 0.5."""
    parameters = OwnParameters(vehicle.model, vehicle.tires)
    on = _targets(parameters, readouts()[0][1])
    fault.apply(0.5, on)
    return _bytes(vehicle, parameters), repr((on.throttle, on.wind.tolist(), on.lost, on.packet_loss, on.packet_delay))
