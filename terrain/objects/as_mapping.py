"""Objects as plain values for a log, and back, to the last bit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from terrain.objects.paths import Path
from terrain.objects.shapes import SHAPES
from terrain.objects.world_object import Breakaway, Material, WorldObject

_CLASSES: dict[str, Any] = {one.__name__: one for one in (*SHAPES, Material, Breakaway, Path, WorldObject)}
_CLASS = "class"


def to_mapping(value: Any) -> Any:
    """Return an object in JSON types; floats keep all bits."""
    if type(value).__name__ in _CLASSES:
        return {_CLASS: type(value).__name__, **{one.name: to_mapping(getattr(value, one.name)) for one in fields(value)}}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return [to_mapping(one) for one in value] if isinstance(value, tuple | list) else value


def from_mapping(value: Any) -> Any:
    """Return the object of `to_mapping`."""
    if isinstance(value, Mapping):
        given = {key: from_mapping(inside) for key, inside in value.items() if key != _CLASS}
        for name in ("points", "triangles", "times", "speeds"):
            if given.get(name) is not None:
                given[name] = np.asarray(given[name], float)
        return _CLASSES[value[_CLASS]](**given)
    return tuple(from_mapping(one) for one in value) if isinstance(value, list) else value
