"""Commands `jounce bench vehicles`, `fleet` and `traffic`: cost of many vehicles, on one core.

`vehicles` share a world, in which they may meet; `fleet` is a `jounce.Fleet`. All accelerate straight ahead, and the cost of a step is compared
with that of a single vehicle. `traffic` drives in the town around a vehicle at rest.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from simulator.api.simulation import Simulation
from simulator.base.console import print_line
from simulator.base.json_output import json_text
from simulator.benchmarks.machine_info import machine
from simulator.fleet.fleet import Fleet

H = 1e-3
"""s. Step."""
SPACING = 12.0
"""m between two vehicles one behind the other, in LANES of 4 m."""
LANES = 5
CASES = {"vehicles": (1, 20, 100), "fleet": (1, 100, 1000)}
"""Numbers of vehicles."""
TERRAINS = ("flat", "flat_soil")
REPEATS = 5
TRAFFIC = ((0, 0, 0), (200, 0, 0), (200, 0, 200), (0, 20, 0), (200, 20, 200))
"""Numbers of kinematic vehicles, of vehicles with models of their own, and of pedestrians."""


def main_bench_many(table: str, as_json: bool) -> int:
    """Run the command. Return 0."""
    if table == "traffic":
        return _main_traffic(as_json)
    rows = [
        {"terrain": terrain, "vehicles": count, **(_world(terrain, count) if table == "vehicles" else _fleet(terrain, count))}
        for terrain in TERRAINS
        for count in CASES[table]
    ]
    for row in rows:
        alone = next(one for one in rows if one["terrain"] == row["terrain"])
        row["ratio"] = row["us_per_step"] / alone["us_per_step"]
    if as_json:
        print_line(json_text({"table": table, "machine": machine(), "rows": rows}))
        return 0
    print_line("ground      vehicles  us per vehicle and step  ratio to one  vehicles in real time")
    for row in rows:
        capacity = H * 1e6 / row["us_per_step"]
        print_line(f"{row['terrain']:<12}{row['vehicles']:8}  {row['us_per_step']:23.2f}  {row['ratio']:12.2f}  {capacity:21.0f}")
    return 0


def _main_traffic(as_json: bool) -> int:
    """Measure and print the processor time of a simulated second with traffic. Return 0."""
    rows = [
        {"kinematic": one, "full": full, "pedestrians": walkers, "cpu_s_per_s": _traffic(one, full, walkers)}
        for one, full, walkers in TRAFFIC
    ]
    if as_json:
        print_line(json_text({"table": "traffic", "machine": machine(), "rows": rows}))
        return 0
    print_line("kinematic  full  pedestrians  processor time of a simulated second")
    for row in rows:
        print_line(f"{row['kinematic']:9}  {row['full']:4}  {row['pedestrians']:11}  {row['cpu_s_per_s']:34.3f} s")
    return 0


def _traffic(kinematic: int, full: int, walkers: int) -> float:
    """Return the processor time of a simulated second in the town [s], the median of some runs."""
    kinds = [{"count": count, "model": model} for count, model in ((kinematic, "kinematic"), (full, "full")) if count]
    sim = Simulation("sedan", "town", platform=None, traffic={"vehicles": kinds, "pedestrians": walkers}, channels=["p_WB"])
    result = _fastest(1, 1, lambda: sim.session.run(1.0))
    sim.close()
    return float(result["us_per_step"]) * 1e-6


def _fastest(vehicles: int, steps: int, run: Callable[[], object]) -> dict[str, Any]:
    """Return the processor time [us] of a step of a vehicle, the median of some runs of `steps` steps of all vehicles."""
    run()
    spent = []
    for _ in range(REPEATS):
        before = time.thread_time()
        run()
        spent.append(time.thread_time() - before)
    return {"us_per_step": 1e6 * statistics.median(spent) / (steps * vehicles)}


def _world(terrain: str, count: int) -> dict[str, Any]:
    """Vehicles in one world, with the drivers, the check of the states and the washout of the first one."""
    others = [
        {"position": [SPACING * (1 + n // LANES), 4.0 * (n % LANES - 2)], "driver": lambda t, readout: {"throttle": 0.4}}
        for n in range(count - 1)
    ]
    sim = Simulation("hmmwv", terrain, platform=None, others=others, channels=["p_WB"])
    sim.command(throttle=0.4)
    steps = 200
    result = _fastest(count, steps, lambda: sim.session.run(steps * H))
    sim.close()
    return result


def _fleet(terrain: str, count: int) -> dict[str, Any]:
    """Vehicles of a fleet."""
    fleet = Fleet("hmmwv", terrain, n=count, step=H, substeps=20)
    fleet.commands["throttle"], fleet.commands["steering"] = 0.4, np.linspace(-0.2, 0.2, count)
    calls = max(1, 400 // count)

    def run() -> None:
        for _ in range(calls):
            fleet.step()

    return _fastest(count, 20 * calls, run)
