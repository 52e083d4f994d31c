"""Conformance of the steering controllers of a driver along a path."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.base.jit import COMPILES
from simulator.base.records import Record, record
from simulator.conformance.findings import Check, Findings
from simulator.conformance.guarded_records import GuardedRecords
from simulator.conformance.parameters import check_parameters, limits, parameter_values
from simulator.driver.internal_model import InternalModel
from simulator.driver.path import Path
from simulator.driver.steering.kinds import Law
from simulator.driver.steering.observation import SEEN, car_of

CASES: dict[str, dict[str, float]] = {
    "on the path": {"x": 20.0, "v_x": 15.0, "station": 20.0},
    "beside the path in a turn": {"x": 20.0, "y": 2.0, "yaw": 0.2, "v_x": 15.0, "v_y": -0.5, "w": 0.3, "station": 20.0, "angle": 0.05},
    "at rest": {},
    "reverse": {"x": 20.0, "v_x": -5.0, "station": 20.0},
    "against the path": {"x": 20.0, "yaw": math.pi, "v_x": 15.0, "station": 20.0},
    "far from the path": {"x": 1e4, "y": -1e5, "v_x": 30.0, "station": 100.0},
    "a spinning vehicle": {"x": 20.0, "yaw": 2.0, "v_x": 1.0, "v_y": 40.0, "w": 20.0, "station": 20.0},
    "extreme speed": {"x": 20.0, "v_x": 500.0, "v_y": 100.0, "station": 20.0},
    "beyond the end of the path": {"x": 500.0, "v_x": 20.0, "station": 500.0},
}
"""Observations by description; other values are zero."""
MAX_ANGLE = math.tau
"""rad. Largest plausible requested road-wheel angle; the path follower limits it to the lock."""
PERIOD = 0.01
"""s. Period of the driver."""


def check_law(law: Law, findings: Findings, example: Mapping[str, Any]) -> None:
    """Check a steering controller."""
    check_parameters(findings, law.fields)
    with findings.check("kernel", math.inf) as check:
        kernel = law.kernel()
        check.need(not COMPILES or hasattr(kernel, "signatures"), "not a kernel; decorate the function with @kernel of simulator.base.jit")
        _call(law, parameter_values(law.fields, example), CASES["at rest"])
    if findings.failed:
        return
    values = parameter_values(law.fields, example)
    with findings.check("requested angle") as check:
        _check_angles(check, law, values)
    with findings.check("limits of the parameters") as check:
        for description, extreme in limits(law.fields, values):
            _check_angles(check, law, extreme, f"{description}: ")
    with findings.check("determinism") as check:
        same = all(_call(law, values, case)[0].content == _call(law, values, case)[0].content for case in CASES.values())
        check.need(same, "two equal calls request other angles; read nothing that is not set")
    findings.median_time(lambda: _call(law, values, CASES["on the path"]), PERIOD, "the period of the driver")


def _check_angles(check: Check, law: Law, values: Mapping[str, Any], prefix: str = "") -> None:
    """Check the angles of all cases."""
    for description, case in CASES.items():
        seen, faults = _call(law, values, case)
        angle = float(seen.records[0]["wanted"])
        if not math.isfinite(angle):
            faults.append("the angle is not finite; avoid divisions by zero")
        elif abs(angle) > MAX_ANGLE:
            faults.append(f"angle of {angle:g} rad; expected at most {MAX_ANGLE:.3g}; bound the correction")
        for fault in faults:
            check.fail(f"{prefix}{description}: {fault}")


def _call(law: Law, values: Mapping[str, Any], case: dict[str, float]) -> tuple[GuardedRecords, list[str]]:
    """Call a controller; return its SEEN record, and the faults of its writing."""
    traits, seen = InternalModel(), GuardedRecords(SEEN)
    parameters, car = law.parameters(values, traits), car_of(traits)
    for name, value in case.items():
        seen.records[0][name] = value
    before = parameters.tobytes(), car.tobytes(), _without_angle(seen.records)
    law.kernel()(parameters, car, seen.records, _line())
    faults = [] if seen.is_intact else ["writes beyond its record; check the indices"]
    if before != (parameters.tobytes(), car.tobytes(), _without_angle(seen.records)):
        faults.append("changes its input; write `wanted` only")
    return seen, faults


def _without_angle(seen: Record) -> bytes:
    """Return the bytes of a SEEN record without the requested angle."""
    copy = record(SEEN)
    copy[:] = seen
    copy[0]["wanted"] = 0.0
    return copy.tobytes()


@functools.cache
def _line() -> Any:
    """Return the path of the checks: straight, then a turn."""
    s = np.linspace(0.0, 100.0, 51)
    return Path.through(np.column_stack([s, np.where(s > 50.0, 0.002 * (s - 50.0) ** 2, 0.0)])).line
