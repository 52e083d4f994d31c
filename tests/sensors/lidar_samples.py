"""A lidar in a world without a drive."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simulator.base.records import Record, record
from simulator.sensors.contract import SensorInput
from simulator.sensors.lidar.sensor import OUTPUT, Lidar
from simulator.sensors.make_sensors import SensorContext, make_sensors
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
    context = SensorContext(ground, 1e-3, weather=weather, body=body)
    (made,) = make_sensors([{"type": "lidar", "mount": {"position": list(position)}, **(said or {}), **keys}], "test", context)
    assert isinstance(made._sensor, Lidar)
    return made._sensor


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
