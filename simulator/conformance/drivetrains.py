"""Conformance of kinds of drivetrains."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.errors import JounceError
from simulator.base.records import Record, record
from simulator.base.values import Values
from simulator.conformance.findings import Check, Findings
from simulator.conformance.guarded_records import KernelRig, check_kernel, finite_faults
from simulator.conformance.parameters import check_parameters, check_rows, limits, parameter_values
from simulator.conformance.samples import SEED
from vehicles.axle_layout import USUAL_AXLES, Axles
from vehicles.drivetrain.contract import DRIVETRAIN_INPUT, DRIVETRAIN_OUTPUT, WHEELS, DrivetrainKind

STEPS = 200
"""Number of steps of a drive in a check."""
H = 1e-3
"""s. Step of the drive."""
EIGHT_AXLES = Axles(("front", *"bcdefg", "rear"), (2,) * 8)
LAYOUTS = (USUAL_AXLES, Axles(("front", "rear"), (2, 1)), EIGHT_AXLES)
"""Axles of the vehicles in the checks, the largest number of wheels last."""
SITUATIONS: dict[str, dict[str, float]] = {
    "at rest": {},
    "pulling away": {"throttle": 1.0, "selector": 1},
    "driving": {"throttle": 0.4, "selector": 1, "speed": 30.0},
    "coasting": {"selector": 1, "speed": 40.0},
    "reverse": {"throttle": 0.5, "selector": -1, "speed": -5.0},
    "reverse selected at speed": {"throttle": 0.5, "selector": -1, "speed": 20.0},
    "with a locked wheel": {"brake": 1.0, "selector": 1, "speed": 20.0, "locked": 1},
    "with the clutch pressed": {"throttle": 1.0, "clutch": 1.0, "selector": 1, "gear": 1},
    "extreme speed": {"throttle": 1.0, "selector": 1, "speed": 2000.0, "request": 5000.0},
}
"""Inputs by situation; `speed` is that of the wheels in rad/s, `request` the torque of the controllers in N m."""
STANDSTILL = 1.0
"""N m. Maximum torque on a wheel of a vehicle at rest in neutral with released pedals."""


def check_drivetrain(kind: DrivetrainKind, findings: Findings, example: Mapping[str, Any]) -> None:
    """Check a kind of drivetrain. The shipped kinds are part of the step: only their tables are checked."""
    check_parameters(findings, kind.fields_for(USUAL_AXLES), numbers_only=kind.read is None)
    check_rows(findings, "state", kind.state)
    if kind.kernel is None or findings.failed or not check_kernel(findings, kind.kernel):
        return
    parameters = findings.created(lambda: kind.parameters(_values(kind, USUAL_AXLES, example), USUAL_AXLES), bool(example))
    if parameters is None:
        return
    with findings.check("governed speed") as check:
        speed = float(kind.governed_speed(parameters))
        check.need(math.isfinite(speed) and speed > 0.0, f"{speed:g} rad/s; expected a finite number above 0")
    for axles in LAYOUTS:
        with findings.check(f"torques of {axles.size.wheels} wheels") as check:
            _drive(check, _new_rig(kind, axles, example), axles)
    if findings.failed:
        return
    with findings.check("limits of the parameters") as check:
        for description, extreme in limits(kind.fields_for(USUAL_AXLES), _values(kind, USUAL_AXLES, example)):
            try:
                rig = _new_rig(kind, USUAL_AXLES, extreme)
            except JounceError:  # the kind rejects this combination
                continue
            _drive(check, rig, USUAL_AXLES, f"{description}: ")
    with findings.check("determinism") as check:
        first, second = (_drive(Check(), _new_rig(kind, USUAL_AXLES, example), USUAL_AXLES) for _ in range(2))
        check.need(first == second, "the same inputs give other torques; read nothing that is not set")
    rig = _new_rig(kind, USUAL_AXLES, example)
    rig.seen[:] = _input(USUAL_AXLES, SITUATIONS["driving"])
    findings.median_time(lambda: rig.run(0, USUAL_AXLES.size.wheels, H), 1e-3, "the length of a tick")


def _values(kind: DrivetrainKind, axles: Axles, example: Mapping[str, Any]) -> Values:
    return parameter_values(kind.fields_for(axles), example)


def _new_rig(kind: DrivetrainKind, axles: Axles, example: Mapping[str, Any]) -> KernelRig:
    assert kind.kernel is not None
    parameters = kind.parameters(_values(kind, axles, example), axles)
    rig = KernelRig(kind.kernel, parameters.dtype, kind.state, DRIVETRAIN_INPUT, DRIVETRAIN_OUTPUT)
    rig.parameters[:] = parameters
    return rig


def _input(axles: Axles, situation: Mapping[str, float]) -> Record:
    """Return the input of the kind in a situation."""
    seen, count = record(DRIVETRAIN_INPUT), axles.size.wheels
    k = seen[0]
    k["axle"][:count] = np.repeat(np.arange(axles.size.axles), axles.sides)
    k["side"][:count] = np.concatenate([(1, -1) if sides == 2 else (0,) for sides in axles.sides])
    speed = situation.get("speed", 0.0)
    k["wheel_speed"][:count] = speed * np.random.default_rng(SEED).uniform(0.9, 1.0, count)
    k["wheel_speed"][: int(situation.get("locked", 0))] = 0.0
    k["rolling_speed"][:count], k["motor_request"][:count] = speed, situation.get("request", 0.0)
    for name in ("throttle", "brake", "clutch", "selector", "gear"):
        k[name] = situation.get(name, 0.0)
    return seen


def _drive(check: Check, rig: KernelRig, axles: Axles, prefix: str = "") -> bytes:
    """Check the torques of a drive in each situation after a reset; return their bytes."""
    results, count = b"", axles.size.wheels
    for description, situation in SITUATIONS.items():
        rig.state[:] = np.zeros_like(rig.state)
        rig.seen[:] = _input(axles, situation)
        for n in range(STEPS):
            rig.seen[0]["begins"] = n == 0
            rig.result[:] = np.zeros_like(rig.result)
            rig.result[0]["gear"] = rig.seen[0]["selector"]
            faults = rig.call(0, count, H) + finite_faults(rig.result) + finite_faults(rig.state)
            for fault in faults or _range_faults(check, rig.result, count, situation):
                check.fail(f"{prefix}{description}: {fault}")
            if faults:
                break
            results += rig.content
    return results


def _range_faults(check: Check, out: Record, count: int, situation: Mapping[str, float]) -> list[str]:
    """Return the faults of an output out of range, and of one for wheels that the vehicle lacks; a slope above 0 is a warning."""
    o, faults = out[0], []
    if (o["inertia"] < 0.0).any():
        faults.append(f"inertia = {o['inertia'].min():g}; expected at least 0")
    if (o["carrier_share"] < 0.0).any() or (o["carrier_share"] > 1.0).any():
        faults.append("carrier_share out of range; expected 0 to 1")
    if (o["slope"] > 0.0).any():
        check.warn(f"slope = {o['slope'].max():g}; a slope above 0 counts as 0")
    if not situation and np.abs(o["torque"]).max() > STANDSTILL:
        faults.append(f"torque = {np.abs(o['torque']).max():g} N m in neutral with released pedals; expected none")
    for name in ("torque", "slope", "inertia", "carrier_share"):
        if count < int(WHEELS) and (o[name][count:] != 0.0).any():
            faults.append(f"{name}: a value for a wheel beyond the {count} of the vehicle; use the first `count` elements")
    return faults
