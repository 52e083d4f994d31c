"""Plug-in kinds of axles of version 0.2: without a table of keys, or with the old methods of a section; to be removed in version 0.4."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

from simulator.base.errors import DeprecatedNameWarning, ErrorCollector
from simulator.base.fields import REQUIRED, Field, Fields, Group
from simulator.base.section_of_0_2 import Section
from simulator.base.values import Values
from vehicles.body_fields import BODY, POINT
from vehicles.suspension.axle_table import ARM, ROD, axle_fields

if TYPE_CHECKING:
    from vehicles.suspension.axle_section import Axle

_ANY_BODY = tuple({field.name: field for field in (*BODY, *ARM, *ROD)}.values())


def with_old_methods(values: Values, name: str, kind: type[Axle]) -> Section:
    """Return the values of the section of a plug-in kind with the reading methods of version 0.2. Raises ConfigError.

    Of a kind without a table, only the standard keys are checked; the kind checks the others itself.
    """

    def warn() -> None:
        text = f"axle kind {name} without a table of its keys: deprecated; use `fields` (docs/axle_kinds.md)"
        warnings.warn(text, DeprecatedNameWarning, stacklevel=2)

    if getattr(kind, "fields", None) is not None:
        return _checked_by_table(values, warn)
    warn()
    inherited = [one.fields for one in kind.__mro__ if getattr(one, "fields", None) is not None]  # type: ignore[attr-defined]
    section = Section(values, values.file, values.key)
    section.used.add("suspension")
    _check(section, inherited[0] if inherited else axle_fields(dict.fromkeys(getattr(kind, "hardpoints", ()), "hardpoint")))
    return section


def finish(values: Values) -> None:
    """Raise ConfigError for a key that a kind without a table has not read."""
    if isinstance(values, Section):
        values.finish()


def _checked_by_table(values: Values, on_read: Callable[[], None]) -> Section:
    """Return values with the old methods; also those of nested sections."""
    section = Section(values, values.file, values.key, on_read)
    section.used.update(section)
    for name, value in values.items():
        if isinstance(value, Values):
            section[name] = _checked_by_table(value, on_read)
    return section


def _check(section: Section, fields: Fields) -> None:
    """Replace the values of the keys of a table by the checked ones; a missing key is reported where it is read."""
    section.used.update(field.name for field in fields)
    with ErrorCollector() as faults:
        for field in fields:
            name, path = field.name, section.path(field.name)
            value = section.pop(name, None)
            if value is None:
                if field.default is not REQUIRED and field.default is not None:
                    section[name] = field.default
                continue
            with faults.part():
                if name in _OPEN and isinstance(field.kind, Group):
                    section[name] = Section(value, section.file, path)
                    _OPEN[name](section[name], field.kind.fields)
                else:
                    section[name] = field.kind.read(value, section.file, path)


def _check_points(points: Section, fields: Fields) -> None:
    _check(points, tuple(Field(name, POINT, "hardpoint") for name in points))
    points.used = {field.name for field in fields}  # another point that the kind does not read is unknown
    for field in fields:
        if field.default is REQUIRED:
            points[field.name]


def _check_bodies(bodies: Section, fields: Fields) -> None:
    for name in bodies:
        bodies[name] = Section(bodies[name], bodies.file, bodies.path(name))
        _check(bodies[name], _ANY_BODY)
    bodies.used.clear()


_OPEN = {"hardpoints_left": _check_points, "bodies": _check_bodies, "spring": _check, "shock": _check}
"""Sections in which a kind may have further keys."""
