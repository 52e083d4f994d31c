"""Jounce as a library. Every name here is kept from version to version; docs/library.md shows how they go together.

Nothing is loaded before it is asked for: `import simulator` costs a few milliseconds.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing takes longer to load than all of this; who checks types knows the name
if TYPE_CHECKING:
    from typing import Any

    from simulator.base.errors import ConfigError as ConfigError
    from simulator.base.errors import JounceError as JounceError
    from simulator.base.errors import OutputError as OutputError
    from simulator.base.registry import load_plugins as load_plugins
    from simulator.library.assembling import load_ground as load_ground
    from simulator.library.assembling import load_vehicle as load_vehicle
    from simulator.library.assembling import warm_up as warm_up
    from simulator.library.batch import Batch as Batch
    from simulator.library.batch import BatchRow as BatchRow
    from simulator.library.batch import run_batch as run_batch
    from simulator.library.mechanism_logs import run_mechanism as run_mechanism
    from simulator.library.mechanism_logs import sweep_mechanism as sweep_mechanism
    from simulator.library.simulation import IncidentError as IncidentError
    from simulator.library.simulation import Result as Result
    from simulator.library.simulation import Simulation as Simulation
    from simulator.library.simulation import simulate as simulate
    from simulator.library.streaming import stream as stream
    from simulator.sweep.entry import run_sweep as run_sweep
    from simulator.telemetry.channels import Channel as Channel
    from simulator.telemetry.log import Log as Log
    from simulator.telemetry.log import read_log as read_log
    from terrain.ground import Ground as Ground
    from vehicles.vehicle import Vehicle as Vehicle

    __version__: str

_HOMES = {
    "Batch": "simulator.library.batch",
    "BatchRow": "simulator.library.batch",
    "Channel": "simulator.telemetry.channels",
    "ConfigError": "simulator.base.errors",
    "Ground": "terrain.ground",
    "IncidentError": "simulator.library.simulation",
    "JounceError": "simulator.base.errors",
    "Log": "simulator.telemetry.log",
    "OutputError": "simulator.base.errors",
    "Result": "simulator.library.simulation",
    "Simulation": "simulator.library.simulation",
    "Vehicle": "vehicles.vehicle",
    "load_ground": "simulator.library.assembling",
    "load_plugins": "simulator.base.registry",
    "load_vehicle": "simulator.library.assembling",
    "read_log": "simulator.telemetry.log",
    "run_batch": "simulator.library.batch",
    "run_mechanism": "simulator.library.mechanism_logs",
    "run_sweep": "simulator.sweep.entry",
    "simulate": "simulator.library.simulation",
    "stream": "simulator.library.streaming",
    "sweep_mechanism": "simulator.library.mechanism_logs",
    "warm_up": "simulator.library.assembling",
}
"""The module in which each public name lives."""

__all__ = [*_HOMES, "__version__"]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for."""
    if name == "__version__":
        from simulator.base.machine import version

        found: Any = version()
    elif name in _HOMES:
        import importlib

        found = getattr(importlib.import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
