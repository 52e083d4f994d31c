"""Conformance of tire models."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from simulator.base.field_records import fields_of, filled
from simulator.base.fields import Fields
from simulator.base.records import Record, record
from simulator.configuration.file_lookup import data_folder
from simulator.conformance.findings import Check, Findings
from simulator.conformance.guarded_records import KernelRig, check_kernel, finite_faults
from simulator.conformance.parameters import EXAMPLE, check_parameters, check_rows, limits, parameter_values
from vehicles.tires.contract import FORCES, HELD, REST, TIRE_INPUT, TIRE_OUTPUT, TREAD_STATE, TireModelKind
from vehicles.tires.parameters import FILE, LEFT_OUT, RANGES

WHEELS = 4
"""Number of records; the model computes the wheels FIRST_WHEEL and FIRST_WHEEL + 1."""
FIRST_WHEEL, COUNT = 1, 2
TICK = 1e-3
"""s. Step of the checks."""
STEPS = 1000
"""Steps with constant input, after which a stable state is at rest."""
MAX_FRICTION = 20.0
"""1. Largest plausible horizontal force over load; the largest friction of a file is 5."""
MIN_BOUND = 100.0
"""N. Force that a model may have at any load, for example from the damping of a tread that loses contact."""
ORDINARY = {
    "radius": 0.4, "width": 0.25, "stiffness": 2.5e5, "stiffness_growth": 0.0, "damping": 500.0, "bottoming_radius": 0.2, "load_max": 20e3,
    "bottoming_stiffness": 1e6, "friction": 0.8, "rolling_resistance": 0.015, "torque_radius": 1.0, "bulldozing": 1.0,
}  # fmt: skip
"""Parameters of all tires where the example has none."""


def check_tire_model(kind: TireModelKind, findings: Findings, example: Mapping[str, Any]) -> None:
    """Check a tire model. TMeasy is a part of the vehicle step and has no kernel: only its tables are checked."""
    check_parameters(findings, kind.parameters, numbers_only=kind.complete is None)
    check_rows(findings, "state", kind.state)
    if kind.kernel is None or findings.failed or not check_kernel(findings, kind.kernel):
        return
    parameters = findings.created(lambda: _parameters(kind, example), bool(example))
    if parameters is None:
        return
    _check_forces(findings, kind, parameters)
    if findings.failed:
        return
    _check_held_and_rest(findings, kind, parameters)
    _check_steps(findings, kind, parameters)
    _check_limits(findings, kind, example)
    rig = _new_rig(kind, parameters)
    rig.seen[:] = _input("driving", 4e3, 20.0, 0.5, 50.0)
    findings.median_time(lambda: rig.run(FIRST_WHEEL, COUNT, TICK), 1e-3, "the length of a tick")


def _fields(kind: TireModelKind) -> Fields:
    """Return the fields of a tire file with the model."""
    optional = LEFT_OUT if kind.shared else {**{row[0]: None for row in FILE}, **LEFT_OUT}
    return (*fields_of(FILE, RANGES, optional), *kind.parameters)


def _parameters(kind: TireModelKind, example: Mapping[str, Any]) -> Record:
    """Return a record of the parameters for the kernel. Raises ConfigError."""
    usual = {name: value for name, value in ORDINARY.items() if kind.shared and name not in example}
    values = parameter_values(_fields(kind), {**usual, **example})
    if kind.complete is None:
        return filled(kind.record_table, values)
    folders = [Path.cwd(), data_folder("configs") / "tires", data_folder("assets")]
    return kind.complete(values, EXAMPLE, "", folders)[1]


def _new_rig(kind: TireModelKind, parameters: Record) -> KernelRig:
    assert kind.kernel is not None
    rig = KernelRig(kind.kernel, kind.record_table, TREAD_STATE, TIRE_INPUT, TIRE_OUTPUT, WHEELS)
    rig.parameters[:] = parameters[0]
    return rig


def _input(description: str, load: float, v_x: float, v_y: float, spin: float, **others: float) -> Record:
    """Return TIRE_INPUT of a contact; `others` replace the values of an ordinary contact."""
    k = record(TIRE_INPUT)
    k["task"], k["load"], k["v_x"], k["v_y"], k["spin"] = FORCES, load, v_x, v_y, spin
    usual = {"effective_radius": 0.39, "friction": 1.0, "hardness": 1.0, "contact_length": 0.15 if load else 0.0, "side": 1.0}
    for name, value in {**usual, **others}.items():
        k[name] = value
    return k


def inputs() -> list[tuple[str, Record]]:
    """Return inputs of a contact with descriptions."""
    cases: list[tuple[str, tuple[float, float, float, float], dict[str, float]]] = [
        ("free rolling", (4e3, 20.0, 0.0, 20.0 / 0.39), {}),
        ("driving in a turn", (4e3, 20.0, 1.0, 55.0), {"camber": 0.05, "turn_rate": 0.2}),
        ("zero load", (0.0, 20.0, 1.0, 50.0), {}),
        ("a tiny load", (1e-9, 20.0, 1.0, 50.0), {"contact_length": 1e-9}),
        ("a wheel at rest", (4e3, 0.0, 0.0, 0.0), {}),
        ("a wheel at rest without load", (0.0, 0.0, 0.0, 0.0), {}),
        ("steering at rest", (4e3, 0.0, 0.0, 0.0), {"turn_rate": 1.0}),
        ("a locked wheel", (4e3, 30.0, 0.0, 0.0), {}),
        ("a spinning wheel at rest", (4e3, 0.0, 0.0, 300.0), {}),
        ("sliding sideways", (4e3, 0.0, 15.0, 0.0), {}),
        ("reverse", (4e3, -5.0, -0.2, -13.0), {}),
        ("a wheel that rolls against its motion", (4e3, 20.0, 0.0, -50.0), {}),
        ("maximum load", (20e3, 40.0, 2.0, 100.0), {"contact_length": 0.4}),
        ("extreme speed", (4e3, 500.0, 300.0, 3000.0), {}),
        ("ground without friction", (4e3, 20.0, 1.0, 55.0), {"friction": 0.0}),
        ("a lying wheel", (4e3, 5.0, 5.0, 5.0), {"camber": 1.5}),
        ("a right wheel", (4e3, 20.0, 1.0, 55.0), {"side": -1.0}),
    ]
    return [(description, _input(description, *motion, **others)) for description, motion, others in cases]


def _check_forces(findings: Findings, kind: TireModelKind, parameters: Record) -> None:
    """Check force, moments and rates of ordinary and extreme contacts."""
    with findings.check("writing") as writing, findings.check("forces") as forces:
        for description, seen in inputs():
            for h in (TICK, 0.0):
                rig = _new_rig(kind, parameters)
                rig.seen[:] = seen[0]
                before = rig.state.tobytes()
                for fault in rig.call(FIRST_WHEEL, COUNT, h):
                    writing.fail(fault)
                writing.need(rig.state.tobytes() == before, "the task FORCES changes the state; return rates instead")
                others = np.delete(rig.result, range(FIRST_WHEEL, FIRST_WHEEL + COUNT))
                writing.need(
                    not any(others.tobytes()), "writes results of other wheels; use the wheels from `first` to `first + count - 1`"
                )
                _check_result(forces, rig, description)
        rig = _new_rig(kind, parameters)
        rig.call(FIRST_WHEEL, 0, TICK)
        writing.need(not any(rig.result.tobytes()), "writes results although `count` is 0")


def _check_result(check: Check, rig: KernelRig, description: str) -> None:
    """Check that the results of the computed wheels are finite, and that the force fits the load."""
    faults = finite_faults(rig.result, FIRST_WHEEL, COUNT)
    for fault in faults:
        check.fail(f"{description}: {fault}")
    force, load = np.abs(rig.result["F"][FIRST_WHEEL : FIRST_WHEEL + COUNT]).max(), float(rig.seen[FIRST_WHEEL]["load"])
    if not faults and force > MAX_FRICTION * load + MIN_BOUND:
        check.fail(f"{description}: force of {force:g} N at a load of {load:g} N; the force must vanish with the load")


def _check_held_and_rest(findings: Findings, kind: TireModelKind, parameters: Record) -> None:
    """Check the tasks that set the state."""
    with findings.check("tasks HELD and REST") as check:
        for task in (HELD, REST):
            rig = _new_rig(kind, parameters)
            rig.seen[:] = inputs()[4][1][0]
            rig.seen["task"], rig.seen["held"] = task, (0.002, -0.001)
            for fault in rig.call(FIRST_WHEEL, COUNT, 0.0) + finite_faults(rig.state, FIRST_WHEEL, COUNT):
                check.fail(fault)
            check.need(not rig.state["numbers"][:, kind.numbers :].any(), "uses numbers of the state beyond its table; add rows to `state`")


def _check_steps(findings: Findings, kind: TireModelKind, parameters: Record) -> None:
    """Check that the state stays bounded while the input is constant, and that two equal runs give the same bits."""
    with findings.check("stability") as check:
        for description, seen in inputs():
            rig = _new_rig(kind, parameters)
            for fault in _stepped(rig, seen):
                check.fail(f"{description}: {fault}")
    with findings.check("determinism") as check:
        first, second = _new_rig(kind, parameters), _new_rig(kind, parameters)
        for rig in (first, second):
            _stepped(rig, inputs()[1][1])
        check.need(first.content == second.content, "two equal runs differ; read nothing that is not set")


def _stepped(rig: KernelRig, seen: Record) -> list[str]:
    """Advance the state with constant input as the vehicle does; return the faults."""
    wheels = slice(FIRST_WHEEL, FIRST_WHEEL + COUNT)
    rig.seen[:] = seen[0]
    rig.seen["task"] = REST
    rig.call(FIRST_WHEEL, COUNT, 0.0)
    rig.seen["task"] = FORCES
    for _ in range(STEPS):
        rig.call(FIRST_WHEEL, COUNT, TICK)
        rig.state["numbers"][wheels] += TICK * rig.result["rate"][wheels]
        rig.state["memory"][wheels] = rig.result["memory"][wheels]
        if not np.isfinite(rig.state["numbers"][wheels]).all():
            return [f"the state diverges in steps of {1e3 * TICK:g} ms; return implicit rates if the model is stiff"]
    check = Check()
    _check_result(check, rig, "after a second")
    return list(check.faults)


def _check_limits(findings: Findings, kind: TireModelKind, example: Mapping[str, Any]) -> None:
    """Check the forces with each own parameter at the limits of its range; a model with `complete` has checks of its own."""
    if kind.complete is not None:
        return
    with findings.check("limits of the parameters") as check:
        values = parameter_values(kind.parameters, example)
        for description, extreme in limits(kind.parameters, values):
            for situation, seen in inputs():
                rig = _new_rig(kind, filled(kind.record_table, extreme))
                rig.seen[:] = seen[0]
                rig.call(FIRST_WHEEL, COUNT, TICK)
                for fault in finite_faults(rig.result, FIRST_WHEEL, COUNT):
                    check.fail(f"{description}, {situation}: {fault}, or narrow the range")
