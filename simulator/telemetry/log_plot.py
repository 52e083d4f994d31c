"""Plot of columns of a log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from numpy.typing import NDArray

from simulator.base.errors import ConfigError
from simulator.report.display_units import IN_DEGREES
from simulator.report.plot import Axis, Curve, Panel, Plot, style_of
from simulator.telemetry.channels import Channel

MAX_PANELS = 16
"""Maximum number of panels of a plot, for readability."""


def log_plot(along: Channel, shown: Sequence[Channel], arrays: Mapping[str, NDArray]) -> Plot:
    """Return columns over one of them, one panel per field, lengths over lengths in true scale. Raises ConfigError if there are no fields
    or too many."""
    fields: dict[str, list[Channel]] = {}
    for column in shown:
        fields.setdefault(column.field, []).append(column)
    if not 0 < len(fields) <= MAX_PANELS:
        raise ConfigError("plot", "", f"{len(fields)} fields", f"names of 1 to {MAX_PANELS} fields")
    x = _numbers(along, arrays)
    panels = []
    for field, columns in fields.items():
        name = field if len(columns) > 1 else columns[0].name
        labels = [column.name.removeprefix(f"{field}_") if len(columns) > 1 else "" for column in columns]
        curves = [
            Curve(label, x, _numbers(column, arrays), *style_of(n)) for n, (label, column) in enumerate(zip(labels, columns, strict=True))
        ]
        panels.append(
            Panel(columns[0].meaning, _axis(along.name, along), _axis(name, columns[0]), curves, equal=along.unit == columns[0].unit == "m")
        )
    return Plot("", panels)


def _axis(name: str, column: Channel) -> Axis:
    unit = IN_DEGREES.get(column.unit, (column.unit, 1.0))[0]
    return Axis(name, "" if unit == "1" else unit)


def _numbers(column: Channel, arrays: Mapping[str, NDArray]) -> NDArray:
    return IN_DEGREES.get(column.unit, ("", 1.0))[1] * arrays[column.name]
