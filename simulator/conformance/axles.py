"""Conformance of kinds of axles: their tables, and their kernels on the records of a vehicle."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from simulator.base.records import Record, Table
from simulator.builder.builder import vehicle_description
from simulator.conformance.findings import Findings
from simulator.conformance.guarded_records import GuardedRecords, check_kernel
from simulator.conformance.parameters import check_parameters, check_rows
from simulator.conformance.samples import SEED
from vehicles.description import Description
from vehicles.suspension.axle_section import Axle
from vehicles.suspension.blocks import LANES, AxleCallbacks, Block
from vehicles.suspension.contract import INPUTS, KINEMATICS, POINTS

VEHICLE = "hmmwv"
"""Vehicle whose rear axle an example replaces."""
PLACED = [row[0] for row in KINEMATICS][: [row[0] for row in KINEMATICS].index("D_across")]
"""Fields that `place` writes for every kind."""
STEERED = [row[0] for row in KINEMATICS][[row[0] for row in KINEMATICS].index("E") :]
"""Fields that `steer` writes."""
POINT_NAMES = [row[0] for row in POINTS]
TICK_SHARE = 1e-4
"""s. Time of one call of `place`: a tick of 1 ms has several of them."""


def check_axle(kind: type[Axle], findings: Findings, example: Mapping[str, Any]) -> None:
    """Check a kind of axle; the example is the section of an axle, or the content of a vehicle file.

    A kind with the kernels of the default kind has no kernels of its own: only its table is checked.
    """
    check_parameters(findings, kind.fields, numbers_only=False)
    block = kind.block
    if block is None:
        return
    check_rows(findings, "record of the parameters", block.parameters)
    for name in ("place", "show", "steer"):
        if name != "steer" or block.steer is not None:
            check_kernel(findings, getattr(block, name), name)
    if findings.failed:
        return
    if not example:
        with findings.check("motion") as check:
            check.warn("not checked, since there is no axle; give the section of an axle, or the content of a vehicle file, as an example")
        return
    description = findings.created(lambda: _vehicle(example), True)
    if description is not None:
        _check_motion(findings, description, block)


def _vehicle(example: Mapping[str, Any]) -> Description:
    """Return the vehicle of an example. Raises ConfigError."""
    content = example if "axles" in example or example.get("base") else {"base": VEHICLE, "axles": {"rear": {"base": None, **example}}}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "example.yaml"
        file.write_text(yaml.safe_dump(dict(content)), encoding="utf-8")
        return vehicle_description(str(file))


class _BlockRig:
    """Block of corners with records of its own between guard bytes."""

    def __init__(self, block: Block, q: Record) -> None:
        kind = block.kind
        self._block, self._kernels = block, kind
        tables: dict[str, Table] = {
            "parameters": kind.parameters,
            "memory": kind.memory,
            "input": INPUTS,
            "kinematics": KINEMATICS,
            "points": POINTS,
        }
        self._parts = {name: GuardedRecords(table) for name, table in tables.items()}
        self._parts["parameters"].records[:] = block.parameters
        self._parts["input"].records[:] = q

    def run(self, theta: float, theta_dot: float) -> list[str]:
        """Call the kernels of the block at a position and rate of all its corners; return the faults."""
        seen, lanes = self._parts["input"].records, self._lanes
        seen[0]["theta"][lanes], seen[0]["theta_dot"][lanes] = theta, theta_dot
        faults = self._call("place", "kinematics", PLACED)
        if self._kernels.steer is not None:
            faults += self._call("steer", "kinematics", STEERED)
        return faults + self._call("show", "points", POINT_NAMES)

    @property
    def content(self) -> bytes:
        """Bytes of the results."""
        return self._parts["kinematics"].content + self._parts["points"].content

    @property
    def _lanes(self) -> slice:
        return slice(self._block.lane, self._block.lane + self._block.count)

    def evaluate(self, name: str, result: str) -> None:
        """Call a kernel; `result` is the name of its output."""
        addresses = (self._parts[part].address for part in ("parameters", "memory", "input", result))
        getattr(self._kernels, name)(*addresses, self._block.lane, self._block.count, 0.0)

    def _call(self, name: str, result: str, fields: list[str]) -> list[str]:
        """Call a kernel; return its faults of writing and its numbers that are not finite."""
        parts, lanes = self._parts, self._lanes
        before = {part: parts[part].content for part in ("parameters", "input")}
        self.evaluate(name, result)
        faults = [f"{name} writes beyond the record of its {part}; check the indices" for part in parts if not parts[part].is_intact]
        faults += [f"{name} changes its {part}" for part, content in before.items() if parts[part].content != content]
        out = parts[result].records[0]
        outside = np.delete(np.arange(LANES), np.arange(LANES)[lanes])
        for field in fields:
            if not np.isfinite(out[field][..., lanes]).all():
                faults.append(f"{name}: {field} is not finite; give every position within the travel limits a solution")
            if out[field][..., outside].any():
                faults.append(f"{name}: {field} of a corner of another block; use the columns from `first` to `first + count - 1`")
        return faults


def _check_motion(findings: Findings, description: Description, kind: AxleCallbacks) -> None:
    """Check the kernels over the travel of the corners, at rest and at extreme rates."""
    mechanism = description.mechanism
    block = next((one for one in mechanism.blocks if one.kind is kind), None)
    with findings.check("motion") as check:
        if block is None:
            check.fail("the example has no axle of this kind; set `suspension`")
            return
        travel = mechanism.corners[0]["travel"][:, block.first]
        for theta in np.linspace(float(travel[0]), float(travel[1]), 9):
            for rate in (0.0, 1.0, -100.0):
                for fault in _rig(block, description).run(theta, rate):
                    check.fail(f"theta = {theta:.3g}, rate = {rate:g}: {fault}")
    if findings.failed:
        return
    _check_repeated(findings, block, description)
    rig = _rig(block, description)
    rig.run(0.0, 0.1)
    findings.median_time(lambda: rig.evaluate("place", "kinematics"), TICK_SHARE, "a tenth of a tick")


def _rig(block: Block, description: Description) -> _BlockRig:
    """Return a rig of a block in the design position of its vehicle, which rotates."""
    seen = GuardedRecords(INPUTS).records
    lanes, corners = slice(block.lane, block.lane + block.count), slice(block.first, block.first + block.count)
    seen[0]["Q"][:, lanes] = description.mechanism.Q_design[:, corners]
    seen[0]["w_WB_B"] = np.random.default_rng(SEED).uniform(-1.0, 1.0, 3)
    return _BlockRig(block, seen)


def _check_repeated(findings: Findings, block: Block, description: Description) -> None:
    """Check that the results do not depend on earlier calls in a way that changes their bits between equal runs."""
    with findings.check("determinism") as check:
        results = []
        for _ in range(2):
            rig, content = _rig(block, description), b""
            for theta in (0.0, 0.02, -0.02, 0.0):
                rig.run(theta, 0.5)
                content += rig.content
            results.append(content)
        check.need(results[0] == results[1], "two equal runs differ; read nothing that is not set")
