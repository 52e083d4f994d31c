"""Conformance of washouts, compiled ones and those in Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from simulator.base.constants import STANDARD_GRAVITY
from simulator.base.field_records import filled, rows
from simulator.base.plugin_thread import BUDGET
from simulator.base.records import Record, record
from simulator.base.values import Values
from simulator.builder.builder import build_platform
from simulator.conformance.findings import Check, Findings
from simulator.conformance.guarded_records import KernelRig, check_kernel
from simulator.conformance.parameters import check_parameters, check_rows, limits, parameter_values
from simulator.conformance.samples import SEED
from washout.contract import PREVIEW_POINTS, WASHOUT_INPUT, WASHOUT_OUTPUT, WashoutContext, WashoutKind

PLATFORM = "small_hexapod"
"""Platform of the checks."""
TICK = 1e-3
"""s. Period of a washout that is called in every tick, and the time that a tick has on one core."""
STEPS = 600
"""Number of steps of a drive in a check."""
MAX_REQUEST = 100.0
"""m, rad. Largest requested pose. The platform limits each pose; a larger request shows that the washout diverges."""


class _KernelWashout:
    """Compiled washout."""

    def __init__(self, kind: WashoutKind, values: Mapping[str, Any], context: WashoutContext) -> None:
        assert kind.kernel is not None
        self._rig = KernelRig(kind.kernel, rows(kind.parameters), kind.state, WASHOUT_INPUT, WASHOUT_OUTPUT)
        self._rig.parameters[:] = filled(rows(kind.parameters), values)
        if kind.begin is not None:
            kind.begin(self._rig.parameters, self._rig.state, context)
        self.pose = np.zeros(6)

    def step(self, seen: Record, h: float) -> list[str]:
        """Run a step; return the faults of its writing."""
        self._rig.seen[:] = seen
        faults = self._rig.call(0, 1, h)
        self.pose = self._rig.result[0]["pose"].copy()
        return faults


class _PythonWashout:
    """Washout in Python."""

    def __init__(self, kind: WashoutKind, values: Mapping[str, Any], context: WashoutContext) -> None:
        assert kind.make is not None
        self._washout = kind.make(filled(rows(kind.parameters), values), context)
        self.pose = np.zeros(6)

    def step(self, seen: Record, h: float) -> list[str]:
        """Run a step; return the faults of its result. It receives a copy, which it may change."""
        pose = self._washout.step(seen.copy(), h)
        if isinstance(pose, str) or np.shape(pose) != (6,):
            return [f"returns {pose!r}; expected six numbers: x, y, z [m], roll, pitch, yaw [rad]"[:200]]
        self.pose = np.array(pose, dtype=float)
        return []


def check_washout(kind: WashoutKind, findings: Findings, example: Mapping[str, Any]) -> None:
    """Check a washout. The classical washout is a part of the tick and has neither a kernel nor a function: only its table is checked."""
    check_parameters(findings, kind.parameters)
    check_rows(findings, "state", kind.state)
    if kind.kernel is None and kind.make is None:
        return
    if findings.failed or (kind.kernel is not None and not check_kernel(findings, kind.kernel)):
        return
    values, new = (
        parameter_values(kind.parameters, example.get("cueing", example)),
        _KernelWashout if kind.kernel is not None else _PythonWashout,
    )
    period = 1.0 / kind.rate if kind.rate else TICK
    context = WashoutContext(build_platform(PLATFORM), STANDARD_GRAVITY, period)
    if findings.created(lambda: new(kind, values, context), bool(example)) is None:
        return
    with findings.check("poses") as check:
        _drive(check, new(kind, values, context), period)
    if findings.failed:
        return
    _check_limits(findings, kind, values, lambda given: new(kind, given, context), period)
    with findings.check("determinism") as check:
        first, second = (_drive(Check(), new(kind, values, context), period) for _ in range(2))
        check.need(first == second, "a new washout requests other poses for the same motion; store nothing in modules or classes")
    washout, seen = new(kind, values, context), _inputs()[1][1]
    budget, meaning = (period, "its period") if kind.kernel is not None else (min(period, BUDGET), f"its period, at most {BUDGET:g} s")
    findings.median_time(lambda: washout.step(seen, period), budget, meaning)


def _check_limits(findings: Findings, kind: WashoutKind, values: Values, new: Callable[[Mapping[str, Any]], Any], period: float) -> None:
    """Check the poses with each parameter at the limits of its range."""
    with findings.check("limits of the parameters") as check:
        for description, extreme in limits(kind.parameters, values):
            _drive(check, new(extreme), period, f"{description}: ")


def _inputs() -> list[tuple[str, Record]]:
    """Return WASHOUT_INPUT records with descriptions: a restart, rest, driving, extreme motion, a vehicle without weight."""
    random, inputs = np.random.default_rng(SEED), []
    for description, force, rate in (
        ("at rest", 0.0, 0.0),
        ("driving", 5.0, 0.5),
        ("extreme motion", 300.0, 30.0),
        ("driving again", 5.0, 0.5),
    ):
        seen = record(WASHOUT_INPUT)
        k = seen[0]
        k["gravity"], k["p_PH"], k["preview_step"] = STANDARD_GRAVITY, (0.0, 0.0, 0.8), 0.02
        k["budget"] = 1.0
        k["f_H_B"], k["w_WB_B"] = random.uniform(-force, force, 3) + (0.0, 0.0, STANDARD_GRAVITY), random.uniform(-rate, rate, 3)
        k["pose"], k["rates"] = random.uniform(-0.2, 0.2, 6), random.uniform(-0.2, 0.2, 6)
        if force:
            k["preview_count"], k["limited"] = PREVIEW_POINTS, 1
            k["preview_f"], k["preview_w"] = random.uniform(-force, force, (PREVIEW_POINTS, 3)), 0.0
        inputs.append((description, seen))
    weightless = inputs[0][1].copy()
    weightless[0]["gravity"], weightless[0]["f_H_B"] = 0.0, 0.0
    return [*inputs, ("without gravity", weightless)]


def _drive(check: Check, washout: Any, period: float, prefix: str = "") -> bytes:
    """Check the poses of a drive, with a restart in the middle; return their bytes."""
    results, inputs = b"", _inputs()
    for n in range(STEPS):
        description, seen = inputs[n * len(inputs) // STEPS]
        seen[0]["begins"] = n in (0, STEPS // 2)
        faults = washout.step(seen, period)
        if not np.isfinite(washout.pose).all():
            faults.append("the pose is not finite; avoid divisions by zero and overflow")
        elif np.abs(washout.pose).max() > MAX_REQUEST:
            faults.append(
                f"a pose of {np.abs(washout.pose).max():g} m or rad; expected at most {MAX_REQUEST:g}; limit the input or the state"
            )
        for fault in faults:
            check.fail(f"{prefix}{description}: {fault}")
        if faults:
            break
        results += washout.pose.tobytes()
    return results
