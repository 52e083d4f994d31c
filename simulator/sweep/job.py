"""A chunk of runs, driven one after the other in whatever process it comes to. Plain data in and out."""

from __future__ import annotations

import os
import time
from typing import Any

from simulator.base.errors import JounceError
from simulator.base.tenants import load_plugins
from simulator.build import build
from simulator.configuration.layers import Layer, Origin
from simulator.configuration.whole import Configuration
from simulator.library.simulation import Simulation
from simulator.sweep.plain_log import plain_log

RUN = "the run"
"""Who says what is in a resolved configuration, in messages."""


def drive(chunk: dict[str, Any]) -> dict[str, Any]:
    """Drive runs.

    Parameters
    ----------
    chunk : {"cases": [{"run": its digest, "mapping": its configuration}, ...], "channels": columns of the logs to bring back, names, fields,
        patterns; no logs when empty, "plugins": Python files to load before}

    Returns
    -------
    {"worker": name of this process, "rows": for each run in their order {"run", "passed", "metrics", "failure" (empty where there is a result),
    "machine": {"wall_s", "simulated_s"}, and where channels are asked for "log", see `plain_log`}}
    """
    try:
        load_plugins(chunk["plugins"])
    except JounceError as error:
        return {"worker": worker_name(), "rows": [_failed(case["run"], str(error), 0.0) for case in chunk["cases"]]}
    return {"worker": worker_name(), "rows": [_row(case, chunk["channels"]) for case in chunk["cases"]]}


def worker_name() -> str:
    """Of this process, among those of a sweep."""
    return f"process_{os.getpid()}"


def _row(case: dict[str, Any], channels: list[str]) -> dict[str, Any]:
    """Drive a run; what goes wrong with it is said in its row."""
    began = time.perf_counter()
    try:
        parts = build(Configuration(Layer(case["mapping"], {(): Origin(RUN, is_file=False)})))
        simulation = Simulation.of(parts, channels or ("time",))
        result = simulation.run()
    except JounceError as error:
        return _failed(case["run"], str(error), time.perf_counter() - began)
    except Exception as error:  # a fault of ours, or of a plugin: the row says so, and the next run is driven
        return _failed(case["run"], f"{type(error).__name__}: {error}", time.perf_counter() - began)
    machine = {"wall_s": time.perf_counter() - began, "simulated_s": simulation.time}
    row = {"run": case["run"], "passed": result.passed, "metrics": dict(result.metrics), "failure": "", "machine": machine}
    return {**row, "log": plain_log(result.log)} if channels else row


def _failed(run: str, reason: str, wall: float) -> dict[str, Any]:
    return {"run": run, "passed": None, "metrics": {}, "failure": reason, "machine": {"wall_s": wall, "simulated_s": 0.0}}
