"""Assembly of the parts of a simulation from names, files and changes, with the builder of the commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from simulator.base.call_checks import MAPPING, NAME, checks, optional
from simulator.base.errors import ConfigError
from simulator.builder.builder import build
from simulator.builder.session_builder import SessionBuilder
from simulator.builder.session_parts import SessionParts
from simulator.builder.warm_up import compile_for_session, compile_kernels
from simulator.configuration.configuration import Configuration, configuration
from simulator.configuration.key_path import parse, written
from simulator.configuration.overrides import Override
from terrain.ground import Ground
from vehicles.vehicle import Vehicle

Changes = Mapping[str, Any]
"""Values by key path, for example {"vehicle.chassis.mass": 2600, "terrain.gravity": 1.62}."""

PLAIN_GROUND = "flat"
"""Default terrain of a simulation without terrain, maneuver and session."""


def warm_up(say: Callable[[str], None] = print) -> None:
    """Compile the physics now if needed, about a minute on two cores. `say` is called with a line at the start and for each part.

    Simulations compile the physics automatically and without messages.
    """
    compile_kernels(say)


@checks(name=NAME, changes=optional(MAPPING))
def load_vehicle(name: str, changes: Changes | None = None) -> Vehicle:
    """Return a vehicle by name or path of its file. `reset` puts it on a ground, `step` moves it under a command, `read` returns its
    state.

    Parameters
    ----------
    changes : values by key path in the vehicle file, for example {"chassis.mass": 2600, "tires.friction": 0.5}

    Raises ConfigError: a file or a change cannot be used.
    """
    return build(configured({"vehicle": name, "terrain": PLAIN_GROUND}, _below("vehicle", changes))).vehicle


@checks(name=NAME, changes=optional(MAPPING))
def load_ground(name: str, changes: Changes | None = None) -> Ground:
    """Return a ground by name or path of its terrain file, with `changes` by key path. Raises ConfigError."""
    return build(configured({"terrain": name}, _below("terrain", changes)), check_step=False).ground


class SameGround(SessionBuilder):
    """Creates parts on a ground that exists."""

    def __init__(self, ground: Ground) -> None:
        super().__init__()
        self._ground = ground

    def ground(self, configuration: Configuration) -> Ground:
        """Return the ground."""
        return self._ground


def assemble(
    names: Mapping[str, str | None], changes: Changes | None, session: str | None = None, like: SessionParts | None = None
) -> SessionParts:
    """Return the parts of a simulation.

    Parameters
    ----------
    names : "vehicle", "terrain", "maneuver", "washout", "platform", each by name, path, or None
    changes : values by key path, which override all files
    session : session file by name or path, which all other arguments override
    like : parts whose ground, as the terrain describes it, is that of the new ones

    Raises ConfigError.
    """
    if session is None and names.get("maneuver") is None and names.get("terrain") is None:
        names = {**names, "terrain": PLAIN_GROUND}
    configuration = configured(names, changes, session)
    compile_for_session(configuration, lambda line: None)
    return build(configuration, builder=None if like is None or like.terrain_ground is None else SameGround(like.terrain_ground))


def configured(names: Mapping[str, str | None], changes: Changes | None, session: str | None = None) -> Configuration:
    """Return the configuration of a simulation; parameters as for `assemble`. Raises ConfigError."""
    settings = [Override(parse(key), str(name), f"{key}={name!r}") for key, name in names.items() if name is not None]
    for key, value in (changes or {}).items():
        path = parse(key) if isinstance(key, str) else ()
        if not path or written(path) != key:
            raise ConfigError("changes", "", key, "a key path, for example vehicle.chassis.mass")
        settings.append(Override(path, value, f"changes[{key!r}]"))
    return configuration(session, settings)


def _below(place: str, changes: Changes | None) -> dict[str, Any]:
    return {f"{place}.{key}": value for key, value in (changes or {}).items()}
