"""Registries whose names `jounce list` tells: what a file may say behind `type:` or `suspension:`, those from plugins and packages included."""

from __future__ import annotations

from typing import Any

from simulator.base.registry import Registry
from simulator.driver.input_devices.kinds import INPUT_SOURCE_KINDS
from simulator.driver.kinds import DRIVER_KINDS
from simulator.motion.protocols.kinds import PROTOCOL_KINDS
from simulator.outlets.kinds import OUTLET_KINDS
from simulator.sensors.kinds import SENSOR_KINDS
from terrain.kinds import TERRAIN_KINDS
from terrain.readers.kinds import ELEVATION_FORMAT_KINDS
from vehicles.controllers.kinds import CONTROLLER_KINDS
from vehicles.suspension.kinds import AXLE_KINDS as AXLES
from vehicles.tires.kinds import TIRE_MODEL_KINDS
from washout.kinds import WASHOUT_KINDS

REGISTRIES: dict[str, tuple[str, Registry[Any]]] = {
    "axles": ("kinds of axles, `suspension:` of an axle", AXLES),
    "tread_laws": ("tread laws, `type:` of a tire file", TIRE_MODEL_KINDS),
    "controllers": ("controllers, `type:` in `controllers` of a vehicle file", CONTROLLER_KINDS),
    "terrain_types": ("types of terrains, `type:` of a terrain file", TERRAIN_KINDS),
    "height_formats": ("formats of files of heights, `format:` beside one in a terrain file", ELEVATION_FORMAT_KINDS),
    "washout_laws": ("washouts, `type:` of a washout file", WASHOUT_KINDS),
    "sensors": ("sensors, `type:` in `sensors` of a session", SENSOR_KINDS),
    "outlets": ("outlets beside log, stream and window, `outlets.plugins` of a session", OUTLET_KINDS),
    "protocols": ("packets of the motion stream, `--protocol`", PROTOCOL_KINDS),
    "drivers": ("drivers who are no person, `--driver`", DRIVER_KINDS),
    "input_sources": ("what a person drives with, `--driver`", INPUT_SOURCE_KINDS),
}
"""By the name they are asked for: what they are, and the registry."""


def meaning_of(tenant: Any) -> str:
    """What a tenant is, in a line: its own words, or the first line of what its class or module says."""
    said = getattr(tenant, "meaning", "") or (tenant.__doc__ if isinstance(tenant, type) else "") or ""
    return next(iter(said.strip().splitlines()), "")
