"""A log as plain data, for a job whose answer goes to another process or machine, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.telemetry.channels import Channel
from simulator.telemetry.log import Log


def plain_log(log: Log) -> dict[str, Any]:
    """A log as "columns", of each {"name", "unit", "frame", "meaning", "field", "kind", "wall", "numbers"}, and "about"."""
    columns = [
        {
            "name": name,
            "unit": column.unit,
            "frame": column.frame,
            "meaning": column.meaning,
            "field": column.field,
            "kind": log[name].dtype.str,
            "wall": column.wall,
            "numbers": log[name].tolist(),
        }
        for name, column in log.columns.items()
    ]
    return {"columns": columns, "about": log.about}


def log_of(said: dict[str, Any]) -> Log:
    """The log again; what was not finite is NaN."""
    columns, arrays = [], {}
    for one in said["columns"]:
        kind = np.dtype(one["kind"])
        columns.append(Channel(one["name"], one["unit"], one["frame"], one["meaning"], kind, 0, one["wall"], one["field"]))
        arrays[one["name"]] = np.array([np.nan if number is None else number for number in one["numbers"]], kind)
    return Log(columns, arrays, said["about"])
