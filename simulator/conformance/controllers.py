"""Conformance of controllers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.field_records import filled, rows
from simulator.base.records import Record, record
from simulator.conformance.findings import Check, Findings
from simulator.conformance.guarded_records import KernelRig, check_kernel, finite_faults
from simulator.conformance.parameters import check_parameters, check_rows, limits, parameter_values
from simulator.conformance.samples import SEED
from vehicles.controllers.contract import CONTROLLER_INPUT, CONTROLLER_OUTPUT, NO_LIMIT, WHEELS, ControllerKind

STEPS = 200
"""Number of updates of a drive in a check."""
COUNTS = (4, 1, 6, int(WHEELS))
"""Numbers of wheels in the checks."""
RANGES = {
    "inlet": (0.0, 1.0),
    "outlet": (0.0, 1.0),
    "pressure_limit": (0.0, NO_LIMIT),
    "throttle_limit": (0.0, 1.0),
    "pressure": (0.0, 1e9),
}
"""Ranges of the requests."""
NEUTRAL = {"inlet": 1.0, "pressure_limit": NO_LIMIT, "throttle_limit": 1.0, "damping": 1.0}
"""Neutral requests other than 0."""
SPEEDS = {"at rest": 0.0, "driving": 30.0, "with a locked wheel": 20.0, "with spinning wheels": 500.0, "at extreme speed": 2000.0}
"""rad/s. Wheel speeds by situation."""


def check_controller(kind: ControllerKind, findings: Findings, example: Mapping[str, Any]) -> None:
    """Check a controller."""
    check_parameters(findings, kind.parameters)
    check_rows(findings, "state", kind.state)
    with findings.check("rate") as check:
        check.need(1.0 <= kind.rate <= 1e4, f"default rate {kind.rate:g} Hz; expected 1 to 10000 Hz")
    if findings.failed or not check_kernel(findings, kind.kernel):
        return
    values = parameter_values(kind.parameters, example)
    for count in COUNTS:
        with findings.check(f"requests with {count} wheel{'s' * (count > 1)}") as check:
            _drive(check, _new_rig(kind, values), count, 1.0 / kind.rate)
    if findings.failed:
        return
    with findings.check("limits of the parameters") as check:
        for description, extreme in limits(kind.parameters, values):
            _drive(check, _new_rig(kind, extreme), COUNTS[0], 1.0 / kind.rate, f"{description}: ")
    with findings.check("determinism") as check:
        first, second = (_drive(Check(), _new_rig(kind, values), COUNTS[0], 1.0 / kind.rate) for _ in range(2))
        check.need(
            first == second, "the same inputs give other requests; set the state when `begins` is 1, and read nothing that is not set"
        )
    rig = _new_rig(kind, values)
    rig.seen[:] = _inputs(COUNTS[0])[1][1]
    findings.median_time(lambda: rig.run(0, COUNTS[0], 1.0 / kind.rate), 1e-3, "the length of a tick")


def _new_rig(kind: ControllerKind, values: Mapping[str, Any]) -> KernelRig:
    rig = KernelRig(kind.kernel, rows(kind.parameters), kind.state, CONTROLLER_INPUT, CONTROLLER_OUTPUT)
    rig.parameters[:] = filled(rows(kind.parameters), values)
    return rig


def _inputs(count: int) -> list[tuple[str, Record]]:
    """Return CONTROLLER_INPUT records of a vehicle with `count` wheels, with descriptions."""
    random, inputs = np.random.default_rng(SEED), []
    for description, speed in SPEEDS.items():
        seen = record(CONTROLLER_INPUT)
        k = seen[0]
        moves, wheels = speed > 0.0, np.arange(count)
        k["axle"][:count], k["side"][:count] = wheels // 2, 1 - 2 * (wheels % 2)
        k["wheel_speed"][:count] = speed * random.uniform(0.8, 1.0, count)
        if "locked" in description:
            k["wheel_speed"][0] = 0.0
        k["brake"], k["throttle"], k["selector"] = random.uniform(0.0, 1.0, 2).tolist() + [1] if moves else (0.0, 0.0, 0)
        k["steering_wheel_angle"], k["yaw_rate"] = random.uniform(-1.0, 1.0, 2) * ((10.0, 2.0) if moves else (0.0, 0.0))
        k["longitudinal_acceleration"], k["lateral_acceleration"] = random.uniform(-1.0, 1.0, 2) * (STANDARD_GRAVITY if moves else 0.0)
        k["vertical_acceleration"][:count] = random.uniform(-100.0, 100.0, count) * moves
        k["shock_length"][:count], k["axle_pressure"][:count] = 0.4, 8e6 * k["brake"]
        k["wheel_pressure"][:count] = random.uniform(0.0, 8e6, count) * moves
        k["motor_torque"][:count] = 500.0 * k["throttle"]
        inputs.append((description, seen))
    return inputs


def _drive(check: Check, rig: KernelRig, count: int, h: float, prefix: str = "") -> bytes:
    """Check the requests of a drive, with a reset in the middle; return their bytes."""
    inputs, results = _inputs(count), b""
    for n in range(STEPS):
        description, seen = inputs[n * 7 % len(inputs)]
        rig.seen[:] = seen
        rig.seen[0]["begins"] = n in (0, STEPS // 2)
        if rig.seen[0]["begins"]:
            rig.state[:] = np.zeros_like(rig.state)
        _reset(rig.result)
        faults = rig.call(0, count, h) + finite_faults(rig.result) + finite_faults(rig.state)
        for fault in faults + ([] if faults else _range_faults(rig.result, count)):
            check.fail(f"{prefix}{description}: {fault}")
        if faults:
            break
        results += rig.content
    return results


def _reset(out: Record) -> None:
    """Set neutral requests, as before each call."""
    for name in out.dtype.names or ():
        out[name] = NEUTRAL.get(name, 0.0)


def _range_faults(out: Record, count: int) -> list[str]:
    """Return the faults of requests out of their ranges, and of requests for wheels that the vehicle lacks."""
    faults = []
    for name in out.dtype.names or ():
        values = np.atleast_1d(out[0][name])
        low, high = RANGES.get(name, (-np.inf, np.inf))
        wrong = values[(values < low) | (values > high)]
        if len(wrong):
            faults.append(f"{name} = {wrong[0]:g}; expected {low:g} to {high:g}; clip it")
        if len(values) > 1 and (values[count:] != NEUTRAL.get(name, 0.0)).any():
            faults.append(f"{name}: a request for a wheel beyond the {count} of the vehicle; use the first `count` elements")
    return faults
