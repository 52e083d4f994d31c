"""Registries that `jounce list` prints: values of `type:` and `suspension:`, including those of plugins and installed packages."""

from __future__ import annotations

from typing import Any

from simulator.autonomy.mappers.kinds import MAPPER_KINDS
from simulator.autonomy.planners.kinds import PLANNER_KINDS
from simulator.base.registry import Registry
from simulator.driver.input_devices.kinds import INPUT_SOURCE_KINDS
from simulator.driver.kinds import DRIVER_KINDS
from simulator.faults.kinds import FAULT_KINDS
from simulator.maneuvers.plots.kinds import PLOT_KINDS
from simulator.motion.protocols.kinds import PROTOCOL_KINDS
from simulator.outlets.kinds import OUTLET_KINDS
from simulator.sensors.kinds import SENSOR_KINDS
from terrain.kinds import TERRAIN_KINDS
from terrain.objects.kinds import OBJECT_GENERATOR_KINDS
from terrain.readers.kinds import ELEVATION_FORMAT_KINDS
from vehicles.controllers.kinds import CONTROLLER_KINDS
from vehicles.drivetrain.kinds import DRIVETRAIN_KINDS
from vehicles.steering.kinds import STEERING_KINDS
from vehicles.suspension.kinds import AXLE_KINDS as AXLES
from vehicles.tires.kinds import TIRE_MODEL_KINDS
from washout.kinds import WASHOUT_KINDS

REGISTRIES: dict[str, tuple[str, Registry[Any]]] = {
    "axles": ("kinds of axles, `suspension:` of an axle", AXLES),
    "steering": ("kinds of steering, `type:` of `steering` in a vehicle file", STEERING_KINDS),
    "tire_models": ("tire models, `type:` of a tire file", TIRE_MODEL_KINDS),
    "drivetrain_kinds": ("kinds of drivetrains, `type:` in `drivetrain` of a drivetrain file", DRIVETRAIN_KINDS),
    "controllers": ("controllers, `type:` in `controllers` of a vehicle file", CONTROLLER_KINDS),
    "terrain_types": ("types of terrains, `type:` of a terrain file", TERRAIN_KINDS),
    "object_generators": ("generators of objects, `type:` in `object_generators` of a terrain file", OBJECT_GENERATOR_KINDS),
    "elevation_formats": ("formats of elevation data, `format:` of a terrain file", ELEVATION_FORMAT_KINDS),
    "washout_algorithms": ("washout algorithms, `type:` of a washout file", WASHOUT_KINDS),
    "sensors": ("sensors, `type:` in `sensors` of a session", SENSOR_KINDS),
    "outlets": ("third-party outlets, `outlets.plugins` of a session", OUTLET_KINDS),
    "protocols": ("packets of the motion stream, `--protocol`", PROTOCOL_KINDS),
    "plots": ("plots of a run, `plots` of a maneuver", PLOT_KINDS),
    "drivers": ("automatic drivers, `--driver`", DRIVER_KINDS),
    "faults": ("faults during a drive, `faults` of a maneuver or a session, `--fault`", FAULT_KINDS),
    "mappers": ("mappers of a drive to a goal, `mapper` of a maneuver", MAPPER_KINDS),
    "planners": ("planners of a drive to a goal, `planner` of a maneuver", PLANNER_KINDS),
    "input_sources": ("input devices of a human driver, `--driver`", INPUT_SOURCE_KINDS),
}
"""Description and registry by name of the list."""


def meaning_of(kind: Any) -> str:
    """Return the one-line description of a registered kind: its `meaning`, or the first line of the docstring of a class."""
    text = getattr(kind, "meaning", "") or (kind.__doc__ if isinstance(kind, type) else "") or ""
    return next(iter(text.strip().splitlines()), "")
