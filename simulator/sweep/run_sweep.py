"""Sweeps from Python, without files."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from simulator.base.call_checks import FUNCTION, MAPPING, MAPPINGS, NAME, NAMES, TEXT, WHOLE, checks, optional
from simulator.base.registry import load_plugins
from simulator.base.signals import EndedBySignal
from simulator.sweep.case import Resolver
from simulator.sweep.engine import Progress, sweep
from simulator.sweep.executor import Executor
from simulator.sweep.process_executor import LocalProcesses, cores


def executor_for(processes: int | None, scheduler: str | None, say: Callable[[str], None]) -> Executor:
    """Return the executor of runs: a Dask cluster, or local processes (default: one for each core).

    `say` is called with lines about the workers of a cluster. Raises JounceError: the cluster cannot be reached.
    """
    if scheduler is None:
        return LocalProcesses(processes or cores())
    from simulator.sweep.dask_executor import DaskCluster

    return DaskCluster(scheduler, say)


@checks(
    base=MAPPING,
    points=MAPPINGS,
    out=NAME,
    processes=optional(WHOLE),
    scheduler=optional(TEXT),
    channels=NAMES,
    plugins=NAMES,
    progress=optional(FUNCTION),
)
def run_sweep(
    base: Mapping[str, Any],
    points: Sequence[Mapping[str, Any]],
    out: str | os.PathLike[str],
    *,
    processes: int | None = None,
    scheduler: str | None = None,
    channels: Collection[str] = (),
    plugins: Iterable[str | os.PathLike[str]] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Run many cases in parallel and store the results in a folder. After an interruption, the same call resumes the sweep.

    Parameters
    ----------
    base : values common to all runs, by key path as for `jounce run --set`: {"maneuver": "avtp_lane_change"}; "session" names the
        session file they are applied to
    points : values of each run, which override the base: {"vehicle": "hmmwv", "vehicle.chassis.mass": 2600.0, "seed": 3}
    out : folder of this sweep, created if needed
    processes : number of runs at a time; default: number of cores
    scheduler : address of a Dask scheduler whose workers run the cases instead, "tcp://10.0.0.5:8786"
    channels : log columns saved for each run in ``runs/<run>.parquet``: names, fields, patterns; empty: no logs
    plugins : Python files with plugins, loaded by every process
    progress : called after each chunk with the number of completed runs and of all runs

    Returns
    -------
    path of ``table.parquet``, with a row for each point in order: `run`, `number`, the keys of the points, `passed`, `failure` (the
    reason if there is no result), and the metrics

    Raises
    ------
    ConfigError : with all errors of all runs; no run was started
    OutputError : the folder cannot be written, or contains another sweep
    KeyboardInterrupt : by a signal; completed runs are stored in the folder
    """
    for point in points:
        MAPPING.check("run_sweep", "points", point)
    files = [os.fspath(plugin) for plugin in plugins]
    load_plugins(files)
    about = {"name": Path(out).name, "title": Path(out).name}
    cases = Resolver(base, channels=channels, plugins=files).cases(points, about=about)

    def report(one: Progress) -> None:
        if progress is not None:
            progress(one.done, one.of)

    executor = executor_for(processes, scheduler, lambda line: None)
    try:
        return sweep(cases, out, executor, channels=channels, plugins=files, progress=report)
    except EndedBySignal:
        raise KeyboardInterrupt from None
    finally:
        executor.close()
