"""Python interface of Jounce: run vehicles, batches and sweeps from a program or a notebook.

docs/library.md describes all names. `import jounce` takes a few milliseconds: each name is loaded on first use.
"""

# ruff: noqa: PLC0414 (an alias marks a name as exported)
from __future__ import annotations

import sys

TYPE_CHECKING = False  # importing typing would take longer than importing this module
if TYPE_CHECKING:
    from typing import Any

    from simulator import Batch as Batch
    from simulator import BatchRow as BatchRow
    from simulator import Channel as Channel
    from simulator import ConfigError as ConfigError
    from simulator import Ground as Ground
    from simulator import IncidentError as IncidentError
    from simulator import JounceError as JounceError
    from simulator import Log as Log
    from simulator import OutputError as OutputError
    from simulator import RayCaster as RayCaster
    from simulator import Result as Result
    from simulator import Simulation as Simulation
    from simulator import Vehicle as Vehicle
    from simulator import check_plugin as check_plugin
    from simulator import load_ground as load_ground
    from simulator import load_plugins as load_plugins
    from simulator import load_vehicle as load_vehicle
    from simulator import read_log as read_log
    from simulator import run_batch as run_batch
    from simulator import run_mechanism as run_mechanism
    from simulator import run_sweep as run_sweep
    from simulator import simulate as simulate
    from simulator import stream as stream
    from simulator import sweep_mechanism as sweep_mechanism
    from simulator import truth_map as truth_map
    from simulator import warm_up as warm_up

    __version__: str

__all__ = [
    "JounceError",
    "Simulation",
    "check_plugin",
    "load_ground",
    "load_plugins",
    "load_vehicle",
    "read_log",
    "run_batch",
    "run_sweep",
    "simulate",
    "stream",
]


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    import simulator

    if name not in simulator.__all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(simulator, name)
    return value


def __dir__() -> list[str]:
    import simulator

    return sorted({*globals(), *simulator.__all__})


if __name__ == "__main__":
    from simulator.cli.entry_point import main

    sys.exit(main())
