"""Registries whose names `jounce list` tells: what a file may say behind `type:` or `suspension:`, those from plugins and packages included."""

from __future__ import annotations

from typing import Any

from simulator.base.registry import Registry
from simulator.driver.input_devices.kinds import SOURCES
from simulator.driver.kinds import DRIVERS
from simulator.motion.protocols.kinds import PROTOCOLS
from simulator.outlets.kinds import OUTLETS
from simulator.sensors.kinds import SENSORS
from terrain.kinds import TERRAINS
from terrain.readers.kinds import FORMATS
from vehicles.controllers.kinds import CONTROLLERS
from vehicles.suspension.kinds import KINDS as AXLES
from vehicles.tires.kinds import LAWS
from washout.kinds import WASHOUTS

REGISTRIES: dict[str, tuple[str, Registry[Any]]] = {
    "axles": ("kinds of axles, `suspension:` of an axle", AXLES),
    "tread_laws": ("tread laws, `type:` of a tire file", LAWS),
    "controllers": ("controllers, `type:` in `controllers` of a vehicle file", CONTROLLERS),
    "terrain_types": ("types of terrains, `type:` of a terrain file", TERRAINS),
    "height_formats": ("formats of files of heights, `format:` beside one in a terrain file", FORMATS),
    "washout_laws": ("washouts, `type:` of a washout file", WASHOUTS),
    "sensors": ("sensors, `type:` in `sensors` of a session", SENSORS),
    "outlets": ("outlets beside log, stream and window, `outlets.others` of a session", OUTLETS),
    "protocols": ("packets of the motion stream, `--protocol`", PROTOCOLS),
    "drivers": ("drivers who are no person, `--driver`", DRIVERS),
    "input_sources": ("what a person drives with, `--driver`", SOURCES),
}
"""By the name they are asked for: what they are, and the registry."""


def meaning_of(tenant: Any) -> str:
    """What a tenant is, in a line: its own words, or the first line of what its class or module says."""
    said = getattr(tenant, "meaning", "") or (tenant.__doc__ if isinstance(tenant, type) else "") or ""
    return next(iter(said.strip().splitlines()), "")
