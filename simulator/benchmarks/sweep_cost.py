"""`jounce bench sweep`: what a sweep costs beside simulating, how well workers are used, and where the one who hands out the runs is full."""

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

from simulator.base.json_output import json_text
from simulator.benchmarks.machine_info import machine
from simulator.sweep import null_worker
from simulator.sweep.case import Resolved, Resolver
from simulator.sweep.engine import Progress, sweep
from simulator.sweep.executor import Executor
from simulator.sweep.job import drive, read_chunk
from simulator.sweep.process_executor import LocalProcesses
from simulator.sweep.result_table import MACHINE

MANEUVER = "iso_7401_step"
"""On flat ground, nine seconds of simulated time, in which the driver keeps a speed at first."""
OPEN_MANEUVER = "creep"
"""Likewise, 33 seconds, in which nobody keeps a speed or follows a path: the driver needs no test drive of the vehicle."""
EMPTY_RUNS = (1_000, 10_000)
"""Before the most."""
MAX_EMPTY_RUNS = 100_000
ANGLE, GRIP = "maneuver.parameters.angle_deg", "soils.asphalt.friction"
MASS, RATE, JOINT = "vehicle.chassis.mass", "vehicle.axles.front.spring.rate", "vehicle.axles.front.hardpoints_left.UCA_U[2]"
Point = Callable[[int], Mapping[str, Any]]


def _other_vehicle(n: int) -> Mapping[str, Any]:
    """What a study of a vehicle varies: a mass, a spring, and a joint of the suspension."""
    return {MASS: 1800.0 + 0.1 * n, RATE: 160e3 + 10.0 * n, JOINT: 0.2155 + 1e-6 * n}


RUNS: dict[str, tuple[str, Point]] = {
    "the maneuver varies": (MANEUVER, lambda n: {ANGLE: 20.0 + 0.1 * n}),
    "the ground varies": (MANEUVER, lambda n: {GRIP: 0.8 + 0.001 * n}),
    "the vehicle's mass varies": (MANEUVER, lambda n: {MASS: 1800.0 + n}),
    "the vehicle varies": (MANEUVER, _other_vehicle),
    "likewise, open loop": (OPEN_MANEUVER, lambda n: _other_vehicle(n + 1000)),
}
"""What every run of a measurement drives and says besides, by its number."""


class Points(Sequence[Mapping[str, Any]]):
    """So many points, each made when it is asked for."""

    def __init__(self, count: int, point: Point) -> None:
        self._count, self._point = count, point

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: Any) -> Any:
        if not 0 <= number < self._count:
            raise IndexError(number)
        return self._point(number)


class InThisProcess:
    """Drives where it is called, nothing at all."""

    workers = 1

    def chunks(self, todo: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """One after the other."""
        return (msgspec.json.decode(null_worker.drive(msgspec.json.encode(chunk))) for chunk in todo)

    def close(self) -> None:
        """Nothing is open."""


@dataclass(frozen=True)
class Overhead:
    """What a run costs beside the steps, those of its driver's test drive included, in ms: medians."""

    what: str
    maneuver: str
    varied: tuple[str, ...]
    """Key paths."""
    beside: float
    simulating: float
    test_drive: float
    """Of that, of the driver's test drive."""


@dataclass(frozen=True)
class Use:
    """How well workers were used by a sweep."""

    where: str
    workers: int
    runs: int
    wall: float
    """s"""
    simulating: float
    """s, sum over all runs"""

    @property
    def share(self) -> float:
        """Of the workers' time that went into steps."""
        return self.simulating / (self.wall * self.workers)


@dataclass(frozen=True)
class Empty:
    """A sweep of empty runs."""

    where: str
    runs: int
    resolving: float
    """ms a run, before the start"""
    runs_per_second: float
    memory: float
    """MB that this process had at most while it went on"""
    growth: float
    """MB of it that were not there when the runs were resolved"""


def run_sweep_bench_command(repeats: int, as_json: bool, scheduler: str | None, max_empty_runs: int) -> int:
    """Command line of `jounce bench sweep`.

    Parameters
    ----------
    repeats : runs whose median is shown
    scheduler : of a Dask cluster that is measured besides
    max_empty_runs : empty runs of the largest sweep of such
    """
    say: Callable[[str], None] = (lambda line: None) if as_json else partial(print, flush=True)
    here, counts = machine(), [*(count for count in EMPTY_RUNS if count < max_empty_runs), max_empty_runs]
    said: dict[str, list[Any]] = {"overheads": [], "use": [], "empty": []}
    say(f"{here['processor']}, {here['cores']} cores, load {here['load_average']}")
    say(f"\na run beside its steps, on flat ground, median of {repeats}")
    for what, (maneuver, point) in RUNS.items():
        said["overheads"].append(one := _overhead(what, maneuver, point, repeats))
        say(f"  {one.what:<25} {one.beside:6.1f} ms   (steps {one.simulating:.0f} ms; {one.maneuver}: {', '.join(one.varied)})")
        if one.test_drive > 0.0:
            say(f"  {'':<25} {one.test_drive:6.1f} ms   of these steps are the driver's test drive of the new vehicle")
    say("\nshare of the workers' time that is steps, chunks of a second, workers warm")
    for where, executor in _places(scheduler):
        said["use"].append(use := _use(where, executor, 8 * repeats))
        say(f"  {use.where:<20} {use.workers} x  {use.share:5.2f}   ({use.runs} runs in {use.wall:.1f} s)")
    say("\nempty runs, each with the configuration of a real one: what hands them out, alone at work")
    for where, executor in _empty_places(scheduler):
        for count in counts:
            said["empty"].append(row := _empty(where, executor, count))
            rate = f"{row.runs_per_second:6.0f} runs/s; before the start {row.resolving:.2f} ms a run"
            say(f"  {row.where:<20} {row.runs:>6} runs  {rate}; {row.memory:4.0f} MB, {row.growth:+.0f} while it went on")
    if as_json:
        print(json_text({"machine": here, **{key: [asdict(one) for one in rows] for key, rows in said.items()}}))
    return 0


def _places(scheduler: str | None) -> list[tuple[str, Callable[[], Executor]]]:
    """Who drives real runs."""
    places: list[tuple[str, Callable[[], Executor]]] = [(f"{n} processes here", lambda n=n: LocalProcesses(n)) for n in (1, 2)]  # type: ignore[misc]
    if scheduler is not None:
        from simulator.sweep.dask_executor import DaskCluster

        places.append(("Dask", lambda: DaskCluster(scheduler)))
    return places


def _empty_places(scheduler: str | None) -> list[tuple[str, Callable[[], Executor]]]:
    """Who drives empty ones."""
    worker = "simulator.sweep.null_worker"
    places: list[tuple[str, Callable[[], Executor]]] = [
        ("no worker at all", InThisProcess),
        ("2 processes here", lambda: LocalProcesses(2, worker)),
    ]
    if scheduler is not None:
        from simulator.sweep.dask_executor import DaskCluster, Work

        work = Work(null_worker.get_ready, null_worker.drive_packed, lambda plugins: "")
        places.append(("Dask", lambda: DaskCluster(scheduler, work=work)))
    return places


def _overhead(what: str, maneuver: str, point: Point, repeats: int) -> Overhead:
    """Of runs in this process, which is warm. The first one makes what is kept, and so did the look at the ends of what varies."""
    cases = _cases(repeats + 2, point, maneuver)
    beside, simulating, trying = [], [], []
    for number in range(len(cases) - 1):
        chunk = {"cases": [{"run": "", "mapping": cases[number].mapping}], "channels": [], "plugins": []}  # resolved by the coordinator
        text = msgspec.json.encode(chunk)
        began = time.perf_counter()
        answer = drive(read_chunk(text))
        wall = time.perf_counter() - began
        spent = answer["rows"][0]["machine"]
        stepped = spent["simulating_s"]
        beside.append(1e3 * (wall - stepped))
        simulating.append(1e3 * stepped)
        trying.append(1e3 * spent["test_drive_s"])
    return Overhead(what, maneuver, tuple(point(0)), *(statistics.median(some[1:]) for some in (beside, simulating, trying)))


def _use(where: str, executor: Callable[[], Executor], runs: int) -> Use:
    """Of a sweep by workers that have driven before."""
    those = executor()
    try:
        with tempfile.TemporaryDirectory(prefix="jounce_bench_") as folder:
            sweep(_cases(4 * those.workers, lambda n: {ANGLE: 20.0 + 0.1 * n}), Path(folder) / "warm", those)
            cases = _cases(runs * those.workers, lambda n: {ANGLE: 15.0 + 0.01 * n})
            began = time.perf_counter()
            table = sweep(cases, Path(folder) / "measured", those)
            wall = time.perf_counter() - began
            simulating = sum(pq.read_table(table.parent / MACHINE)["simulating_s"].to_pylist())
    finally:
        those.close()
    return Use(where, those.workers, len(cases), wall, simulating)


def _empty(where: str, executor: Callable[[], Executor], runs: int) -> Empty:
    """Of empty runs, each with the configuration of a real one."""
    began = time.perf_counter()
    cases = _cases(runs, lambda n: {ANGLE: 10.0 + 1e-4 * n})
    resolving = 1e3 * (time.perf_counter() - began) / runs
    those = executor()
    try:
        with tempfile.TemporaryDirectory(prefix="jounce_bench_") as folder:
            before = most = resident()

            def look(_: Progress) -> None:
                nonlocal most
                most = max(most, resident())

            began = time.perf_counter()
            sweep(cases, folder, those, progress=look)
            wall = time.perf_counter() - began
            most = max(most, resident())
    finally:
        those.close()
    return Empty(where, runs, resolving, runs / wall, most, most - before)


def resident() -> float:
    """MB of memory that this process has now; the most so far where the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as stream:
            return int(stream.read().split()[1]) * resource.getpagesize() / 1e6
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def _cases(count: int, point: Point, maneuver: str = MANEUVER) -> Resolved:
    return Resolver({"maneuver": maneuver}).cases(Points(count, point))
