"""Conformance of generators and shapes of objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from simulator.base.errors import JounceError
from simulator.base.values import Values
from simulator.builder.builder import data_folder
from simulator.conformance.findings import Check, Findings
from simulator.conformance.parameters import check_parameters, limits, parameter_values
from simulator.conformance.samples import SEED, level_ground
from terrain.objects.as_mapping import to_mapping
from terrain.objects.kinds import GeneratorRequest, ObjectGeneratorKind
from terrain.objects.object_set import ObjectSet
from terrain.objects.shapes import SHAPES, Shape, ShapeKind, ShapeRequest
from terrain.objects.world_object import Breakaway, WorldObject
from terrain.rays.caster import RayCaster

BUDGET = 60.0
"""s. Time to generate the objects, at the start of a program."""
RAYS = 200
"""Number of rays toward a shape."""


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


def check_shape(kind: ShapeKind, findings: Findings, example: Mapping[str, Any]) -> None:
    """Check a shape. A kind with required keys that are no numbers needs an example."""
    check_parameters(findings, kind.fields, numbers_only=False)
    shape = None if findings.failed else findings.created(lambda: _shape(kind, example), bool(example))
    if shape is None:
        return
    with findings.check("objects") as check:
        _check_shape(check, shape)
    if findings.failed:
        return
    with findings.check("determinism") as check:
        same = to_mapping(shape) == to_mapping(_shape(kind, example))
        check.need(same, "equal keys give another shape; expected a function of the keys alone")
    with findings.check("rays") as check:
        _check_rays(check, shape)
    with findings.check("limits of the keys") as check:
        for description, extreme in limits(kind.fields, parameter_values(kind.fields, example)):
            try:
                found = _shape(kind, extreme)
            except JounceError:
                continue  # the shape rejects the combination with the other values
            _check_shape(check, found, f"{description}: ")
    findings.median_time(lambda: _shape(kind, example), BUDGET, "the start of a drive")


def _shape(kind: ShapeKind, example: Mapping[str, Any]) -> Any:
    return kind.build(ShapeRequest(parameter_values(kind.fields, example), data_folder("assets"), {}))


def _loose(shape: Shape) -> list[WorldObject]:
    """Return an object of a shape that may break off."""
    return [WorldObject("one", shape, (0.0, 0.0, 0.0), motion=Breakaway(10.0))]


def _check_shape(check: Check, shape: Any, prefix: str = "") -> None:
    """Check type and numbers of a shape."""
    if type(shape) in SHAPES:
        _check_objects(check, _loose(shape), prefix)
    else:
        check.fail(f"{prefix}returns {type(shape).__name__}; expected one of terrain.objects.shapes")


def _check_rays(check: Check, shape: Shape) -> None:
    """Check that rays toward the center of the bounding box from all sides meet the shape, and only inside the box."""
    center, half = shape.bounds()
    random, size = np.random.default_rng(SEED), float(np.linalg.norm(half))
    toward = random.normal(size=(RAYS, 3))
    toward /= np.linalg.norm(toward, axis=1)[:, None]
    ranges = RayCaster(level_ground(), ObjectSet(_loose(shape))).cast(center - 2.0 * size * toward, toward, 4.0 * size, ground=False).range
    met = np.isfinite(ranges)
    away = np.abs((ranges[met, None] - 2.0 * size) * toward[met]) - half
    check.need(bool(met.any()), "no ray toward the middle of the shape meets it")
    check.need(bool((away <= 1e-6 * (1.0 + size)).all()), "a ray meets the shape outside its bounding box")


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
