"""Python interface of Jounce: run vehicles, batches and sweeps from a program or a notebook.

docs/library.md describes all names. `import jounce` takes a few milliseconds: each name is loaded on first use.

The packages of Jounce are also importable as `jounce.simulator`, `jounce.vehicles`, `jounce.terrain` and `jounce.washout`. They are the same
modules. A folder or a file of one of these names in the folder of a program does not hide them.
"""

# ruff: noqa: PLC0414 (an alias marks a name as exported)
from __future__ import annotations

import importlib
import os.path
import sys
from importlib.machinery import ModuleSpec, PathFinder

TYPE_CHECKING = False  # importing typing would take longer than importing this module
if TYPE_CHECKING:
    from typing import Any

    from simulator import Batch as Batch
    from simulator import BatchRow as BatchRow
    from simulator import Channel as Channel
    from simulator import Client as Client
    from simulator import ConfigError as ConfigError
    from simulator import Fleet as Fleet
    from simulator import Ground as Ground
    from simulator import IncidentError as IncidentError
    from simulator import JounceError as JounceError
    from simulator import Log as Log
    from simulator import OutputError as OutputError
    from simulator import ProgressBar as ProgressBar
    from simulator import RayCaster as RayCaster
    from simulator import Result as Result
    from simulator import SessionEnv as SessionEnv
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


PACKAGES = ("simulator", "vehicles", "terrain", "washout")
"""Packages of Jounce."""
OWN_FILES = (("cli", "entry_point.py"), ("vehicle.py",), ("ground.py",), ("cueing.py",))
"""A file of each package, by which a folder with the packages is recognized."""
__path__: list[str] = []
"""Marks this module as a package, so that `jounce.vehicles` is importable."""


def _root() -> str:
    """Return the folder of the packages: that of this file, or of an editable installation the first one on the path that has them."""
    own = [os.path.join(name, *file) for name, file in zip(PACKAGES, OWN_FILES, strict=True)]
    folders = [os.path.dirname(os.path.abspath(__file__)), *map(os.path.abspath, sys.path)]
    return next((folder for folder in folders if all(os.path.isfile(os.path.join(folder, file)) for file in own)), folders[0])


class _OwnPackages:
    """Import hook that finds the packages of Jounce before those in the folder of a program, also as `jounce.PACKAGE`."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Return the specification of a package of Jounce; None for any other module."""
        if name in PACKAGES:
            return PathFinder.find_spec(name, [_ROOT])
        if name == "gymnasium":
            return _registering(PathFinder.find_spec(name, path))  # type: ignore[arg-type]
        own = name.partition(".")[2] if name.startswith("jounce.") else ""
        return ModuleSpec(name, _Alias(own)) if own.partition(".")[0] in PACKAGES else None  # type: ignore[arg-type]


class _Alias:
    """Loader of a module under another name: both names are the same module."""

    def __init__(self, name: str) -> None:
        self._name = name

    def create_module(self, spec: ModuleSpec) -> Any:
        """Return the module, imported under its own name."""
        module = importlib.import_module(self._name)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: Any) -> None:
        """Restore the specification, which the import system has replaced by that of the other name."""
        module.__spec__ = self._spec


def _registering(spec: ModuleSpec | None) -> ModuleSpec | None:
    """Return the specification of Gymnasium, whose loader then registers the environments of Jounce (docs/learning.md)."""
    loader: Any = None if spec is None else spec.loader
    if loader is not None:
        run = loader.exec_module

        def exec_module(module: Any) -> None:
            run(module)
            _register_environments()

        loader.exec_module = exec_module
    return spec


def _register_environments() -> None:
    from simulator.learning.registration import register_environments

    register_environments()


def _use_own_packages() -> None:
    """Install the hook. Raises ImportError: another module has the name of a package of Jounce, and is loaded."""
    for name in PACKAGES:
        loaded = sys.modules.get(name)
        places = [str(place) for place in getattr(loaded, "__path__", ())]
        if loaded is not None and not any(os.path.samefile(place, os.path.join(_ROOT, name)) for place in places if os.path.isdir(place)):
            other = getattr(loaded, "__file__", None) or name
            raise ImportError(f"{other}: has the name of a package of Jounce; hint: import jounce before it, or rename it", name=name)
    sys.meta_path.insert(0, _OwnPackages)  # type: ignore[arg-type]


_ROOT = _root()
_use_own_packages()
if "gymnasium" in sys.modules:
    _register_environments()


def main() -> int:
    """Run the command line of this process and return its exit code."""
    from simulator.cli.entry_point import main as run_command_line

    return run_command_line()


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
    sys.exit(main())
