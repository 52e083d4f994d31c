"""A lidar in a world without a drive."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.field_records import filled, rows
from simulator.base.fields import Number, read
from simulator.base.records import Record, record
from simulator.sensors.contract import Mount, SensorInput, SensorSettings
from simulator.sensors.lidar.sensor import FIELDS, OUTPUT, Lidar
from simulator.sensors.pose_history import PoseHistory
from simulator.sensors.sensor_world import SensorWorld
from simulator.weather import CLEAR, Weather
from terrain.ground import Ground
from terrain.objects.object_set import ObjectSet
from terrain.objects.world_object import WorldObject
from terrain.rays.caster import RayCaster
from tests.terrain.test_rays_on_objects import GROUND

Arrays = Mapping[str, NDArray[Any]]
PERIOD = 0.1


def lidar(
    said: Mapping[str, Any] | None = None,
    *,
    weather: Weather = CLEAR,
    position: tuple[float, float, float] = (0.0, 0.0, 2.0),
    ground: Ground = GROUND,
    body: Record | None = None,
    **keys: Any,
) -> Lidar:
    """Return a lidar with keys of a session file."""
    values = read(FIELDS, {**(said or {}), **keys}, "test")
    numbers = tuple(field for field in FIELDS if isinstance(field.kind, Number))
    others = {field.name: values[field.name] for field in FIELDS if field not in numbers and field.name in values}
    mount = Mount(np.array(position, float), np.eye(3))
    settings = SensorSettings(
        filled(rows(numbers), values), mount, PERIOD, np.random.default_rng(0), ground, "lidar", values=others, weather=weather, body=body
    )
    return Lidar(settings)


def scanned(
    sensor: Lidar, *objects: WorldObject, speed: float = 0.0, time: float = 1.0, readout: Any = None, seed: int = 1
) -> tuple[Record, Arrays]:
    """Return the scalars and the arrays of a scan from a vehicle that drives along x and is at the origin at the end of the scan."""
    t = np.linspace(time - PERIOD, time, 101)
    p = np.column_stack((speed * (t - time), 0.0 * t, 0.0 * t))
    history = PoseHistory(t, p, np.tile((1.0, 0.0, 0.0, 0.0), (101, 1)), np.tile((speed, 0.0, 0.0), (101, 1)), np.zeros((101, 3)))
    world = SensorWorld(RayCaster(GROUND, ObjectSet(objects)), CLEAR)
    out = record(OUTPUT)
    return out[0], sensor.step(SensorInput(time, readout, lambda: history, lambda: world, (seed,)), out)
