"""Jounce as a library. Every name here is kept from version to version; docs/library.md shows how they go together.

Nothing is loaded before it is asked for: `import simulator` costs a few milliseconds.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing takes longer to load than all of this; who checks types knows the name
if TYPE_CHECKING:
    from typing import Any

    from simulator.api.batch import Batch as Batch
    from simulator.api.batch import BatchRow as BatchRow
    from simulator.api.batch import run_batch as run_batch
    from simulator.api.loading import load_ground as load_ground
    from simulator.api.loading import load_vehicle as load_vehicle
    from simulator.api.loading import warm_up as warm_up
    from simulator.api.mechanism_runs import run_mechanism as run_mechanism
    from simulator.api.mechanism_runs import sweep_mechanism as sweep_mechanism
    from simulator.api.notebook import ProgressBar as ProgressBar
    from simulator.api.simulation import IncidentError as IncidentError
    from simulator.api.simulation import Result as Result
    from simulator.api.simulation import Simulation as Simulation
    from simulator.api.simulation import simulate as simulate
    from simulator.api.streaming import stream as stream
    from simulator.base.errors import ConfigError as ConfigError
    from simulator.base.errors import JounceError as JounceError
    from simulator.base.errors import OutputError as OutputError
    from simulator.base.registry import load_plugins as load_plugins
    from simulator.collision import Collision as Collision
    from simulator.conformance.check_plugin import check_plugin as check_plugin
    from simulator.fleet.fleet import Fleet as Fleet
    from simulator.learning.session_env import SessionEnv as SessionEnv
    from simulator.port.client import Client as Client
    from simulator.sweep.run_sweep import run_sweep as run_sweep
    from simulator.telemetry.channels import Channel as Channel
    from simulator.telemetry.log import Log as Log
    from simulator.telemetry.log import read_log as read_log
    from terrain.ground import Ground as Ground
    from terrain.rays.caster import RayCaster as RayCaster
    from terrain.truth_map import truth_map as truth_map
    from vehicles.vehicle import Vehicle as Vehicle

    __version__: str


_HOMES = {
    "Batch": "simulator.api.batch",
    "BatchRow": "simulator.api.batch",
    "Channel": "simulator.telemetry.channels",
    "Client": "simulator.port.client",
    "Collision": "simulator.collision",
    "ConfigError": "simulator.base.errors",
    "Fleet": "simulator.fleet.fleet",
    "Ground": "terrain.ground",
    "IncidentError": "simulator.api.simulation",
    "JounceError": "simulator.base.errors",
    "Log": "simulator.telemetry.log",
    "OutputError": "simulator.base.errors",
    "ProgressBar": "simulator.api.notebook",
    "RayCaster": "terrain.rays.caster",
    "Result": "simulator.api.simulation",
    "SessionEnv": "simulator.learning.session_env",
    "Simulation": "simulator.api.simulation",
    "Vehicle": "vehicles.vehicle",
    "check_plugin": "simulator.conformance.check_plugin",
    "load_ground": "simulator.api.loading",
    "load_plugins": "simulator.base.registry",
    "load_vehicle": "simulator.api.loading",
    "read_log": "simulator.telemetry.log",
    "run_batch": "simulator.api.batch",
    "run_mechanism": "simulator.api.mechanism_runs",
    "run_sweep": "simulator.sweep.run_sweep",
    "simulate": "simulator.api.simulation",
    "stream": "simulator.api.streaming",
    "sweep_mechanism": "simulator.api.mechanism_runs",
    "truth_map": "terrain.truth_map",
    "warm_up": "simulator.api.loading",
}
"""The module in which each public name lives."""

__all__ = [*_HOMES, "__version__"]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for."""
    if name == "__version__":
        from simulator.base.machine import version

        value: Any = version()
    elif name in _HOMES:
        import importlib

        value = getattr(importlib.import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
