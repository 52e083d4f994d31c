"""Command `python -m research bench`: cost of the parts of a tick on this machine, with a calibration loop for the comparison of machines.

Every figure is the median over repeats of a loop inside one kernel, without a time limit. The calibration loop measures the speed of the
machine at that moment. Divide by its time to compare machines.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from research.costs.checkout_worker import evaluation_loop, step_loop
from research.costs.run_cost import MANEUVER, times_real_time
from simulator.base.jit import kernel
from simulator.base.json_output import json_text
from simulator.base.records import Record, record
from simulator.benchmarks.machine_info import machine
from simulator.builder.builder import build
from simulator.builder.session_parts import SessionParts
from simulator.configuration.from_arguments import session_of
from simulator.configuration.overrides import Override
from simulator.tick import VEHICLE_ROW, new_watch, ticks
from vehicles.command import COMMAND
from vehicles.vehicle import Vehicle
from washout.classical import washout_step
from washout.cueing import cueing_step

STEPS = 5000
"""Number of steps of one repeat: 5 s of simulated time."""

TARGETS = {"evaluation": 1.5, "step_hard": 3.0, "step_soil": 10.0, "washout": 1.0}
"""Target costs in us on one core of the two-core x86 machine named in the design."""


@kernel
def calibration_loop(a, n):
    """Compute n rounds of x = x * b + c over 8 numbers: multiply-adds in memory."""
    for _ in range(n):
        for i in range(8):
            a[i] = a[i] * 0.999999 + 1e-6


@kernel
def washout_loop(c, f, w, h, n):
    """Run n steps of the washout filter."""
    for _ in range(n):
        washout_step(c.p, c.s, f, w, h, c.washout_pose)


@kernel
def cueing_loop(c, f, w, n):
    """Run n steps of washout, procedure and limiter."""
    for _ in range(n):
        cueing_step(c.p, c.s, c.washout_pose, f, w, True)


def measure(repeats: int, parts_on: Callable[[str], SessionParts]) -> dict[str, Any]:
    """Measure all figures: {"us": {name: median}, "real_time_factor": {...}, "machine": {...}, "targets_us": {...}}.

    `parts_on(terrain)` creates a vehicle and a platform for a terrain.
    """
    us = {"calibration": _median(repeats, lambda n: calibration_loop(_NUMBERS, n), 100_000)}
    hard, rough, soil = parts_on("flat"), parts_on("flat_gravel"), parts_on("flat_soil")
    h = hard.step
    vehicle, command = _driving(hard)
    us["evaluation"] = _median(repeats, lambda n: evaluation_loop(vehicle.model, vehicle.space, n), STEPS)
    for name, parts in (("step_hard", hard), ("step_rough", rough), ("step_soil", soil)):
        vehicle, command = _driving(parts)
        us[name] = _median(repeats, partial(step_loop, vehicle.model, vehicle.space, parts.ground.arrays, command, h), STEPS)
    cueing = hard.cueing
    cueing.procedure.arm()
    records = cueing.records
    f, w = np.array([0.5, 0.3, 9.7]), np.array([0.02, -0.01, 0.1])
    cueing_loop(records, f, w, 20_000)
    us["washout"] = _median(repeats, lambda n: washout_loop(records, f, w, h, n), STEPS)
    us["cueing"] = _median(repeats, lambda n: cueing_loop(records, f, w, n), STEPS)
    vehicle, command = _driving(hard)
    arrays, watch = hard.ground.arrays, new_watch(size=vehicle.size)
    others = record(VEHICLE_ROW, 0)
    us["tick"] = _median(repeats, lambda n: ticks(vehicle.model, vehicle.space, arrays, records, watch, command, others, True, n), STEPS)

    def from_python(n: int) -> None:
        for _ in range(n):
            ticks(vehicle.model, vehicle.space, arrays, records, watch, command, others, True, 1)

    us["tick_from_python"] = _median(repeats, from_python, STEPS)
    factors = {name: 1e6 * h / us[name] for name in ("step_hard", "step_rough", "step_soil", "tick", "tick_from_python")}
    return {"us": us, "real_time_factor": factors, "targets_us": TARGETS, "repeats": repeats, "machine": machine()}


_NUMBERS = np.ones(8)


def _median(repeats: int, run: Callable[[int], None], count: int) -> float:
    """Return the median time of a round of `run(count)` in microseconds over the repeats, after a warm-up."""
    run(count // 10)
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        run(count)
        times.append((time.perf_counter() - started) / count * 1e6)
    return statistics.median(times)


def _driving(parts: SessionParts) -> tuple[Vehicle, Record]:
    """Return the vehicle after ten seconds in a gentle turn, and the command of this turn."""
    vehicle, ground, command = parts.vehicle, parts.ground.arrays, record(COMMAND)
    vehicle.reset(ground, *parts.ground.spawn, gear=1)
    command[0]["throttle"], command[0]["steering"], command[0]["selector"] = 0.4, 0.05, 1
    step_loop(vehicle.model, vehicle.space, ground, command, parts.step, round(10.0 / parts.step))
    return vehicle, command


LABELS = {
    "calibration": "calibration: 8 multiply-adds",
    "evaluation": "vehicle evaluation (14 accelerations)",
    "step_hard": "vehicle step, hard ground",
    "step_rough": "vehicle step, rough ground",
    "step_soil": "vehicle step, soil",
    "washout": "washout filter",
    "cueing": "motion cueing (washout, procedure, limiter)",
    "tick": "tick in total, hard ground",
    "tick_from_python": "single tick called from Python",
}


def measure_maneuver(repeats: int, new_parts: Callable[[], SessionParts]) -> dict[str, Any]:
    """Measure the real-time factor of a complete maneuver in processor time: the best of the repeats, since disturbances only add time."""
    return {"maneuver": MANEUVER, "times_real_time": max(times_real_time(new_parts()) for _ in range(repeats))}


def measured(repeats: int, arguments: argparse.Namespace) -> dict[str, Any]:
    """Run `measure` and `measure_maneuver` in the session of the command line, and the view benchmark if requested."""

    def parts_on(terrain: str) -> SessionParts:
        return build(session_of(arguments, [Override(("terrain",), terrain, "python -m research bench")]))

    def maneuver() -> SessionParts:
        return build(session_of(arguments, [Override(("maneuver",), MANEUVER, "python -m research bench")]))

    figures = measure(max(1, repeats), parts_on)
    figures["run"] = measure_maneuver(max(1, repeats), maneuver)
    return figures


def main_bench(repeats: int, arguments: argparse.Namespace) -> int:
    """Run `python -m research bench`. Return 0, since the command reports without a verdict."""
    figures = measured(repeats, arguments)
    if arguments.json:
        print(json_text(figures))
        return 0
    from rich.console import Console
    from rich.table import Table

    table = Table("part", "us", "target us", "times real time")
    for name, label in LABELS.items():
        factor, target = figures["real_time_factor"].get(name), TARGETS.get(name)
        table.add_row(label, f"{figures['us'][name]:.3f}", f"{target:g}" if target else "", f"{factor:.0f}" if factor else "")
    run = figures["run"]
    table.add_row(f"{run['maneuver']} with driver, telemetry and metrics, in processor time", "", "", f"{run['times_real_time']:.0f}")
    console = Console()
    console.print(table)
    m = figures["machine"]
    console.print(
        f"median of {figures['repeats']}; {m['processor']}, {m['cores']} cores, {m['system']}, Python {m['python']}, numba {m['numba']}, load {m['load_average']}"
    )
    return 0
