"""Differences between records and the first record, by channel and by metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.arrays import Array
from simulator.base.errors import ConfigError
from simulator.maneuvers.metrics import LOAD
from simulator.maneuvers.plots.quantities import QUANTITIES, SLOWEST_SIDESLIP, Quantity
from simulator.report.display_units import factor_shown, unit_shown
from simulator.telemetry.channels import HEADINGS, chosen
from simulator.validation.compare.comparison_file import Comparison
from simulator.validation.compare.coverage import compared_share
from simulator.validation.compare.record import INSTEAD, SIDESLIP, USUAL_CHANNELS, Record

_TITLES = {one.columns[0]: one for one in QUANTITIES.values() if len(one.columns) == 1}


@dataclass(frozen=True)
class Channel:
    """A channel of several records, with its display unit."""

    name: str
    unit: str
    """SI unit."""

    @property
    def title(self) -> str:
        """Title with the meaning of the sign."""
        known = self._quantity
        return f"{self.plain}, {known.sign}" if known is not None and known.sign else self.plain

    @property
    def plain(self) -> str:
        """Title."""
        known, load = self._quantity, LOAD.fullmatch(self.name)
        words = self.name if known is None else known.title
        return f"{words} {self.name.split('_')[2]}" if load else words

    @property
    def shown(self) -> tuple[str, float]:
        """Display unit and the factor from SI units."""
        known = self._quantity
        return (unit_shown(self.unit), factor_shown(self.unit)) if known is None else known.shown

    @property
    def _quantity(self) -> Quantity | None:
        return QUANTITIES["wheel_loads"] if LOAD.fullmatch(self.name) else QUANTITIES.get(self.name) or _TITLES.get(self.name)


@dataclass(frozen=True)
class Difference:
    """A channel of a record minus the channel of the reference where their times overlap, in SI units."""

    channel: Channel
    record: str
    time: Array
    values: Array
    """(n,) differences at the times (n,) s of the reference."""
    reference: Array
    """(n,) values of the reference at these times."""
    compared: float
    """Share of the time of the reference in which both have values."""

    @property
    def largest(self) -> float:
        """Maximum magnitude; NaN without overlap."""
        return float(np.nanmax(np.abs(self.values))) if np.isfinite(self.values).any() else np.nan

    @property
    def at(self) -> float:
        """Time of the maximum in s."""
        return float(self.time[np.nanargmax(np.abs(self.values))]) if np.isfinite(self.values).any() else np.nan

    @property
    def rms(self) -> float:
        """Root mean square."""
        return float(np.sqrt(np.nanmean(self.values**2))) if np.isfinite(self.values).any() else np.nan

    @property
    def mean(self) -> float:
        """Mean."""
        return float(np.nanmean(self.values)) if np.isfinite(self.values).any() else np.nan

    @property
    def share(self) -> float:
        """Root mean square as a fraction of the range of the reference; NaN if the reference is constant."""
        span = float(np.nanmax(self.reference) - np.nanmin(self.reference)) if np.isfinite(self.reference).any() else 0.0
        return self.rms / span if span > 0.0 else np.nan


def channels_of(records: Sequence[Record], comparison: Comparison) -> list[Channel]:
    """Return the channels to compare: the requested ones, else USUAL_CHANNELS, if the reference and another record have them. Raises ConfigError."""
    first, others = records[0], records[1:]
    shared = [name for name in first.columns if name != "time" and any(name in one.columns for one in others)]
    if not shared:
        raise ConfigError(others[0].place, "columns", ", ".join(list(others[0].columns)[:6]), f"a channel that is also in {first.name}")
    fields = {name: name.rpartition("_")[0] or name for name in shared}
    usual = (pattern if _there(pattern, fields) else INSTEAD.get(pattern, pattern) for pattern in USUAL_CHANNELS)
    patterns = comparison.channels or [pattern for pattern in usual if _there(pattern, fields)]
    names = dict.fromkeys(name for pattern in patterns for name in chosen(fields, [pattern])) or shared
    return [Channel(name, first.units.get(name, "")) for name in names]


def _there(pattern: str, fields: dict[str, str]) -> bool:
    try:
        return bool(chosen(fields, [pattern]))
    except ConfigError:
        return False


def differences(records: Sequence[Record], channels: Sequence[Channel]) -> list[Difference]:
    """Return the differences of every channel and record from the first record."""
    return [difference(records[0], one, channel) for channel in channels for one in records[1:] if channel.name in one.columns]


def difference(reference: Record, other: Record, channel: Channel) -> Difference:
    """Return the difference at the times of the reference that lie within those of the other record."""
    within = (reference.time >= other.time[0]) & (reference.time <= other.time[-1])
    time, own = reference.time[within], values_of(reference, channel)[within]
    there = np.interp(time, other.time, values_of(other, channel)) if len(time) else np.empty(0)
    values = there - own
    return Difference(channel, other.name, time, values - full_turns(values, channel), own, compared(reference, other, channel))


def compared(reference: Record, other: Record, channel: Channel) -> float:
    """Return the share of the time of the reference in which both records have values."""
    return compared_share(*((one.time, has_value(one, channel)) for one in (reference, other)))


def has_value(one: Record, channel: Channel) -> NDArray[np.bool_]:
    """Return whether a value is in each row (n,). Sideslip has none at low speed, which is no missing value."""
    valid = np.isfinite(values_of(one, channel))
    if channel.name == SIDESLIP and {"v_WG_B_x", "v_WG_B_y"} <= set(one.columns):
        valid |= np.hypot(one.column("v_WG_B_x"), one.column("v_WG_B_y")) <= SLOWEST_SIDESLIP
    return np.asarray(valid, np.bool_)


def values_of(one: Record, channel: Channel) -> Array:
    """Return a channel (n,) of a record; headings are unwrapped."""
    values = np.array(one.columns[channel.name], dtype=float)
    valid = np.isfinite(values)
    if channel.name in HEADINGS and valid.any():
        values[valid] = np.unwrap(values[valid])
    return values


def full_turns(differences: Array, channel: Channel) -> float:
    """Return the full turns in rad by which a heading differs from another one; 0 for other channels, whose turns count."""
    if channel.name not in HEADINGS or not np.isfinite(differences).any():
        return 0.0
    return float(2.0 * np.pi * np.round(np.nanmedian(differences) / (2.0 * np.pi)))


def metric_rows(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Return the metrics of the reference and at least one other run: name, unit, values by record, differences from the reference by
    record."""
    first, rows = records[0], []
    for name, row in first.metrics.items():
        values = {one.name: one.metrics[name]["value"] for one in records if name in one.metrics}
        if len(values) < 2:
            continue
        own = values[first.name]
        changes = {
            record: None if value is None or own is None else value - own for record, value in values.items() if record != first.name
        }
        rows.append({"metric": name, "unit": row["unit"], "values": values, "differences": changes})
    return rows
