"""Conformance of kinds of steering: the linkage `place` and the motion `move` of the gear."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.callbacks import CallbackKernel
from simulator.base.errors import JounceError
from simulator.base.field_records import filled
from simulator.base.records import Record, record
from simulator.base.values import Values
from simulator.conformance.findings import Check, Findings
from simulator.conformance.guarded_records import KernelRig, check_kernel, finite_faults
from simulator.conformance.parameters import check_parameters, check_rows, limits, parameter_values
from vehicles.steering.contract import STEERING_INPUT, STEERING_OUTPUT, SteeredAxle, SteeringKind, own_record
from vehicles.steering.steering import STEERING

JOINTS = np.array([[0.12, 0.41, -0.02], [0.12, -0.41, -0.02]])
"""m. Inner tie-rod joints left and right, straight ahead, in B."""
ANGLES = np.radians([0.0, 1.0, -1.0, 12.0, -12.0, 30.0, -30.0])
"""rad. Angles of the linkage in the checks."""
STEP = 1e-5
"""rad. Difference of two angles for numerical derivatives. Larger: less accurate; smaller: more rounding."""
TOLERANCE = 1e-5
"""Maximum error of a derivative, relative to the largest derivative of its joint plus 1 mm per rad."""
AT_CENTER = 1e-9
"""m. Maximum displacement of a joint at angle 0."""
STEPS = 400
"""Number of steps of a drive in a check."""
H = 1e-3
"""s. Step of the drive."""
TARGETS = {"at rest": (0.0, 0.0), "a slow turn": (0.1, 5.0), "full lock": (-0.8, 2.0), "at speed": (0.05, 60.0), "in reverse": (0.5, -5.0)}
"""(rad, m/s). Targets of the gear and speeds of the vehicle by situation."""


def check_steering(kind: SteeringKind, findings: Findings, example: Mapping[str, Any]) -> None:
    """Check a kind of steering. A shipped linkage is a part of the step: only the table and the motion of such a kind are checked."""
    check_parameters(findings, kind.fields, numbers_only=False)
    check_rows(findings, "own parameters", kind.own_parameters)
    check_rows(findings, "state", kind.state)
    kernels = {"place": kind.place, "move": kind.move}
    if findings.failed or not all(check_kernel(findings, kernel, name) for name, kernel in kernels.items() if kernel is not None):
        return
    if not any(kernels.values()):
        return
    own = findings.created(lambda: _own(kind, parameter_values(kind.fields, example)), bool(example))
    if own is None:
        return
    if kind.place is not None:
        _check_linkage(kind, kind.place, own, findings, example)
    if kind.move is not None and not findings.failed:
        _check_motion(kind, kind.move, own, findings)


def _own(kind: SteeringKind, values: Values) -> Record:
    """Return the own parameters of a kind. Raises ConfigError."""
    if kind.write is None:
        return filled(kind.own_parameters, values)
    p = record(STEERING)
    kind.write(values, p, SteeredAxle(tierod_inner=JOINTS))
    return own_record(p, kind.own_parameters)


def _new_rig(kind: SteeringKind, kernel: CallbackKernel, own: Record) -> KernelRig:
    rig = KernelRig(kernel, kind.own_parameters, kind.state, STEERING_INPUT, STEERING_OUTPUT)
    rig.parameters[:] = own
    return rig


def _check_linkage(kind: SteeringKind, kernel: CallbackKernel, own: Record, findings: Findings, example: Mapping[str, Any]) -> None:
    """Check the positions of the joints and their derivatives."""
    with findings.check("joints") as check:
        _check_joints(check, _new_rig(kind, kernel, own))
    if findings.failed:
        return
    with findings.check("limits of the parameters") as check:
        for description, extreme in limits(kind.fields, parameter_values(kind.fields, example)):
            try:
                rig = _new_rig(kind, kernel, _own(kind, parameter_values(kind.fields, extreme)))
            except JounceError:  # the kind rejects this combination
                continue
            _check_joints(check, rig, f"{description}: ")
    rig = _new_rig(kind, kernel, own)
    with findings.check("determinism") as check:
        check.need(_placed(rig, 0.2)[1] == _placed(rig, 0.2)[1], "two equal calls give other joints; read nothing that is not set")
    findings.median_time(lambda: _placed(rig, 0.2), 1e-3, "the length of a tick")


def _placed(rig: KernelRig, angle: float, n: int = 0) -> tuple[Record, bytes, list[str]]:
    """Return the output of `place` for steered axle n, its bytes, and the faults of its writing."""
    rig.seen[0]["angle"], rig.seen[0]["tierod"] = angle, JOINTS.T
    for name in ("Q", "Q_1", "Q_2"):
        rig.result[0][name] = 0.0
    before = rig.state.tobytes()
    faults = rig.call(n, len(JOINTS), 0.0)
    if rig.state.tobytes() != before:
        faults.append("changes its state in `place`; change it in `move` only")
    return rig.result.copy(), rig.content, faults


def _check_joints(check: Check, rig: KernelRig, prefix: str = "") -> None:
    """Check the joints at several angles of both steered axles."""
    for n, angle in ((n, float(angle)) for n in range(2) for angle in ANGLES):
        out, _, faults = _placed(rig, angle, n)
        faults += finite_faults(out)
        for fault in faults or _joint_faults(rig, angle, n, out[0]):
            check.fail(f"{prefix}angle {np.degrees(angle):g} deg: {fault}")


def _joint_faults(rig: KernelRig, angle: float, n: int, out: Any) -> list[str]:
    """Return the faults of the joints at an angle: joints that move at angle 0, and wrong derivatives."""
    if angle == 0.0 and np.abs(out["Q"] - JOINTS.T).max() > AT_CENTER:
        return ["the joints Q differ from `tierod`; `tierod` has the joints at angle 0"]
    below, above = (_placed(rig, angle + step, n)[0][0] for step in (-STEP, STEP))
    faults = []
    for name, of in (("Q_1", "Q"), ("Q_2", "Q_1")):
        numerical: NDArray[np.float64] = (above[of] - below[of]) / (2.0 * STEP)
        wrong = float(np.abs(out[name] - numerical).max())
        if wrong > TOLERANCE * (1e-3 + float(np.abs(out["Q_1"]).max()) + float(np.abs(out["Q_2"]).max())):
            faults.append(f"{name} differs by {wrong:.3g} from the derivative of {of} by the angle")
    return faults


def _check_motion(kind: SteeringKind, kernel: CallbackKernel, own: Record, findings: Findings) -> None:
    """Check the motion of the gear toward its target."""
    drives = []
    with findings.check("motion of the gear") as check:
        drives.append(_drive(check, _new_rig(kind, kernel, own)))
    with findings.check("determinism of the motion") as check:
        again = _drive(Check(), _new_rig(kind, kernel, own))
        check.need(drives == [again], "the same targets give another motion; read nothing that is not set")
    rig = _new_rig(kind, kernel, own)
    rig.seen[0]["target"] = 0.1
    findings.median_time(lambda: rig.run(0, 0, H), 1e-3, "the length of a tick")


def _drive(check: Check, rig: KernelRig) -> bytes:
    """Check the motion through all targets, with a reset before each; return its bytes."""
    results = b""
    for description, (target, speed) in TARGETS.items():
        rig.state[:] = np.zeros_like(rig.state)
        angle = rate = 0.0
        for _ in range(STEPS):
            k = rig.seen[0]
            k["angle"], k["rate"], k["target"], k["speed"] = angle, rate, target, speed
            faults = rig.call(0, 0, H) + finite_faults(rig.result) + finite_faults(rig.state)
            out = rig.result[0]
            faults = faults or _motion_faults(angle, rate, out)
            for fault in faults:
                check.fail(f"{description}: {fault}")
            if faults:
                break
            angle, rate = float(out["angle"]), float(out["rate"])
            results += rig.content
    return results


def _motion_faults(angle: float, rate: float, out: Any) -> list[str]:
    """Return the faults of one step: an angle and a rate that do not belong together."""
    faults = []
    mean, after = (float(out["angle"]) - angle) / H, float(out["rate"])
    room = 1e-6 * (1.0 + abs(rate) + abs(after))
    if not min(rate, after) - room <= mean <= max(rate, after) + room:
        faults.append(f"the angle changes with {mean:.3g} rad/s, but `rate` goes from {rate:.3g} to {after:.3g} rad/s")
    mean = (after - rate) / H
    if abs(float(out["acceleration"]) - mean) > 1e-6 * (1.0 + abs(mean)):
        faults.append(f"`acceleration` is {float(out['acceleration']):.3g}; expected the mean acceleration of the step, {mean:.3g} rad/s2")
    return faults
