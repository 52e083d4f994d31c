"""Conformance of generators of objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from simulator.base.errors import JounceError
from simulator.base.values import Values
from simulator.builder.builder import data_folder
from simulator.conformance.findings import Check, Findings
from simulator.conformance.parameters import check_parameters, limits, parameter_values
from simulator.conformance.samples import level_ground
from terrain.objects.as_mapping import to_mapping
from terrain.objects.kinds import GeneratorRequest, ObjectGeneratorKind
from terrain.objects.object_set import ObjectSet
from terrain.objects.world_object import WorldObject

BUDGET = 60.0
"""s. Time to generate the objects, at the start of a program."""


def check_object_generator(kind: ObjectGeneratorKind, findings: Findings, example: Mapping[str, Any]) -> None:
    """Check a generator. A kind without a table, or with required keys that are no numbers, needs an example."""
    if kind.table is not None:
        check_parameters(findings, kind.table, numbers_only=False)
    if findings.failed:
        return
    objects = findings.created(lambda: _generated(kind, _values(kind, example)), bool(example))
    if objects is None:
        return
    with findings.check("objects") as check:
        _check_objects(check, objects)
    if findings.failed:
        return
    with findings.check("determinism") as check:
        again = _generated(kind, _values(kind, example))
        same = to_mapping(list(objects)) == to_mapping(list(again))
        check.need(same, "equal arguments give other objects; take random numbers from a seed in the section")
    with findings.check("objects before") as check:
        _check_names(check, kind, _values(kind, example), objects)
    _check_limits(kind, _values(kind, example), findings)
    findings.median_time(lambda: _generated(kind, _values(kind, example)), BUDGET, "the start of a drive")


def _values(kind: ObjectGeneratorKind, example: Mapping[str, Any]) -> Any:
    return dict(example) if kind.table is None else parameter_values(kind.table, example)


def _generated(kind: ObjectGeneratorKind, values: Any, before: Sequence[WorldObject] = ()) -> Sequence[WorldObject]:
    ground = level_ground()
    if before:
        ground = replace(ground, objects=ObjectSet(before))
    return kind.generate(GeneratorRequest(values, ground, data_folder("assets")))


def _check_objects(check: Check, objects: Sequence[WorldObject], prefix: str = "") -> None:
    """Check type, numbers and names of objects."""
    for one in objects:
        if not isinstance(one, WorldObject):
            check.fail(f"{prefix}returns {type(one).__name__}; expected WorldObject")
            return
    try:
        ObjectSet(objects)
    except JounceError as error:
        check.fail(f"{prefix}{error}")


def _check_names(check: Check, kind: ObjectGeneratorKind, values: Values, objects: Sequence[WorldObject]) -> None:
    """Check that a second section of the kind gives other names, because names are unique."""
    try:
        more = _generated(kind, values, objects)
    except JounceError:
        return  # no room beside the objects before
    repeated = sorted({one.name for one in objects} & {one.name for one in more})
    if repeated:
        check.fail(f"a second section gives the name {repeated[0]} again; leave out the names in request.ground.objects")


def _check_limits(kind: ObjectGeneratorKind, values: Values, findings: Findings) -> None:
    """Check the objects with each number of the table at the limits of its range."""
    if kind.table is None:
        return
    with findings.check("limits of the keys") as check:
        for description, extreme in limits(kind.table, values):
            try:
                objects = _generated(kind, _values(kind, extreme))
            except JounceError:
                continue  # the generator rejects the combination with the other values
            _check_objects(check, objects, f"{description}: ")
