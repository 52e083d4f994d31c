"""A sweep as a program asks for it, without files."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from simulator.base.registry import load_plugins
from simulator.base.signals import EndedBySignal
from simulator.sweep.case import Resolver
from simulator.sweep.engine import Progress, sweep
from simulator.sweep.executor import Executor
from simulator.sweep.process_executor import LocalProcesses, cores


def executor_for(processes: int | None, scheduler: str | None, say: Callable[[str], None]) -> Executor:
    """Whoever is to drive runs: the workers of a Dask cluster, or so many processes of this machine, as many as it has cores when not given.

    `say` is told what somebody should know of the workers of a cluster, in lines. Raises JounceError: it cannot be reached.
    """
    if scheduler is None:
        return LocalProcesses(processes or cores())
    from simulator.sweep.dask_executor import DaskCluster

    return DaskCluster(scheduler, say)


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
    """Drive many runs into a folder, several at a time; the same call goes on where it was left, whatever was killed.

    Parameters
    ----------
    base : what holds in all runs, by key path as for `jounce run --set`: {"maneuver": "avtp_lane_change"}; "session" is the one that
        everything is laid over
    points : what each run says besides, above that: {"vehicle": "hmmwv", "vehicle.chassis.mass": 2600.0, "seed": 3}
    out : folder of this sweep, made if need be
    processes : how many at a time; as many as there are cores when not given
    scheduler : address of a Dask scheduler whose workers drive instead, "tcp://10.0.0.5:8786"
    channels : columns of the logs to keep, each run's in ``runs/<run>.parquet``: names, fields, patterns; none when empty
    plugins : Python files that register kinds of one's own, loaded by every process
    progress : called with the number of runs done and of all, after each chunk of them

    Returns
    -------
    path of ``table.parquet``, a row for each point in their order: `run`, `number`, the keys of the points, `passed`, `failure` (the reason where
    there is no result), the metrics

    Raises
    ------
    ConfigError : everything that is wrong with any of the runs; nothing has been driven
    OutputError : the folder cannot be written, or holds another sweep
    KeyboardInterrupt : by a signal; what was driven until then is in the folder
    """
    files = [os.fspath(plugin) for plugin in plugins]
    load_plugins(files)
    about = {"name": Path(out).name, "title": Path(out).name}
    cases = Resolver(base, channels=channels, plugins=files).cases(points, about=about)

    def told(one: Progress) -> None:
        if progress is not None:
            progress(one.done, one.of)

    executor = executor_for(processes, scheduler, lambda line: None)
    try:
        return sweep(cases, out, executor, channels=channels, plugins=files, progress=told)
    except EndedBySignal:
        raise KeyboardInterrupt from None
    finally:
        executor.close()
