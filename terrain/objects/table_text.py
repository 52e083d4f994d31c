"""Writer of tables of objects (`objects_table` of a terrain file): one CSV row for each object."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable

from simulator.base.errors import JounceError
from terrain.objects.shapes import SIMPLE
from terrain.objects.table_file import COLUMNS
from terrain.objects.world_object import Box, Breakaway, Material, WorldObject

ON_GROUND = math.nan
"""z of an object that stands on the ground below its position; the cell is empty."""
DIGITS = 6
"""Decimals of a number: micrometers."""
_USUAL = Material()


def table_text(objects: Iterable[WorldObject]) -> str:
    """Return the CSV text of objects of simple shapes, at rest or breakaway.

    Raises
    ------
    JounceError : an object that a table cannot hold: a hull, a mesh, a path, pitch or roll
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for one in objects:
        writer.writerow({key: value for key, value in _row(one).items() if value != ""})
    return out.getvalue()


def _row(one: WorldObject) -> dict[str, str]:
    """Return the cells of an object. Raises JounceError."""
    if one.pitch or one.roll or not (one.motion is None or isinstance(one.motion, Breakaway)):
        raise JounceError(f"object {one.name}: a table holds objects without pitch, roll and path; use the list `objects`")
    x, y, z = one.position
    shape, size = _shape(one)
    material = one.material
    row = {"name": one.name, "shape": shape, "label": one.label, "x_m": _cell(x), "y_m": _cell(y), "z_m": "" if math.isnan(z) else _cell(z)}
    row |= {"yaw_deg": _cell(math.degrees(one.yaw)) if one.yaw else "", **size}
    row |= {name: _cell(getattr(material, name), getattr(_USUAL, name)) for name in ("friction", "restitution", "reflectance")}
    if material.color is not None:
        row |= {name: _cell(value) for name, value in zip(("red", "green", "blue"), material.color, strict=True)}
    row["extinction_1pm"] = _cell(material.extinction, _USUAL.extinction)
    if one.motion is not None:
        row |= {"mass_kg": _cell(one.motion.mass), "break_force_N": _cell(one.motion.force)}
    return row


def _shape(one: WorldObject) -> tuple[str, dict[str, str]]:
    """Return the name of a shape and the cells of its size. Raises JounceError."""
    if type(one.shape) not in SIMPLE.values():
        raise JounceError(f"object {one.name}: a table holds no {type(one.shape).__name__}; use the list `objects`")
    sizes = zip(("length", "width", "height"), one.shape.size, strict=True) if isinstance(one.shape, Box) else vars(one.shape).items()
    return one.shape.name, {f"{name}_m": _cell(size) for name, size in sizes}


def _cell(value: float, usual: float | None = None) -> str:
    """Return the text of a number, empty for the usual value."""
    return "" if value == usual else repr(round(float(value), DIGITS) + 0.0)
