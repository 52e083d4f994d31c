"""Reader of the metrics file of a run (metrics.json), which a user or another program may have changed."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from simulator.base.errors import ConfigError
from simulator.base.inputfile import read_bytes

METRICS = "metrics.json"
MAX_BYTES = 1 << 26
"""Maximum size of a metrics file in bytes."""
VERDICTS = ("pass", "fail", "info")


def read_metrics(file: Path) -> dict[str, Any]:
    """Return the section `result` of a metrics file, with values of the types that `jounce run` writes. Raises ConfigError."""
    try:
        result = json.loads(read_bytes(file, "metrics of a run", MAX_BYTES))["result"]
        _check(result)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ConfigError(file, "result", "something else", "metrics written by `jounce run`") from None
    return dict(result)


def _check(result: Mapping[str, Any]) -> None:
    """Raise KeyError, TypeError or ValueError for a result that `jounce run` does not write."""
    _need(result["maneuver"], _is_text)
    _need(result.get("vehicle", ""), _is_text)
    _need(result["pass"], _is_verdict)
    for row in result["table"]:
        for name in ("metric", "unit", "mark"):
            _need(row[name], _is_text)
        _need(row["value"], _is_number)
        _need(row["verdict"], VERDICTS.__contains__)
    for name, value in result.get("metrics", {}).items():
        _need(name, _is_text)
        _need(value, _is_number)
    for check in result["checks"]:
        _need(check["metric"], _is_text)
        _need(check["pass"], _is_verdict)
    if early := result.get("ended_early"):
        _need(early["reason"], _is_text)
        _need(early["time_s"], _is_number)
        _need(early["time_s"] is not None, bool)


def _need(value: Any, fits: Callable[[Any], bool]) -> None:
    if not fits(value):
        raise ValueError


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_verdict(value: Any) -> bool:
    return value is None or isinstance(value, bool)


def _is_number(value: Any) -> bool:
    """Return whether a value is missing, or a finite number."""
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value))
