"""The limits of the metrics of a sweep, where they are the same in all runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from simulator.base.errors import ConfigError
from simulator.configuration.file_lookup import find_config
from simulator.configuration.layers import read_layers
from simulator.maneuvers.parameters import KEY, resolved

LOOKED_AT = 64
"""Runs, spread over the sweep."""
PARAMETERS = f"maneuver.{KEY}."

Limits = dict[str, list[float | None]]
"""Least and most by metric, as the file of the maneuver writes them."""


def common_limits(base: Mapping[str, Any], points: Sequence[Mapping[str, Any]], file: str) -> Limits:
    """Limits of the maneuver's file in runs spread over a sweep; those that differ from run to run are left out.

    None at all where runs change more of a maneuver than its parameters, or name none: what counts then shows in each run alone.
    """
    common: Limits | None = None
    contents: dict[str, Any] = {}
    for n in range(0, len(points), max(1, len(points) // LOOKED_AT)):
        said = {**base, **points[n]}
        own: Limits = {}
        with suppress(ConfigError):  # whoever resolves the runs says what is wrong with it
            own = _limits(said, file, contents)
        common = own if common is None else {name: limit for name, limit in common.items() if own.get(name) == limit}
    return common or {}


def _limits(said: Mapping[str, Any], file: str, contents: dict[str, Any]) -> Limits:
    """Those of one run; `contents` are files that were read, by name. Raises ConfigError."""
    name = said.get("maneuver")
    if not isinstance(name, str) or any(key.startswith("maneuver.") and not key.startswith(PARAMETERS) for key in said):
        return {}
    if name not in contents:
        contents[name] = read_layers("maneuvers", find_config("maneuvers", name, file)).content
    content = contents[name]
    changed = {key.removeprefix(PARAMETERS): value for key, value in said.items() if key.startswith(PARAMETERS)}
    if not isinstance(content, Mapping) or not isinstance(content.get("limits"), Mapping):
        return {}
    found = resolved({KEY: {**(content.get(KEY) or {}), **changed}, "limits": content["limits"]}, name)["limits"]
    return {metric: [limit.get("min"), limit.get("max")] for metric, limit in found.items() if isinstance(limit, Mapping)}
