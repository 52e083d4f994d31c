"""Command `python -m research bench --history`: costs of a tick of earlier versions, present costs and changes."""

from __future__ import annotations

from typing import Any

from research.costs.tick_cost import measured
from simulator.validation.history.changes import TIMES
from simulator.validation.history.command import run_history
from simulator.validation.history.entry import Figure


def main_bench_history(arguments: Any, repeats: int) -> int:
    """Run `python -m research bench --history`. Return 1 if --check finds a change. Raises JounceError."""
    return run_history("bench", "tick", arguments, lambda: costs_of(repeats, arguments))


def costs_of(repeats: int, arguments: Any) -> dict[str, Figure]:
    """Return the costs of the parts of a tick in microseconds, and the real-time factor of a maneuver."""
    found = measured(repeats, arguments)
    costs = {name: Figure(value, "us") for name, value in found["us"].items()}
    return costs | {found["run"]["maneuver"]: Figure(found["run"]["times_real_time"], TIMES)}
