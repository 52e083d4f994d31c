"""State of a simulation, for `Simulation.save`, `restore`, `copy` and pickles."""

from __future__ import annotations

import copy
import copyreg
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree, cKDTree

from simulator.api.loading import assemble
from simulator.base.errors import JounceError
from simulator.base.field_types import Number
from simulator.base.fields import Field
from simulator.base.graph_state import GraphState, Rules, read_graph
from simulator.base.json_output import content_key
from simulator.base.packed_graph import Packed, pack
from simulator.base.records import Length, dtype_of
from simulator.builder.session_images import SessionImages
from simulator.builder.session_parts import SessionParts
from simulator.configuration.configuration import Configuration
from simulator.configuration.message_origins import MessageOrigins
from simulator.driver.internal_model import InternalModel
from simulator.maneuvers.maneuver_file import Maneuver
from simulator.session import Session
from simulator.telemetry.channels import Channel
from terrain.ground import Ground
from terrain.objects.object_set import ObjectSet
from terrain.objects.world_object import WorldObject
from terrain.rays.space import RayObjects
from terrain.rays.surface import RaySurface
from terrain.roads.network import RoadNetwork
from terrain.ruts import NO_RUTS
from vehicles.description import Description
from vehicles.drivetrain.contract import DrivetrainKind
from vehicles.equilibrium import Equilibrium
from vehicles.equilibrium_cache import EquilibriumCache
from vehicles.state_memory import StateMemory
from vehicles.tires.contract import TireModelKind
from vehicles.tires.terrain_cache import TERRAIN_CACHE
from washout.online_tuning import TunableParameter

copyreg.pickle(Length, lambda one: (Length, (one.name, int(one), one.labels)))
MOST_PARTS = 16
"""Sets of parts that a simulation keeps."""
READ_AT = 2
"""Number of the reset from which on the start is kept: many simulations begin only once."""
BESIDE_GROUND = ("vehicle", "washout", "platform", "sensors", "driver", "assistance", "weather", "maneuver", "log")
"""Sections of a session that leave the ground as it is."""
KEPT = (
    SessionParts, SessionImages, Ground, Description, Configuration, MessageOrigins, InternalModel, Maneuver, EquilibriumCache, Equilibrium,
    TireModelKind, DrivetrainKind, Field, TunableParameter, RoadNetwork,
)  # fmt: skip
"""Types of parts that the configuration defines, and of caches."""


class SimulationState:
    """State of a simulation, as `Simulation.save` returns it. States are compared with ==, and a pickle keeps them.

    Attributes
    ----------
    time : simulated time [s]
    """

    def __init__(self, time: float, recipe: Recipe, graph: GraphState) -> None:
        self.time, self._recipe = time, recipe
        self._graph: GraphState | None = graph
        self._packed: tuple[bytes, Packed] | None = None

    def put_into(self, one: Any, recipe: Recipe, rules: Rules) -> None:
        """Give a simulation this state. Raises JounceError: the simulation is made of other parts."""
        if self._graph is not None and self._graph.nodes[0].one is one:
            self._graph.put_back()
            return
        key, contents = self._contents
        if key != recipe.key:
            raise JounceError("restore: the state belongs to another simulation; expected one of a simulation with the same arguments")
        contents.put_into(one, rules)

    @property
    def _contents(self) -> tuple[bytes, Packed]:
        """Key of the parts, and contents without addresses."""
        if self._packed is None:
            assert self._graph is not None
            self._packed = self._recipe.key, pack(self._graph)
        return self._packed

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SimulationState) and self._contents == other._contents

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        return {"time": self.time, "_recipe": None, "_graph": None, "_packed": self._contents}

    def __repr__(self) -> str:
        return f"<State of a simulation at {self.time:g} s>"


@dataclass(frozen=True, eq=False)
class Recipe:
    """What a simulation is made of."""

    names: Mapping[str, str | None]
    changes: Mapping[str, Any]
    session: str | None
    driver: Any
    other_drivers: Mapping[str, Any]
    channels: tuple[str, ...]
    log_rate: float
    has_platform: bool
    given: bool = False
    """Whether the parts were given, so that there is no recipe for others."""

    def parts(self, like: SessionParts | None = None) -> SessionParts:
        """Return new parts; those `like` these have the same ground. Raises ConfigError."""
        if self.given:
            raise JounceError("this simulation was made from parts; expected one that Simulation(...) made")
        return assemble(self.names, self.changes, self.session, like)

    @cached_property
    def key(self) -> bytes:
        """Key that simulations of equal parts share."""
        names = [*sorted((key, str(name)) for key, name in self.names.items() if name is not None), str(self.session)]
        return content_key([names, _plain(self.changes), list(self.channels), self.log_rate, self.has_platform])

    def others(self) -> Recipe:
        """Return the recipe with drivers of its own."""
        return replace(self, driver=copy.deepcopy(self.driver), other_drivers=copy.deepcopy(dict(self.other_drivers)))


class Resettable(Protocol):
    """Simulation that `Starts` resets."""

    _recipe: Recipe
    _parts: SessionParts
    _session: Session
    _added: list[Any]

    def _new_session(self) -> None:
        """Begin a new session with the parts."""


@dataclass(eq=False)
class Start:
    """Start of a simulation with a set of parts."""

    parts: SessionParts
    rules: Rules
    resets: int = 0
    session: Session | None = None
    """Session before its begin, with its contents there."""
    fresh: GraphState | None = None
    where: Any = None
    """Place and speed of the last reset, after which the simulation has the contents `begun`."""
    begun: GraphState | None = None


class Starts:
    """Starts of a simulation: a reset puts a session back that has been before, which takes a fraction of the time of a new one."""

    def __init__(self, simulation: Resettable) -> None:
        self._simulation = simulation
        self._starts: dict[int, Start] = {}
        self._parts: dict[bytes, SessionParts] = {}

    @property
    def rules(self) -> Rules:
        """What is no state of the simulation."""
        return self._present.rules

    @property
    def _present(self) -> Start:
        parts = self._simulation._parts
        return self._starts.setdefault(id(parts.configuration), Start(parts, rules_of(parts)))

    def take(self, changes: Mapping[str, Any]) -> tuple[Recipe, SessionParts]:
        """Return recipe and parts of the simulation with changes. Raises ConfigError."""
        before, now = self._simulation._recipe, self._simulation._parts
        recipe = replace(before, changes={**before.changes, **changes})
        self._parts.setdefault(before.key, now)
        if recipe.key not in self._parts:
            if len(self._parts) >= MOST_PARTS:
                dropped = self._parts.pop(next(key for key in self._parts if key != before.key))
                self._starts.pop(id(dropped.configuration), None)
            same_ground = all(key.partition(".")[0].partition("[")[0] in BESIDE_GROUND for key in changes)
            self._parts[recipe.key] = recipe.parts(now if same_ground else None)
        return recipe, self._parts[recipe.key]

    def put_back(self, where: Any) -> bool:
        """Return whether the simulation is back at its start at a place with a speed; else its session is as before its begin."""
        one, start = self._simulation, self._present
        if start.begun is not None and start.where == where:
            start.begun.put_back()
            return True
        if start.fresh is not None and start.session is not None:
            start.fresh.put_back()
            one._session, one._added, one._parts = start.session, [], start.parts
            return False
        one._new_session()
        start.resets += 1
        if start.resets == READ_AT:
            start.session, start.parts = one._session, one._parts
            with suppress(JounceError):  # with a part that cannot be read, each reset makes a new session
                start.fresh = read_graph(start.session, self._without_drivers())
        return False

    def note(self, where: Any) -> None:
        """Note that the simulation has begun at a place with a speed."""
        start = self._present
        if start.fresh is not None and start.where == where:
            start.begun = read_graph(self._simulation, self._without_drivers())
        else:
            start.begun = None
        start.where = where

    def _without_drivers(self) -> Rules:
        """Return the rules of a reset, which leaves the drivers of the program as they are."""
        recipe, rules = self._simulation._recipe, self._present.rules
        drivers = [one for one in (recipe.driver, *recipe.other_drivers.values()) if one is not None]
        return replace(rules, parts={**rules.parts, **{id(one): one for one in drivers}})


def rules_of(parts: SessionParts) -> Rules:
    """Return which objects of a simulation are no state: those of its configuration."""
    grounds = [parts.ground, *([parts.terrain_ground] if parts.terrain_ground is not None else ()), *(one.ground for one in parts.others)]
    objects = [one for ground in grounds for one in (ground.objects, *vars(ground.objects).values())]
    designs = [one._design for one in (parts.vehicle, *(one.vehicle for one in parts.others))]
    kept = [*(array for ground in grounds for array in _arrays(ground.arrays)), *objects, *designs, *_arrays(NO_RUTS)]
    return Rules(
        kept=(*KEPT, RaySurface, Starts, Recipe),
        values=(WorldObject, Channel, Length, Number, KDTree, cKDTree),
        caches=(RayObjects,),
        parts={id(one): one for one in kept if isinstance(one, np.ndarray | tuple | StateMemory | ObjectSet)},
        kept_dtypes=(dtype_of(TERRAIN_CACHE),),
    )


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return (
        value.tolist()
        if isinstance(value, np.ndarray | np.generic)
        else value
        if isinstance(value, int | float | bool | None)
        else str(value)
    )


def _arrays(tree: Iterable[Any]) -> Iterator[NDArray[Any]]:
    for part in tree:
        if isinstance(part, tuple):
            yield from _arrays(part)
        else:
            yield part
