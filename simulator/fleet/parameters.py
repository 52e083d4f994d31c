"""Parameters of the vehicles of a fleet: each set is that of a vehicle and a ground loaded with its changes, and several vehicles may share it.

A set has its own model (21 kB), parameters of the suspension (7 kB) and soils. The kernel, the layout of the state and the shape of the
ground are those of all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from simulator.base.callbacks import address_of
from simulator.base.errors import ConfigError, JounceError
from simulator.base.json_output import content_key
from simulator.base.record_tree import addresses_in
from simulator.base.section_cache import sections_read_once
from simulator.base.suggestions import did_you_mean
from simulator.configuration.key_path import parse, written
from simulator.sweep.configuration_cache import Shared
from simulator.sweep.worker_cache import CachingBuilder
from terrain.ground import Ground, GroundArrays
from terrain.objects.object_set import ObjectSet
from terrain.objects.paths import Path
from terrain.objects.world_object import WorldObject
from vehicles.equilibrium_cache import arrays_in
from vehicles.lean_vehicle import LeanVehicle
from vehicles.vehicle import Vehicle

ROOTS = ("vehicle", "terrain", "soils")
"""First parts of the keys that may change."""


@dataclass(eq=False)
class Parameters:
    """A set of parameters."""

    values: Mapping[str, Any]
    """Changes by key path."""
    lean: LeanVehicle
    ground: GroundArrays

    def __post_init__(self) -> None:
        self._model, self._ground = addresses_in(self.lean.vehicle.model), addresses_in(self.ground)
        own = self.lean.vehicle.space.blocks.own
        self.addresses: tuple[int, int, int] = (address_of(self._model), address_of(self._ground), address_of(own))
        """of the addresses of VehicleModel and GroundArrays, and of the parameters of the suspension"""


class ParameterSets:
    """Loads sets of parameters; vehicles with equal changes get the same one.

    Parameters
    ----------
    vehicle, terrain : names or paths
    values : changes of the first vehicle
    step : of the simulation [s], input_time : time between two commands [s]
    rigid : True = objects never break off or leave their path

    Attributes
    ----------
    first : set of the first vehicle
    bench : vehicle with its parameters, the layout of all, in whose memory all starts are computed
    ground : its ground, whose shape is that of all

    Raises ConfigError.
    """

    def __init__(self, vehicle: str, terrain: str, values: Mapping[str, Any], step: float, input_time: float, rigid: bool = False) -> None:
        self._rigid = rigid
        self._shared = Shared({"vehicle": str(vehicle), "terrain": str(terrain)}, None, str)
        self._builder = CachingBuilder()
        self._step, self._input_time = step, input_time
        self._sets: WeakValueDictionary[bytes, Parameters] = WeakValueDictionary()
        one, self.ground = self._load(values)
        _check_objects(self.ground, terrain)
        if one.train is not None:
            raise ConfigError("fleet", "vehicle", vehicle, "a vehicle without trailers; a fleet has none")
        self.bench = one.new_instance()
        self._objects = self.ground.objects.for_session()
        self.first = Parameters(dict(values), self._lean(one), self.ground.arrays._replace(objects=self._objects.world))
        self._sets[_key(values)] = self.first

    def take(self, values: Mapping[str, Any]) -> Parameters:
        """Return the set of these changes. Raises ConfigError: also a change of the layout or of the shape of the ground."""
        key = _key(values)
        known = self._sets.get(key)
        if known is None:
            vehicle, ground = self._load(values)
            self._check_alike(vehicle, ground, values)
            own = self.first.ground._replace(soils=ground.soils, air=ground.air)
            known = self._sets[key] = Parameters(dict(values), self._lean(vehicle), own)
        return known

    def _load(self, values: Mapping[str, Any]) -> tuple[Vehicle, Ground]:
        for key in values:
            path = parse(key)
            if not path or written(path) != key or path[0] not in ROOTS:
                hint = did_you_mean(key.partition(".")[0], ROOTS) or f"; hint: vehicle.{key}"
                raise JounceError(f"changes: {key}: no parameter of a fleet; expected a key below {', '.join(ROOTS)}{hint}")
        configuration, _ = self._shared.run(values)
        with sections_read_once(self._builder.sections):
            vehicle, places = self._builder.vehicle(configuration)
            self._builder.check_step(configuration, vehicle, self._step, places)
            ground = self._builder.ground(configuration)
            return vehicle, _with_rigid_objects(ground) if self._rigid else ground

    def _lean(self, vehicle: Vehicle) -> LeanVehicle:
        lean = LeanVehicle(vehicle, self.bench)
        lean.vehicle.model.steering[0]["input_time"] = self._input_time
        return lean

    def _check_alike(self, vehicle: Vehicle, ground: Ground, values: Mapping[str, Any]) -> None:
        """Raise JounceError if a vehicle or ground has another layout than the first."""
        first, shape = self.bench, self.ground
        if _layout(vehicle) != _layout(first):
            raise _other(values, "vehicle", "other axles, controllers or kinds of parts", "the layout of the first vehicle")
        if (vehicle.model.tires["contact_grid_spacing"] != first.model.tires["contact_grid_spacing"]).any():
            raise _other(values, "vehicle", "another contact_grid_spacing of the tires", "that of the first vehicle")
        same = all(np.array_equal(getattr(ground, name), getattr(shape, name)) for name in ("p", "hardness", "soil_ids"))
        if not same or ground.soils.shape != shape.soils.shape or ground.objects.records.tobytes() != shape.objects.records.tobytes():
            raise _other(values, "terrain", "another shape, gravity, map of soils or other objects", "one ground for all vehicles")


def _key(values: Mapping[str, Any]) -> bytes:
    try:
        return content_key(dict(values))
    except TypeError:
        raise JounceError(f"changes: {dict(values)}; expected numbers, texts and lists of them") from None


def _layout(vehicle: Vehicle) -> list[tuple[Any, ...]]:
    """Return type and dimensions of all parameters, and shapes of all states."""
    return [(part.dtype, part.ndim) for part in arrays_in(vehicle.model)] + [(part.dtype, part.shape) for part in arrays_in(vehicle.space)]


def _other(values: Mapping[str, Any], root: str, problem: str, expected: str) -> JounceError:
    given = ", ".join(f"{key} = {value}" for key, value in values.items() if key.partition(".")[0] == root or root == "terrain")
    return JounceError(f"changes: {given}: {problem}; expected {expected}")


def _with_rigid_objects(ground: Ground) -> Ground:
    """Return a ground on which no vehicle moves an object."""
    return replace(ground, objects=ObjectSet(map(_rigid, ground.objects.objects), ground.objects.first))


def _rigid(one: WorldObject) -> WorldObject:
    if one.breakaway is None:
        return one
    return replace(one, motion=replace(one.motion, breakaway=None) if isinstance(one.motion, Path) else None)


def _check_objects(ground: Ground, terrain: str) -> None:
    """Raise JounceError if vehicles would move an object: all vehicles share the objects."""
    for one in ground.objects.objects:
        if one.breakaway is not None:
            raise JounceError(
                f"terrain {terrain}: object {one.name}: it breaks off or leaves its path; expected objects that no vehicle moves"
            )
