"""Worker for one side of `python -m research bench --baseline`, run by its path with the packages of a checkout on the path.

It uses only a vehicle by name, its step and its evaluation, and ticks where they exist, so that it works with old checkouts. It prints the names of its figures in
one line. Then it answers every line with the name of a figure with the microseconds per round of one repeat.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import Any

from simulator.base.jit import kernel
from simulator.base.records import record
from vehicles.command import COMMAND
from vehicles.dynamics import accelerations
from vehicles.step import vehicle_step

try:
    from simulator.builder.builder import build_ground, build_vehicle
except ImportError:  # a checkout of version 0.2.0 or older
    from simulator.build import build_ground, build_vehicle  # type: ignore[import-not-found, no-redef]

H = 1e-3
ROUNDS = 5000
"""Number of rounds of one repeat."""

CARS = {
    # figure: vehicle, suspension, ground
    "step_hard": ("hmmwv", None, "flat"),
    "step_rough": ("hmmwv", None, "flat_gravel"),
    "step_soil": ("hmmwv", None, "flat_soil"),
    "step_five_link": ("five_link_rear", None, "flat"),
    "step_tables": ("hmmwv", "table", "flat"),
}


@kernel
def step_loop(m, s, ground, command, h, n):
    """Advance the vehicle by n steps."""
    for _ in range(n):
        vehicle_step(m, s, ground, command, h)


@kernel
def evaluation_loop(m, s, n):
    """Evaluate all accelerations n times from state and loads."""
    for _ in range(n):
        accelerations(m, s)


@kernel
def evaluation_loop_of_records(m, s, n):
    """Evaluate all accelerations n times, in a checkout whose evaluation takes single records."""
    for _ in range(n):
        accelerations(m.chassis, m.corners, s.blocks, m.struts, s.state, s.inputs, s.loads, s.kinematics, s.work, s.out)  # type: ignore[call-arg]


@kernel
def evaluation_loop_without_blocks(m, s, n):
    """Evaluate all accelerations n times, in a checkout without blocks of corners."""
    for _ in range(n):
        accelerations(m.chassis, m.corners, m.struts, s.state, s.inputs, s.loads, s.kinematics, s.work, s.out)  # type: ignore[call-arg]


def figures() -> dict[str, Callable[[int], None]]:
    """Return functions by name that run a number of rounds; everything is compiled and warm."""
    found: dict[str, Callable[[int], None]] = {}
    for name, (car, suspension, terrain) in CARS.items():
        vehicle, command, ground = build_vehicle(car, suspension=suspension), record(COMMAND), build_ground(terrain)
        arrays: Any = ground.arrays
        vehicle.reset(arrays, *ground.spawn, gear=1)
        command[0]["throttle"], command[0]["steering"], command[0]["selector"] = 0.4, 0.05, 1
        step_loop(vehicle.model, vehicle.space, arrays, command, H, 10_000)
        found[name] = partial(step_loop, vehicle.model, vehicle.space, arrays, command, H)
        if name in ("step_hard", "step_five_link"):
            still = build_vehicle(car)
            still.reset(arrays, *ground.spawn, gear=1)
            evaluation = name.replace("step_hard", "evaluation").replace("step_five_link", "evaluation_five_link")
            found[evaluation] = partial(_evaluation_loop(hasattr(still.space, "blocks")), still.model, still.space)
            found[evaluation](10)
    tick = _tick_loop()
    if tick is not None:
        found["tick"] = tick
    return found


def _tick_loop() -> Callable[[int], None] | None:
    """Return a function that runs ticks of a usual session on the road; None for a checkout that is too old for it."""
    try:
        from simulator.builder.builder import build
        from simulator.configuration.configuration import configuration
        from simulator.configuration.overrides import Override
        from simulator.tick import new_watch, ticks
    except ImportError:
        return None
    kernel_of_ticks: Any = ticks  # its arguments depend on the checkout
    parts = build(configuration(None, [Override(("terrain",), "flat", "bench")]))
    vehicle, cueing, arrays, command = parts.vehicle, parts.cueing, parts.ground.arrays, record(COMMAND)
    vehicle.reset(arrays, *parts.ground.spawn, gear=1)
    command[0]["throttle"], command[0]["steering"], command[0]["selector"] = 0.4, 0.05, 1
    cueing.procedure.arm()
    others: tuple[Any, ...] = ()
    if "others" in signature(getattr(ticks, "py_func", ticks)).parameters:
        from simulator.tick import VEHICLE_ROW

        others = (record(VEHICLE_ROW, 0),)
    run = partial(
        kernel_of_ticks, vehicle.model, vehicle.space, arrays, cueing.records, new_watch(size=vehicle.size), command, *others, True
    )
    run(10_000)
    return run


def _evaluation_loop(has_blocks: bool) -> Callable[[Any, Any, int], None]:
    """Return the evaluation loop that fits the checkout."""
    arguments = len(signature(getattr(accelerations, "py_func", accelerations)).parameters)
    return evaluation_loop if arguments == 2 else evaluation_loop_of_records if has_blocks else evaluation_loop_without_blocks


def main() -> None:
    """Respond to requests until the input ends."""
    known = figures()
    print(" ".join(known), flush=True)
    for line in sys.stdin:
        started = time.perf_counter()
        known[line.strip()](ROUNDS)
        print((time.perf_counter() - started) / ROUNDS * 1e6, flush=True)


if __name__ == "__main__":
    main()
