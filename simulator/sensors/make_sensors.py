"""Creation of the sensors of a session from a session file."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from simulator.base.errors import ConfigError
from simulator.base.field_records import filled, rows
from simulator.base.fields import Number, read
from simulator.base.rates import whole_ticks
from simulator.base.records import Record, labeled
from simulator.base.registry import making
from simulator.base.rotations import rotation_of_euler
from simulator.base.values import Values
from simulator.sensors.contract import Mount, SensorKind, SensorSettings
from simulator.sensors.kinds import MOUNT, SENSOR_FILE, SENSOR_KINDS
from simulator.sensors.mounted_sensor import MountedSensor
from simulator.sensors.rendering import ImageRenderer
from simulator.weather import CLEAR, Weather
from terrain.ground import Ground
from vehicles.axle_layout import WHEELS
from vehicles.description import Description

RESERVED = ("command", "platform", "planner", "map", "odom", "base_link", "tf", "tf_static")
"""Prefixes that other log columns use, and frames and topics of recorded sensor data."""


@dataclass(frozen=True)
class SensorContext:
    """Parts of a session that sensors know when they are created."""

    ground: Ground
    h: float
    """Length of a tick [s]."""
    seed: int = 0
    """Not negative."""
    vehicle: Description | None = None
    weather: Weather = CLEAR
    body: Record | None = None
    """Record of `vehicles.contact.records.OBJECT_CONTACT`."""
    renderer: ImageRenderer | None = None


def make_sensors(entries: Sequence[Any], file: object, context: SensorContext, key: str = "sensors") -> list[MountedSensor]:
    """Create the sensors in the list `sensors` of a session file, for `Session`.

    Parameters
    ----------
    entries : per sensor a mapping, see `simulator.sensors.contract`, or only the name of a kind
    file, key : name of the file and of the list, for messages

    Raises
    ------
    ConfigError : the description of a sensor is invalid, or two sensors have the same name
    JounceError : a plugin sensor cannot be created
    """
    if not isinstance(entries, (list, tuple)):
        raise ConfigError(file, key, entries, "a list of sensors")
    sensors: list[MountedSensor] = []
    for n, entry in enumerate(entries):
        values = SENSOR_FILE.read({"type": entry} if isinstance(entry, str) else entry, file, f"{key}[{n}]")
        sensor = _sensor(values, context)
        if any(sensor.name == other.name for other in sensors):
            raise ConfigError(file, values.path("name"), sensor.name, "a unique name")
        sensors.append(sensor)
    return sensors


def mounts_of(entries: Sequence[Any]) -> dict[str, Mount]:
    """Return the mount of each sensor in a checked list `sensors` by its name."""
    out = {}
    for entry in entries:
        values = SENSOR_FILE.read({"type": entry} if isinstance(entry, str) else entry, "", "")
        out[values.get("name", values["type"])] = _mount(values["mount"] if "mount" in values else read(MOUNT, {}, ""))
    return out


def _sensor(values: Values, context: SensorContext) -> MountedSensor:
    kind = SENSOR_KINDS.need(values["type"])
    name, plugin = values.get("name", kind.name), not SENSOR_KINDS.is_builtin(values["type"])
    if not (name.isidentifier() and name.isascii()) or name in RESERVED:
        expected = f"a name of letters, digits and underscores, other than {', '.join(RESERVED)}"
        raise ConfigError(values.file, values.path("name"), name, expected)
    every = whole_ticks(values.get("rate", kind.rate), context.h, values.file, values.path("rate"))
    kind, given_values = _of_vehicle(kind, context.vehicle), _with_preset(kind, values)
    numbers = tuple(field for field in kind.parameters if isinstance(field.kind, Number))
    seed = (context.seed, zlib.crc32(name.encode()))
    settings = SensorSettings(
        parameters=filled(rows(numbers), given_values),
        mount=_mount(values["mount"] if "mount" in values else read(MOUNT, {}, values.file)),
        period=every * context.h,
        random=np.random.default_rng(seed),
        ground=context.ground,
        name=name,
        step=context.h,
        latency=values.get("latency", kind.latency),
        values={field.name: given_values[field.name] for field in kind.parameters if field.name in given_values},
        vehicle=context.vehicle,
        weather=context.weather,
        renderer=context.renderer,
        record=values["record"],
        seed=seed,
        body=context.body,
    )
    with making(f"sensor {name}"):
        sensor = kind.make(settings)
    settings = replace(settings, mount=getattr(sensor, "mount", settings.mount))
    mounted = MountedSensor(name, kind, sensor, every, settings, plugin)
    if hasattr(sensor, "deliver"):
        mounted.subscribe(sensor.deliver)
    return mounted


def _of_vehicle(kind: SensorKind, vehicle: Description | None) -> SensorKind:
    """Return the kind with an output for the wheels of the vehicle."""
    if vehicle is None:
        return kind
    return replace(kind, output=labeled(kind.output, WHEELS.name, vehicle.mechanism.axles.corners))


def _with_preset(kind: SensorKind, values: Values) -> dict[str, Any]:
    """Return the values of a section, with those of its preset for keys that the section does not have."""
    preset = kind.presets.get(values.get("preset", ""), {})
    own = {field.name: field.kind for field in kind.parameters}
    unsaid = {key: own[key].read(value, f"preset {values['preset']}", key) for key, value in preset.items() if key not in values.spelled}
    return {**values, **unsaid}


def _mount(mount: Values) -> Mount:
    R_BS = np.empty((3, 3))
    rotation_of_euler(mount["roll"], mount["pitch"], mount["yaw"], R_BS)
    return Mount(np.array(mount["position"], np.float64), R_BS)
