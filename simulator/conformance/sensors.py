"""Conformance of sensors."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.base.field_records import filled, rows
from simulator.base.fields import Number
from simulator.base.records import Record
from simulator.base.values import Values
from simulator.conformance.findings import Findings
from simulator.conformance.guarded_records import GuardedRecords, finite_faults
from simulator.conformance.parameters import check_parameters, check_rows, limits, parameter_values
from simulator.conformance.samples import CALLS, SEED, level_ground, readout_of, readouts
from simulator.sensors.contract import Mount, Sensor, SensorInput, SensorKind, SensorSettings
from simulator.sensors.measurement import Measurement, read_only
from simulator.sensors.messages.cdr import encode
from simulator.sensors.messages.definitions import types
from simulator.sensors.mounted_sensor import SAMPLED, array_fault
from simulator.sensors.sensor_world import WorldSource
from simulator.weather import CLEAR
from terrain.objects.object_set import NO_OBJECTS


def check_sensor(kind: SensorKind, findings: Findings, example: Mapping[str, Any]) -> None:
    """Check a sensor."""
    check_parameters(findings, kind.parameters, numbers_only=False)
    _check_presets(kind, findings)
    check_rows(findings, "output", kind.output, [row[0] for row in SAMPLED])
    with findings.check("rate") as check:
        check.need(0.1 <= kind.rate <= 2e4, f"default rate {kind.rate:g} Hz; expected 0.1 to 20000 Hz")
    if findings.failed:
        return
    values = parameter_values(kind.parameters, example)
    if findings.created(lambda: _new_sensor(kind, values), bool(example)) is None:
        return
    _check_output(kind, values, findings)
    _check_arrays(kind, values, findings)
    if kind.messages is not None:
        _check_messages(kind, values, findings)
    _check_limits(kind, values, findings)
    _check_repeated(kind, values, findings)
    sensor, out, (_, readout) = _new_sensor(kind, values), GuardedRecords(kind.output).records, readout_of(1)
    findings.median_time(lambda: sensor.step(_input(0.0, readout), out), 1.0 / kind.rate, f"the period at {kind.rate:g} Hz")


@cache
def _worlds() -> WorldSource:
    return WorldSource(level_ground(), CLEAR)


def _input(time: float, readout: Record) -> SensorInput:
    """Return an input with a history of one pose and an empty level world."""
    return SensorInput(time, readout, world=lambda: _worlds().world(NO_OBJECTS))


def _settings(kind: SensorKind, values: Mapping[str, Any], seed: int = SEED) -> SensorSettings:
    numbers = tuple(field for field in kind.parameters if isinstance(field.kind, Number))
    mount = Mount(np.array([0.1, 0.2, 0.3]), np.eye(3))
    given = {field.name: values[field.name] for field in kind.parameters if field.name in values}
    random = np.random.default_rng(seed)
    return SensorSettings(filled(rows(numbers), values), mount, 1.0 / kind.rate, random, level_ground(), kind.name, values=given)


def _new_sensor(kind: SensorKind, values: Mapping[str, Any], seed: int = SEED) -> Sensor:
    return kind.make(_settings(kind, values, seed))


def _check_presets(kind: SensorKind, findings: Findings) -> None:
    """Check that the presets have values of parameters."""
    with findings.check("presets") as check:
        own = {field.name: field.kind for field in kind.parameters}
        check.need(not kind.presets or "preset" in own, "no parameter preset; add one with the words of the presets")
        for preset, values in kind.presets.items():
            for key, value in values.items():
                if key not in own:
                    check.fail(f"{preset}: {key} is no parameter")
                    continue
                try:
                    own[key].read(value, "preset", key)
                except ConfigError as error:
                    check.fail(f"{preset}: {key}: {value!r} is not valid; expected {error.expected}")


def _check_output(kind: SensorKind, values: Values, findings: Findings) -> None:
    """Check the measurements in ordinary and in extreme states: finite, and nothing else changed."""
    sensor, out, ground = _new_sensor(kind, values), GuardedRecords(kind.output), level_ground()
    heights = ground.heights.tobytes()
    with findings.check("writing") as writing, findings.check("finite output") as finite:
        for n in range(CALLS):
            description, readout = readout_of(n)
            before = readout.tobytes()
            sensor.step(_input(n / kind.rate, readout), out.records)
            for fault in finite_faults(out.records, nan=True):
                finite.fail(f"{description}: {fault}")
            writing.need(readout.tobytes() == before, "changes the readout; copy what must change")
            writing.need(out.is_intact, "writes beyond the output record; check the indices")
        writing.need(ground.heights.tobytes() == heights, "changes the ground; copy what must change")


def _check_arrays(kind: SensorKind, values: Values, findings: Findings) -> None:
    """Check that the arrays are as declared, and new at each call."""
    with findings.check("arrays") as check:
        sensor, out = _new_sensor(kind, values), GuardedRecords(kind.output)
        made, before = kind.arrays_of(_settings(kind, values)), list[NDArray[Any]]()
        for n, (description, readout) in enumerate(readouts()):
            arrays = sensor.step(_input(n / kind.rate, readout), out.records) or {}
            if fault := array_fault(made, arrays):
                check.fail(f"{description}: {fault}")
            shared = [name for name, array in arrays.items() if any(np.shares_memory(array, one) for one in before)]
            check.need(not shared, f"{description}: {', '.join(shared)}: memory of an earlier measurement; return new arrays")
            before += arrays.values()


def _check_messages(kind: SensorKind, values: Values, findings: Findings) -> None:
    """Check that the messages for the file of sensor data can be encoded."""
    assert kind.messages is not None
    with findings.check("messages") as check:
        recording = kind.messages(_settings(kind, values))
        names = [topic.name for topic in recording.topics]
        check.need(len(set(names)) == len(names), f"two topics have the same name: {', '.join(names)}")
        for topic in recording.topics:
            check.need(
                topic.type in types(), f"topic {topic.name}: unknown message {topic.type}; expected one of {', '.join(types()[:8])} ..."
            )
        sensor, out = _new_sensor(kind, values), GuardedRecords(kind.output)
        for n, (description, readout) in enumerate(readouts()):
            time = n / kind.rate
            arrays = read_only(sensor.step(_input(time, readout), out.records) or {})
            measured = Measurement(time, time, 0.0, "", out.records.copy(), arrays)
            for topic in (one for one in recording.topics if one.type in types()):
                try:
                    message = topic.message(measured)
                    if message is not None:
                        encode(topic.type, message)
                except Exception as error:
                    check.fail(f"{description}: topic {topic.name}: {type(error).__name__}: {error}".rstrip(": "))


def _check_limits(kind: SensorKind, values: Values, findings: Findings) -> None:
    """Check the measurements with each parameter at the limits of its range."""
    with findings.check("limits of the parameters") as check:
        for description, extreme in limits(kind.parameters, values):
            sensor, out = _new_sensor(kind, extreme), GuardedRecords(kind.output)
            for _, readout in readouts():
                sensor.step(_input(0.0, readout), out.records)
                for fault in finite_faults(out.records, nan=True):
                    check.fail(f"{description}: {fault}, or narrow the range")


def _check_repeated(kind: SensorKind, values: Values, findings: Findings) -> None:
    """Check that new sensors with the same seed repeat the measurements, also if they take turns with another one."""
    with findings.check("determinism") as check:
        alone, turns, other = (_new_sensor(kind, values, seed) for seed in (SEED, SEED, SEED + 1))
        (expected,) = _measured(kind, [alone])
        repeated, _ = _measured(kind, [turns, other])
        if repeated != expected:
            check.fail(
                "a new sensor with the same seed measures other values; take random numbers from settings.random, "
                "and store nothing in modules or classes"
            )


def _measured(kind: SensorKind, sensors: list[Sensor]) -> list[bytes]:
    """Return the bytes that each of several sensors measures, called in turns."""
    outs = [GuardedRecords(kind.output) for _ in sensors]
    results = [b""] * len(sensors)
    for n in range(CALLS):
        _, readout = readout_of(n)
        for k, sensor in enumerate(sensors):
            arrays = sensor.step(_input(n / kind.rate, readout), outs[k].records) or {}
            results[k] += outs[k].content + b"".join(np.ascontiguousarray(arrays[name]).tobytes() for name in sorted(arrays))
    return results
