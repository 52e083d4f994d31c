"""Tables of a kind: checks of their rows, and values of the parameters for the other checks."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np

from simulator.base.errors import ConfigError
from simulator.base.fields import REQUIRED, Field, Fields, Number, read
from simulator.base.records import LARGEST, Table
from simulator.base.units import SHOWN, SUFFIXES
from simulator.base.values import Values
from simulator.conformance.findings import Check, Findings

_NOT_SI = {SHOWN.get(suffix, suffix) for units in SUFFIXES.values() for suffix, factor in units.items() if factor != 1.0} - {"Hz"}
EXAMPLE = "example"
"""Name of the example in messages, in place of a file."""


def check_parameters(findings: Findings, fields: Fields, numbers_only: bool = True) -> None:
    """Check the table of the parameters of a kind: names, meanings, units, ranges, defaults.

    numbers_only : True if the parameters are a record; False for the keys of a file, of which some are texts and sections
    """
    with findings.check("parameters") as check:
        names = [field.name for field in fields]
        for name in sorted({name for name in names if names.count(name) > 1}):
            check.fail(f"{name}: two fields have this name; rename one")
        for field in fields:
            check.need(field.name.isidentifier(), f"{field.name!r}: invalid name; expected letters, digits and underscores")
            check.need(bool(field.meaning.strip()), f"{field.name}: no meaning; add a noun phrase")
            if isinstance(field.kind, Number):
                _check_number(check, field, field.kind)
                if not field.kind.unit:
                    (check.fail if numbers_only else check.warn)(f'{field.name}: no unit; expected an SI unit, or "1" for a ratio')
            elif numbers_only:
                check.fail(f"{field.name}: expected the field type Number, since the parameters are a record of numbers")
            _check_default(check, field)


def _check_number(check: Check, field: Field, kind: Number) -> None:
    """Check unit and range of a number."""
    check.need(kind.unit not in _NOT_SI, f"{field.name}: unit {kind.unit}; expected an SI unit, since the program computes in SI units")
    low = kind.least if kind.above is None else max(kind.least, kind.above)
    high = kind.most if kind.below is None else min(kind.most, kind.below)
    check.need(low <= high, f"{field.name}: empty range; expected a minimum below the maximum; got {low:g} to {high:g}")
    if low <= -LARGEST and high >= LARGEST:
        check.warn(f"{field.name}: no range; add a minimum and a maximum, so that a typo in a file is an error")


def _check_default(check: Check, field: Field) -> None:
    """Check that a default is a valid value."""
    if field.default is REQUIRED or field.default is None:
        return
    default = field.default.tolist() if isinstance(field.default, np.ndarray) else field.default
    try:
        field.kind.read(default, "default", field.name)
    except ConfigError as error:
        check.fail(f"{field.name}: default {default!r} is not valid; expected {error.expected}")


def check_rows(findings: Findings, name: str, table: Table, reserved: Collection[str] = ()) -> None:
    """Check the table of a record: names, units, meanings."""
    with findings.check(name) as check:
        names = [row[0] for row in table]
        for one in sorted({one for one in names if names.count(one) > 1}):
            check.fail(f"{one}: two rows have this name; rename one")
        for row in table:
            check.need(row[0].isidentifier(), f"{row[0]!r}: invalid name; expected letters, digits and underscores")
            check.need(row[0] not in reserved, f"{row[0]}: another column has this name; rename the row")
            is_nested = len(row) > 4 and isinstance(row[4], tuple)
            check.need(is_nested or bool(row[2]), f'{row[0]}: no unit; expected an SI unit, or "1" for a ratio')
            check.need(bool(row[3]), f"{row[0]}: no meaning; add a noun phrase")


def parameter_values(fields: Fields, example: Mapping[str, Any]) -> Values:
    """Return values of all parameters: those of the example, defaults, and generated values for required keys. Raises ConfigError."""
    given = {key: value for key, value in example.items() if any(key in field.spellings for field in fields)}
    missing = [field for field in fields if field.default is REQUIRED and not any(key in given for key in field.spellings)]
    generated = {field.name: typical(field.kind) for field in missing if isinstance(field.kind, Number)}
    return read(fields, {**generated, **given}, EXAMPLE)


def typical(kind: Number) -> Any:
    """Return a value in the range of a number: the geometric mean of a positive range, else the middle."""
    low = kind.least if kind.above is None else max(kind.least, kind.above)
    high = kind.most if kind.below is None else min(kind.most, kind.below)
    if low >= 0.0 and high > 0.0:
        value = math.sqrt(max(low, 1e-4 * min(high, 1e4)) * min(high, 1e8 * max(low, 1e-4)))
    else:
        value = 0.5 * (low + high) if high < LARGEST and low > -LARGEST else min(max(1.0, low), high)
    value = min(max(float(round(value)) if kind.whole else value, low), high)
    shape = tuple(n if isinstance(n, int) else n[0] for n in kind.shape)
    if not shape:
        return int(value) if kind.whole else value
    steps = np.arange(shape[0]) / (shape[0] + 1.0) if kind.rising else np.zeros(shape)
    return (value + (high - value) * steps).tolist()


def limits(fields: Fields, values: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the values with one number at a limit of its range, with a description."""
    for field in fields:
        if not isinstance(field.kind, Number) or field.kind.shape or field.name not in values:
            continue
        for limit in (field.kind.least, field.kind.most):
            if abs(limit) < LARGEST and field.kind.is_within(np.asarray(limit)):
                yield f"{field.name} = {limit:g}", {**values, field.name: int(limit) if field.kind.whole else limit}
