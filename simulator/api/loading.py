"""From names, files and changes to the parts of a simulation, by the builder that the commands use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from simulator.base.errors import ConfigError
from simulator.builder.builder import SessionParts, build
from simulator.builder.warm_up import compile_kernels
from simulator.configuration.configuration import Configuration, configuration
from simulator.configuration.key_path import parse, written
from simulator.configuration.overrides import Override
from terrain.ground import Ground
from vehicles.vehicle import Vehicle

Changes = Mapping[str, Any]
"""Values by key path, for example {"vehicle.chassis.mass": 2600, "terrain.gravity": 1.62}."""

PLAIN_GROUND = "flat"
"""Terrain of a simulation that names neither a terrain nor a maneuver nor a session."""


def warm_up(say: Callable[[str], None] = print) -> None:
    """Compile the physics now, about a minute on two cores, unless that was done before; `say` gets a line at the start and one per part.

    Whatever is simulated does the same by itself, in silence.
    """
    compile_kernels(say)


def load_vehicle(name: str, changes: Changes | None = None) -> Vehicle:
    """A vehicle by name or path of its file; `reset` puts it on a ground, `step` moves it under a command, `read` tells how it is.

    Parameters
    ----------
    changes : values by key path in the vehicle's file, for example {"chassis.mass": 2600, "tires.friction": 0.5}

    Raises ConfigError: a file or a change cannot be used.
    """
    return build(configured({"vehicle": name, "terrain": PLAIN_GROUND}, _below("vehicle", changes))).vehicle


def load_ground(name: str, changes: Changes | None = None) -> Ground:
    """A ground by name or path of its terrain file, with `changes` by key path in it. Raises ConfigError."""
    return build(configured({"terrain": name}, _below("terrain", changes)), check_step=False).ground


def assemble(names: Mapping[str, str | None], changes: Changes | None, session: str | None = None) -> SessionParts:
    """The parts of a simulation.

    Parameters
    ----------
    names : "vehicle", "terrain", "maneuver", "washout", "platform", each by name, path, or None
    changes : values by key path, above everything else
    session : session file by name or path, below everything else

    Raises ConfigError.
    """
    if session is None and names.get("maneuver") is None and names.get("terrain") is None:
        names = {**names, "terrain": PLAIN_GROUND}
    return build(configured(names, changes, session))


def configured(names: Mapping[str, str | None], changes: Changes | None, session: str | None = None) -> Configuration:
    """A configuration before it is built; parameters as for `assemble`. Raises ConfigError."""
    settings = [Override(parse(key), str(name), f"{key}={name!r}") for key, name in names.items() if name is not None]
    for key, value in (changes or {}).items():
        path = parse(key) if isinstance(key, str) else ()
        if not path or written(path) != key:
            raise ConfigError("changes", "", key, "a key path, for example vehicle.chassis.mass")
        settings.append(Override(path, value, f"changes[{key!r}]"))
    return configuration(session, settings)


def _below(place: str, changes: Changes | None) -> dict[str, Any]:
    return {f"{place}.{key}": value for key, value in (changes or {}).items()}
