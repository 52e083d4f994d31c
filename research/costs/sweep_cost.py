"""Command `python -m research bench sweep`: overhead of a run, utilization of workers, and throughput of the coordinator."""

from __future__ import annotations

import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet as pq

from research.costs import null_worker
from simulator.base.json_output import json_text
from simulator.benchmarks.machine_info import machine
from simulator.sweep.case import Resolved, Resolver
from simulator.sweep.engine import Progress, sweep
from simulator.sweep.executor import Executor
from simulator.sweep.job import drive, read_chunk
from simulator.sweep.process_executor import LocalProcesses
from simulator.sweep.result_table import MACHINE

MANEUVER = "iso_7401_step"
"""Maneuver on flat ground, nine seconds of simulated time, with constant speed at the start."""
OPEN_MANEUVER = "creep"
"""Maneuver on flat ground, 33 seconds, without speed or path control, so the driver needs no identification drive."""
EMPTY_RUNS = (1_000, 10_000)
"""Numbers of empty runs before the largest one."""
MAX_EMPTY_RUNS = 100_000
ANGLE, GRIP = "maneuver.parameters.angle_deg", "soils.asphalt.friction"
MASS, RATE, JOINT = "vehicle.chassis.mass", "vehicle.axles.front.spring.rate", "vehicle.axles.front.hardpoints_left.UCA_U[2]"
Point = Callable[[int], Mapping[str, Any]]


def _other_vehicle(n: int) -> Mapping[str, Any]:
    """Return values that a vehicle study varies: a mass, a spring rate and a suspension joint."""
    return {MASS: 1800.0 + 0.1 * n, RATE: 160e3 + 10.0 * n, JOINT: 0.2155 + 1e-6 * n}


RUNS: dict[str, tuple[str, Point]] = {
    "the maneuver varies": (MANEUVER, lambda n: {ANGLE: 20.0 + 0.1 * n}),
    "the ground varies": (MANEUVER, lambda n: {GRIP: 0.8 + 0.001 * n}),
    "the vehicle's mass varies": (MANEUVER, lambda n: {MASS: 1800.0 + n}),
    "the vehicle varies": (MANEUVER, _other_vehicle),
    "the vehicle varies, open loop": (OPEN_MANEUVER, lambda n: _other_vehicle(n + 1000)),
}
"""Maneuver of each measurement, and varied values of a run by its number."""


class Points(Sequence[Mapping[str, Any]]):
    """A number of points, created on access."""

    def __init__(self, count: int, point: Point) -> None:
        self._count, self._point = count, point

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: Any) -> Any:
        if not 0 <= number < self._count:
            raise IndexError(number)
        return self._point(number)


class InThisProcess:
    """Executor in this process that runs nothing."""

    workers = 1

    def chunks(self, todo: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Run the chunks sequentially."""
        return (msgspec.json.decode(null_worker.drive(msgspec.json.encode(chunk))) for chunk in todo)

    def close(self) -> None:
        """Do nothing."""


@dataclass(frozen=True)
class Overhead:
    """Overhead of a run in ms in addition to its steps, which include the identification drive: medians."""

    what: str
    maneuver: str
    varied: tuple[str, ...]
    """Key paths of the varied values."""
    beside: float
    simulating: float
    test_drive: float
    """Part of `simulating` in the identification drive of the driver."""


@dataclass(frozen=True)
class Use:
    """Utilization of the workers of a sweep."""

    where: str
    workers: int
    runs: int
    wall: float
    """Wall time in s."""
    simulating: float
    """Time of all steps in s, sum over all runs."""

    @property
    def share(self) -> float:
        """Fraction of the time of the workers in steps."""
        return self.simulating / (self.wall * self.workers)


@dataclass(frozen=True)
class Empty:
    """A sweep of empty runs."""

    where: str
    runs: int
    resolving: float
    """Time for resolving a run in ms, before the start."""
    runs_per_second: float
    memory: float
    """Maximum memory of this process in MB during the sweep."""
    growth: float
    """Growth of the memory in MB since the runs were resolved."""


def run_sweep_bench_command(repeats: int, as_json: bool, scheduler: str | None, max_empty_runs: int) -> int:
    """Run `python -m research bench sweep`. Return 0.

    Parameters
    ----------
    repeats : number of runs for the median
    scheduler : address of a Dask cluster that is measured, too
    max_empty_runs : number of empty runs of the largest sweep
    """
    say: Callable[[str], None] = (lambda line: None) if as_json else partial(print, flush=True)
    here, counts = machine(), [*(count for count in EMPTY_RUNS if count < max_empty_runs), max_empty_runs]
    given: dict[str, list[Any]] = {"overheads": [], "use": [], "empty": []}
    say(f"{here['processor']}, {here['cores']} cores, load {here['load_average']}")
    say(f"\noverhead of a run in addition to its steps, on flat ground, median of {repeats}")
    for what, (maneuver, point) in RUNS.items():
        given["overheads"].append(one := _overhead(what, maneuver, point, repeats))
        say(f"  {one.what:<25} {one.beside:6.1f} ms   (steps {one.simulating:.0f} ms; {one.maneuver}: {', '.join(one.varied)})")
        if one.test_drive > 0.0:
            say(f"  {'':<25} {one.test_drive:6.1f} ms   of these steps are the identification drive of the driver")
    say("\nfraction of the time of the workers in steps, chunks of a second, warm workers")
    for where, executor in _places(scheduler):
        given["use"].append(use := _use(where, executor, 8 * repeats))
        say(f"  {use.where:<20} {use.workers} x  {use.share:5.2f}   ({use.runs} runs in {use.wall:.1f} s)")
    say("\nempty runs with the configuration of real runs: throughput of the coordinator")
    for where, executor in _empty_places(scheduler):
        for count in counts:
            given["empty"].append(row := _empty(where, executor, count))
            rate = f"{row.runs_per_second:6.0f} runs/s; {row.resolving:.2f} ms per run before the start"
            say(f"  {row.where:<20} {row.runs:>6} runs  {rate}; {row.memory:4.0f} MB, {row.growth:+.0f} MB during the sweep")
    if as_json:
        print(json_text({"machine": here, **{key: [asdict(one) for one in rows] for key, rows in given.items()}}))
    return 0


def _places(scheduler: str | None) -> list[tuple[str, Callable[[], Executor]]]:
    """Return the executors of real runs."""
    places: list[tuple[str, Callable[[], Executor]]] = [(f"{n} local processes", lambda n=n: LocalProcesses(n)) for n in (1, 2)]  # type: ignore[misc]
    if scheduler is not None:
        from simulator.sweep.dask_executor import DaskCluster

        places.append(("Dask", lambda: DaskCluster(scheduler)))
    return places


def _empty_places(scheduler: str | None) -> list[tuple[str, Callable[[], Executor]]]:
    """Return the executors of empty runs."""
    worker = "research.costs.null_worker"
    places: list[tuple[str, Callable[[], Executor]]] = [
        ("no worker", InThisProcess),
        ("2 local processes", lambda: LocalProcesses(2, worker)),
    ]
    if scheduler is not None:
        from simulator.sweep.dask_executor import DaskCluster, Work

        work = Work(null_worker.get_ready, null_worker.drive_packed, lambda plugins: "")
        places.append(("Dask", lambda: DaskCluster(scheduler, work=work)))
    return places


def _overhead(what: str, maneuver: str, point: Point, repeats: int) -> Overhead:
    """Measure the overhead of runs in this process, which is warm. The first run fills the cache, as do the checks of the runs at the
    ends of the varied range."""
    cases = _cases(repeats + 2, point, maneuver)
    beside, simulating, identification = [], [], []
    for number in range(len(cases) - 1):
        chunk = {"cases": [{"run": "", "mapping": cases[number].mapping}], "channels": [], "plugins": []}  # resolved by the coordinator
        text = msgspec.json.encode(chunk)
        started = time.perf_counter()
        response = drive(read_chunk(text))
        wall = time.perf_counter() - started
        spent = response["rows"][0]["machine"]
        stepped = spent["simulating_s"]
        beside.append(1e3 * (wall - stepped))
        simulating.append(1e3 * stepped)
        identification.append(1e3 * spent["test_drive_s"])
    return Overhead(what, maneuver, tuple(point(0)), *(statistics.median(some[1:]) for some in (beside, simulating, identification)))


def _use(where: str, executor: Callable[[], Executor], runs: int) -> Use:
    """Measure the utilization in a sweep with warm workers."""
    executor_in_use = executor()
    try:
        with tempfile.TemporaryDirectory(prefix="jounce_bench_") as folder:
            sweep(_cases(4 * executor_in_use.workers, lambda n: {ANGLE: 20.0 + 0.1 * n}), Path(folder) / "warm", executor_in_use)
            cases = _cases(runs * executor_in_use.workers, lambda n: {ANGLE: 15.0 + 0.01 * n})
            started = time.perf_counter()
            table = sweep(cases, Path(folder) / "measured", executor_in_use)
            wall = time.perf_counter() - started
            simulating = sum(pq.read_table(table.parent / MACHINE)["simulating_s"].to_pylist())
    finally:
        executor_in_use.close()
    return Use(where, executor_in_use.workers, len(cases), wall, simulating)


def _empty(where: str, executor: Callable[[], Executor], runs: int) -> Empty:
    """Measure a sweep of empty runs with the configuration of a real run."""
    started = time.perf_counter()
    cases = _cases(runs, lambda n: {ANGLE: 10.0 + 1e-4 * n})
    resolving = 1e3 * (time.perf_counter() - started) / runs
    executor_in_use = executor()
    try:
        with tempfile.TemporaryDirectory(prefix="jounce_bench_") as folder:
            before = most = resident()

            def look(_: Progress) -> None:
                nonlocal most
                most = max(most, resident())

            started = time.perf_counter()
            sweep(cases, folder, executor_in_use, progress=look)
            wall = time.perf_counter() - started
            most = max(most, resident())
    finally:
        executor_in_use.close()
    return Empty(where, runs, resolving, runs / wall, most, most - before)


def resident() -> float:
    """Return the memory of this process in MB; the maximum so far if the system does not provide the present value."""
    try:
        with open("/proc/self/statm", encoding="ascii") as stream:
            return int(stream.read().split()[1]) * resource.getpagesize() / 1e6
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def _cases(count: int, point: Point, maneuver: str = MANEUVER) -> Resolved:
    return Resolver({"maneuver": maneuver}).cases(Points(count, point))
