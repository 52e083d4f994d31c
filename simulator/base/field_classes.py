"""Dataclasses whose fields are keys of files: the values of a section are read into an object."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from simulator.base.fields import REQUIRED, Field, Fields, FieldType, Group


def entry(kind: FieldType, meaning: str, default: Any = REQUIRED, **details: Any) -> Any:
    """Return a dataclass field that is read from a file; `details` as in `Field`. A key with a default is optional."""
    metadata = {"field": (kind, meaning, details)}
    if isinstance(default, dict):
        return dataclasses.field(default_factory=lambda: dict(default), metadata=metadata)
    return dataclasses.field(metadata=metadata) if default is REQUIRED else dataclasses.field(default=default, metadata=metadata)


def entries(cls: type) -> Fields:
    """Return the table of a dataclass: its fields created by `entry`."""
    return tuple(_entries(cls))


def _entries(cls: type) -> Iterator[Field]:
    for one in dataclasses.fields(cls):
        if "field" in one.metadata:
            kind, meaning, details = one.metadata["field"]
            default = REQUIRED if one.default is dataclasses.MISSING else one.default
            if one.default_factory is not dataclasses.MISSING:
                default = one.default_factory()
            yield Field(one.name, kind, meaning, default, **details)


def group_of(cls: type) -> Group:
    """Return the type of a section that is read into a dataclass."""
    return Group(entries(cls), make=cls)
