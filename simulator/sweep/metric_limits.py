"""Limits of the metrics of a sweep that are equal in all runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from simulator.base.errors import ConfigError
from simulator.configuration.file_lookup import find_config
from simulator.configuration.layers import read_layers
from simulator.maneuvers.parameters import KEY, resolved

LOOKED_AT = 64
"""Number of runs, spread over the sweep, that are checked."""
PARAMETERS = f"maneuver.{KEY}."

Limits = dict[str, list[float | None]]
"""Minimum and maximum by metric, as in the file of the maneuver."""


def common_limits(base: Mapping[str, Any], points: Sequence[Mapping[str, Any]], file: str) -> Limits:
    """Return the limits of the maneuver that are equal in runs spread over a sweep.

    The result is empty if runs change more than the parameters of the maneuver, or name no maneuver. The limits then differ from run to
    run.
    """
    common: Limits | None = None
    contents: dict[str, Any] = {}
    for n in range(0, len(points), max(1, len(points) // LOOKED_AT)):
        given = {**base, **points[n]}
        own: Limits = {}
        with suppress(ConfigError):  # errors are reported when the runs are resolved
            own = _limits(given, file, contents)
        common = own if common is None else {name: limit for name, limit in common.items() if own.get(name) == limit}
    return common or {}


def _limits(given: Mapping[str, Any], file: str, contents: dict[str, Any]) -> Limits:
    """Return the limits of one run; `contents` caches the files by name. Raises ConfigError."""
    name = given.get("maneuver")
    if not isinstance(name, str) or any(key.startswith("maneuver.") and not key.startswith(PARAMETERS) for key in given):
        return {}
    if name not in contents:
        contents[name] = read_layers("maneuvers", find_config("maneuvers", name, file)).content
    content = contents[name]
    changed = {key.removeprefix(PARAMETERS): value for key, value in given.items() if key.startswith(PARAMETERS)}
    if not isinstance(content, Mapping) or not isinstance(content.get("limits"), Mapping):
        return {}
    limits = resolved({KEY: {**(content.get(KEY) or {}), **changed}, "limits": content["limits"]}, name)["limits"]
    return {metric: [limit.get("min"), limit.get("max")] for metric, limit in limits.items() if isinstance(limit, Mapping)}
