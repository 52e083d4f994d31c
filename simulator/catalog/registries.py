"""Registries that `jounce list` prints: values of `type:` and `suspension:`, including those of plugins and installed packages."""

from __future__ import annotations

from typing import Any

from simulator.base.registry import Registry, load_attribute

REGISTRIES: dict[str, tuple[str, str]] = {
    "axles": ("kinds of axles, `suspension:` of an axle", "vehicles.suspension.kinds:AXLE_KINDS"),
    "steering": ("kinds of steering, `type:` of `steering` in a vehicle file", "vehicles.steering.kinds:STEERING_KINDS"),
    "tire_models": ("tire models, `type:` of a tire file", "vehicles.tires.kinds:TIRE_MODEL_KINDS"),
    "drivetrain_kinds": (
        "kinds of drivetrains, `type:` in `drivetrain` of a drivetrain file",
        "vehicles.drivetrain.kinds:DRIVETRAIN_KINDS",
    ),
    "controllers": ("controllers, `type:` in `controllers` of a vehicle file", "vehicles.controllers.kinds:CONTROLLER_KINDS"),
    "terrain_types": ("types of terrains, `type:` of a terrain file", "terrain.kinds:TERRAIN_KINDS"),
    "object_generators": (
        "generators of objects, `type:` in `object_generators` of a terrain file",
        "terrain.objects.kinds:OBJECT_GENERATOR_KINDS",
    ),
    "shapes": ("shapes of objects, `shape:` of an object in a terrain file", "terrain.objects.shape_kinds:SHAPE_KINDS"),
    "elevation_formats": ("formats of elevation data, `format:` of a terrain file", "terrain.readers.kinds:ELEVATION_FORMAT_KINDS"),
    "washout_algorithms": ("washout algorithms, `type:` of a washout file", "washout.kinds:WASHOUT_KINDS"),
    "sensors": ("sensors, `type:` in `sensors` of a session", "simulator.sensors.kinds:SENSOR_KINDS"),
    "outlets": ("third-party outlets, `outlets.plugins` of a session", "simulator.outlets.kinds:OUTLET_KINDS"),
    "protocols": ("packets of the motion stream, `--protocol`", "simulator.motion.protocols.kinds:PROTOCOL_KINDS"),
    "plots": ("plots of a run, `plots` of a maneuver", "simulator.maneuvers.plots.kinds:PLOT_KINDS"),
    "drivers": ("automatic drivers, `--driver`", "simulator.driver.kinds:DRIVER_KINDS"),
    "faults": ("faults during a drive, `faults` of a maneuver or a session, `--fault`", "simulator.faults.kinds:FAULT_KINDS"),
    "mappers": ("mappers of a drive to a goal, `mapper` of a maneuver", "simulator.autonomy.mappers.kinds:MAPPER_KINDS"),
    "planners": ("planners of a drive to a goal, `planner` of a maneuver", "simulator.autonomy.planners.kinds:PLANNER_KINDS"),
    "input_sources": ("input devices of a human driver, `--driver`", "simulator.driver.input_devices.kinds:INPUT_SOURCE_KINDS"),
}
"""Description, and module and name of the registry, by name of the list; a module is imported on use."""


def registry_of(name: str) -> Registry[Any]:
    """Return the registry of a name of the list."""
    return load_attribute(REGISTRIES[name][1])


def meaning_of(kind: Any) -> str:
    """Return the one-line description of a registered kind: its `meaning`, or the first line of the docstring of a class."""
    text = getattr(kind, "meaning", "") or (kind.__doc__ if isinstance(kind, type) else "") or ""
    return next(iter(text.strip().splitlines()), "")
