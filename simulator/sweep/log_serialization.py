"""Conversion between logs and plain data, for transfer between processes or machines."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.telemetry.channels import Channel
from simulator.telemetry.log import Log


def plain_log(log: Log) -> dict[str, Any]:
    """Return a log as plain data: "columns", each {"name", "unit", "frame", "meaning", "field", "kind", "wall", "numbers"}, and "about"."""
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


def log_of(data: dict[str, Any]) -> Log:
    """Return the log from plain data. Values that were not finite are NaN."""
    columns, arrays = [], {}
    for one in data["columns"]:
        kind = np.dtype(one["kind"])
        columns.append(Channel(one["name"], one["unit"], one["frame"], one["meaning"], kind, 0, one["wall"], one["field"]))
        arrays[one["name"]] = np.array([np.nan if number is None else number for number in one["numbers"]], kind)
    return Log(columns, arrays, data["about"])
